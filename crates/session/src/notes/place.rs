//! What a note is about, as it is kept: what tells the item from the others, and where in it.

use super::hash::Fingerprint;
use crate::document::{Document, Item};
use crate::text::sanitize::visible_str;
use crate::text::{Span, Text};

/// Characters of the words at the place that are kept for people.
const QUOTED: usize = 60;

/// Bytes of white space at the beginning of an item that are passed over.
const BLANK: usize = 256;

/// Bytes from the beginning of an item in which carriage returns are not counted: further in, all are.
const COUNTED: usize = 1 << 20;

/// A place of a transcript, told by what is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotePlace {
    pub(super) item: Fingerprint,
    /// The path of the node of a call that is meant: `items/0/name`; the call or text itself without one.
    pub pointer: Option<String>,
    /// Bytes of the item in front of the place, without carriage returns and the white space that it begins with.
    pub(super) within: usize,
    /// On which line of the file it was, from 1; for people, and for where it is gone.
    pub line: usize,
    /// How what is there begins, safe to show; for people, and for where it is gone.
    pub quote: String,
}

impl NotePlace {
    /// The byte at `offset` in an item, or the node at a path of a call; `line` is that in the file. Nothing where there
    /// is no such item.
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

    /// Where the place is in an item that it was found to be; where that begins if it is shorter now.
    pub(super) fn offset_in(&self, text: &Text, span: Span) -> usize {
        let begun = begin(text, span);
        if self.within == 0 {
            return begun;
        }
        // A line has at most one return, and two bytes then.
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

/// Where the words of an item begin, behind its white space.
fn begin(text: &Text, span: Span) -> usize {
    let head = text.read(Span::new(span.start, span.end.min(span.start + BLANK)));
    let blank = head.len() - head.trim_ascii_start().len();
    if blank < head.len() { span.start + blank } else { span.start }
}

/// Bytes from `start` to `end` without the carriage returns among the first of them.
fn without_returns(text: &Text, start: usize, end: usize) -> usize {
    let looked = Span::new(start, end.min(start + COUNTED));
    end - start - memchr::memchr_iter(b'\r', &text.read(looked)).count()
}

/// How what is at a place begins: the name of a call, with the path of a node; else a line.
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
