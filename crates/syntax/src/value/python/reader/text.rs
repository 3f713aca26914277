//! Reads strings of a Python call, which may be adjacent.

use super::super::faults::{self, Fault};
use super::super::lexer::{Token, TokenKind};
use super::super::string::{Decoded, Escapes, decode};
use super::PythonReader;
use crate::text::Span;
use crate::value::tree_builder::Plain;
use crate::value::{Scalar, Sink};

impl<S: Sink + Default> PythonReader<'_, S> {
    /// Reports a string that an inner quote ends: the rest is ambiguous.
    pub(super) fn unescaped_quote(&mut self, start: usize, after: usize) {
        self.plain_text(start, after);
        let quote = self.tokens.list[after - 1];
        let next = self.tokens.list[after];
        let found = String::from_utf8_lossy(self.source(next.start, next.end));
        let problem = faults::describe(Fault::UnescapedQuote, self.span(quote.end - 1, quote.end), &found);
        self.builder.refuse(problem);
        self.is_lost = true;
        self.index = self.tokens.list.len();
    }

    pub(super) fn plain_text(&mut self, start: usize, after: usize) {
        let place = self.place(start, after);
        let (value, decoded) = self.text(start, after);
        self.builder.plain(Plain { scalar: Scalar::String, value, place }, || decoded);
    }

    /// The span of the content of adjacent strings, and their text if it differs from the bytes; reports their
    /// faults.
    pub(super) fn text(&mut self, start: usize, after: usize) -> (Span, Option<Box<str>>) {
        let mut joined = Vec::new();
        let mut is_written = after == start + 1;
        let mut span: Option<Span> = None;
        for index in start..after {
            let token = self.tokens.list[index];
            let (from, to) = token.content();
            let Decoded { bytes, faults } = self.decoded(token);
            is_written &= bytes == self.source(from, to);
            joined.extend_from_slice(&bytes);
            for (fault, begin, end) in faults {
                let written = String::from_utf8_lossy(self.source(from + begin, from + end));
                let problem = faults::in_string(fault, self.span(from + begin, from + end), &written);
                self.builder.refuse(problem);
            }
            let content = self.span(from, to);
            span = Some(span.map_or(content, |span| span.cover(content)));
        }
        let span = span.unwrap_or_default();
        (span, (!is_written).then(|| String::from_utf8_lossy(&joined).into()))
    }

    fn decoded(&mut self, token: Token) -> Decoded {
        let TokenKind::Text(quotes) = token.kind else { return Decoded::default() };
        let (from, mut to) = token.content();
        let prefix = self.source(token.start, token.start + usize::from(quotes.prefix)).to_ascii_lowercase();
        let special = prefix.iter().find_map(|byte| match byte {
            b'f' => Some("an f-string"),
            b'b' => Some("bytes"),
            _ => None,
        });
        if let Some(what) = special {
            let found = String::from_utf8_lossy(self.source(token.start, token.end)).into_owned();
            self.builder.problem(faults::not_a_literal(self.span(token.start, token.end), what, &found));
        }
        if !quotes.closed {
            // The final line feed of a file is not part of the string.
            to = from + self.source(from, to).trim_ascii_end().len();
        }
        let escapes = if prefix.contains(&b'r') { Escapes::Raw } else { Escapes::Resolved };
        let mut decoded = decode(self.source(from, to), escapes, quotes.length == 3);
        decoded.bytes.extend_from_slice(self.source(to, token.content().1));
        decoded
    }

    /// True if all tokens from `start` to `after` are strings.
    pub(super) fn is_text(&self, start: usize, after: usize) -> bool {
        self.tokens.list[start..after].iter().all(|token| matches!(token.kind, TokenKind::Text(_)))
    }

    /// The index after adjacent strings.
    pub(super) fn text_end(&self, start: usize) -> usize {
        let rest = &self.tokens.list[start..self.end()];
        start + rest.iter().take_while(|token| matches!(token.kind, TokenKind::Text(_))).count()
    }
}
