//! Triple-caret blocks, in the form that shipped and in the form of the draft before it.
//!
//! ```text
//! block    = "^^^" name LF { line LF } "^^^"          name = 1*( letter / digit / "_" ), ASCII
//!
//! shipped  = key ":" value                            a value on its line, trimmed
//!          / key "---" LF { any LF } "---" key        a value of several lines
//!          / key ":" "[" LF { item LF } "]"           an array, an item a line
//!
//! draft    = key ":" value
//!          / key ":" LF 1*( "-" item LF )             an array
//!          / key ":" ( "|" / ">" ) LF indented lines  a block scalar, as YAML has it
//!          / "---" LF body                            once: block scalars, or all of it is the value of content
//! ```
//!
//! Both fences stand alone at the beginning of their lines. The runtime does not know Markdown: a block in a code
//! fence is a call. A key that is given again makes an array; all values are strings, since there is no schema here.
//!
//! The two forms are told apart block by block, by their markers, which exclude one another: a bare `---` has no key,
//! `key ---` has no colon, block scalars and lists need the line that follows. A block with markers of the draft alone
//! is read as the draft means it, and every other block as the shipped runtime reads it. What that runtime drops of
//! the draft's form is a problem that says so.
//!
//! Read more leniently than the runtime does, each with a problem: blanks behind a fence; blank lines at the beginning
//! of a value; a fence inside of a value that is ended properly further down.

mod draft;
mod line;
mod malformed;
mod near_miss;
mod parser;
mod read;
mod scalar;
mod tree;
mod walk;
mod writer;

use std::hash::Hasher;

use super::{
    CallContent, CallParts, Closer, Dialect, DialectInfo, Expected, Header, MarkdownContext, Numbering, OpenPart,
    Opening, ParseEvent, Probe, ProbePoint, Start, Terminator, Triggers, Word,
};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::text::{Span, Text};
use crate::value::Assembly;
use crate::value::schema::Coercion;

/// What is known of it beside its grammar.
pub static ABOUT: DialectInfo = DialectInfo {
    name: "caret",
    title: "triple-caret blocks",
    recognised_by: "a line that holds ^^^ and the name of a tool and nothing else; a line of ^^^ alone ends the block",
    example: "^^^write_file\npath: notes.md\ntags: [\ndraft\n]\ncontent ---\n# Notes\n--- content\n^^^\n",
    id_prefix: "tool-1-",
    escapes: false,
    numbering: Numbering::Every,
    key_term: "key",
    next_ends: false,
    start: Start::Line,
    signs: &["\n^^^"],
    family: &[],
    body_like: None,
    typing: Coercion::Strings,
    coercion: None,
};

const FENCE: &str = "^^^";

/// Finds blocks, with what it counts in each message.
#[derive(Clone, Debug, Default)]
pub struct Caret {
    one_call_per_message: bool,
    calls: usize,
    /// Whether an opening fence was almost there, so that the fence that closes its block is no news.
    orphans: bool,
}

impl Caret {
    /// The dialect; `one_call_per_message` makes every block but the first an error, as the draft's safety rule has it.
    pub fn new(one_call_per_message: bool) -> Self {
        Self { one_call_per_message, ..Self::default() }
    }

    /// An opening fence, whose line ends at `line_end`, without its line feed.
    fn open(&mut self, place: ProbePoint<'_>, line_end: usize, fence: line::Fence, out: &mut Vec<ParseEvent>) -> Probe {
        let marker = Span::new(place.at, place.at + FENCE.len());
        let name = Span::new(marker.end, marker.end + fence.name);
        let blanks = Span::new(name.end, line_end);
        let body = (line_end + 1).min(place.text.len());
        self.calls += 1;
        self.orphans = false;
        let header = Header { name: Word::plain(name), id: None, dependencies: Vec::new() };
        out.push(ParseEvent::open(Opening { dialect: &ABOUT, marker, header, body, is_seen: true }));
        let mut problems = Vec::new();
        if !blanks.is_empty() {
            problems.push(malformed::blanks_behind(blanks, &place.text.read(blanks), "no call is made"));
        }
        let line = Span::new(marker.start, name.end);
        problems.extend(place.in_code_problem(line, "a fence"));
        problems.extend(self.several(line));
        out.extend(problems.into_iter().map(ParseEvent::of_call));
        Probe::Open(Box::new(parser::CaretParser::new(place.at, body, blanks.is_empty())))
    }

    /// The draft allows one block in a message.
    fn several(&self, fence: Span) -> Option<Diagnostic> {
        if self.calls < 2 || (self.calls > 2 && !self.one_call_per_message) {
            return None;
        }
        if self.one_call_per_message {
            let message = format!("block number {}; one block in a message is allowed", self.calls);
            return Some(Diagnostic::new(Code::SeveralCalls, fence, message).with_severity(Severity::Error));
        }
        Some(Diagnostic::new(Code::SeveralCalls, fence, "not the only block here; the draft allows one"))
    }

    /// A closing fence in prose.
    fn stray(&mut self, place: ProbePoint<'_>, out: &mut Vec<ParseEvent>) -> Probe {
        if !self.orphans {
            let span = Span::new(place.at, place.at + FENCE.len());
            let diagnostic = Diagnostic::new(Code::StrayEnd, span, "^^^ ends nothing: no block is open");
            // Where no block has been seen, the carets may as well point at the line above.
            let is_hint = self.calls == 0 || place.markdown.in_fence();
            out.push(ParseEvent::of_prose(diagnostic.hint_if(is_hint)));
        }
        self.orphans = false;
        Probe::Prose(FENCE.len())
    }
}

impl Dialect for Caret {
    fn about(&self) -> &'static DialectInfo {
        &ABOUT
    }

    fn triggers(&self) -> Triggers {
        Triggers {
            line_start: vec![b'^'],
            lines: near_miss::HEADS.to_vec(),
            lines_with: vec![FENCE.into()],
            ..Triggers::default()
        }
    }

    fn begin_message(&mut self) {
        self.calls = 0;
        self.orphans = false;
    }

    fn remember(&self, _text: &Text, _at: usize, memory: &mut dyn Hasher) {
        let calls = if self.one_call_per_message { self.calls } else { self.calls.min(2) };
        memory.write_usize(calls);
        memory.write_u8(self.orphans.into());
    }

    fn probe(&mut self, place: ProbePoint<'_>, out: &mut Vec<ParseEvent>) -> Probe {
        if !place.is_line_start() {
            return Probe::Nothing;
        }
        match line::arriving(place.text.since(place.at), place.looked, place.finished) {
            line::Arriving::Not => Probe::Nothing,
            line::Arriving::Wait(looked) => Probe::Wait(looked),
            line::Arriving::Fence { length, fence } if fence.name > 0 => {
                self.open(place, place.at + length, fence, out)
            }
            line::Arriving::Fence { .. } => self.stray(place, out),
        }
    }

    fn expected(&self, ahead: &[u8]) -> Option<Expected> {
        if ahead.len() >= FENCE.len() {
            return Some(Expected::one(OpenPart::Header, Terminator::Words("the end of the line")));
        }
        Some(Expected::texts(OpenPart::Marker, ["^^^"]))
    }

    fn prose_line(&mut self, line: &[u8], at: usize, markdown: &MarkdownContext, out: &mut Vec<ParseEvent>) {
        let Some(near) = near_miss::in_prose(line) else { return };
        self.orphans = true;
        out.push(ParseEvent::of_prose(near.diagnostic(at, "it is prose").hint_if(markdown.in_fence())));
    }

    fn dissect(&self, text: &Text, parts: CallParts<'_>) -> Assembly {
        read::read(&text.read(parts.body), parts)
    }

    fn write(&self, call: &CallContent<'_>) -> String {
        writer::write(call)
    }

    fn closer(&self, _marker: &str) -> Closer {
        Closer::Line(FENCE.to_owned())
    }
}
