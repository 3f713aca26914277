//! The items of a document, read back one by one.

use serde::{Deserialize, Serialize};

use super::Document;
use super::answers::MatchedBy;
use super::call::Call;
use crate::container::CallOutcome;
use crate::text::steps;
use crate::text::{Span, Text};

/// A stretch of the text.
#[derive(Clone, Copy, Debug)]
pub enum Item<'a> {
    /// Prose: what is neither a call nor a result.
    Text(Span),
    /// A tool call, in any state.
    Call(Call<'a>),
    /// What came of a call.
    Result(CallResult<'a>),
    /// What the file says beside the conversation.
    Aside(Aside<'a>),
}

/// What came of a call.
#[derive(Clone, Copy, Debug)]
pub struct CallResult<'a> {
    /// Its bytes in the transcript text.
    pub span: Span,
    /// The id of the call that it names.
    pub id: Option<ResultId<'a>>,
    /// How the call went, by what the file says.
    pub verdict: CallOutcome,
    /// The item of the call that it answers, and by what that was found out.
    pub call: Option<(usize, MatchedBy)>,
    /// The item of the call with that id, where that had been answered before.
    pub again: Option<usize>,
}

/// The id that a result names.
#[derive(Clone, Copy, Debug)]
pub enum ResultId<'a> {
    /// The id that the result itself names.
    Said(&'a str),
    /// That of the call that it answers.
    OfCall(Call<'a>),
}

impl ResultId<'_> {
    /// The id, as the result or its call says it.
    pub fn text(&self, text: &Text) -> String {
        match self {
            ResultId::Said(id) => (*id).to_owned(),
            ResultId::OfCall(call) => call.id(text),
        }
    }
}

/// What the file says beside what was said.
#[derive(Clone, Copy, Debug)]
pub struct Aside<'a> {
    /// Its bytes in the transcript text.
    pub span: Span,
    /// What the file calls it; what the model thought, where it does not say.
    pub name: Option<&'a str>,
}

/// What an item is, as outputs call it.
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
    /// What the model thought.
    Reasoning,
    /// A record outside the conversation.
    Envelope,
}

impl<'a> Item<'a> {
    /// What it is.
    pub fn item_type(&self) -> ItemType {
        match self {
            Item::Text(_) => ItemType::Text,
            Item::Call(_) => ItemType::Call,
            Item::Result(_) => ItemType::Result,
            Item::Aside(Aside { name: None, .. }) => ItemType::Reasoning,
            Item::Aside(Aside { name: Some(_), .. }) => ItemType::Envelope,
        }
    }

    /// Its bytes in the transcript text.
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

/// What an item is, without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemKind {
    /// Prose: what is neither a call nor a result.
    Text,
    /// A tool call, in any state.
    Call,
    /// What came of a call.
    Result,
    /// What the model thought, and records that say something else.
    Aside,
}

/// Where an item begins and what it is, in eight bytes: the two highest bits are the kind. There is no text of 2^62
/// bytes.
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

/// Texts and calls, in the order of the text, without a gap.
#[derive(Clone, Copy)]
pub struct Items<'a>(pub(super) &'a Document);

impl<'a> Items<'a> {
    /// Number of items that have begun so far.
    pub fn len(self) -> usize {
        self.0.starts.len()
    }

    /// Whether no item has begun so far.
    pub fn is_empty(self) -> bool {
        self.0.starts.is_empty()
    }

    /// What item number `item` is.
    pub fn kind(self, item: usize) -> Option<ItemKind> {
        self.0.starts.get(item).map(|start| start.kind())
    }

    /// The bytes of item number `item`.
    pub fn span(self, item: usize) -> Option<Span> {
        let start = self.0.starts.get(item)?.offset();
        Some(Span::new(start, self.0.starts.get(item + 1).map_or(self.0.end, |next| next.offset())))
    }

    /// Item number `item`; nothing if there are fewer.
    pub fn get(self, item: usize) -> Option<Item<'a>> {
        steps::add(1);
        let span = self.span(item)?;
        match self.kind(item)? {
            ItemKind::Text => Some(Item::Text(span)),
            ItemKind::Call => self.0.call(item).map(Item::Call),
            ItemKind::Result => self.0.answer(item, span).map(Item::Result),
            ItemKind::Aside => Some(Item::Aside(Aside { span, name: self.0.aside_name(item) })),
        }
    }

    /// All items, in the order of the text.
    pub fn iter(self) -> impl ExactSizeIterator<Item = Item<'a>> + DoubleEndedIterator {
        (0..self.len()).map(move |item| self.get(item).expect("the number is one of an item"))
    }
}
