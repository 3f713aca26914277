//! Draws the screen of a transcript. Nothing is changed by it.

use ratatui::Frame;

use crate::tui::action::PaneId;
use crate::tui::keymap::TRANSCRIPT_KEYS;
use crate::tui::layout::Slot;
use crate::tui::pane::Panes;
use crate::tui::screen::transcript::{Transcript, status, timeline_bar, title};
use crate::tui::theme::Theme;
use crate::tui::widget::{bordered, help, is_drawable, tab_bar};

/// Draws the whole screen of a transcript.
pub fn draw(frame: &mut Frame, state: &Transcript, theme: &Theme) {
    let buffer = frame.buffer_mut();
    let layout = &state.view.layout;
    if !is_drawable(buffer, layout.size, theme) {
        return;
    }
    let areas = layout.areas();
    title::draw(buffer, areas.title, state, theme);
    if let Some(area) = areas.bar {
        tab_bar::draw(buffer, area, &state.tab_bar, theme);
    }
    for slot in Slot::ALL {
        let Some(area) = areas.pane(slot) else { continue };
        let focused = layout.focus == slot;
        bordered(buffer, area, &titles(state, slot), focused, theme);
        let pane = state.panes.get(layout.pane_in(slot));
        pane.draw(buffer, area.inner(), &state.view, focused, theme);
    }
    if let Some(area) = areas.scrubber {
        timeline_bar::draw(buffer, area, state, theme);
    }
    status::draw(buffer, areas.status, state, theme);
    if let Some(row) = state.help {
        help::draw(buffer, &TRANSCRIPT_KEYS, row, theme);
    }
    let in_pane = || {
        let area = areas.pane(layout.focus).filter(|_| state.help.is_none())?;
        state.panes.get(layout.focused()).cursor(&state.view, area.inner())
    };
    if let Some((x, y)) = status::cursor(state, areas.status).or_else(in_pane) {
        frame.set_cursor_position((x, y));
    }
}

/// The words in the upper border of a place, and whether each is what is shown there.
fn titles(state: &Transcript, slot: Slot) -> Vec<(String, bool)> {
    let (view, layout) = (&state.view, &state.view.layout);
    if slot == Slot::Bottom {
        return Panes::at_bottom().map(|pane| (tab(state, pane), pane == layout.bottom)).collect();
    }
    let pane = layout.pane_in(slot);
    let subtitle = state.panes.get(pane).subtitle(view).map(|words| (format!(" {words} "), false));
    [(format!(" {} ", state.panes.title(pane, view)), true)].into_iter().chain(subtitle).collect()
}

/// The title of a pane that shares the bottom. Brackets tell the one that is shown where there is no colour.
fn tab(state: &Transcript, pane: PaneId) -> String {
    let words = state.panes.title(pane, &state.view);
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
