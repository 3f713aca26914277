//! The syntaxes in which models write tool calls, all implemented through one trait.
//!
//! The scanner probes a [`Dialect`] at each byte that may begin one of its markers. Where a call begins, the dialect
//! returns a [`CallParser`] that follows the call to its end. Both turn bytes into [`ParseEvent`]s, which are never
//! retracted and do not depend on how the text is cut into pieces.
//!
//! # Adding a dialect
//!
//! 1. `dialect/declared/NAME.yaml` is a declaration (`declared/declaration` defines its keys). Its row in
//!    `declared/index/table` is generated; the order of that table is the priority when two dialects claim the same
//!    byte.
//! 2. A syntax that a declaration cannot express is code: `dialect/NAME.rs` with the grammar in the module doc, a
//!    [`DialectInfo`] and an `impl Dialect`; its module below, and one line in `dialect/registry`.
//! 3. Add cases in `tests/data/NAME/{ok,err}`, transcripts in `samples/NAME`, a row in `docs/call-formats.md`, and pages in
//!    `diagnostic/pages` for problems that only this dialect has; `tests/corpus/parity.rs` reports anything that is missing.

pub mod callout;
pub mod caret;
pub mod declared;
pub mod embedded_markup;
pub mod event;
pub mod expected;
pub mod gadget;
pub(crate) mod markdown_context;
pub mod native;
mod near_miss;
pub(crate) mod parser_names;
pub mod prefilter;
pub mod registry;
pub mod response_template;
pub mod scanner;
pub(crate) mod tool_fence;
pub mod writer;

use std::hash::Hasher;

pub use crate::diagnostic::hidden_characters;
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::text::{Span, Text};
use crate::value::schema::Coercion;
use crate::value::{Assembly, Findings, Scalar};

pub use event::{CallEnd, Header, LateHeader, Opening, ParseEvent, Status, Word};
pub use expected::{Expected, OpenPart, Terminator};
pub use markdown_context::MarkdownContext;
use markdown_context::Placement;
pub use registry::{
    Examples, Options, Portable, REGISTRY, TextCalls, all, all_names, known_names, make, named, registry,
};
pub use writer::{CallContent, Closer, Start};

/// Facts about a dialect other than its grammar. No field has a default: a new dialect must decide each of them.
#[derive(Debug)]
pub struct DialectInfo {
    /// Its name on the command line and in the output: `gadget`.
    pub name: &'static str,
    /// Title of a few words.
    pub title: &'static str,
    /// How a call is recognised, as text for users.
    pub recognised_by: &'static str,
    /// One complete call without a problem, ending in a line feed.
    pub example: &'static str,
    /// Prefix of the ids that its runtime generates.
    pub id_prefix: &'static str,
    /// True if a value may be written with escapes or entities. If false, each word of a value appears verbatim in the
    /// text.
    pub escapes: bool,
    /// Calls that use up a number of the generated ids.
    pub numbering: Numbering,
    /// The dialect's term for the key of an argument: `pointer`, `key`.
    pub key_term: &'static str,
    /// True if the start of the next call is one of the regular ends of a call.
    pub(crate) next_ends: bool,
    /// Position at which a written call may begin.
    pub start: Start,
    /// Texts that reveal this dialect inside a value of another dialect's call; they are rare everywhere else.
    pub signs: &'static [&'static str],
    /// Names of related dialects, in whose calls the signs of this one are expected.
    pub family: &'static [&'static str],
    /// Name of the dialect that its bodies resemble, if any: bodies are not searched for calls of that dialect.
    pub body_like: Option<&'static str>,
    /// How its runtime converts values written as text when it has the tool's schema.
    pub typing: Coercion,
    /// Function that recognises numbers and booleans in text without a schema; `None` where a value's notation gives
    /// its type.
    pub coercion: Option<fn(Scalar, &[u8]) -> CoercionReason>,
}

impl PartialEq for DialectInfo {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for DialectInfo {}

/// The reason why a value has its type; sentences without a full stop.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CoercionReason {
    /// The rule that determines the type.
    pub reason: String,
    /// The type that a slightly different notation would give, if worth mentioning.
    pub otherwise: Option<String>,
}

/// Calls of a dialect that use up a number of the ids that the runtime generates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbering {
    /// Only calls without an explicit id.
    Nameless,
    /// All calls, including those with an explicit id.
    Every,
}

/// A place in prose at which a dialect is probed.
#[derive(Clone, Copy, Debug)]
pub struct ProbePoint<'a> {
    /// The whole text so far.
    pub(crate) text: &'a Text,
    /// Offset of the place.
    pub(crate) at: usize,
    /// Bytes after `at` that an earlier probe of this place has examined without a result.
    pub(crate) examined: usize,
    /// Offset at which the containing text (a message, or a part of one) begins. Bytes before it belong to another
    /// text and must be ignored.
    pub text_start: usize,
    /// Offset at which the last call of the probed dialect ended, if any.
    pub(crate) call_end: Option<usize>,
    /// True if no more text will arrive.
    pub(crate) finished: bool,
    /// The current line and code fence.
    pub(crate) markdown: &'a MarkdownContext,
}

impl ProbePoint<'_> {
    /// True if the place is the first byte of its line.
    pub(crate) fn is_line_start(&self) -> bool {
        self.at == self.markdown.line_start()
    }

    /// True if only quotation, list and emphasis marks precede the place on its line.
    pub(crate) fn begins_line(&self) -> bool {
        let before = self.markdown.before(self.text, self.at);
        before.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'>' | b'*' | b'`' | b'-'))
    }

    /// A problem with the marker at this place if it is probably a mention; `what` names the marker in the message.
    pub(crate) fn placement_problem(&self, marker: Span, what: &str) -> Option<Diagnostic> {
        let (code, place) = match self.markdown.placement(self.text, self.at) {
            Placement::LineStart => return None,
            Placement::MidLine => (Code::MarkerMidLine, "in the middle of a line"),
            Placement::Code => (Code::MarkerInCode, "inside code"),
            Placement::Quotation => (Code::MarkerInQuotation, "inside a quotation"),
        };
        Some(Diagnostic::new(code, marker, format!("{what} {place} starts a call anyway")))
    }

    /// Like [`Self::placement_problem`], but only for a marker inside code.
    pub(crate) fn in_code_problem(&self, marker: Span, what: &str) -> Option<Diagnostic> {
        self.placement_problem(marker, what).filter(|problem| problem.code == Code::MarkerInCode)
    }

    /// The rest of a header line, starting at `from`, which must not precede the place.
    pub(crate) fn header_line(&self, from: usize) -> HeaderLine {
        let ahead = self.text.since(from);
        let head = &ahead[..ahead.len().min(MAX_HEADER)];
        let looked = self.examined.saturating_sub(from - self.at).min(head.len());
        match memchr::memchr(b'\n', &head[looked..]) {
            Some(feed) => HeaderLine::Whole(looked + feed),
            None if head.len() == MAX_HEADER => HeaderLine::TooLong,
            None if self.finished => HeaderLine::Cut,
            None => HeaderLine::Wait,
        }
    }

    /// Reports that the text ends in the header of a call, which still lacks `missing`, and skips the header.
    pub(crate) fn pass_cut_header(&self, header: &str, missing: &str, out: &mut Vec<ParseEvent>) -> Probe {
        let span = Span::new(self.at, self.text.len());
        let message = format!("the text ends inside the {header}: not a call");
        let diagnostic = Diagnostic::new(Code::HeaderWithoutNewline, span, message);
        out.push(ParseEvent::of_prose(diagnostic.contrast(missing, "the end of the text")));
        Probe::Prose(span.len())
    }

    /// Reports that the header with this marker is too long, and skips the examined part of its line.
    pub(crate) fn pass_long_header(marker: Span, out: &mut Vec<ParseEvent>) -> Probe {
        let message = format!("header longer than {MAX_HEADER} bytes: read as prose");
        let diagnostic = Diagnostic::new(Code::HeaderWithoutNewline, marker, message)
            .contrast("a line feed after the header", "a line that continues")
            .help("end the header with a line feed");
        // This limit is transcope's; a runtime may still make a call of it.
        out.push(ParseEvent::of_prose(diagnostic.with_severity(Severity::Warning)));
        Probe::Prose(MAX_HEADER)
    }
}

/// Maximum length of a header line after its start marker, in bytes; a longer one is prose.
pub const MAX_HEADER: usize = 64 * 1024;

/// The line of a header in the text so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HeaderLine {
    /// Complete; this many bytes precede the line feed.
    Whole(usize),
    /// Incomplete; more text may arrive.
    Wait,
    /// Incomplete, and the text has ended.
    Cut,
    /// Longer than [`MAX_HEADER`] bytes.
    TooLong,
}

/// A dialect's answer to a probe.
pub enum Probe {
    /// Nothing of this dialect begins here.
    Nothing,
    /// Undecided until more arrives; this many bytes need not be examined again.
    Wait(usize),
    /// Markup of this dialect that is not a call; this many bytes are prose.
    Prose(usize),
    /// A call begins here. The events up to its body have been emitted.
    Open(Box<dyn CallParser>),
}

/// Byte patterns that make the scanner probe a dialect in prose; elsewhere it is never probed.
#[derive(Clone, Debug, Default)]
pub struct Triggers {
    /// Texts that may begin markup of the dialect, at any position; none begins with a line feed. A text with a rare
    /// byte (`<`, `[`, `=`) among its first 16 is found about as fast as one that begins with such a byte.
    pub anywhere: Vec<Vec<u8>>,
    /// First bytes, after spaces and tabs, of lines at whose beginning the dialect must be probed.
    pub line_start: Vec<u8>,
    /// First bytes of lines that may hold a near miss of one of its markers, after whitespace and marks of quotation,
    /// emphasis and lists.
    pub lines: Vec<u8>,
    /// Texts that, anywhere in a line, mark it as one that may hold a near miss.
    pub lines_with: Vec<Vec<u8>>,
}

/// Copies a dialect in its current state, so that the text can be read again from this point.
pub trait ForkDialect {
    /// The copy, with the same state.
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

/// Copies the parser of an unfinished call in its current state.
pub trait ForkCallParser {
    /// The copy, with the same state.
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
    /// Facts about the dialect other than its grammar.
    fn info(&self) -> &'static DialectInfo;

    /// The dialect's name, available without loading its declaration.
    fn name(&self) -> &'static str {
        self.info().name
    }

    /// Byte patterns at which the dialect must be probed.
    fn triggers(&self) -> Triggers;

    /// Begins another message: drops everything remembered so far, so that the message is read as if it came alone.
    /// Only a detection, which is a fact about the whole file, may outlast a message.
    fn begin_message(&mut self);

    /// Feeds a hash with everything remembered of `text` that affects how the text after `at`, its end in prose, is
    /// read. Hashes nothing where nothing matters, if possible.
    fn hash_state(&self, _text: &Text, _at: usize, _memory: &mut dyn Hasher) {}

    /// Determines whether a call begins at a place in prose.
    fn probe(&mut self, place: ProbePoint<'_>, out: &mut Vec<ParseEvent>) -> Probe;

    /// The continuations that [`Dialect::probe`] is waiting for at a text that ends with `ahead`; `None` if it is not
    /// waiting.
    fn expected(&self, ahead: &[u8]) -> Option<Expected>;

    /// Searches a line of prose that has one of its triggers, or the beginning of a line that a call interrupts, for
    /// near misses of markers. `line` holds at most the first `markdown_context::LINE_HEAD` bytes, and begins at
    /// offset `at`.
    fn prose_line(&mut self, line: &[u8], at: usize, markdown: &MarkdownContext, out: &mut Vec<ParseEvent>);

    /// Examines the text that follows one of its calls on the same line: at most `markdown_context::LINE_HEAD`
    /// bytes, which begin at offset `at`.
    fn rest_of_line(&mut self, _rest: &[u8], _at: usize, _out: &mut Vec<ParseEvent>) {}

    /// Dissects a call: its arguments, the tree that the runtime builds from them, whether the runtime rejects the
    /// call, and all problems. Called when the call has ended and whenever the call is displayed.
    fn dissect(&self, text: &Text, parts: CallParts<'_>) -> Assembly;

    /// The problems that [`Dialect::dissect`] finds in a call that has ended. A dialect with many calls overrides this
    /// to run the same code with another [`Sink`](crate::value::Sink), without building a tree.
    fn check(&mut self, text: &Text, parts: CallParts<'_>) -> Findings {
        let Assembly { problems, error, .. } = self.dissect(text, parts);
        Findings { problems, error }
    }

    /// Writes a call in the form that models are instructed to use, ending in a line feed. Content that the syntax
    /// cannot express is dropped; the caller must detect this by reading the result.
    fn write(&self, call: &CallContent<'_>) -> String;

    /// The end marker that is missing from an unclosed call with this start marker.
    fn closer(&self, marker: &str) -> Closer;
}

/// A dialect may look back at most this many bytes before a place in prose, and only within the same text.
pub const LOOK_BACK: usize = 64 * 1024;

/// The parts of a call that suffice to dissect it again.
#[derive(Clone, Copy, Debug)]
pub struct CallParts<'a> {
    /// Offset of the call's first byte.
    pub start: usize,
    /// Offset at which the containing text begins: bytes before it belong to another message.
    pub text_start: usize,
    /// The bytes between the header and the end marker.
    pub body: Span,
    /// Offsets of the argument markers, relative to `start`.
    pub arguments: &'a [u32],
    /// How the call ended, or that it is still open.
    pub status: Status,
}

/// State of a block after reading the text that has arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// More text is needed.
    Wait,
    /// The call ended at this offset, and its closing event has been emitted.
    Closed(usize),
}

/// The parser of a call that is not yet complete.
pub trait CallParser: ForkCallParser + Send + Sync {
    /// Reads the part of the text that can be decided; `finished` means that no more text will arrive.
    fn advance(&mut self, text: &Text, finished: bool, out: &mut Vec<ParseEvent>) -> Progress;

    /// Fast path for a few arrived bytes in which nothing begins or ends, such as most tokens of a value. Returns
    /// false where [`CallParser::advance`] must be called.
    fn skip_plain(&mut self, _text: &Text) -> bool {
        false
    }

    /// Offset up to which everything is decided.
    fn decided(&self) -> usize;

    /// The part of the call that is open, and what would end it.
    fn expected(&self, text: &Text) -> Expected;

    /// Offset, in the call that has ended and outside of its values, at which another call of the dialect seems to
    /// begin; the found end is then the end, or the start, of that second call.
    fn merged(&self) -> Option<usize> {
        None
    }

    /// Problems of the call that has ended, as from [`Dialect::check`], if the parser had to dissect the call anyway
    /// to locate its arguments. Only the first call returns them.
    fn take_findings(&mut self) -> Option<Findings> {
        None
    }

    /// The lowest offset that the parser will still pass to [`Text::since`].
    fn needed(&self) -> usize {
        self.decided()
    }
}
