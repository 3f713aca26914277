//! A row on both sides of a comparison, and the sign and the role that mark on which side it is.

use crate::compare::RowKind;

use crate::tui::row::Row;
use crate::tui::style::Role;

/// A row on both sides.
pub type RowPair = [Row; 2];

/// The sign of a row on a side.
pub fn sign(on: RowKind, side: usize) -> &'static str {
    match (on, side) {
        (RowKind::Changed, _) => "~",
        (RowKind::Left, 0) => "-",
        (RowKind::Right, 1) => "+",
        _ => " ",
    }
}

/// The role of differing lines or words on a side.
pub fn role(on: RowKind, side: usize) -> Role {
    match (on, side) {
        (RowKind::Same, _) => Role::Dim,
        (RowKind::Changed, 0) => Role::Removed,
        (RowKind::Changed, _) => Role::Added,
        (_, 0) => Role::CodeDeleted,
        (..) => Role::CodeInserted,
    }
}
