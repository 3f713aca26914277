//! The file around a text: its bytes as they stand, and the way from the text back to them.
//!
//! It is there where the text is decoded from records; a plain file is its own text.

use crate::container::{Batch, Container, Reader};
use crate::text::spool::Spool;
use crate::text::{Lines, Span, Text};

/// The bytes of a file, and what decodes them.
pub(super) struct Original {
    pub(super) text: Text,
    pub(super) lines: Lines,
    pub(super) reader: Reader,
    /// The decoded text, so that it can be read again.
    pub(super) decoded: Spool,
}

impl Original {
    pub(super) fn new(container: Container) -> Self {
        Self {
            text: Text::default(),
            lines: Lines::default(),
            reader: Reader::new(container),
            decoded: Spool::default(),
        }
    }

    /// Takes in bytes of the file; gives what they say.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Batch {
        self.text.push(bytes);
        self.lines.push(bytes);
        self.text.release(self.text.len());
        self.reader.push(bytes)
    }

    /// The stretches of the file that a stretch of the text was decoded from.
    pub(super) fn sources(&self, span: Span) -> Vec<Span> {
        let mut sources: Vec<Span> = Vec::new();
        for segment in self.reader.map().segments(span).filter(|segment| !segment.source.is_empty()) {
            match sources.last_mut() {
                Some(last) if last.end == segment.source.start => last.end = segment.source.end,
                _ => sources.push(segment.source),
            }
        }
        sources
    }
}
