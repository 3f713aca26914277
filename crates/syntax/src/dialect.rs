//! The syntaxes in which a model writes a tool call, behind one trait.
//!
//! A [`Dialect`] is asked at bytes that may begin one of its markers whether a call begins there; the [`CallParser`]
//! it returns then follows the call to its end. Both turn bytes into [`ParseEvent`]s that are never taken back,
//! however the text is cut.
//!
//! # Adding a dialect
//!
//! 1. `dialect/declared/NAME.yaml`, a declaration (its members stand in `declared/declaration`). Its row in
//!    `declared/index/table` is generated; the order there is the priority where two claim the same byte.
//! 2. What no declaration can say is code: `dialect/NAME.rs` with the grammar in the module doc, [`DialectInfo`] and
//!    `impl Dialect`, which the compiler asks for whole; its module below, and one line in `dialect/registry`.
//! 3. Cases in `tests/data/NAME/{ok,err}`, transcripts in `samples/NAME`, a row in the README, pages for problems that
//!    only it has in `diagnostic/pages`; `tests/parity.rs` asks for whatever is forgotten.

pub mod callout;
pub mod caret;
pub mod declared;
pub mod embedded_markup;
pub mod event;
pub mod expected;
pub mod gadget;
pub mod markdown_context;
pub mod native;
mod near_miss;
pub mod parser_names;
pub mod prefilter;
pub mod registry;
pub mod response_template;
pub mod scanner;
pub mod tool_fence;
pub mod writer;

use std::hash::Hasher;

pub use crate::diagnostic::hidden_characters;
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::text::{Span, Text};
use crate::value::schema::Coercion;
use crate::value::{Assembly, Findings, Scalar};

pub use event::{Closing, Header, LateHeader, Opening, ParseEvent, Status, Word};
pub use expected::{Expected, OpenPart, Terminator};
pub use markdown_context::MarkdownContext;
use markdown_context::Placement;
pub use registry::{
    Examples, Options, Portable, REGISTRY, TextCalls, all, all_names, known_names, make, named, registry,
};
pub use writer::{CallContent, Closer, Start};

/// What is known of a dialect beside its grammar. Nothing in it has a default: whoever adds a dialect decides.
#[derive(Debug)]
pub struct DialectInfo {
    /// Its name on the command line and in the output: `gadget`.
    pub name: &'static str,
    /// A title of a few words.
    pub title: &'static str,
    /// By what a call is recognised.
    pub recognised_by: &'static str,
    /// One complete call without a problem, with a line feed at its end.
    pub example: &'static str,
    /// What the ids begin with that its runtime makes.
    pub id_prefix: &'static str,
    /// Whether a value may be written with other characters than it has: escapes, entities. Where not, a word of a value
    /// stands in the text.
    pub escapes: bool,
    /// Which calls take a number for such an id.
    pub numbering: Numbering,
    /// What it calls the word that says where a value goes: `pointer`, `key`.
    pub key_term: &'static str,
    /// Whether the start of the next call is one of the regular ends of a call.
    pub next_ends: bool,
    /// Where a call may begin when it is written.
    pub start: Start,
    /// Texts by which it is known in a value of another dialect's call; they are rare anywhere else.
    pub signs: &'static [&'static str],
    /// Names of dialects of the same family, whose signs are at home in its calls.
    pub family: &'static [&'static str],
    /// The name of the dialect that its bodies look like, if any: no call of that one is looked for in them.
    pub body_like: Option<&'static str>,
    /// How its runtime makes values of text when it has the tool's schema.
    pub typing: Coercion,
    /// What makes numbers and booleans out of text without a schema; `None` where types are as they are written.
    pub coercion: Option<fn(Scalar, &[u8]) -> CoercionReason>,
}

impl PartialEq for DialectInfo {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for DialectInfo {}

/// Why a value has the type that it has; sentences without a full stop.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CoercionReason {
    /// The rule that gives it its type.
    pub reason: String,
    /// What it would be if it were written a little differently, if that is worth a word.
    pub otherwise: Option<String>,
}

/// Which calls of a dialect take a number for an id that the runtime makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbering {
    /// Those without an id of their own.
    Nameless,
    /// All of them, also those that have one.
    Every,
}

/// A place in prose at which a dialect is asked.
#[derive(Clone, Copy, Debug)]
pub struct ProbePoint<'a> {
    /// The whole text so far.
    pub text: &'a Text,
    /// The offset that is asked about.
    pub at: usize,
    /// Bytes behind `at` that an earlier question at this place has looked at in vain.
    pub looked: usize,
    /// Offset at which the text begins that holds the place: a message, or a part of one. Bytes before it belong to
    /// another text, and mean nothing here.
    pub text_start: usize,
    /// Offset at which the last call of the dialect ended that is asked, if one did.
    pub call_end: Option<usize>,
    /// Whether the text ends here and nothing more arrives.
    pub finished: bool,
    /// The line and the code fence that the place is in.
    pub markdown: &'a MarkdownContext,
}

impl ProbePoint<'_> {
    /// Whether it is the first byte of its line.
    pub fn is_line_start(&self) -> bool {
        self.at == self.markdown.line_start()
    }

    /// Whether nothing but marks of quotations, lists and emphasis precedes it on its line.
    pub fn begins_line(&self) -> bool {
        let before = self.markdown.before(self.text, self.at);
        before.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'>' | b'*' | b'`' | b'-'))
    }

    /// A problem with the marker at this place, which is called `what`, where it is probably talked about.
    pub fn placement_problem(&self, marker: Span, what: &str) -> Option<Diagnostic> {
        let (code, place) = match self.markdown.placement(self.text, self.at) {
            Placement::LineStart => return None,
            Placement::MidLine => (Code::MarkerMidLine, "in the middle of a line"),
            Placement::Code => (Code::MarkerInCode, "inside code"),
            Placement::Quotation => (Code::MarkerInQuotation, "inside a quotation"),
        };
        Some(Diagnostic::new(code, marker, format!("{what} {place} starts a call anyway")))
    }

    /// The same of a marker that is only talked about where it stands in code.
    pub fn in_code_problem(&self, marker: Span, what: &str) -> Option<Diagnostic> {
        self.placement_problem(marker, what).filter(|problem| problem.code == Code::MarkerInCode)
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

    /// Says that the text ends in the header of a call, whose rest may be `missing`, and passes over it.
    pub fn pass_cut_header(&self, header: &str, missing: &str, out: &mut Vec<ParseEvent>) -> Probe {
        let span = Span::new(self.at, self.text.len());
        let message = format!("the text ends in the {header}: no call is made");
        let diagnostic = Diagnostic::new(Code::HeaderWithoutNewline, span, message);
        out.push(ParseEvent::of_prose(diagnostic.contrast(missing, "the end of the text")));
        Probe::Prose(span.len())
    }

    /// Says that a header with this marker is too long, and passes over what was looked at of its line.
    pub fn pass_long_header(&self, marker: Span, out: &mut Vec<ParseEvent>) -> Probe {
        let message = format!("a header of more than {MAX_HEADER} bytes is read as prose");
        let diagnostic = Diagnostic::new(Code::HeaderWithoutNewline, marker, message)
            .contrast("a line feed after the header", "a line that continues")
            .help("a header takes a separate line");
        // It is this limit that makes no call; a runtime may do.
        out.push(ParseEvent::of_prose(diagnostic.with_severity(Severity::Warning)));
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

/// A dialect's answer at a place.
pub enum Probe {
    /// Nothing of mine begins here.
    Nothing,
    /// It cannot be said before more has arrived; this many bytes need not be looked at again.
    Wait(usize),
    /// Something of mine that makes no call; it is prose, this many bytes long.
    Prose(usize),
    /// A call begins here. The events up to its body have been given.
    Open(Box<dyn CallParser>),
}

/// By what a dialect is found in prose. Where none of this stands it is not asked.
#[derive(Clone, Debug, Default)]
pub struct Triggers {
    /// The texts with which something of it may begin, wherever they stand; none begins with a line feed. One that has
    /// a rare byte (`<`, `[`, `=`) among its first 16 is found about as fast as one that begins with it.
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
pub trait ForkCallParser {
    /// The copy.
    fn fork(&self) -> Box<dyn CallParser>;
}

impl<B: CallParser + Clone + 'static> ForkCallParser for B {
    fn fork(&self) -> Box<dyn CallParser> {
        Box::new(self.clone())
    }
}

impl Clone for Box<dyn CallParser> {
    fn clone(&self) -> Self {
        (**self).fork()
    }
}

/// A syntax for tool calls.
pub trait Dialect: ForkDialect + Send + Sync {
    /// What is known of it beside its grammar.
    fn about(&self) -> &'static DialectInfo;

    /// Its name, which may be known before anything else of it is.
    fn name(&self) -> &'static str {
        self.about().name
    }

    /// By what it is found in prose.
    fn triggers(&self) -> Triggers;

    /// Another message begins: forgets all that was read before, so that it is read as if it came alone. Only a detection,
    /// which is a fact about the whole file, may outlast a message.
    fn begin_message(&mut self);

    /// Feeds a hash with what it remembers of `text`, which ends at `at`, in prose: all by which it would read what follows
    /// otherwise than without it; nothing where that is nothing, if it can be.
    fn remember(&self, _text: &Text, _at: usize, _memory: &mut dyn Hasher) {}

    /// Whether a call begins at a place in prose.
    fn probe(&mut self, place: ProbePoint<'_>, out: &mut Vec<ParseEvent>) -> Probe;

    /// What a text waits for that ends with `ahead`, at which [`Dialect::probe`] waits for more; nothing if it does not.
    fn expected(&self, ahead: &[u8]) -> Option<Expected>;

    /// Looks at a line of prose with one of its triggers, or at the beginning of one that a call interrupts, for what
    /// is almost a marker.
    /// `line` is at most [`markdown_context::LINE_HEAD`] bytes of it, and lies at `at`.
    fn prose_line(&mut self, line: &[u8], at: usize, markdown: &MarkdownContext, out: &mut Vec<ParseEvent>);

    /// Looks at what follows on the line on which one of its calls ended; at most [`markdown_context::LINE_HEAD`] bytes,
    /// which lie at `at`.
    fn rest_of_line(&mut self, _rest: &[u8], _at: usize, _out: &mut Vec<ParseEvent>) {}

    /// Takes a call apart: its arguments, the tree that the runtime makes of them, whether it refuses the call, and
    /// the problems in all of that. Asked when the call has ended, and whenever somebody looks at it.
    fn dissect(&self, text: &Text, parts: CallParts<'_>) -> Assembly;

    /// What [`Dialect::dissect`] finds wrong with a call that has ended. A dialect whose calls are many makes no tree for
    /// that, by the same way to another [`Sink`](crate::value::Sink).
    fn check(&mut self, text: &Text, parts: CallParts<'_>) -> Findings {
        let Assembly { problems, error, .. } = self.dissect(text, parts);
        Findings { problems, error }
    }

    /// Writes a call as a model is told to write it, with a line feed at its end. It does what it can; what does not come
    /// back when it is read is for others to say.
    fn write(&self, call: &CallContent<'_>) -> String;

    /// What ends a call that has this start marker and no end.
    fn closer(&self, marker: &str) -> Closer;
}

/// At most this many bytes before a place in prose may be read again by a dialect, and only bytes of the same text.
pub const LOOK_BACK: usize = 64 * 1024;

/// What is kept of a call, from which it can be taken apart again.
#[derive(Clone, Copy, Debug)]
pub struct CallParts<'a> {
    /// Offset of the call's first byte.
    pub start: usize,
    /// Offset at which the text begins that holds the call: bytes before it belong to another message.
    pub text_start: usize,
    /// The bytes between header and end.
    pub body: Span,
    /// Offsets of the argument markers, relative to `start`.
    pub arguments: &'a [u32],
    /// How far the call has come.
    pub status: Status,
}

/// How far a block has come with what has arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// It needs more text.
    Wait,
    /// The call ended at this offset, and its closing event has been given.
    Closed(usize),
}

/// A call that is under way.
pub trait CallParser: ForkCallParser + Send + Sync {
    /// Reads on as far as it can be decided; `finished` says that nothing more arrives.
    fn advance(&mut self, text: &Text, finished: bool, out: &mut Vec<ParseEvent>) -> Progress;

    /// Passes what has arrived, where it is a few bytes in which nothing begins or ends, as most tokens of a value. False
    /// where it must [`CallParser::advance`].
    fn pass(&mut self, _text: &Text) -> bool {
        false
    }

    /// Offset up to which everything is decided.
    fn decided(&self) -> usize;

    /// Where it stands, and what it waits for.
    fn expected(&self, text: &Text) -> Expected;

    /// Where another call of the dialect seems to begin in the call that has ended, outside of its values: what ended
    /// it is the end of that one, or its start.
    fn merged(&self) -> Option<usize> {
        None
    }

    /// What is wrong with the call that has ended, as [`Dialect::check`] says it, where the parser had to take the call
    /// apart to know where its arguments are; it is given once.
    fn take_findings(&mut self) -> Option<Findings> {
        None
    }

    /// The lowest offset for which it will still ask [`Text::since`].
    fn needed(&self) -> usize {
        self.decided()
    }
}
