//! A list to choose from, such as the command palette, above the line in which the query is typed.

use std::slice::from_ref;

use ratatui::buffer::Buffer;
use ratatui::symbols::border;
use ratatui::widgets::{Block, Clear, Widget};

use crate::tui::geometry::Area;
use crate::tui::row::{Piece, width};
use crate::tui::style::Role;
use crate::tui::theme::Theme;
use crate::tui::widget::{pieces, rect};

/// Maximum columns and rows of the list.
const SIZE: (u16, u16) = (72, 16);

/// A line of the list.
pub struct PaletteRow {
    /// The text at the left edge, cut if it is too long.
    pub words: String,
    /// Keys at the right edge; empty if there are none.
    pub keys: String,
}

/// Draws the entries around the chosen one, best match at the top.
pub fn draw(buffer: &mut Buffer, title: &str, entries: &[PaletteRow], chosen: Option<usize>, theme: &Theme) {
    let screen = buffer.area;
    let rows = (entries.len().max(1) as u16).min(SIZE.1).min(screen.height.saturating_sub(4));
    let size = (SIZE.0.min(screen.width), rows + 2);
    let area = Area { x: 0, y: (screen.height - 1).saturating_sub(size.1), width: size.0, height: size.1 };
    let target = rect(area, buffer);
    Clear.render(target, buffer);
    Block::bordered()
        .border_set(border::THICK)
        .border_style(theme.style(Role::BorderFocused))
        .title_top(title)
        .render(target, buffer);
    let inside = area.inner();
    let end = inside.x + inside.width;
    if entries.is_empty() {
        let words = [Piece::new(" nothing has these words; ctrl-u deletes them", Role::Dim)];
        pieces(buffer, (inside.x, inside.y), end, &words, |role| theme.style(role));
        return;
    }
    let first = (chosen.unwrap_or(0) + 1).saturating_sub(usize::from(inside.height));
    for (row, (index, entry)) in entries.iter().enumerate().skip(first).take(usize::from(inside.height)).enumerate() {
        let sign = if chosen == Some(index) { "▸ " } else { "  " };
        let role = if chosen == Some(index) { Role::Strong } else { Role::Text };
        let words = Piece::new(format!("{sign}{}", entry.words), role);
        let keys = Piece::new(format!("{} ", entry.keys), Role::Title);
        let gap = usize::from(inside.width).saturating_sub(width(from_ref(&words)) + width(from_ref(&keys)));
        let line = [words, Piece::new(" ".repeat(gap), Role::Text), keys];
        pieces(buffer, (inside.x, inside.y + row as u16), end, &line, |role| theme.style(role));
    }
}
