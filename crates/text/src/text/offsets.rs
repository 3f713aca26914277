//! Maps offsets in a decoded text to the file that it was decoded from, and back.
//!
//! A decoded text consists of runs that are copied verbatim, escapes of a few bytes, and added bytes that are not in
//! the file. Each of these takes one to three bytes here, and a run followed by a common escape counts as one; a run
//! has any length, so a file that is its own text costs nothing. Nested escapes are escapes of more bytes.

use super::Span;
use super::steps;

/// Segments between two marks, at which reading can start.
const STRIDE: usize = 128;

/// Converts offsets in a decoded text to offsets in its file, and back. Offsets are in bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OffsetMap {
    /// The complete segments, one or two numbers each, or one for a run and an escape; see [`Segment`].
    code: Vec<u8>,
    marks: Vec<Checkpoint>,
    /// Segments since the last mark; a run and its escape count as one.
    since: usize,
    /// Length of the decoded text in bytes, including the open run.
    decoded: usize,
    /// Offset in the file after the last segment.
    source: usize,
    /// Length of the run that can still grow.
    run: usize,
    /// True if the segments are not in the order of the file.
    shuffled: bool,
}

/// A position from which segments can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Checkpoint {
    decoded: usize,
    source: usize,
    /// Offset in the code.
    at: usize,
}

/// The relation of a segment of decoded text to the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SegmentKind {
    /// The bytes are the same in the text and in the file.
    Copied,
    /// The file encodes the bytes differently; each byte of the segment maps to all of the encoding.
    Written,
    /// The bytes are not in the file.
    Added,
}

/// A range of the decoded text and the bytes that it was decoded from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Relation to the file.
    pub kind: SegmentKind,
    /// Its bytes in the decoded text.
    pub decoded: Span,
    /// Its bytes in the file; empty for added bytes.
    pub source: Span,
}

impl Segment {
    /// The bytes of the file for the part of the segment within `span`.
    fn part(&self, span: Span) -> Span {
        match self.kind {
            SegmentKind::Copied => {
                let from = span.start.clamp(self.decoded.start, self.decoded.end) - self.decoded.start;
                let to = span.end.clamp(self.decoded.start, self.decoded.end) - self.decoded.start;
                Span::new(self.source.start + from, self.source.start + to)
            }
            SegmentKind::Written | SegmentKind::Added => self.source,
        }
    }
}

/// Bytes of the usual escape in the file and in the decoded text: a backslash and a letter for a line feed or a quote.
const USUAL: (usize, usize) = (2, 1);

const COPIED: usize = 0;
const WRITTEN: usize = 1;
const ADDED: usize = 2;
const JUMP: usize = 3;

impl OffsetMap {
    /// Number of bytes of the decoded text.
    pub fn len(&self) -> usize {
        self.decoded
    }

    /// True if nothing was decoded yet.
    pub fn is_empty(&self) -> bool {
        self.decoded == 0
    }

    /// Approximate memory that the map takes, in bytes.
    #[cfg(test)]
    pub(crate) fn weight(&self) -> usize {
        self.code.len() + self.marks.len() * size_of::<Checkpoint>()
    }

    /// Appends `length` bytes that were copied verbatim from `source`.
    pub fn copied(&mut self, source: usize, length: usize) {
        if length > 0 {
            self.jump(source);
            self.run += length;
            self.source += length;
            self.decoded += length;
        }
    }

    /// Appends `length` bytes that the file encodes as the bytes of `source`.
    pub fn written(&mut self, source: Span, length: usize) {
        if length > 0 {
            self.jump(source.start);
            let usual = (source.len(), length) == USUAL && self.run > 0;
            self.flush(usual);
            if !usual {
                self.segment();
                if length < 8 {
                    self.number((source.len() << 3 | length) << 2 | WRITTEN);
                } else {
                    self.number(source.len() << 5 | WRITTEN);
                    self.number(length);
                }
            }
            self.source = source.end;
            self.decoded += length;
        }
    }

    /// Appends `length` bytes that are not in the file; they belong before the byte at `source`.
    pub fn added(&mut self, source: usize, length: usize) {
        if length > 0 {
            self.jump(source);
            self.flush(false);
            self.segment();
            self.number(length << 2 | ADDED);
            self.decoded += length;
        }
    }

    /// Appends the map of another decoded text, which follows this one.
    pub fn append(&mut self, other: &OffsetMap) {
        for segment in other.segments(Span::new(0, other.decoded)) {
            self.push(segment);
        }
    }

    /// Appends `length` bytes that are not in the file; they belong after the last segment.
    pub fn added_behind(&mut self, length: usize) {
        self.added(self.source, length);
    }

    /// Appends a segment that was decoded from the text of `outer`, mapped through it into the file.
    pub fn push_through(&mut self, segment: Segment, outer: &OffsetMap) {
        match segment.kind {
            SegmentKind::Copied => outer.segments(segment.source).for_each(|part| self.push(part)),
            SegmentKind::Written => self.written(outer.source_of(segment.source), segment.decoded.len()),
            SegmentKind::Added => self.added(outer.source_of(segment.source).start, segment.decoded.len()),
        }
    }

    /// Appends a segment of another map.
    pub fn push(&mut self, Segment { kind, decoded, source }: Segment) {
        match kind {
            SegmentKind::Copied => self.copied(source.start, decoded.len()),
            SegmentKind::Written => self.written(source, decoded.len()),
            SegmentKind::Added => self.added(source.start, decoded.len()),
        }
    }

    /// The bytes of the file that `span` was decoded from: the smallest range that covers them all, without added
    /// bytes. For an empty span, or one of added bytes only, the empty span before the next byte.
    pub fn source_of(&self, span: Span) -> Span {
        let stands = |segment: &Segment| segment.kind != SegmentKind::Added;
        let Some(first) = self.segments(span).find(stands).filter(|_| !span.is_empty()) else {
            let next = self.segments(Span::new(span.start, span.start + 1)).next();
            return Span::at(next.map_or(self.source, |segment| segment.source.start));
        };
        if self.shuffled {
            let rest = self.segments(span).filter(stands);
            return rest.fold(first.source, |source, segment| source.cover(segment.source));
        }
        let mut last = first;
        let mut end = span.end.min(self.decoded);
        while end > first.decoded.end {
            let Some(segment) = self.segments(Span::new(end - 1, end)).next() else { break };
            if stands(&segment) {
                last = segment;
                break;
            }
            end = self.start_of_segment(end - 1);
        }
        first.source.cover(last.source)
    }

    /// Start of the segment that holds the decoded byte at `offset`.
    fn start_of_segment(&self, offset: usize) -> usize {
        let mark = self.mark(self.marks.partition_point(|mark| mark.decoded <= offset).saturating_sub(1));
        self.read(mark).find(|segment| segment.decoded.end > offset).map_or(offset, |segment| segment.decoded.start)
    }

    /// Offset of the first decoded byte that comes from the byte of the file at `source`, or from a later one.
    pub fn decoded_at(&self, source: usize) -> Option<usize> {
        let start = if self.shuffled { 0 } else { self.marks.partition_point(|mark| mark.source <= source) };
        // The previous mark may precede added bytes and jumps.
        let mark = self.mark(start.saturating_sub(2));
        let mut best: Option<(usize, usize)> = None;
        for segment in self.read(mark).filter(|segment| segment.source.end > source) {
            let offset = match segment.kind {
                SegmentKind::Copied => source.saturating_sub(segment.source.start),
                SegmentKind::Written | SegmentKind::Added => 0,
            };
            let found = (segment.source.start.max(source), segment.decoded.start + offset);
            if found.0 == source || !self.shuffled {
                return Some(found.1);
            }
            best = best.filter(|best| best.0 <= found.0).or(Some(found));
        }
        best.map(|(_, decoded)| decoded)
    }

    /// The segments that share a byte with `span`, each cut to it; an escape maps to all of its bytes in the file.
    pub fn segments(&self, span: Span) -> impl Iterator<Item = Segment> + '_ {
        let mark = self.mark(self.marks.partition_point(|mark| mark.decoded <= span.start).saturating_sub(1));
        let behind = self.read(mark).skip_while(move |segment| segment.decoded.end <= span.start);
        behind.take_while(move |segment| segment.decoded.start < span.end).map(move |segment| {
            let decoded = Span::new(segment.decoded.start.max(span.start), segment.decoded.end.min(span.end));
            Segment { decoded, source: segment.part(span), ..segment }
        })
    }

    /// Offsets in `span` at which the text continues elsewhere in the file, for instance between two chunks of a
    /// stream.
    pub fn borders(&self, span: Span) -> impl Iterator<Item = usize> + '_ {
        let mut last: Option<usize> = None;
        self.segments(span).filter_map(move |segment| {
            let goes_on = last.is_none_or(|last| last == segment.source.start);
            last = Some(segment.source.end);
            (!goes_on).then_some(segment.decoded.start)
        })
    }

    fn mark(&self, index: usize) -> Checkpoint {
        self.marks.get(index).copied().unwrap_or(Checkpoint { decoded: 0, source: 0, at: 0 })
    }

    fn read(&self, mark: Checkpoint) -> impl Iterator<Item = Segment> + '_ {
        let mut at = mark;
        let mut open = self.run > 0;
        let mut escaped = false;
        std::iter::from_fn(move || {
            if std::mem::take(&mut escaped) {
                return Some(advance(&mut at, SegmentKind::Written, USUAL.0, USUAL.1));
            }
            steps::add(1);
            while at.at < self.code.len() {
                let number = self.next_number(&mut at.at);
                let value = number >> 2;
                let (kind, source, length) = match number & 3 {
                    COPIED => {
                        escaped = value & 1 == 1;
                        (SegmentKind::Copied, value >> 1, value >> 1)
                    }
                    WRITTEN if value.is_multiple_of(8) => {
                        (SegmentKind::Written, value >> 3, self.next_number(&mut at.at))
                    }
                    WRITTEN => (SegmentKind::Written, value >> 3, value % 8),
                    ADDED => (SegmentKind::Added, 0, value),
                    _ => {
                        at.source = if value & 1 == 0 { at.source + (value >> 1) } else { at.source - (value >> 1) };
                        continue;
                    }
                };
                return Some(advance(&mut at, kind, source, length));
            }
            std::mem::take(&mut open).then(|| advance(&mut at, SegmentKind::Copied, self.run, self.run))
        })
    }

    fn next_number(&self, at: &mut usize) -> usize {
        let mut number = 0;
        let mut shift = 0;
        while let Some(&byte) = self.code.get(*at) {
            *at += 1;
            number |= usize::from(byte & 0x7f) << shift;
            shift += 7;
            if byte & 0x80 == 0 {
                break;
            }
        }
        number
    }

    fn number(&mut self, mut number: usize) {
        while number >= 0x80 {
            self.code.push((number & 0x7f) as u8 | 0x80);
            number >>= 7;
        }
        self.code.push(number as u8);
    }

    /// Moves the end of the last segment to `source`.
    fn jump(&mut self, source: usize) {
        if source == self.source {
            return;
        }
        self.flush(false);
        self.shuffled |= source < self.source;
        let distance = source.abs_diff(self.source);
        self.number((distance << 1 | usize::from(source < self.source)) << 2 | JUMP);
        self.source = source;
    }

    /// Closes the run; `escaped` says that a usual escape follows.
    fn flush(&mut self, escaped: bool) {
        if self.run > 0 {
            self.segment();
            let run = std::mem::take(&mut self.run);
            self.number((run << 1 | usize::from(escaped)) << 2 | COPIED);
        }
    }

    /// Counts the segment that is written next, and adds a mark for it every [`STRIDE`] segments.
    fn segment(&mut self) {
        if self.since == 0 {
            let (decoded, source) = (self.decoded - self.run, self.source - self.run);
            self.marks.push(Checkpoint { decoded, source, at: self.code.len() });
        }
        self.since = (self.since + 1) % STRIDE;
    }
}

fn advance(at: &mut Checkpoint, kind: SegmentKind, source: usize, length: usize) -> Segment {
    let segment = Segment {
        kind,
        decoded: Span::new(at.decoded, at.decoded + length),
        source: Span::new(at.source, at.source + source),
    };
    at.decoded = segment.decoded.end;
    at.source = segment.source.end;
    segment
}

#[cfg(test)]
mod tests;
