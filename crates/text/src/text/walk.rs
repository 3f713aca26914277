//! Positions of many offsets, counted from the previous one.
//!
//! Commands that print thousands of problems need their positions in text order; counting from the previous one makes
//! that linear even if the whole text is a single line. Any other order gives the same positions: the walk remembers
//! points on its current line to count from.

use memchr::{memchr_iter, memrchr};

use super::{Lines, Position, Span, Text, steps, whole_characters};

/// Bytes that are read at a time, and between two remembered points of a line.
const STRIDE: usize = 16 * 1024;

/// Counts lines and columns from one offset to the next.
#[derive(Clone, Debug, Default)]
pub struct Walk {
    /// The 0-based current line.
    line: usize,
    line_start: usize,
    /// The point up to which characters on the line were counted.
    at: Mark,
    /// Remembered points on the line, one per stride.
    passed: Vec<Mark>,
}

/// Counts only lines from one offset to the next: cheap even if a line is a megabyte long.
#[derive(Clone, Copy, Debug, Default)]
pub struct LineWalk {
    /// Line feeds before `offset`.
    line: usize,
    offset: usize,
}

impl LineWalk {
    /// The line of `offset`, from 1; the same as in [`Lines::position`].
    pub fn line(&mut self, text: &Text, lines: &Lines, offset: usize) -> usize {
        let offset = offset.min(text.len());
        self.line = if offset < self.offset || offset > self.offset + STRIDE {
            lines.around(text, offset).0
        } else {
            self.line + memchr_iter(b'\n', &text.read(Span::new(self.offset, offset))).count()
        };
        self.offset = offset;
        self.line + 1
    }
}

/// A point on a line, between two characters.
#[derive(Clone, Copy, Debug, Default)]
struct Mark {
    offset: usize,
    /// Characters before it on its line.
    characters: usize,
}

impl Walk {
    /// The position of `offset` as people write it; the same as [`Lines::position`] gives.
    pub fn position(&mut self, text: &Text, lines: &Lines, offset: usize) -> Position {
        let offset = offset.min(text.len());
        if offset < self.at.offset || offset > self.at.offset + STRIDE {
            self.jump(text, lines, offset);
        } else {
            let between = text.read(Span::new(self.at.offset, offset));
            if let Some(last) = memrchr(b'\n', &between) {
                self.begin_line(self.line + memchr_iter(b'\n', &between).count(), self.at.offset + last + 1);
            }
        }
        Position { line: self.line + 1, column: self.count_to(text, offset) + 1 }
    }

    /// Moves to the last remembered point before `offset` on its line.
    fn jump(&mut self, text: &Text, lines: &Lines, offset: usize) {
        let (line, span) = lines.around(text, offset);
        if line != self.line {
            self.begin_line(line, span.start);
        } else if offset < self.at.offset {
            let known = self.passed.partition_point(|mark| mark.offset <= offset);
            let start = Mark { offset: self.line_start, characters: 0 };
            self.at = known.checked_sub(1).map_or(start, |last| self.passed[last]);
        } else if let Some(&last) = self.passed.last().filter(|last| last.offset <= offset) {
            self.at = if last.offset > self.at.offset { last } else { self.at };
        }
    }

    fn begin_line(&mut self, line: usize, start: usize) {
        self.line = line;
        self.line_start = start;
        self.at = Mark { offset: start, characters: 0 };
        self.passed.clear();
    }

    /// Counts up to `offset` on the same line and returns the number of characters before it.
    fn count_to(&mut self, text: &Text, offset: usize) -> usize {
        loop {
            let end = offset.min(self.at.offset + STRIDE);
            let bytes = text.read(Span::new(self.at.offset, end));
            steps::add_bytes(bytes.len());
            // A character that is cut here is counted again when the walk continues.
            let (whole, cut) = bytes.split_at(whole_characters(&bytes));
            let characters = self.at.characters + count(whole);
            self.at = Mark { offset: self.at.offset + whole.len(), characters };
            if end == offset {
                return characters + count(cut);
            }
            let last = self.passed.last().map_or(self.line_start, |mark| mark.offset);
            if self.at.offset >= last + STRIDE / 2 {
                self.passed.push(self.at);
            }
        }
    }
}

/// Number of characters in `bytes`; each invalid sequence is one.
fn count(bytes: &[u8]) -> usize {
    String::from_utf8_lossy(bytes).chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn build(bytes: &[u8]) -> (Text, Lines) {
        let (mut text, mut lines) = (Text::default(), Lines::default());
        text.push(bytes);
        lines.push(bytes);
        (text, lines)
    }

    /// Pseudo-random sequence of characters, parts of characters and line feeds.
    fn soup(length: usize, feeds: usize, mut seed: u64) -> (Vec<u8>, impl FnMut(usize) -> usize) {
        let mut next = move |below: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as usize % below
        };
        let pieces: [&[u8]; 8] =
            [b"a", "é".as_bytes(), "日".as_bytes(), "😀".as_bytes(), b"\x80", b"\xe2\x82", b"\xf0", b"z"];
        let mut bytes = Vec::new();
        while bytes.len() < length {
            bytes.extend_from_slice(if next(feeds) == 0 { b"\n" } else { pieces[next(pieces.len())] });
        }
        (bytes, next)
    }

    #[test]
    fn every_order_gives_what_looking_up_gives() {
        for (length, feeds, step) in
            [(300, 9, 5), (200_000, 60_000, 900), (200_000, 7, 50_000), (100_000, 1 << 30, 40_000)]
        {
            let (bytes, mut next) = soup(length, feeds, 7);
            let (text, lines) = build(&bytes);
            let (mut walk, mut line_walk) = (Walk::default(), LineWalk::default());
            let mut offset = 0;
            for _ in 0..400 {
                // Mostly a little forward, sometimes back, sometimes far.
                offset = match next(8) {
                    0 => next(bytes.len() + 10),
                    1 => offset.saturating_sub(next(step)),
                    _ => offset + next(step),
                };
                let expected = lines.position(&text, offset);
                assert_eq!(walk.position(&text, &lines, offset), expected, "{offset} of {length}");
                assert_eq!(line_walk.line(&text, &lines, offset), expected.line, "{offset} of {length}");
                if offset > bytes.len() {
                    offset = 0;
                }
            }
        }
    }
}
