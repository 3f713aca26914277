//! Sessions of code-assistant: one JSON object, rewritten at each change.
//!
//! | member | content |
//! |---|---|
//! | `id` | of the session |
//! | `message_nodes` | the messages of a tree by id: `{id, message, parent_id, created_at}` |
//! | `active_path` | the ids of the messages on the active branch |
//! | `tool_executions` | the result of each call: `{tool_request: {id, name, input}, result_json, tool_name}` |
//! | `messages` | the messages of older sessions, which have no branches |
//!
//! | `created_at` | start of the session, like all times: `{secs_since_epoch, nanos_since_epoch}` |
//!
//! A call in the text of a message with a `request_id` has the id `tool-REQUEST-NUMBER`, where the number counts the
//! calls of the message.

use super::facts::{CallTimes, Compaction, Fact, Origin, RequestFacts, SessionFact, Timestamp, TitleKind};
use super::json::{JsonKind, JsonValue};
use super::messages::{message, result, unknown};
use super::usage;
use super::writer::TextWriter;
use super::{
    CallSource, Claim, ContainerEvent, ContainerInfo, Definition, FileHead, FormatReader, JsonRecord, Message,
    MessageRole, RecordReader, ToolResult,
};

pub(super) static ABOUT: ContainerInfo = ContainerInfo {
    name: "code-assistant",
    title: "a session of code-assistant",
    calls: CallSource::Either,
    definition: Definition::Code { claims, open: FormatReader::records::<CodeAssistant> },
};

fn claims(head: &FileHead<'_>) -> Option<Claim> {
    let value = head.value()?;
    let has = |key: &str| value.get(key).is_some();
    if has("message_nodes") && has("id") {
        return Some(Claim::Sure("it is an object with an id and message_nodes"));
    }
    let is_old = has("messages") && (has("tool_executions") || has("tool_syntax") || has("tool_mode"));
    is_old.then_some(Claim::Sure("it is an object with messages and tool_executions"))
}

#[derive(Default)]
struct CodeAssistant {
    /// True if a result message has been opened, which all results share.
    answering: bool,
}

/// True if a part is a result whose text is in the executions: a success is empty here.
fn is_elsewhere(part: JsonValue<'_>) -> bool {
    let failed = part.truth_of("is_error").unwrap_or_default();
    part.is_string("type", "tool_result") && !failed && part.get("content").is_none_or(|content| content.is_void())
}

/// A time of the form `{secs_since_epoch, nanos_since_epoch}`.
fn time_of(value: JsonValue<'_>) -> Option<Timestamp> {
    let seconds = i64::try_from(value.number_of("secs_since_epoch")?).ok()?;
    let rest = i32::try_from(value.number_of("nanos_since_epoch").unwrap_or_default()).ok()?;
    Timestamp::new(seconds, rest).ok()
}

/// States start and end of a call from its result part.
fn call_times(part: JsonValue<'_>, out: &mut TextWriter) {
    let [start, end] = ["start_time", "end_time"].map(|key| part.get(key).and_then(time_of));
    if let Some(call) = part.words_of("tool_use_id").filter(|_| start.is_some() || end.is_some()) {
        out.fact(Fact::Call(call, CallTimes { start, end, took: None }));
    }
}

impl CodeAssistant {
    fn node(id: Option<&str>, node: JsonValue<'_>, out: &mut TextWriter) {
        let Some(inner) = node.get("message") else { return unknown(node, out) };
        let id = id.map(Box::from).or_else(|| node.words_of("id"));
        let parent = node.words_of("parent_id");
        let parts = inner.get("content").filter(|content| content.kind() == JsonKind::Array);
        match id {
            // The results of these calls are in the executions.
            Some(id) if parts.is_some_and(|parts| parts.items().all(is_elsewhere)) => {
                out.event(ContainerEvent::Link { id, parent });
                parts.into_iter().flat_map(|parts| parts.items()).for_each(|part| call_times(part, out));
            }
            id => {
                let time = node.path(&["created_at", "secs_since_epoch"]).and_then(JsonValue::scalar_text);
                Self::message(inner, Message { time, id, parent, ..Message::default() }, out);
            }
        }
    }

    fn message(value: JsonValue<'_>, about: Message, out: &mut TextWriter) {
        if let Some(request) = value.words_of("request_id") {
            out.event(ContainerEvent::CallIds(format!("tool-{request}-").into()));
        }
        let end = about.moment();
        let is_summary = value.truth_of("is_compaction_summary") == Some(true);
        let origin = match value.is_string("role", "user") {
            true if is_summary => Origin::Summary,
            true => Origin::Prompt,
            false => Origin::Unsaid,
        };
        message(value, Message { origin, ..about }, out);
        if is_summary {
            out.fact(Fact::Compaction(Compaction::default()));
        }
        let usage = value.get("usage").and_then(usage::anthropic).filter(|usage| !usage.is_empty());
        if usage.is_some() {
            out.fact(Fact::Request(RequestFacts { usage, end, ..RequestFacts::default() }));
        }
    }

    fn execution(&mut self, execution: JsonValue<'_>, out: &mut TextWriter) {
        if !std::mem::replace(&mut self.answering, true) {
            out.message(Message::from_role(MessageRole::Tool).with_label("tool_executions"));
        }
        let answer = execution.get("result_json");
        let call = execution.path(&["tool_request", "id"]).and_then(JsonValue::scalar_text);
        let failed = execution.is_string("tool_name", "parse_error")
            || answer.is_some_and(|answer| {
                answer.truth_of("success") == Some(false) || answer.first_filled(&["error", "error_message"]).is_some()
            });
        result(ToolResult::new(call, Some(failed)), answer, out);
    }
}

impl RecordReader for CodeAssistant {
    fn streamed_keys(&self) -> &'static [&'static str] {
        &["message_nodes", "messages", "tool_executions"]
    }

    fn record(&mut self, record: &JsonRecord<'_>, out: &mut TextWriter) {
        let value = record.value;
        match record.member {
            Some("message_nodes") => Self::node(record.part, value, out),
            Some("messages") if value.kind() != JsonKind::Object => unknown(value, out),
            Some("messages") => Self::message(value, Message::default(), out),
            Some("tool_executions") => self.execution(value, out),
            Some("active_path") => {
                if let Some(last) = value.items().last().and_then(JsonValue::scalar_text) {
                    out.event(ContainerEvent::Active(last));
                }
            }
            Some("id") => out.session_id(|| value.scalar_text()),
            Some("created_at") => {
                if let Some(start) = time_of(value) {
                    out.fact(Fact::Session(SessionFact::Start(start)));
                }
            }
            Some("name") => {
                if let Some(name) = value.scalar_text() {
                    out.fact(Fact::Session(SessionFact::Title(name, TitleKind::Generated)));
                }
            }
            // Plan, settings and times.
            Some(_) => {}
            None => unknown(value, out),
        }
    }
}
