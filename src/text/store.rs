//! The transcript text: bytes that are only ever added to.
//!
//! Readers ask for spans and do not learn where the bytes are kept, so that they may leave memory. This module does
//! not know lines, encodings or calls.

use std::borrow::Cow;
use std::fmt;
use std::io;
use std::sync::Arc;

use super::Span;

/// Something from which bytes of the text can be read again: a file, or what a pipe was saved to.
pub trait ReadAt: Send + Sync {
    /// Fills as much of `buffer` as there are bytes from `offset` on; less than all of it only at the end.
    ///
    /// # Errors
    /// Those of the system.
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize>;
}

/// Where the bytes of a text can be read again once they have left memory. Equal to itself and its clones alone.
#[derive(Clone)]
pub struct Backing(Arc<dyn ReadAt>);

impl Backing {
    /// What is read again from `reader`.
    pub fn new(reader: impl ReadAt + 'static) -> Self {
        Self(Arc::new(reader))
    }

    /// Fills as much of `buffer` as there are bytes from `offset` on.
    ///
    /// # Errors
    /// Those of the system.
    pub fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read_at(offset, buffer)
    }
}

impl fmt::Debug for Backing {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Backing")
    }
}

impl PartialEq for Backing {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Backing {}

/// The bytes of the transcript so far.
#[derive(Clone, Debug, Default)]
pub struct Text {
    bytes: Vec<u8>,
    backing: Option<Backing>,
}

impl Text {
    /// Lets bytes be read again from `backing`, the first one at offset 0.
    pub fn back(&mut self, backing: Backing) {
        self.backing = Some(backing);
    }

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
