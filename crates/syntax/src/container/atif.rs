//! Trajectories of agents in the interchange format of Harbor, ATIF.
//!
//! | member | content |
//! |---|---|
//! | `schema_version` | `ATIF-v1.…` |
//! | `agent` | `name`, `version`, `model_name` |
//! | `steps` | `source`: `system`, `user`, `agent`; `message`, `timestamp`, `model_name` |
//! | of the agent | `reasoning_content`, `tool_calls: [{tool_call_id, function_name, arguments}]` |
//! | | `observation: {results: [{source_call_id, content}]}`, `reasoning_effort` |
//! | | `metrics: {prompt_tokens, completion_tokens, cached_tokens, cost_usd}`: cached tokens are part of the prompt |
//! | | `is_copied_context`: copied from another trajectory, and not counted here |
//! | `final_metrics` | the sums of these |
//! | `subagent_trajectories` | complete trajectories of the agents that this one started |
//!
//! A step has its calls and their results; results without a call id answer its calls in order. The record shapes are
//! from the RFC of the format in the Harbor project.

use std::collections::VecDeque;

use super::answer;
use super::call::CallText;
use super::facts::{AgentFacts, Fact, Origin, RequestFacts, SessionFact};
use super::json::{JsonKind, JsonValue};
use super::messages::{parts_of, result, unknown};
use super::unread_text;
use super::usage;
use super::writer::TextWriter;
use super::{
    CallSource, Claim, ContainerEvent, ContainerInfo, Definition, FileHead, FormatReader, JsonRecord, Message,
    MessagePart, MessageRole, RecordReader, ToolResult,
};
use crate::diagnostic::Code;

pub(super) static ABOUT: ContainerInfo = ContainerInfo {
    name: "atif",
    title: "a trajectory in the ATIF format",
    calls: CallSource::Records,
    definition: Definition::Code { claims, open: FormatReader::records::<Atif> },
};

fn claims(head: &FileHead<'_>) -> Option<Claim> {
    let value = head.value()?;
    if value.text_of("schema_version").is_some_and(|version| version.starts_with("ATIF")) {
        return Some(Claim::Sure("its schema_version is one of ATIF"));
    }
    let first = value.get("steps").filter(|steps| steps.kind() == JsonKind::Array)?.items().next()?;
    let is_own = value.get("agent").is_some() && first.get("step_id").is_some() && first.get("source").is_some();
    is_own.then_some(Claim::Sure("it has an agent, and steps with a step_id and a source"))
}

#[derive(Default)]
struct Atif {
    model: Option<Box<str>>,
    /// True if the following steps belong to a sub-agent.
    is_aside: bool,
}

impl Atif {
    /// A complete trajectory, and those nested in it.
    fn trajectory(&mut self, value: JsonValue<'_>, out: &mut TextWriter) {
        let Some(steps) = value.get("steps") else { return unknown(value, out) };
        out.session_id(|| value.words_of("session_id"));
        out.conversation(value.first_of(&["trajectory_id", "session_id"]).and_then(JsonValue::scalar_text));
        self.model = value.path(&["agent", "model_name"]).and_then(JsonValue::scalar_text);
        steps.items().for_each(|step| self.step(step, out));
        value.get("subagent_trajectories").into_iter().for_each(|list| self.subagents(list, out));
    }

    fn subagents(&mut self, list: JsonValue<'_>, out: &mut TextWriter) {
        let is_aside = std::mem::replace(&mut self.is_aside, true);
        list.items().for_each(|inner| self.trajectory(inner, out));
        self.is_aside = is_aside;
    }

    /// States the request that a step of the agent answers, if the step has metrics.
    fn request(&self, step: JsonValue<'_>, model: Option<Box<str>>, out: &mut TextWriter) {
        let Some(metrics) = step.get("metrics").filter(|metrics| metrics.kind() == JsonKind::Object) else { return };
        out.fact(Fact::Request(RequestFacts {
            model,
            usage: usage::openai(metrics),
            cost: usage::cost(metrics),
            end: answer::time_of(step, &["timestamp"]),
            effort: step.words_of("reasoning_effort"),
            is_aside: self.is_aside,
            ..RequestFacts::default()
        }));
    }

    fn step(&self, step: JsonValue<'_>, out: &mut TextWriter) {
        let role = match step.text_of("source").as_deref() {
            Some("agent") => MessageRole::Assistant,
            Some("user") => MessageRole::User,
            Some("system") => MessageRole::System,
            source => {
                out.message(Message::default());
                let message = format!("unknown source {:?}; shown raw", source.unwrap_or(""));
                out.problem(Code::UnknownRecord, step.source(), message);
                return out.envelope("step", step);
            }
        };
        let is_agent = role == MessageRole::Assistant;
        let model = step.words_of("model_name").or_else(|| self.model.clone()).filter(|_| is_agent);
        let (time, id) = (step.words_of("timestamp"), step.words_of("step_id"));
        let is_copied = step.truth_of("is_copied_context").unwrap_or_default();
        let origin = match role {
            MessageRole::User if is_copied => Origin::Repeated,
            MessageRole::User if !self.is_aside => Origin::Prompt,
            _ => Origin::Unsaid,
        };
        let aside = self.is_aside;
        out.message(Message {
            time: time.clone(),
            model: model.clone(),
            id,
            origin,
            is_outside: aside,
            ..Message::from_role(role)
        });
        if is_agent && !is_copied {
            self.request(step, model, out);
        }
        let before = out.yielded();
        if let Some(thought) = step.string_of("reasoning_content").filter(|thought| !thought.is_void()) {
            out.write_part(MessagePart::Reasoning, thought);
        }
        if let Some(message) = step.get("message") {
            parts_of(message, Some(role), out);
        }
        let mut calls = VecDeque::new();
        for call in step.get("tool_calls").into_iter().flat_map(|calls| calls.items()) {
            let text = CallText::bare(call.source().start, call.get("tool_call_id"), call.get("function_name"), "");
            let text = text.with_arguments(call.get("arguments"), call.source().end);
            calls.push_back(out.begin(text.part(None)));
            out.write(&text.text);
            out.end();
        }
        let has_calls = !calls.is_empty();
        let results = step.path(&["observation", "results"]).filter(|results| !results.is_void());
        for (number, observed) in results.into_iter().flat_map(|results| results.items()).enumerate() {
            if number == 0 {
                out.message(Message { time: time.clone(), is_outside: aside, ..Message::from_role(MessageRole::Tool) });
            }
            let call = observed.words_of("source_call_id");
            let content = observed.get("content").filter(|content| !content.is_void());
            // A result without a call is an observation of the environment.
            if let Some(words) = content.filter(|_| call.is_none() && !has_calls) {
                out.write_part(MessagePart::Envelope("observation".into()), words);
            } else {
                // Without an id it answers the next open call.
                let next = calls.pop_front().filter(|_| call.is_none());
                if next.is_some() {
                    out.event(ContainerEvent::Answers(next));
                }
                result(ToolResult::new(call, None), content, out);
            }
            if let Some(other) = observed.get("subagent_trajectory_ref").filter(|other| !other.is_void()) {
                for agent in other.items() {
                    out.fact(Fact::Agent(AgentFacts {
                        id: agent.first_filled(&["trajectory_id", "session_id"]).and_then(JsonValue::scalar_text),
                        call: observed.words_of("source_call_id"),
                        session: agent.words_of("session_id"),
                        ..AgentFacts::default()
                    }));
                }
                out.envelope("subagent_trajectory_ref", other);
            }
        }
        unread_text::unless_shown(step, before, out);
    }
}

impl RecordReader for Atif {
    fn streamed_keys(&self) -> &'static [&'static str] {
        &["steps"]
    }

    fn record(&mut self, record: &JsonRecord<'_>, out: &mut TextWriter) {
        match record.member {
            Some("steps") => self.step(record.value, out),
            Some("agent") => {
                self.model = record.value.words_of("model_name");
                if let Some(name) = record.value.words_of("name") {
                    out.fact(Fact::Session(SessionFact::Client(name, record.value.words_of("version"))));
                }
            }
            Some("session_id") => out.session_id(|| record.value.scalar_text()),
            Some("notes") if !record.value.is_void() => {
                out.message(Message::default());
                out.write_part(MessagePart::Envelope("notes".into()), record.value);
            }
            // Another trajectory may precede it.
            Some("schema_version") => {
                self.model = None;
                out.conversation(None);
            }
            Some("subagent_trajectories") => self.subagents(record.value, out),
            // Counts and costs.
            Some(_) => {}
            // An element of an array.
            None => self.trajectory(record.value, out),
        }
    }
}
