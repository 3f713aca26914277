//! Where in the text of a call stand the name, the keys and the values that were delivered of it.
//!
//! They are looked for as they are written, one behind the other; what is written with escapes is not found and has
//! the place of the call.

use serde_json::Value as Json;

use super::outcome::{DeliveredCall, PartKind, RuntimeReading};
use crate::text::Span;

/// Most parameters of a call whose places are looked for.
const MOST_KEYS: usize = 500;

/// The places of what makes one call.
#[derive(Clone, Debug)]
pub struct Places {
    /// All bytes of the call.
    pub call: Span,
    /// Its name; empty where it is not found.
    pub name: Span,
    /// The id that the text gives to it; empty where there is none.
    pub id: Span,
    /// Each parameter with the places of its key and its value.
    pub values: Vec<(String, Span, Span)>,
    /// Whether every parameter was found as it is delivered.
    pub is_complete: bool,
}

impl Places {
    /// The same where the text begins at `by`.
    pub fn moved(&self, by: usize) -> Self {
        let moved = |span: Span| Span::new(span.start + by, span.end + by);
        let values = self.values.iter().map(|(key, at, value)| (key.clone(), moved(*at), moved(*value)));
        Self {
            call: moved(self.call),
            name: moved(self.name),
            id: moved(self.id),
            values: values.collect(),
            is_complete: self.is_complete,
        }
    }
}

impl RuntimeReading {
    /// Where its calls stand in the message, in their order.
    pub fn call_places(&self, text: &str) -> Vec<Places> {
        let mut calls = self.outcome.calls.iter();
        let mut out = Vec::new();
        for part in &self.parts {
            let PartKind::Calls(count) = part.kind else { continue };
            out.extend(places(text, part.span, calls.by_ref().take(count)).into_iter().map(|(places, _)| places));
        }
        out
    }
}

/// The places of the calls that were made of one stretch of a text; they share it.
pub fn places<'a>(
    text: &str,
    span: Span,
    calls: impl Iterator<Item = &'a DeliveredCall>,
) -> Vec<(Places, &'a DeliveredCall)> {
    let mut out: Vec<(Places, &DeliveredCall)> = Vec::new();
    let mut at = span.start;
    for call in calls {
        let find = |words: &str, from: usize| {
            let found = (!words.is_empty()).then(|| text.get(from..span.end)?.find(words)).flatten()?;
            Some(Span::new(from + found, from + found + words.len()))
        };
        let name = call.name.as_deref().and_then(|name| find(name, at)).unwrap_or(Span::at(at));
        let id = call.id.as_deref().and_then(|id| find(id, at)).unwrap_or(Span::at(at));
        let mut last = name.end;
        let mut values = Vec::new();
        let mut is_complete = call.arguments.as_object().is_some_and(|members| members.len() <= MOST_KEYS);
        for (key, value) in call.arguments.as_object().into_iter().flatten().take(MOST_KEYS) {
            let Some(key_at) = find(key, last) else {
                is_complete = false;
                continue;
            };
            let words = match value {
                Json::String(words) => words.clone(),
                Json::Object(_) | Json::Array(_) => String::new(),
                plain => plain.to_string(),
            };
            let value_at = find(&words, key_at.end).unwrap_or(Span::at(key_at.end));
            last = value_at.end;
            is_complete &= !value_at.is_empty();
            values.push((key.clone(), key_at, value_at));
        }
        // The first call has what is in front of it; another one begins at its name.
        let start = if out.is_empty() { span.start } else { name.start };
        if let Some((before, _)) = out.last_mut() {
            before.call.end = start;
        }
        out.push((Places { call: Span::new(start, span.end), name, id, values, is_complete }, call));
        at = last;
    }
    // Two calls of which nothing is found do not share a first byte.
    out.retain(|(places, _)| !places.call.is_empty());
    out
}
