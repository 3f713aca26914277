//! The text of a message that the runtimes are asked about.

use crate::container::MessageRole;
use crate::document::Item;
use crate::runtime::{self, Request, catalog};
use crate::session::Session;
use crate::text::Span;

/// A text that a model wrote in one message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageText {
    /// The text; each byte that is no UTF-8 is replaced by one.
    pub text: String,
    /// Where it lies in the transcript's text.
    pub span: Span,
    /// The dialects of the calls that were found in it.
    pub found: Vec<&'static str>,
}

impl MessageText {
    /// The texts of all messages in which calls are looked for.
    pub fn all(session: &Session) -> Vec<Self> {
        let document = session.document();
        if !session.is_decoded() {
            return vec![Self::read(session, Span::new(0, session.text().len()))];
        }
        let mut spans: Vec<(usize, Span)> = Vec::new();
        for (number, item) in document.items().iter().enumerate() {
            let is_said = match item {
                Item::Text(_) => true,
                Item::Call(_) => !document.is_recorded(number),
                Item::Result(_) | Item::Aside(_) => false,
            };
            let message = document.message_at(item.span().start);
            let is_of_model = document.messages().role(message).is_none_or(|role| role == MessageRole::Assistant);
            if !is_said || !is_of_model {
                continue;
            }
            match spans.last_mut() {
                Some((last, span)) if *last == message && span.end == item.span().start => {
                    *span = span.cover(item.span());
                }
                _ => spans.push((message, item.span())),
            }
        }
        spans.into_iter().map(|(_, span)| Self::read(session, span)).collect()
    }

    /// The text at an offset of the transcript's text, or else the first one that holds a call, or the last one.
    pub fn at(session: &Session, offset: Option<usize>) -> Option<Self> {
        let mut all = Self::all(session);
        let asked = |text: &Self| offset.is_some_and(|offset| text.span.contains(offset));
        let with_call = |text: &Self| offset.is_none() && !text.found.is_empty();
        let number = all.iter().position(asked).or_else(|| all.iter().position(with_call));
        number.or(all.len().checked_sub(1)).map(|number| all.swap_remove(number))
    }

    fn read(session: &Session, span: Span) -> Self {
        let document = session.document();
        let mut found = Vec::new();
        for item in document.calls() {
            if let Some(call) = document.call(item)
                && span.contains(call.span.start)
                && !found.contains(&call.dialect)
            {
                found.push(call.dialect);
            }
        }
        Self { text: runtime::message_text(&session.text().read(span)), span, found }
    }

    /// The dialects whose parsers may be meant: those of the calls that were found, or else those of which a parser
    /// delivers a call.
    pub fn dialects(&self, request: &Request) -> Vec<&'static str> {
        let known = |name: &&'static str| catalog::dialects().any(|dialect| dialect == *name);
        let found: Vec<_> = self.found.iter().copied().filter(known).collect();
        if !found.is_empty() {
            return found;
        }
        let delivers = |dialect: &&'static str| {
            let mut profiles = catalog::of_dialect(dialect).iter();
            profiles.any(|profile| !runtime::read(profile, &self.text, request).outcome.calls.is_empty())
        };
        catalog::dialects().filter(delivers).collect()
    }
}
