//! Sessions of pi and of its forks, one record a line.
//!
//! | `type` | members |
//! |---|---|
//! | `session` | `id`, `cwd`, `version`: the first record, unless the file is cut off at its beginning |
//! | `message` | `message: {role, content}`: `user`, `assistant`, `toolResult`, `bashExecution`, `custom`, summaries |
//! | `compaction`, `branch_summary` | `summary`: replaces the earlier conversation, or that on another branch |
//! | `custom_message` | `customType`, `content`: a message of an extension to the model |
//! | `model_change`, `label`, `session_info`, … | bookkeeping |
//!
//! Since version 2 each record has an `id` and a `parentId`: a tree, whose active branch ends with the last record.
//! The shapes are from the program's `docs/session.md`.

use super::call;
use super::facts::{
    Compaction, Fact, Origin, Relation, RequestFacts, SessionFact, SessionKind, SessionState, TitleKind,
};
use super::json::{JsonKind, JsonValue};
use super::messages::{part, parts_of, result, unknown};
use super::record_ids::RecordIds;
use super::usage;
use super::writer::TextWriter;
use super::{
    CallOutcome, CallSource, Claim, ContainerEvent, ContainerInfo, Definition, FileHead, FormatReader, Interpretation,
    JsonRecord, Message, MessagePart, MessageRole, RecordReader, ToolResult, moment_of,
};
use crate::diagnostic::Code;

pub(super) static ABOUT: ContainerInfo = ContainerInfo {
    name: "pi",
    title: "a session of pi",
    calls: CallSource::Records,
    definition: Definition::Code { claims, open: FormatReader::records::<Pi> },
};

/// Types of records without messages.
const BOOKKEEPING: [&str; 7] =
    ["session", "model_change", "thinking_level_change", "label", "session_info", "custom", "mode_change"];

fn claims(head: &FileHead<'_>) -> Option<Claim> {
    let record = head.value()?;
    let has = |key: &str| record.get(key).is_some();
    let kind = record.text_of("type")?;
    match kind.as_ref() {
        "session" if has("cwd") && has("timestamp") => Some(Claim::Sure("its first record is a session with a cwd")),
        "message" if !has("uuid") && !has("sessionId") => {
            // Another agent's runs have such records, too, with the time in the message.
            let message = record.get("message").filter(|message| message.get("created").is_none())?;
            let role = message.text_of("role")?;
            let is_own = matches!(role.as_ref(), "toolResult" | "bashExecution") || has("parentId");
            Some(if is_own {
                Claim::Sure("its records are messages with a role and a parentId")
            } else {
                Claim::Likely("its records have the type message and a message with a role")
            })
        }
        "model_change" if has("modelId") => Some(Claim::Sure("its records have the type model_change")),
        "thinking_level_change" if has("thinkingLevel") => {
            Some(Claim::Sure("its records have the type thinking_level_change"))
        }
        "compaction" if has("firstKeptEntryId") => Some(Claim::Sure("its records have a firstKeptEntryId")),
        "branch_summary" if has("fromId") => Some(Claim::Sure("its records have the type branch_summary")),
        "custom" | "custom_message" if has("customType") => Some(Claim::Likely("its records have a customType")),
        _ => None,
    }
}

#[derive(Default)]
struct Pi {
    ids: RecordIds,
    /// The selected model.
    model: Option<Box<str>>,
    /// The selected level of reasoning.
    effort: Option<Box<str>>,
}

impl Pi {
    /// Writes a message; `about` is its time, model and parent from the record around it.
    fn message(&mut self, record: JsonValue<'_>, message: JsonValue<'_>, about: Message, out: &mut TextWriter) {
        let content = message.get("content");
        let word = message.text_of("role").unwrap_or_default();
        let by = |role: MessageRole| Message { role: Some(role), ..about.clone() };
        match word.as_ref() {
            "user" if content.is_some_and(has_only_results) => {
                out.message(by(MessageRole::Tool));
                write_content(content, MessageRole::Tool, None, out);
            }
            "user" => {
                out.message(Message { origin: Origin::Prompt, ..by(MessageRole::User) });
                write_content(content, MessageRole::User, None, out);
            }
            "system" | "developer" => {
                out.message(by(MessageRole::System));
                write_content(content, MessageRole::System, None, out);
            }
            "assistant" => {
                let model = message.words_of("model").or_else(|| self.model.clone());
                out.message(Message { model, ..by(MessageRole::Assistant) });
                self.request(record, message, out);
                // The calls of an aborted answer did not run.
                let is_aborted = message.is_string("stopReason", "aborted");
                write_content(content, MessageRole::Assistant, is_aborted.then_some(CallOutcome::Unknown), out);
                stopped(message, out);
            }
            "toolResult" => {
                let label = message.words_of("toolName");
                out.message(Message { label, ..by(MessageRole::Tool) });
                let outcome = ToolResult::new(message.words_of("toolCallId"), message.truth_of("isError"));
                result(outcome, content, out);
            }
            "bashExecution" | "pythonExecution" if message.first_of(&["command", "code"]).is_some() => {
                out.message(Message { origin: Origin::Shell, ..by(MessageRole::User).with_label(&word) });
                message.first_of(&["command", "code"]).into_iter().for_each(|it| command(message, it, out));
            }
            "custom" | "hookMessage" => {
                let label = message.words_of("customType").or_else(|| Some("custom".into()));
                out.message(Message { label, origin: Origin::Client, ..by(MessageRole::User) });
                write_content(content, MessageRole::User, None, out);
            }
            "branchSummary" | "compactionSummary" => {
                out.message(by(MessageRole::System).with_label(&word));
                write_content(message.get("summary").or(content), MessageRole::System, None, out);
            }
            _ => {
                out.message(Message { label: Some(word.as_ref().into()), ..about });
                let source = message.get("role").unwrap_or(message).source();
                let words = format!("unknown role {word:?}; shown raw");
                out.problem(Code::UnknownRecord, source, words);
                out.envelope("message", record);
            }
        }
    }
}

impl Pi {
    /// The request that a message of the model answers: the message has the start of the stream, the record around it
    /// the end.
    fn request(&self, record: JsonValue<'_>, message: JsonValue<'_>, out: &mut TextWriter) {
        let usage = message.get("usage").and_then(usage::pi);
        let cost = message.path(&["usage", "cost", "total"]).and_then(|cost| cost.fraction());
        let stop = message.words_of("stopReason");
        let is_failed = stop.as_deref() == Some("error");
        let time = |of: JsonValue<'_>| moment_of(&of.words_of("timestamp")?);
        if stop.as_deref() == Some("aborted") {
            out.fact(Fact::State(SessionState::Interrupted));
        }
        if usage.is_none() && stop.is_none() {
            return;
        }
        out.fact(Fact::Request(RequestFacts {
            key: record.words_of("id"),
            model: message.words_of("model").or_else(|| self.model.clone()),
            cost: cost.filter(|_| usage.is_some()),
            usage,
            start: time(message),
            end: time(record),
            stop,
            effort: self.effort.clone(),
            error: message.words_of("errorMessage").filter(|_| is_failed),
            ..RequestFacts::default()
        }));
    }
}

/// Facts of the session in its first record.
fn header(value: JsonValue<'_>, out: &mut TextWriter) {
    let mut session = |fact: Option<SessionFact>| fact.into_iter().for_each(|fact| out.fact(Fact::Session(fact)));
    session(value.words_of("cwd").map(SessionFact::Directory));
    session(value.words_of("timestamp").and_then(|time| moment_of(&time)).map(SessionFact::Start));
    // The path of a file whose name is a time and an id.
    if let Some(parent) = value.text_of("parentSession").filter(|parent| !parent.is_empty()) {
        let name = parent.rsplit(['/', '\\']).next().unwrap_or_default().trim_end_matches(".jsonl");
        let id = name.rsplit_once('_').map_or(name, |(_, id)| id);
        session(Some(SessionFact::Link(Relation::ForkedFrom, id.into())));
        session(Some(SessionFact::Kind(SessionKind::Fork)));
    }
}

/// True if all blocks are results of calls; other agents with such records have these in messages of the user.
fn has_only_results(content: JsonValue<'_>) -> bool {
    let mut blocks = content.items().peekable();
    blocks.peek().is_some() && blocks.all(|block| block.is_string("type", "tool_result"))
}

/// Writes the content of a message, some of whose blocks have types that only pi uses. `outcome` applies to its calls.
fn write_content(
    content: Option<JsonValue<'_>>,
    role: MessageRole,
    outcome: Option<CallOutcome>,
    out: &mut TextWriter,
) {
    let Some(content) = content else { return };
    if content.kind() != JsonKind::Array {
        return parts_of(content, Some(role), out);
    }
    for block in content.items() {
        match block.text_of("type").as_deref() {
            Some("toolCall") => out.stand(call::part(block, outcome), block),
            _ => part(block, Some(role), out),
        }
    }
}

/// Reports an answer that ended early.
fn stopped(message: JsonValue<'_>, out: &mut TextWriter) {
    let words = message.text_of("errorMessage").unwrap_or_default();
    let words = words.lines().next().unwrap_or_default();
    let place = message.first_filled(&["errorMessage", "stopReason"]).unwrap_or(message);
    match message.text_of("stopReason").as_deref() {
        // The user aborted it.
        Some("aborted") => {}
        Some("error") => {
            let colon = if words.is_empty() { "" } else { ": " };
            let what = format!("the provider reports an error{colon}{words}");
            out.problem(Code::AnswerStopped, place.source(), what);
        }
        _ => return,
    }
    out.write_part(MessagePart::Envelope(place.key().into()), place);
}

/// A command that the program ran for the user, and its output.
fn command(message: JsonValue<'_>, command: JsonValue<'_>, out: &mut TextWriter) {
    out.write_part(MessagePart::Text(Interpretation::Shown), command);
    let code = message.get("exitCode").filter(|code| code.kind() == JsonKind::Word && !code.is_void());
    let name = match code.filter(|code| code.raw() != b"0") {
        _ if message.truth_of("cancelled") == Some(true) => "output, cancelled".to_owned(),
        Some(code) => format!("output, exit code {}", String::from_utf8_lossy(code.raw())),
        None => "output".to_owned(),
    };
    if let Some(output) = message.get("output").filter(|output| !output.is_void()) {
        out.write_part(MessagePart::Envelope(name.into()), output);
    }
}

impl RecordReader for Pi {
    fn record(&mut self, record: &JsonRecord<'_>, out: &mut TextWriter) {
        let value = record.value;
        let kind = value.text_of("type").unwrap_or_default();
        let (id, parent) = (value.words_of("id"), value.words_of("parentId"));
        let is_header = kind == "session";
        if let Some(id) = id.as_ref().filter(|_| !is_header)
            && !self.ids.take(id, parent.as_deref(), value.source(), out)
        {
            return;
        }
        let about =
            Message { time: value.words_of("timestamp"), id: id.clone(), parent: parent.clone(), ..Message::default() };
        match (kind.as_ref(), value.get("message")) {
            ("message", Some(message)) => return self.message(value, message, about, out),
            ("compaction" | "branch_summary", _) => {
                out.message(Message { role: Some(MessageRole::System), ..about }.with_label(&kind));
                if let Some(summary) = value.get("summary") {
                    out.write_part(MessagePart::Text(Interpretation::Shown), summary);
                }
                if kind == "compaction" {
                    let before = value.number_of("tokensBefore");
                    out.fact(Fact::Compaction(Compaction { before, ..Compaction::default() }));
                }
                return;
            }
            ("custom_message", _) => {
                let label = value.words_of("customType");
                out.message(Message { role: Some(MessageRole::User), label, origin: Origin::Client, ..about });
                return write_content(value.get("content"), MessageRole::User, None, out);
            }
            ("model_change", _) => self.model = value.words_of("modelId"),
            ("thinking_level_change", _) => self.effort = value.words_of("thinkingLevel"),
            ("session_info", _) => {
                if let Some(name) = value.words_of("name") {
                    out.fact(Fact::Session(SessionFact::Title(name, TitleKind::Given)));
                }
            }
            ("session", _) => {
                out.session_id(|| id.clone());
                header(value, out);
                self.model = value.words_of("modelId").or_else(|| self.model.take());
            }
            (kind, _) if BOOKKEEPING.contains(&kind) => {}
            _ => {
                out.end();
                unknown(value, out);
            }
        }
        if let Some(id) = id.filter(|_| !is_header) {
            // The last record is the leaf, whatever its type is.
            out.event(ContainerEvent::Link { id: id.clone(), parent });
            out.event(ContainerEvent::Active(id));
        }
    }
}
