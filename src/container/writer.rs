//! Puts the transcript text together: messages, pieces and the bytes between them, with the way back to the file.
//!
//! Each piece begins on a line of its own: where the one before it does not end with a line feed, one is added that
//! stands nowhere in the file.

use super::facts::Fact;
use super::fragment::{self, Fragment};
use super::interruption::CutAnswers;
use super::json::JsonValue;
use super::{Batch, ContainerEvent, Message, MessagePart};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::text::{OffsetMap, Span, steps};

/// The transcript text so far, of which the bytes are handed on.
#[derive(Debug, Default)]
pub struct TextWriter {
    map: OffsetMap,
    batch: Batch,
    spoken: bool,
    open: bool,
    /// Whether the last byte is something else than a line feed.
    mid_line: bool,
    records: RecordCounts,
    /// Number of messages so far.
    messages: usize,
    /// Number of pieces so far.
    pieces: usize,
    session: SessionState,
    cut: CutAnswers,
    /// Where the record that is read is in the file.
    at: Span,
    /// Where the last message begins.
    message: usize,
}

/// Whether the file has said which session it belongs to.
#[derive(Debug, Default, PartialEq, Eq)]
enum SessionState {
    #[default]
    Unsaid,
    Said,
}

/// Number of messages and items that the records gave so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Yield {
    /// Number of messages, empty ones as well.
    pub messages: usize,
    /// Number of pieces, of which each is text, a call, a result or an aside.
    pub pieces: usize,
}

/// Most bytes of the id of a session; longer words are none.
const MAX_SESSION_ID: usize = 256;

/// How many records there were, and how many of them were understood.
#[derive(Debug, Default)]
struct RecordCounts {
    all: usize,
    unknown: usize,
    /// Whether parts of the record that is read have come.
    has_parts: bool,
    /// Whether something in the record that is read was not understood.
    is_unknown: bool,
}

impl TextWriter {
    /// The way back to the file.
    pub fn map(&self) -> &OffsetMap {
        &self.map
    }

    /// What has been added since the last time.
    pub fn take(&mut self) -> Batch {
        // What follows is about as much.
        let text = Vec::with_capacity(self.batch.text.len());
        let events = Vec::with_capacity(self.batch.events.len());
        std::mem::replace(&mut self.batch, Batch { text, events })
    }

    /// Number of bytes of the transcript text.
    pub fn len(&self) -> usize {
        self.map.len()
    }

    /// Whether there is no byte yet.
    pub fn is_empty(&self) -> bool {
        self.map.is_empty()
    }

    /// A record of the file is read next.
    pub fn record(&mut self, source: Span) {
        self.at = source;
        self.batch.events.push(ContainerEvent::Record { source });
    }

    /// A record that was read is over.
    pub fn end_record(&mut self) {
        self.records.has_parts = false;
        self.records.all += 1;
        self.records.unknown += usize::from(std::mem::take(&mut self.records.is_unknown));
    }

    /// A part of a record was read, which [`TextWriter::end_parts`] ends.
    pub fn end_part(&mut self) {
        self.records.has_parts = true;
    }

    /// All parts of a record have been read, if there were any.
    pub fn end_parts(&mut self) {
        if self.records.has_parts {
            self.end_record();
        }
    }

    /// Number of records so far, and of those among them that were understood.
    pub fn records(&self) -> (usize, usize) {
        (self.records.all, self.records.all - self.records.unknown)
    }

    /// Number of messages and of pieces so far.
    pub fn yielded(&self) -> Yield {
        Yield { messages: self.messages, pieces: self.pieces }
    }

    /// A conversation begins that knows nothing of those before it, and that the file calls `title`.
    pub fn conversation(&mut self, title: Option<Box<str>>) {
        self.end();
        self.batch.events.push(ContainerEvent::Conversation { title });
    }

    /// A message begins where the text has come to, on a line of its own.
    pub fn message(&mut self, mut message: Message) {
        self.end();
        self.line();
        message.start = self.len();
        self.message = message.start;
        self.spoken = true;
        self.messages += 1;
        self.batch.events.push(ContainerEvent::Message(message));
    }

    /// What follows in the message was written down at this time, if the file says one.
    pub fn time(&mut self, time: Option<Box<str>>) {
        if let Some(time) = time {
            self.end();
            self.batch.events.push(ContainerEvent::Time(time));
        }
    }

    /// Which session the file belongs to, if it says so here; asked for only until it has said it.
    pub fn session_id(&mut self, id: impl FnOnce() -> Option<Box<str>>) {
        if self.session == SessionState::Said {
            return;
        }
        if let Some(id) = id().filter(|id| id.len() <= MAX_SESSION_ID) {
            self.session = SessionState::Said;
            self.batch.events.push(ContainerEvent::SessionId(id));
        }
    }

    /// A fact about the session that holds here; it does not end a piece. Of an answer that is not whole the reason is
    /// reported where its message begins.
    pub fn fact(&mut self, fact: Fact) {
        if let Some(reason) = self.cut.reason(&fact) {
            let diagnostic = Diagnostic::new(Code::AnswerStopped, Span::at(self.message), reason);
            self.batch.events.push(ContainerEvent::Problem { diagnostic, source: self.at });
        }
        self.batch.events.push(ContainerEvent::Fact(Box::new(fact)));
    }

    /// Any other event; it does not end a piece.
    pub fn event(&mut self, event: ContainerEvent) {
        self.batch.events.push(event);
    }

    /// The events that have not been taken.
    pub(super) fn events(&self) -> &[ContainerEvent] {
        &self.batch.events
    }

    /// Puts an event before the one with this number among those that have not been taken.
    pub(super) fn insert(&mut self, number: usize, event: ContainerEvent) {
        self.batch.events.insert(number, event);
    }

    /// The bytes at a place of the transcript text that have not been taken.
    pub(super) fn said(&self, place: Span) -> &[u8] {
        let taken = self.len() - self.batch.text.len();
        &self.batch.text[place.start.saturating_sub(taken)..place.end.saturating_sub(taken)]
    }

    /// A piece begins, and where; one that no message holds is in a message of nobody in particular.
    pub fn begin(&mut self, piece: MessagePart) -> usize {
        self.go_to_line();
        let start = self.len();
        self.open = true;
        self.pieces += 1;
        self.batch.events.push(ContainerEvent::Begin { piece, start });
        start
    }

    /// The same of the first piece of a step.
    pub fn begin_step(&mut self, piece: MessagePart) -> usize {
        self.go_to_line();
        self.batch.events.push(ContainerEvent::Step(self.len()));
        self.begin(piece)
    }

    /// Goes to where a piece may begin, in some message.
    fn go_to_line(&mut self) {
        if !self.spoken {
            self.message(Message::default());
        }
        self.end();
        self.line();
    }

    /// Bytes of the open piece.
    pub fn write(&mut self, fragment: &Fragment) {
        steps::add_copied(fragment.bytes.len());
        self.map.append(&fragment.map);
        self.add(&fragment.bytes);
    }

    /// Bytes of the open piece that stand as they are at `at`.
    pub fn copy(&mut self, bytes: &[u8], at: usize) {
        steps::add_copied(bytes.len());
        self.map.copied(at, bytes.len());
        self.add(bytes);
    }

    /// What a value says, in the open piece: a string decoded, anything else as it stands.
    pub fn value(&mut self, value: JsonValue<'_>) {
        let before = self.batch.text.len();
        fragment::say(value, &mut self.batch.text, &mut self.map);
        self.added(before);
    }

    fn add(&mut self, bytes: &[u8]) {
        let before = self.batch.text.len();
        self.batch.text.extend_from_slice(bytes);
        self.added(before);
    }

    /// The bytes of the batch behind the first `before` have been added.
    fn added(&mut self, before: usize) {
        if let Some(last) = self.batch.text[before..].last() {
            self.mid_line = *last != b'\n';
        }
    }

    /// The open piece ends, if there is one.
    pub fn end(&mut self) {
        if std::mem::take(&mut self.open) {
            let end = self.len();
            self.batch.events.push(ContainerEvent::End { end });
        }
    }

    /// A whole piece with these bytes.
    pub fn piece(&mut self, piece: MessagePart, fragment: &Fragment) {
        self.begin(piece);
        self.write(fragment);
        self.end();
    }

    /// A whole piece that is what a value says.
    pub fn say(&mut self, piece: MessagePart, value: JsonValue<'_>) {
        self.begin(piece);
        self.value(value);
        self.end();
    }

    /// A whole piece that is a value as it stands.
    pub fn stand(&mut self, piece: MessagePart, value: JsonValue<'_>) {
        self.begin(piece);
        let before = self.batch.text.len();
        fragment::copy(value, value.place(), &mut self.batch.text, &mut self.map);
        self.added(before);
        self.end();
    }

    /// A record, or a part of one, as it stands, which is called `name`.
    pub fn envelope(&mut self, name: &str, value: JsonValue<'_>) {
        self.stand(MessagePart::Envelope(name.into()), value);
    }

    /// A problem with the bytes of the file at `source`, shown where the transcript text has come to: between two
    /// pieces that is where the next one begins, since the one before it is not at fault.
    pub fn problem(&mut self, code: Code, source: Span, message: impl Into<String>) {
        self.weighty(code, code.severity(), source, message);
    }

    /// The same with a weight of its own.
    pub fn weighty(&mut self, code: Code, severity: Severity, source: Span, message: impl Into<String>) {
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
