//! Sessions of opencode: the output of `opencode export`, the messages that its server returns, and the concatenated
//! records of its storage.
//!
//! | member | content |
//! |---|---|
//! | `info` | the session: `id`, `directory`, `title`, and `revert`, the first message that was undone |
//! | `messages` | `{info: {id, role, time, modelID, agent, error}, parts}` |
//!
//! | `type` of a part | content |
//! |---|---|
//! | `text` | text; if `synthetic` or `ignored`, of the program |
//! | `reasoning` | reasoning of the model |
//! | `tool` | `callID`, `tool`, `state: {status, input, output, error}`: a call with its result |
//! | `file`, `patch`, `agent`, `subtask`, `compaction`, `retry` | other contents of a message |
//! | `step-start`, `step-finish`, `snapshot` | bookkeeping |
//!
//! In the storage the session, each `info` and each part is a record; the file has them one after another, in an array,
//! or in an object with the lists `messages` and `parts`. A part that does not follow its message begins it again.
//!
//! Each step of the model's loop is a message, and all of them have the user's message as parent: these are not
//! branches. The shapes are from the program's `message-v2.ts`.

mod facts;

use std::collections::HashMap;

use super::exit_code;
use super::facts::Fact;
use super::fragment::Fragment;
use super::items::made_call;
use super::json::{JsonKind, JsonValue};
use super::messages::{self, result, unknown};
use super::writer::TextWriter;
use super::{
    CallOutcome, CallSource, Claim, ContainerEvent, ContainerInfo, Definition, FileHead, FormatReader, Interpretation,
    JsonRecord, Message, MessagePart, MessageRole, RecordReader, ToolResult,
};
use crate::text::Span;

pub(super) static ABOUT: ContainerInfo = ContainerInfo {
    name: "opencode",
    title: "a session of opencode",
    calls: CallSource::Records,
    definition: Definition::Code { claims, open: FormatReader::records::<Opencode> },
};

pub(super) static STORAGE: ContainerInfo = ContainerInfo {
    name: "opencode-storage",
    title: "the records of a session in the storage of opencode",
    calls: CallSource::Records,
    definition: Definition::Code {
        claims: |head| {
            let value = head.value()?;
            let first = || LISTS.iter().find_map(|list| value.get(list)?.items().next());
            let value = if value.get("id").is_some() { value } else { first().unwrap_or(value) };
            let has = |key: &str| value.get(key).is_some();
            let is_own = (has_id(value, "ses_") && (has("projectID") || has("directory")))
                || (has_id(value, "msg_") && has("sessionID") && has("role"))
                || (has_id(value, "prt_") && has("messageID") && has("type"));
            is_own.then_some(Claim::Sure("its records have ids of opencode's sessions, messages and parts"))
        },
        open: FormatReader::records::<Storage>,
    },
};

/// Members of an object that holds the records of the storage, in the order of their records.
const LISTS: [&str; 4] = ["messages", "message", "parts", "part"];

/// Beginnings of errors of a tool that the user or a rule did not allow.
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
    /// Id of the first message that was undone, if the session has one.
    undone: Option<Box<str>>,
    /// Offset of that message in the transcript.
    undone_from: Option<usize>,
}

impl Opencode {
    fn message(&mut self, value: JsonValue<'_>, out: &mut TextWriter) {
        let (Some(info), Some(parts)) = (value.get("info"), value.get("parts")) else {
            return unknown(value, out);
        };
        let role = self.begin_message(info, parts, out);
        for part in parts.items() {
            self::part(part, role, out);
        }
        out.time(info.path(&["time", "completed"]).and_then(JsonValue::scalar_text));
        if let Some(error) = info.get("error") {
            out.envelope("error", error);
        }
        out.time(info.path(&["time", "completed"]).and_then(JsonValue::scalar_text));
    }

    /// Begins a message; returns its role.
    fn begin_message(
        &mut self,
        info: JsonValue<'_>,
        parts: JsonValue<'_>,
        out: &mut TextWriter,
    ) -> Option<MessageRole> {
        out.session_id(|| info.words_of("sessionID"));
        let mut message = message_of(info);
        let role = message.role;
        if role == Some(MessageRole::User) {
            message.origin = facts::origin(parts.items());
        }
        self.begin(message, out);
        for fact in facts::request(info) {
            out.fact(fact);
        }
        role
    }

    fn begin(&mut self, message: Message, out: &mut TextWriter) {
        let is_undone = message.id.is_some() && message.id == self.undone;
        out.message(message);
        if is_undone && self.undone_from.is_none() {
            self.undone_from = Some(out.len());
        }
    }

    fn session(&mut self, info: JsonValue<'_>, out: &mut TextWriter) {
        out.session_id(|| info.words_of("id"));
        facts::session(info, out);
        self.undone = info.path(&["revert", "messageID"]).and_then(JsonValue::scalar_text);
    }

    /// Ends the session: withdraws undone messages.
    fn end(&mut self, out: &mut TextWriter) {
        if let Some(start) = self.undone_from.take() {
            out.end();
            out.event(ContainerEvent::Withdrawn(Span::new(start, out.len())));
        }
    }
}

/// The properties in the `info` of a message.
fn message_of(info: JsonValue<'_>) -> Message {
    let role = info.text_of("role").and_then(|role| MessageRole::named(&role));
    let is_summary = info.truth_of("summary").unwrap_or_default();
    let label = if is_summary { Some("summary".into()) } else { info.words_of("agent") };
    Message {
        role,
        time: info.path(&["time", "created"]).and_then(JsonValue::scalar_text),
        model: info.words_of("modelID"),
        id: info.words_of("id"),
        label: label.filter(|_| role == Some(MessageRole::Assistant)),
        ..Message::default()
    }
}

fn part(part: JsonValue<'_>, role: Option<MessageRole>, out: &mut TextWriter) {
    let kind = part.text_of("type").unwrap_or_default();
    match kind.as_ref() {
        "text" => text(part, role, out),
        "tool" => tool(part, out),
        "reasoning" | "file" => messages::part(part, role, out),
        "compaction" => {
            out.envelope(&kind, part);
            facts::compaction(part, out);
        }
        "patch" | "agent" | "subtask" | "retry" => out.envelope(&kind, part),
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
        out.write_part(piece, words);
    }
}

/// Writes a call, and its result if there is one.
fn tool(part: JsonValue<'_>, out: &mut TextWriter) {
    let (id, state) = (part.get("callID"), part.get("state"));
    let of_state = |key: &str| state.and_then(|state| state.get(key));
    // A call that was still streaming has only the raw text of its input.
    let begun = of_state("raw").filter(|raw| !raw.is_void());
    let input = of_state("input").filter(|input| begun.is_none() || !input.is_void()).or(begun);
    let call = made_call(part, id, part.string_of("tool"), "tool", input);
    out.piece(call.part(None), &call.text);
    facts::call(part, out);
    let (verdict, answer) = match of_state("status").and_then(|status| status.text()).as_deref() {
        Some("completed") => {
            // A shell command that failed was completed, too.
            let code = state.and_then(|state| state.path(&["metadata", "exit"]));
            (exit_code::of_value(code).or(CallOutcome::Succeeded), of_state("output"))
        }
        Some("error") => {
            let error = of_state("error");
            let words = error.and_then(|error| error.text()).unwrap_or_default();
            let is_refused = REFUSALS.iter().any(|refusal| words.starts_with(refusal));
            (if is_refused { CallOutcome::Denied } else { CallOutcome::Failed }, error)
        }
        // It is running, or was when the session was written.
        _ => return,
    };
    result(ToolResult { call: id.and_then(JsonValue::scalar_text), outcome: verdict }, answer, out);
    for attachment in of_state("attachments").into_iter().flat_map(|list| list.items()) {
        messages::part(attachment, Some(MessageRole::Tool), out);
    }
}

impl RecordReader for Opencode {
    fn streamed_keys(&self) -> &'static [&'static str] {
        &["messages"]
    }

    fn record(&mut self, record: &JsonRecord<'_>, out: &mut TextWriter) {
        match record.member {
            None | Some("messages") => self.message(record.value, out),
            Some("info") => self.session(record.value, out),
            // Other properties of a session.
            Some(_) => {}
        }
    }

    fn close(&mut self, out: &mut TextWriter) {
        self.end(out);
    }
}

/// Reads the records of the storage. A message begins with its first part, which need not follow it directly.
#[derive(Default)]
struct Storage {
    session: Opencode,
    /// The messages in their order, each with its error until it has begun.
    messages: Vec<(Message, Option<Fragment>, bool)>,
    /// Facts about messages that have not begun.
    facts: HashMap<usize, Vec<Fact>>,
    /// Completion times of messages.
    completed: HashMap<usize, Box<str>>,
    numbers: HashMap<Box<str>, usize>,
    /// Number of the open message.
    open: Option<usize>,
}

impl Storage {
    fn begin(&mut self, number: usize, out: &mut TextWriter) {
        if self.open != Some(number) {
            self.leave(out);
            self.open = Some(number);
            let (message, error, has_begun) = &mut self.messages[number];
            *has_begun = true;
            self.session.begin(message.clone(), out);
            self.facts.remove(&number).into_iter().flatten().for_each(|fact| out.fact(fact));
            if let Some(error) = error.take() {
                out.piece(MessagePart::Envelope("error".into()), &error);
            }
        }
    }

    /// Ends the parts of the open message.
    fn leave(&mut self, out: &mut TextWriter) {
        let completed = self.open.take().and_then(|number| self.completed.get(&number).cloned());
        out.time(completed);
    }

    fn part(&mut self, value: JsonValue<'_>, out: &mut TextWriter) {
        let number = value.words_of("messageID").and_then(|id| self.numbers.get(&id).copied());
        if let Some(number) = number
            && let (message, _, false) = &mut self.messages[number]
            && message.role == Some(MessageRole::User)
        {
            message.origin = facts::origin(std::iter::once(value));
        }
        match number {
            Some(number) => self.begin(number, out),
            // Its message is missing.
            None if self.open.is_some() => {
                self.leave(out);
                out.message(Message::default());
            }
            None => {}
        }
        part(value, number.and_then(|number| self.messages[number].0.role), out);
    }
}

impl RecordReader for Storage {
    fn streamed_keys(&self) -> &'static [&'static str] {
        &LISTS
    }

    fn single_record_keys(&self) -> &'static [&'static str] {
        &["id"]
    }

    fn record(&mut self, record: &JsonRecord<'_>, out: &mut TextWriter) {
        let value = record.value;
        if value.get("messageID").is_some() {
            self.part(value, out);
        } else if value.get("role").is_some() {
            out.session_id(|| value.words_of("sessionID"));
            let message = message_of(value);
            let error = value.get("error").map(messages::standing);
            let number = self.messages.len();
            self.numbers.extend(message.id.clone().map(|id| (id, number)));
            self.facts.insert(number, facts::request(value));
            let completed = value.path(&["time", "completed"]).and_then(JsonValue::scalar_text);
            self.completed.extend(completed.map(|time| (number, time)));
            let says_all = error.is_some();
            self.messages.push((message, error, false));
            if says_all {
                self.begin(number, out);
            }
            let parts = value.get("parts").into_iter().flat_map(|parts| parts.items());
            parts.for_each(|part| self.part(part, out));
        } else if has_id(value, "ses_") {
            self.session.session(value, out);
        } else if record.member.is_none() {
            unknown(value, out);
        }
    }

    fn finish(&mut self, _at: usize, out: &mut TextWriter) {
        for number in 0..self.messages.len() {
            if !self.messages[number].2 {
                self.begin(number, out);
            }
        }
        self.leave(out);
        self.session.end(out);
    }
}
