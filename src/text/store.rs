//! The transcript text: bytes that are only ever added to.
//!
//! Readers ask for spans and do not learn where the bytes are kept, so that they may leave memory. This module does
//! not know lines, encodings or calls.

use std::borrow::Cow;

use super::Span;

/// The bytes of the transcript so far.
#[derive(Clone, Debug, Default)]
pub struct Text {
    bytes: Vec<u8>,
}

impl Text {
    /// Adds bytes at the end.
    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Number of bytes so far.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether there is no byte yet.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The bytes of `span`, as many of them as exist.
    pub fn read(&self, span: Span) -> Cow<'_, [u8]> {
        let end = span.end.min(self.bytes.len());
        Cow::Borrowed(&self.bytes[span.start.min(end)..end])
    }

    /// The bytes of `span` as UTF-8; each invalid sequence becomes U+FFFD.
    pub fn read_str(&self, span: Span) -> Cow<'_, str> {
        match self.read(span) {
            Cow::Borrowed(bytes) => String::from_utf8_lossy(bytes),
            Cow::Owned(bytes) => Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()),
        }
    }

    /// All bytes from `offset` to the end of what has arrived.
    pub fn since(&self, offset: usize) -> &[u8] {
        &self.bytes[offset.min(self.bytes.len())..]
    }
}
