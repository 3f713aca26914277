//! Passes over prose from one byte at which a dialect must be asked to the next, and over lines that say nothing.
//!
//! Each dialect names the texts with which something of it may begin, and the bytes with which a line begins that it
//! wants to see. Everything else is passed at about the speed at which line feeds are counted. To stop once too often
//! does no harm. This module does not know what any of the texts mean.

use std::sync::Arc;

use super::markdown_context::LINE_HEAD;
use super::{MarkdownContext, Triggers};
use crate::text::Text;
use crate::text::byte_set::ByteSet;

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
    /// For each byte who wants to see a line that begins with it, in the lower half of the number, and who must be asked
    /// at such a line.
    table: Box<[u32; 256]>,
    /// What stands in the table for a blank.
    blank: u32,
}

/// The bit of blanks and marks of quotation, emphasis and lists, which may stand in front of what counts.
const DECORATION: u32 = 1 << 31;

impl Heads {
    /// For the dialects with these triggers.
    pub fn new<'a>(triggers: impl IntoIterator<Item = &'a Triggers>) -> Self {
        let mut table = Box::new([0; 256]);
        for byte in b" \t>*`-" {
            table[usize::from(*byte)] |= DECORATION;
        }
        for byte in b"`~" {
            table[usize::from(*byte)] |= u32::from(FENCE);
        }
        for (number, triggers) in triggers.into_iter().enumerate() {
            for &byte in &triggers.lines {
                table[usize::from(byte)] |= 1 << number;
            }
            for &byte in &triggers.line_start {
                table[usize::from(byte)] |= 1 << (number + STARTS);
            }
        }
        Self { blank: table[usize::from(b' ')], table }
    }

    /// Who wants to see the line that `ahead` begins with.
    #[inline]
    pub fn lines(&self, ahead: &[u8]) -> Who {
        if let Some(first) = ahead.first_chunk() {
            // Most lines begin with few blanks and a letter.
            let word = u64::from_le_bytes(*first);
            let blanks = (word ^ BLANKS).trailing_zeros() / 8;
            let byte = word.checked_shr(blanks * 8).unwrap_or(u64::from(b' ')) as u8;
            let head = self.table[usize::from(byte)];
            if head & DECORATION == 0 && self.blank == DECORATION {
                return head as Who;
            }
        }
        self.lines_of(ahead)
    }

    fn lines_of(&self, ahead: &[u8]) -> Who {
        let mut all = 0;
        for &byte in &ahead[..ahead.len().min(LINE_HEAD)] {
            let head = self.table[usize::from(byte)];
            all |= head;
            if head & DECORATION == 0 {
                return all as Who;
            }
        }
        if ahead.len() < LINE_HEAD { ALL } else { all as Who }
    }

    /// Who must be asked at the line that `ahead` begins with.
    fn starts(&self, ahead: &[u8]) -> Who {
        let first = ahead.iter().take(LINE_HEAD).find(|byte| !matches!(byte, b' ' | b'\t'));
        first.map_or(ALL, |&byte| ((self.table[usize::from(byte)] & !DECORATION) >> STARTS) as Who)
    }

    /// Whether a line that begins with this byte may concern anybody.
    #[inline]
    fn may_concern(&self, first: u8) -> bool {
        self.table[usize::from(first)] != 0
    }
}

/// Eight blanks.
const BLANKS: u64 = u64::from_le_bytes([b' '; 8]);

/// Number of the bit of the first dialect in the upper half of a number.
const STARTS: usize = 16;

/// A text that makes somebody look.
#[derive(Clone, Debug)]
struct Opening {
    text: Box<[u8]>,
    /// The first bytes as a number, and the bits of it that count.
    prefix: (u64, u64),
    seen: Seen,
}

impl Opening {
    fn new(text: &[u8], seen: Seen) -> Self {
        let mut mask = [0; 8];
        mask[..text.len().min(8)].fill(0xff);
        Self { text: text.into(), prefix: (word(text), u64::from_le_bytes(mask)), seen }
    }

    /// Whether it stands in front of `ahead`, whose first bytes are `first`, as far as that has arrived.
    fn is_at(&self, ahead: &[u8], first: u64) -> bool {
        let (prefix, mask) = self.prefix;
        if ahead.len() >= 8 && (prefix ^ first) & mask != 0 {
            return false;
        }
        let length = self.text.len().min(ahead.len());
        ahead[..length] == self.text[..length]
    }
}

/// Texts that begin with the same byte.
#[derive(Clone, Debug, Default)]
struct Openings {
    all: Vec<Opening>,
    /// Their second bytes as bits.
    seconds: [u64; 4],
}

impl Openings {
    fn add(&mut self, opening: Opening) {
        match opening.text.get(1) {
            Some(&second) => self.seconds[usize::from(second / 64)] |= 1 << (second % 64),
            None => self.seconds = [u64::MAX; 4],
        }
        self.all.push(opening);
    }

    fn seen(&self, ahead: &[u8]) -> Seen {
        let mut all = Seen::default();
        if ahead.get(1).is_some_and(|second| self.seconds[usize::from(second / 64)] & 1 << (second % 64) == 0) {
            return all;
        }
        let first = word(ahead);
        for opening in self.all.iter().filter(|opening| opening.is_at(ahead, first)) {
            all.ask |= opening.seen.ask;
            all.note |= opening.seen.note;
        }
        all
    }
}

/// The first eight bytes as a number.
fn word(bytes: &[u8]) -> u64 {
    let mut word = [0; 8];
    let length = bytes.len().min(8);
    word[..length].copy_from_slice(&bytes[..length]);
    u64::from_le_bytes(word)
}

/// What stands at a byte.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    /// Who must be asked there.
    ask: Who,
    /// Who wants to see the line.
    note: Who,
}

/// Finds the next place in prose that concerns a dialect or a code fence.
#[derive(Clone, Debug)]
pub struct Prefilter {
    marks: ByteSet,
    heads: Heads,
    /// By their first bytes; copies share them.
    openings: Arc<[Openings]>,
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

impl Prefilter {
    /// For the dialects with these triggers.
    pub fn new(triggers: &[Triggers]) -> Self {
        assert!(triggers.len() <= MOST, "a dialect is a bit");
        let mut all: Vec<Opening> = Vec::new();
        for (number, triggers) in triggers.iter().enumerate() {
            let who = 1 << number;
            let asked = triggers.anywhere.iter().map(|text| (text, Seen { ask: who, note: 0 }));
            let noted = triggers.lines_with.iter().map(|text| (text, Seen { ask: 0, note: who }));
            all.extend(asked.chain(noted).map(|(text, seen)| Opening::new(text, seen)));
        }
        let firsts: Vec<u8> = all.iter().filter_map(|opening| opening.text.first().copied()).collect();
        let marks = ByteSet::new(firsts.iter().copied().chain([b'\n']));
        let mut openings = vec![Openings::default(); 256];
        for opening in all {
            openings[usize::from(opening.text[0])].add(opening);
        }
        Self { marks, heads: Heads::new(triggers), openings: openings.into() }
    }

    /// Who must be asked at `at`.
    pub fn who(&self, text: &Text, at: usize, markdown: &MarkdownContext) -> Who {
        let ahead = text.since(at);
        let starts = if at == markdown.line_start() { self.heads.starts(ahead) } else { 0 };
        starts | self.seen(ahead).ask
    }

    /// Goes on from `from`, which is in prose, at most to `limit`; `call` is where the last call ended. Lines that say
    /// nothing are passed in `markdown`, and `noted` is who wants to see the current line.
    pub fn next(
        &self,
        text: &Text,
        from: usize,
        call: usize,
        limit: usize,
        markdown: &mut MarkdownContext,
        noted: &mut Who,
    ) -> Stop {
        let bytes = text.since(from);
        let bytes = &bytes[..bytes.len().min(limit - from)];
        let mut line = markdown.line_start();
        if from == line {
            *noted = self.heads.lines(bytes);
            let who = self.who(text, from, markdown);
            if who != 0 && !bytes.is_empty() {
                return Stop::Place(from, who);
            }
        }
        for (stretch, places) in self.marks.stretches(bytes) {
            for place in places {
                let offset = stretch + place;
                let at = from + offset;
                if bytes[offset] == b'\n' {
                    if *noted != 0 || call > line {
                        markdown.pass_to(line);
                        return Stop::Line(at);
                    }
                    line = at + 1;
                    let ahead = &bytes[offset + 1..];
                    if ahead.first().is_some_and(|&first| !self.heads.may_concern(first)) {
                        continue;
                    }
                    markdown.pass_to(line);
                    *noted = self.heads.lines(ahead);
                    let who = if ahead.is_empty() { 0 } else { self.heads.starts(ahead) };
                    if who != 0 {
                        return Stop::Place(line, who | self.seen(ahead).ask);
                    }
                } else {
                    let seen = self.seen(&bytes[offset..]);
                    *noted |= seen.note;
                    if seen.ask != 0 {
                        markdown.pass_to(line);
                        return Stop::Place(at, seen.ask);
                    }
                }
            }
        }
        markdown.pass_to(line);
        Stop::End
    }

    /// What stands in front of `ahead`.
    fn seen(&self, ahead: &[u8]) -> Seen {
        ahead.first().map_or(Seen::default(), |&first| self.openings[usize::from(first)].seen(ahead))
    }
}
