//! Questions about a document: what is at an offset, and what comes next.
//!
//! This module does not change anything and does not know screens.

use super::{Document, Message};
use crate::text::Span;

impl Document {
    /// Number of the item that holds the byte at `offset`; the last one for an offset behind it.
    pub fn item_at(&self, offset: usize) -> Option<usize> {
        let behind = self.starts.partition_point(|start| start.offset() <= offset);
        behind.checked_sub(1).or(if self.starts.is_empty() { None } else { Some(0) })
    }

    /// Number of items that begin before `offset`.
    pub fn items_before(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| start.offset() < offset)
    }

    /// Number of the message that holds the byte at `offset`.
    pub fn message_at(&self, offset: usize) -> usize {
        self.messages().partition_point(|message| message.start <= offset).saturating_sub(1)
    }

    /// The bytes of a message; the last one reaches to `end`, the end of the text.
    pub fn message_span(&self, message: usize, end: usize) -> Span {
        let start = self.messages().get(message).map_or(0, |message: &Message| message.start);
        Span::new(start, self.messages().get(message + 1).map_or(end, |next| next.start))
    }

    /// The next call behind item number `item`, or before it.
    pub fn neighbour_call(&self, item: usize, forward: bool) -> Option<usize> {
        if forward {
            self.calls().nth(self.calls_before(item + 1))
        } else {
            self.calls_before(item).checked_sub(1).and_then(|number| self.calls().nth(number))
        }
    }
}
