//! The old and new text of a call that edits a file, shown as a single diff.

use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices};

use crate::file_history::OLD_AND_NEW;
use crate::text::diff_lines::DiffLine;
use crate::tui::pane::reading::language::SIBLINGS;
use crate::value::{NodeId, ParamTree, Scalar, Value};

/// Maximum bytes of both values together for a diff; larger ones are shown one after the other.
const COMPARED: usize = 256 * 1024;

/// Context lines shown before the first change in an excerpt.
const AROUND: usize = 2;

/// The nodes of the old and the new text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct EditPair {
    pub(super) old: NodeId,
    pub(super) new: NodeId,
}

/// The pair that a node belongs to.
pub(super) fn edit_pair(tree: &ParamTree, id: NodeId) -> Option<EditPair> {
    let node = tree.node(id);
    let keys = OLD_AND_NEW.iter().find(|keys| keys.contains(&node.key.as_str()))?;
    let siblings = tree.node(node.parent).value.children();
    let text = |key: &str| {
        siblings
            .iter()
            .copied()
            .take(SIBLINGS)
            .find(|&id| tree.node(id).key == key && matches!(tree.node(id).value, Value::Scalar(Scalar::String, _)))
    };
    let pair = EditPair { old: text(keys[0])?, new: text(keys[1])? };
    (pair.old == id || pair.new == id).then_some(pair)
}

/// A line of the diff: its kind, and its range in the new text, or in the old one if it is removed.
pub(super) type EditLine = (DiffLine, Range<usize>);

/// The diff of two values; `None` if they are too large.
pub(super) fn edit_lines(old: &[u8], new: &[u8]) -> Option<Vec<EditLine>> {
    if old.len() + new.len() > COMPARED {
        return None;
    }
    let (old_lines, new_lines) = (lines(old), lines(new));
    let (old_words, new_words): (Vec<&[u8]>, Vec<&[u8]>) = (
        old_lines.iter().map(|line| &old[line.clone()]).collect(),
        new_lines.iter().map(|line| &new[line.clone()]).collect(),
    );
    let mut out = Vec::new();
    for operation in capture_diff_slices(Algorithm::Myers, &old_words, &new_words) {
        let (of_old, of_new) = (operation.old_range(), operation.new_range());
        let kind = if let DiffOp::Equal { .. } = operation { DiffLine::Context } else { DiffLine::Added };
        if kind == DiffLine::Added {
            out.extend(old_lines[of_old].iter().map(|line| (DiffLine::Removed, line.clone())));
        }
        out.extend(new_lines[of_new].iter().map(|line| (kind, line.clone())));
    }
    Some(out)
}

/// The range of at most `most` lines to show: it starts a little before the first change.
pub(super) fn excerpt(lines: &[EditLine], most: usize) -> Range<usize> {
    let first = lines.iter().position(|(kind, _)| *kind != DiffLine::Context).unwrap_or(0);
    let start = first.saturating_sub(AROUND).min(lines.len().saturating_sub(most));
    start..lines.len().min(start + most)
}

/// Ranges of the lines of a text, without their line feeds; an empty text has no lines.
fn lines(text: &[u8]) -> Vec<Range<usize>> {
    if text.is_empty() {
        return Vec::new();
    }
    let mut start = 0;
    let line = |line: &[u8]| {
        let range = start..start + line.len();
        start = range.end + 1;
        range
    };
    text.split(|&byte| byte == b'\n').map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_texts_are_the_lines_of_one_difference() {
        for (old, new, expected) in [
            ("", "", ""),
            ("", "a\nb", "+a+b"),
            ("a", "", "-a"),
            ("a\nb\nc", "a\nx\nc", " a-b+x c"),
            ("a\n", "a", " a-"),
            ("same", "same", " same"),
        ] {
            let lines = edit_lines(old.as_bytes(), new.as_bytes()).expect("they are small");
            let shown: String = lines
                .into_iter()
                .map(|(kind, range)| match kind {
                    DiffLine::Removed => format!("-{}", &old[range]),
                    DiffLine::Added => format!("+{}", &new[range]),
                    _ => format!(" {}", &new[range]),
                })
                .collect();
            assert_eq!(shown, expected, "{old:?} {new:?}");
        }
        let large = "x\n".repeat(COMPARED / 2);
        assert_eq!(edit_lines(large.as_bytes(), b"x"), None);
    }

    #[test]
    fn an_excerpt_begins_at_the_first_change() {
        let line = |kind| (kind, 0..0);
        let lines: Vec<EditLine> =
            (0..20).map(|at| line(if at == 9 { DiffLine::Added } else { DiffLine::Context })).collect();
        assert_eq!(excerpt(&lines, 8), 7..15);
        assert_eq!(excerpt(&lines, 18), 2..20);
        assert_eq!(excerpt(&lines, 100), 0..20);
        assert_eq!(excerpt(&lines[..4], 8), 0..4);
    }
}
