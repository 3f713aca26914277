//! A prompt with indexes from its bytes to the template and the conversation, and back.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::template::fields::InputField;
use crate::template::parts::PromptSizes;
use crate::template::tokens::TokenFacts;
use crate::template::{PromptSpan, PromptText, SpanOrigin};

use super::text_index::TextIndex;

/// A prompt with the origin of its bytes.
pub struct IndexedPrompt {
    /// The text that the model is shown.
    pub text: String,
    /// Its lines.
    pub index: TextIndex,
    /// Parts of it, in order and none empty.
    pub spans: Vec<OriginSpan>,
    /// The parts of the template that wrote something, by their places in the source.
    pub pieces: Vec<SourcePiece>,
    /// The spans that each field may be in, in order.
    pub places: Vec<Vec<usize>>,
    /// Byte ranges of the tokens of the model; nothing if these are not known.
    pub tokens: Option<Vec<Range<usize>>>,
    /// The size of each part.
    pub sizes: PromptSizes,
}

/// Bytes of a prompt with one origin.
pub struct OriginSpan {
    /// Byte range in the prompt.
    pub range: Range<usize>,
    /// Index of the part of the template that wrote it.
    pub piece: usize,
    /// The field that it is from; if several have the same text, the one that fits the text before it.
    pub field: Option<usize>,
    /// The message, tool or template that the bytes are from.
    pub owner: SpanOwner,
}

/// The part of the input that bytes of a prompt belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpanOwner {
    /// The template itself.
    Template,
    /// A message, by its index.
    Message(usize),
    /// The schemas of the tools.
    Tools,
    /// A special token or the date.
    Variable,
    /// Not known.
    Unknown,
}

/// A part of the template with what it wrote.
pub struct SourcePiece {
    /// Byte range in the source.
    pub source: Range<usize>,
    /// Indexes of spans, in order.
    pub spans: Vec<usize>,
}

impl SpanOwner {
    /// The owner of a field's bytes.
    pub fn of(field: &InputField) -> Self {
        if field.path.starts_with("tools[") {
            return Self::Tools;
        }
        let number = field.path.strip_prefix("messages[").and_then(|rest| rest.split(']').next());
        number.and_then(|number| number.parse().ok()).map_or(Self::Variable, Self::Message)
    }
}

impl SpanOwner {
    /// The origin for the reader: the path of the field, if the bytes are from one.
    pub fn words(self, path: Option<String>) -> String {
        match self {
            Self::Template => "text of the template".to_owned(),
            Self::Unknown => "of unknown origin".to_owned(),
            _ => path.unwrap_or_default(),
        }
    }
}

impl IndexedPrompt {
    /// Indexes a prompt of a conversation with a number of messages, and returns its fields, to which its spans refer.
    pub fn new(prompt: PromptText, messages: usize, tokens: Option<&TokenFacts>) -> (Self, Vec<InputField>) {
        let sizes = prompt.sizes(messages);
        let PromptText { text, spans: origins, fields, .. } = prompt;
        let owners: Vec<SpanOwner> = fields.iter().map(SpanOwner::of).collect();
        let mut by_source: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
        let mut places = vec![Vec::new(); fields.len()];
        let mut spans: Vec<OriginSpan> = Vec::new();
        let mut current = SpanOwner::Template;
        for PromptSpan { range, source, origin, .. } in origins {
            if range.is_empty() || text.get(range.clone()).is_none() {
                continue;
            }
            let number = spans.len();
            by_source.entry((source.start, source.end)).or_default().push(number);
            let candidates = if let SpanOrigin::Fields(candidates) = &origin { candidates.as_slice() } else { &[] };
            for &field in candidates {
                if let Some(known) = places.get_mut(field) {
                    known.push(number);
                }
            }
            let owner_of = |field: &usize| owners.get(*field).copied();
            let fitting = candidates.iter().find(|field| owner_of(field) == Some(current));
            let field = fitting.or(candidates.first()).copied();
            let owner = match origin {
                SpanOrigin::Template => SpanOwner::Template,
                SpanOrigin::Unknown => SpanOwner::Unknown,
                SpanOrigin::Fields(_) => field.as_ref().and_then(owner_of).unwrap_or(SpanOwner::Unknown),
            };
            if matches!(owner, SpanOwner::Message(_) | SpanOwner::Tools) {
                current = owner;
            }
            spans.push(OriginSpan { range, piece: 0, field, owner });
        }
        let mut pieces = Vec::with_capacity(by_source.len());
        for ((start, end), numbers) in by_source {
            for &number in &numbers {
                spans[number].piece = pieces.len();
            }
            pieces.push(SourcePiece { source: start..end, spans: numbers });
        }
        let tokens = tokens.map(|tokens| tokens.find(&text).into_iter().map(|(range, _)| range).collect());
        (Self { index: TextIndex::new(&text), text, spans, pieces, places, tokens, sizes }, fields)
    }

    /// The tokens of the model in a byte range; nothing if these are not known.
    pub fn tokens_in(&self, range: &Range<usize>) -> Option<&[Range<usize>]> {
        let tokens = self.tokens.as_ref()?;
        let first = tokens.partition_point(|token| token.end <= range.start);
        let end = tokens.partition_point(|token| token.start < range.end);
        tokens.get(first..end.max(first))
    }

    /// The span that has a byte.
    pub fn span_at(&self, offset: usize) -> Option<usize> {
        let after = self.spans.partition_point(|span| span.range.start <= offset);
        after.checked_sub(1).filter(|&number| offset < self.spans[number].range.end)
    }

    /// The spans with bytes in a range.
    pub fn spans_in(&self, range: &Range<usize>) -> Range<usize> {
        let first = self.spans.partition_point(|span| span.range.end <= range.start);
        let end = self.spans.partition_point(|span| span.range.start < range.end);
        first..end.max(first)
    }

    /// The first part of the template that begins in a range of the source, or else has its first byte.
    pub fn piece_in(&self, range: &Range<usize>) -> Option<usize> {
        let first = self.pieces.partition_point(|piece| piece.source.start < range.start);
        let begins = self.pieces.get(first).is_some_and(|piece| piece.source.start < range.end.max(range.start + 1));
        if begins { Some(first) } else { self.piece_at(range.start) }
    }

    /// The smallest of the nearest parts of the template that has a byte of the source.
    pub fn piece_at(&self, offset: usize) -> Option<usize> {
        /// Parts before the byte that are examined: parts are rarely nested.
        const NEAR: usize = 64;
        let after = self.pieces.partition_point(|piece| piece.source.start <= offset);
        let near = (after.saturating_sub(NEAR)..after).filter(|&piece| offset < self.pieces[piece].source.end);
        near.min_by_key(|&piece| self.pieces[piece].source.len())
    }

    /// Of the spans in a list, the first one that begins at or after an offset, or else the first.
    pub fn nearest(&self, numbers: &[usize], offset: usize) -> Option<usize> {
        let after = numbers.partition_point(|&number| self.spans[number].range.start < offset);
        numbers.get(after).or(numbers.first()).copied()
    }
}
