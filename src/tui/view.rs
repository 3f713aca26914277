//! Draws the state: one file for what is not a list of rows.
//!
//! Everything here takes the state as it is and changes nothing.

pub mod bar;
pub mod graph;
pub mod help;
pub mod line;
pub mod rows;
pub mod scrubber;

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::symbols::border;
use ratatui::widgets::{Block, Widget};

use crate::text::sanitize::is_plain_ascii;
use crate::text::wrap::display_width;
use crate::tui::action::Tab;
use crate::tui::geometry::Area;
use crate::tui::keymap::TRANSCRIPT_KEYS;
use crate::tui::layout::Pane;
use crate::tui::layout::SMALLEST;
use crate::tui::rows::raw::Raw;
use crate::tui::rows::{Piece, Row, details, grouped};
use crate::tui::state::State;
use crate::tui::style::Role;
use crate::tui::theme::Theme;

/// Draws the whole screen.
pub fn draw(frame: &mut Frame, state: &State, theme: &Theme) {
    let buffer = frame.buffer_mut();
    if !is_drawable(buffer, state.size, theme) {
        return;
    }
    let areas = state.areas();
    line::title(buffer, areas.title, state, theme);
    if let Some(area) = areas.bar {
        bar::draw(buffer, area, &state.bar, theme);
    }
    for pane in Pane::ALL {
        let Some(area) = areas.pane(pane) else { continue };
        border(buffer, area, pane, state, theme);
        let inside = area.inner();
        match (pane, state.tab) {
            (Pane::Bottom, Tab::Graph) => graph::draw(buffer, inside, state, theme),
            _ => rows::draw(buffer, inside, pane, state, theme),
        }
    }
    if let Some(area) = areas.scrubber {
        scrubber::draw(buffer, area, state, theme);
    }
    line::status(buffer, areas.status, state, theme);
    if let Some(row) = state.help {
        help::draw(buffer, &TRANSCRIPT_KEYS, row, theme);
    }
    let typed = || areas.pane(Pane::Raw).and_then(|area| rows::cursor(area.inner(), state));
    if let Some((x, y)) = line::cursor(state, areas.status).or_else(typed) {
        frame.set_cursor_position((x, y));
    }
}

/// Puts a question, if there is one, over the line at the bottom.
pub fn ask(frame: &mut Frame, question: Option<&str>, theme: &Theme) {
    let Some(question) = question else { return };
    let buffer = frame.buffer_mut();
    let Rect { x, width, height, .. } = buffer.area;
    let area = Area { x, y: height.saturating_sub(1), width, height: 1 };
    line::fill(buffer, area, theme);
    line::both(
        buffer,
        area,
        &[Piece::new(format!(" {question}{:width$}", "", width = width.into()), Role::Prompt)],
        &[],
        theme,
    );
}

/// Whether a screen of this size can be drawn; says so where it is too small.
pub(in crate::tui) fn is_drawable(buffer: &mut Buffer, (width, height): (u16, u16), theme: &Theme) -> bool {
    if buffer.area.width < width || buffer.area.height < height {
        // The window has shrunk and the loop is about to be told: the frame after that shows it.
        return false;
    }
    let is_large = width >= SMALLEST.0 && height >= SMALLEST.1;
    if !is_large && !buffer.area.is_empty() {
        let size = format!("{}x{}", SMALLEST.0, SMALLEST.1);
        let forms = [format!("transcope needs {size}"), format!("needs {size}"), size];
        let room = usize::from(buffer.area.width);
        let words = forms.iter().find(|words| words.len() <= room).unwrap_or(&forms[2]);
        buffer.set_stringn(0, 0, words, room, theme.style(Role::Warning));
    }
    is_large
}

/// An area as ratatui has it, cut to the buffer.
pub(in crate::tui) fn rect(area: Area, buffer: &Buffer) -> Rect {
    Rect::new(area.x, area.y, area.width, area.height).intersection(buffer.area)
}

/// Writes safe words from a cell on, into `room` columns at the most; gives the column behind them.
///
/// As `Buffer::set_stringn`, which takes every text to pieces as if it were not plain.
pub(in crate::tui) fn put(buffer: &mut Buffer, x: u16, y: u16, words: &str, room: usize, style: Style) -> u16 {
    if !is_plain_ascii(words.as_bytes()) {
        return buffer.set_stringn(x, y, words, room, style).0;
    }
    let area = buffer.area;
    if x < area.x || x >= area.right() || y < area.y || y >= area.bottom() {
        return x;
    }
    let start = buffer.index_of(x, y);
    let room = room.min(usize::from(area.right() - x));
    for (cell, byte) in buffer.content[start..].iter_mut().take(room).zip(words.bytes()) {
        cell.set_char(char::from(byte)).set_style(style);
    }
    x + words.len().min(room) as u16
}

/// The border of a pane, with its title and, for the bottom pane, its tabs.
fn border(buffer: &mut Buffer, area: Area, pane: Pane, state: &State, theme: &Theme) {
    let focused = state.focus == pane;
    let style = theme.style(if focused { Role::BorderFocused } else { Role::Border });
    // The focused pane is told by its lines as well as by its colour.
    let set = if focused { border::THICK } else { border::ROUNDED };
    let target = rect(area, buffer);
    Block::bordered().border_set(set).border_style(style).render(target, buffer);
    let mut x = area.x + 1;
    for (words, current) in titles(state, pane) {
        let role = match (current, focused) {
            (true, true) => Role::Title,
            (true, false) => Role::Text,
            (false, _) => Role::Dim,
        };
        let room = usize::from((area.x + area.width).saturating_sub(x + 1));
        x = put(buffer, x, area.y, &words, room, style.patch(theme.style(role)));
    }
}

/// Draws a border with some words in it.
pub(in crate::tui) fn bordered(buffer: &mut Buffer, area: Area, words: &str, focused: bool, theme: &Theme) {
    let set = if focused { border::THICK } else { border::ROUNDED };
    let style = theme.style(if focused { Role::BorderFocused } else { Role::Border });
    Block::bordered().border_set(set).border_style(style).render(rect(area, buffer), buffer);
    let words_role = if focused { Role::Title } else { Role::Text };
    let room = usize::from(area.width.saturating_sub(2));
    put(buffer, area.x + 1, area.y, words, room, style.patch(theme.style(words_role)));
}

/// Draws a row of words, and its note at the right edge where there is room, with a style over it.
pub(in crate::tui) fn words_of(buffer: &mut Buffer, area: Area, row: &Row, over: Style, theme: &Theme) {
    let end = area.x + area.width;
    if over != Style::new() {
        buffer.set_style(rect(area, buffer), over);
    }
    let mut draw = |mut x: u16, pieces: &[Piece]| {
        for piece in pieces {
            let room = usize::from(end.saturating_sub(x));
            x = put(buffer, x, area.y, &piece.text, room, over.patch(theme.style(piece.role)));
        }
        x
    };
    let x = draw(area.x, &row.lead);
    let note: usize = row.note.iter().map(|piece| display_width(piece.text.as_bytes())).sum();
    let start = end.saturating_sub(note as u16);
    if note > 0 && start > x {
        draw(start, &row.note);
    }
}

/// The words in the upper border of a pane, and whether each is what the pane shows.
fn titles(state: &State, pane: Pane) -> Vec<(String, bool)> {
    let position = |at: usize, of: usize| format!(" {}/{} ", grouped(at), grouped(of));
    match pane {
        Pane::Outline => vec![(" Outline ".into(), true)],
        Pane::Reading => vec![(" Reading ".into(), true)],
        Pane::Raw => {
            let (line, lines) = Raw(state).position();
            let position = match state.line_number(line) {
                Some(number) => position(number, lines),
                None => " line not known yet ".into(),
            };
            let title = match () {
                () if state.editor.is_some() => " Text ",
                () if state.raw_file && state.session.is_decoded() => " Raw: file ",
                () => " Raw ",
            };
            vec![(title.into(), true), (position, false)]
        }
        Pane::Bottom => Tab::ALL
            .into_iter()
            .map(|tab| {
                let count = match tab {
                    Tab::Problems if !state.problems().is_empty() => format!(" {}", grouped(state.problems().len())),
                    Tab::Events if state.events.count() > 0 => format!(" {}", grouped(state.events.count())),
                    _ => String::new(),
                };
                // Brackets tell the tab that is shown where there is no colour.
                let shown = tab == state.tab;
                let words =
                    if shown { format!("[{}{count}]", tab.title()) } else { format!(" {}{count} ", tab.title()) };
                (words, shown)
            })
            .collect(),
    }
}

/// The tab whose title is at a column of the bottom pane's border.
pub fn tab_at(state: &State, column: u16) -> Option<Tab> {
    let mut x = 1;
    for (tab, (words, _)) in Tab::ALL.into_iter().zip(titles(state, Pane::Bottom)) {
        let end = x + words.chars().count() as u16;
        if (x..end).contains(&column) {
            return Some(tab);
        }
        x = end;
    }
    None
}

/// The rows of the details tab, from the first that is shown.
pub(super) fn detail_rows(state: &State) -> Vec<crate::tui::rows::Row> {
    details::rows(state).into_iter().skip(state.tops.details.unit).collect()
}

/// The style of a whole row that is selected, if it is.
pub(in crate::tui) fn selection_style(selected: bool, focused: bool, theme: &Theme) -> Style {
    match (selected, focused) {
        (false, _) => Style::new(),
        (true, true) => theme.style(Role::Selection),
        (true, false) => theme.style(Role::SelectionUnfocused),
    }
}
