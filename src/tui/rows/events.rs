//! The list of events, the oldest first.
//!
//! This module does not know how rows are drawn.

use crate::tui::events::Event;
use crate::tui::layout::Pane;
use crate::tui::rows::{Piece, Row, count, wrapped};
use crate::tui::state::State;
use crate::tui::style::Role;
use crate::tui::viewport::{Anchor, Units};

/// Columns of the time.
const TIME: usize = 11;

/// The units of the list: events, by their numbers.
pub struct EventList<'a>(pub &'a State);

impl Units for EventList<'_> {
    type Unit = usize;

    fn first(&self) -> Option<usize> {
        let events = &self.0.events;
        (events.count() > 0).then(|| events.left_out())
    }

    fn last(&self) -> Option<usize> {
        self.0.events.count().checked_sub(1)
    }

    fn next(&self, unit: usize) -> Option<usize> {
        (unit + 1 < self.0.events.count()).then_some(unit + 1)
    }

    fn previous(&self, unit: usize) -> Option<usize> {
        unit.checked_sub(1).filter(|&unit| unit >= self.0.events.left_out())
    }

    fn height(&self, unit: usize) -> usize {
        self.rows(unit).len()
    }
}

impl EventList<'_> {
    /// The row of the chosen event, or of the newest one.
    pub fn cursor(&self) -> Option<Anchor<usize>> {
        let last = self.last()?;
        let unit = self.0.event.unwrap_or(last).clamp(self.0.events.left_out(), last);
        // The first one has a row in front of it.
        let row = usize::from(unit == self.0.events.left_out() && unit > 0);
        Some(Anchor { unit, row })
    }

    /// The rows of an event.
    pub fn rows(&self, unit: usize) -> Vec<Row> {
        let state = self.0;
        let Some(event) = state.events.get(unit) else { return Vec::new() };
        let Event { time, text, role, .. } = &*event;
        let mut rows = Vec::new();
        let left_out = state.events.left_out();
        if left_out > 0 && unit == left_out {
            let words = format!("{} before that are no longer kept", count(left_out, "event"));
            rows.push(Row::words(vec![Piece::new(words, Role::Dim)]));
        }
        let lines = wrapped(text, state.width(Pane::Bottom).saturating_sub(TIME).max(10));
        for (index, line) in lines.into_iter().enumerate() {
            let time = if index == 0 { format!(" {time:<width$}", width = TIME - 1) } else { " ".repeat(TIME) };
            rows.push(Row::words(vec![Piece::new(time, Role::LineNumber), Piece::new(line, *role)]));
        }
        rows
    }
}
