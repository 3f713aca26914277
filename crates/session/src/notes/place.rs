//! The stored form of the place that a note is about: the fingerprint of the item, and the position in it.

use super::hash::Fingerprint;
use crate::document::{Document, Item};
use crate::text::sanitize::visible_str;
use crate::text::{Span, Text};

/// Most characters of the quotation at the place, which is for the reader only.
const QUOTED: usize = 60;

/// Most bytes of leading whitespace of an item that are skipped.
const BLANK: usize = 256;

/// Bytes at the start of an item in which carriage returns are not counted; after these they are.
const COUNTED: usize = 1 << 20;

/// A place of a transcript, identified by its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotePlace {
    pub(super) item: Fingerprint,
    /// The path of a node of a call: `items/0/name`; `None` for the call or text itself.
    pub pointer: Option<String>,
    /// Offset from the first byte of the item that is not whitespace, without carriage returns.
    pub(super) within: usize,
    /// Line in the file, from 1; for the reader, and if the place is gone.
    pub line: usize,
    /// The beginning of the text at the place, safe to show; for the reader, and if the place is gone.
    pub quote: String,
}

impl NotePlace {
    /// The byte at `offset` in an item, or the node at a path of a call; `line` is the line in the file. `None` if
    /// there is no such item.
    pub fn new(
        (document, text): (&Document, &Text),
        item: usize,
        offset: usize,
        pointer: Option<String>,
        line: usize,
    ) -> Option<Self> {
        let print = Fingerprint::new(document, text, item, true)?;
        let span = document.items().span(item)?;
        let offset = offset.clamp(span.start, span.end.max(span.start));
        let begun = begin(text, span);
        let within = if offset > begun { without_returns(text, begun, offset) } else { 0 };
        let quote = quote(document, text, item, offset, pointer.as_deref());
        Some(Self { item: print, pointer, within, line, quote })
    }

    /// Offset of the place in the item with this span; the start of the item if that is shorter now.
    pub(super) fn offset_in(&self, text: &Text, span: Span) -> usize {
        let begun = begin(text, span);
        if self.within == 0 {
            return begun;
        }
        // Every second byte at most is a carriage return.
        let looked = text.read(Span::new(begun, span.end.min(begun + COUNTED.min(2 * self.within + 1))));
        let mut left = self.within;
        for (at, byte) in looked.iter().enumerate() {
            if left == 0 {
                return begun + at;
            }
            left -= usize::from(*byte != b'\r');
        }
        let offset = begun + looked.len() + left;
        if offset < span.end { offset } else { begun }
    }
}

/// Offset of the first byte of an item that is not whitespace.
fn begin(text: &Text, span: Span) -> usize {
    let head = text.read(Span::new(span.start, span.end.min(span.start + BLANK)));
    let blank = head.len() - head.trim_ascii_start().len();
    if blank < head.len() { span.start + blank } else { span.start }
}

/// Number of bytes from `start` to `end`, without the carriage returns in the first [`COUNTED`] of them.
fn without_returns(text: &Text, start: usize, end: usize) -> usize {
    let looked = Span::new(start, end.min(start + COUNTED));
    end - start - memchr::memchr_iter(b'\r', &text.read(looked)).count()
}

/// The beginning of the text at a place: the name of a call, with the path of a node, else a line.
fn quote(document: &Document, text: &Text, item: usize, offset: usize, pointer: Option<&str>) -> String {
    const LOOKED: usize = 4 * QUOTED;
    let words = match (document.items().get(item), pointer) {
        (Some(Item::Call(call)), Some(pointer)) => format!("{} {pointer}", call.name(text)),
        (Some(Item::Call(call)), None) if call.id.is_some() => format!("{} {}", call.name(text), call.id(text)),
        (Some(Item::Call(call)), None) => call.name(text),
        (found, _) => {
            let end = found.map_or(offset, |found| found.span().end);
            let line = text.read_str(Span::new(offset, end.min(offset + LOOKED))).into_owned();
            line.trim_start().lines().next().unwrap_or_default().trim_end().to_owned()
        }
    };
    visible_str(&words).chars().take(QUOTED).collect()
}
