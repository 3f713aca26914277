//! The dialects side by side: one is chosen, its text is scrolled, copied, and opened in a playground.
//!
//! This module does not know keys, or how a dialect writes a call.

use crate::convert::WRITERS;

use crate::tui::action::{Motion, Tab};
use crate::tui::dialects::HEADINGS;
use crate::tui::layout::Pane;
use crate::tui::message::{Effect, Navigation, Task};
use crate::tui::row::{count, dialects::below};
use crate::tui::settings::is_read;
use crate::tui::screen::transcript::{Chosen, Transcript};
use crate::tui::style::Role;
use crate::tui::screen::transcript::tell;

/// Whether the keys go to the dialects.
pub(super) fn has_keys(state: &Transcript) -> bool {
    state.view.layout.focus == Pane::Bottom && state.view.layout.bottom == Tab::Dialects
}

/// Chooses another dialect; half a page and a page scroll its text.
pub(super) fn go(state: &mut Transcript, motion: Motion) {
    let at = state.dialects.at;
    let page = room(state).max(2) - 1;
    let next = match motion {
        Motion::Line(direction) if direction > 0 => at + 1,
        Motion::Line(_) => at.saturating_sub(1),
        Motion::Top => 0,
        Motion::Bottom => usize::MAX,
        Motion::Half(direction) => return scroll(state, direction, page.div_ceil(2)),
        Motion::Page(direction) => return scroll(state, direction, page),
    };
    choose_row(state, next.min(WRITERS.len() - 1));
}

/// Chooses the dialect in a row of the pane.
pub(super) fn choose(state: &mut Transcript, row: usize) {
    let shown = state.dialects.shown(state.view.height(Pane::Bottom));
    if let Some(row) = row.checked_sub(HEADINGS).filter(|row| *row < shown.len()) {
        choose_row(state, shown.start + row);
    }
}

fn choose_row(state: &mut Transcript, at: usize) {
    if state.dialects.at != at {
        state.dialects.at = at;
        state.dialects.top = 0;
    }
}

/// Scrolls the text by some rows, down (1) or up (-1).
pub(super) fn scroll(state: &mut Transcript, direction: i8, rows: usize) {
    let last = below(state).len().saturating_sub(room(state));
    let top = state.dialects.top;
    state.dialects.top = if direction > 0 { top + rows } else { top.saturating_sub(rows) }.min(last);
}

/// Rows of the pane below the table.
fn room(state: &Transcript) -> usize {
    let height = state.view.height(Pane::Bottom);
    height.saturating_sub(HEADINGS + state.dialects.shown(height).len())
}

/// Opens a playground with what the chosen dialect writes.
pub(super) fn play(state: &mut Transcript) -> Option<Effect> {
    let name = state.dialects.writer().name;
    if !is_read(&state.view.options, name) {
        let words = format!("{name} is not among the dialects that are read: switch it on under Settings (s)");
        tell(state, words, Role::Warning);
        return None;
    }
    written(state).map(|(text, _)| Effect::Go(Navigation::Play(text)))
}

/// Copies what the chosen dialect writes.
pub(super) fn copy(state: &mut Transcript) -> Option<Effect> {
    let (text, calls) = written(state)?;
    let (calls, name) = (count(calls, "call"), state.dialects.writer().name);
    Some(Effect::Run(Task::Copy { what: format!("{calls} as {name}"), text }))
}

/// What the chosen dialect writes, and how many calls these are.
fn written(state: &mut Transcript) -> Option<(String, usize)> {
    let written = state.to_be_written().filter(|(_, calls)| *calls > 0);
    if written.is_none() {
        let words = match state.chosen() {
            Chosen::Not(words) => words,
            _ => "no call to convert",
        };
        tell(state, words, Role::Dim);
    }
    written.map(|(converted, calls)| (String::from_utf8_lossy(&converted.text).into_owned(), calls))
}
