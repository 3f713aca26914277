//! The file from which a text is decoded: its raw bytes, and the way back to them from the text.
//!
//! It exists only if the text is decoded from records; a plain file is its own text.

use crate::container::{Batch, Container, ContainerReader};
use crate::text::spool::Spool;
use crate::text::{Lines, Span, Text};

/// The bytes of a file, and their decoder.
pub(super) struct Original {
    pub(super) text: Text,
    pub(super) lines: Lines,
    pub(super) reader: ContainerReader,
    /// The decoded text, so that it can be read again.
    pub(super) decoded: Spool,
}

impl Original {
    pub(super) fn new(container: Container) -> Self {
        Self {
            text: Text::default(),
            lines: Lines::default(),
            reader: ContainerReader::new(container),
            decoded: Spool::default(),
        }
    }

    /// Takes in bytes of the file; returns the resulting events.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Batch {
        self.text.push(bytes);
        self.lines.push(bytes);
        self.text.release(self.text.len());
        self.reader.push(bytes)
    }

    /// The ranges of the file that a span of the text was decoded from.
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
