//! Tables with typed columns, and rows as cells: the interface of all table formats.

use std::sync::Arc;

use jiff::Timestamp;

/// The type of a column's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellKind {
    /// UTF-8 text, possibly empty.
    Text,
    /// A signed 64-bit integer.
    Integer,
    /// True or false, never represented as a number.
    Boolean,
    /// A point in time, in milliseconds since 1970 in UTC.
    Timestamp,
}

/// A column of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// Name, which is not reserved in any SQL dialect.
    pub name: &'static str,
    /// Type of its values.
    pub kind: CellKind,
    /// True if a row may lack a value.
    pub optional: bool,
    /// Description in a sentence.
    pub about: &'static str,
}

/// A table: its name and its columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Table {
    /// Name of the table and of its folder.
    pub name: &'static str,
    /// Description of a row in a sentence.
    pub about: &'static str,
    /// The columns, in the order of the cells of a row.
    pub columns: &'static [Column],
}

/// A value of a row. Text is shared, since most rows repeat values of the previous row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cell {
    /// No value: the column is optional, or was not read.
    Null,
    /// Value of a [`CellKind::Text`] column.
    Text(Arc<str>),
    /// Value of a [`CellKind::Integer`] column.
    Integer(i64),
    /// Value of a [`CellKind::Boolean`] column.
    Boolean(bool),
    /// Milliseconds since 1970 in UTC.
    Timestamp(i64),
}

/// A row of a table whose columns are known at compile time.
pub trait TableRow: Sized {
    /// The table that contains the row.
    const TABLE: Table;

    /// Its values, in the order of the columns.
    fn cells(&self) -> Vec<Cell>;

    /// Converts cells to a row; `None` if their number or types do not match. A missing value of a mandatory column,
    /// such as one that was not read, becomes the empty text, 0 or false.
    fn from_cells(cells: Vec<Cell>) -> Option<Self>;
}

/// A Rust type for the values of a column.
pub(super) trait ColumnValue: Sized {
    /// Type of the corresponding cells.
    const KIND: CellKind;
    /// True if the value may be missing.
    const OPTIONAL: bool = false;

    /// Converts the value to a cell.
    fn cell(&self) -> Cell;

    /// Converts a cell; `None` if its type does not match.
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

/// Declares a table as a row structure with a field for each column. The doc comments become descriptions.
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
