//! Moving the choice, among units or in a list of rows of one line each, and scrolling so that it is seen.
//!
//! Independent of what is in a row.

use crate::tui::action::Motion;
use crate::tui::screen::chrome::WHEEL;
use crate::tui::viewport::{self, Anchor, Page, PageStep, Rows, Units};

/// A list whose rows can all be chosen: where it is, and how much of it is seen.
#[derive(Clone, Copy, Debug)]
pub struct ListPlace {
    /// The first row that is shown.
    pub top: Anchor,
    /// The row that is chosen.
    pub at: Anchor,
    /// Where pages were turned to last.
    pub paged: Option<PageStep>,
}

impl ListPlace {
    /// The place that a motion leads to, where `height` rows are shown, `margin` of them between the choice and the edges.
    #[must_use]
    pub fn moved(self, units: &impl Units, motion: Motion, height: usize, margin: usize) -> Self {
        if let Some((direction, rows)) = motion.pages(height) {
            let page = Page { direction, rows, height, margin };
            let Some(step) = page.turn(units, (self.top, Some(self.at)), self.paged, |_| true) else { return self };
            return Self { top: step.top, at: step.cursor.unwrap_or(self.at), paged: Some(step) };
        }
        let to = match motion {
            Motion::Line(direction) if direction > 0 => Some(viewport::down(units, self.at, 1)),
            Motion::Line(_) => Some(viewport::up(units, self.at, 1)),
            Motion::Bottom => viewport::last(units),
            Motion::To(row) => viewport::first(units).map(|first| viewport::down(units, first, row.saturating_sub(1))),
            Motion::Top | Motion::Half(_) | Motion::Page(_) => viewport::first(units),
        };
        let at = to.unwrap_or(self.at);
        Self { top: viewport::reveal(units, self.top, at, height.max(1), margin), at, paged: self.paged }
    }
}

/// The row that is chosen, and the first one that is shown; both from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scroll {
    /// The row that is chosen.
    pub at: usize,
    /// The first row that is shown.
    pub top: usize,
    /// Where pages were turned to last.
    paged: Option<PageStep>,
}

impl Scroll {
    /// Chooses the row that a motion leads to, of `count` rows of which `height` are shown at the same time.
    pub fn go(&mut self, motion: Motion, count: usize, height: usize) {
        let anchor = |row: usize| Anchor { row, ..Anchor::default() };
        let place = ListPlace { top: anchor(self.top), at: anchor(self.at), paged: self.paged };
        let ListPlace { top, at, paged } = place.moved(&Rows(count), motion, height, 0);
        *self = Self { at: at.row, top: top.row, paged };
        self.settle(count, height);
    }

    /// Scrolls a turn of the wheel, down (1) or up (-1).
    pub fn wheel(&mut self, direction: i8, count: usize, height: usize) {
        let top = Anchor { row: self.top, ..Anchor::default() };
        self.top = viewport::scrolled(&Rows(count), top, direction, WHEEL, height).row;
    }

    /// Scrolls as little as is needed to show the chosen row, which is one that there is.
    pub fn settle(&mut self, count: usize, height: usize) {
        self.at = self.at.min(count.saturating_sub(1));
        self.top =
            self.top.min(count.saturating_sub(height)).clamp((self.at + 1).saturating_sub(height.max(1)), self.at);
    }
}
