//! A line-by-line diff of two values: equal lines, lines on one side only, and changed words in lines on both sides.

use std::time::{Duration, Instant};

use serde_json::Value;
use similar::{Algorithm, DiffTag, capture_diff_slices_deadline};
use unicode_segmentation::UnicodeSegmentation;

use crate::compare::RowKind;

/// Time limit for a diff; anything not compared by then counts as different.
const TIME: Duration = Duration::from_millis(200);

/// Words, each with whether it differs from the other side.
pub type MarkedWords = Vec<(String, bool)>;

/// A line of the diff, on one or both sides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinePair {
    /// The sides that have it, and whether it differs.
    pub kind: RowKind,
    /// The words on the left and on the right.
    pub sides: [MarkedWords; 2],
}

impl LinePair {
    /// A line that is equal on both sides, or exists on one side only.
    pub fn whole(kind: RowKind, line: &str) -> Self {
        let words = |absent: RowKind| if kind == absent { Vec::new() } else { vec![(line.to_owned(), false)] };
        Self { kind, sides: [words(RowKind::Right), words(RowKind::Left)] }
    }
}

/// The lines of two values.
pub fn lines(old: Option<&Value>, new: Option<&Value>) -> Vec<LinePair> {
    // Quotation marks distinguish a string from a number with the same digits.
    let is_plain = [old, new].into_iter().flatten().all(Value::is_string);
    let words = |value: &Value| match value {
        Value::String(text) if is_plain => text.clone(),
        value => value.to_string(),
    };
    // An empty text counts as one line, and so does the text after a final line feed.
    let whole = |kind, text: &str| text.split('\n').map(|line| LinePair::whole(kind, line)).collect();
    match (old.map(words), new.map(words)) {
        (Some(old), Some(new)) if old == new => whole(RowKind::Same, &old),
        (Some(old), Some(new)) => compared(&old, &new, Instant::now().checked_add(TIME)),
        (Some(old), None) => whole(RowKind::Left, &old),
        (None, Some(new)) => whole(RowKind::Right, &new),
        (None, None) => Vec::new(),
    }
}

/// The lines of two texts; what is not compared when the time is over counts as different.
pub fn text_lines(old: &str, new: &str, time: Duration) -> Vec<LinePair> {
    compared(old, new, Instant::now().checked_add(time))
}

fn compared(old: &str, new: &str, deadline: Option<Instant>) -> Vec<LinePair> {
    let (left, right): (Vec<&str>, Vec<&str>) = (old.split('\n').collect(), new.split('\n').collect());
    let mut pairs = Vec::new();
    for op in capture_diff_slices_deadline(Algorithm::Myers, &left, &right, deadline) {
        let (old, new) = (&left[op.old_range()], &right[op.new_range()]);
        let whole = |kind, lines: &[&str]| lines.iter().map(|line| LinePair::whole(kind, line)).collect::<Vec<_>>();
        if op.tag() == DiffTag::Equal {
            pairs.extend(whole(RowKind::Same, old));
            continue;
        }
        // Removed and added lines are paired from the start; the surplus is on one side only.
        let both = old.len().min(new.len());
        pairs.extend(old.iter().zip(new).map(|(old, new)| changed(old, new, deadline)));
        pairs.extend(whole(RowKind::Left, &old[both..]));
        pairs.extend(whole(RowKind::Right, &new[both..]));
    }
    pairs
}

/// A line with its changed words marked.
fn changed(old: &str, new: &str, deadline: Option<Instant>) -> LinePair {
    let [old, new] = [old, new].map(|line| line.split_word_bounds().collect::<Vec<_>>());
    let (mut left, mut right) = (MarkedWords::new(), MarkedWords::new());
    for op in capture_diff_slices_deadline(Algorithm::Myers, &old, &new, deadline) {
        let differs = op.tag() != DiffTag::Equal;
        for (side, words) in [(&mut left, &old[op.old_range()]), (&mut right, &new[op.new_range()])] {
            match side.last_mut() {
                _ if words.is_empty() => {}
                Some((last, known)) if *known == differs => last.extend(words.iter().copied()),
                _ => side.push((words.concat(), differs)),
            }
        }
    }
    LinePair { kind: RowKind::Changed, sides: [left, right] }
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
            |line: &str| LinePair::whole(RowKind::Same, line),
            |line: &str| LinePair::whole(RowKind::Left, line),
            |line: &str| LinePair::whole(RowKind::Right, line),
        );
        let changed = |old: &[(&str, bool)], new: &[(&str, bool)]| LinePair {
            kind: RowKind::Changed,
            sides: [words(old), words(new)],
        };
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

    #[test]
    fn lines_count_as_other_once_the_time_is_over() {
        let text = |step: usize| (0..2000).map(|at| (at * step % 2003).to_string()).collect::<Vec<_>>().join("\n");
        let same =
            |deadline| compared(&text(3), &text(5), deadline).iter().filter(|pair| pair.kind == RowKind::Same).count();
        assert!(same(None) > 10 * same(Some(Instant::now())), "{} {}", same(None), same(Some(Instant::now())));
    }
}
