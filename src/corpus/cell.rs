//! A table whose columns have types, and a row of it as cells: what every format of a table writes and reads.

use std::sync::Arc;

use jiff::Timestamp;

/// What the values of a column are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellKind {
    /// Text in UTF-8, which may be empty.
    Text,
    /// A whole number of 64 bits with a sign.
    Integer,
    /// True or false, and never a number.
    Boolean,
    /// A moment, in milliseconds since 1970 in UTC.
    Timestamp,
}

/// A column of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name, which no SQL dialect reserves.
    pub name: &'static str,
    /// Of what kind its values are.
    pub kind: CellKind,
    /// Whether a row may be without a value.
    pub optional: bool,
    /// What it says, in a sentence.
    pub about: &'static str,
}

/// A table: its name, which is that of its folder, and its columns in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Table {
    /// The name of the table and of the folder with its files.
    pub name: &'static str,
    /// What a row of it is, in a sentence.
    pub about: &'static str,
    /// The columns, in the order of the cells of a row.
    pub columns: &'static [Column],
}

/// A value of a row. Text is shared, since most rows say again what the row before says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cell {
    /// No value: of an optional column, or of one that was not read.
    Null,
    /// The value of a column of texts.
    Text(Arc<str>),
    /// The value of a column of numbers.
    Integer(i64),
    /// The value of a column of booleans.
    Boolean(bool),
    /// Milliseconds since 1970 in UTC.
    Timestamp(i64),
}

/// A row of a table whose columns are known when the program is compiled.
pub trait TableRow: Sized {
    /// The table that it is a row of.
    const TABLE: Table;

    /// Its values, in the order of the columns.
    fn cells(&self) -> Vec<Cell>;

    /// The row that has these values; none if their number or kinds are others. Where one is missing that every row has,
    /// as where a column was not asked for, it is the empty text, 0 or false.
    fn from_cells(cells: Vec<Cell>) -> Option<Self>;
}

/// A type of the values of a column.
pub(super) trait ColumnValue: Sized {
    /// Of what kind the cells are that it becomes.
    const KIND: CellKind;
    /// Whether there may be none.
    const OPTIONAL: bool = false;

    /// The value as a cell.
    fn cell(&self) -> Cell;

    /// The value of a cell of this kind.
    fn from_cell(cell: Cell) -> Option<Self>;
}

macro_rules! column_values {
    ($($type:ty, $kind:ident, $value:ident => $cell:expr, $back:expr, $none:expr;)*) => {
        $(impl ColumnValue for $type {
            const KIND: CellKind = CellKind::$kind;

            fn cell(&self) -> Cell {
                let $value = self;
                Cell::$kind($cell)
            }

            fn from_cell(cell: Cell) -> Option<Self> {
                match cell {
                    Cell::$kind($value) => $back,
                    Cell::Null => $none,
                    _ => None,
                }
            }
        })*
    };
}

column_values! {
    Arc<str>, Text, value => Arc::clone(value), Some(value), Some("".into());
    i64, Integer, value => *value, Some(value), Some(0);
    bool, Boolean, value => *value, Some(value), Some(false);
    Timestamp, Timestamp, value => value.as_millisecond(), Timestamp::from_millisecond(value).ok(), None;
}

impl<V: ColumnValue> ColumnValue for Option<V> {
    const KIND: CellKind = V::KIND;
    const OPTIONAL: bool = true;

    fn cell(&self) -> Cell {
        self.as_ref().map_or(Cell::Null, V::cell)
    }

    fn from_cell(cell: Cell) -> Option<Self> {
        match cell {
            Cell::Null => Some(None),
            cell => V::from_cell(cell).map(Some),
        }
    }
}

/// Declares a table: a structure that is a row of it, with a field for each column.
macro_rules! table {
    (
        #[doc = $about:literal]
        $row:ident in $table:literal {
            $( #[doc = $means:literal] $field:ident: $type:ty, )*
        }
    ) => {
        #[doc = $about]
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct $row {
            $( #[doc = $means] pub $field: $type, )*
        }

        impl $crate::corpus::cell::TableRow for $row {
            const TABLE: $crate::corpus::cell::Table = $crate::corpus::cell::Table {
                name: $table,
                about: $about,
                columns: &[$($crate::corpus::cell::Column {
                    name: stringify!($field),
                    kind: <$type as $crate::corpus::cell::ColumnValue>::KIND,
                    optional: <$type as $crate::corpus::cell::ColumnValue>::OPTIONAL,
                    about: $means,
                },)*],
            };

            fn cells(&self) -> Vec<$crate::corpus::cell::Cell> {
                vec![$($crate::corpus::cell::ColumnValue::cell(&self.$field),)*]
            }

            fn from_cells(cells: Vec<$crate::corpus::cell::Cell>) -> Option<Self> {
                let mut cells = cells.into_iter();
                let row = Self { $($field: $crate::corpus::cell::ColumnValue::from_cell(cells.next()?)?,)* };
                cells.next().is_none().then_some(row)
            }
        }
    };
}

pub(super) use table;
