//! The roles of the lines of a difference. It needs no grammar, and so no thread.

use crate::highlight::{CodeRole, Highlighted, MAX_LINES};
use crate::text::diff_lines::diff_lines;

/// The runs of a difference: of each line that says something a single one.
pub(super) fn paint(text: &[u8]) -> Highlighted {
    let run = |len: usize, role| if len == 0 || role == CodeRole::Plain { Vec::new() } else { vec![(len, role)] };
    let lines = diff_lines(text).take(MAX_LINES).map(|(line, kind)| run(line.len(), kind.into()));
    Highlighted { lines: lines.collect() }
}
