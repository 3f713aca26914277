//! Finds the elements of a response that the rounds of its result already have.
//!
//! The editor shows the same text in other pieces, and names of files and symbols as references, so texts are compared
//! without whitespace, in order. A call that is shown has another id than the one of its round, and is found by its
//! number.

use std::collections::HashSet;

use super::super::json::JsonValue;
use super::response::{ElementKind, kind_of, text_of};
use crate::text::steps;

/// Most bytes of the rounds that are skipped between two elements: a reference between them has a name only there.
const GAP: usize = 1024;

/// Most elements that are searched for in all of the text because they are not where they are expected.
const MOST_SEARCHES: usize = 16;

/// The text and the calls of all rounds of a request.
#[derive(Debug, Default)]
pub(super) struct HeldParts {
    text: Vec<u8>,
    /// Offset in `text` after the last element that was found.
    at: usize,
    searches: usize,
    has_thinking: bool,
    calls: HashSet<Box<str>>,
    /// Number of calls, including calls without an id.
    count: usize,
    /// True if the last text was found; a reference belongs to the text before it.
    is_in_text: bool,
    /// True if the texts and calls were forgotten; then the rounds are taken to have everything.
    is_sealed: bool,
}

impl HeldParts {
    pub(super) fn new(rounds: &[JsonValue<'_>]) -> Self {
        let mut held = Self { is_in_text: true, ..Self::default() };
        for round in rounds {
            if let Some(text) = round.get("response").and_then(|text| text.text()) {
                held.text.extend(stripped(text.as_bytes()));
            }
            held.has_thinking |= super::answers::thoughts(*round).next().is_some();
            for call in super::answers::calls(*round) {
                held.calls.extend(call.words_of("id"));
                held.count += 1;
            }
        }
        held
    }

    /// Forgets the texts and the ids.
    pub(super) fn seal(&mut self) {
        *self = Self { has_thinking: true, is_in_text: true, is_sealed: true, ..Self::default() };
    }

    /// True if a round has this element; `number` counts the invocations before it, without sub-agents'.
    pub(super) fn has(&mut self, element: JsonValue<'_>, number: usize) -> bool {
        match kind_of(element) {
            ElementKind::Text => {
                let text = text_of(element).and_then(|text| text.text());
                self.is_in_text = text.is_none_or(|text| self.has_text(text.as_bytes()));
                self.is_in_text
            }
            ElementKind::Reference => self.is_in_text,
            ElementKind::Thinking => self.has_thinking,
            ElementKind::Invocation => self.has_call(element.words_of("toolCallId").as_deref(), number),
            ElementKind::AgentInvocation | ElementKind::Aside | ElementKind::Unknown => false,
            ElementKind::Bookkeeping => true,
        }
    }

    /// True if a round has a call with this id, or that many calls.
    pub(super) fn has_call(&self, id: Option<&str>, number: usize) -> bool {
        self.is_sealed || number < self.count || id.is_some_and(|id| self.calls.contains(id))
    }

    /// True if the rounds have reasoning.
    pub(super) fn has_thinking(&self) -> bool {
        self.has_thinking
    }

    /// True if the rounds have this text.
    pub(super) fn has_text(&mut self, text: &[u8]) -> bool {
        let text: Vec<u8> = stripped(text).collect();
        if text.is_empty() || self.is_sealed {
            return true;
        }
        let near = self.text.len().min(self.at + text.len() + GAP);
        steps::add_bytes(near - self.at);
        if let Some(found) = memchr::memmem::find(&self.text[self.at..near], &text) {
            self.at += found + text.len();
            return true;
        }
        if self.searches == MOST_SEARCHES {
            return false;
        }
        self.searches += 1;
        steps::add_bytes(self.text.len());
        let found = memchr::memmem::find(&self.text, &text);
        self.at = found.map_or(self.at, |found| found + text.len());
        found.is_some()
    }
}

fn stripped(text: &[u8]) -> impl Iterator<Item = u8> + '_ {
    text.iter().copied().filter(|byte| !byte.is_ascii_whitespace())
}

/// Assigns the elements of a response that no round has to the round before whose text they are shown; the last list is
/// for elements after all rounds. Also returns the elements that are invocations, without sub-agents'.
pub(super) fn by_round<'a>(
    response: &[JsonValue<'a>],
    rounds: &[JsonValue<'_>],
    held: &mut HeldParts,
) -> (Vec<Vec<(usize, JsonValue<'a>)>>, Vec<usize>) {
    let calls: Vec<usize> = rounds.iter().map(|round| super::answers::calls(*round).count()).collect();
    let mut lists = vec![Vec::new(); rounds.len() + 1];
    let mut invocations = Vec::new();
    let (mut round, mut passed, mut is_after_text) = (0, 0, false);
    for (at, &element) in response.iter().enumerate() {
        let number = invocations.len();
        // A round whose calls have been shown is over; one without calls is over at the next call.
        while round < rounds.len() && number >= passed + calls[round] && (calls[round] > 0 || number > passed) {
            passed += calls[round];
            round += 1;
            is_after_text = false;
        }
        let kind = kind_of(element);
        if !held.has(element, number) {
            let is_after = number > passed || (is_after_text && round + 1 == rounds.len());
            lists[if is_after { (round + 1).min(rounds.len()) } else { round }].push((at, element));
        } else if kind == ElementKind::Text {
            is_after_text = true;
        }
        if kind == ElementKind::Invocation {
            invocations.push(at);
        }
    }
    (lists, invocations)
}
