//! Skips prose up to the next byte at which a dialect must be probed, and lines that no dialect cares about.
//!
//! Each dialect names the texts that may begin its markup, and the first bytes of lines that it needs to see.
//! Everything else is skipped about as fast as line feeds can be counted. A false positive does no harm.

mod anchors;
mod dialect_set;
mod lines;
mod patterns;

use super::{MarkdownContext, Triggers};
use crate::text::Text;
use crate::text::byte_set::ByteSet;
use anchors::Anchors;
use patterns::{Openings, PatternHit};

pub use dialect_set::DialectSet;
pub use lines::LineStarts;

/// Finds the next place in prose that concerns a dialect or a code fence.
#[derive(Clone, Debug)]
pub struct Prefilter {
    marks: ByteSet,
    heads: LineStarts,
    /// Indexed by first byte.
    openings: Box<[Openings]>,
    /// Maximum distance of a text's anchor byte from its beginning.
    reach: usize,
    /// First bytes of texts whose anchor is a later byte.
    late: Box<[bool; 256]>,
    /// The `late` bytes, and the `marks`.
    beginnings: ByteSet,
}

/// Why the search stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The arrived text is exhausted.
    End,
    /// The line feed at this offset ends a line that a dialect needs to see, or a code fence.
    Line(usize),
    /// These dialects must be probed at this offset.
    Place(usize, DialectSet),
}

impl Prefilter {
    /// A prefilter for dialects with these triggers, in order.
    pub fn new(triggers: &[Triggers]) -> Self {
        let mut all: Vec<(&[u8], PatternHit)> = Vec::new();
        for (number, triggers) in triggers.iter().enumerate() {
            let who = DialectSet::one(number);
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
            heads: LineStarts::new(triggers),
            openings: openings.into(),
            reach: anchors.offsets.into_iter().max().unwrap_or_default(),
            late,
        }
    }

    /// The dialects that must be probed at `at`.
    pub(crate) fn dialects_at(&self, text: &Text, at: usize, markdown: &MarkdownContext) -> DialectSet {
        let ahead = text.since(at);
        let starts = if at == markdown.line_start() { self.heads.starts(ahead) } else { DialectSet::EMPTY };
        starts | self.pattern_hit(ahead).ask
    }

    /// Skips the bytes starting at `from`, which are in prose and at most [`FEW`](crate::text::byte_set::FEW), if no
    /// dialect is concerned: they begin no text, contain no anchor, and begin or end no line that a dialect needs to
    /// see. Returns false where [`Prefilter::next`] must be called.
    #[inline]
    pub(crate) fn skip_plain(
        &self,
        bytes: &[u8],
        from: usize,
        call: usize,
        markdown: &mut MarkdownContext,
        noted: &mut DialectSet,
    ) -> bool {
        let mut line = markdown.line_start();
        let is_noted = from != line && !noted.is_empty();
        if from == line && self.is_line_relevant(bytes) {
            return false;
        }
        for at in self.beginnings.places(bytes) {
            let (byte, ahead) = (bytes[at], &bytes[at..]);
            if byte == b'\n' {
                if is_noted || call > line || self.is_line_relevant(&ahead[1..]) {
                    return false;
                }
                line = from + at + 1;
            } else if self.openings[usize::from(byte)].is_late() || !self.pattern_hit(ahead).is_nothing() {
                return false;
            }
        }
        if !is_noted {
            *noted = DialectSet::EMPTY;
        }
        markdown.pass_to(line);
        true
    }

    /// True if a dialect must be probed at the beginning of the line `ahead`, or needs to see it.
    fn is_line_relevant(&self, ahead: &[u8]) -> bool {
        ahead.first().is_some_and(|&first| self.heads.may_concern(first))
            && !(self.heads.lines(ahead) | self.heads.starts(ahead)).is_empty()
    }

    /// Continues from `from`, which is in prose, up to `limit`; `call` is the end of the last call. Advances
    /// `markdown` past irrelevant lines, and keeps in `noted` who needs to see the current line.
    pub fn next(
        &self,
        text: &Text,
        from: usize,
        call: usize,
        limit: usize,
        markdown: &mut MarkdownContext,
        noted: &mut DialectSet,
    ) -> Stop {
        let bytes = text.since(from);
        let bytes = &bytes[..bytes.len().min(limit - from)];
        let mut line = markdown.line_start();
        if call > line && bytes.first() == Some(&b'\n') {
            return Stop::Line(from);
        }
        if from == line {
            *noted = self.heads.lines(bytes);
            let who = self.dialects_at(text, from, markdown);
            if !who.is_empty() && !bytes.is_empty() {
                return Stop::Place(from, who);
            }
        } else if *noted == DialectSet::ALL {
            *noted = self.noted(&markdown.head(text, from + bytes.len()));
        }
        for (stretch, places) in self.marks.matching_blocks(bytes) {
            for place in places {
                let offset = stretch + place;
                let at = from + offset;
                let is_feed = bytes[offset] == b'\n';
                let is_late = self.reach > 0 && self.openings[usize::from(bytes[offset])].is_late_at(bytes, offset);
                if is_late || !is_feed {
                    let (mut start, mut seen) = (offset, self.pattern_hit(&bytes[offset..]));
                    if is_late || (self.reach > 0 && !seen.ask.is_empty()) {
                        let first = offset.saturating_sub(self.reach).max(line.saturating_sub(from));
                        (start, seen) = self.first_seen(bytes, first, offset);
                    }
                    *noted |= seen.note;
                    if !seen.ask.is_empty() {
                        markdown.pass_to(line);
                        return Stop::Place(from + start, seen.ask);
                    }
                }
                if is_feed {
                    if !noted.is_empty() || call > line {
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
                    let who = if ahead.is_empty() { DialectSet::EMPTY } else { self.heads.starts(ahead) };
                    if !who.is_empty() {
                        return Stop::Place(line, who | self.pattern_hit(ahead).ask);
                    }
                }
            }
        }
        markdown.pass_to(line);
        if self.reach > 0 {
            // The anchor byte of a text may not have arrived yet.
            let first = bytes.len().saturating_sub(self.reach).max(line.saturating_sub(from));
            let (start, seen) = self.first_seen(bytes, first, bytes.len());
            *noted |= seen.note;
            if !seen.ask.is_empty() {
                return Stop::Place(from + start, seen.ask);
            }
        }
        Stop::End
    }

    /// Recomputes who needs to see a line of which only whitespace and decoration had arrived.
    fn noted(&self, line: &[u8]) -> DialectSet {
        let decoration = line.iter().take_while(|&&byte| self.heads.is_decoration(byte)).count();
        (0..decoration).fold(self.heads.lines(line), |who, at| who | self.pattern_hit(&line[at..]).note)
    }

    /// The first place from `first` to `last` at which a dialect must be probed (`last` if none), with all dialects
    /// that need to see the line because of the texts up to there.
    fn first_seen(&self, bytes: &[u8], first: usize, last: usize) -> (usize, PatternHit) {
        let mut all = PatternHit::default();
        for start in first..=last {
            // Texts with their anchor at the first byte were found already. Skipping them here makes short pieces,
            // which are scanned whole, three times as fast.
            if start < last && !self.late[usize::from(bytes[start])] {
                continue;
            }
            let seen = self.pattern_hit(bytes.get(start..).unwrap_or_default());
            all.note |= seen.note;
            if !seen.ask.is_empty() {
                return (start, PatternHit { ask: seen.ask, ..all });
            }
        }
        (last, all)
    }

    /// The dialects concerned by the texts that `ahead` begins with.
    #[inline]
    fn pattern_hit(&self, ahead: &[u8]) -> PatternHit {
        ahead.first().map_or(PatternHit::default(), |&first| self.openings[usize::from(first)].seen(ahead))
    }
}

#[cfg(test)]
mod tests;
