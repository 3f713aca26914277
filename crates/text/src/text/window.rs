//! Reads a text front to back, one piece at a time.
//!
//! Most requests are answered from the piece that was read for an earlier one, so that bytes that have left memory are
//! read again in large pieces and not one by one.

use std::borrow::Cow;

use super::{Span, Text};

/// Minimum number of bytes that are read first: most calls are shorter.
const FIRST: usize = 4 * 1024;

/// Largest piece in bytes, unless a longer span is requested; each piece is twice as long as the previous one.
const PIECE: usize = 64 * 1024;

/// A text, and the part of it that was read last.
#[derive(Debug)]
pub struct Window<'a> {
    text: &'a Text,
    start: usize,
    bytes: Cow<'a, [u8]>,
    /// Minimum length of the next piece, in bytes.
    piece: usize,
}

impl<'a> Window<'a> {
    /// A window on `text` that has not read anything yet.
    pub fn new(text: &'a Text) -> Self {
        Self { text, start: 0, bytes: Cow::Borrowed(&[]), piece: FIRST }
    }

    /// The part of `span` that exists.
    #[inline]
    pub fn read(&mut self, span: Span) -> &[u8] {
        if span.start < self.start || span.end > self.start + self.bytes.len() {
            self.fill(span);
        }
        let bytes = &self.bytes[span.start - self.start..];
        bytes.get(..span.len()).unwrap_or(bytes)
    }

    fn fill(&mut self, span: Span) {
        self.start = span.start;
        self.bytes = self.text.read(Span::new(span.start, span.end.max(span.start.saturating_add(self.piece))));
        self.piece = PIECE.min(2 * self.piece);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_stretch_is_what_the_text_holds() {
        let bytes: Vec<u8> = (0..3 * PIECE).map(|at| (at % 251) as u8).collect();
        let mut text = Text::default();
        text.push(&bytes);
        let mut window = Window::new(&text);
        for (start, end) in
            [(0, 5), (3, 4), (PIECE, PIECE + 9), (7, 7), (PIECE - 1, 3 * PIECE), (3 * PIECE - 4, 4 * PIECE)]
        {
            assert_eq!(window.read(Span::new(start, end)), &bytes[start..end.min(bytes.len())], "{start}..{end}");
        }
        assert!(window.read(Span::new(4 * PIECE, 5 * PIECE)).is_empty());
    }
}
