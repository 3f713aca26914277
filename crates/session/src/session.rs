//! Reads one transcript: holds its text, its parser and the resulting document.
//!
//! Bytes are pushed as they arrive, and the result does not depend on how they are cut. A plain text file is its own
//! text; any other file is decoded into a text, whose pieces are read according to their kind.

mod calls;
mod chunk;
mod container_events;
mod model_text;
mod notes;
mod original;
pub mod parallel;
pub mod prompt;
mod reparse;

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

/// Bytes of the text that are read again at a time.
const AGAIN: usize = 256 * 1024;

/// A transcript that is being read.
pub struct Session {
    text: Text,
    lines: Lines,
    encoding: EncodingWatch,
    container: Container,
    choice: Option<Choice>,
    /// The file, if the text is or may be decoded from it.
    original: Option<Box<Original>>,
    scanner: Scanner,
    /// Dissects the calls in the records of the file.
    native: Native,
    text_calls: TextCalls,
    /// The kind of the conversation's first call.
    calls_seen: CallsSeen,
    now: TextRegion,
    /// The first item before the new ones that has changed.
    touched: usize,
    notices: Vec<String>,
    schemas: Option<Arc<Schemas>>,
    /// The runtimes between which messages are compared.
    portable: Option<Portable>,
    document: Document,
    /// The user's notes.
    notes: PlacedNotes,
    /// Reused buffer for the scanner's events.
    events: Vec<ParseEvent>,
    /// The lost ranges that were reported.
    lost: Vec<Span>,
    finished: bool,
}

/// The kind of the first call of a conversation, which shows whether its runtime reads text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum CallsSeen {
    #[default]
    None,
    /// A call in the records of the file.
    Recorded,
    /// A call in a text.
    InText,
}

/// The kind of the bytes that arrive now.
#[derive(Clone, Debug, PartialEq, Eq)]
enum TextRegion {
    /// A text that is searched for calls.
    Text,
    /// A call in the records of the file.
    Call(Box<RecordedCall>),
    /// A text that is not searched for calls.
    PlainText,
    /// A text of the model that begins at this offset, in a conversation whose runtime does not search text for calls.
    UnsearchedText(usize),
    /// Part of the item that began last, or bytes between two pieces.
    Between,
}

impl Session {
    /// An empty transcript, to be read with these options.
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

    /// An empty text without any message.
    fn of_text(container: Container, scanner: Scanner) -> Self {
        Self {
            choice: None,
            original: None,
            native: Native::default(),
            text_calls: TextCalls::default(),
            calls_seen: CallsSeen::None,
            now: TextRegion::Text,
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

    /// Reads a complete transcript with the default options.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        Self::read(bytes, &Options::default())
    }

    /// Reads a complete transcript, detecting its container by content.
    pub fn read(bytes: &[u8], options: &Options) -> Self {
        let mut session = Self::new(Container::default(), options);
        session.push(bytes);
        session.finish();
        session
    }

    /// A text that is not searched for calls, with problems that were found in it elsewhere; their spans are offsets in
    /// it.
    pub fn with_problems(bytes: &[u8], problems: &[Diagnostic]) -> Self {
        let mut session = Self { now: TextRegion::PlainText, ..Self::new(Container::plain(), &Options::default()) };
        session.push(bytes);
        for problem in problems {
            session.document.report(problem);
        }
        session.finish();
        session
    }

    /// Lets bytes leave memory that can be read again from `backing`, which begins with the first byte of the file.
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

    /// A copy of the session that can be read on independently; `None` if the text is decoded from a file.
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

    /// Sets how much of the text stays in memory once it can be read again; must be called before the first byte.
    pub fn set_paging(&mut self, paging: Paging) {
        self.text.set_paging(paging);
        if let Some(original) = &mut self.original {
            original.text.set_paging(paging);
        }
    }

    /// Reports bytes that left memory and turned out to be unreadable since the last call. True if there were any.
    pub fn report_losses(&mut self) -> bool {
        let lost = self.text.lost();
        let unknown: Vec<Span> = lost.iter().copied().filter(|span| !self.lost.contains(span)).collect();
        for &span in &unknown {
            let message = format!("{} bytes are lost: the file changed after they were read", span.len());
            self.document.report(&Diagnostic::new(Code::LostText, span, message));
        }
        self.lost = lost;
        !unknown.is_empty()
    }

    /// Takes in the next bytes; ignored after the end.
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

    /// Ends the text: closes what is open, and makes the checks that need the complete text.
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

    /// The document so far.
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// The cost of a request in US dollars: as recorded in the file, else computed from the price table in the options.
    pub fn cost_of(&self, request: &ModelRequest<'_>) -> Option<Figure<f64>> {
        self.document.requests().cost_of(request)
    }

    /// The container that was specified.
    pub fn container(&self) -> Container {
        self.container
    }

    /// The detected container and the reason; `None` while it is undecided, and if plain text was specified.
    pub fn choice(&self) -> Option<Choice> {
        self.choice
    }

    /// The bytes of the file, which are the text itself unless that is decoded.
    pub fn file(&self) -> &Text {
        self.original.as_ref().map_or(&self.text, |original| &original.text)
    }

    /// The lines of the file.
    pub fn file_lines(&self) -> &Lines {
        self.original.as_ref().map_or(&self.lines, |original| &original.lines)
    }

    /// True if the text is or may be decoded from the file, so that the two may differ.
    pub fn is_decoded(&self) -> bool {
        self.original.is_some()
    }

    /// The bytes of the file that a span of the text was decoded from.
    pub fn source_of(&self, span: Span) -> Span {
        self.original.as_ref().map_or(span, |original| original.reader.map().source_of(span))
    }

    /// The ranges of the file that a span of the text was decoded from, in text order; adjacent ones are merged.
    pub fn sources(&self, span: Span) -> Vec<Span> {
        self.original.as_ref().map_or_else(|| vec![span], |original| original.sources(span))
    }

    /// Offset in the text of the first byte that comes from the byte of the file at `source` or from a later one; the
    /// end of the text if there is none.
    pub fn text_offset_of(&self, source: usize) -> usize {
        let Some(original) = &self.original else { return source };
        original.reader.map().decoded_at(source).unwrap_or(self.text.len())
    }

    /// Offsets within a span of the text at which it continues elsewhere in the file, for instance between stream
    /// chunks.
    pub fn borders(&self, span: Span) -> Vec<usize> {
        self.original.as_ref().map_or_else(Vec::new, |original| original.reader.map().borders(span).collect())
    }

    /// The incomplete record at the end of the file.
    pub fn incomplete_record(&self) -> Span {
        let end = self.file().len();
        self.original.as_ref().map_or(Span::at(end), |original| original.reader.pending())
    }

    /// Notices for the user about the machine, safe to show; each is returned once.
    pub fn take_notices(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notices)
    }

    /// Names of the active dialects.
    pub fn dialect_names(&self) -> Vec<&'static str> {
        self.scanner.dialects().iter().map(|dialect| dialect.name()).collect()
    }

    /// True if the text has ended.
    pub fn is_finished(&self) -> bool {
        self.finished
    }

    /// The bytes at the end that may still become part of a marker.
    pub fn pending(&self) -> Span {
        let end = self.text.len();
        Span::new(if self.now == TextRegion::Text { self.scanner.decided() } else { end }, end)
    }

    /// The expected end of what is open, and the dialects that expect it; `None` if nothing is open, and after the end.
    pub fn expected(&self) -> Option<(Vec<&'static str>, Expected)> {
        match self.now {
            _ if self.finished => None,
            TextRegion::Text => self.scanner.expected(&self.text),
            TextRegion::Call(_) => {
                let expected = Expected::one(OpenPart::Call, Terminator::Words("the record that ends it"));
                Some((vec![self.native.info().name], expected))
            }
            TextRegion::PlainText | TextRegion::UnsearchedText(_) | TextRegion::Between => None,
        }
    }

    /// The dependency graph of the calls so far.
    pub fn graph(&self) -> Graph {
        Graph::new(&self.document, &self.text)
    }

    /// The outcomes of the calls so far.
    pub fn outcomes(&self) -> Outcomes {
        Outcomes::new(&self.document, SkippedCalls::new(&self.document).count())
    }

    /// The labels of the graph's nodes.
    pub fn labels(&self) -> CallLabels<'_> {
        CallLabels { document: &self.document, text: &self.text }
    }

    /// The position in the file of an offset in the text.
    pub fn position(&self, offset: usize) -> Position {
        self.file_lines().position(self.file(), self.source_of(Span::at(offset)).start)
    }

    /// Like [`Session::position`], counting on from the last position of `walk`.
    pub fn position_by(&self, walk: &mut Walk, offset: usize) -> Position {
        walk.position(self.file(), self.file_lines(), self.source_of(Span::at(offset)).start)
    }

    /// The span of a problem in the file.
    pub fn source_of_problem(&self, problem: &Diagnostic) -> Span {
        problem.source.unwrap_or_else(|| self.source_of(problem.span))
    }

    /// The position in the file at which a problem begins, counting on from the last position of `walk`.
    pub fn place_of_problem(&self, walk: &mut Walk, problem: &Diagnostic) -> Position {
        walk.position(self.file(), self.file_lines(), self.source_of_problem(problem).start)
    }

    /// The first item that the next bytes may change: the last item can grow.
    fn delta(&self) -> Delta {
        Delta { first_item: self.document.stable_items() }
    }

    /// The delta including earlier items that were touched. Finds the notes on new items.
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
        if !self.encoding.skip_plain(bytes) {
            for problem in self.encoding.push(bytes) {
                self.document.report(&problem);
            }
        }
    }

    #[inline]
    fn read_on(&mut self, bytes: &[u8]) {
        self.add(bytes);
        if self.now == TextRegion::Text && self.scanner.skip_plain(&self.text) {
            self.document.extend(self.scanner.decided());
            self.text.release(self.scanner.needed());
        } else {
            self.advance(false);
        }
    }

    /// Scans the text up to the last decision that is possible now; to its end if the text `ends` here.
    fn advance(&mut self, ends: bool) {
        match &self.now {
            TextRegion::Text => {}
            TextRegion::Call(call) => return self.text.release(call.start),
            TextRegion::PlainText | TextRegion::Between => return self.text.release(self.text.len()),
            TextRegion::UnsearchedText(start) => return self.text.release(*start),
        }
        let mut events = std::mem::take(&mut self.events);
        // The whole text, if the scanner has gone back to bytes that have left memory, so that they are read again.
        let mut whole: Option<Text> = None;
        loop {
            let ends = ends && whole.as_ref().is_none_or(|whole| whole.len() == self.text.len());
            let behind_call = self.scanner.advance(&self.text, ends, &mut events);
            let (decided, needed) = (self.scanner.decided(), self.scanner.needed());
            for event in events.drain(..) {
                let ended = matches!(event, ParseEvent::Close(_));
                self.document.apply(event, &self.text);
                if ended {
                    self.note_call_kind(CallsSeen::InText);
                    self.judge_last_call(None);
                }
            }
            if needed < self.text.released() {
                let rewound = whole.as_ref().unwrap_or(&self.text).rewound(needed);
                let before = std::mem::replace(&mut self.text, rewound);
                whole.get_or_insert(before);
            } else if !behind_call {
                self.document.extend_open_call(decided);
                self.text.release(needed);
                let Some(whole) = whole.as_ref().filter(|whole| self.text.len() < whole.len()) else { break };
                let start = self.text.len();
                self.text.push(&whole.read(Span::new(start, start + AGAIN)));
            }
        }
        self.events = events;
    }

    /// Records the kind of a call; the first one counts.
    fn note_call_kind(&mut self, seen: CallsSeen) {
        if self.calls_seen == CallsSeen::None {
            self.calls_seen = seen;
        }
    }

    /// The reason why the text that arrives now is not searched for calls, as text; `None` if it is searched.
    pub fn unsearched_reason(&self) -> Option<&'static str> {
        let takes_records = self.choice.is_some_and(|choice| choice.about.calls == CallSource::Records);
        match (self.text_calls, self.calls_seen) {
            (TextCalls::Ignore, _) => Some("--text-calls ignore is set"),
            (TextCalls::Auto, _) if takes_records => Some("this agent takes its calls from records"),
            (TextCalls::Auto, CallsSeen::Recorded) => Some("the calls of this conversation are records"),
            (TextCalls::Read, _) | (TextCalls::Auto, CallsSeen::None | CallsSeen::InText) => None,
        }
    }
}
