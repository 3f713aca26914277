//! A position in a text that is parsed as Python, and the strictness of parsing.

use crate::text::Span;

/// The position where the text stops being Python.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SyntaxFault {
    /// Offset of the unexpected text.
    pub(crate) at: usize,
    /// True if the text ends within something that might continue.
    pub(crate) at_end: bool,
}

/// The strictness of parsing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strictness {
    /// As strict as Python.
    #[default]
    Strict,
    /// Allows control characters in strings, integers with leading zeros, and keywords as names of parameters.
    Tolerant,
}

/// A text that is being read.
pub struct PythonCursor<'a> {
    pub(super) text: &'a str,
    /// Offset of the next character.
    pub(crate) at: usize,
    pub(super) reading: Strictness,
    /// Start and end of a string whose end was determined elsewhere, whatever quotes it contains.
    closing: Option<(usize, usize)>,
    /// Number of open brackets; outside brackets a line feed ends an expression.
    pub(super) brackets: usize,
    pub(super) depth: usize,
}

impl<'a> PythonCursor<'a> {
    /// A cursor from `span.start` to `span.end`.
    pub(crate) fn new(text: &'a str, span: Span, reading: Strictness) -> Self {
        Self { text: &text[..span.end], at: span.start, reading, closing: None, brackets: 0, depth: 0 }
    }

    /// The same for a text in which the string that begins at `open` ends at `close`.
    pub(crate) fn with_closing(text: &'a str, span: Span, reading: Strictness, open: usize, close: usize) -> Self {
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

    /// The number in this many digits starting at `at`.
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
