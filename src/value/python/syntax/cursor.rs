//! A place in a text that is read as Python, and how strictly it is read.

use crate::text::Span;

/// Where the text stops being Python.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SyntaxFault {
    /// Offset of what does not fit.
    pub at: usize,
    /// Whether the text ends in something that might continue.
    pub at_end: bool,
}

/// How strictly a text is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strictness {
    /// As strictly as Python does.
    #[default]
    Strict,
    /// Control characters may be in strings, integers begin with zeros, and parameters have the names of keywords.
    Tolerant,
}

/// A text that is being read.
pub struct PythonCursor<'a> {
    pub(super) text: &'a str,
    /// The offset that is read next.
    pub at: usize,
    pub(super) reading: Strictness,
    /// Where the string that begins at the first offset ends, whatever quotes it holds.
    closing: Option<(usize, usize)>,
    /// How many brackets are open; line feeds end an expression outside of them.
    pub(super) brackets: usize,
    pub(super) depth: usize,
}

impl<'a> PythonCursor<'a> {
    /// A text that is read from `span.start` to `span.end`.
    pub fn new(text: &'a str, span: Span, reading: Strictness) -> Self {
        Self { text: &text[..span.end], at: span.start, reading, closing: None, brackets: 0, depth: 0 }
    }

    /// The same, where the string that begins at `open` ends at `close`.
    pub fn with_closing(text: &'a str, span: Span, reading: Strictness, open: usize, close: usize) -> Self {
        Self { closing: Some((open, close)), ..Self::new(text, span, reading) }
    }

    pub(super) fn bytes(&self) -> &'a [u8] {
        self.text.as_bytes()
    }

    pub(super) fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    pub(super) fn is_tolerant(&self) -> bool {
        self.reading == Strictness::Tolerant
    }

    pub(super) fn closing(&self, open: usize) -> Option<usize> {
        self.closing.filter(|(from, _)| *from == open).map(|(_, close)| close)
    }

    pub(super) fn fault<T>(&self) -> Result<T, SyntaxFault> {
        Err(SyntaxFault { at: self.at, at_end: self.at >= self.text.len() })
    }

    /// The number of this many digits from `at` on.
    pub(super) fn number(&self, at: usize, digits: usize, base: u32) -> Option<u32> {
        let words = self.text.get(at..at + digits)?;
        if words.bytes().all(|byte| char::from(byte).is_digit(base)) {
            u32::from_str_radix(words, base).ok()
        } else {
            None
        }
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.bytes().get(self.at).copied()
    }

    pub(super) fn blanks(&mut self) {
        loop {
            match self.peek() {
                Some(b' ' | b'\t' | 0xc) => self.at += 1,
                Some(b'\n' | b'\r') if self.brackets > 0 => self.at += 1,
                Some(b'\\') if self.rest().starts_with("\\\n") => self.at += 2,
                Some(b'#') => self.at += self.rest().find('\n').unwrap_or(self.rest().len()),
                _ => return,
            }
        }
    }

    pub(super) fn takes(&mut self, sign: u8) -> bool {
        self.blanks();
        let there = self.peek() == Some(sign);
        self.at += usize::from(there);
        there
    }

    pub(super) fn expect(&mut self, sign: u8) -> Result<(), SyntaxFault> {
        if self.takes(sign) { Ok(()) } else { self.fault() }
    }

    pub(super) fn word(&self) -> &'a str {
        let rest = self.rest();
        if !rest.starts_with(|c: char| c == '_' || c.is_alphabetic()) {
            return "";
        }
        &rest[..rest.find(|c: char| c != '_' && !c.is_alphanumeric()).unwrap_or(rest.len())]
    }
}
