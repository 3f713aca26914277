//! The items of a transcript that a filter selects.

use std::convert::Infallible;
use std::ops::Range;

use super::{Filter, KnownItems, Matcher};
use crate::session::Session;
use crate::session::parallel::items::in_order;

/// Numbers of the items that a filter selects, in text order.
#[derive(Clone, Debug)]
pub struct Selection {
    filter: Filter,
    items: Vec<usize>,
    calls: usize,
    /// Calls in the transcript, except withdrawn ones.
    of_calls: usize,
}

impl Selection {
    /// Selects items of a session, given everything that has arrived.
    pub fn new(filter: &Filter, session: &Session) -> Self {
        Self::on_threads(filter, session, 1)
    }

    /// As [`Selection::new`], on up to `threads` threads where there are many items.
    pub fn on_threads(filter: &Filter, session: &Session, threads: usize) -> Self {
        let mut matcher = Matcher::new(filter.clone());
        matcher.update(session);
        matcher.compute_skipped(session);
        let document = session.document();
        let selects = |item: &usize| matcher.answer(session, *item, KnownItems::All) == Some(true);
        let mut items = Vec::new();
        let select = || |chunk: Range<usize>| chunk.filter(selects).collect::<Vec<usize>>();
        let all: Result<(), Infallible> = in_order(document.items().len(), threads, select, |chunk| {
            items.extend(chunk);
            Ok(())
        });
        let Ok(()) = all;
        let is_call = |item: &&usize| document.items().kind(**item) == Some(crate::document::ItemKind::Call);
        let counts = |item: &&usize| !document.is_withdrawn(**item);
        let calls = items.iter().filter(is_call).filter(counts).count();
        Self { filter: filter.clone(), items, calls, of_calls: document.calls_that_count() }
    }

    /// The filter that made the selection.
    pub fn filter(&self) -> &Filter {
        &self.filter
    }

    /// Numbers of the selected items, in text order.
    pub fn items(&self) -> &[usize] {
        &self.items
    }

    /// The selected items within a range of items, in text order.
    pub fn within(&self, items: Range<usize>) -> &[usize] {
        let place = |item: usize| self.items.partition_point(|&selected| selected < item);
        &self.items[place(items.start)..place(items.end)]
    }

    /// True if the item with this number is selected.
    pub fn contains(&self, item: usize) -> bool {
        self.position(item).is_some()
    }

    /// Index of an item among the selected ones, from 0.
    pub fn position(&self, item: usize) -> Option<usize> {
        self.items.binary_search(&item).ok()
    }

    /// Number of selected calls and of all calls, withdrawn ones excluded.
    pub fn calls(&self) -> (usize, usize) {
        (self.calls, self.of_calls)
    }
}
