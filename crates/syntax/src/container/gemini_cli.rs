//! Sessions of Gemini CLI: one JSON document, or one record a line; and its output for other programs.
//!
//! | record | members |
//! |---|---|
//! | a session | `sessionId`, `projectHash`, `startTime`, and in a document `messages` |
//! | a message | `id`, `timestamp`, `type`: `user`, `gemini`, `info`, `warning`, `error`; `content`: text or parts |
//! | of the model | `thoughts: [{subject, description}]`, `toolCalls: [{id, name, args, status, result}]`, `model` |
//! | an update | `$set`: of the session; its `messages` replace all earlier ones, which a summary ends but does not undo |
//! | a step back | `$rewindTo`: withdraws the message with this id and those after it; all messages if the id is unknown |
//!
//! A message with the `id` of an earlier one replaces it. Parts that it repeats are not shown again: only new parts
//! are, and parts that differ are withdrawn. The shapes are from the program's `chatRecordingTypes.ts`.

mod facts;
mod message;
mod stream;

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use super::facts::{Compaction, Fact, Origin};
use super::fragment::Fragment;
use super::json::JsonValue;
use super::messages::unknown;
use super::unread_text;
use super::writer::TextWriter;
use super::{
    CallSource, Claim, ContainerEvent, ContainerInfo, Definition, FileHead, FormatReader, JsonRecord, Message,
    MessagePart, MessageRole, RecordReader,
};
use crate::diagnostic::Code;
use crate::text::Span;
use message::{Slot, StatedPiece, pieces};
use stream::{PrintedRecords, is_printed};

pub(super) static ABOUT: ContainerInfo = ContainerInfo {
    name: "gemini-cli",
    title: "a session of the Gemini command line",
    calls: CallSource::Records,
    definition: Definition::Code { claims, open: FormatReader::records::<GeminiCli> },
};

fn claims(head: &FileHead<'_>) -> Option<Claim> {
    let record = head.value()?;
    let has = |key: &str| record.get(key).is_some();
    if has("sessionId") && (has("projectHash") || has("startTime") && has("messages")) {
        return Some(Claim::Sure("its first record has a sessionId and a projectHash"));
    }
    if record.items().count() == 1 && (has("$set") || has("$rewindTo")) {
        return Some(Claim::Sure("its records have $set or $rewindTo"));
    }
    if is_printed(record) {
        return Some(Claim::Sure("its records are written by --output-format stream-json"));
    }
    let is_message = has("id") && has("timestamp") && has("content") && !has("uuid");
    match record.text_of("type").as_deref() {
        Some("gemini") if is_message => Some(Claim::Sure("its records have the type gemini and content")),
        Some("user" | "info" | "warning" | "error") if is_message => {
            Some(Claim::Likely("its records have a type, an id, a timestamp and content"))
        }
        _ => None,
    }
}

/// A part that was written to the transcript.
#[derive(Debug)]
struct WrittenPiece {
    hash: u64,
    span: Span,
}

/// A valid message in its latest state.
#[derive(Debug, Default)]
struct WrittenMessage {
    id: Option<Box<str>>,
    /// True if the program shows it to the user: a checkpoint may lack it.
    is_notice: bool,
    pieces: HashMap<Slot, WrittenPiece>,
    /// Its ranges in the transcript; later parts have separate ones.
    spans: Vec<Span>,
}

#[derive(Default)]
struct GeminiCli {
    printed: PrintedRecords,
    messages: Vec<WrittenMessage>,
    /// Numbers of the messages by id.
    numbers: HashMap<Box<str>, usize>,
    /// Number of the last message in the transcript.
    last: Option<usize>,
    /// Ids of calls that have a result.
    answered: HashSet<Box<str>>,
    /// True between a compaction and its summary.
    awaits_summary: bool,
}

impl GeminiCli {
    fn message(&mut self, record: JsonValue<'_>, out: &mut TextWriter) {
        let kind = record.text_of("type").unwrap_or_default();
        let id = record.words_of("id");
        let role = match kind.as_ref() {
            "user" => Some(MessageRole::User),
            "gemini" => Some(MessageRole::Assistant),
            "info" | "warning" | "error" => None,
            _ => {
                self.last = None;
                return unknown(record, out);
            }
        };
        let pieces = pieces(record, &kind, role, &self.answered);
        let results = pieces.iter().filter_map(|piece| match &piece.slot {
            Slot::Result(id) => Some(id.clone()),
            _ => None,
        });
        self.answered.extend(results);
        let known = id.as_ref().and_then(|id| self.numbers.get(id).copied());
        let number = known.unwrap_or_else(|| {
            let is_notice = role.is_none();
            self.messages.push(WrittenMessage { id: id.clone(), is_notice, ..WrittenMessage::default() });
            self.messages.len() - 1
        });
        let new = self.renew(number, pieces, out);
        // A record that only repeats the results of calls is not a message.
        let repeats =
            known.is_none() && new.is_empty() && role == Some(MessageRole::User) && record.get("content").is_some();
        if (known.is_some() && new.is_empty()) || repeats {
            if role == Some(MessageRole::Assistant) {
                facts::request(record, out);
            }
            return self.numbers.extend(id.map(|id| (id, number)));
        }
        if known.is_none() || self.last != Some(number) {
            let results = new.iter().all(|piece| matches!(piece.slot, Slot::Result(_)));
            let role = if results && !new.is_empty() { Some(MessageRole::Tool) } else { role };
            let label = role.is_none().then(|| kind.as_ref().into());
            let origin = if role == Some(MessageRole::User) { origin(record) } else { Origin::Unsaid };
            let (time, model) = (record.words_of("timestamp"), record.words_of("model"));
            out.message(Message { role, time, model, id: id.clone(), origin, label, ..Message::default() });
            if origin == Origin::Summary && std::mem::take(&mut self.awaits_summary) {
                out.fact(Fact::Compaction(Compaction::default()));
            }
        }
        if kind == "gemini" {
            facts::request(record, out);
        }
        if kind == "error" {
            let words = record.text_of("content").unwrap_or_default();
            let words = words.lines().next().unwrap_or_default();
            out.problem(Code::AnswerStopped, record.source(), format!("the program reports an error: {words}"));
        }
        let (before, yielded) = (out.len(), out.yielded());
        for StatedPiece { slot, piece, text, unknown } in new {
            if let Some(source) = unknown {
                out.problem(Code::UnknownRecord, source, "unknown part; shown raw");
            }
            let hash = hash_of(&text);
            let start = if let MessagePart::Text(_) = piece { out.begin_step(piece) } else { out.begin(piece) };
            out.write(&text);
            out.end();
            let span = Span::new(start, out.len());
            self.messages[number].pieces.insert(slot, WrittenPiece { hash, span });
        }
        if known.is_none() {
            unread_text::unless_shown(record, yielded, out);
        }
        self.messages[number].spans.push(Span::new(before, out.len()));
        self.numbers.extend(id.map(|id| (id, number)));
        self.last = Some(number);
    }

    /// Compares a message with its written parts: withdraws missing ones, and returns the new ones.
    fn renew(&mut self, number: usize, pieces: Vec<StatedPiece>, out: &mut TextWriter) -> Vec<StatedPiece> {
        let written = &mut self.messages[number].pieces;
        let stated: HashMap<&Slot, u64> = pieces.iter().map(|piece| (&piece.slot, hash_of(&piece.text))).collect();
        let differs = |slot: &Slot, old: &WrittenPiece| stated.get(slot) != Some(&old.hash);
        // If a call has changed, its result belongs to the new call.
        let changed: HashSet<Box<str>> = written
            .iter()
            .filter_map(|(slot, old)| match slot {
                Slot::Call(id) if differs(slot, old) => Some(id.clone()),
                _ => None,
            })
            .collect();
        let mut gone: Vec<(Slot, Span)> = Vec::new();
        written.retain(|slot, old| {
            let is_gone = differs(slot, old) || matches!(slot, Slot::Result(id) if changed.contains(id));
            if is_gone {
                gone.push((slot.clone(), old.span));
            }
            !is_gone
        });
        // An empty part begins where the next one does.
        gone.sort_unstable_by_key(|(_, span)| (span.start, span.end));
        for (slot, span) in gone {
            match slot {
                Slot::Call(_) => {
                    out.event(ContainerEvent::Replaced { start: span.start, end: span.end, is_result: false });
                }
                Slot::Result(_) => {
                    out.event(ContainerEvent::Replaced { start: span.start, end: span.end, is_result: true });
                }
                Slot::Thought(_) | Slot::Content(_) => out.event(ContainerEvent::Withdrawn(span)),
            }
        }
        pieces.into_iter().filter(|piece| !written.contains_key(&piece.slot)).collect()
    }

    /// Applies a checkpoint: these messages are the whole context. The longest common beginning stays unchanged.
    /// Messages replaced by a summary did happen, and stay; without a summary they are withdrawn.
    fn replace_all(&mut self, messages: JsonValue<'_>, out: &mut TextWriter) {
        let ids: Vec<Option<Box<str>>> = messages.items().map(|message| message.words_of("id")).collect();
        let mut rest = ids.iter().peekable();
        let is_same =
            |known: &&WrittenMessage| rest.next_if(|id| id.is_some() && **id == known.id).is_some() || known.is_notice;
        let same = self.messages.iter().take_while(is_same).count();
        let is_compaction = same < self.messages.len();
        let is_new = |id: Option<Box<str>>| id.is_none_or(|id| !self.numbers.contains_key(&id));
        let is_summary =
            |message: JsonValue<'_>| message.is_string("type", "user") && origin(message) == Origin::Summary;
        let has_summary = messages.items().any(|message| is_summary(message) && is_new(message.words_of("id")));
        self.awaits_summary = is_compaction && has_summary;
        if is_compaction && !has_summary {
            self.rewind(same, out);
            out.fact(Fact::Compaction(Compaction::default()));
        }
        messages.items().for_each(|message| self.message(message, out));
        if is_compaction && has_summary {
            self.order(&ids);
        }
    }

    /// Keeps the messages with these ids, in this order.
    fn order(&mut self, ids: &[Option<Box<str>>]) {
        let mut known: HashMap<Box<str>, WrittenMessage> =
            self.messages.drain(..).filter_map(|message| Some((message.id.clone()?, message))).collect();
        self.messages = ids.iter().flatten().filter_map(|id| known.remove(id)).collect();
        self.numbers =
            self.messages.iter().enumerate().filter_map(|(at, known)| Some((known.id.clone()?, at))).collect();
        self.last = None;
    }

    /// Withdraws the messages starting at this number.
    fn rewind(&mut self, number: usize, out: &mut TextWriter) {
        let gone = self.messages.split_off(number.min(self.messages.len()));
        let mut spans: Vec<Span> = Vec::new();
        let mut all: Vec<Span> = gone.iter().flat_map(|message| &message.spans).copied().collect();
        all.sort_unstable_by_key(|span| span.start);
        for span in all.into_iter().filter(|span| !span.is_empty()) {
            match spans.last_mut() {
                // A line feed separates two messages.
                Some(last) if span.start <= last.end + 1 => last.end = last.end.max(span.end),
                _ => spans.push(span),
            }
        }
        for message in &gone {
            if let Some(id) = &message.id {
                self.numbers.remove(id);
            }
            for slot in message.pieces.keys() {
                if let Slot::Call(id) = slot {
                    self.answered.remove(id);
                }
            }
        }
        out.end();
        for span in spans {
            out.event(ContainerEvent::Withdrawn(span));
        }
        if !gone.is_empty() {
            self.last = None;
        }
    }
}

fn hash_of(text: &Fragment) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.bytes.hash(&mut hasher);
    hasher.finish()
}

impl RecordReader for GeminiCli {
    fn record(&mut self, record: &JsonRecord<'_>, out: &mut TextWriter) {
        let value = record.value;
        out.session_id(|| value.words_of("sessionId"));
        if value.get("sessionId").is_some() && value.get("type").is_none() {
            facts::session(value, out);
        }
        if let Some(id) = value.text_of("$rewindTo") {
            let number = self.numbers.get(id.as_ref()).copied();
            self.rewind(number.unwrap_or_default(), out);
        } else if let Some(update) = value.get("$set") {
            facts::session(update, out);
            if let Some(messages) = update.get("messages") {
                self.replace_all(messages, out);
            }
        } else if value.get("sessionId").is_some() && value.get("type").is_none() {
            for message in value.get("messages").into_iter().flat_map(|messages| messages.items()) {
                self.message(message, out);
            }
        } else if is_printed(value) {
            self.printed.record(value, out);
        } else {
            self.message(value, out);
        }
    }

    fn between_records(&mut self, piece: MessagePart, fragment: &Fragment, out: &mut TextWriter) {
        self.last = None;
        self.printed.pause();
        out.piece(piece, fragment);
    }

    fn finish(&mut self, at: usize, out: &mut TextWriter) {
        self.printed.finish(at, out);
    }
}

/// Source of a message of the role `user`: the summary of a compacted session has that role, too.
fn origin(record: JsonValue<'_>) -> Origin {
    let content = record.get("content");
    let first = content.and_then(|content| content.items().next()?.string_of("text")).or(content);
    let is_summary = first.and_then(|text| text.text()).is_some_and(|text| text.starts_with("<state_snapshot>"));
    if is_summary { Origin::Summary } else { Origin::Prompt }
}
