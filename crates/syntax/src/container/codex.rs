//! Sessions of the Codex command line, one record a line.
//!
//! | `type` | `payload` |
//! |---|---|
//! | `session_meta` | settings of the session: `session_id`, or `id`, which is the thread's |
//! | `response_item` | an item of the conversation |
//! | `event_msg` | an event for the program's screen: repeats most items |
//! | `turn_context` | the model, among other things |
//! | `compacted` | a summary that replaces the conversation before it |
//! | `inter_agent_communication` | a message of another agent to this one: `author`, `content` |
//!
//! Older files have bare items. `codex exec --json` prints `thread.…`, `turn.…` and `item.…`, where a completed item
//! has all of its data. The first lines of an output may state whether its command failed; the event that ends the
//! command states it as well.

mod facts;
mod prompt;

use super::exit_code;
use super::facts::Origin;
use super::items::{ResponseItems, made_call};
use super::json::JsonValue;
use super::messages::{result, unknown};
use super::writer::TextWriter;
use super::{
    CallOutcome, CallSource, Claim, ContainerInfo, Definition, FileHead, FormatReader, Interpretation, JsonRecord,
    Message, MessagePart, MessageRole, RecordReader, ToolResult,
};
use crate::text::word_set::WordSet;
use facts::{CompactionRecord, SessionFacts};

pub(super) static ABOUT: ContainerInfo = ContainerInfo {
    name: "codex",
    title: "a session of the Codex command line",
    calls: CallSource::Records,
    definition: Definition::Code { claims, open: FormatReader::records::<Codex> },
};

const RECORDS: [&str; 8] = [
    "session_meta",
    "response_item",
    "event_msg",
    "turn_context",
    "compacted",
    "world_state",
    "inter_agent_communication",
    "token_usage_record",
];

/// Events with content that no item has.
static SHOWN_EVENTS: WordSet = WordSet::new(include_str!("codex/events.txt"));

/// Events that repeat an item, or that only count.
static REPEATED: WordSet = WordSet::new(include_str!("codex/repeated_events.txt"));

fn claims(head: &FileHead<'_>) -> Option<Claim> {
    let record = head.value()?;
    if record.get("git").is_some() && record.get("instructions").is_some() && record.get("id").is_some() {
        return Some(Claim::Sure("it begins with an object that has an id, instructions and git"));
    }
    let kind = record.text_of("type")?;
    let wrapped = RECORDS.contains(&kind.as_ref()) && record.get("payload").is_some();
    if wrapped {
        return Some(Claim::Sure("its records have a type of Codex and a payload"));
    }
    (kind == "thread.started" || kind == "turn.started")
        .then_some(Claim::Sure("its records tell of threads, turns and items"))
}

#[derive(Default)]
struct Codex {
    items: ResponseItems,
    facts: SessionFacts,
}

impl Codex {
    fn event(&mut self, record: JsonValue<'_>, payload: JsonValue<'_>, out: &mut TextWriter) {
        let kind = payload.text_of("type").unwrap_or_default();
        self.facts.event(&kind, record, payload, out);
        if let Some((call, outcome)) = payload.words_of("call_id").zip(outcome_of(&kind, payload)) {
            self.items.learn(call, outcome);
        }
        // Start, progress or end of something that an item holds completely.
        let is_stretch = ["_begin", "_end", "_delta", "_started", "_completed"].iter().any(|end| kind.ends_with(end));
        // Of all completed items, only a plan is not also an item of the response.
        let plan = payload.get("item").filter(|item| kind == "item_completed" && item.is_string("type", "Plan"));
        if let Some(words) = plan.and_then(|plan| plan.string_of("text")) {
            out.write_part(MessagePart::Envelope("plan".into()), words);
        } else if SHOWN_EVENTS.contains(&kind) {
            out.envelope(&kind, payload);
        } else if !is_stretch && !REPEATED.contains(&kind) {
            unknown(payload, out);
        }
    }

    /// Writes an item of the conversation.
    fn item(&mut self, item: JsonValue<'_>, about: Message, out: &mut TextWriter) {
        let is_user = item.is_string("role", "user") && item.get("content").is_some();
        let origin = match is_user {
            true if self.facts.is_replay() => Origin::Repeated,
            true => prompt::of_item(item),
            false => Origin::Unsaid,
        };
        let is_steering = matches!(origin, Origin::Prompt | Origin::Shell) && self.facts.is_steering();
        let origin = if is_steering { Origin::Steering } else { origin };
        let about = Message { origin, ..about };
        match prompt::with_editor_context(item).filter(|_| is_user) {
            Some(text) => {
                self.items.begin_message(MessageRole::User, &about, out);
                prompt::say_request(text, out);
            }
            None => self.items.take(item, &about, out),
        }
        self.facts.conversation_item(item, out);
    }

    fn instructions(&mut self, payload: JsonValue<'_>, about: &Message, out: &mut TextWriter) {
        let words = payload.path(&["base_instructions", "text"]).or_else(|| payload.get("instructions"));
        if let Some(words) = words.filter(|words| words.text().is_some_and(|words| !words.is_empty())) {
            out.message(Message { role: Some(MessageRole::System), ..about.clone() });
            out.write_part(MessagePart::Text(Interpretation::Shown), words);
            self.items.pause();
        }
    }

    /// An item of `codex exec --json`.
    fn reported(item: JsonValue<'_>, out: &mut TextWriter) {
        let about = Message::from_role(MessageRole::Assistant);
        let id = item.get("id");
        let kind = item.text_of("type").or_else(|| item.text_of("item_type")).unwrap_or_default();
        let text = item.get("text");
        match (kind.as_ref(), text) {
            ("agent_message" | "assistant_message", Some(text)) => {
                out.message(about);
                out.write_part(MessagePart::Text(Interpretation::Parsed), text);
            }
            ("reasoning", Some(text)) => {
                out.message(about);
                out.write_part(MessagePart::Reasoning, text);
            }
            ("command_execution" | "mcp_tool_call" | "file_change" | "web_search" | "todo_list", _) => {
                out.message(about);
                let input = item.first_of(&["command", "arguments", "changes", "query", "items"]);
                let call = made_call(item, id, item.get("tool"), &kind, input);
                out.piece(call.part(None), &call.text);
                let verdict = match item.text_of("status").as_deref() {
                    Some("declined") => CallOutcome::Denied,
                    Some("failed") => CallOutcome::Failed,
                    _ => exit_code::of_value(item.get("exit_code")).or(CallOutcome::Succeeded),
                };
                let answer = item.first_filled(&["aggregated_output", "result", "error", "status"]);
                result(ToolResult { call: id.and_then(JsonValue::scalar_text), outcome: verdict }, answer, out);
            }
            ("error", _) => out.envelope("error", item),
            _ => unknown(item, out),
        }
    }
}

/// The outcome of a call from the event that ends it. The result of the call follows, and says less or the same.
fn outcome_of(kind: &str, event: JsonValue<'_>) -> Option<CallOutcome> {
    let failed = match kind {
        "exec_command_end" if event.is_string("status", "declined") => return Some(CallOutcome::Denied),
        "exec_command_end" => return Some(exit_code::of_value(event.get("exit_code"))),
        "patch_apply_end" => !event.truth_of("success")?,
        "mcp_tool_call_end" => {
            let ended = event.get("result")?;
            ended.get("Err").is_some() || ended.path(&["Ok", "isError"]).and_then(|flag| flag.truth()) == Some(true)
        }
        _ => return None,
    };
    Some(CallOutcome::from_error_flag(Some(failed)))
}

/// The session of a thread: its own, or the one that spawned it. A file's fork origin is another session, whose record
/// follows.
fn session_id(meta: JsonValue<'_>) -> Option<Box<str>> {
    let parent = || meta.path(&["source", "subagent", "thread_spawn", "parent_thread_id"])?.scalar_text();
    meta.words_of("session_id").or_else(parent).or_else(|| meta.words_of("id"))
}

impl RecordReader for Codex {
    fn record(&mut self, record: &JsonRecord<'_>, out: &mut TextWriter) {
        let value = record.value;
        let kind = value.text_of("type").unwrap_or_default();
        self.facts.begin(value, &kind, out);
        let model = self.facts.model.clone();
        let about = Message { time: value.words_of("timestamp"), model, ..Message::default() };
        match (kind.as_ref(), value.get("payload")) {
            ("session_meta", Some(payload)) => {
                out.session_id(|| session_id(payload));
                self.facts.session(value, payload, out);
                self.instructions(payload, &about, out);
            }
            ("", None) if value.get("instructions").is_some() => {
                out.session_id(|| value.words_of("id"));
                self.facts.session(value, value, out);
                self.instructions(value, &about, out);
            }
            ("thread.started", _) => out.session_id(|| value.words_of("thread_id")),
            ("response_item", Some(payload)) => {
                if !payload.is_string("type", "ghost_snapshot") {
                    // A text of the user or the client begins a message, which has its time.
                    if !matches!(payload.text_of("role").as_deref(), Some("user" | "developer")) {
                        out.time(about.time.clone());
                    }
                    self.item(payload, about, out);
                }
            }
            ("event_msg", Some(payload)) => self.event(value, payload, out),
            ("token_usage_record", Some(payload)) => self.facts.record(value, payload, out),
            ("turn_context", Some(payload)) => self.facts.context(payload, out),
            ("compacted", Some(payload)) => {
                out.message(Message { role: Some(MessageRole::System), model: None, ..about }.with_label("compacted"));
                if let Some(words) = payload.get("message") {
                    out.write_part(MessagePart::Text(Interpretation::Shown), words);
                }
                self.facts.compaction(CompactionRecord::Compacted, out);
                self.items.pause();
            }
            ("inter_agent_communication", Some(payload)) => match payload.string_of("content") {
                Some(words) => {
                    let author = payload.words_of("author").unwrap_or_else(|| kind.as_ref().into());
                    self.items.begin_message(MessageRole::User, &about.with_label(&author), out);
                    out.write_part(MessagePart::Text(Interpretation::Shown), words);
                }
                // It is encrypted.
                None => out.envelope(&kind, payload),
            },
            ("", None) if value.get("record_type").is_some() => {}
            ("world_state" | "turn.started" | "item.started" | "item.updated", _) => {}
            ("turn.completed", _) => SessionFacts::reported_turn(value, out),
            ("item.completed", _) if value.get("item").is_some() => {
                Self::reported(value.get("item").expect("it was there just now"), out);
            }
            ("turn.failed" | "error", _) => out.envelope(&kind, value),
            (kind, None) if ResponseItems::knows(kind) => self.item(value, about, out),
            _ => unknown(value, out),
        }
    }

    fn finish(&mut self, _at: usize, out: &mut TextWriter) {
        self.facts.finish(out);
    }
}
