//! The lines of a text in memory, cut into parts that are cheap to lay out however long a line is.

use std::ops::Range;

/// Maximum bytes of a part.
const MAX_PART_BYTES: usize = 4096;

/// The parts of a text: its lines, and of a long line several.
#[derive(Debug, Default)]
pub struct TextIndex {
    parts: Vec<TextPart>,
    length: usize,
}

#[derive(Debug)]
struct TextPart {
    /// Byte offset in the text.
    start: usize,
    /// Number of the line, from 1.
    line: usize,
}

impl TextIndex {
    /// Scans a text once. An empty one has one empty part.
    pub fn new(text: &str) -> Self {
        let mut parts = Vec::new();
        let mut start = 0;
        for (index, line) in text.split('\n').enumerate() {
            let end = start + line.len();
            loop {
                parts.push(TextPart { start, line: index + 1 });
                if end - start <= MAX_PART_BYTES {
                    break;
                }
                start = text.floor_char_boundary(start + MAX_PART_BYTES);
            }
            start = end + 1;
        }
        Self { parts, length: text.len() }
    }

    /// Number of parts; a long line has several.
    pub fn len(&self) -> usize {
        self.parts.len()
    }

    /// True if no text was scanned.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Number of the part's line, from 1; 0 if there is no such part.
    pub fn line(&self, part: usize) -> usize {
        self.parts.get(part).map_or(0, |part| part.line)
    }

    /// Number of lines; 0 if there are no parts.
    pub fn lines(&self) -> usize {
        self.parts.last().map_or(0, |part| part.line)
    }

    /// True for the first part of a line.
    pub fn begins_line(&self, part: usize) -> bool {
        part == 0 || self.line(part) != self.line(part - 1)
    }

    /// The bytes of a part, without the end of the line, and whether an end of line follows them.
    pub fn bytes(&self, part: usize) -> (Range<usize>, bool) {
        let Some(here) = self.parts.get(part) else { return (0..0, false) };
        match self.parts.get(part + 1) {
            Some(next) if next.line == here.line => (here.start..next.start, false),
            Some(next) => (here.start..next.start - 1, true),
            None => (here.start..self.length, false),
        }
    }

    /// The part that has a byte, or the end of line before the next part.
    pub fn part_at(&self, offset: usize) -> usize {
        self.parts.partition_point(|part| part.start <= offset).saturating_sub(1)
    }

    /// The first part of a line, counted from 1, or of the last line.
    pub fn part_of_line(&self, line: usize) -> usize {
        let part = self.parts.partition_point(|part| part.line < line);
        part.min(self.parts.len().saturating_sub(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_cover_the_text_without_ends_of_lines() {
        let long = "é".repeat(5000);
        for (text, lines) in [
            ("", vec![1]),
            ("a", vec![1]),
            ("a\n", vec![1, 2]),
            ("\n\nb", vec![1, 2, 3]),
            (long.as_str(), vec![1, 1, 1]),
        ] {
            let index = TextIndex::new(text);
            assert_eq!((0..index.len()).map(|part| index.line(part)).collect::<Vec<_>>(), lines);
            let mut joined = String::new();
            for part in 0..index.len() {
                let (bytes, is_ended) = index.bytes(part);
                assert!(bytes.is_empty() || index.part_at(bytes.start) == part && index.part_at(bytes.end - 1) == part);
                joined.push_str(&text[bytes]);
                joined.push_str(if is_ended { "\n" } else { "" });
            }
            assert_eq!(joined, text);
        }
    }
}
