//! Boundaries between markers, found by comparing texts, and markers as templates of a declaration.
//!
//! Before texts are compared, what differs on purpose is replaced by private-use characters ([`mask`]), so that a marker with an
//! id in it is the same in two calls. [`to_marker`] makes slots of them.

use crate::proposal::marker::escape;

/// Placeholder of the name of a tool.
pub(super) const NAME: char = '\u{e100}';
/// Placeholder of the id of a call.
pub(super) const ID: char = '\u{e101}';
/// Placeholder of the number of a call.
pub(super) const NUMBER: char = '\u{e102}';
/// Placeholder of the key of an argument.
pub(super) const KEY: char = '\u{e103}';
/// Placeholder of the type of a value.
pub(super) const TYPE: char = '\u{e104}';

const SLOTS: [(char, &str); 5] = [(NAME, "{name}"), (ID, "{id}"), (NUMBER, "{any}"), (KEY, "{key}"), (TYPE, "{type}")];

/// Most ways to divide a text that are tried.
const MAX_DIVISIONS: usize = 4;

/// Most boundaries on either side of a division that are tried.
const MAX_BOUNDARIES: usize = 40;

/// The text with each of `words` replaced by `stand_in`.
pub(super) fn mask(text: &str, words: &[&str], stand_in: char) -> String {
    let mut masked = text.to_owned();
    for word in words.iter().filter(|word| !word.is_empty()) {
        masked = masked.replace(word, stand_in.encode_utf8(&mut [0; 4]));
    }
    masked
}

/// The text with its runs of digits replaced by [`NUMBER`].
pub(super) fn mask_numbers(text: &str) -> String {
    let mut masked = String::new();
    let mut is_number = false;
    for c in text.chars() {
        if !c.is_ascii_digit() {
            masked.push(c);
        } else if !is_number {
            masked.push(NUMBER);
        }
        is_number = c.is_ascii_digit();
    }
    masked
}

/// The marker for a text: stand-ins become slots, whitespace with a line feed becomes optional.
pub(super) fn to_marker(text: &str) -> String {
    let mut marker = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let blank = rest.len() - rest.trim_start().len();
        let (space, after) = rest.split_at(blank);
        if space.contains('\n') {
            marker += "{nl}";
        } else if space.len() > 1 {
            marker += "{ws}";
        } else {
            marker += space;
        }
        rest = after;
        if blank > 0 {
            continue;
        }
        match SLOTS.iter().find(|(stand_in, _)| *stand_in == c) {
            Some((_, slot)) => marker += slot,
            None => marker += &escape(c.encode_utf8(&mut [0; 4])),
        }
        rest = &rest[c.len_utf8()..];
    }
    marker
}

/// Length in bytes of what two texts share at their beginnings.
pub(super) fn common_prefix(left: &str, right: &str) -> usize {
    let pairs = left.char_indices().zip(right.chars());
    let shared = pairs.take_while(|((_, left), right)| left == right);
    shared.last().map_or(0, |((at, c), _)| at + c.len_utf8())
}

/// Length in bytes of the markers that two texts share at their beginnings: no marker is cut in two, unless all of `right` is
/// shared.
pub(super) fn common_markers(left: &str, right: &str) -> usize {
    let shared = common_prefix(left, right);
    if shared == right.len() {
        return shared;
    }
    let ends = left.char_indices().map(|(at, _)| at).chain([left.len()]).filter(|&at| at <= shared);
    ends.filter(|&at| is_boundary(left, at)).max().unwrap_or_default()
}

/// Length in bytes of what two texts share at their ends.
pub(super) fn common_suffix(left: &str, right: &str) -> usize {
    let pairs = left.chars().rev().zip(right.chars().rev());
    pairs.take_while(|(left, right)| left == right).map(|(c, _)| c.len_utf8()).sum()
}

/// True if a marker may end or begin at an offset of a text.
pub(super) fn is_boundary(text: &str, at: usize) -> bool {
    let (Some(before), Some(after)) = (text[..at].chars().next_back(), text[at..].chars().next()) else { return true };
    let closes = |c: char| matches!(c, '>' | ']' | ')' | '}');
    let opens = |c: char| matches!(c, '<' | '[' | '(' | '{');
    before.is_whitespace()
        || after.is_whitespace()
        || closes(before) && !closes(after)
        || opens(after) && !opens(before)
}

/// Divides the text between two parts of the same kind into the marker that ends the first one and the marker that opens the
/// second. `after` is the text after a last part, which begins with the same ending; `before` the text before a first one,
/// which ends with the same opening. The likeliest division comes first; what is between the two is not part of either.
pub(super) fn divisions(between: &str, after: &str, before: &str) -> Vec<(String, String)> {
    let longest_close = common_prefix(between, after);
    let first_open = between.len() - common_suffix(between, before);
    let boundaries: Vec<usize> = between
        .char_indices()
        .map(|(at, _)| at)
        .chain([between.len()])
        .filter(|&at| is_boundary(between, at))
        .collect();
    let mut found = Vec::new();
    let closes = boundaries.iter().rev().filter(|&&at| at <= longest_close).take(MAX_BOUNDARIES);
    for &close in closes {
        for &open in boundaries.iter().filter(|&&at| at >= first_open.max(close)).take(MAX_BOUNDARIES) {
            let gap = &between[close..open];
            let signs = gap.trim().len();
            // Whitespace between two markers is the surest boundary.
            let rank = (signs, gap.is_empty() || signs > 0, usize::MAX - close);
            found.push((rank, between[..close].trim().to_owned(), between[open..].trim_start().to_owned()));
        }
    }
    found.sort_by_key(|(rank, ..)| *rank);
    let least = found.first().map(|((signs, ..), ..)| *signs);
    found.retain(|((signs, ..), ..)| Some(*signs) == least);
    let mut divisions: Vec<(String, String)> = Vec::new();
    for (_, close, open) in found {
        if !divisions.contains(&(close.clone(), open.clone())) {
            divisions.push((close, open));
        }
    }
    divisions.truncate(MAX_DIVISIONS);
    divisions
}

/// The ends of a text at which a marker may begin, from the longest one.
pub(super) fn endings(text: &str) -> Vec<&str> {
    let starts = text.char_indices().map(|(at, _)| at).filter(|&at| is_boundary(text, at));
    starts.map(|at| &text[at..]).filter(|ending| ending.starts_with(|c: char| !c.is_whitespace())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_between_two_calls_is_divided_where_the_markers_meet() {
        let rows = [
            ("</do>\n<do ", "</do>\n</all>", "<all>\n<do ", ("</do>", "<do ")),
            ("</a><b>", "</a></all>", "<all><b>", ("</a>", "<b>")),
            ("<end|><|call>f:", "<end|>", "<|call>f:", ("<end|>", "<|call>f:")),
            ("]<[</do>\n]<[<do ", "]<[</do>\n]<[</all>", "]<[<all>\n]<[<do ", ("]<[</do>", "]<[<do ")),
            ("; ", "", "", ("", "")),
        ];
        for (between, after, before, (close, open)) in rows {
            let found = divisions(between, after, before);
            let expected = (close.to_owned(), open.to_owned());
            assert_eq!(found.first(), Some(&expected), "{between:?} after {before:?}, before {after:?}");
        }
    }

    #[test]
    fn a_text_becomes_a_marker_with_slots() {
        let masked = mask(&mask("<f {x}>\n  a1:\n", &["a1"], NAME), &["x"], KEY);
        assert_eq!(to_marker(&masked), "<f {{{key}}}>{nl}{name}:{nl}");
        assert_eq!(mask_numbers("f:12,3"), format!("f:{NUMBER},{NUMBER}"));
    }
}
