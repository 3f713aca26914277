//! A range of a text that is written piece by piece, so that a gigabyte of text does not take a gigabyte of memory.
//!
//! Independent of the destination.

use std::convert::Infallible;
use std::fmt;

use memchr::memrchr;
use serde::{Serialize, Serializer};

use super::{Span, Text, trim_end, trim_start, whole_characters};

/// Bytes that are read at a time.
pub(crate) const PIECE: usize = 256 * 1024;

/// The bytes of a span as UTF-8; each invalid sequence is written as U+FFFD, as in [`Text::read_str`].
#[derive(Clone, Copy, Debug)]
pub struct TextRange<'a> {
    text: &'a Text,
    span: Span,
}

impl<'a> TextRange<'a> {
    /// The part of `span` that exists.
    pub fn new(text: &'a Text, span: Span) -> Self {
        let end = span.end.min(text.len());
        Self { text, span: Span::new(span.start.min(end), end) }
    }

    /// The same range without leading and trailing white space.
    #[must_use]
    pub fn trimmed(self) -> Self {
        let Self { text, span: Span { mut start, end } } = self;
        while start < end {
            let piece = Span::new(start, end.min(start + PIECE));
            let bytes = text.read(piece);
            let whole = if piece.end < end { whole_characters(&bytes) } else { bytes.len() };
            let blank = trim_start(&bytes[..whole]);
            start += blank;
            if blank < whole {
                break;
            }
        }
        let front = Self { text, span: Span::new(start, end) };
        front.trimmed_end()
    }

    /// The same range without trailing white space.
    #[must_use]
    pub fn trimmed_end(self) -> Self {
        let Self { text, span: Span { start, mut end } } = self;
        while start < end {
            let piece = Span::new(start.max(end.saturating_sub(PIECE)), end);
            let bytes = text.read(piece);
            // The end of a character that begins before the piece is examined together with its beginning.
            let is_cut = |byte: &&u8| piece.start > start && (0x80..0xc0).contains(*byte);
            let front = bytes.iter().take(3).take_while(is_cut).count();
            let kept = trim_end(&bytes[front..]);
            end = piece.start + front + kept;
            if kept > 0 {
                break;
            }
        }
        Self { text, span: Span::new(start, end) }
    }
}

impl TextRange<'_> {
    /// True if the range has no bytes.
    pub fn is_empty(&self) -> bool {
        self.span.is_empty()
    }

    /// Removes lines from the front and returns their span: as many as a piece holds, or that much of a longer line.
    pub fn split_lines(&mut self) -> Span {
        let Span { start, end } = self.span;
        let mut piece = Span::new(start, end.min(start + PIECE));
        if piece.end < end {
            let bytes = self.text.read(piece);
            piece.end = start + memrchr(b'\n', &bytes).map_or_else(|| whole_characters(&bytes), |feed| feed + 1);
        }
        self.span.start = piece.end;
        piece
    }
}

impl TextRange<'_> {
    /// Number of characters; each invalid sequence is one.
    pub(crate) fn count_characters(&self) -> usize {
        let mut count = 0;
        let counted: Result<(), Infallible> = self.each_piece(|words| {
            count += words.chars().count();
            Ok(())
        });
        counted.map_or(0, |()| count)
    }

    /// Passes the text to `take`, piece by piece.
    fn each_piece<E>(&self, mut take: impl FnMut(&str) -> Result<(), E>) -> Result<(), E> {
        let Self { text, span: Span { mut start, end } } = *self;
        while start < end {
            let bytes = text.read(Span::new(start, end.min(start + PIECE)));
            let is_last = start + bytes.len() >= end;
            let whole = if is_last { bytes.len() } else { whole_characters(&bytes) };
            take(&String::from_utf8_lossy(&bytes[..whole]))?;
            start += whole;
        }
        Ok(())
    }
}

impl fmt::Display for TextRange<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.each_piece(|words| out.write_str(words))
    }
}

impl Serialize for TextRange<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(bytes: &[u8]) {
        let mut text = Text::default();
        text.push(bytes);
        let whole = Span::new(0, bytes.len());
        let stretch = TextRange::new(&text, Span::new(0, bytes.len() + 9));
        assert!(stretch.to_string() == text.read_str(whole), "{} bytes", bytes.len());
        let trimmed = super::super::trim(bytes, 0);
        assert_eq!(stretch.trimmed().span.len(), trimmed.len(), "{} bytes", bytes.len());
        assert_eq!(stretch.count_characters(), text.read_str(whole).chars().count(), "{} bytes", bytes.len());
        let mut rest = stretch;
        let mut lines = Vec::new();
        while !rest.is_empty() {
            let piece = rest.split_lines();
            assert!(piece.len() <= PIECE && !piece.is_empty(), "{piece:?}");
            lines.extend_from_slice(&text.read(piece));
        }
        assert!(lines == bytes, "{} bytes", bytes.len());
        assert!(stretch.trimmed().to_string() == text.read_str(trimmed), "{} bytes", bytes.len());
    }

    #[test]
    fn pieces_say_what_the_whole_does() {
        for filler in ["x", " ", "\n", "é", "€", "😀"] {
            for length in [0, 1, PIECE - 1, PIECE, 2 * PIECE + 3] {
                for end in [&b""[..], b"\xf0\x9f", b"\xff\xe2\x82\xac \n", b"\xe2\x80\x83"] {
                    let filled = filler.repeat(length / filler.len());
                    check(&[b" ", filled.as_bytes(), end, filled.as_bytes()].concat());
                    check(&[end, filled.as_bytes(), end].concat());
                }
            }
        }
    }
}
