//! Scroll positions of all panes, anchored to bytes of the text.
//!
//! Before something arrives, the top row of each pane is anchored to a byte. Before the next frame, each pane is
//! scrolled to that byte again, however many rows were inserted above, and even if the text is now shown from another
//! session.

use crate::diagnostic::Code;
use crate::text::Span;

use crate::tui::pane::{Panes, ScrollAnchor, moved_place};
use crate::tui::screen::transcript::Transcript;

/// Scroll positions of all panes before something arrived.
pub(super) struct ScrollAnchors {
    /// Anchors of the top rows, in pane order.
    tops: Vec<Option<ScrollAnchor>>,
    /// The selected problem.
    selected: Option<(Span, Code)>,
}

impl ScrollAnchors {
    /// Records the scroll position of each pane.
    pub(super) fn new(state: &Transcript) -> Self {
        let view = &state.view;
        let selected = view.selection.problem.and_then(|number| view.problems().brief(number));
        Self {
            tops: Panes::ALL.iter().map(|&id| state.panes.get(id).anchor(view)).collect(),
            selected: selected.map(|brief| brief.place()),
        }
    }

    /// Restores the scroll position of each pane after the text was moved by `shift` bytes.
    pub(super) fn restore(&self, state: &mut Transcript, shift: usize) {
        let view = &mut state.view;
        view.selection.problem = self.selected.and_then(|known| view.problems().number_of(moved_place(known, shift)));
        for (pane, anchor) in state.panes.all_mut().zip(&self.tops) {
            if let Some(anchor) = anchor {
                pane.restore(&state.view, *anchor, shift);
            }
        }
    }
}
