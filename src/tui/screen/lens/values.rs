//! A value in a row: styled by its type, or, if it differs from the first outcome's, with the differing part marked.

use serde_json::Value as Json;

use crate::lens::{FactPlace, OutcomeFact};
use crate::text::wrap::{display_width, fit};
use crate::tui::row::Piece;
use crate::tui::style::Role;

/// Common characters shown around the differing part.
const AROUND: usize = 16;

/// Maximum bytes of a value that are examined.
const MOST: usize = 64 * 1024;

/// The text of a fact: names and errors verbatim, everything else as JSON.
pub(super) fn words_of(place: &FactPlace, value: &Json) -> String {
    let words = match (place, value) {
        (FactPlace::Call(_) | FactPlace::Error, Json::String(words)) => words.clone(),
        (FactPlace::Call(_), _) => "without a name".to_owned(),
        (_, value) => value.to_string(),
    };
    match words.char_indices().map(|(at, _)| at).find(|at| *at >= MOST) {
        Some(end) => format!("{}…", &words[..end]),
        None => words,
    }
}

/// The role of a fact of the first outcome.
pub(super) fn role_of(fact: &OutcomeFact) -> Role {
    match (&fact.place, &fact.value) {
        (FactPlace::Call(_), _) => Role::Name,
        (FactPlace::Error, _) => Role::Error,
        (FactPlace::Id(_), _) => Role::Id,
        (_, Json::Number(_)) => Role::Number,
        (_, Json::Bool(_)) => Role::Boolean,
        (_, Json::Null) => Role::Null,
        _ => Role::String,
    }
}

/// Text with the part that differs from `other` marked. If it does not fit into `columns`, the common part is shortened
/// to what is near the difference.
pub(super) fn marked(words: &str, other: Option<&str>, columns: usize) -> Vec<Piece> {
    let Some(other) = other else { return vec![Piece::new(fit(words, columns), Role::Added)] };
    let same = |(one, other): &(char, char)| one == other;
    let head: usize = words.chars().zip(other.chars()).take_while(same).map(|(c, _)| c.len_utf8()).sum();
    let (rest, other) = (&words[head..], &other[head..]);
    let tail: usize = rest.chars().rev().zip(other.chars().rev()).take_while(same).map(|(c, _)| c.len_utf8()).sum();
    let (middle, end) = rest.split_at(rest.len() - tail);
    let start = &words[..head];
    if middle.is_empty() || (head + tail) * 2 < words.len() {
        // Too little in common, or only something missing here: mark everything.
        return vec![Piece::new(fit(words, columns), Role::Added)];
    }
    let is_long = display_width(words.as_bytes()) > columns;
    let near = start.char_indices().rev().nth(AROUND - 1).map_or(0, |(at, _)| at);
    let lead = if is_long && near > 0 { format!("…{}", &start[near..]) } else { start.to_owned() };
    let mut pieces = Vec::new();
    let mut left = columns;
    for (words, role) in [(lead.as_str(), Role::Text), (middle, Role::Added), (end, Role::Text)] {
        let piece = Piece::new(fit(words, left), role);
        left = left.saturating_sub(piece.width());
        pieces.push(piece);
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_marked_and_seen() {
        let far = format!("\"{}x\"", "same ".repeat(20));
        let other = far.replace('x', "y");
        for (words, other, columns, expected) in [
            ("3", Some("\"3\""), 20, "[3]"),
            ("\"Paris\"", None, 20, "[\"Paris\"]"),
            ("\"Paris, France\"", Some("\"Paris; France\""), 20, "\"Paris[,] France\""),
            ("\"Par\"", Some("\"Paris\""), 20, "[\"Par\"]"),
            (far.as_str(), Some(other.as_str()), 24, "… same same same [x]\""),
            ("\"Paris, France\"", Some("\"Paris; France\""), 8, "\"Paris[,]…"),
        ] {
            let pieces = marked(words, other, columns);
            let said: String = pieces
                .iter()
                .filter(|piece| !piece.text.is_empty())
                .map(|piece| if piece.role == Role::Added { format!("[{}]", piece.text) } else { piece.text.clone() })
                .collect();
            assert_eq!(said, expected, "{words} {other:?}");
        }
    }
}
