//! One transcript being read: its text, its parser and what they have found.
//!
//! Bytes go in as they come, and however they are cut the result is the same. A file of plain text is its own text; of
//! any other the text is decoded, and its pieces are read as what they are.

mod calls;
mod container_events;
mod model_text;
mod notes;
mod original;
pub mod parallel;
pub mod prompt;
mod reparse;
mod stretch;

use std::sync::Arc;

use crate::container::facts::Figure;
use crate::container::{CallSource, Choice, Container, Message};
use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::native::Native;
use crate::dialect::scanner::Scanner;
use crate::dialect::{Dialect as _, Expected, OpenPart, Options, ParseEvent, Portable, Terminator, TextCalls};
use crate::document::Outcomes;
use crate::document::facts::requests::ModelRequest;
use crate::document::graph::{CallLabels, Graph, SkippedCalls};
use crate::document::{Delta, Document};
use crate::notes::PlacedNotes;
use crate::text::encoding::EncodingWatch;
use crate::text::store::{Backing, Paging};
use crate::text::{Lines, Position, Span, Text, Walk};
use crate::value::schema::Schemas;

use calls::RecordedCall;
pub use calls::{MAX_CALL, MAX_DISSECTED};
use original::Original;

/// Bytes that are read again at a time.
const AGAIN: usize = 256 * 1024;

/// A transcript that is being read.
pub struct Session {
    text: Text,
    lines: Lines,
    encoding: EncodingWatch,
    container: Container,
    choice: Option<Choice>,
    /// The file, where the text is decoded from it, or may be.
    original: Option<Box<Original>>,
    scanner: Scanner,
    /// Takes the calls of a file's own records apart.
    native: Native,
    text_calls: TextCalls,
    /// What calls the conversation has had so far.
    calls_seen: CallsSeen,
    now: Now,
    /// The first item before those that are new of which something has changed.
    touched: usize,
    notices: Vec<String>,
    schemas: Option<Arc<Schemas>>,
    /// Between which runtimes a text is compared.
    portable: Option<Portable>,
    document: Document,
    /// What a person noted on it.
    notes: PlacedNotes,
    /// Room for what the scanner says.
    events: Vec<ParseEvent>,
    /// What was reported as lost.
    lost: Vec<Span>,
    finished: bool,
}

/// The calls that a conversation has had: whether its runtime reads text shows by them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum CallsSeen {
    #[default]
    None,
    /// The first one was one of the file's own records.
    Recorded,
    /// The first one was in a text.
    InText,
}

/// What the bytes are that come now.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Now {
    /// A text in which calls are looked for.
    Text,
    /// A call of the file's own.
    Call(Box<RecordedCall>),
    /// A text in which they are not.
    Said,
    /// A text of the model that begins at this offset, in which the runtime does not look for calls.
    Unread(usize),
    /// Part of the item that began last, or what stands between two pieces.
    Between,
}

impl Session {
    /// A transcript without a byte, to be read with these options.
    pub fn new(container: Container, options: &Options) -> Self {
        let mut session = Self {
            text_calls: options.reads_text(),
            schemas: options.schemas.clone(),
            portable: options.portable.clone(),
            ..Self::of_text(container, Scanner::from_options(options))
        };
        session.document.set_prices(options.prices.clone());
        if container.is_plain() {
            session.document.begin_message(Message::default());
        } else {
            session.original = Some(Box::new(Original::new(container)));
        }
        session
    }

    /// A text without a byte, which is no message yet.
    fn of_text(container: Container, scanner: Scanner) -> Self {
        Self {
            choice: None,
            original: None,
            native: Native::default(),
            text_calls: TextCalls::default(),
            calls_seen: CallsSeen::None,
            now: Now::Text,
            touched: usize::MAX,
            notices: Vec::new(),
            text: Text::default(),
            lines: Lines::default(),
            encoding: EncodingWatch::default(),
            container,
            scanner,
            schemas: None,
            portable: None,
            document: Document::default(),
            notes: PlacedNotes::default(),
            events: Vec::new(),
            lost: Vec::new(),
            finished: false,
        }
    }

    /// A whole transcript with the default options.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        Self::read(bytes, &Options::default())
    }

    /// A whole transcript, of the container that its content shows.
    pub fn read(bytes: &[u8], options: &Options) -> Self {
        let mut session = Self::new(Container::default(), options);
        session.push(bytes);
        session.finish();
        session
    }

    /// A text that is not searched for calls, with problems that were found in it elsewhere; their spans lie in it.
    pub fn with_problems(bytes: &[u8], problems: &[Diagnostic]) -> Self {
        let mut session = Self { now: Now::Said, ..Self::new(Container::plain(), &Options::default()) };
        session.push(bytes);
        for problem in problems {
            session.document.report(problem);
        }
        session.finish();
        session
    }

    /// Lets bytes leave memory that can be read again from `backing`, the first one at offset 0.
    pub fn back(&mut self, backing: Backing) {
        match &mut self.original {
            Some(original) => {
                if backing.is_complete {
                    original.reader.expect_end();
                }
                original.text.back(backing);
            }
            None => self.text.back(backing),
        }
    }

    /// The same session once more, to be read on in its own way; none where the text is decoded from a file.
    pub fn fork(&self) -> Option<Self> {
        let is_plain = self.original.is_none();
        is_plain.then(|| Self {
            text: self.text.fork(),
            lines: self.lines.clone(),
            encoding: self.encoding.clone(),
            container: self.container,
            choice: self.choice,
            original: None,
            scanner: self.scanner.clone(),
            native: self.native.clone(),
            text_calls: self.text_calls,
            calls_seen: self.calls_seen,
            now: self.now.clone(),
            touched: self.touched,
            notices: self.notices.clone(),
            schemas: self.schemas.clone(),
            portable: self.portable.clone(),
            document: self.document.clone(),
            notes: self.notes.clone(),
            events: Vec::new(),
            lost: self.lost.clone(),
            finished: self.finished,
        })
    }

    /// Sets how much of the text stays in memory when it can be read again; before anything was taken in.
    pub fn set_paging(&mut self, paging: Paging) {
        self.text.set_paging(paging);
        if let Some(original) = &mut self.original {
            original.text.set_paging(paging);
        }
    }

    /// Reports what turned out to be lost since this was last asked: bytes that left memory and cannot be read again.
    /// Whether there was any.
    pub fn report_losses(&mut self) -> bool {
        let lost = self.text.lost();
        let unknown: Vec<Span> = lost.iter().copied().filter(|span| !self.lost.contains(span)).collect();
        for &span in &unknown {
            let message = format!("{} bytes are lost: the file is not what it was when they were read", span.len());
            self.document.report(&Diagnostic::new(Code::LostText, span, message));
        }
        self.lost = lost;
        !unknown.is_empty()
    }

    /// Takes in the bytes that follow; none are taken after the end.
    pub fn push(&mut self, bytes: &[u8]) -> Delta {
        let delta = self.delta();
        if self.finished {
            return delta;
        }
        match self.original.take() {
            None => self.read_on(bytes),
            Some(mut original) => {
                let batch = original.push(bytes);
                self.take_batch(original, batch);
            }
        }
        self.changed(delta)
    }

    /// The text has ended: decides what is open, and judges what can only be judged at the end.
    pub fn finish(&mut self) -> Delta {
        let delta = self.delta();
        if !self.finished {
            if let Some(mut original) = self.original.take() {
                let batch = original.reader.finish();
                self.take_batch(original, batch);
            }
            self.finished = true;
            for problem in self.encoding.finish() {
                self.document.report(&problem);
            }
            self.advance(self.original.is_none());
            if self.original.is_none() {
                self.judge_portability(self.text.len());
            }
            self.document.finish(&self.text);
        }
        self.changed(delta)
    }

    /// The transcript text so far.
    pub fn text(&self) -> &Text {
        &self.text
    }

    /// The lines of the transcript text.
    pub fn lines(&self) -> &Lines {
        &self.lines
    }

    /// What was found so far.
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// The cost of a request in US dollars: as the file records it, else by the table of prices in the options.
    pub fn cost_of(&self, request: &ModelRequest<'_>) -> Option<Figure<f64>> {
        self.document.requests().cost_of(request)
    }

    /// What the file was said to be.
    pub fn container(&self) -> Container {
        self.container
    }

    /// What the file is, and why; `None` while that cannot be told, and where it was said to be plain text.
    pub fn choice(&self) -> Option<Choice> {
        self.choice
    }

    /// The bytes of the file: the text itself, unless that is decoded.
    pub fn file(&self) -> &Text {
        self.original.as_ref().map_or(&self.text, |original| &original.text)
    }

    /// The lines of the file.
    pub fn file_lines(&self) -> &Lines {
        self.original.as_ref().map_or(&self.lines, |original| &original.lines)
    }

    /// Whether the text is decoded from the file, so that the two differ, or may be.
    pub fn is_decoded(&self) -> bool {
        self.original.is_some()
    }

    /// The bytes of the file that a stretch of the text stands for.
    pub fn source_of(&self, span: Span) -> Span {
        self.original.as_ref().map_or(span, |original| original.reader.map().source_of(span))
    }

    /// The stretches of the file that a stretch of the text was decoded from, in the order of the text; neighbours are one.
    pub fn sources(&self, span: Span) -> Vec<Span> {
        self.original.as_ref().map_or_else(|| vec![span], |original| original.sources(span))
    }

    /// Offset in the text of the first byte that comes from the byte of the file at `source` or from one behind it; the
    /// end of the text if none does.
    pub fn decoded_at(&self, source: usize) -> usize {
        let Some(original) = &self.original else { return source };
        original.reader.map().decoded_at(source).unwrap_or(self.text.len())
    }

    /// Offsets in a stretch of the text at which it goes on elsewhere in the file: where a chunk of a stream ends.
    pub fn borders(&self, span: Span) -> Vec<usize> {
        self.original.as_ref().map_or_else(Vec::new, |original| original.reader.map().borders(span).collect())
    }

    /// The bytes at the end of the file that wait for the rest of their record.
    pub fn waiting(&self) -> Span {
        let end = self.file().len();
        self.original.as_ref().map_or(Span::at(end), |original| original.reader.pending())
    }

    /// What a person should know about the machine, safe to show; each is given once.
    pub fn take_notices(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notices)
    }

    /// Names of the active dialects.
    pub fn dialect_names(&self) -> Vec<&'static str> {
        self.scanner.dialects().iter().map(|dialect| dialect.name()).collect()
    }

    /// Whether the text has ended.
    pub fn is_finished(&self) -> bool {
        self.finished
    }

    /// The bytes at the end that may still become a marker.
    pub fn pending(&self) -> Span {
        let end = self.text.len();
        Span::new(if self.now == Now::Text { self.scanner.decided() } else { end }, end)
    }

    /// What the text waits for, and the dialects that do; nothing where nothing has begun, and at the end.
    pub fn awaits(&self) -> Option<(Vec<&'static str>, Expected)> {
        match self.now {
            _ if self.finished => None,
            Now::Text => self.scanner.expected(&self.text),
            Now::Call(_) => {
                let expected = Expected::one(OpenPart::Call, Terminator::Words("the record that ends it"));
                Some((vec![self.native.about().name], expected))
            }
            Now::Said | Now::Unread(_) | Now::Between => None,
        }
    }

    /// The dependency graph of the calls so far.
    pub fn graph(&self) -> Graph {
        Graph::new(&self.document, &self.text)
    }

    /// How the calls so far went.
    pub fn outcomes(&self) -> Outcomes {
        Outcomes::new(&self.document, SkippedCalls::new(&self.document).count())
    }

    /// The words of the graph's nodes.
    pub fn labels(&self) -> CallLabels<'_> {
        CallLabels { document: &self.document, text: &self.text }
    }

    /// The place in the file of an offset in the text, as people write it.
    pub fn position(&self, offset: usize) -> Position {
        self.file_lines().position(self.file(), self.source_of(Span::at(offset)).start)
    }

    /// The same, counted on from the last one that `walk` was asked for.
    pub fn position_by(&self, walk: &mut Walk, offset: usize) -> Position {
        walk.position(self.file(), self.file_lines(), self.source_of(Span::at(offset)).start)
    }

    /// Where a problem is in the file.
    pub fn source_of_problem(&self, problem: &Diagnostic) -> Span {
        problem.source.unwrap_or_else(|| self.source_of(problem.span))
    }

    /// The place in the file where a problem begins, counted on from the last one that `walk` was asked for.
    pub fn place_of_problem(&self, walk: &mut Walk, problem: &Diagnostic) -> Position {
        walk.position(self.file(), self.file_lines(), self.source_of_problem(problem).start)
    }

    /// What everything from here on will have changed: the last item may still grow.
    fn delta(&self) -> Delta {
        Delta { first_item: self.document.settled() }
    }

    /// The same with what has changed before that. Notes on what is new are found.
    fn changed(&mut self, delta: Delta) -> Delta {
        self.document.arrange();
        while self.find_notes() && self.finished {}
        let touched = std::mem::replace(&mut self.touched, usize::MAX);
        Delta { first_item: delta.first_item.min(touched) }
    }

    #[inline]
    fn add(&mut self, bytes: &[u8]) {
        self.text.push(bytes);
        self.lines.push(bytes);
        if !self.encoding.pass(bytes) {
            for problem in self.encoding.push(bytes) {
                self.document.report(&problem);
            }
        }
    }

    #[inline]
    fn read_on(&mut self, bytes: &[u8]) {
        self.add(bytes);
        if self.now == Now::Text && self.scanner.pass(&self.text) {
            self.document.go_on(self.scanner.decided());
            self.text.release(self.scanner.needed());
        } else {
            self.advance(false);
        }
    }

    /// Reads on as far as it can be decided, to the end of what there is if it `ends` here.
    fn advance(&mut self, ends: bool) {
        match &self.now {
            Now::Text => {}
            Now::Call(call) => return self.text.release(call.start),
            Now::Said | Now::Between => return self.text.release(self.text.len()),
            Now::Unread(start) => return self.text.release(*start),
        }
        let mut events = std::mem::take(&mut self.events);
        // The whole text, where the scanner has gone back further than memory does and what is behind is read again.
        let mut whole: Option<Text> = None;
        loop {
            let ends = ends && whole.as_ref().is_none_or(|whole| whole.len() == self.text.len());
            let behind_call = self.scanner.advance(&self.text, ends, &mut events);
            let (decided, needed) = (self.scanner.decided(), self.scanner.needed());
            for event in events.drain(..) {
                let ended = matches!(event, ParseEvent::Close(_));
                self.document.apply(event, &self.text);
                if ended {
                    self.see(CallsSeen::InText);
                    self.judge_last_call(None);
                }
            }
            if needed < self.text.released() {
                let rewound = whole.as_ref().unwrap_or(&self.text).rewound(needed);
                let before = std::mem::replace(&mut self.text, rewound);
                whole.get_or_insert(before);
            } else if !behind_call {
                self.document.stretch(decided);
                self.text.release(needed);
                let Some(whole) = whole.as_ref().filter(|whole| self.text.len() < whole.len()) else { break };
                let start = self.text.len();
                self.text.push(&whole.read(Span::new(start, start + AGAIN)));
            }
        }
        self.events = events;
    }

    /// A call of the conversation has come; the first one tells.
    fn see(&mut self, seen: CallsSeen) {
        if self.calls_seen == CallsSeen::None {
            self.calls_seen = seen;
        }
    }

    /// Why calls are not looked for in text that comes now, in words; nothing where they are.
    pub fn why_text_is_unread(&self) -> Option<&'static str> {
        let takes_records = self.choice.is_some_and(|choice| choice.about.calls == CallSource::Records);
        match (self.text_calls, self.calls_seen) {
            (TextCalls::Ignore, _) => Some("--text-calls ignore"),
            (TextCalls::Auto, _) if takes_records => Some("this agent takes its calls from records"),
            (TextCalls::Auto, CallsSeen::Recorded) => Some("the calls of this conversation are records"),
            (TextCalls::Read, _) | (TextCalls::Auto, CallsSeen::None | CallsSeen::InText) => None,
        }
    }
}
