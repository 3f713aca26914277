//! Passes over prose from one byte at which a dialect must be asked to the next, and over lines that say nothing.
//!
//! Each dialect names the texts with which something of it may begin, and the bytes with which a line begins that it
//! wants to see. Everything else is passed at about the speed at which line feeds are counted. To stop once too often
//! does no harm. This module does not know what any of the texts mean.

use super::surroundings::LINE_HEAD;
use super::{Surroundings, Triggers};
use crate::text::Text;
use crate::text::marks::Marks;

/// Some dialects, by their numbers, as bits.
pub type Who = u16;

/// All dialects, and the code fences.
pub const ALL: Who = Who::MAX;

/// The bit of the code fences of Markdown.
pub const FENCE: Who = 1 << 15;

/// Most dialects that can be told apart.
pub const MOST: usize = 15;

/// Who wants to see a line, by the bytes with which it begins.
#[derive(Clone, Debug)]
pub struct Heads {
    table: Box<[Head; 256]>,
}

/// What a byte says that stands in front of a line, or behind blanks and marks of quotation, emphasis and lists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Head {
    /// Who wants to see the line.
    lines: Who,
    /// Who must be asked at the line, if only blanks stand in front of the byte.
    starts: Who,
    /// Whether it may stand in front of what counts.
    decoration: bool,
}

impl Heads {
    /// For the dialects with these triggers.
    pub fn new<'a>(triggers: impl IntoIterator<Item = &'a Triggers>) -> Self {
        let mut table = Box::new([Head::default(); 256]);
        for byte in b" \t>*`-" {
            table[usize::from(*byte)].decoration = true;
        }
        for byte in b"`~" {
            table[usize::from(*byte)].lines |= FENCE;
        }
        for (number, triggers) in triggers.into_iter().enumerate() {
            for &byte in &triggers.lines {
                table[usize::from(byte)].lines |= 1 << number;
            }
            for &byte in &triggers.line_start {
                table[usize::from(byte)].starts |= 1 << number;
            }
        }
        Self { table }
    }

    /// Whether a line that begins with this byte may concern anybody.
    #[inline]
    pub fn may_concern(&self, first: u8) -> bool {
        self.table[usize::from(first)] != Head::default()
    }

    /// Who wants to see the line that `ahead` begins with.
    pub fn lines(&self, ahead: &[u8]) -> Who {
        let mut who = 0;
        for &byte in ahead.iter().take(LINE_HEAD) {
            let head = self.table[usize::from(byte)];
            who |= head.lines;
            if !head.decoration {
                return who;
            }
        }
        if ahead.len() < LINE_HEAD { ALL } else { who }
    }

    /// Who must be asked at the line that `ahead` begins with.
    fn starts(&self, ahead: &[u8]) -> Who {
        let first = ahead.iter().take(LINE_HEAD).find(|byte| !matches!(byte, b' ' | b'\t'));
        first.map_or(ALL, |&byte| self.table[usize::from(byte)].starts)
    }
}

/// A text that makes somebody look.
#[derive(Clone, Debug)]
struct Opening {
    text: Box<[u8]>,
    seen: Seen,
}

/// What stands at a byte.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    /// Who must be asked there.
    ask: Who,
    /// Who wants to see the line.
    note: Who,
}

/// Passes over prose.
#[derive(Clone, Debug)]
pub struct Skim {
    marks: Marks,
    heads: Heads,
    openings: Vec<Opening>,
    /// The second bytes of the openings.
    seconds: Box<[bool; 256]>,
}

/// Where the way over prose ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Nothing more has arrived.
    End,
    /// The line feed at this offset ends a line that somebody wants to see.
    Line(usize),
    /// At this offset these must be asked.
    Place(usize, Who),
}

impl Skim {
    /// For the dialects with these triggers.
    pub fn new(triggers: &[Triggers]) -> Self {
        assert!(triggers.len() <= MOST, "a dialect is a bit");
        let mut openings = Vec::new();
        for (number, triggers) in triggers.iter().enumerate() {
            let who = 1 << number;
            let asked = triggers.anywhere.iter().map(|text| (text, Seen { ask: who, note: 0 }));
            let noted = triggers.lines_with.iter().map(|text| (text, Seen { ask: 0, note: who }));
            openings.extend(asked.chain(noted).map(|(text, seen)| Opening { text: text.as_slice().into(), seen }));
        }
        let mut seconds = Box::new([false; 256]);
        for opening in &openings {
            match opening.text.get(1) {
                Some(&byte) => seconds[usize::from(byte)] = true,
                None => seconds.fill(true),
            }
        }
        let firsts = openings.iter().filter_map(|opening| opening.text.first().copied());
        Self { marks: Marks::new(firsts.chain([b'\n'])), heads: Heads::new(triggers), openings, seconds }
    }

    /// Who must be asked at `at`.
    pub fn who(&self, text: &Text, at: usize, surroundings: &Surroundings) -> Who {
        let ahead = text.since(at);
        let starts = if at == surroundings.line_start() { self.heads.starts(ahead) } else { 0 };
        starts | self.seen(ahead).ask
    }

    /// Goes on from `from`, which is in prose; `call` is where the last call ended. Lines that say nothing are passed
    /// in `surroundings`, and `noted` is who wants to see the current line.
    pub fn next(
        &self,
        text: &Text,
        from: usize,
        call: usize,
        surroundings: &mut Surroundings,
        noted: &mut Who,
    ) -> Stop {
        let bytes = text.since(from);
        let mut line = surroundings.line_start();
        if from == line {
            *noted = self.heads.lines(bytes);
            let who = self.who(text, from, surroundings);
            if who != 0 && !bytes.is_empty() {
                return Stop::Place(from, who);
            }
        }
        for offset in self.marks.find_in(bytes) {
            let at = from + offset;
            if bytes[offset] == b'\n' {
                if *noted != 0 || call > line {
                    surroundings.pass_to(line);
                    return Stop::Line(at);
                }
                line = at + 1;
                let ahead = &bytes[offset + 1..];
                if ahead.first().is_some_and(|&first| !self.heads.may_concern(first)) {
                    continue;
                }
                surroundings.pass_to(line);
                *noted = self.heads.lines(ahead);
                let who = if ahead.is_empty() { 0 } else { self.heads.starts(ahead) };
                if who != 0 {
                    return Stop::Place(line, who | self.seen(ahead).ask);
                }
            } else {
                let seen = self.seen(&bytes[offset..]);
                *noted |= seen.note;
                if seen.ask != 0 {
                    surroundings.pass_to(line);
                    return Stop::Place(at, seen.ask);
                }
            }
        }
        surroundings.pass_to(line);
        Stop::End
    }

    /// What stands in front of `ahead`.
    fn seen(&self, ahead: &[u8]) -> Seen {
        let mut all = Seen::default();
        if ahead.get(1).is_some_and(|&second| !self.seconds[usize::from(second)]) {
            return all;
        }
        for Opening { text, seen } in &self.openings {
            let length = text.len().min(ahead.len());
            if ahead[..length] == text[..length] {
                all.ask |= seen.ask;
                all.note |= seen.note;
            }
        }
        all
    }
}
