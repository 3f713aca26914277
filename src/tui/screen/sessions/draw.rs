//! Draws a list of sessions: its lines in columns, what is known of the chosen one, and the lines around them.
//!
//! This module does not know what is in a row.

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::style::Style;

use crate::tui::geometry::Area;
use crate::tui::keymap::SESSIONS_KEYS;
use crate::tui::rows::{Piece, Row, grouped};
use crate::tui::screen::sessions::rows::{self, details, header, placeholder};
use crate::tui::screen::sessions::update::totals;
use crate::tui::screen::sessions::{Progress, SessionsScreen};
use crate::tui::style::Role;
use crate::tui::theme::Theme;
use crate::tui::view::line::{both, fill};
use crate::tui::view::{bar, bordered, help, is_drawable, selection_style, words_of};

/// Columns in front of the filter that is being typed.
const PROMPT: &str = " filter: ";

/// Draws the whole screen.
pub fn draw(frame: &mut Frame, screen: &SessionsScreen, theme: &Theme) {
    let buffer = frame.buffer_mut();
    if !is_drawable(buffer, screen.size, theme) {
        return;
    }
    let parts = screen.parts();
    title(buffer, parts.title, screen, theme);
    if let Some(area) = parts.bar {
        bar::draw(buffer, area, &screen.bar, theme);
    }
    let words = format!(" Sessions, {} ", screen.order.words());
    bordered(buffer, parts.list, &words, true, theme);
    list(buffer, parts.list.inner(), screen, theme);
    if let Some(area) = parts.details {
        bordered(buffer, area, " Chosen ", false, theme);
        let inner = area.inner();
        let rows = details(screen, usize::from(inner.width), usize::from(inner.height));
        for (row, y) in rows.iter().zip(inner.y..) {
            words_of(buffer, Area { y, height: 1, ..inner }, row, Style::new(), theme);
        }
    }
    status(buffer, parts.status, screen, theme);
    if let Some(row) = screen.help {
        help::draw(buffer, &SESSIONS_KEYS, row, theme);
    }
    if let Some(prompt) = &screen.prompt {
        let x = PROMPT.len() as u16 + prompt.visual_cursor() as u16;
        frame.set_cursor_position((x.min(parts.status.width.saturating_sub(1)), parts.status.y));
    }
}

fn title(buffer: &mut Buffer, area: Area, screen: &SessionsScreen, theme: &Theme) {
    let mut left = vec![Piece::new(" transcope  ", Role::Title), Piece::new(&screen.title, Role::Strong)];
    if screen.progress == Progress::Looking {
        left.push(Piece::new(" ── ", Role::Border));
        left.push(Piece::new("looking …", Role::Pending));
    }
    let right = [Piece::new(totals(screen), Role::Text), Piece::new(" ", Role::Text)];
    both(buffer, area, &left, &right, theme);
}

fn list(buffer: &mut Buffer, area: Area, screen: &SessionsScreen, theme: &Theme) {
    if area.height == 0 {
        return;
    }
    let line = Area { height: 1, ..area };
    let width = usize::from(area.width);
    if screen.lines().is_empty() {
        let words = Row::words(vec![Piece::new(format!(" {}", placeholder(screen)), Role::Dim)]);
        return words_of(buffer, line, &words, Style::new(), theme);
    }
    words_of(buffer, line, &header(width), Style::new(), theme);
    let chosen = screen.cursor();
    let shown = screen.lines().iter().enumerate().skip(screen.top());
    for ((index, at), y) in shown.zip(area.y + 1..area.y + area.height) {
        let row = rows::row(screen, *at, width);
        words_of(buffer, Area { y, ..line }, &row, selection_style(index == chosen, true, theme), theme);
    }
}

/// What to press, or what was typed or is to be said; at the right which line is chosen.
fn status(buffer: &mut Buffer, area: Area, screen: &SessionsScreen, theme: &Theme) {
    fill(buffer, area, theme);
    let left = match (&screen.prompt, &screen.message) {
        (Some(prompt), _) => vec![Piece::new(PROMPT, Role::Prompt), Piece::new(prompt.value(), Role::Prompt)],
        (None, Some(message)) => vec![Piece::new(format!(" {}", message.text), message.role)],
        (None, None) => hints(screen),
    };
    let lines = screen.lines().len();
    let place =
        if lines == 0 { String::new() } else { format!(" {}/{} ", grouped(screen.cursor() + 1), grouped(lines)) };
    both(buffer, area, &left, &[Piece::new(place, Role::Status)], theme);
}

/// The keys that somebody needs most.
fn hints(screen: &SessionsScreen) -> Vec<Piece> {
    let mut pieces = vec![Piece::new(" ", Role::Status)];
    if !screen.filter.is_empty() {
        pieces.push(Piece::new(format!("has \"{}\"  ", screen.filter), Role::Match));
        pieces.push(Piece::new(" ", Role::Status));
    }
    let leave = if screen.filter.is_empty() { "leave" } else { "show all" };
    let keys = [
        ("?", "help"),
        ("Enter", "open"),
        ("/", "filter"),
        ("s", "order"),
        ("Esc", leave),
        ("q", "quit"),
        ("j/k", "move"),
    ];
    for (key, words) in keys {
        pieces.push(Piece::new(key, Role::StatusKey));
        pieces.push(Piece::new(format!(" {words}  "), Role::Status));
    }
    pieces
}
