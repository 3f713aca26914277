//! Sessions of opencode: what `opencode export` writes, the messages that its server hands out, and the records of its
//! storage one after another.
//!
//! | member | what it is |
//! |---|---|
//! | `info` | the session: `id`, `directory`, `title`, and `revert`, from which message on it was undone |
//! | `messages` | `{info: {id, role, time, modelID, agent, error}, parts}` |
//!
//! | `type` of a part | what it is |
//! |---|---|
//! | `text` | words; those that are `synthetic` or `ignored` are the program's |
//! | `reasoning` | what the model thought |
//! | `tool` | `callID`, `tool`, `state: {status, input, output, error}`: a call with its result |
//! | `file`, `patch`, `agent`, `subtask`, `compaction`, `retry` | what else a message brings with it |
//! | `step-start`, `step-finish`, `snapshot` | bookkeeping |
//!
//! In the storage the session, each `info` and each part is a record of its own, and the parts stand behind their message.
//!
//! Each step of the model's loop is a message, and all of them follow the one of the user: that makes no branches. The
//! shapes are those of `message-v2.ts` of the program. This module does not know where the program keeps its sessions.

use super::exit_code;
use super::items::made_call;
use super::json::{JsonKind, JsonValue};
use super::messages::{self, result, unknown};
use super::writer::TextWriter;
use super::{
    CallOutcome, CallSource, Claim, ContainerEvent, ContainerInfo, FileHead, FormatReader, Interpretation, JsonRecord,
    Message, MessagePart, MessageRole, RecordReader, ToolResult,
};
use crate::text::Span;

pub(super) static ABOUT: ContainerInfo = ContainerInfo {
    name: "opencode",
    title: "a session of opencode",
    claims,
    calls: CallSource::Records,
    open: FormatReader::records::<Opencode>,
};

pub(super) static STORAGE: ContainerInfo = ContainerInfo {
    name: "opencode-storage",
    title: "the records of a session in the storage of opencode",
    claims: |head| {
        let value = head.value()?;
        let has = |key: &str| value.get(key).is_some();
        let is_own = (has_id(value, "ses_") && (has("projectID") || has("directory")))
            || (has_id(value, "msg_") && has("sessionID") && has("role"))
            || (has_id(value, "prt_") && has("messageID") && has("type"));
        is_own.then_some(Claim::Sure("its records have ids of opencode's sessions, messages and parts"))
    },
    calls: CallSource::Records,
    open: FormatReader::records::<Storage>,
};

/// How the words begin by which a tool says that somebody did not let it run.
const REFUSALS: [&str; 2] = ["The user rejected permission", "The user has specified a rule which prevents"];

fn claims(head: &FileHead<'_>) -> Option<Claim> {
    let value = head.value()?;
    if value.kind() == JsonKind::Array {
        let first = value.items().next()?;
        return is_message(first).then_some(Claim::Sure("it is an array of messages with info and parts"));
    }
    if is_message(value) {
        return Some(Claim::Sure("it is a message with info and parts"));
    }
    let (info, messages) = (value.get("info")?, value.get("messages")?);
    (has_id(info, "ses_") || messages.items().next().is_some_and(is_message))
        .then_some(Claim::Sure("it is an object with info and messages that have info and parts"))
}

fn is_message(value: JsonValue<'_>) -> bool {
    let has_parts = value.get("parts").is_some_and(|parts| parts.kind() == JsonKind::Array);
    has_parts && value.path(&["info", "role"]).is_some()
}

fn has_id(value: JsonValue<'_>, prefix: &str) -> bool {
    value.text_of("id").is_some_and(|id| id.starts_with(prefix))
}

#[derive(Default)]
struct Opencode {
    /// Id of the first message that was undone, if the session says that one was.
    undone: Option<Box<str>>,
    /// Where that message begins in the transcript.
    undone_from: Option<usize>,
}

impl Opencode {
    fn message(&mut self, value: JsonValue<'_>, out: &mut TextWriter) {
        let (Some(info), Some(parts)) = (value.get("info"), value.get("parts")) else {
            return unknown(value, out);
        };
        let role = self.begin_message(info, out);
        for part in parts.items() {
            self::part(part, role, out);
        }
        if let Some(error) = info.get("error") {
            out.envelope("error", error);
        }
    }

    /// A message begins; who speaks in it.
    fn begin_message(&mut self, info: JsonValue<'_>, out: &mut TextWriter) -> Option<MessageRole> {
        let role = info.text_of("role").and_then(|role| MessageRole::named(&role));
        let is_summary = info.truth_of("summary").unwrap_or_default();
        let label = if is_summary { Some("summary".into()) } else { info.words_of("agent") };
        out.session_id(|| info.words_of("sessionID"));
        let id = info.words_of("id");
        let is_undone = id.is_some() && id == self.undone;
        out.message(Message {
            role,
            time: info.path(&["time", "created"]).and_then(JsonValue::words),
            model: info.words_of("modelID"),
            id,
            label: label.filter(|_| role == Some(MessageRole::Assistant)),
            ..Message::default()
        });
        if is_undone {
            self.undone_from = Some(out.len());
        }
        role
    }

    fn session(&mut self, info: JsonValue<'_>, out: &mut TextWriter) {
        out.session_id(|| info.words_of("id"));
        self.undone = info.path(&["revert", "messageID"]).and_then(JsonValue::words);
    }

    /// The session is over: takes back what was undone.
    fn end(&mut self, out: &mut TextWriter) {
        if let Some(start) = self.undone_from.take() {
            out.end();
            out.event(ContainerEvent::Withdrawn(Span::new(start, out.len())));
        }
    }
}

fn part(part: JsonValue<'_>, role: Option<MessageRole>, out: &mut TextWriter) {
    let kind = part.text_of("type").unwrap_or_default();
    match kind.as_ref() {
        "text" => text(part, role, out),
        "tool" => tool(part, out),
        "reasoning" | "file" => messages::part(part, role, out),
        "patch" | "agent" | "subtask" | "compaction" | "retry" => out.envelope(&kind, part),
        "step-start" | "step-finish" | "snapshot" => {}
        _ => unknown(part, out),
    }
}

fn text(part: JsonValue<'_>, role: Option<MessageRole>, out: &mut TextWriter) {
    let Some(words) = part.string_of("text") else { return unknown(part, out) };
    let marked = ["synthetic", "ignored"].into_iter().find(|mark| part.truth_of(mark) == Some(true));
    if !words.is_void() {
        let piece = match marked {
            Some(mark) => MessagePart::Envelope(mark.into()),
            None => MessagePart::Text(Interpretation::from_role(role)),
        };
        out.say(piece, words);
    }
}

/// A call, and its result once there is one.
fn tool(part: JsonValue<'_>, out: &mut TextWriter) {
    let (id, state) = (part.get("callID"), part.get("state"));
    let of_state = |key: &str| state.and_then(|state| state.get(key));
    // Of a call that was not complete there is only what had come of it.
    let begun = of_state("raw").filter(|raw| !raw.is_void());
    let input = of_state("input").filter(|input| begun.is_none() || !input.is_void()).or(begun);
    let call = made_call(part, id, part.string_of("tool"), "tool", input);
    out.piece(call.part(None), &call.text);
    let (verdict, answer) = match of_state("status").and_then(|status| status.text()).as_deref() {
        Some("completed") => {
            // A command of the shell that failed was completed as well.
            let code = state.and_then(|state| state.path(&["metadata", "exit"]));
            (exit_code::of_value(code).or(CallOutcome::Fine), of_state("output"))
        }
        Some("error") => {
            let error = of_state("error");
            let words = error.and_then(|error| error.text()).unwrap_or_default();
            let is_refused = REFUSALS.iter().any(|refusal| words.starts_with(refusal));
            (if is_refused { CallOutcome::Denied } else { CallOutcome::Failed }, error)
        }
        // It is under way, or was when the session was written.
        _ => return,
    };
    result(ToolResult { call: id.and_then(JsonValue::words), verdict }, answer, out);
    for attachment in of_state("attachments").into_iter().flat_map(|list| list.items()) {
        messages::part(attachment, Some(MessageRole::Tool), out);
    }
}

impl RecordReader for Opencode {
    fn drill(&self) -> &'static [&'static str] {
        &["messages"]
    }

    fn record(&mut self, record: &JsonRecord<'_>, out: &mut TextWriter) {
        match record.member {
            None | Some("messages") => self.message(record.value, out),
            Some("info") => self.session(record.value, out),
            // What else is known of a session.
            Some(_) => {}
        }
    }

    fn close(&mut self, out: &mut TextWriter) {
        self.end(out);
    }
}

/// The records of a session, of which each message is followed by its parts.
#[derive(Default)]
struct Storage {
    session: Opencode,
    /// Who speaks in the message that is open.
    role: Option<MessageRole>,
}

impl RecordReader for Storage {
    fn record(&mut self, record: &JsonRecord<'_>, out: &mut TextWriter) {
        let value = record.value;
        if value.get("messageID").is_some() {
            part(value, self.role, out);
        } else if value.get("role").is_some() {
            self.role = self.session.begin_message(value, out);
            if let Some(error) = value.get("error") {
                out.envelope("error", error);
            }
        } else if has_id(value, "ses_") {
            self.session.session(value, out);
        } else {
            unknown(value, out);
        }
    }

    fn finish(&mut self, _at: usize, out: &mut TextWriter) {
        self.session.end(out);
    }
}
