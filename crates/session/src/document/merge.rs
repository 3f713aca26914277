//! Merges parts of a text that were parsed separately.
//!
//! Spans of a part are offsets in the whole text; its items and calls are numbered from 0.

use super::{Document, ItemKind};

impl Document {
    /// Creates the document for a part that begins at `start`, with a line of prose. It belongs to the same file, and
    /// only serves to be passed to [`Document::append`] after parsing.
    pub(crate) fn part_at(&self, start: usize) -> Self {
        let ids = self.ids.of_stretch();
        Self { end: start, is_stretch: true, ids, limit: self.limit, ..Self::default() }
    }

    /// True if parsing the following part as a continuation of this document would have given the same result.
    pub(crate) fn may_append(&self, next: &Self, start: usize) -> bool {
        let fits = self.starts.len() + next.starts.len() + 2 <= self.limit.0;
        fits && self.lists.may_append(&next.lists)
            && self.end == start
            && !self.begins_step
            && self.problems.may_append(&next.problems)
    }

    /// Appends the following part; see [`Document::may_append`].
    pub(crate) fn append(&mut self, next: Self) {
        let is_text = |document: &Self, at: Option<usize>| {
            at.and_then(|at| document.starts.get(at)).is_some_and(|start| start.kind() == ItemKind::Text)
        };
        let goes_on = is_text(self, self.starts.len().checked_sub(1)) && is_text(&next, Some(0));
        let items = (self.starts.len() - usize::from(goes_on)) as u32;
        let calls = self.calls.len() as u32;
        self.starts.extend_from_slice(&next.starts[usize::from(goes_on)..]);
        self.end = next.end;
        let dialects: Vec<(u8, u32)> = next.dialects.iter().map(|(about, _)| self.dialect(about)).collect();
        let moved = self.lists.append(&next.lists, calls);
        self.calls.extend(next.calls.into_iter().map(|mut call| {
            moved(&mut call);
            let (dialect, made) = dialects[usize::from(call.dialect)];
            (call.dialect, call.made) = (dialect, call.made.wrapping_add(made));
            call.item += items;
            call
        }));
        for ((_, made), (dialect, _)) in next.dialects.iter().zip(&dialects) {
            let count = &mut self.dialects[usize::from(*dialect)].1;
            *count = count.wrapping_add(*made);
        }
        for (call, names) in next.pending_ids {
            let call = call + calls;
            let names = match self.nth(call).id {
                Some(_) => names,
                // The generated id contains the number, which has changed.
                None => self.ids.names(&self.nth(call).made_id(), names.dependencies),
            };
            self.pending_ids.push((call, names));
        }
        self.problems.append(next.problems, items);
    }
}
