//! Finds secrets that a message quotes only in part, by their beginning or end: `ghp_a1B2c3…`.

use std::ops::Range;

/// The sign for omitted text.
const ELLIPSIS: &str = "…";

/// Fewest bytes of a secret that identify it, and most bytes of a quotation.
const SHORTEST: usize = 6;
const LONGEST: usize = 128;

/// The secrets of a transcript, sorted by beginning and by end.
#[derive(Default)]
pub(super) struct Quotes {
    forward: Vec<String>,
    /// The reversed secrets, sorted.
    backward: Vec<String>,
}

impl Quotes {
    /// Finds truncated quotations of these secrets.
    pub(super) fn new<'a>(secrets: impl Iterator<Item = &'a String>) -> Self {
        let mut forward: Vec<String> = secrets.filter(|secret| secret.len() > SHORTEST).cloned().collect();
        let mut backward: Vec<String> = forward.iter().map(|secret| reversed(secret)).collect();
        forward.sort_unstable();
        backward.sort_unstable();
        Self { forward, backward }
    }

    /// Calls `found` with each part of a secret in a text, and the secret.
    pub(super) fn find(&self, text: &str, mut found: impl FnMut(Range<usize>, String)) {
        if self.forward.is_empty() {
            return;
        }
        let is_part = |c: char| c.is_alphanumeric();
        let mut last = 0;
        for (at, _) in text.match_indices(ELLIPSIS) {
            let from = text.ceil_char_boundary(at.saturating_sub(LONGEST)).max(last);
            last = at + ELLIPSIS.len();
            // The start of a secret is the start of a word.
            let starts = text[from..at].char_indices().map(|(start, _)| from + start);
            let head = starts
                .filter(|&start| at - start >= SHORTEST && !text[..start].ends_with(is_part))
                .find_map(|start| Some((start, begun(&self.forward, &text[start..at])?)));
            if let Some((start, secret)) = head {
                found(start..at, secret.clone());
            }
            let behind = last;
            let rest = &text[behind..text.floor_char_boundary(behind + LONGEST)];
            let rest = rest.split(ELLIPSIS).next().unwrap_or_default();
            let ends = rest.char_indices().rev().map(|(end, c)| end + c.len_utf8());
            let tail = ends
                .filter(|&end| end >= SHORTEST && !text[behind + end..].starts_with(is_part))
                .find_map(|end| Some((end, begun(&self.backward, &reversed(&rest[..end]))?)));
            if let Some((end, secret)) = tail {
                found(behind..behind + end, reversed(secret));
            }
        }
    }
}

/// The first of some sorted secrets that starts with this text.
fn begun<'a>(sorted: &'a [String], words: &str) -> Option<&'a String> {
    let at = sorted.partition_point(|secret| secret.as_str() < words);
    sorted.get(at).filter(|secret| secret.starts_with(words))
}

fn reversed(words: &str) -> String {
    words.chars().rev().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_secret_is_found_where_something_is_left_out() {
        let secrets = ["tr0ub4dor-and-3".to_owned(), "correct horse".to_owned()];
        let quotes = Quotes::new(secrets.iter());
        for (text, expected) in [
            ("found tr0ub4dor-a… here", "tr0ub4dor-a"),
            ("\"correct h…\"", "correct h"),
            ("…dor-and-3\", x", "dor-and-3"),
            ("xtr0ub4dor-a… here", ""),
            ("tr0ub… tr0ub4dor-and-3 …", ""),
            ("another …", ""),
        ] {
            let mut all = Vec::new();
            quotes.find(text, |range, secret| {
                assert!(secrets.contains(&secret));
                all.push(&text[range]);
            });
            assert_eq!(all.join(", "), expected, "{text}");
        }
    }
}
