//! Two values line by line: which lines are the same, which stand on one side alone, and which words differ in a line
//! that is on both.
//!
//! This module does not know how a line is drawn.

use std::time::Duration;

use serde_json::Value;
use similar::{Algorithm, DiffOp, TextDiff, TextDiffConfig};

/// How long two values may be compared; what was not reached by then counts as other.
const TIME: Duration = Duration::from_millis(200);

/// Some words, and whether they are other ones on the other side.
pub type MarkedWords = Vec<(String, bool)>;

/// A line on each side, where that side has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinePair {
    /// The same on both sides.
    Same(String),
    /// On both, with some words that differ.
    Changed(MarkedWords, MarkedWords),
    /// A line of the left side alone.
    Left(String),
    /// A line of the right side alone.
    Right(String),
}

/// The lines of two values.
pub fn lines(old: Option<&Value>, new: Option<&Value>) -> Vec<LinePair> {
    // A text is told from a number of the same digits by its quotation marks.
    let is_plain = [old, new].into_iter().flatten().all(Value::is_string);
    let words = |value: &Value| match value {
        Value::String(text) if is_plain => text.clone(),
        value => value.to_string(),
    };
    match (old.map(words), new.map(words)) {
        (Some(old), Some(new)) if old == new => split(&old).map(|line| LinePair::Same(line.to_owned())).collect(),
        (Some(old), Some(new)) => compared(&old, &new),
        (Some(old), None) => split(&old).map(|line| LinePair::Left(line.to_owned())).collect(),
        (None, Some(new)) => split(&new).map(|line| LinePair::Right(line.to_owned())).collect(),
        (None, None) => Vec::new(),
    }
}

/// The lines of a text; an empty one has one, and so has the end of a text that ends with a line feed.
fn split(text: &str) -> impl Iterator<Item = &str> {
    text.split('\n')
}

fn config() -> TextDiffConfig {
    let mut config = TextDiff::configure();
    config.algorithm(Algorithm::Myers).timeout(TIME).newline_terminated(true);
    config
}

fn compared(old: &str, new: &str) -> Vec<LinePair> {
    let (left, right): (Vec<&str>, Vec<&str>) = (split(old).collect(), split(new).collect());
    let mut pairs = Vec::new();
    for op in config().diff_slices(&left, &right).ops() {
        match *op {
            DiffOp::Equal { old_index, len, .. } => {
                pairs.extend(left[old_index..old_index + len].iter().map(|line| LinePair::Same((*line).to_owned())));
            }
            DiffOp::Delete { old_index, old_len, .. } => {
                pairs
                    .extend(left[old_index..old_index + old_len].iter().map(|line| LinePair::Left((*line).to_owned())));
            }
            DiffOp::Insert { new_index, new_len, .. } => {
                pairs.extend(
                    right[new_index..new_index + new_len].iter().map(|line| LinePair::Right((*line).to_owned())),
                );
            }
            DiffOp::Replace { old_index, old_len, new_index, new_len } => {
                let (old, new) = (&left[old_index..old_index + old_len], &right[new_index..new_index + new_len]);
                let both = old_len.min(new_len);
                pairs.extend(old.iter().zip(new).map(|(old, new)| changed(old, new)));
                pairs.extend(old[both..].iter().map(|line| LinePair::Left((*line).to_owned())));
                pairs.extend(new[both..].iter().map(|line| LinePair::Right((*line).to_owned())));
            }
        }
    }
    pairs
}

/// Which words differ in a line.
fn changed(old: &str, new: &str) -> LinePair {
    let diff = config().diff_unicode_words(old, new);
    let (mut left, mut right) = (MarkedWords::new(), MarkedWords::new());
    for change in diff.iter_all_changes() {
        let (is_old, is_new) = (change.old_index().is_some(), change.new_index().is_some());
        let differs = !(is_old && is_new);
        for (words, _) in [(&mut left, is_old), (&mut right, is_new)].into_iter().filter(|(_, is)| *is) {
            match words.last_mut() {
                Some((last, known)) if *known == differs => last.push_str(change.value()),
                _ => words.push((change.value().to_owned(), differs)),
            }
        }
    }
    LinePair::Changed(left, right)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn words(words: &[(&str, bool)]) -> MarkedWords {
        words.iter().map(|(word, differs)| ((*word).to_owned(), *differs)).collect()
    }

    #[test]
    fn lines_are_paired_and_words_told_apart() {
        let (same, left, right) = (
            |line: &str| LinePair::Same(line.into()),
            |line: &str| LinePair::Left(line.into()),
            |line: &str| LinePair::Right(line.into()),
        );
        let changed = |old: &[(&str, bool)], new: &[(&str, bool)]| LinePair::Changed(words(old), words(new));
        for (old, new, expected) in [
            (Some(json!("a\nb")), Some(json!("a\nb")), vec![same("a"), same("b")]),
            (Some(json!("a\nb\nc")), Some(json!("a\nc\nd")), vec![same("a"), left("b"), same("c"), right("d")]),
            (
                Some(json!("exports/this-year")),
                Some(json!("exports/last-year")),
                vec![changed(
                    &[("exports/", false), ("this", true), ("-year", false)],
                    &[("exports/", false), ("last", true), ("-year", false)],
                )],
            ),
            (
                Some(json!("3")),
                Some(json!(3)),
                vec![changed(&[("\"", true), ("3", false), ("\"", true)], &[("3", false)])],
            ),
            (Some(json!("a\n")), None, vec![left("a"), left("")]),
            (None, Some(json!([])), vec![right("[]")]),
            (None, None, vec![]),
        ] {
            assert_eq!(lines(old.as_ref(), new.as_ref()), expected, "{old:?} {new:?}");
        }
    }
}
