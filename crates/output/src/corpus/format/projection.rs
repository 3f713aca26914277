//! The columns of a table to read, and the conversion of their values to cells. Repeated text is shared.

use std::str::Utf8Error;
use std::sync::Arc;

use jiff::Timestamp;

use crate::corpus::cell::{Cell, CellKind, Column, Table};

/// Number of remembered texts, a power of two: tools, models, paths and codes of recent rows.
const SLOTS: usize = 1024;

/// The columns that a reader wants, and a cache of recent texts.
pub(super) struct Projection {
    pub(crate) table: Table,
    /// True for each column of the table that is read.
    wanted: Vec<bool>,
    texts: Vec<Option<Arc<str>>>,
}

impl Projection {
    /// Selects the columns with these names, or all.
    pub(crate) fn new(table: Table, columns: Option<&[&str]>) -> Self {
        let is_wanted = |column: &Column| columns.is_none_or(|names| names.contains(&column.name));
        Self { table, wanted: table.columns.iter().map(is_wanted).collect(), texts: vec![None; SLOTS] }
    }

    /// Position in a row of the column with this name, if it is wanted. `guess` is checked first.
    pub(crate) fn position(&self, name: &[u8], guess: usize) -> Option<usize> {
        let is_it = |column: &Column| column.name.as_bytes() == name;
        let position = match self.table.columns.get(guess) {
            Some(column) if is_it(column) => guess,
            _ => self.table.columns.iter().position(is_it)?,
        };
        self.wanted[position].then_some(position)
    }

    /// A row without values.
    pub(crate) fn empty_row(&self) -> Vec<Cell> {
        vec![Cell::Null; self.table.columns.len()]
    }

    /// Converts bytes to text, shared with an earlier row if possible.
    pub(crate) fn text(&mut self, bytes: &[u8]) -> Result<Arc<str>, Utf8Error> {
        let slot = &mut self.texts[slot_of(bytes)];
        if let Some(text) = slot.as_ref().filter(|text| text.as_bytes() == bytes) {
            return Ok(Arc::clone(text));
        }
        let text: Arc<str> = std::str::from_utf8(bytes)?.into();
        *slot = Some(Arc::clone(&text));
        Ok(text)
    }

    /// Parses the value of a column as written by text formats; `None` if it is invalid.
    pub(crate) fn parse(&mut self, position: usize, written: &[u8]) -> Option<Cell> {
        let kind = self.table.columns[position].kind;
        if kind == CellKind::Text {
            return self.text(written).ok().map(Cell::Text);
        }
        let written = std::str::from_utf8(written).ok()?;
        match kind {
            CellKind::Text => None,
            CellKind::Integer => written.parse().ok().map(Cell::Integer),
            CellKind::Boolean => written.parse().ok().map(Cell::Boolean),
            CellKind::Timestamp => {
                written.parse::<Timestamp>().ok().map(|moment| Cell::Timestamp(moment.as_millisecond()))
            }
        }
    }
}

/// Cache slot of a text. Hashes its length and its first and last bytes, where paths and names differ.
fn slot_of(bytes: &[u8]) -> usize {
    let word = |part: &[u8]| part.iter().fold(0_u64, |word, byte| (word << 8) | u64::from(*byte));
    let ends = word(&bytes[..bytes.len().min(8)]) ^ word(&bytes[bytes.len().saturating_sub(8)..]).rotate_left(29);
    let mixed = (ends ^ bytes.len() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> 32) as usize % SLOTS
}
