//! Where every pane stands, told by bytes of the text.
//!
//! Before something arrives, the row at the top of each pane is anchored to the byte that it is about; before the next
//! frame each pane is scrolled to where its byte has gone, however many rows have come in above it, and even if the
//! text is now shown out of another session.

use crate::diagnostic::Code;
use crate::text::Span;

use crate::tui::pane::{Panes, ScrollAnchor, moved_place};
use crate::tui::screen::transcript::Transcript;

/// What stood at the top of each pane before something arrived.
pub(super) struct ScrollAnchors {
    /// What stood at the top of each pane, in the order of the panes.
    tops: Vec<Option<ScrollAnchor>>,
    /// The problem that is selected.
    selected: Option<(Span, Code)>,
}

impl ScrollAnchors {
    /// Takes down what stands at the top of each pane.
    pub(super) fn new(state: &Transcript) -> Self {
        let view = &state.view;
        let selected = view.selection.problem.and_then(|number| view.problems().brief(number));
        Self {
            tops: Panes::ALL.iter().map(|&id| state.panes.get(id).anchor(view)).collect(),
            selected: selected.map(|brief| brief.place()),
        }
    }

    /// Scrolls every pane to where its byte is now, `shift` bytes further on than it was.
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
