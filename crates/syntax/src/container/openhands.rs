//! Events of OpenHands: an array, one event a line, or the `history` of a run.
//!
//! | member | content |
//! |---|---|
//! | `action`, `args` | an action of the `source`: `message`, `system`, `think`, or a call |
//! | `observation`, `content`, `extras`, `cause` | the result of the event whose `id` is the cause |
//! | `tool_call_metadata` | `function_name` and `tool_call_id` of a call and of its result, `model_response: {model}` |
//!
//! In newer releases `kind` is the type of an event:
//!
//! | `kind` | members |
//! |---|---|
//! | `SystemPromptEvent`, `MessageEvent` | `system_prompt`; `llm_message` |
//! | `ActionEvent` | `thought`, `reasoning_content`, `tool_call: {id, name, arguments}`, `action` |
//! | `ObservationEvent`, `AgentErrorEvent` | `tool_call_id`, `observation` or `error` |
//! | `UserRejectObservation` | `tool_call_id`, `rejection_reason` |
//! | `ACPToolCallEvent` | a state of a call with its result: `title`, `status`, `raw_input`, `raw_output` |
//! | `ConversationStateUpdateEvent` | with the `key` `full_state`, `value: {id, agent: {llm: {model}}}` |
//! | any | `extended_content`: text that the program added |
//!
//! A folder of such events has the state of the conversation in a separate file, which is read before them: an object
//! with `id`, `agent: {llm: {model}}`, `workspace` and `stats`.

mod facts;

use std::collections::HashMap;

use super::call::{CallText, number_word};
use super::facts::Origin;
use super::fragment::Fragment;
use super::items::made_call;
use super::json::{JsonKind, JsonValue};
use super::messages::{parts_of, result, unknown};
use super::writer::TextWriter;
use super::{
    CallOutcome, CallSource, Claim, ContainerInfo, Definition, FileHead, FormatReader, Interpretation, JsonRecord,
    Message, MessagePart, MessageRole, RecordReader, ToolResult,
};

pub(super) static ABOUT: ContainerInfo = ContainerInfo {
    name: "openhands",
    title: "events of OpenHands",
    calls: CallSource::Records,
    definition: Definition::Code { claims, open: FormatReader::records::<OpenHands> },
};

/// Internal events of the program.
const BOOKKEEPING: [&str; 10] = [
    "",
    "null",
    "recall",
    "change_agent_state",
    "agent_state_changed",
    "ConversationStateUpdateEvent",
    "PauseEvent",
    "LLMCompletionLogEvent",
    // Tokens and deltas, which other events repeat completely.
    "TokenEvent",
    "StreamingDeltaEvent",
];

/// Events of the program with content that is not for the model.
const ASIDES: [&str; 10] = [
    "condensation",
    "condensation_request",
    "Condensation",
    "CondensationRequest",
    "ConversationErrorEvent",
    "ServerErrorEvent",
    "HookExecutionEvent",
    "InterruptEvent",
    "AskUserRequestEvent",
    "AskUserResponseEvent",
];

fn claims(head: &FileHead<'_>) -> Option<Claim> {
    let value = head.value()?;
    let list = value.get("history").unwrap_or(value);
    let first = if list.kind() == JsonKind::Array { list.items().next()? } else { value };
    // Old releases store an action and its observation as a pair.
    let first = if first.kind() == JsonKind::Array { first.items().next()? } else { first };
    let has = |key: &str| first.get(key).is_some();
    let is_event = has("source") && ((has("action") && has("args")) || (has("observation") && has("content")));
    let is_newer = has("source") && first.text_of("kind").is_some_and(|kind| is_kind(&kind));
    if is_state(value) {
        return Some(Claim::Sure("it is the state of a conversation: an agent with a model, a workspace and an id"));
    }
    (is_event || is_newer).then_some(Claim::Sure("its events have a source, and an action, an observation or a kind"))
}

/// True for the state of a conversation, which is not an event.
fn is_state(value: JsonValue<'_>) -> bool {
    let is_object = |path: &[&str]| value.path(path).is_some_and(|value| value.kind() == JsonKind::Object);
    value.get("kind").is_none()
        && value.get("id").is_some()
        && is_object(&["agent", "llm"])
        && is_object(&["workspace"])
}

/// True if an event of a newer release may be of this kind.
fn is_kind(kind: &str) -> bool {
    kind.ends_with("Event") || kind == "UserRejectObservation" || ASIDES.contains(&kind)
}

#[derive(Default)]
struct OpenHands {
    speaker: Option<MessageRole>,
    /// The model of the agent, if an event has named it.
    model: Option<Box<str>>,
    metrics: facts::Metrics,
    /// Ids of calls by the numbers of their events.
    calls: HashMap<u64, Box<str>>,
}

impl OpenHands {
    fn begin_message(&mut self, role: MessageRole, event: JsonValue<'_>, out: &mut TextWriter) {
        if self.speaker.replace(role) != Some(role) || role == MessageRole::User {
            let model = self.model.clone().filter(|_| role == MessageRole::Assistant);
            let origin = match role {
                MessageRole::User if event.is_string("kind", "CondensationSummaryEvent") => Origin::Summary,
                MessageRole::User if event.is_string("source", "user") => Origin::Prompt,
                MessageRole::User if event.get("source").is_some() => Origin::Client,
                _ => Origin::Unsaid,
            };
            out.message(Message { time: event.words_of("timestamp"), model, origin, ..Message::from_role(role) });
        } else {
            out.time(event.words_of("timestamp"));
        }
    }

    fn event(&mut self, event: JsonValue<'_>, out: &mut TextWriter) {
        let word = |key: &str| event.text_of(key);
        if event.kind() == JsonKind::Array {
            return event.items().for_each(|event| self.event(event, out));
        }
        if is_state(event) {
            self.state(event, event, out);
        } else if let Some(kind) = word("kind") {
            self.newer(&kind, event, out);
        } else if let Some(action) = word("action") {
            self.action(&action, event, out);
        } else if let Some(observation) = word("observation") {
            self.observation(&observation, event, out);
        } else {
            unknown(event, out);
        }
        if let Some(kind) = word("kind").or_else(|| word("action")).or_else(|| word("observation")) {
            facts::event(&kind, out);
        }
        self.metrics.action(event, out);
        self.metrics.answer(event, out);
    }

    /// Takes the state of the conversation.
    fn state(&mut self, state: JsonValue<'_>, event: JsonValue<'_>, out: &mut TextWriter) {
        let of_state = |path: &[&str]| state.path(path)?.scalar_text();
        out.session_id(|| of_state(&["id"]));
        self.model = of_state(&["agent", "llm", "model"]).or_else(|| self.model.take());
        facts::session(state, out);
        state.get("stats").into_iter().for_each(|stats| self.metrics.stats(stats, event, out));
    }

    fn action(&mut self, action: &str, event: JsonValue<'_>, out: &mut TextWriter) {
        let model = event.path(&["tool_call_metadata", "model_response", "model"]).and_then(JsonValue::scalar_text);
        self.model = model.or_else(|| self.model.take());
        let args = event.get("args");
        let arg = |key: &str| args.and_then(|args| args.string_of(key)).filter(|words| !words.is_void());
        let role = if event.is_string("source", "user") { MessageRole::User } else { MessageRole::Assistant };
        match action {
            "message" | "system" => {
                let role = if action == "system" { MessageRole::System } else { role };
                if let Some(words) = arg("content") {
                    self.begin_message(role, event, out);
                    out.write_part(MessagePart::Text(Interpretation::from_role(Some(role))), words);
                }
            }
            "think" => {
                self.begin_message(role, event, out);
                if let Some(thought) = arg("thought") {
                    out.write_part(MessagePart::Reasoning, thought);
                }
            }
            _ if BOOKKEEPING.contains(&action) => {}
            _ if ASIDES.contains(&action) => out.envelope(action, event),
            _ => {
                self.begin_message(role, event, out);
                if let Some(thought) = arg("thought") {
                    out.write_part(MessagePart::Text(Interpretation::Parsed), thought);
                }
                out.time(event.words_of("timestamp"));
                let metadata = event.get("tool_call_metadata");
                let name = metadata.and_then(|metadata| metadata.string_of("function_name"));
                let name = name.or_else(|| event.get("action")).map(Fragment::from_value).unwrap_or_default();
                let number = event.number_of("id").unwrap_or_default();
                let mut call = CallText::numbered(number as usize, &name);
                match args.filter(|args| args.kind() == JsonKind::Object) {
                    Some(args) => {
                        call.text.push_verbatim(args);
                        call.text.push_synthetic("}", event.source().end);
                    }
                    None => call.arguments(&[], event.source().end),
                }
                // The last action has no result.
                let is_over = matches!(action, "finish" | "reject");
                out.piece(call.part(is_over.then_some(CallOutcome::Unknown)), &call.text);
                self.calls.insert(number, number_word(number as usize).into());
            }
        }
    }

    fn observation(&mut self, observation: &str, event: JsonValue<'_>, out: &mut TextWriter) {
        if BOOKKEEPING.contains(&observation) || observation == "think" {
            return;
        }
        self.begin_message(MessageRole::Tool, event, out);
        let content = event.get("content");
        let stated =
            event.truth_of("success").or_else(|| event.path(&["extras", "success"])?.truth()).map(|fine| !fine);
        let verdict = match observation {
            "error" => CallOutcome::Failed,
            "user_rejected" => CallOutcome::Denied,
            _ => CallOutcome::from_error_flag(event.get("extras").and_then(failed_by_code).or(stated)),
        };
        match event.number_of("cause").and_then(|cause| self.calls.remove(&cause)) {
            Some(call) => result(ToolResult { call: Some(call), outcome: verdict }, content, out),
            None => {
                if let Some(content) = content.filter(|content| !content.is_void()) {
                    out.write_part(MessagePart::Envelope(observation.into()), content);
                }
            }
        }
    }

    fn newer(&mut self, kind: &str, event: JsonValue<'_>, out: &mut TextWriter) {
        match kind {
            "SystemPromptEvent" => {
                if let Some(words) = event.path(&["system_prompt", "text"]).or_else(|| event.get("system_prompt")) {
                    self.begin_message(MessageRole::System, event, out);
                    parts_of(words, Some(MessageRole::System), out);
                }
                if let Some(words) = event.get("dynamic_context") {
                    parts_of(words, Some(MessageRole::System), out);
                }
            }
            "MessageEvent" => {
                let said = event.get("llm_message").unwrap_or(event);
                let role = said.text_of("role").and_then(|role| MessageRole::named(&role)).unwrap_or(MessageRole::User);
                self.begin_message(role, event, out);
                thoughts(said, out);
                if said.first_filled(&["thinking_blocks", "reasoning_content"]).is_none() {
                    thoughts(event, out);
                }
                super::messages::write_contents(said, Some(role), out);
                extended(event, out);
            }
            "ActionEvent" => {
                self.begin_message(MessageRole::Assistant, event, out);
                if let Some(thought) = event.string_of("reasoning_content").filter(|thought| !thought.is_void()) {
                    out.write_part(MessagePart::Reasoning, thought);
                }
                thoughts(event, out);
                if let Some(thought) = event.get("thought") {
                    parts_of(thought, Some(MessageRole::Assistant), out);
                }
                out.time(event.words_of("timestamp"));
                let told = event.get("tool_call");
                let name = told.and_then(|told| told.string_of("name")).or_else(|| event.string_of("tool_name"));
                let input = told.and_then(|told| told.get("arguments")).or_else(|| event.get("action"));
                let call = made_call(event, event.get("tool_call_id"), name, "tool", input);
                let is_over = event.is_string("tool_name", "finish") && event.get("action").is_some();
                out.piece(call.part(is_over.then_some(CallOutcome::Unknown)), &call.text);
            }
            "ObservationEvent" | "AgentErrorEvent" | "UserRejectObservation" => {
                // The result of the last call is contained in the call.
                if event.is_string("tool_name", "finish") && kind == "ObservationEvent" {
                    return;
                }
                self.begin_message(MessageRole::Tool, event, out);
                let observation = event.get("observation");
                let content = observation.and_then(|seen| seen.first_filled(&["content", "output"]));
                let failed = observation.is_some_and(|seen| {
                    let is_error = |key: &str| seen.truth_of(key) == Some(true);
                    is_error("is_error") || is_error("error") || failed_by_code(seen) == Some(true)
                });
                let failed = failed || kind == "AgentErrorEvent";
                let words = event.first_of(&["error", "rejection_reason"]).or(content).or(observation);
                let verdict = match kind {
                    "UserRejectObservation" => CallOutcome::Denied,
                    _ => CallOutcome::from_error_flag(Some(failed)),
                };
                result(ToolResult { call: event.words_of("tool_call_id"), outcome: verdict }, words, out);
                extended(event, out);
            }
            "ACPToolCallEvent" if matches!(event.text_of("status").as_deref(), Some("completed" | "failed")) => {
                self.begin_message(MessageRole::Assistant, event, out);
                let (id, filled) = (event.get("tool_call_id"), |key: &str| event.first_filled(&[key]));
                let call = made_call(event, id, event.string_of("title"), "tool", filled("raw_input"));
                out.piece(call.part(None), &call.text);
                self.begin_message(MessageRole::Tool, event, out);
                let failed = event.is_string("status", "failed") || event.truth_of("is_error").unwrap_or_default();
                let words = filled("content").or_else(|| filled("raw_output"));
                result(ToolResult::new(event.words_of("tool_call_id"), Some(failed)), words, out);
            }
            // A state that another one supersedes.
            "ACPToolCallEvent" => out.envelope(kind, event),
            "ConversationStateUpdateEvent" if event.is_string("key", "full_state") => {
                event.get("value").into_iter().for_each(|state| self.state(state, event, out));
            }
            "ConversationStateUpdateEvent" if event.is_string("key", "stats") => {
                event.get("value").into_iter().for_each(|stats| self.metrics.stats(stats, event, out));
            }
            _ if BOOKKEEPING.contains(&kind) => {}
            "CondensationSummaryEvent" => {
                if let Some(summary) = event.string_of("summary") {
                    self.begin_message(MessageRole::User, event, out);
                    out.write_part(MessagePart::Envelope(kind.into()), summary);
                }
            }
            _ if ASIDES.contains(&kind) => out.envelope(kind, event),
            _ => unknown(event, out),
        }
    }
}

/// True if an observed command failed, by its exit code, which may be in `metadata`; `None` without a code. The code -1
/// means that the command is still running.
fn failed_by_code(seen: JsonValue<'_>) -> Option<bool> {
    let code = seen.get("exit_code").filter(|code| !code.is_void());
    let code = code.or_else(|| seen.path(&["metadata", "exit_code"]))?.raw();
    Some(!matches!(code, b"0" | b"-1" | b"null"))
}

/// Writes the reasoning in the forms of two providers; blocks that `reasoning_content` repeats are skipped.
fn thoughts(said: JsonValue<'_>, out: &mut TextWriter) {
    let blocks = said.get("thinking_blocks").filter(|_| said.first_filled(&["reasoning_content"]).is_none());
    if let Some(blocks) = blocks {
        parts_of(blocks, Some(MessageRole::Assistant), out);
    }
    let lists = ["summary", "content"].iter().filter_map(|key| said.path(&["responses_reasoning_item", key]));
    for thought in lists.flat_map(|list| list.items()) {
        if thought.kind() == JsonKind::Text && !thought.is_void() {
            out.write_part(MessagePart::Reasoning, thought);
        }
    }
}

/// Writes text that the program added to a message or an observation.
fn extended(event: JsonValue<'_>, out: &mut TextWriter) {
    for part in event.get("extended_content").into_iter().flat_map(|parts| parts.items()) {
        let words = part.string_of("text").unwrap_or(part);
        out.write_part(MessagePart::Envelope("extended_content".into()), words);
    }
}

impl RecordReader for OpenHands {
    fn record(&mut self, record: &JsonRecord<'_>, out: &mut TextWriter) {
        let value = record.value;
        match value.get("history").filter(|history| history.kind() == JsonKind::Array) {
            Some(history) => {
                self.speaker = None;
                self.calls.clear();
                self.metrics = facts::Metrics::default();
                self.model = value.path(&["metadata", "llm_config", "model"]).and_then(JsonValue::scalar_text);
                out.conversation(value.words_of("instance_id"));
                history.items().for_each(|event| self.event(event, out));
            }
            None => self.event(value, out),
        }
    }

    fn finish(&mut self, _at: usize, out: &mut TextWriter) {
        out.end();
        self.metrics.finish(out);
    }
}
