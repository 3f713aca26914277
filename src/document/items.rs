//! The items of a document, read back one by one.
//!
//! This module does not know how a call is packed.

use super::Document;
use super::call::Call;
use crate::text::Span;

/// A stretch of the text.
#[derive(Clone, Copy, Debug)]
pub enum Item<'a> {
    /// Prose.
    Text(Span),
    /// A tool call.
    Call(Call<'a>),
}

impl<'a> Item<'a> {
    /// Its bytes.
    pub fn span(&self) -> Span {
        match self {
            Item::Text(span) => *span,
            Item::Call(call) => call.span,
        }
    }

    /// The call, if it is one.
    pub fn call(self) -> Option<Call<'a>> {
        match self {
            Item::Text(_) => None,
            Item::Call(call) => Some(call),
        }
    }
}

/// What an item is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Prose.
    Text,
    /// A tool call.
    Call,
}

/// Where an item begins and what it is, in eight bytes: the two highest bits are the kind. There is no text of 2^62
/// bytes, and room for two more kinds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Start(u64);

impl Start {
    const KIND: u32 = 62;

    pub(super) fn new(kind: Kind, offset: usize) -> Self {
        let bits = match kind {
            Kind::Text => 0,
            Kind::Call => 1,
        };
        Self(bits << Self::KIND | offset as u64)
    }

    pub(super) fn kind(self) -> Kind {
        if self.0 >> Self::KIND == 0 { Kind::Text } else { Kind::Call }
    }

    pub(super) fn offset(self) -> usize {
        (self.0 & ((1 << Self::KIND) - 1)) as usize
    }
}

/// Texts and calls, in the order of the text, without a gap.
#[derive(Clone, Copy)]
pub struct Items<'a>(pub(super) &'a Document);

impl<'a> Items<'a> {
    /// Number of items.
    pub fn len(self) -> usize {
        self.0.starts.len()
    }

    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self.0.starts.is_empty()
    }

    /// What item number `item` is.
    pub fn kind(self, item: usize) -> Option<Kind> {
        self.0.starts.get(item).map(|start| start.kind())
    }

    /// The bytes of item number `item`.
    pub fn span(self, item: usize) -> Option<Span> {
        let start = self.0.starts.get(item)?.offset();
        Some(Span::new(start, self.0.starts.get(item + 1).map_or(self.0.end, |next| next.offset())))
    }

    /// Item number `item`.
    pub fn get(self, item: usize) -> Option<Item<'a>> {
        match self.kind(item)? {
            Kind::Text => self.span(item).map(Item::Text),
            Kind::Call => self.0.call(item).map(Item::Call),
        }
    }

    /// One after another.
    pub fn iter(self) -> impl ExactSizeIterator<Item = Item<'a>> + DoubleEndedIterator {
        (0..self.len()).map(move |item| self.get(item).expect("the number is one of an item"))
    }
}
