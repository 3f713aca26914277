//! Draws the panes of a transcript. Nothing is changed by it.

use ratatui::buffer::Buffer;

use crate::tui::action::PaneId;
use crate::tui::layout::Slot;
use crate::tui::pane::Panes;
use crate::tui::screen::transcript::{Transcript, timeline_bar};
use crate::tui::theme::Theme;
use crate::tui::widget::bordered;

/// Draws the panes, and below them how far a replay has come.
pub(super) fn body(buffer: &mut Buffer, state: &Transcript, theme: &Theme) {
    let layout = &state.view.layout;
    for slot in Slot::ALL {
        let Some(area) = layout.area(slot) else { continue };
        let focused = layout.focus == slot;
        bordered(buffer, area, &titles(state, slot), focused, theme);
        let pane = state.panes.get(layout.pane_in(slot));
        pane.draw(buffer, area.inner(), &state.view, focused, theme);
    }
    if let Some(area) = state.timeline_area() {
        timeline_bar::draw(buffer, area, state, theme);
    }
}

/// The words in the upper border of a place, and whether each is what is shown there.
fn titles(state: &Transcript, slot: Slot) -> Vec<(String, bool)> {
    let (view, layout) = (&state.view, &state.view.layout);
    if slot == Slot::Bottom {
        return Panes::at_bottom().map(|pane| (tab(state, pane), pane == layout.bottom)).collect();
    }
    let pane = state.panes.get(layout.pane_in(slot));
    let subtitle = pane.subtitle(view).map(|words| (format!(" {words} "), false));
    [(format!(" {} ", pane.title(view)), true)].into_iter().chain(subtitle).collect()
}

/// The title of a pane that shares the bottom. Brackets tell the one that is shown where there is no colour.
fn tab(state: &Transcript, pane: PaneId) -> String {
    let words = state.panes.get(pane).title(&state.view);
    if pane == state.view.layout.bottom { format!("[{words}]") } else { format!(" {words} ") }
}

/// The pane whose title is at a column of the border at the bottom.
pub(super) fn tab_at(state: &Transcript, column: u16) -> Option<PaneId> {
    let mut x = 1;
    Panes::at_bottom().find(|&pane| {
        let start = x;
        x += tab(state, pane).chars().count() as u16;
        (start..x).contains(&column)
    })
}
