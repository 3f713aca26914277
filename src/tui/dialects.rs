//! The dialects side by side: which one is chosen, and how much of its text is scrolled away.
//!
//! This module does not know what a dialect costs or how it writes a call.

use crate::dialect::{DialectInfo, REGISTRY};

/// The table of dialects and the text below it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Dialects {
    /// The row that is chosen.
    pub at: usize,
    /// The first row below the table that is shown.
    pub top: usize,
}

/// Rows of headings above the table.
pub const HEADINGS: usize = 2;

/// The least rows of the table, and those that the text below it has before the table has them all.
const LEAST: usize = 3;
const BELOW: usize = 6;

impl Dialects {
    /// The chosen dialect.
    pub fn chosen(self) -> &'static DialectInfo {
        REGISTRY[self.at.min(REGISTRY.len() - 1)]
    }

    /// The dialects that are shown in a pane of so many rows: all of them, or some around the chosen one.
    pub fn shown(self, height: usize) -> std::ops::Range<usize> {
        let rows = height.saturating_sub(HEADINGS + BELOW).clamp(LEAST, REGISTRY.len());
        let first = self.at.saturating_sub(rows / 2).min(REGISTRY.len() - rows);
        first..first + rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chosen_dialect_is_shown_whatever_the_height() {
        for height in 0..40 {
            for at in 0..REGISTRY.len() {
                let shown = Dialects { at, top: 0 }.shown(height);
                assert!(shown.contains(&at) && shown.end <= REGISTRY.len(), "{at} of {shown:?} in {height}");
                assert_eq!(shown.len() == REGISTRY.len(), height >= HEADINGS + BELOW + REGISTRY.len());
            }
        }
    }
}
