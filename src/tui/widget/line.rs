//! A one-line bar with text at the left and at the right edge.

use std::borrow::Cow;

use ratatui::buffer::Buffer;

use crate::text::wrap::{display_width, fit};
use crate::tui::geometry::Area;
use crate::tui::row::{Piece, width};
use crate::tui::style::Role;
use crate::tui::theme::Theme;
use crate::tui::widget::{pieces, put, rect};

/// Fills the bottom line with its colour.
pub fn fill(buffer: &mut Buffer, area: Area, theme: &Theme) {
    buffer.set_style(rect(area, buffer), theme.style(Role::Status));
}

/// Draws text at the left and at the right edge; the right one takes precedence. A key is left out together with its
/// label if they do not fit.
pub fn both(buffer: &mut Buffer, area: Area, left: &[Piece], right: &[Piece], theme: &Theme) {
    let end = area.x + area.width;
    let start = start_of_right(area, right);
    for (x, piece, words) in shown(area, left, start) {
        put(buffer, x, area.y, &words, usize::from(start.saturating_sub(x + 1)), theme.style(piece.role));
    }
    pieces(buffer, (start, area.y), end, right, |role| theme.style(role));
}

/// The key whose name or label is at a column; of several keys, such as `j/k`, the one at the column, or the first.
pub fn key_at(area: Area, left: &[Piece], right: &[Piece], x: u16) -> Option<String> {
    let mut named: Option<(u16, &str)> = None;
    for (start, piece, words) in shown(area, left, start_of_right(area, right)) {
        if piece.role == Role::StatusKey {
            named = Some((start, &piece.text));
        }
        let end = start + display_width(words.trim_end().as_bytes()) as u16;
        if (start..end).contains(&x) {
            let (start, keys) = named?;
            return Some(one_key(keys, usize::from(x - start)));
        }
        if piece.role != Role::StatusKey {
            named = None;
        }
    }
    None
}

/// The key at a column within a group such as `ctrl-r/f`.
fn one_key(keys: &str, column: usize) -> String {
    if keys.len() == 1 {
        return keys.to_owned();
    }
    let mut end = 0;
    let parts: Vec<&str> = keys.split('/').collect();
    let chosen = parts.iter().position(|part| {
        end += part.chars().count() + 1;
        column < end
    });
    let chosen = parts[chosen.unwrap_or(0)];
    // The modifier of the first key applies to all of them.
    match parts[0].split_once('-') {
        Some((modifier, _)) if !chosen.contains('-') => format!("{modifier}-{chosen}"),
        _ => chosen.to_owned(),
    }
}

fn start_of_right(area: Area, right: &[Piece]) -> u16 {
    (area.x + area.width).saturating_sub(width(right) as u16).max(area.x)
}

/// The pieces that fit before the column `end`, each with its column and its text, cut if necessary.
fn shown(area: Area, left: &[Piece], end: u16) -> impl Iterator<Item = (u16, &Piece, Cow<'_, str>)> {
    let mut x = area.x;
    left.iter().enumerate().map_while(move |(index, piece)| {
        let room = usize::from(end.saturating_sub(x + 1));
        let words = left.get(index + 1).map_or("", |words| words.text.trim_end());
        if piece.role == Role::StatusKey && piece.width() + display_width(words.as_bytes()) > room {
            return None;
        }
        // Text that does not fit ends in an ellipsis.
        let words = if piece.width() > room { fit(piece.text.trim_end(), room) } else { Cow::Borrowed(&*piece.text) };
        let at = x;
        x += display_width(words.as_bytes()).min(room) as u16;
        Some((at, piece, words))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_key_is_found_where_it_and_its_words_are() {
        let left: Vec<Piece> = [Piece::new(" ", Role::Status)]
            .into_iter()
            .chain([("?", "help"), ("j/k", "move"), ("/", "search"), ("ctrl-r/f", "repair, all")].iter().flat_map(
                |(key, words)| [Piece::new(key, Role::StatusKey), Piece::new(format!(" {words}  "), Role::Status)],
            ))
            .collect();
        let area = Area { x: 0, y: 0, width: 60, height: 1 };
        let line: String = left.iter().map(|piece| piece.text.as_str()).collect();
        for (words, offset, expected) in [
            ("? help", 0, Some("?")),
            ("? help", 5, Some("?")),
            ("? help", 6, None),
            ("j/k", 0, Some("j")),
            ("j/k", 2, Some("k")),
            ("move", 1, Some("j")),
            ("/ search", 0, Some("/")),
            ("ctrl-r/f", 3, Some("ctrl-r")),
            ("ctrl-r/f", 7, Some("ctrl-f")),
        ] {
            let x = line.find(words).expect("on the line") + offset;
            assert_eq!(key_at(area, &left, &[], x as u16).as_deref(), expected, "{words} {offset}");
        }
        let narrow = Area { width: 12, ..area };
        assert_eq!(key_at(narrow, &left, &[], 9), None, "a key that has no room is not there");
    }
}
