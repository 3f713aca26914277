//! The bytes of a message that a key or a value was made of.

use serde::Serialize;

use super::json::string::Decoded;
use crate::text::{OffsetMap, Span};

/// The bytes of a key or a value in the message.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum SourcePlace {
    /// None: the parser makes it up, such as a default or an alias.
    #[default]
    MadeUp,
    /// One token, with its quotes.
    At(Span),
    /// Several joined tokens, in order.
    Parts(Vec<Span>),
}

impl SourcePlace {
    /// The span from the first byte to the last; `None` if there are none.
    pub fn span(&self) -> Option<Span> {
        match self {
            SourcePlace::MadeUp => None,
            SourcePlace::At(span) => Some(*span),
            SourcePlace::Parts(spans) => spans.iter().copied().reduce(Span::cover),
        }
    }

    /// The bytes of a string of `message` without its quotes; if it is cut off, there is no closing one.
    pub(crate) fn without_quotes(&self, message: &str) -> Self {
        let SourcePlace::At(span) = self else { return self.clone() };
        let token = message.get(span.start..span.end).unwrap_or_default();
        let Some(rest) = token.strip_prefix(['"', '\'']) else { return self.clone() };
        let inner = rest.strip_suffix(&token[..1]).unwrap_or(rest);
        SourcePlace::At(Span::new(span.start + 1, span.start + 1 + inner.len()))
    }

    /// Replaces its spans.
    pub(crate) fn relocate(&mut self, to: &impl Fn(Span) -> Span) {
        match self {
            SourcePlace::MadeUp => {}
            SourcePlace::At(span) => *span = to(*span),
            SourcePlace::Parts(spans) => spans.iter_mut().for_each(|span| *span = to(*span)),
        }
    }
}

/// Maps the bytes of a text to the transcript.
#[derive(Clone, Copy, Debug)]
pub enum SpanMap<'a> {
    /// At an offset, unchanged.
    At(usize),
    /// In a JSON string whose content begins at this offset.
    InString(usize, &'a Decoded),
}

impl SpanMap<'_> {
    /// The bytes in the transcript for a span of the text.
    pub(crate) fn of(&self, span: Span) -> Span {
        match self {
            SpanMap::At(base) => Span::new(base + span.start, base + span.end),
            SpanMap::InString(base, decoded) => {
                Span::new(base + decoded.source_of(span.start), base + decoded.source_of(span.end))
            }
        }
    }
}

/// A part of a message with its offset there.
#[derive(Clone, Copy, Debug)]
pub struct SourceText<'a> {
    text: &'a str,
    start: usize,
}

impl std::ops::Deref for SourceText<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        self.text
    }
}

impl<'a> SourceText<'a> {
    /// The part of a message at `span`.
    pub(crate) fn new(message: &'a str, span: Span) -> Self {
        Self { text: &message[span.start..span.end], start: span.start }
    }

    /// All of a text.
    pub fn whole(text: &'a str) -> Self {
        Self { text, start: 0 }
    }

    /// The text without its position.
    pub(crate) fn text(self) -> &'a str {
        self.text
    }

    /// Its span in the message.
    pub fn span(self) -> Span {
        Span::new(self.start, self.start + self.text.len())
    }

    /// The span in the message of a part of it.
    pub(crate) fn span_of(self, start: usize, end: usize) -> Span {
        Span::new(self.start + start, self.start + end)
    }

    /// A part of it, by offsets in it.
    pub(crate) fn part(self, start: usize, end: usize) -> Self {
        Self { text: &self.text[start..end], start: self.start + start }
    }

    /// A part of it, given as a slice of its text.
    pub(crate) fn locate(self, part: &'a str) -> Self {
        let start = (part.as_ptr() as usize).wrapping_sub(self.text.as_ptr() as usize);
        debug_assert!(start + part.len() <= self.text.len(), "it is a slice of this text");
        Self { text: part, start: self.start + start.min(self.text.len()) }
    }

    /// The same part without surrounding whitespace.
    pub(crate) fn trimmed(self) -> Self {
        let start = self.text.len() - self.text.trim_start().len();
        self.part(start, start + self.text.trim().len())
    }
}

/// A text derived from a message, with a map to the source of each byte.
#[derive(Clone, Debug, Default)]
pub struct DerivedText {
    pub(crate) text: String,
    map: OffsetMap,
}

impl DerivedText {
    /// Adds a part of the message unchanged.
    pub(crate) fn copy(&mut self, part: SourceText<'_>) {
        self.map.copied(part.start, part.text.len());
        self.text.push_str(part.text);
    }

    /// Adds a text whose source is `source` in the message.
    pub fn write(&mut self, text: &str, source: Span) {
        self.map.written(source, text.len());
        self.text.push_str(text);
    }

    /// Adds a text that has no source in the message.
    pub(crate) fn add(&mut self, text: &str) {
        self.map.added_behind(text.len());
        self.text.push_str(text);
    }

    /// Adds a text derived from the same message.
    pub(crate) fn append(&mut self, other: &DerivedText) {
        self.map.append(&other.map);
        self.text.push_str(&other.text);
    }

    /// Its first `len` bytes.
    pub(crate) fn truncated(mut self, len: usize) -> Self {
        let mut map = OffsetMap::default();
        self.map.segments(Span::new(0, len)).for_each(|segment| map.push(segment));
        self.text.truncate(len);
        Self { map, ..self }
    }

    /// The bytes in the message from which a part of it was derived.
    pub(crate) fn source_of(&self, span: Span) -> Span {
        self.map.source_of(span)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_string_that_is_cut_loses_its_first_quote_alone() {
        for (message, inner) in [("\"a😀\"", "a😀"), ("\"a😀", "a😀"), ("'a'", "a"), ("12", "12"), ("\"", "")] {
            let place = SourcePlace::At(Span::new(0, message.len())).without_quotes(message);
            let span = place.span().expect("a token has bytes");
            assert_eq!(&message[span.start..span.end], inner, "{message}");
        }
    }
}
