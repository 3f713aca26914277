//! Draws a comparison: its two columns, and the lines around them.
//!
//! This module does not know what is in a row.

use ratatui::Frame;
use ratatui::buffer::Buffer;

use crate::tui::geometry::Area;
use crate::tui::keymap::COMPARISON_KEYS;
use crate::tui::rows::{Piece, grouped};
use crate::tui::screen::comparison::update::totals;
use crate::tui::screen::comparison::{ComparedText, ComparisonScreen};
use crate::tui::style::Role;
use crate::tui::theme::Theme;
use crate::tui::view::line::{both, fill};
use crate::tui::view::{bar, bordered, help, is_drawable, selection_style, words_of};
use crate::tui::viewport;

/// Columns of what stands at the left of the title.
const TITLE: usize = 26;

/// Draws the whole screen.
pub fn draw(frame: &mut Frame, screen: &ComparisonScreen, theme: &Theme) {
    let buffer = frame.buffer_mut();
    if !is_drawable(buffer, screen.size, theme) {
        return;
    }
    let parts = screen.parts();
    let left = [Piece::new(" transcope  ", Role::Title), Piece::new("comparison", Role::Strong)];
    let words = [true, false].map(|in_words| totals(screen, in_words));
    let room = usize::from(parts.title.width).saturating_sub(TITLE);
    let [long, short] = &words;
    let right = [Piece::new(if long.len() <= room { long } else { short }, Role::Text), Piece::new(" ", Role::Text)];
    both(buffer, parts.title, &left, &right, theme);
    if let Some(area) = parts.bar {
        bar::draw(buffer, area, &screen.bar, theme);
    }
    for (side, area) in parts.columns.into_iter().enumerate() {
        bordered(buffer, area, &title(&screen.sides[side]), side == screen.side, theme);
    }
    let shown = viewport::window(screen, screen.top, screen.height());
    if shown.is_empty() && parts.columns[0].inner().height > 0 {
        let area = parts.columns[0].inner();
        let row = crate::tui::rows::Row::words(vec![Piece::new(" no call is on either side", Role::Dim)]);
        words_of(buffer, Area { height: 1, ..area }, &row, ratatui::style::Style::new(), theme);
    }
    for (index, at) in shown.into_iter().enumerate() {
        let lines = screen.lines(at.unit);
        let Some(line) = lines.get(at.row) else { continue };
        for (side, area) in parts.columns.into_iter().enumerate() {
            let inner = area.inner();
            let over = selection_style(at == screen.at, side == screen.side, theme);
            words_of(buffer, Area { y: inner.y + index as u16, height: 1, ..inner }, &line[side], over, theme);
        }
    }
    status(buffer, parts.status, screen, theme);
    if let Some(row) = screen.help {
        help::draw(buffer, &COMPARISON_KEYS, row, theme);
    }
}

/// What a side is called, and what it is read with.
fn title(side: &ComparedText) -> String {
    let piece = |words: &str| Piece::new(words, Role::Text).text;
    if side.with.is_empty() {
        return format!(" {} ", piece(&side.name));
    }
    format!(" {} ── {} ", piece(&side.name), piece(&side.with))
}

/// What to press, or what is to be said; at the right which difference is chosen.
fn status(buffer: &mut Buffer, area: Area, screen: &ComparisonScreen, theme: &Theme) {
    fill(buffer, area, theme);
    let left = match &screen.message {
        Some(message) => vec![Piece::new(format!(" {}", message.text), message.role)],
        None => hints(screen),
    };
    let words = match screen.place_among_differences(screen.at.unit) {
        (_, 0) => " nothing differs ".to_owned(),
        (None, all) => format!(" {} differ ", grouped(all)),
        (Some(place), all) => format!(" difference {} of {} ", grouped(place), grouped(all)),
    };
    both(buffer, area, &left, &[Piece::new(words, Role::Status)], theme);
}

/// The keys that somebody needs most.
fn hints(screen: &ComparisonScreen) -> Vec<Piece> {
    let mut pieces = vec![Piece::new(" ", Role::Status)];
    let others = if screen.only_differences { "all calls" } else { "only modified" };
    let keys = [
        ("?", "help"),
        ("q", "quit"),
        ("Esc", "close"),
        ("e/E", "difference"),
        ("Enter", "fold"),
        ("m", others),
        ("Tab", "side"),
        ("c", "go to call"),
    ];
    for (key, words) in keys {
        pieces.push(Piece::new(key, Role::StatusKey));
        pieces.push(Piece::new(format!(" {words}  "), Role::Status));
    }
    pieces
}
