//! Trajectories of agents in the interchange format of Harbor, ATIF.
//!
//! | member | what it is |
//! |---|---|
//! | `schema_version` | `ATIF-v1.…` |
//! | `agent` | `name`, `version`, `model_name` |
//! | `steps` | `source`: `system`, `user`, `agent`; `message`, `timestamp`, `model_name` |
//! | of the agent | `reasoning_content`, `tool_calls: [{tool_call_id, function_name, arguments}]` |
//! | | `observation: {results: [{source_call_id, content}]}` |
//!
//! A step has its calls and their results. The shapes are from the format's own RFC in the Harbor project. This module
//! does not know what a tool does.

use super::call::CallText;
use super::json::JsonValue;
use super::messages::{parts_of, result, unknown};
use super::writer::TextWriter;
use super::{
    CallSource, Claim, ContainerInfo, FileHead, FormatReader, JsonRecord, Message, MessagePart, MessageRole,
    RecordReader, ToolResult,
};
use crate::diagnostic::Code;

pub(super) static ABOUT: ContainerInfo = ContainerInfo {
    name: "atif",
    title: "a trajectory in the ATIF format",
    claims,
    calls: CallSource::Records,
    open: FormatReader::records::<Atif>,
};

fn claims(head: &FileHead<'_>) -> Option<Claim> {
    let version = head.value()?.text_of("schema_version")?;
    version.starts_with("ATIF").then_some(Claim::Sure("its schema_version is one of ATIF"))
}

#[derive(Default)]
struct Atif {
    model: Option<Box<str>>,
}

impl Atif {
    fn step(&self, step: JsonValue<'_>, out: &mut TextWriter) {
        let role = match step.text_of("source").as_deref() {
            Some("agent") => MessageRole::Assistant,
            Some("user") => MessageRole::User,
            Some("system") => MessageRole::System,
            source => {
                out.message(Message::default());
                let message =
                    format!("the source {:?} is not known here; it is shown as it stands", source.unwrap_or(""));
                out.problem(Code::UnknownRecord, step.source(), message);
                return out.envelope("step", step);
            }
        };
        let is_agent = role == MessageRole::Assistant;
        let model = step.words_of("model_name").or_else(|| self.model.clone()).filter(|_| is_agent);
        let (time, id) = (step.words_of("timestamp"), step.words_of("step_id"));
        out.message(Message { time: time.clone(), model, id, ..Message::from_role(role) });
        if let Some(thought) = step.string_of("reasoning_content").filter(|thought| !thought.is_void()) {
            out.say(MessagePart::Reasoning, thought);
        }
        if let Some(message) = step.get("message") {
            parts_of(message, Some(role), out);
        }
        for call in step.get("tool_calls").into_iter().flat_map(|calls| calls.items()) {
            let text = CallText::bare(call.source().start, call.get("tool_call_id"), call.get("function_name"), "");
            let text = text.with_arguments(call.get("arguments"), call.source().end);
            out.piece(text.part(None), &text.text);
        }
        let results = step.path(&["observation", "results"]).filter(|results| !results.is_void());
        for (number, observed) in results.into_iter().flat_map(|results| results.items()).enumerate() {
            if number == 0 {
                out.message(Message { time: time.clone(), ..Message::from_role(MessageRole::Tool) });
            }
            let call = observed.words_of("source_call_id");
            let content = observed.get("content").filter(|content| !content.is_void());
            // What no call has led to is a word of the surroundings.
            match content.filter(|_| call.is_none() && step.get("tool_calls").is_none_or(|calls| calls.is_void())) {
                Some(words) => out.say(MessagePart::Envelope("observation".into()), words),
                None => result(ToolResult::new(call, None), content, out),
            }
            if let Some(other) = observed.get("subagent_trajectory_ref").filter(|other| !other.is_void()) {
                out.envelope("subagent_trajectory_ref", other);
            }
        }
    }
}

impl RecordReader for Atif {
    fn drill(&self) -> &'static [&'static str] {
        &["steps"]
    }

    fn record(&mut self, record: &JsonRecord<'_>, out: &mut TextWriter) {
        match record.member {
            Some("steps") => self.step(record.value, out),
            Some("agent") => self.model = record.value.words_of("model_name"),
            Some("notes") if !record.value.is_void() => {
                out.message(Message::default());
                out.say(MessagePart::Envelope("notes".into()), record.value);
            }
            // Another trajectory may have come before it.
            Some("schema_version") => {
                self.model = None;
                out.conversation(None);
            }
            // Counts and costs.
            Some(_) => {}
            // An element of an array.
            None => match record.value.get("steps") {
                Some(steps) => {
                    out.conversation(record.value.words_of("session_id"));
                    self.model = record.value.path(&["agent", "model_name"]).and_then(JsonValue::words);
                    steps.items().for_each(|step| self.step(step, out));
                }
                None => unknown(record.value, out),
            },
        }
    }
}
