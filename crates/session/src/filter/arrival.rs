//! A filter over a text that arrives: each item is decided once, as early as possible.
//!
//! The answers and their order do not depend on how the input was chunked. A call whose answer depends on its result is
//! held until the result arrives, and is then reported before it; an answer that depends on the end of the text waits
//! for that. Independent of output formats.

use std::collections::BTreeSet;

use super::{Filter, KnownItems, Matcher};
use crate::document::Item;
use crate::session::Session;

/// The decisions on a text so far.
#[derive(Clone, Debug)]
pub struct ArrivalFilter {
    matcher: Matcher,
    /// Number of the next item to decide.
    next: usize,
    /// Items that have arrived and are not decided yet.
    held: BTreeSet<usize>,
}

impl ArrivalFilter {
    /// A filter that has seen no input.
    pub fn new(filter: Filter) -> Self {
        Self { matcher: Matcher::new(filter), next: 0, held: BTreeSet::new() }
    }

    /// The filter that decides.
    pub fn filter(&self) -> &Filter {
        self.matcher.filter()
    }

    /// True if an item has been decided. False for one that is held or has not arrived.
    pub fn is_decided(&self, item: usize) -> bool {
        item < self.next && !self.held.contains(&item)
    }

    /// Decides items that have become decidable since the last call. Returns them in output order, each with whether it
    /// is selected.
    pub fn decide(&mut self, session: &Session) -> Vec<(usize, bool)> {
        let mut decided = Vec::new();
        self.matcher.update(session);
        let document = session.document();
        let settled = if session.is_finished() { document.items().len() } else { document.stable_items() };
        while self.next < settled {
            let item = self.next;
            self.next += 1;
            let other = match document.items().get(item) {
                Some(Item::Result(answer)) => answer.call.map(|(call, _)| call).or(answer.again),
                Some(Item::Call(_)) => document.answer_of(item),
                _ => None,
            };
            let held = other.filter(|other| self.held.contains(other));
            for asked in held.into_iter().chain([item]) {
                match self.matcher.decide(session, asked, KnownItems::UpTo(item)) {
                    Some(selected) => {
                        self.held.remove(&asked);
                        decided.push((asked, selected));
                    }
                    None => _ = self.held.insert(asked),
                }
            }
        }
        if session.is_finished() {
            let held = std::mem::take(&mut self.held).into_iter();
            decided.extend(held.map(|item| (item, self.matcher.selects(session, item))));
        }
        decided
    }
}
