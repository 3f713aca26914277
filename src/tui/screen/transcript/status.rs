//! The line at the bottom, which says what to press and where the selection is.

use ratatui::buffer::Buffer;

use crate::text::wrap::display_width;
use crate::tui::geometry::Area;
use crate::tui::pane::Panes;
use crate::tui::row::{Piece, count, grouped, width};
use crate::tui::screen::transcript::{Transcript, timeline_bar};
use crate::tui::style::Role;
use crate::tui::theme::Theme;
use crate::tui::view::origin::Phase;
use crate::tui::widget::line::{both, fill};

/// What to press, or what was typed or is to be said; at the right where the selection is.
pub(super) fn draw(buffer: &mut Buffer, area: Area, state: &Transcript, theme: &Theme) {
    fill(buffer, area, theme);
    let left = match (&state.prompt, &state.message) {
        (Some(prompt), _) => {
            vec![Piece::new(prompt.kind.label(), Role::Prompt), Piece::new(prompt.input.value(), Role::Prompt)]
        }
        (None, Some(message)) => vec![Piece::new(format!(" {}", message.text), message.role)],
        (None, None) if state.replay.is_some() => waiting(state),
        (None, None) => hints(state),
    };
    let mut right = place(state);
    if let Some(replay) = &state.replay {
        if state.view.layout.areas().scrubber.is_none() {
            right.insert(0, Piece::new(timeline_bar::words(replay), Role::Pending));
        }
    } else if let Some(gauge) = gauge(state, usize::from(area.width), width(&left), width(&right)) {
        right.insert(0, gauge);
    }
    both(buffer, area, &left, &right, theme);
}

/// What a text that is played waits for.
fn waiting(state: &Transcript) -> Vec<Piece> {
    let Some(waiting) = state.view.waiting() else { return hints(state) };
    let role = if waiting.is_open { Role::Pending } else { Role::Status };
    vec![Piece::new(" awaiting  ", Role::Status), Piece::new(waiting.words, role)]
}

/// How far reading has come, as long as it has not come to the end; `left` columns are taken, and `right` ones.
fn gauge(state: &Transcript, columns: usize, left: usize, right: usize) -> Option<Piece> {
    /// Columns of the hints that may be left when there is little room.
    const HINTS: usize = 18;
    if state.view.origin.phase != Phase::Loading && state.view.ahead.is_none() {
        return None;
    }
    let is_said = state.prompt.is_some() || state.message.is_some();
    let room = columns.saturating_sub(right + 2 + if is_said { left } else { left.min(HINTS) });
    let words = state.following.throughput.words(
        state.view.whole().file().len(),
        state.view.origin.size.map(|size| size as usize),
        room,
    );
    (words.chars().count() <= room).then(|| Piece::new(format!(" {words} "), Role::Pending))
}

/// Where the cursor of a line that is being typed is.
pub(super) fn cursor(state: &Transcript, area: Area) -> Option<(u16, u16)> {
    let prompt = state.prompt.as_ref()?;
    let x = area.x + display_width(prompt.kind.label().as_bytes()) as u16 + prompt.input.visual_cursor() as u16;
    Some((x.min(area.x + area.width.saturating_sub(1)), area.y))
}

/// The keys that somebody needs most.
fn hints(state: &Transcript) -> Vec<Piece> {
    // In a list of the bottom pane it is what there is to do, so it comes first.
    let hint = Panes::facts(state.view.layout.focused()).hint;
    let act = hint.map(|words| ("Enter", words));
    let keys: &[(&str, &str)] = if state.types() {
        &[
            ("Esc", "panes"),
            ("F1", "help"),
            ("ctrl-n", "problem"),
            ("ctrl-r/f", "repair, all"),
            ("ctrl-z", "undo"),
            ("ctrl-s", "save"),
            ("ctrl-o", "$EDITOR"),
            ("ctrl-y", "redo"),
            ("ctrl-c/x", "copy, cut"),
        ]
    } else if state.view.search.is_some() {
        &[
            ("n/N", "match"),
            ("Esc", if state.view.search_progress().is_some() { "stop" } else { "end search" }),
            ("/", "search"),
            ("Tab", "pane"),
            ("?", "help"),
        ]
    } else if state.view.editor.is_some() {
        &[
            ("?", "help"),
            ("3", "edit"),
            ("e", "problem"),
            ("f/F", "repair, all"),
            ("ctrl-z", "undo"),
            ("ctrl-t", "shell"),
            ("ctrl-s", "save"),
            ("c", "call"),
            ("Tab", "pane"),
            ("q", "quit"),
        ]
    } else {
        &[
            ("?", "help"),
            ("q", "quit"),
            ("e", "problem"),
            ("c", "call"),
            ("/", "search"),
            ("Tab", "pane"),
            ("j/k", "move"),
            ("Enter", "fold"),
            ("d", "graph"),
            ("a", "details"),
            ("z", "zoom"),
        ]
    };
    let mut pieces = vec![Piece::new(" ", Role::Status)];
    if state.view.origin.offers_recorded && state.view.search.is_none() {
        pieces.push(Piece::new("o", Role::StatusKey));
        pieces.push(Piece::new(" recorded sessions  ", Role::Status));
    }
    let close = (!state.tab_bar.is_empty() && !state.types()).then_some(&("ctrl-w", "close tab"));
    let (first, others) = keys.split_at(keys.len().min(2));
    let act = act.as_ref().filter(|_| state.view.search.is_none());
    let others = others.iter().filter(|(key, _)| act.is_none_or(|(acts, _)| key != acts));
    for (key, words) in first.iter().chain(act).chain(close).chain(others) {
        pieces.push(Piece::new(*key, Role::StatusKey));
        pieces.push(Piece::new(format!(" {words}  "), Role::Status));
    }
    pieces
}

/// Where the selection is, what the search found, what arrived below.
fn place(state: &Transcript) -> Vec<Piece> {
    let mut pieces = Vec::new();
    if state.following.arrived > 0 {
        pieces.push(Piece::new(format!(" ▼ {} below: G ", count(state.following.arrived, "new line")), Role::Good));
    }
    if let Some(search) = &state.view.search {
        let total = grouped(search.total);
        let matches = count(search.total, "match").replace("matchs", "matches");
        let words = match (state.view.search_progress(), search.at(state.view.base() + state.view.selection.offset)) {
            (Some(percent), _) => format!(" searching {percent}% · {matches} "),
            (None, Some((number, _))) => format!(" match {} of {total} ", grouped(number)),
            (None, None) => format!(" {matches} "),
        };
        pieces.push(Piece::new(words, Role::Match));
    }
    let column = state.view.column_of(state.view.selection.offset);
    let line = state.view.line_of(state.view.selection.offset);
    let shown = state.view.base() + state.view.session.text().len();
    let length = shown.max(state.view.whole().text().len());
    // The last byte is the end.
    let percent = ((state.view.base() + state.view.selection.offset) * 100).checked_div(length.saturating_sub(1));
    let percent = percent.unwrap_or(100).min(100);
    pieces.push(Piece::new(format!("  {line}:{column}  {percent}% "), Role::Status));
    pieces
}
