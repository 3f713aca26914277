//! A filter over a text that arrives: each item is decided as soon as it can be, and once.
//!
//! The answers and their order do not depend on how the bytes came. A call whose answer hangs on its result is held back
//! until that comes, and then goes in front of it; what hangs on the end of the text waits for that. This module does
//! not write.

use std::collections::BTreeSet;

use super::{Filter, Known, Matcher};
use crate::document::Item;
use crate::session::Session;

/// What has been decided of a text so far.
#[derive(Clone, Debug)]
pub struct ArrivalFilter {
    matcher: Matcher,
    /// Number of the item that is next.
    next: usize,
    /// Items that have come and are not decided.
    held: BTreeSet<usize>,
}

impl ArrivalFilter {
    /// A filter in front of a text that has not begun.
    pub fn new(filter: Filter) -> Self {
        Self { matcher: Matcher::new(filter), next: 0, held: BTreeSet::new() }
    }

    /// The filter that decides, as it was given.
    pub fn filter(&self) -> &Filter {
        self.matcher.filter()
    }

    /// Whether an item has been decided, or need not be.
    pub fn is_decided(&self, item: usize) -> bool {
        item < self.next && !self.held.contains(&item)
    }

    /// The items that have been decided since the last time, in the order in which they are to be given, each with
    /// whether it is selected.
    pub fn decide(&mut self, session: &Session) -> Vec<(usize, bool)> {
        let mut decided = Vec::new();
        self.matcher.update(session);
        let document = session.document();
        let settled = if session.is_finished() { document.items().len() } else { document.settled() };
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
                match self.matcher.decide(session, asked, Known::UpTo(item)) {
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
