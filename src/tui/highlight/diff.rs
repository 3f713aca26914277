//! The roles of the lines of a difference. It needs no grammar, and so no thread.
//!
//! This file does not know which text is a difference.

use crate::text::diff_lines::{DiffLine, diff_lines};
use crate::tui::highlight::{Highlighted, MAX_LINES};
use crate::tui::style::Role;

/// The role of what a line of a difference is.
pub fn diff_role(line: DiffLine) -> Role {
    match line {
        DiffLine::Heading => Role::CodeType,
        DiffLine::Place => Role::CodeFunction,
        DiffLine::Added => Role::CodeInserted,
        DiffLine::Removed => Role::CodeDeleted,
        DiffLine::Context => Role::Text,
    }
}

/// The runs of a difference: of each line that says something a single one.
pub(super) fn paint(text: &[u8]) -> Highlighted {
    let run = |len: usize, role| if len == 0 || role == Role::Text { Vec::new() } else { vec![(len, role)] };
    let lines = diff_lines(text).take(MAX_LINES).map(|(line, kind)| run(line.len(), diff_role(kind)));
    Highlighted { lines: lines.collect() }
}
