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
//!
//! This module does not know which tools there are, what types their parameters have, or where messages end.

mod block;
mod draft;
mod line;
mod near_miss;
mod odd;
mod read;
mod scalar;
mod tree;
mod walk;

use super::surroundings::Setting;
use super::{
    About, Awaiting, Dialect, Event, Header, Inside, Numbering, Opening, Parts, Place, Probe, Surroundings, Triggers,
    Until, Word,
};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::params::Assembly;
use crate::params::schema::Coercion;
use crate::text::{Span, Text};

const ABOUT: About = About {
    name: "caret",
    title: "triple-caret blocks",
    recognised_by: "a line that holds ^^^ and the name of a tool and nothing else; a line of ^^^ alone ends the block",
    example: "^^^write_file\npath: notes.md\ntags: [\ndraft\n]\ncontent ---\n# Notes\n--- content\n^^^\n",
    id_prefix: "tool-1-",
    numbering: Numbering::Every,
};

/// The fence of the format.
const FENCE: &str = "^^^";

/// The dialect.
#[derive(Clone, Debug, Default)]
pub struct Caret {
    one_call_per_message: bool,
    /// Blocks so far.
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
    fn open(&mut self, place: Place<'_>, line_end: usize, fence: line::Fence, out: &mut Vec<Event>) -> Probe {
        let marker = Span::new(place.at, place.at + FENCE.len());
        let name = Span::new(marker.end, marker.end + fence.name);
        let blanks = Span::new(name.end, line_end);
        let body = (line_end + 1).min(place.text.len());
        self.calls += 1;
        self.orphans = false;
        let header = Header { name: Word::plain(name), id: None, dependencies: Vec::new() };
        out.push(Event::open(Opening { dialect: &ABOUT, marker, header, body, is_seen: true }));
        let mut problems = Vec::new();
        if !blanks.is_empty() {
            problems.push(odd::blanks_behind(blanks, &place.text.read(blanks), "no call is made"));
        }
        if place.surroundings.setting(place.text, place.at) == Setting::Code {
            let line = Span::new(marker.start, name.end);
            problems.push(Diagnostic::new(Code::MarkerInCode, line, "a fence inside code starts a call all the same"));
        }
        problems.extend(self.several(Span::new(marker.start, name.end)));
        out.extend(problems.into_iter().map(Event::of_call));
        Probe::Open(Box::new(block::CaretBlock::new(place.at, body, blanks.is_empty())))
    }

    /// The draft allows one block in a message.
    fn several(&self, fence: Span) -> Option<Diagnostic> {
        if self.calls < 2 || (self.calls > 2 && !self.one_call_per_message) {
            return None;
        }
        let mut problem = Diagnostic::new(Code::SeveralCalls, fence, "not the only block here; the draft allows one");
        if self.one_call_per_message {
            problem.severity = Severity::Error;
            problem.message = format!("block number {}; one block in a message is allowed", self.calls);
        }
        Some(problem)
    }

    /// A closing fence in prose.
    fn stray(&mut self, place: Place<'_>, out: &mut Vec<Event>) -> Probe {
        if !self.orphans {
            let span = Span::new(place.at, place.at + FENCE.len());
            let mut diagnostic = Diagnostic::new(Code::StrayEnd, span, "^^^ ends nothing: no block is open");
            // Where no block has been seen, the carets may as well point at the line above.
            if self.calls == 0 || place.surroundings.in_fence() {
                diagnostic.severity = Severity::Hint;
            }
            out.push(Event::of_prose(diagnostic));
        }
        self.orphans = false;
        Probe::Prose(FENCE.len())
    }
}

impl Dialect for Caret {
    fn about(&self) -> &'static About {
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

    fn probe(&mut self, place: Place<'_>, out: &mut Vec<Event>) -> Probe {
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

    fn awaits(&self, ahead: &[u8]) -> Option<Awaiting> {
        if ahead.len() >= FENCE.len() {
            return Some(Awaiting::one(Inside::Header, Until::Words("the end of the line")));
        }
        Some(Awaiting::texts(Inside::Marker, ["^^^"]))
    }

    fn prose_line(&mut self, line: &[u8], at: usize, surroundings: &Surroundings, out: &mut Vec<Event>) {
        let Some(near) = near_miss::in_prose(line) else { return };
        let mut diagnostic = near.diagnostic(at, "it is prose");
        if surroundings.in_fence() {
            diagnostic.severity = Severity::Hint;
        }
        self.orphans = true;
        out.push(Event::of_prose(diagnostic));
    }

    fn rest_of_line(&mut self, _rest: &[u8], _at: usize, _out: &mut Vec<Event>) {
        // A fence fills its line.
    }

    fn coercion(&self) -> Coercion {
        Coercion::Strings
    }

    fn dissect(&self, text: &Text, parts: Parts<'_>) -> Assembly {
        read::read(&text.read(parts.body), parts)
    }
}

#[cfg(test)]
mod tests;
