//! The items that a filter selects, evaluated in slices, and whether the others are hidden.

use std::ops::Range;

use crate::document::ItemKind;
use crate::filter::{Filter, Matcher};
use crate::session::Session;

/// Items evaluated in a slice.
const ITEMS: usize = 4096;

/// Bytes of items evaluated in a slice: a filter may have to read them.
const BYTES: usize = 1 << 20;

/// Results of a filter on a session that may grow.
pub struct FilteredItems {
    matcher: Matcher,
    /// The selected items before `next`, ascending.
    items: Vec<usize>,
    /// Number of calls among them.
    calls: usize,
    /// The first item that has not been evaluated.
    next: usize,
    /// Number of turns, and of sub-agents with an id, when items were last evaluated.
    known: (usize, usize),
    /// True if unselected items are hidden, false if they are dimmed.
    pub hides: bool,
}

impl FilteredItems {
    /// A filter that has evaluated nothing yet; `hides` as in the field.
    pub fn new(filter: Filter, hides: bool) -> Self {
        Self { matcher: Matcher::new(filter), items: Vec::new(), calls: 0, next: 0, known: (0, 0), hides }
    }

    /// The filter as given, with its expression.
    pub fn filter(&self) -> &Filter {
        self.matcher.filter()
    }

    /// Evaluates a slice of the items. Returns true if there is more to do.
    pub fn advance(&mut self, session: &Session) -> bool {
        self.forget_changed(session);
        self.matcher.update(session);
        let items = session.document().items();
        let end = items.len().min(self.next + ITEMS);
        let mut bytes = 0;
        while self.next < end && bytes < BYTES {
            if self.matcher.selects(session, self.next) {
                self.items.push(self.next);
                self.calls += usize::from(items.kind(self.next) == Some(ItemKind::Call));
            }
            bytes += items.span(self.next).map_or(0, crate::text::Span::len);
            self.next += 1;
        }
        self.is_behind(session)
    }

    /// True if some items have not been evaluated.
    pub fn is_behind(&self, session: &Session) -> bool {
        self.next < session.document().items().len() || self.has_new_agents(session)
    }

    fn has_new_agents(&self, session: &Session) -> bool {
        self.filter().depends_on_agents() && self.known.1 != session.document().agents_with_id()
    }

    /// Discards results that a new turn or sub-agent may have changed: the last turn is no longer the last, and
    /// messages before the naming of a sub-agent turn out to belong to it.
    fn forget_changed(&mut self, session: &Session) {
        let document = session.document();
        let turns = document.last_turn().map_or(0, |turn| turn.index);
        let agents = document.agents_with_id();
        if self.has_new_agents(session) && self.next >= document.items().len() {
            self.forget_from(0, session);
            self.known.1 = agents;
        }
        if self.filter().depends_on_turns() && self.known.0 != turns {
            // A new turn replaces the turns with its number or a higher one: they were abandoned.
            let lowest = document.turns().skip(self.known.0).map(|turn| turn.number).min();
            let replaced = document.turns().find(|turn| Some(turn.number) >= lowest);
            let changed = [document.turn(self.known.0), replaced].into_iter().flatten().map(|turn| turn.first).min();
            if let Some(start) = changed.and_then(|first| document.messages().start(first)) {
                self.forget_from(document.items_before(start), session);
            }
        }
        self.known.0 = turns;
    }

    /// Percentage of the items that have been evaluated.
    pub fn percent(&self, session: &Session) -> usize {
        (self.next * 100).checked_div(session.document().items().len()).unwrap_or(100)
    }

    /// Discards results for the items starting at `first`, which have changed or been replaced.
    pub fn forget_from(&mut self, first: usize, session: &Session) {
        if first == 0 {
            *self = Self::new(self.filter().clone(), self.hides);
            return;
        }
        let kept = self.items.partition_point(|&item| item < first);
        let is_call = |item: &&usize| session.document().items().kind(**item) == Some(ItemKind::Call);
        self.items.truncate(kept);
        self.calls = self.items.iter().filter(is_call).count();
        self.next = self.next.min(first);
    }

    /// Number of the selected calls.
    pub fn calls(&self) -> usize {
        self.calls
    }

    /// True if an item is selected.
    pub fn contains(&self, item: usize) -> bool {
        self.items.binary_search(&item).is_ok()
    }

    /// The selected items in a range.
    pub fn within(&self, items: Range<usize>) -> impl Iterator<Item = usize> {
        let start = self.items.partition_point(|&item| item < items.start);
        self.items[start..].iter().copied().take_while(move |item| *item < items.end)
    }

    /// The selected items after this one.
    pub fn after(&self, item: usize) -> impl Iterator<Item = usize> {
        self.items[self.items.partition_point(|&other| other <= item)..].iter().copied()
    }

    /// The selected items before this one, nearest first.
    pub fn before(&self, item: usize) -> impl Iterator<Item = usize> {
        self.items[..self.items.partition_point(|&other| other < item)].iter().rev().copied()
    }
}
