//! Sessions of the Gemini command line: one JSON document, or one record a line; and what it prints for other programs.
//!
//! | record | members |
//! |---|---|
//! | a session | `sessionId`, `projectHash`, `startTime`, and in a document `messages` |
//! | a message | `id`, `timestamp`, `type`: `user`, `gemini`, `info`, `warning`, `error`; `content`: words or parts |
//! | of the model | `thoughts: [{subject, description}]`, `toolCalls: [{id, name, args, status, result}]`, `model` |
//! | an update | `$set`: of the session; its `messages` take the place of all that came before |
//! | a step back | `$rewindTo`: the message of this id counts no more, nor what follows it; all of them if nobody knows it |
//!
//! A message whose `id` has come before takes the place of that one. What it says once more is not shown again: only what
//! is new, and what differs counts no more as it was. The shapes are from the program's `chatRecordingTypes.ts`. This
//! module does not know the records of `--output-format stream-json`.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use super::call::CallText;
use super::fragment::Fragment;
use super::gemini_cli_stream::{PrintedRecords, is_printed};
use super::gemini_parts::{GeminiPart, member, response};
use super::json::{JsonKind, JsonValue};
use super::messages::{standing, unknown};
use super::writer::TextWriter;
use super::{
    CallOutcome, CallSource, Claim, ContainerEvent, ContainerInfo, FileHead, FormatReader, Interpretation, JsonRecord,
    Message, MessagePart, MessageRole, RecordReader, ToolResult,
};
use crate::diagnostic::Code;
use crate::text::Span;

pub(super) static ABOUT: ContainerInfo = ContainerInfo {
    name: "gemini-cli",
    title: "a session of the Gemini command line",
    claims,
    calls: CallSource::Records,
    open: FormatReader::records::<GeminiCli>,
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
        return Some(Claim::Sure("its records are those of --output-format stream-json"));
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

/// What a piece of a message is in it, by which later states of the message are compared.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Slot {
    Thought(usize),
    Content(usize),
    Call(Box<str>),
    Result(Box<str>),
}

/// A piece of a message, as its record has it.
struct StatedPiece {
    slot: Slot,
    piece: MessagePart,
    text: Fragment,
    /// Where it stands in the file, if nobody knows what it is.
    unknown: Option<Span>,
}

impl StatedPiece {
    fn new(slot: Slot, piece: MessagePart, text: Fragment) -> Self {
        Self { slot, piece, text, unknown: None }
    }
}

/// A piece that stands in the transcript.
#[derive(Debug)]
struct WrittenPiece {
    hash: u64,
    span: Span,
}

/// A message that counts, in the state in which it came last.
#[derive(Debug, Default)]
struct WrittenMessage {
    id: Option<Box<str>>,
    pieces: HashMap<Slot, WrittenPiece>,
    /// Where it stands; what came later stands elsewhere.
    spans: Vec<Span>,
}

#[derive(Default)]
struct GeminiCli {
    printed: PrintedRecords,
    messages: Vec<WrittenMessage>,
    /// Numbers of the messages by their ids.
    numbers: HashMap<Box<str>, usize>,
    /// Number of the message that stands last in the transcript.
    last: Option<usize>,
    /// Ids of calls that have their result.
    answered: HashSet<Box<str>>,
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
        let pieces = self.pieces(record, &kind, role);
        let known = id.as_ref().and_then(|id| self.numbers.get(id).copied());
        let number = known.unwrap_or_else(|| {
            self.messages.push(WrittenMessage { id: id.clone(), ..WrittenMessage::default() });
            self.messages.len() - 1
        });
        let new = self.renew(number, pieces, out);
        // What only repeats the results of calls is no message.
        let repeats = known.is_none() && new.is_empty() && role == Some(MessageRole::User);
        if (known.is_some() && new.is_empty()) || repeats {
            return self.numbers.extend(id.map(|id| (id, number)));
        }
        if known.is_none() || self.last != Some(number) {
            let results = new.iter().all(|piece| matches!(piece.slot, Slot::Result(_)));
            let role = if results && !new.is_empty() { Some(MessageRole::Tool) } else { role };
            let label = role.is_none().then(|| kind.as_ref().into());
            let (time, model) = (record.words_of("timestamp"), record.words_of("model"));
            out.message(Message { role, time, model, id: id.clone(), label, ..Message::default() });
        }
        if kind == "error" {
            let words = record.text_of("content").unwrap_or_default();
            let words = words.lines().next().unwrap_or_default();
            out.problem(Code::AnswerStopped, record.source(), format!("the program reports an error: {words}"));
        }
        let before = out.len();
        for StatedPiece { slot, piece, text, unknown } in new {
            if let Some(source) = unknown {
                out.problem(Code::UnknownRecord, source, "this part is not known here; it is shown as it stands");
            }
            let hash = hash_of(&text);
            let start = if let MessagePart::Text(_) = piece { out.begin_step(piece) } else { out.begin(piece) };
            out.write(&text);
            out.end();
            let span = Span::new(start, out.len());
            self.messages[number].pieces.insert(slot, WrittenPiece { hash, span });
        }
        self.messages[number].spans.push(Span::new(before, out.len()));
        self.numbers.extend(id.map(|id| (id, number)));
        self.last = Some(number);
    }

    /// Compares a message with what stands of it already: what is gone counts no more, and what is left is new.
    fn renew(&mut self, number: usize, pieces: Vec<StatedPiece>, out: &mut TextWriter) -> Vec<StatedPiece> {
        let written = &mut self.messages[number].pieces;
        let stated: HashMap<&Slot, u64> = pieces.iter().map(|piece| (&piece.slot, hash_of(&piece.text))).collect();
        let differs = |slot: &Slot, old: &WrittenPiece| stated.get(slot) != Some(&old.hash);
        // The result of a call that has changed is that of the call as it is now.
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
        gone.sort_unstable_by_key(|(_, span)| span.start);
        for (slot, span) in gone {
            match slot {
                Slot::Call(_) => out.event(ContainerEvent::Replaced { start: span.start, is_result: false }),
                Slot::Result(_) => out.event(ContainerEvent::Replaced { start: span.start, is_result: true }),
                Slot::Thought(_) | Slot::Content(_) => out.event(ContainerEvent::Withdrawn(span)),
            }
        }
        pieces.into_iter().filter(|piece| !written.contains_key(&piece.slot)).collect()
    }

    /// All that the record of a message says: thoughts, words, calls, and their results behind them.
    fn pieces(&mut self, record: JsonValue<'_>, kind: &str, role: Option<MessageRole>) -> Vec<StatedPiece> {
        let mut pieces = Vec::new();
        let thoughts = record.get("thoughts").into_iter().flat_map(|thoughts| thoughts.items());
        for (number, thought) in thoughts.enumerate() {
            pieces.push(StatedPiece::new(Slot::Thought(number), MessagePart::Reasoning, thought_text(thought)));
        }
        let calls: Vec<JsonValue<'_>> = record.get("toolCalls").into_iter().flat_map(|calls| calls.items()).collect();
        let ids: HashSet<Box<str>> = calls.iter().filter_map(|call| call.words_of("id")).collect();
        if let Some(content) = record.get("content").filter(|content| !content.is_void()) {
            let list: Vec<JsonValue<'_>> =
                if content.kind() == JsonKind::Array { content.items().collect() } else { vec![content] };
            for (number, part) in list.into_iter().enumerate() {
                let slot = Slot::Content(number);
                pieces.extend(self.content_piece(slot, part, kind, role, &ids));
            }
        }
        for &call in &calls {
            let id = call.words_of("id").unwrap_or_default();
            let text = call_text(call);
            pieces.push(StatedPiece::new(Slot::Call(id), text.part(None), text.text));
        }
        for &call in &calls {
            pieces.extend(result_piece(call));
            self.answered.extend(call.words_of("id").filter(|_| call.get("result").is_some_and(|it| !it.is_void())));
        }
        pieces
    }

    /// A part of the content; what the calls of the record say as well is none.
    fn content_piece(
        &self,
        slot: Slot,
        part: JsonValue<'_>,
        kind: &str,
        role: Option<MessageRole>,
        ids: &HashSet<Box<str>>,
    ) -> Option<StatedPiece> {
        let reading = Interpretation::from_role(Some(role.unwrap_or(MessageRole::System)));
        let said = if role.is_some() { MessagePart::Text(reading) } else { MessagePart::Envelope(kind.into()) };
        if part.kind() == JsonKind::Text {
            return Some(StatedPiece::new(slot, said, Fragment::from_value(part)));
        }
        let parsed = GeminiPart::new(part);
        match parsed {
            GeminiPart::Call(call) if call.words_of("id").is_some_and(|id| ids.contains(&id)) => None,
            GeminiPart::Response(value) => {
                let id = value.words_of("id");
                let is_new = id.as_ref().is_none_or(|id| !self.answered.contains(id));
                let (verdict, text) = response(value);
                let piece = MessagePart::Result(ToolResult { call: id, verdict });
                is_new.then(|| StatedPiece::new(slot, piece, text))
            }
            GeminiPart::Text(text) => Some(StatedPiece::new(slot, said, Fragment::from_value(text))),
            _ => {
                if let Some((piece, text)) = parsed.piece(reading) {
                    return Some(StatedPiece::new(slot, piece, text));
                }
                let is_unknown = matches!(parsed, GeminiPart::Unknown | GeminiPart::CodeResult(_));
                is_unknown.then(|| StatedPiece {
                    unknown: Some(part.source()),
                    ..StatedPiece::new(slot, MessagePart::Envelope("part".into()), standing(part))
                })
            }
        }
    }

    /// A checkpoint: these messages are all that counts. Those at the beginning that are the same stay where they are.
    fn replace_all(&mut self, messages: JsonValue<'_>, out: &mut TextWriter) {
        let new = messages.items().map(|message| message.words_of("id"));
        let same = new.zip(&self.messages).take_while(|(id, known)| id.is_some() && *id == known.id).count();
        self.rewind(same, out);
        messages.items().for_each(|message| self.message(message, out));
    }

    /// The messages from this number on count no more.
    fn rewind(&mut self, number: usize, out: &mut TextWriter) {
        let gone = self.messages.split_off(number.min(self.messages.len()));
        let mut spans: Vec<Span> = Vec::new();
        let mut all: Vec<Span> = gone.iter().flat_map(|message| &message.spans).copied().collect();
        all.sort_unstable_by_key(|span| span.start);
        for span in all.into_iter().filter(|span| !span.is_empty()) {
            match spans.last_mut() {
                // A line feed stands between two messages.
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

fn thought_text(thought: JsonValue<'_>) -> Fragment {
    let mut text = Fragment::default();
    for key in ["subject", "description"] {
        if let Some(words) = thought.string_of(key).filter(|words| !words.is_void()) {
            if !text.is_empty() {
                text.add("\n", words.source().start);
            }
            text.say(words);
        }
    }
    if text.is_empty() { Fragment::from_value(thought) } else { text }
}

fn call_text(call: JsonValue<'_>) -> CallText {
    let at = call.source().start;
    let mut text = CallText::default();
    text.text.add("{\"id\":", at);
    text.id(call.get("id"), at);
    text.text.add(",\"name\":", at);
    text.name(call.get("name"), "", at);
    if let Some(args) = call.get("args") {
        text.text.add(",\"args\":", args.source().start);
        text.text.stand(args);
    }
    text.text.add("}", call.source().end);
    text
}

/// What came of a call, by its own record; nothing while it is under way.
fn result_piece(call: JsonValue<'_>) -> Option<StatedPiece> {
    let id = call.words_of("id");
    let result = member(call, "result").filter(|result| !result.is_void());
    let verdict = match call.text_of("status").as_deref() {
        Some("success") => CallOutcome::Fine,
        Some("error") => CallOutcome::Failed,
        Some("cancelled") => CallOutcome::Denied,
        _ if result.is_some() => CallOutcome::Unsaid,
        _ => return None,
    };
    let mut text = Fragment::default();
    let list: Vec<JsonValue<'_>> = match result {
        Some(result) if result.kind() == JsonKind::Array => result.items().collect(),
        result => result.into_iter().collect(),
    };
    // The record may hold the responses to all calls of the turn.
    let is_own = |part: &JsonValue<'_>| match GeminiPart::new(*part) {
        GeminiPart::Response(value) => id.is_some() && value.words_of("id") == id,
        _ => false,
    };
    let has_own = list.iter().any(is_own);
    for part in list {
        let parsed = GeminiPart::new(part);
        let more = match parsed {
            GeminiPart::Response(_) if has_own && !is_own(&part) => continue,
            GeminiPart::Response(value) => response(value).1,
            GeminiPart::Blank => continue,
            _ => parsed.piece(Interpretation::Shown).map_or_else(|| Fragment::from_value(part), |(_, text)| text),
        };
        if text.bytes.last().is_some_and(|last| *last != b'\n') {
            text.add("\n", part.source().start);
        }
        text.append(&more);
    }
    if let Some(shown) = call.string_of("resultDisplay").filter(|_| text.is_empty()) {
        text.say(shown);
    }
    let slot = Slot::Result(id.clone().unwrap_or_default());
    Some(StatedPiece::new(slot, MessagePart::Result(ToolResult { call: id, verdict }), text))
}

impl RecordReader for GeminiCli {
    fn record(&mut self, record: &JsonRecord<'_>, out: &mut TextWriter) {
        let value = record.value;
        if let Some(id) = value.text_of("$rewindTo") {
            let number = self.numbers.get(id.as_ref()).copied();
            self.rewind(number.unwrap_or_default(), out);
        } else if let Some(update) = value.get("$set") {
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

    fn aside(&mut self, piece: MessagePart, fragment: &Fragment, out: &mut TextWriter) {
        self.last = None;
        self.printed.pause();
        out.piece(piece, fragment);
    }

    fn finish(&mut self, at: usize, out: &mut TextWriter) {
        self.printed.finish(at, out);
    }
}
