//! Read access to the items of a document.

use serde::{Deserialize, Serialize};

use super::Document;
use super::answers::MatchedBy;
use super::call::Call;
use crate::container::CallOutcome;
use crate::text::steps;
use crate::text::{Span, Text};

/// An item of the text.
#[derive(Clone, Copy, Debug)]
pub enum Item<'a> {
    /// Prose: text that is neither a call nor a result.
    Text(Span),
    /// A tool call, in any state.
    Call(Call<'a>),
    /// The result of a call.
    Result(CallResult<'a>),
    /// A part of the file outside the conversation, or the model's reasoning.
    Aside(SideRecord<'a>),
}

/// The result of a call.
#[derive(Clone, Copy, Debug)]
pub struct CallResult<'a> {
    /// Its span in the transcript text.
    pub span: Span,
    /// The id of its call, if known.
    pub id: Option<ResultId<'a>>,
    /// Outcome of the call according to the file.
    pub verdict: CallOutcome,
    /// Item number of the call that it answers, and how it was matched.
    pub call: Option<(usize, MatchedBy)>,
    /// Item number of the call with that id, if it already had an answer.
    pub again: Option<usize>,
}

/// The id that a result names.
#[derive(Clone, Copy, Debug)]
pub enum ResultId<'a> {
    /// The id that the result itself names.
    Named(&'a str),
    /// The id of the call that it answers; the result itself names none, or the same.
    OfCall(Call<'a>),
}

impl ResultId<'_> {
    /// The id as text.
    pub fn text(&self, text: &Text) -> String {
        match self {
            ResultId::Named(id) => (*id).to_owned(),
            ResultId::OfCall(call) => call.id(text),
        }
    }
}

/// A part of the file outside the conversation, or the model's reasoning.
#[derive(Clone, Copy, Debug)]
pub struct SideRecord<'a> {
    /// Its span in the transcript text.
    pub span: Span,
    /// Name of the record; `None` for the model's reasoning.
    pub name: Option<&'a str>,
}

/// The type of an item in outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum ItemType {
    /// Prose.
    Text,
    /// A call, without its result.
    Call,
    /// A result, without its call.
    Result,
    /// The model's reasoning.
    Reasoning,
    /// A record outside the conversation.
    Envelope,
}

impl<'a> Item<'a> {
    /// Its type in outputs.
    pub fn item_type(&self) -> ItemType {
        match self {
            Item::Text(_) => ItemType::Text,
            Item::Call(_) => ItemType::Call,
            Item::Result(_) => ItemType::Result,
            Item::Aside(SideRecord { name: None, .. }) => ItemType::Reasoning,
            Item::Aside(SideRecord { name: Some(_), .. }) => ItemType::Envelope,
        }
    }

    /// Its span in the transcript text.
    pub fn span(&self) -> Span {
        match self {
            Item::Text(span) => *span,
            Item::Call(call) => call.span,
            Item::Result(answer) => answer.span,
            Item::Aside(aside) => aside.span,
        }
    }

    /// The call, if it is one.
    pub fn call(self) -> Option<Call<'a>> {
        if let Item::Call(call) = self { Some(call) } else { None }
    }
}

/// The kind of an item, available without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemKind {
    /// Prose: text that is neither a call nor a result.
    Text,
    /// A tool call, in any state.
    Call,
    /// The result of a call.
    Result,
    /// The model's reasoning, or a record outside the conversation.
    Aside,
}

/// Start and kind of an item in eight bytes; the kind is in the two highest bits. No text has 2^62 bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Start(u64);

impl Start {
    const KIND: u32 = 62;

    pub(super) fn new(kind: ItemKind, offset: usize) -> Self {
        let bits = match kind {
            ItemKind::Text => 0,
            ItemKind::Call => 1,
            ItemKind::Result => 2,
            ItemKind::Aside => 3,
        };
        Self(bits << Self::KIND | offset as u64)
    }

    pub(super) fn kind(self) -> ItemKind {
        match self.0 >> Self::KIND {
            0 => ItemKind::Text,
            1 => ItemKind::Call,
            2 => ItemKind::Result,
            _ => ItemKind::Aside,
        }
    }

    pub(super) fn offset(self) -> usize {
        (self.0 & ((1 << Self::KIND) - 1)) as usize
    }
}

/// All items in text order; they tile the text without gaps.
#[derive(Clone, Copy)]
pub struct Items<'a>(pub(super) &'a Document);

impl<'a> Items<'a> {
    /// Number of items begun so far.
    pub fn len(self) -> usize {
        self.0.starts.len()
    }

    /// True if no item has begun.
    pub fn is_empty(self) -> bool {
        self.0.starts.is_empty()
    }

    /// Kind of item number `item`.
    pub fn kind(self, item: usize) -> Option<ItemKind> {
        self.0.starts.get(item).map(|start| start.kind())
    }

    /// Span of item number `item`.
    pub fn span(self, item: usize) -> Option<Span> {
        let start = self.0.starts.get(item)?.offset();
        Some(Span::new(start, self.0.starts.get(item + 1).map_or(self.0.end, |next| next.offset())))
    }

    /// Item number `item`; `None` if there are fewer.
    pub fn get(self, item: usize) -> Option<Item<'a>> {
        steps::add(1);
        let span = self.span(item)?;
        match self.kind(item)? {
            ItemKind::Text => Some(Item::Text(span)),
            ItemKind::Call => self.0.call(item).map(Item::Call),
            ItemKind::Result => self.0.answer(item, span).map(Item::Result),
            ItemKind::Aside => Some(Item::Aside(SideRecord { span, name: self.0.aside_name(item) })),
        }
    }

    /// All items, in text order.
    pub fn iter(self) -> impl ExactSizeIterator<Item = Item<'a>> + DoubleEndedIterator {
        (0..self.len()).map(move |item| self.get(item).expect("the number is one of an item"))
    }
}
