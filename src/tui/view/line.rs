//! The line at the top, which says what is open, and the line at the bottom, which says what to press.
//!
//! This module does not know what the panes show.

use ratatui::buffer::Buffer;

use crate::diagnostic::Severity;
use crate::text::wrap::display_width;
use crate::tui::action::Tab;
use crate::tui::geometry::Area;
use crate::tui::layout::Pane;
use crate::tui::origin::Phase;
use crate::tui::rows::{Piece, count, grouped, mark};
use crate::tui::state::State;
use crate::tui::style::Role;
use crate::tui::theme::Theme;
use crate::tui::view::{put, rect, scrubber};

/// What is open: name, container, dialects, how far reading has come, calls and problems.
pub(in crate::tui) fn title(buffer: &mut Buffer, area: Area, state: &State, theme: &Theme) {
    let name = &state.origin.name;
    let short = state.origin.short();
    let needed = width(&[Piece::new(short, Role::Strong)]) + phase(state).map_or(0, |phase| width(&[phase])) + 20;
    let whole = totals(state, true);
    let right = if width(&whole) + needed <= usize::from(area.width) { whole } else { totals(state, false) };
    let room = usize::from(area.width).saturating_sub(width(&right) + 1);
    let seen: Vec<&str> = state.session.document().dialects_seen().collect();
    let dialects = match seen.len() {
        0 => "no calls".into(),
        1..=3 => seen.join(", "),
        more => format!("{more} dialects"),
    };
    let what = Piece::new(format!("{} · {dialects}", state.container()), Role::Dim);
    let phase = phase(state);
    let short_phase = phase.clone().map(|piece| if state.peek.is_some() { ahead("ahead of reading") } else { piece });
    let parts = |name: &str, what: Option<&Piece>, phase: &Option<Piece>| {
        let mut left = vec![Piece::new(" transcope  ", Role::Title), Piece::new(name, Role::Strong)];
        for part in [what.cloned(), phase.clone()].into_iter().flatten() {
            left.push(Piece::new(" ── ", Role::Border));
            left.push(part);
        }
        left
    };
    // Where there is no room for all, the dialects go first, then the folders in front of the name.
    let forms = [
        parts(name, Some(&what), &phase),
        parts(short, Some(&what), &phase),
        parts(name, None, &phase),
        parts(short, None, &phase),
        parts(short, None, &short_phase),
    ];
    let left = forms.iter().find(|left| width(left) <= room).unwrap_or(&forms[4]);
    both(buffer, area, left, &right, theme);
}

/// How far reading has come, unless it is done.
fn phase(state: &State) -> Option<Piece> {
    match (&state.origin.phase, state.hold_end) {
        _ if state.rereading.is_some() => {
            let read = state.rereading.as_ref().map_or(0, |rereading| rereading.session.file().len());
            let percent = (read * 100).checked_div(state.session.file().len()).unwrap_or(100);
            Some(Piece::new(format!("reading again {percent}%"), Role::Pending))
        }
        _ if state.peek.is_some() => Some(ahead("the end, seen ahead of reading")),
        _ if state.replay.is_some() => Some(Piece::new("as if it were arriving", Role::Pending)),
        (Phase::Loading, _) => Some(Piece::new("reading …", Role::Pending)),
        (Phase::Following, true) => Some(Piece::new("following ●", Role::Good)),
        (Phase::Following, false) => Some(Piece::new("following ○", Role::Pending)),
        (Phase::Failed(_), _) => Some(Piece::new("reading failed", Role::Error)),
        (Phase::Ended, _) => None,
    }
}

/// What is shown is the end, and has not been read yet.
fn ahead(words: &str) -> Piece {
    Piece::new(words, Role::Warning)
}

/// Numbers of calls and problems, with the words or with the marks alone.
fn totals(state: &State, full: bool) -> Vec<Piece> {
    let document = state.whole().document();
    let mut right = vec![Piece::new(count(document.calls_that_count(), "call"), Role::Text)];
    let totals = state.totals();
    for (severity, number) in [Severity::Error, Severity::Warning, Severity::Hint].into_iter().zip(totals) {
        if number > 0 {
            let (sign, role) = mark(severity);
            let words = match severity {
                // Its sign is that between the numbers.
                Severity::Hint => count(number, severity.word()),
                _ if full => format!("{sign} {}", count(number, severity.word())),
                _ => format!("{sign} {}", grouped(number)),
            };
            right.push(Piece::new(" · ", Role::Dim));
            right.push(Piece::new(words, role));
        }
    }
    if totals == [0; 3] && state.origin.phase == Phase::Ended {
        right.push(Piece::new(" · no problems", Role::Good));
    }
    right.push(Piece::new(" ", Role::Text));
    right
}

/// What to press, or what was typed or is to be said; at the right where the selection is.
pub(in crate::tui) fn status(buffer: &mut Buffer, area: Area, state: &State, theme: &Theme) {
    fill(buffer, area, theme);
    let left = match (&state.prompt, &state.message) {
        (Some(prompt), _) => {
            vec![Piece::new(prompt.asked.label(), Role::Prompt), Piece::new(prompt.input.value(), Role::Prompt)]
        }
        (None, Some(message)) => vec![Piece::new(format!(" {}", message.text), message.role)],
        (None, None) if state.replay.is_some() => awaiting(state),
        (None, None) => hints(state),
    };
    let mut right = place(state);
    if let Some(replay) = &state.replay {
        if state.areas().scrubber.is_none() {
            right.insert(0, Piece::new(scrubber::words(replay), Role::Pending));
        }
    } else if let Some(gauge) = gauge(state, usize::from(area.width), width(&left), width(&right)) {
        right.insert(0, gauge);
    }
    both(buffer, area, &left, &right, theme);
}

/// What a text that is played waits for.
fn awaiting(state: &State) -> Vec<Piece> {
    let Some(waiting) = state.waiting() else { return hints(state) };
    let role = if waiting.is_open { Role::Pending } else { Role::Status };
    vec![Piece::new(" awaiting  ", Role::Status), Piece::new(waiting.words, role)]
}

/// Gives the line at the bottom its colour.
pub(in crate::tui) fn fill(buffer: &mut Buffer, area: Area, theme: &Theme) {
    buffer.set_style(rect(area, buffer), theme.style(Role::Status));
}

/// How far reading has come, as long as it has not come to the end; `left` columns are taken, and `right` ones.
fn gauge(state: &State, columns: usize, left: usize, right: usize) -> Option<Piece> {
    /// Columns of the hints that may be left when there is little room.
    const HINTS: usize = 18;
    if state.origin.phase != Phase::Loading && state.peek.is_none() {
        return None;
    }
    let is_said = state.prompt.is_some() || state.message.is_some();
    let room = columns.saturating_sub(right + 2 + if is_said { left } else { left.min(HINTS) });
    let words = state.gauge.words(state.whole().file().len(), state.origin.size.map(|size| size as usize), room);
    (words.chars().count() <= room).then(|| Piece::new(format!(" {words} "), Role::Pending))
}

/// Where the cursor of a line that is being typed is.
pub(in crate::tui) fn cursor(state: &State, area: Area) -> Option<(u16, u16)> {
    let prompt = state.prompt.as_ref()?;
    let x = area.x + display_width(prompt.asked.label().as_bytes()) as u16 + prompt.input.visual_cursor() as u16;
    Some((x.min(area.x + area.width.saturating_sub(1)), area.y))
}

/// The keys that somebody needs most.
fn hints(state: &State) -> Vec<Piece> {
    // In a list of the bottom pane it is what there is to do, so it comes first.
    let act = match (state.focus, state.tab) {
        (Pane::Bottom, Tab::Problems | Tab::Graph | Tab::Events) => Some(("Enter", "go there")),
        (Pane::Bottom, Tab::Settings) => Some(("Enter", "change")),
        (Pane::Bottom, Tab::Dialects) => Some(("Enter", "open as playground")),
        _ => None,
    };
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
    } else if state.search.is_some() {
        &[
            ("n/N", "match"),
            ("Esc", if state.search_progress().is_some() { "stop" } else { "end search" }),
            ("/", "search"),
            ("Tab", "pane"),
            ("?", "help"),
        ]
    } else if state.editor.is_some() {
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
    if state.origin.offers_recorded && state.search.is_none() {
        pieces.push(Piece::new("o", Role::StatusKey));
        pieces.push(Piece::new(" recorded sessions  ", Role::Status));
    }
    let close = (!state.bar.is_empty() && !state.types()).then_some(&("ctrl-w", "close tab"));
    let (first, others) = keys.split_at(keys.len().min(2));
    let act = act.as_ref().filter(|_| state.search.is_none());
    let others = others.iter().filter(|(key, _)| act.is_none_or(|(acts, _)| key != acts));
    for (key, words) in first.iter().chain(act).chain(close).chain(others) {
        pieces.push(Piece::new(*key, Role::StatusKey));
        pieces.push(Piece::new(format!(" {words}  "), Role::Status));
    }
    pieces
}

/// Where the selection is, what the search found, what arrived below.
fn place(state: &State) -> Vec<Piece> {
    let mut pieces = Vec::new();
    if state.arrived > 0 {
        pieces.push(Piece::new(format!(" ▼ {} below: G ", count(state.arrived, "new line")), Role::Good));
    }
    if let Some(search) = &state.search {
        let total = grouped(search.total());
        let matches = count(search.total(), "match").replace("matchs", "matches");
        let words = match (state.search_progress(), search.at(state.base() + state.selection.offset)) {
            (Some(percent), _) => format!(" searching {percent}% · {matches} "),
            (None, Some((number, _))) => format!(" match {} of {total} ", grouped(number)),
            (None, None) => format!(" {matches} "),
        };
        pieces.push(Piece::new(words, Role::Match));
    }
    let column = state.column_of(state.selection.offset);
    let line = state.line_of(state.selection.offset);
    let shown = state.base() + state.session.text().len();
    let length = shown.max(state.whole().text().len());
    // The last byte is the end.
    let percent = ((state.base() + state.selection.offset) * 100).checked_div(length.saturating_sub(1));
    let percent = percent.unwrap_or(100).min(100);
    pieces.push(Piece::new(format!("  {line}:{column}  {percent}% "), Role::Status));
    pieces
}

/// Words from the left and words at the right; the right ones stay where there is no room for both. A key is left out
/// with its words where they do not fit.
pub(in crate::tui) fn both(buffer: &mut Buffer, area: Area, left: &[Piece], right: &[Piece], theme: &Theme) {
    let width =
        |pieces: &[Piece]| pieces.iter().map(|piece| display_width(piece.text.as_bytes())).sum::<usize>() as u16;
    let end = area.x + area.width;
    let start = end.saturating_sub(width(right)).max(area.x);
    let mut x = area.x;
    for (index, piece) in left.iter().enumerate() {
        let room = usize::from(start.saturating_sub(x + 1));
        let words = left.get(index + 1).map_or("", |words| words.text.trim_end());
        if piece.role == Role::StatusKey
            && display_width(piece.text.as_bytes()) + display_width(words.as_bytes()) > room
        {
            break;
        }
        x = put(buffer, x, area.y, &piece.text, room, theme.style(piece.role));
    }
    x = start;
    for piece in right {
        x = put(buffer, x, area.y, &piece.text, usize::from(end.saturating_sub(x)), theme.style(piece.role));
    }
}

/// Columns of some words.
fn width(pieces: &[Piece]) -> usize {
    pieces.iter().map(|piece| display_width(piece.text.as_bytes())).sum()
}
