//! Moving the choice, among units or in a list of rows of one line each, and scrolling so that it is seen.
//!
//! This module does not know what is in a row.

use crate::tui::action::{Motion, stepped};
use crate::tui::screen::chrome::WHEEL;
use crate::tui::viewport::{self, Anchor, Units};

/// The row of units that a motion leads to from `at`, where `height` rows are shown at once.
pub fn moved(units: &impl Units, at: Anchor, motion: Motion, height: usize) -> Anchor {
    let page = height.max(2) - 1;
    let steps = |direction: i8, count: usize| {
        if direction > 0 { viewport::down(units, at, count) } else { viewport::up(units, at, count) }
    };
    let to = match motion {
        Motion::Line(direction) => Some(steps(direction, 1)),
        Motion::Half(direction) => Some(steps(direction, page.div_ceil(2))),
        Motion::Page(direction) => Some(steps(direction, page)),
        Motion::Top => viewport::first(units),
        Motion::Bottom => viewport::last(units),
        Motion::To(row) => viewport::first(units).map(|first| viewport::down(units, first, row.saturating_sub(1))),
    };
    to.unwrap_or(at)
}

/// The row that is chosen, and the first one that is shown; both from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scroll {
    /// The row that is chosen.
    pub at: usize,
    /// The first row that is shown.
    pub top: usize,
}

impl Scroll {
    /// Chooses the row that a motion leads to, of `count` rows of which `height` are shown at once.
    pub fn go(&mut self, motion: Motion, count: usize, height: usize) {
        self.at = motion.moved(self.at, height.max(2) - 1, count.saturating_sub(1));
        self.settle(count, height);
    }

    /// Scrolls a turn of the wheel, down (1) or up (-1).
    pub fn wheel(&mut self, direction: i8, count: usize, height: usize) {
        self.top = stepped(self.top, direction, WHEEL, count.saturating_sub(height));
    }

    /// Scrolls as little as is needed to show the chosen row, which is one that there is.
    pub fn settle(&mut self, count: usize, height: usize) {
        self.at = self.at.min(count.saturating_sub(1));
        self.top =
            self.top.min(count.saturating_sub(height)).clamp((self.at + 1).saturating_sub(height.max(1)), self.at);
    }
}
