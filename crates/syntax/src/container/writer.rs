//! Assembles the transcript text: messages, parts and the bytes between them, with a map to the file.
//!
//! Each part begins on a new line: if the one before it does not end with a line feed, one is added that is not in the
//! file.

use super::facts::Fact;
use super::fragment::{self, Fragment};
use super::interruption::CutAnswers;
use super::json::JsonValue;
use super::{Batch, ContainerEvent, Message, MessagePart};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::text::{OffsetMap, Span, steps};

/// Writes the transcript text; its bytes and events are taken in batches.
#[derive(Debug, Default)]
pub struct TextWriter {
    map: OffsetMap,
    batch: Batch,
    spoken: bool,
    open: bool,
    /// True if the last byte is not a line feed.
    mid_line: bool,
    records: RecordCounts,
    /// Number of messages so far.
    messages: usize,
    /// Number of parts so far.
    pieces: usize,
    session: SessionState,
    cut: CutAnswers,
    /// Span of the current record in the file.
    at: Span,
    /// Offset of the last message.
    message: usize,
}

/// State of the session id of the file.
#[derive(Debug, Default, PartialEq, Eq)]
enum SessionState {
    #[default]
    Unsaid,
    Said,
}

/// Number of messages and parts written so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct OutputCounts {
    /// Number of messages, including empty ones.
    pub(crate) messages: usize,
    /// Number of parts.
    pub(crate) pieces: usize,
}

/// Most bytes of a session id; a longer string is not one.
const MAX_SESSION_ID: usize = 256;

/// Number of records, and of those not understood.
#[derive(Debug, Default)]
struct RecordCounts {
    all: usize,
    unknown: usize,
    /// True if a part of the current record has been read.
    has_parts: bool,
    /// True if something in the current record was not understood.
    is_unknown: bool,
}

impl TextWriter {
    /// Maps the transcript text to the file.
    pub(crate) fn map(&self) -> &OffsetMap {
        &self.map
    }

    /// Takes the output since the last call.
    pub(crate) fn take(&mut self) -> Batch {
        // The next batch is probably of similar size.
        let text = Vec::with_capacity(self.batch.text.len());
        let events = Vec::with_capacity(self.batch.events.len());
        std::mem::replace(&mut self.batch, Batch { text, events })
    }

    /// Number of bytes of the transcript text.
    pub(crate) fn len(&self) -> usize {
        self.map.len()
    }

    /// True if it has no bytes.
    pub fn is_empty(&self) -> bool {
        self.map.is_empty()
    }

    /// Begins a record of the file.
    pub(crate) fn record(&mut self, source: Span) {
        self.at = source;
        self.batch.events.push(ContainerEvent::Record { source });
    }

    pub(crate) fn end_record(&mut self) {
        self.records.has_parts = false;
        self.records.all += 1;
        self.records.unknown += usize::from(std::mem::take(&mut self.records.is_unknown));
    }

    /// Ends a part of a record; [`TextWriter::end_parts`] ends the record.
    pub(crate) fn end_part(&mut self) {
        self.records.has_parts = true;
    }

    /// Ends a record that was read in parts, if any part was.
    pub(crate) fn end_parts(&mut self) {
        if self.records.has_parts {
            self.end_record();
        }
    }

    /// Number of records so far, and of understood ones.
    pub(crate) fn records(&self) -> (usize, usize) {
        (self.records.all, self.records.all - self.records.unknown)
    }

    /// Number of messages and parts so far.
    pub(crate) fn yielded(&self) -> OutputCounts {
        OutputCounts { messages: self.messages, pieces: self.pieces }
    }

    /// Begins a conversation that is independent of those before it.
    pub(crate) fn conversation(&mut self, title: Option<Box<str>>) {
        self.end();
        self.batch.events.push(ContainerEvent::Conversation { title });
    }

    /// Begins a message at the end of the text, on a new line.
    pub(crate) fn message(&mut self, mut message: Message) {
        self.end();
        self.line();
        message.start = self.len();
        self.message = message.start;
        self.spoken = true;
        self.messages += 1;
        self.batch.events.push(ContainerEvent::Message(message));
    }

    /// States when the rest of the message was recorded, if the file does.
    pub(crate) fn time(&mut self, time: Option<Box<str>>) {
        if let Some(time) = time {
            self.end();
            self.batch.events.push(ContainerEvent::Time(time));
        }
    }

    /// States the session that the file belongs to; `id` is called only until it has returned one.
    pub(crate) fn session_id(&mut self, id: impl FnOnce() -> Option<Box<str>>) {
        if self.session == SessionState::Said {
            return;
        }
        if let Some(id) = id().filter(|id| id.len() <= MAX_SESSION_ID) {
            self.session = SessionState::Said;
            self.batch.events.push(ContainerEvent::SessionId(id));
        }
    }

    /// States a fact about the session that holds from here; does not end a part. If the fact is about an incomplete
    /// answer, the reason is reported at the beginning of its message.
    pub(crate) fn fact(&mut self, fact: Fact) {
        if let Some(reason) = self.cut.reason(&fact) {
            let diagnostic = Diagnostic::new(Code::AnswerStopped, Span::at(self.message), reason);
            self.batch.events.push(ContainerEvent::Problem { diagnostic, source: self.at });
        }
        self.batch.events.push(ContainerEvent::Fact(Box::new(fact)));
    }

    /// Adds any other event; does not end a part.
    pub(crate) fn event(&mut self, event: ContainerEvent) {
        self.batch.events.push(event);
    }

    /// The events that have not been taken.
    pub(super) fn events(&self) -> &[ContainerEvent] {
        &self.batch.events
    }

    /// Inserts an event before number `number` of the events that have not been taken.
    pub(super) fn insert(&mut self, number: usize, event: ContainerEvent) {
        self.batch.events.insert(number, event);
    }

    /// The bytes of a range of the transcript text; they must not have been taken.
    pub(super) fn written(&self, place: Span) -> &[u8] {
        let taken = self.len() - self.batch.text.len();
        &self.batch.text[place.start.saturating_sub(taken)..place.end.saturating_sub(taken)]
    }

    /// Begins a part, and returns its offset; outside a message it begins one without a role.
    pub(crate) fn begin(&mut self, piece: MessagePart) -> usize {
        self.go_to_line();
        let start = self.len();
        self.open = true;
        self.pieces += 1;
        self.batch.events.push(ContainerEvent::Begin { part: piece, start });
        start
    }

    /// Begins the first part of a step, and returns its offset.
    pub(crate) fn begin_step(&mut self, piece: MessagePart) -> usize {
        self.go_to_line();
        self.batch.events.push(ContainerEvent::Step(self.len()));
        self.begin(piece)
    }

    /// Moves to a position where a part may begin, in some message.
    fn go_to_line(&mut self) {
        if !self.spoken {
            self.message(Message::default());
        }
        self.end();
        self.line();
    }

    /// Adds bytes to the open part.
    pub fn write(&mut self, fragment: &Fragment) {
        steps::add_copied(fragment.bytes.len());
        self.map.append(&fragment.map);
        self.add(&fragment.bytes);
    }

    /// Adds bytes to the open part that are verbatim at `at` in the file.
    pub(crate) fn copy(&mut self, bytes: &[u8], at: usize) {
        steps::add_copied(bytes.len());
        self.map.copied(at, bytes.len());
        self.add(bytes);
    }

    /// Adds the content of a value to the open part: a string decoded, anything else verbatim.
    pub(crate) fn value(&mut self, value: JsonValue<'_>) {
        let before = self.batch.text.len();
        fragment::say(value, &mut self.batch.text, &mut self.map);
        self.added(before);
    }

    fn add(&mut self, bytes: &[u8]) {
        let before = self.batch.text.len();
        self.batch.text.extend_from_slice(bytes);
        self.added(before);
    }

    /// Accounts for the bytes of the batch after the first `before`.
    fn added(&mut self, before: usize) {
        if let Some(last) = self.batch.text[before..].last() {
            self.mid_line = *last != b'\n';
        }
    }

    /// True if a part is open.
    pub(super) fn is_open(&self) -> bool {
        self.open
    }

    /// Ends the open part, if any.
    pub(crate) fn end(&mut self) {
        if std::mem::take(&mut self.open) {
            let end = self.len();
            self.batch.events.push(ContainerEvent::End { end });
        }
    }

    /// Writes a complete part with these bytes.
    pub(crate) fn piece(&mut self, piece: MessagePart, fragment: &Fragment) {
        self.begin(piece);
        self.write(fragment);
        self.end();
    }

    /// Writes a complete part with the content of a value.
    pub(crate) fn write_part(&mut self, piece: MessagePart, value: JsonValue<'_>) {
        self.begin(piece);
        self.value(value);
        self.end();
    }

    /// Writes a complete part with the JSON text of a value.
    pub(crate) fn stand(&mut self, piece: MessagePart, value: JsonValue<'_>) {
        self.begin(piece);
        let before = self.batch.text.len();
        fragment::copy(value, value.place(), &mut self.batch.text, &mut self.map);
        self.added(before);
        self.end();
    }

    /// Writes a record, or a part of one, raw as an envelope with this name.
    pub(crate) fn envelope(&mut self, name: &str, value: JsonValue<'_>) {
        self.stand(MessagePart::Envelope(name.into()), value);
    }

    /// Reports a problem with the bytes of the file at `source`, at the end of the text; between two parts that is the
    /// beginning of the next one, since the one before it is not at fault.
    pub(crate) fn problem(&mut self, code: Code, source: Span, message: impl Into<String>) {
        self.problem_with_severity(code, code.severity(), source, message);
    }

    /// Reports a problem with a given severity.
    pub(crate) fn problem_with_severity(
        &mut self,
        code: Code,
        severity: Severity,
        source: Span,
        message: impl Into<String>,
    ) {
        if !self.open {
            self.line();
        }
        self.records.is_unknown |= matches!(code, Code::UnknownRecord | Code::BrokenRecord);
        let diagnostic = Diagnostic { severity, ..Diagnostic::new(code, Span::at(self.len()), message) };
        self.batch.events.push(ContainerEvent::Problem { diagnostic, source });
    }

    fn line(&mut self) {
        if self.mid_line {
            self.map.added_behind(1);
            self.add(b"\n");
        }
    }
}
