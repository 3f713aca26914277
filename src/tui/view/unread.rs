//! Text that arrived since the user last looked: while another tab was shown, or below the screen after scrolling away
//! from the end.

use crate::diagnostic::Severity;
use crate::document::{Brief, ItemKind};
use crate::tui::view::View;

/// How much of a followed text the user has seen. Offsets are bytes of the whole text.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReadingProgress {
    /// Length of the text when its end was last on the screen.
    seen: usize,
    /// Where reading stopped before the first unread arrival.
    pub from: Option<usize>,
    /// Failures that begin before this offset have been visited.
    visited: usize,
    /// True from the first unread arrival until the end is on the screen again.
    is_away: bool,
}

impl ReadingProgress {
    /// Records that the end of a text of this length is on the screen.
    pub fn see(&mut self, length: usize) {
        (self.seen, self.is_away) = (length, false);
    }

    /// Resets after the text was replaced; `is_same` keeps the progress, since the new text begins like the old one.
    pub fn restart(&mut self, is_same: bool) {
        if !is_same {
            *self = Self::default();
        }
    }
}

impl View {
    /// Records that more arrived off the screen. Returns true if the place where reading stopped has changed; an
    /// earlier place is kept until the failures after it have been visited.
    pub fn note_unread(&mut self) -> bool {
        if std::mem::replace(&mut self.unread.is_away, true) || self.failures_since().next().is_some() {
            return false;
        }
        let seen = self.unread.seen;
        (self.unread.from, self.unread.visited) = ((seen > 0).then_some(seen), seen);
        true
    }

    /// Records that the selected problem was visited.
    pub fn note_visited(&mut self) {
        let chosen = self.selection.problem.and_then(|number| self.problems().brief(number));
        if let Some(problem) = chosen.filter(is_failure) {
            self.unread.visited = self.unread.visited.max(self.base() + problem.span.start + 1);
        }
    }

    /// Numbers of the errors and failed calls that arrived since the user last looked and have not been visited.
    pub fn failures_since(&self) -> impl Iterator<Item = usize> {
        let problems = self.problems();
        let first = self.unread.from.filter(|_| self.ahead.is_none()).map(|_| problems.first_from(self.unread.visited));
        let numbers = (first.unwrap_or(usize::MAX)..problems.len()).filter_map(move |place| problems.at(place));
        numbers.filter(move |&number| problems.brief(number).as_ref().is_some_and(is_failure))
    }

    /// Number of failed calls, and of errors, that arrived since the user last looked and have not been visited.
    pub fn counts_since(&self) -> (usize, usize) {
        let severity = |number| self.problems().brief(number).map(|problem| problem.severity);
        let (failed, errors): (Vec<_>, Vec<_>) =
            self.failures_since().map(severity).partition(|severity| *severity == Some(Severity::Note));
        (failed.len(), errors.len())
    }

    /// The item before or in which reading stopped, with the offset of that place; `None` if nothing follows it.
    pub fn unread_place(&self) -> Option<(usize, usize)> {
        let from = self.unread.from.filter(|&from| self.ahead.is_none() && from < self.session.text().len())?;
        let items = self.session.document().items();
        let next = self.session.document().items_before(from);
        let around = next.checked_sub(1).filter(|&item| items.span(item).is_some_and(|span| span.end > from));
        let item = around.unwrap_or(next);
        let start = items.span(item)?.start;
        // A call that was incomplete then counts as new.
        let is_split = around.is_some() && items.kind(item) != Some(ItemKind::Call);
        Some((item, if is_split { from } else { start }))
    }
}

fn is_failure(problem: &Brief) -> bool {
    matches!(problem.severity, Severity::Error | Severity::Note)
}
