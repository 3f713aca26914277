//! Locates delivered calls in the text of the message.

use super::outcome::{DeliveredCall, PartKind, RuntimeReading};
use crate::text::Span;

/// The spans of one call and its parts.
#[derive(Clone, Debug)]
pub struct Places {
    /// All bytes of the call.
    pub call: Span,
    /// Its name; empty if it has none.
    pub name: Span,
    /// The id given in the text; empty if there is none.
    pub id: Span,
    /// Each parameter with the spans of its key and its value.
    pub values: Vec<(String, Span, Span)>,
    /// True if its arguments are an object whose keys and values are all in the message.
    pub(crate) is_complete: bool,
}

impl RuntimeReading {
    /// The spans of its calls in the message, in order.
    pub fn call_places(&self) -> Vec<Places> {
        self.calls_with_places().into_iter().map(|(places, _)| places).collect()
    }

    /// Its calls with their places in the message, in order; a call without bytes of its own is left out.
    pub(crate) fn calls_with_places(&self) -> Vec<(Places, &DeliveredCall)> {
        let mut calls = self.outcome.calls.iter();
        let mut out = Vec::new();
        for part in &self.parts {
            let PartKind::Calls(count) = part.kind else { continue };
            out.extend(places(part.span, calls.by_ref().take(count)));
        }
        out
    }
}

/// The spans of the calls that share a range of a message.
pub(crate) fn places<'a>(
    span: Span,
    calls: impl Iterator<Item = &'a DeliveredCall>,
) -> Vec<(Places, &'a DeliveredCall)> {
    let mut out: Vec<(Places, &DeliveredCall)> = Vec::new();
    let mut at = span.start;
    for call in calls {
        let name = call.name_place.span().unwrap_or(Span::at(at));
        let id = call.id_place.span().unwrap_or(Span::at(at));
        let mut last = name.end.max(at);
        let mut values = Vec::new();
        let mut is_complete = call.arguments.members().is_some();
        for member in call.arguments.members().into_iter().flatten() {
            let (key, value) = (member.key_place.span(), member.value.place.span());
            is_complete &= key.is_some() && value.is_some();
            let (Some(key), Some(value)) = (key, value) else { continue };
            last = last.max(value.end);
            values.push((member.key.clone(), key, value));
        }
        // The first call begins with the range, another one at its name.
        let start = if out.is_empty() { span.start } else { name.start.max(at) };
        if let Some((before, _)) = out.last_mut() {
            before.call.end = start;
        }
        out.push((Places { call: Span::new(start, span.end), name, id, values, is_complete }, call));
        at = last.min(span.end);
    }
    // Calls without bytes are dropped, so that no two calls begin at the same byte.
    out.retain(|(places, _)| !places.call.is_empty());
    out
}
