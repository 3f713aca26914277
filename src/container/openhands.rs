//! Events of OpenHands: a list of them, one a line, or the `history` of a run.
//!
//! | member | what it is |
//! |---|---|
//! | `action`, `args` | something that the `source` does: `message`, `system`, `think`, or a call |
//! | `observation`, `content`, `extras`, `cause` | what came of it: the result of the event whose `id` is the cause |
//! | `tool_call_metadata` | `function_name` and `tool_call_id` of a call and of its result |
//!
//! Newer releases say by `kind` what an event is:
//!
//! | `kind` | members |
//! |---|---|
//! | `SystemPromptEvent`, `MessageEvent` | `system_prompt`; `llm_message` |
//! | `ActionEvent` | `thought`, `reasoning_content`, `tool_call: {id, name, arguments}`, `action` |
//! | `ObservationEvent`, `AgentErrorEvent` | `tool_call_id`, `observation` or `error` |
//!
//! This module does not know what a tool does.

use std::collections::HashMap;

use super::call::{CallText, number_word};
use super::fragment::Fragment;
use super::items::made_call;
use super::json::{JsonKind, JsonValue};
use super::messages::{parts_of, result, unknown};
use super::writer::TextWriter;
use super::{
    CallOutcome, CallSource, Claim, ContainerInfo, FileHead, FormatReader, Interpretation, JsonRecord, Message,
    MessagePart, MessageRole, RecordReader, ToolResult,
};

pub(super) static ABOUT: ContainerInfo = ContainerInfo {
    name: "openhands",
    title: "events of OpenHands",
    claims,
    calls: CallSource::Records,
    open: FormatReader::records::<OpenHands>,
};

/// Events of the program about itself.
const BOOKKEEPING: [&str; 8] = [
    "",
    "null",
    "recall",
    "change_agent_state",
    "agent_state_changed",
    "ConversationStateUpdateEvent",
    "PauseEvent",
    "LLMCompletionLogEvent",
];

fn claims(head: &FileHead<'_>) -> Option<Claim> {
    let value = head.value()?;
    let list = value.get("history").unwrap_or(value);
    let first = if list.kind() == JsonKind::Array { list.items().next()? } else { value };
    let has = |key: &str| first.get(key).is_some();
    let is_event = has("source") && ((has("action") && has("args")) || (has("observation") && has("content")));
    let is_newer = has("source") && first.text_of("kind").is_some_and(|kind| kind.ends_with("Event"));
    (is_event || is_newer).then_some(Claim::Sure("its events have a source, and an action, an observation or a kind"))
}

#[derive(Default)]
struct OpenHands {
    speaker: Option<MessageRole>,
    /// The ids of calls, by the numbers of their events.
    calls: HashMap<u64, Box<str>>,
}

impl OpenHands {
    fn speak(&mut self, role: MessageRole, event: JsonValue<'_>, out: &mut TextWriter) {
        if self.speaker.replace(role) != Some(role) || role == MessageRole::User {
            out.message(Message { time: event.words_of("timestamp"), ..Message::from_role(role) });
        }
    }

    fn event(&mut self, event: JsonValue<'_>, out: &mut TextWriter) {
        let word = |key: &str| event.text_of(key);
        if let Some(kind) = word("kind").filter(|kind| kind.ends_with("Event")) {
            self.newer(&kind, event, out);
        } else if let Some(action) = word("action") {
            self.action(&action, event, out);
        } else if let Some(observation) = word("observation") {
            self.observation(&observation, event, out);
        } else {
            unknown(event, out);
        }
    }

    fn action(&mut self, action: &str, event: JsonValue<'_>, out: &mut TextWriter) {
        let args = event.get("args");
        let arg = |key: &str| args.and_then(|args| args.string_of(key)).filter(|words| !words.is_void());
        let role = if event.says("source", "user") { MessageRole::User } else { MessageRole::Assistant };
        match action {
            "message" | "system" => {
                let role = if action == "system" { MessageRole::System } else { role };
                if let Some(words) = arg("content") {
                    self.speak(role, event, out);
                    out.say(MessagePart::Text(Interpretation::from_role(Some(role))), words);
                }
            }
            "think" => {
                self.speak(role, event, out);
                if let Some(thought) = arg("thought") {
                    out.say(MessagePart::Reasoning, thought);
                }
            }
            _ if BOOKKEEPING.contains(&action) => {}
            _ => {
                self.speak(role, event, out);
                if let Some(thought) = arg("thought") {
                    out.say(MessagePart::Text(Interpretation::Parsed), thought);
                }
                let metadata = event.get("tool_call_metadata");
                let name = metadata.and_then(|metadata| metadata.string_of("function_name"));
                let name = name.or_else(|| event.get("action")).map(Fragment::from_value).unwrap_or_default();
                let number = event.number_of("id").unwrap_or_default();
                let mut call = CallText::numbered(number as usize, &name);
                match args.filter(|args| args.kind() == JsonKind::Object) {
                    Some(args) => {
                        call.text.stand(args);
                        call.text.add("}", event.source().end);
                    }
                    None => call.arguments(&[], event.source().end),
                }
                // Nothing comes of the last one.
                let is_over = matches!(action, "finish" | "reject");
                out.piece(call.part(is_over.then_some(CallOutcome::Unsaid)), &call.text);
                self.calls.insert(number, number_word(number as usize).into());
            }
        }
    }

    fn observation(&mut self, observation: &str, event: JsonValue<'_>, out: &mut TextWriter) {
        if BOOKKEEPING.contains(&observation) || observation == "think" {
            return;
        }
        self.speak(MessageRole::Tool, event, out);
        let content = event.get("content");
        let code = event.path(&["extras", "exit_code"]).or_else(|| event.path(&["extras", "metadata", "exit_code"]));
        let code = code.map(|code| code.raw());
        // A code of -1 is that of a command which goes on.
        let failed = code.map(|code| !matches!(code, b"0" | b"-1" | b"null"));
        let verdict = match observation {
            "error" => CallOutcome::Failed,
            "user_rejected" => CallOutcome::Denied,
            _ => CallOutcome::from_error_flag(failed),
        };
        match event.number_of("cause").and_then(|cause| self.calls.remove(&cause)) {
            Some(call) => result(ToolResult { call: Some(call), verdict }, content, out),
            None => {
                if let Some(content) = content.filter(|content| !content.is_void()) {
                    out.say(MessagePart::Envelope(observation.into()), content);
                }
            }
        }
    }

    fn newer(&mut self, kind: &str, event: JsonValue<'_>, out: &mut TextWriter) {
        match kind {
            "SystemPromptEvent" => {
                if let Some(words) = event.path(&["system_prompt", "text"]).or_else(|| event.get("system_prompt")) {
                    self.speak(MessageRole::System, event, out);
                    parts_of(words, Some(MessageRole::System), out);
                }
            }
            "MessageEvent" => {
                let said = event.get("llm_message").unwrap_or(event);
                let role = said.text_of("role").and_then(|role| MessageRole::named(&role)).unwrap_or(MessageRole::User);
                self.speak(role, event, out);
                super::messages::said(said, Some(role), out);
            }
            "ActionEvent" => {
                self.speak(MessageRole::Assistant, event, out);
                if let Some(thought) = event.string_of("reasoning_content").filter(|thought| !thought.is_void()) {
                    out.say(MessagePart::Reasoning, thought);
                }
                if let Some(thought) = event.get("thought") {
                    parts_of(thought, Some(MessageRole::Assistant), out);
                }
                let told = event.get("tool_call");
                let name = told.and_then(|told| told.string_of("name")).or_else(|| event.string_of("tool_name"));
                let input = told.and_then(|told| told.get("arguments")).or_else(|| event.get("action"));
                let call = made_call(event, event.get("tool_call_id"), name, "tool", input);
                let is_over = event.says("tool_name", "finish") && event.get("action").is_some();
                out.piece(call.part(is_over.then_some(CallOutcome::Unsaid)), &call.text);
            }
            "ObservationEvent" | "AgentErrorEvent" | "UserRejectObservation" => {
                // What comes of the last call is said in it.
                if event.says("tool_name", "finish") && kind == "ObservationEvent" {
                    return;
                }
                self.speak(MessageRole::Tool, event, out);
                let observation = event.get("observation");
                let content = observation.and_then(|seen| seen.first_filled(&["content", "output"]));
                let failed = observation.and_then(|seen| seen.truth_of("is_error")).unwrap_or_default();
                let failed = failed || kind == "AgentErrorEvent";
                let words = event.get("error").or(content).or(observation);
                result(ToolResult::new(event.words_of("tool_call_id"), Some(failed)), words, out);
            }
            _ if BOOKKEEPING.contains(&kind) => {}
            "Condensation" | "CondensationEvent" | "CondensationSummaryEvent" => out.envelope(kind, event),
            _ => unknown(event, out),
        }
    }
}

impl RecordReader for OpenHands {
    fn record(&mut self, record: &JsonRecord<'_>, out: &mut TextWriter) {
        let value = record.value;
        match value.get("history").filter(|history| history.kind() == JsonKind::Array) {
            Some(history) => {
                self.speaker = None;
                self.calls.clear();
                out.conversation(value.words_of("instance_id"));
                history.items().for_each(|event| self.event(event, out));
            }
            None => self.event(value, out),
        }
    }
}
