//! Triple-caret blocks, in the shipped form and in the form of the earlier draft.
//!
//! ```text
//! block    = "^^^" name LF { line LF } "^^^"          name = 1*( letter / digit / "_" ), ASCII
//!
//! shipped  = key ":" value                            a value on one line, trimmed
//!          / key "---" LF { any LF } "---" key        a value of several lines
//!          / key ":" "[" LF { item LF } "]"           an array, one item per line
//!
//! draft    = key ":" value
//!          / key ":" LF 1*( "-" item LF )             an array
//!          / key ":" ( "|" / ">" ) LF indented lines  a block scalar, as YAML has it
//!          / "---" LF body                            once: block scalars, or the whole text as the value of content
//! ```
//!
//! Both fences must be alone at the beginning of their lines. The runtime does not know Markdown: a block in a code
//! fence is a call. Repeating a key makes an array; all values are strings, since there is no schema here.
//!
//! The form is detected for each block by its markers, which are mutually exclusive: a bare `---` has no key, `key
//! ---` has no colon, block scalars and lists require a following line. A block that has markers of the draft only is
//! read in the draft's form, and any other block like the shipped runtime reads it. Draft syntax that this runtime
//! drops is reported as a problem.
//!
//! Accepted although the runtime does not, each with a problem: whitespace after a fence; blank lines at the beginning
//! of a value; a fence inside of a value whose proper end follows.

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

/// Facts about the dialect other than its grammar.
pub(crate) static ABOUT: DialectInfo = DialectInfo {
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

/// Finds blocks, and counts them in each message.
#[derive(Clone, Debug, Default)]
pub(crate) struct Caret {
    one_call_per_message: bool,
    calls: usize,
    /// True after a near miss of an opening fence: the closing fence of its block is not reported.
    orphans: bool,
}

impl Caret {
    /// Creates the dialect; `one_call_per_message` makes every block after the first an error, as the draft's safety
    /// rule demands.
    pub(crate) fn new(one_call_per_message: bool) -> Self {
        Self { one_call_per_message, ..Self::default() }
    }

    /// Handles an opening fence whose line ends at `line_end`, before the line feed.
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
            problems.push(malformed::spaces_after(blanks, &place.text.read(blanks), "no call begins"));
        }
        let line = Span::new(marker.start, name.end);
        problems.extend(place.in_code_problem(line, "a fence"));
        problems.extend(self.several(line));
        out.extend(problems.into_iter().map(ParseEvent::of_call));
        Probe::Open(Box::new(parser::CaretParser::new(place.at, body, blanks.is_empty())))
    }

    /// Reports another block in a message; the draft allows only one.
    fn several(&self, fence: Span) -> Option<Diagnostic> {
        if self.calls < 2 || (self.calls > 2 && !self.one_call_per_message) {
            return None;
        }
        if self.one_call_per_message {
            let message = format!("block number {}; one block in a message is allowed", self.calls);
            return Some(Diagnostic::new(Code::SeveralCalls, fence, message).with_severity(Severity::Error));
        }
        Some(Diagnostic::new(Code::SeveralCalls, fence, "several blocks in one message; the draft allows one"))
    }

    /// Handles a closing fence in prose.
    fn stray(&mut self, place: ProbePoint<'_>, out: &mut Vec<ParseEvent>) -> Probe {
        if !self.orphans {
            let span = Span::new(place.at, place.at + FENCE.len());
            let diagnostic = Diagnostic::new(Code::StrayEnd, span, "^^^ ends nothing: no block is open");
            // If there was no block, the carets may well point at the line above.
            let is_hint = self.calls == 0 || place.markdown.in_fence();
            out.push(ParseEvent::of_prose(diagnostic.hint_if(is_hint)));
        }
        self.orphans = false;
        Probe::Prose(FENCE.len())
    }
}

impl Dialect for Caret {
    fn info(&self) -> &'static DialectInfo {
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

    fn hash_state(&self, _text: &Text, _at: usize, memory: &mut dyn Hasher) {
        let calls = if self.one_call_per_message { self.calls } else { self.calls.min(2) };
        memory.write_usize(calls);
        memory.write_u8(self.orphans.into());
    }

    fn probe(&mut self, place: ProbePoint<'_>, out: &mut Vec<ParseEvent>) -> Probe {
        if !place.is_line_start() {
            return Probe::Nothing;
        }
        match line::arriving(place.text.since(place.at), place.examined, place.finished) {
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
