//! The syntaxes in which a model writes a tool call, behind one trait.
//!
//! A [`Dialect`] is asked at bytes that may begin one of its markers whether a call begins there; the [`Block`] it
//! returns then follows the call to its end. Both turn bytes into [`Event`]s that are never taken back, however the
//! text is cut. This layer does not know documents, files or screens.
//!
//! # Adding a dialect
//!
//! 1. `dialect/NAME.rs`: the grammar in the module doc, `impl Dialect`, a table of tests.
//! 2. One line in [`registry`]; the order there is the priority where two claim the same byte.
//! 3. Pages for its own problems in `diagnostic/catalog`, cases in `tests/data/NAME/{ok,err}`, transcripts in
//!    `samples/NAME`.
//! 4. Its sign in [`foreign::SIGNS`], and a row in the README; `tests/parity.rs` asks for whatever is forgotten.

pub mod awaiting;
pub mod callout;
pub mod caret;
pub mod foreign;
pub mod gadget;
pub mod hermes;
pub mod native;
pub mod scan;
pub mod skim;
pub mod surroundings;
pub mod tags;
pub mod tool_fence;

use std::borrow::Cow;
use std::sync::Arc;

pub use crate::diagnostic::hidden_characters;
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::params::Assembly;
use crate::params::schema::{Schemas, Typing};
use crate::text::{Span, Text};

pub use awaiting::{Awaiting, Inside, Until};
pub use surroundings::Surroundings;

/// What the world may know about a dialect.
#[derive(Debug)]
pub struct About {
    /// Its name on the command line and in the output: `gadget`.
    pub name: &'static str,
    /// A title of a few words.
    pub title: &'static str,
    /// By what a call is recognised.
    pub recognised_by: &'static str,
    /// One complete call.
    pub example: &'static str,
    /// What the ids begin with that its runtime makes.
    pub id_prefix: &'static str,
    /// Which calls take a number for such an id.
    pub numbering: Numbering,
}

/// Which calls of a dialect take a number for an id that the runtime makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbering {
    /// Those without an id of their own.
    Nameless,
    /// All of them, also those that have one.
    Every,
}

/// What a dialect saw; offsets are in the transcript text. Of the most frequent ones there are millions, so the large
/// ones are boxed.
#[derive(Clone, Debug)]
pub enum Event {
    /// Prose; stretches that touch one another are one text.
    Text(Span),
    /// A call begins and its header is known.
    Open(Box<Opening>),
    /// An argument begins at this offset (of its marker), inside the open call.
    Argument(usize),
    /// The body of the open call gives its name or its id, which its header does not.
    Named(Box<Named>),
    /// The open call ends.
    Close(Closing),
    /// A problem; `of_call` says whether it is about the call opened last.
    Problem {
        /// The problem.
        diagnostic: Box<Diagnostic>,
        /// Whether it is about the call opened last.
        of_call: bool,
    },
}

impl Event {
    /// A call begins.
    pub fn open(opening: Opening) -> Self {
        Self::Open(Box::new(opening))
    }

    /// A problem about the call opened last.
    pub fn of_call(diagnostic: Diagnostic) -> Self {
        Self::Problem { diagnostic: Box::new(diagnostic), of_call: true }
    }

    /// A problem about prose.
    pub fn of_prose(diagnostic: Diagnostic) -> Self {
        Self::Problem { diagnostic: Box::new(diagnostic), of_call: false }
    }
}

/// What the body of a call gives that its header does not.
#[derive(Clone, Debug)]
pub struct Named {
    /// The name, if that is what the body gives.
    pub name: Option<Word>,
    /// The id, if that is what the body gives.
    pub id: Option<Word>,
}

/// The beginning of a call.
#[derive(Clone, Debug)]
pub struct Opening {
    /// The dialect.
    pub dialect: &'static About,
    /// The start marker.
    pub marker: Span,
    /// Name, id and dependencies.
    pub header: Header,
    /// Offset of the first byte of the body.
    pub body: usize,
    /// Whether the runtime sees it and counts it: what it does not see takes no number for an id.
    pub is_seen: bool,
}

/// What a call says of itself beside its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The name of the tool.
    pub name: Word,
    /// The id; `None` when the runtime makes one.
    pub id: Option<Word>,
    /// Ids of the calls that this one waits for, each once.
    pub dependencies: Vec<Word>,
}

/// A name or an id: where it stands, and what it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Word {
    /// Its bytes; empty where it is not written and only follows from the dialect.
    pub span: Span,
    /// What it is, where that is not what its bytes say.
    pub decoded: Option<Box<str>>,
}

impl Word {
    /// A word that is written as it is.
    pub fn plain(span: Span) -> Self {
        Self { span, decoded: None }
    }

    /// A word that is written in another way, or not at all.
    pub fn decoded(span: Span, words: impl Into<Box<str>>) -> Self {
        Self { span, decoded: Some(words.into()) }
    }

    /// What it is.
    pub fn text<'a>(&'a self, text: &'a Text) -> Cow<'a, str> {
        match &self.decoded {
            Some(decoded) => Cow::Borrowed(decoded),
            None => text.read_str(self.span),
        }
    }
}

/// The end of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Closing {
    /// Offset behind the body.
    pub body_end: usize,
    /// Offset behind the call; what follows is prose or the next call.
    pub end: usize,
    /// What ended it.
    pub status: Status,
}

/// How far a call has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Still arriving.
    Open,
    /// Ended by its end marker.
    Complete,
    /// Ended by the start of the next call.
    Implicit,
    /// Ended by the end of the text.
    Unterminated,
}

impl Place<'_> {
    /// Whether it is the first byte of its line.
    pub fn is_line_start(&self) -> bool {
        self.at == self.surroundings.line_start()
    }

    /// The line of a header that goes on at `from`, behind the place.
    pub fn header_line(&self, from: usize) -> HeaderLine {
        let ahead = self.text.since(from);
        let head = &ahead[..ahead.len().min(MAX_HEADER)];
        let looked = self.looked.saturating_sub(from - self.at).min(head.len());
        match memchr::memchr(b'\n', &head[looked..]) {
            Some(feed) => HeaderLine::Whole(looked + feed),
            None if head.len() == MAX_HEADER => HeaderLine::TooLong,
            None if self.finished => HeaderLine::Cut,
            None => HeaderLine::Wait,
        }
    }

    /// Says that a header with this marker is too long, and passes over what was looked at of its line.
    pub fn pass_long_header(&self, marker: Span, out: &mut Vec<Event>) -> Probe {
        let message = format!("a header of more than {MAX_HEADER} bytes is read as prose");
        let mut diagnostic = Diagnostic::new(Code::HeaderWithoutNewline, marker, message)
            .contrast("a line feed behind the header", "a line that goes on")
            .help("a header takes a line of its own");
        // It is this limit that makes no call; a runtime may do.
        diagnostic.severity = Severity::Warning;
        out.push(Event::of_prose(diagnostic));
        Probe::Prose(MAX_HEADER)
    }
}

/// Longest rest of a line behind a start marker that is read as a header, in bytes.
pub const MAX_HEADER: usize = 64 * 1024;

/// The line of a header, as far as it has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeaderLine {
    /// It has this many bytes in front of its line feed.
    Whole(usize),
    /// It goes on.
    Wait,
    /// The text ends in it.
    Cut,
    /// It has more than [`MAX_HEADER`] bytes.
    TooLong,
}

impl Status {
    /// The word for it in the output.
    pub fn word(self) -> &'static str {
        match self {
            Status::Open => "open",
            Status::Complete => "complete",
            Status::Implicit => "implicit",
            Status::Unterminated => "unterminated",
        }
    }
}

/// A place in prose at which a dialect is asked.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// The whole text so far.
    pub text: &'a Text,
    /// The offset that is asked about.
    pub at: usize,
    /// Bytes behind `at` that an earlier question at this place has looked at in vain.
    pub looked: usize,
    /// Whether the text ends here and nothing more arrives.
    pub finished: bool,
    /// The line and the code fence that the place is in.
    pub surroundings: &'a Surroundings,
}

/// A dialect's answer at a place.
pub enum Probe {
    /// Nothing of mine begins here.
    Nothing,
    /// It cannot be said before more has arrived; this many bytes need not be looked at again.
    Wait(usize),
    /// Something of mine that makes no call; it is prose, this many bytes long.
    Prose(usize),
    /// A call begins here. The events up to its body have been given.
    Open(Box<dyn Block>),
}

/// By what a dialect is found in prose. Where none of this stands it is not asked.
#[derive(Clone, Debug, Default)]
pub struct Triggers {
    /// The texts with which something of it may begin, wherever they stand.
    pub anywhere: Vec<Vec<u8>>,
    /// The first bytes of lines at whose beginning it must be asked; blanks may stand in front of them.
    pub line_start: Vec<u8>,
    /// The first bytes of lines that may hold what is almost one of its markers; blanks and marks of quotation,
    /// emphasis and lists may stand in front of them.
    pub lines: Vec<u8>,
    /// The texts that make a line such a one, wherever they stand in it.
    pub lines_with: Vec<Vec<u8>>,
}

/// A dialect can be copied as it stands, so that a text is read on from there again.
pub trait ForkDialect {
    /// The copy.
    fn fork(&self) -> Box<dyn Dialect>;
}

impl<D: Dialect + Clone + 'static> ForkDialect for D {
    fn fork(&self) -> Box<dyn Dialect> {
        Box::new(self.clone())
    }
}

impl Clone for Box<dyn Dialect> {
    fn clone(&self) -> Self {
        (**self).fork()
    }
}

/// So can a call that is under way.
pub trait ForkBlock {
    /// The copy.
    fn fork(&self) -> Box<dyn Block>;
}

impl<B: Block + Clone + 'static> ForkBlock for B {
    fn fork(&self) -> Box<dyn Block> {
        Box::new(self.clone())
    }
}

impl Clone for Box<dyn Block> {
    fn clone(&self) -> Self {
        (**self).fork()
    }
}

/// A syntax for tool calls.
pub trait Dialect: ForkDialect + Send {
    /// What the world may know about it.
    fn about(&self) -> &'static About;

    /// By what it is found in prose.
    fn triggers(&self) -> Triggers;

    /// Another message begins: what is counted in each is counted anew.
    fn begin_message(&mut self) {}

    /// Whether a call begins at a place in prose.
    fn probe(&mut self, place: Place<'_>, out: &mut Vec<Event>) -> Probe;

    /// What a text waits for that ends with `ahead`, at which [`Dialect::probe`] waits for more; nothing if it does not.
    fn awaits(&self, ahead: &[u8]) -> Option<Awaiting> {
        Awaiting::marker(&self.triggers(), ahead)
    }

    /// Whether the start of the next call is one of the regular ends of a call.
    fn next_ends(&self) -> bool {
        false
    }

    /// Looks at a line of prose with one of its triggers, or at the beginning of one that a call interrupts, for what
    /// is almost a marker.
    /// `line` is at most [`surroundings::LINE_HEAD`] bytes of it, and lies at `at`.
    fn prose_line(&mut self, line: &[u8], at: usize, surroundings: &Surroundings, out: &mut Vec<Event>);

    /// Looks at what follows on the line on which one of its calls ended; at most [`surroundings::LINE_HEAD`] bytes,
    /// which lie at `at`.
    fn rest_of_line(&mut self, rest: &[u8], at: usize, out: &mut Vec<Event>);

    /// All problems in a call that has ended and that the runtime surely takes, as [`Dialect::dissect`] finds them. Most
    /// calls have none, and this is to say so without taking them apart; `None` says nothing.
    fn judge_at_sight(&mut self, _text: &Text, _parts: Parts<'_>) -> Option<Vec<Diagnostic>> {
        None
    }

    /// Takes a call apart: its arguments, the tree that the runtime makes of them, whether it refuses the call, and
    /// the problems in all of that. Asked when the call has ended, and whenever somebody looks at it.
    fn dissect(&self, text: &Text, parts: Parts<'_>) -> Assembly;

    /// How its runtime makes values of text when it has the tool's schema.
    fn typing(&self) -> Typing {
        Typing::default()
    }
}

/// What is kept of a call, from which it can be taken apart again.
#[derive(Clone, Copy, Debug)]
pub struct Parts<'a> {
    /// Offset of the call's first byte.
    pub start: usize,
    /// The bytes between header and end.
    pub body: Span,
    /// Offsets of the argument markers, relative to `start`.
    pub arguments: &'a [u32],
    /// How far the call has come.
    pub status: Status,
}

/// How far a block has come with what has arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// It needs more text.
    Wait,
    /// The call ended at this offset, and its closing event has been given.
    Closed(usize),
}

/// A call that is under way.
pub trait Block: ForkBlock + Send {
    /// Reads on as far as it can be decided; `finished` says that nothing more arrives.
    fn advance(&mut self, text: &Text, finished: bool, surroundings: &mut Surroundings, out: &mut Vec<Event>) -> Step;

    /// Offset up to which everything is decided.
    fn decided(&self) -> usize;

    /// Where it stands, and what it waits for.
    fn awaits(&self, text: &Text) -> Awaiting;

    /// Where another call of the dialect seems to begin in the call that has ended, outside of its values: what ended
    /// it is the end of that one, or its start.
    fn merged(&self) -> Option<usize> {
        None
    }

    /// The lowest offset for which it will still ask [`Text::since`].
    fn needed(&self) -> usize {
        self.decided()
    }
}

/// What to make of markers in code fences, inline code and quotations, where they are probably talked about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Examples {
    /// Calls, as their runtimes take them, each with a warning.
    #[default]
    Calls,
    /// Prose.
    Prose,
}

/// What a person may set about the dialects.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Names of the dialects to read; empty means all.
    pub only: Vec<String>,
    /// Markers of the block format.
    pub markers: gadget::Markers,
    /// What to make of markers that are probably talked about.
    pub examples: Examples,
    /// Schemas of the tools' parameters.
    pub schemas: Option<Arc<Schemas>>,
    /// Whether more than one triple-caret block in a message is an error.
    pub one_call_per_message: bool,
}

impl Options {
    /// Whether a dialect is among those that are read.
    pub fn reads(&self, name: &str) -> bool {
        self.reads_all() || self.only.iter().any(|known| known == name)
    }

    /// Whether every dialect is read.
    pub fn reads_all(&self) -> bool {
        self.only.is_empty() || self.only.iter().any(|name| name == "auto")
    }
}

/// The dialects that the options ask for, in the order of their priority.
///
/// # Errors
/// Names an unknown dialect and lists the known ones.
pub fn registry(options: &Options) -> Result<Vec<Box<dyn Dialect>>, String> {
    let all: Vec<Box<dyn Dialect>> = vec![
        Box::new(gadget::Gadget::new(options.markers.clone())),
        Box::new(caret::Caret::new(options.one_call_per_message)),
        Box::new(callout::Callout),
        Box::new(tool_fence::ToolFence),
        Box::new(tags::Tags::xml()),
        Box::new(tags::Tags::invoke()),
        Box::new(tags::Tags::function()),
        Box::<hermes::Hermes>::default(),
        // JSON at the beginning of a line is a call only where nobody else takes it.
        Box::<native::Native>::default(),
    ];
    let names: Vec<&str> = all.iter().map(|dialect| dialect.about().name).collect();
    if let Some(unknown) = options.only.iter().find(|name| !names.contains(&name.as_str()) && *name != "auto") {
        return Err(format!("unknown dialect {unknown:?}; the dialects are: auto, {}", names.join(", ")));
    }
    Ok(all.into_iter().filter(|dialect| options.reads(dialect.about().name)).collect())
}
