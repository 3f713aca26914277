//! Locations in a transcript: byte spans, and the line and column numbers that people read.
//!
//! Everything in transcope is located by a [`Span`] of bytes in the transcript text. Lines and columns are computed
//! from spans only when they are needed.

pub mod byte_set;
pub mod colour_codes;
pub mod diff_lines;
pub mod encoding;
pub mod entity;
pub mod escape_sequences;
pub mod hash_index;
pub mod line_numbers;
pub mod line_regex;
pub mod lines;
pub mod offsets;
pub mod output;
pub mod paste;
pub mod replay_steps;
pub mod sanitize;
pub mod search;
pub mod spool;
pub mod steps;
pub mod store;
mod stretch;
pub mod type_fault;
pub mod typo;
pub mod walk;
pub mod window;
pub mod word_set;
pub mod wrap;

pub use lines::Lines;
pub use offsets::OffsetMap;
pub use store::Text;
pub use stretch::TextRange;
pub use walk::{LineWalk, Walk};

use serde::{Serialize, Serializer};

/// A half-open range of byte offsets into the transcript text; serialised as `[start, end]`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// Offset of the first byte.
    pub start: usize,
    /// Offset after the last byte; never less than `start`.
    pub end: usize,
}

impl Span {
    /// The bytes from `start` to `end`; an `end` before `start` gives the empty span at `start`.
    pub fn new(start: usize, end: usize) -> Self {
        Self { start, end: end.max(start) }
    }

    /// The empty span at `offset`.
    pub fn at(offset: usize) -> Self {
        Self::new(offset, offset)
    }

    /// Number of bytes from start to end.
    pub fn len(self) -> usize {
        self.end - self.start
    }

    /// True if the span contains no bytes.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// True if the byte at `offset` is in the span.
    pub fn contains(self, offset: usize) -> bool {
        (self.start..self.end).contains(&offset)
    }

    /// True if the two share a byte, or one of them is empty and is inside the other or at its edge.
    pub fn touches(self, other: Span) -> bool {
        if self.is_empty() || other.is_empty() {
            self.start <= other.end && other.start <= self.end
        } else {
            self.start < other.end && other.start < self.end
        }
    }

    /// The smallest span that covers both.
    #[must_use]
    pub fn cover(self, other: Span) -> Span {
        Span::new(self.start.min(other.start), self.end.max(other.end))
    }
}

impl Serialize for Span {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (self.start, self.end).serialize(serializer)
    }
}

/// A position as people write it: both numbers are 1-based, the column counts characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// Line, 1-based; a line ends after its LF.
    pub line: usize,
    /// Column, 1-based, in characters; an invalid byte counts as one.
    pub column: usize,
}

/// Drops white space from both ends of `bytes`, which begin at offset `start`, and returns the span of the rest.
///
/// White space is what ECMAScript's `String.prototype.trim` removes (the reference runtime is written in
/// JavaScript): U+FEFF and U+00A0 are white space, U+0085 is not.
pub fn trim(bytes: &[u8], start: usize) -> Span {
    let head = trim_start(bytes);
    let tail = trim_end(&bytes[head..]);
    Span::new(start + head, start + head + tail)
}

/// Number of bytes of leading white space (ECMAScript's definition).
pub fn trim_start(bytes: &[u8]) -> usize {
    let mut at = 0;
    while bytes.get(at).is_some_and(|byte| !byte.is_ascii_graphic()) {
        let Some(len) = whitespace_at(&bytes[at..]) else { break };
        at += len;
    }
    at
}

/// Length of `bytes` without their trailing white space (ECMAScript's definition).
pub fn trim_end(bytes: &[u8]) -> usize {
    let mut end = bytes.len();
    'next: while end > 0 && !bytes[end - 1].is_ascii_graphic() {
        for len in 1..=end.min(3) {
            if whitespace_at(&bytes[end - len..end]) == Some(len) {
                end -= len;
                continue 'next;
            }
        }
        break;
    }
    end
}

/// Bytes as text of the same length: each byte that is not UTF-8 becomes one character (U+001A) that displays as
/// nothing, so that offsets in the text are offsets in the bytes.
pub fn in_place(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        out.push_str(chunk.valid());
        out.extend(chunk.invalid().iter().map(|_| '\u{1a}'));
    }
    out
}

/// Length of `bytes` without an incomplete character at their end.
pub fn whole_characters(bytes: &[u8]) -> usize {
    const LONGEST: usize = 4;
    let cut = |at: usize| match std::str::from_utf8(&bytes[at..]) {
        Err(error) if error.error_len().is_none() => Some(at + error.valid_up_to()),
        _ => None,
    };
    (bytes.len().saturating_sub(LONGEST - 1)..bytes.len()).find_map(cut).unwrap_or(bytes.len())
}

/// Length in bytes of the white-space character that `bytes` begin with.
fn whitespace_at(bytes: &[u8]) -> Option<usize> {
    match bytes {
        [b'\t' | b'\n' | 0x0b | 0x0c | b'\r' | b' ', ..] => Some(1),
        [0xc2, 0xa0, ..] => Some(2),
        // U+1680, U+2000-200A, U+2028, U+2029, U+202F, U+205F, U+3000, U+FEFF
        [0xe1, 0x9a, 0x80, ..]
        | [0xe2, 0x80, 0x80..=0x8a | 0xa8 | 0xa9 | 0xaf, ..]
        | [0xe2, 0x81, 0x9f, ..]
        | [0xe3, 0x80, 0x80, ..]
        | [0xef, 0xbb, 0xbf, ..] => Some(3),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trim_removes_what_ecmascript_removes() {
        let cases: [(&str, &str); 8] = [
            ("", ""),
            (" \t\r\n\u{b}\u{c}", ""),
            (" a b ", "a b"),
            ("\u{feff}a\u{feff}", "a"),
            ("\u{a0}a\u{2028}", "a"),
            ("\u{3000}a\u{1680}", "a"),
            ("\u{85}a\u{85}", "\u{85}a\u{85}"),
            ("\u{200b}a", "\u{200b}a"),
        ];
        for (input, expected) in cases {
            let span = trim(input.as_bytes(), 10);
            assert_eq!(&input[span.start - 10..span.end - 10], expected, "{input:?}");
        }
    }

    #[test]
    fn spans_touch_when_they_share_a_byte_or_an_empty_one_lies_within() {
        let cases = [
            (Span::new(0, 3), Span::new(2, 5), true),
            (Span::new(0, 3), Span::new(3, 5), false),
            (Span::at(3), Span::new(3, 5), true),
            (Span::at(6), Span::new(3, 5), false),
        ];
        for (a, b, expected) in cases {
            assert_eq!(a.touches(b), expected, "{a:?} {b:?}");
            assert_eq!(b.touches(a), expected, "{b:?} {a:?}");
        }
    }
}
