//! Passes over prose from one byte at which a dialect must be asked to the next, and over lines that say nothing.
//!
//! Each dialect names the texts with which something of it may begin, and the bytes with which a line begins that it
//! wants to see. Everything else is passed at about the speed at which line feeds are counted. To stop once too often
//! does no harm.

mod anchors;
mod dialect_set;
mod lines;
mod patterns;

use super::{MarkdownContext, Triggers};
use crate::text::Text;
use crate::text::byte_set::ByteSet;
use anchors::Anchors;
use patterns::{Openings, PatternHit};

pub use dialect_set::Who;
pub use lines::Heads;

/// Finds the next place in prose that concerns a dialect or a code fence.
#[derive(Clone, Debug)]
pub struct Prefilter {
    marks: ByteSet,
    heads: Heads,
    /// By their bytes.
    openings: Box<[Openings]>,
    /// How far in front of the byte that it is found by a text may begin.
    reach: usize,
    /// The first bytes of texts that are found by a later one.
    late: Box<[bool; 256]>,
    /// Those, and the marks.
    beginnings: ByteSet,
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
        let mut all: Vec<(&[u8], PatternHit)> = Vec::new();
        for (number, triggers) in triggers.iter().enumerate() {
            let who = Who::one(number);
            let asked = triggers.anywhere.iter().map(|text| (text, PatternHit { ask: who, ..PatternHit::default() }));
            let noted =
                triggers.lines_with.iter().map(|text| (text, PatternHit { note: who, ..PatternHit::default() }));
            all.extend(asked.chain(noted).filter(|(text, _)| !text.is_empty()).map(|(text, seen)| (&**text, seen)));
        }
        let texts: Vec<&[u8]> = all.iter().map(|(text, _)| *text).collect();
        let anchors = Anchors::new(&texts);
        let (mut openings, mut late) = (vec![Openings::default(); 256], Box::new([false; 256]));
        for ((text, seen), &offset) in all.into_iter().zip(&anchors.offsets) {
            openings[usize::from(text[0])].add(text, seen);
            if offset > 0 {
                openings[usize::from(text[offset])].add_late(text, offset);
                late[usize::from(text[0])] = true;
            }
        }
        let marks = anchors.searched();
        let firsts = (0..=u8::MAX).filter(|&byte| late[usize::from(byte)]);
        Self {
            beginnings: ByteSet::new(marks.iter().copied().chain(firsts)),
            marks: ByteSet::new(marks),
            heads: Heads::new(triggers),
            openings: openings.into(),
            reach: anchors.offsets.into_iter().max().unwrap_or_default(),
            late,
        }
    }

    /// Who must be asked at `at`.
    pub fn who(&self, text: &Text, at: usize, markdown: &MarkdownContext) -> Who {
        let ahead = text.since(at);
        let starts = if at == markdown.line_start() { self.heads.starts(ahead) } else { Who::NOBODY };
        starts | self.seen(ahead).ask
    }

    /// Passes the bytes behind `from`, which are in prose and at most [`FEW`](crate::text::byte_set::FEW), if they concern
    /// nobody: no text begins or is found by them, and nobody wants to see a line that begins or ends in them. False where
    /// [`Prefilter::next`] must look.
    #[inline]
    pub fn pass(
        &self,
        bytes: &[u8],
        from: usize,
        call: usize,
        markdown: &mut MarkdownContext,
        noted: &mut Who,
    ) -> bool {
        let mut line = markdown.line_start();
        let is_noted = from != line && !noted.is_nobody();
        if from == line && self.concerns_somebody(bytes) {
            return false;
        }
        for at in self.beginnings.places(bytes) {
            let (byte, ahead) = (bytes[at], &bytes[at..]);
            if byte == b'\n' {
                if is_noted || call > line || self.concerns_somebody(&ahead[1..]) {
                    return false;
                }
                line = from + at + 1;
            } else if self.openings[usize::from(byte)].is_late() || !self.seen(ahead).is_nothing() {
                return false;
            }
        }
        if !is_noted {
            *noted = Who::NOBODY;
        }
        markdown.pass_to(line);
        true
    }

    /// Whether somebody must be asked at the line that `ahead` begins with, or wants to see it.
    fn concerns_somebody(&self, ahead: &[u8]) -> bool {
        ahead.first().is_some_and(|&first| self.heads.may_concern(first))
            && !(self.heads.lines(ahead) | self.heads.starts(ahead)).is_nobody()
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
        if call > line && bytes.first() == Some(&b'\n') {
            return Stop::Line(from);
        }
        if from == line {
            *noted = self.heads.lines(bytes);
            let who = self.who(text, from, markdown);
            if !who.is_nobody() && !bytes.is_empty() {
                return Stop::Place(from, who);
            }
        } else if *noted == Who::ALL {
            *noted = self.noted(&markdown.head(text, from + bytes.len()));
        }
        for (stretch, places) in self.marks.stretches(bytes) {
            for place in places {
                let offset = stretch + place;
                let at = from + offset;
                let is_feed = bytes[offset] == b'\n';
                let is_late = self.reach > 0 && self.openings[usize::from(bytes[offset])].is_late_at(bytes, offset);
                if is_late || !is_feed {
                    let (mut start, mut seen) = (offset, self.seen(&bytes[offset..]));
                    if is_late || (self.reach > 0 && !seen.ask.is_nobody()) {
                        let first = offset.saturating_sub(self.reach).max(line.saturating_sub(from));
                        (start, seen) = self.first_seen(bytes, first, offset);
                    }
                    *noted |= seen.note;
                    if !seen.ask.is_nobody() {
                        markdown.pass_to(line);
                        return Stop::Place(from + start, seen.ask);
                    }
                }
                if is_feed {
                    if !noted.is_nobody() || call > line {
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
                    let who = if ahead.is_empty() { Who::NOBODY } else { self.heads.starts(ahead) };
                    if !who.is_nobody() {
                        return Stop::Place(line, who | self.seen(ahead).ask);
                    }
                }
            }
        }
        markdown.pass_to(line);
        if self.reach > 0 {
            // The byte by which a text would be found may not have arrived.
            let first = bytes.len().saturating_sub(self.reach).max(line.saturating_sub(from));
            let (start, seen) = self.first_seen(bytes, first, bytes.len());
            *noted |= seen.note;
            if !seen.ask.is_nobody() {
                return Stop::Place(from + start, seen.ask);
            }
        }
        Stop::End
    }

    /// Who wants to see a line of which too little had come to tell: nothing but blanks and the like.
    fn noted(&self, line: &[u8]) -> Who {
        let decoration = line.iter().take_while(|&&byte| self.heads.is_decoration(byte)).count();
        (0..decoration).fold(self.heads.lines(line), |who, at| who | self.seen(&line[at..]).note)
    }

    /// The first place from `first` to `last` at which anybody must be asked, and who wants to see the line because of
    /// what stands up to there; `last`, if there is none.
    fn first_seen(&self, bytes: &[u8], first: usize, last: usize) -> (usize, PatternHit) {
        let mut all = PatternHit::default();
        for start in first..=last {
            // Those that are found by their first byte have been found. Where little arrives at a time, all of it is looked at
            // here: this makes that three times as fast.
            if start < last && !self.late[usize::from(bytes[start])] {
                continue;
            }
            let seen = self.seen(bytes.get(start..).unwrap_or_default());
            all.note |= seen.note;
            if !seen.ask.is_nobody() {
                return (start, PatternHit { ask: seen.ask, ..all });
            }
        }
        (last, all)
    }

    /// What stands in front of `ahead`.
    #[inline]
    fn seen(&self, ahead: &[u8]) -> PatternHit {
        ahead.first().map_or(PatternHit::default(), |&first| self.openings[usize::from(first)].seen(ahead))
    }
}

#[cfg(test)]
mod tests;
