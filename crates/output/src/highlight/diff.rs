//! The roles of the lines of a diff. Needs no grammar, so it is fast enough without a thread.

use crate::highlight::{CodeRole, Highlighted, MAX_LINES};
use crate::text::diff_lines::diff_lines;

/// Highlights a diff: a single run for each line that is not plain context.
pub(super) fn paint(text: &[u8]) -> Highlighted {
    let run = |len: usize, role| if len == 0 || role == CodeRole::Plain { Vec::new() } else { vec![(len, role)] };
    let lines = diff_lines(text).take(MAX_LINES).map(|(line, kind)| run(line.len(), kind.into()));
    Highlighted { lines: lines.collect() }
}
