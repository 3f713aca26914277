//! Draws a list of sessions: its lines in columns, what is known of the chosen one, and the lines around them.
//!
//! This module does not know what is in a row.

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::style::Style;

use crate::tui::action::{Action, Motion};
use crate::tui::geometry::Area;
use crate::tui::row::{Piece, Row, grouped};
use crate::tui::screen::chrome::ChromeText;
use crate::tui::screen::sessions::rows::{self, details, header, placeholder, totals};
use crate::tui::screen::sessions::{DiscoveryProgress, SessionsScreen};
use crate::tui::style::Role;
use crate::tui::theme::Theme;
use crate::tui::widget::{bordered, selection_style, words_of};

/// Draws the list and what is around it.
pub fn draw(frame: &mut Frame, screen: &SessionsScreen, theme: &Theme) {
    let mut left = vec![Piece::new(" transcope  ", Role::Title), Piece::new(&screen.title, Role::Strong)];
    if screen.progress == DiscoveryProgress::Looking {
        left.push(Piece::new(" ── ", Role::Border));
        left.push(Piece::new("looking …", Role::Pending));
    }
    let right = vec![Piece::new(totals(screen), Role::Text), Piece::new(" ", Role::Text)];
    let lines = screen.lines().len();
    let place =
        if lines == 0 { String::new() } else { format!(" {}/{} ", grouped(screen.cursor() + 1), grouped(lines)) };
    let text = ChromeText { title: [left, right], hints: hints(screen), place: vec![Piece::new(place, Role::Status)] };
    screen.chrome.draw(frame, &text, theme, |buffer, _| body(buffer, screen, theme));
}

/// The list, and below it what is known of the chosen line.
fn body(buffer: &mut Buffer, screen: &SessionsScreen, theme: &Theme) {
    let (area, below) = screen.areas();
    bordered(buffer, area, &[(format!(" Sessions, {} ", screen.order.words()), true)], true, theme);
    list(buffer, area.inner(), screen, theme);
    let Some(area) = below else { return };
    bordered(buffer, area, &[(" Selected ".into(), true)], false, theme);
    let inner = area.inner();
    let rows = details(screen, usize::from(inner.width), usize::from(inner.height));
    for (row, y) in rows.iter().zip(inner.y..) {
        words_of(buffer, Area { y, height: 1, ..inner }, row, Style::new(), theme);
    }
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

/// The keys that somebody needs most, behind the filter that holds.
fn hints(screen: &SessionsScreen) -> Vec<Piece> {
    let leave = if screen.filter.is_empty() { "leave" } else { "show all" };
    let mut pieces = screen.chrome.hints(&[
        (&[Action::Help], "help"),
        (&[Action::Toggle], "open"),
        (&[Action::Search], "filter"),
        (&[Action::Order], "sort"),
        (&[Action::Cancel], leave),
        (&[Action::Quit], "quit"),
        (&[Action::Move(Motion::Line(1)), Action::Move(Motion::Line(-1))], "move"),
    ]);
    if !screen.filter.is_empty() {
        let filter = Piece::new(format!("filter \"{}\"  ", screen.filter), Role::Match);
        pieces.splice(1..1, [filter, Piece::new(" ", Role::Status)]);
    }
    pieces
}
