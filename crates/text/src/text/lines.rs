//! Line numbers without an entry per line.
//!
//! Only the number of line feeds before each block of 16 KiB is stored; the rest is counted on demand, which takes
//! microseconds.

use memchr::{memchr, memchr_iter, memrchr};

use super::byte_set::{FEW, line_feeds};
use super::{Position, Span, Text, TextRange, steps};

/// Size of a counted block, in bytes.
const BLOCK: usize = 16 * 1024;

/// Converts byte offsets to line numbers and back.
#[derive(Clone, Debug, Default)]
pub struct Lines {
    /// Line feeds before the block with this index; complete blocks only.
    before: Vec<usize>,
    /// Line feeds in everything counted so far.
    total: usize,
    counted: usize,
    /// Offset after the last line feed.
    last_start: usize,
}

impl Lines {
    /// Counts the bytes that follow those counted before.
    #[inline]
    pub fn push(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            if self.counted.is_multiple_of(BLOCK) {
                self.before.push(self.total);
            }
            let room = BLOCK - self.counted % BLOCK;
            let (head, rest) = bytes.split_at(room.min(bytes.len()));
            if head.len() <= FEW {
                let feeds = line_feeds(head);
                if let Some(last) = feeds.last_place() {
                    self.end_lines(feeds.total(), last);
                }
            } else if let Some(last) = memrchr(b'\n', head) {
                self.end_lines(memchr_iter(b'\n', &head[..last]).count() + 1, last);
            }
            self.counted += head.len();
            bytes = rest;
        }
    }

    /// Records that `count` lines end in the bytes counted next; the last line feed is at their offset `last`.
    fn end_lines(&mut self, count: usize, last: usize) {
        self.total += count;
        self.last_start = self.counted + last + 1;
    }

    /// The lines of a part of a text that begins at `start` and is read independently of the text before it.
    pub fn of_stretch(start: usize) -> Self {
        Self { counted: start, last_start: start, ..Self::default() }
    }

    /// Appends the lines of the part that follows.
    pub fn append(&mut self, stretch: &Self) {
        self.before.extend(stretch.before.iter().map(|before| self.total + before));
        if stretch.total > 0 {
            self.last_start = stretch.last_start;
        }
        self.total += stretch.total;
        self.counted = stretch.counted;
    }

    /// Number of lines: line feeds, and one more for what follows the last one, if anything does.
    pub fn count(&self) -> usize {
        self.total + usize::from(self.last_start < self.counted)
    }

    /// The bytes of the 0-based `line` without its line feed; empty at the end of the text for a line past the end.
    pub fn span_of(&self, text: &Text, line: usize) -> Span {
        if line > self.total {
            return Span::at(self.counted);
        }
        let start = if line == 0 { 0 } else { self.behind_feed(text, line) };
        let end = if line == self.total { self.counted } else { self.behind_feed(text, line + 1) - 1 };
        Span::new(start, end.max(start))
    }

    /// The 0-based line of the byte at `offset` and the bytes of that line, as given by [`Lines::span_of`]; an offset
    /// past the end is on the last line.
    pub fn around(&self, text: &Text, offset: usize) -> (usize, Span) {
        let offset = offset.min(self.counted);
        let Some(last) = self.before.len().checked_sub(1) else { return (0, Span::default()) };
        let block = (offset / BLOCK).min(last);
        let begin = block * BLOCK;
        let bytes = text.read(Span::new(begin, begin + BLOCK));
        let (front, behind) = bytes.split_at(offset - begin);
        steps::add_copied(bytes.len());
        let line = self.before[block] + memchr_iter(b'\n', front).count();
        let start = match memrchr(b'\n', front) {
            Some(at) => begin + at + 1,
            None if line == 0 => 0,
            None => self.behind_feed(text, line),
        };
        let end = memchr(b'\n', behind).map_or_else(|| self.span_of(text, line).end, |at| offset + at);
        (line, Span::new(start, end))
    }

    /// The position of `offset` as people write it.
    pub fn position(&self, text: &Text, offset: usize) -> Position {
        let (line, span) = self.around(text, offset);
        let before = TextRange::new(text, Span::new(span.start, offset));
        Position { line: line + 1, column: before.count_characters() + 1 }
    }

    /// Offset after the `n`th line feed, counted from 1; if its bytes are lost, the last offset of its block.
    fn behind_feed(&self, text: &Text, n: usize) -> usize {
        let block = self.before.partition_point(|&before| before < n).saturating_sub(1);
        let start = block * BLOCK;
        let bytes = text.read(Span::new(start, start + BLOCK));
        steps::add_copied(bytes.len());
        let last = start + bytes.len().saturating_sub(1);
        memchr_iter(b'\n', &bytes).nth(n - 1 - self.before[block]).map_or(last, |at| start + at + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn build(text: &str) -> (Text, Lines) {
        let mut store = Text::default();
        let mut lines = Lines::default();
        for piece in text.as_bytes().chunks(1000) {
            store.push(piece);
            lines.push(piece);
        }
        (store, lines)
    }

    #[test]
    fn lines_and_offsets_agree_with_a_plain_split() {
        for input in
            [String::new(), "\n".into(), "a".into(), "a\nb".into(), "x\n".repeat(40_000), "ab\n\n".repeat(9000) + "end"]
        {
            let (text, lines) = build(&input);
            let mut start = 0;
            for (number, line) in input.split_inclusive('\n').enumerate() {
                if number % 97 == 0 || start + line.len() == input.len() {
                    let body = line.trim_end_matches('\n');
                    assert_eq!(lines.span_of(&text, number), Span::new(start, start + body.len()));
                    for offset in [start, start + line.len() / 2, start + line.len() - 1] {
                        assert_eq!(lines.around(&text, offset), (number, lines.span_of(&text, number)));
                    }
                }
                start += line.len();
            }
            assert_eq!(lines.count(), input.split_inclusive('\n').count());
            let last = input.bytes().filter(|byte| *byte == b'\n').count();
            assert_eq!(lines.around(&text, input.len() + 1), (last, lines.span_of(&text, last)));
        }
    }

    #[test]
    fn a_column_counts_characters() {
        let (text, lines) = build("one\nzwölf €x\n");
        assert_eq!(lines.position(&text, 4 + "zwölf €".len()), Position { line: 2, column: 8 });
    }
}
