//! A line of words: some at the left, some at the right edge.

use std::borrow::Cow;

use ratatui::buffer::Buffer;

use crate::text::wrap::{display_width, fit};
use crate::tui::geometry::Area;
use crate::tui::row::{Piece, width};
use crate::tui::style::Role;
use crate::tui::theme::Theme;
use crate::tui::widget::{pieces, put, rect};

/// Gives the line at the bottom its colour.
pub fn fill(buffer: &mut Buffer, area: Area, theme: &Theme) {
    buffer.set_style(rect(area, buffer), theme.style(Role::Status));
}

/// Words from the left and words at the right; the right ones stay where there is no room for both. A key is left out
/// with its words where they do not fit.
pub fn both(buffer: &mut Buffer, area: Area, left: &[Piece], right: &[Piece], theme: &Theme) {
    let end = area.x + area.width;
    let start = end.saturating_sub(width(right) as u16).max(area.x);
    let mut x = area.x;
    for (index, piece) in left.iter().enumerate() {
        let room = usize::from(start.saturating_sub(x + 1));
        let words = left.get(index + 1).map_or("", |words| words.text.trim_end());
        if piece.role == Role::StatusKey && piece.width() + display_width(words.as_bytes()) > room {
            break;
        }
        // What does not fit is cut where that is seen.
        let words = if piece.width() > room { fit(piece.text.trim_end(), room) } else { Cow::Borrowed(&*piece.text) };
        x = put(buffer, x, area.y, &words, room, theme.style(piece.role));
    }
    pieces(buffer, (start, area.y), end, right, |role| theme.style(role));
}
