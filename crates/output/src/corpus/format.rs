//! The file formats of an index's tables: Parquet, and gzip-compressed NDJSON and CSV.
//!
//! Output is deterministic: equal rows give equal bytes.

mod csv;
mod gzip;
mod ndjson;
mod parquet;
mod projection;
#[cfg(test)]
mod tests;
mod timestamp;

use std::fs::File;
use std::io::{self, Write};
use std::ops::ControlFlow;

use jiff::Timestamp;

use self::csv::CsvTable;
use self::ndjson::NdjsonTable;
use self::parquet::writer::ParquetTable;
use self::projection::Projection;
use super::cell::{Cell, CellKind, Table};

/// Maximum length in bytes of text in a cell.
const LONGEST_TEXT: usize = 1 << 20;

/// A file format for tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum TableFormat {
    /// Columnar, compressed with Snappy: smallest files and fastest queries.
    Parquet,
    /// One JSON object per line, compressed with gzip.
    Ndjson,
    /// CSV with a header line (RFC 4180), compressed with gzip. Empty text and missing values are the same.
    Csv,
}

impl TableFormat {
    /// All formats, best first.
    pub const ALL: [Self; 3] = [Self::Parquet, Self::Ndjson, Self::Csv];

    /// The name used on the command line: `parquet`.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// File name extension without the leading dot: `ndjson.gz`.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Parquet => "parquet",
            Self::Ndjson => "ndjson.gz",
            Self::Csv => "csv.gz",
        }
    }
}

/// Writes rows of a table to a file. The file is invalid until finished.
pub struct TableWriter<W: Write + Send> {
    table: Table,
    file: TableFile<W>,
}

enum TableFile<W: Write + Send> {
    Parquet(Box<ParquetTable<W>>),
    Ndjson(Box<NdjsonTable<W>>),
    Csv(Box<CsvTable<W>>),
}

impl<W: Write + Send> TableWriter<W> {
    /// Creates a writer that writes to the current position of `out`, which need not be buffered.
    pub fn new(format: TableFormat, table: Table, out: W) -> io::Result<Self> {
        let file = match format {
            TableFormat::Parquet => TableFile::Parquet(Box::new(ParquetTable::new(table, out)?)),
            TableFormat::Ndjson => TableFile::Ndjson(Box::new(NdjsonTable::new(table, out)?)),
            TableFormat::Csv => TableFile::Csv(Box::new(CsvTable::new(table, out)?)),
        };
        Ok(Self { table, file })
    }

    /// Appends a row. A cell whose type does not match its column, and text of more than 1 MiB, is an error
    /// ([`io::ErrorKind::InvalidInput`]); nothing is written then.
    pub fn write(&mut self, row: &[Cell]) -> io::Result<()> {
        check_row(&self.table, row)?;
        match &mut self.file {
            TableFile::Parquet(file) => file.write(row),
            TableFile::Ndjson(file) => file.write(row),
            TableFile::Csv(file) => file.write(row),
        }
    }

    /// Writes buffered rows and the end of the file. Returns the underlying writer, unflushed.
    pub fn finish(self) -> io::Result<W> {
        match self.file {
            TableFile::Parquet(file) => file.finish(),
            TableFile::Ndjson(file) => file.finish(),
            TableFile::Csv(file) => file.finish(),
        }
    }
}

/// Reads the rows of a file in order and passes each to `each`, until the end or [`ControlFlow::Break`].
///
/// With `columns`, reads only those. Other columns, and columns that the file lacks, are [`Cell::Null`]; columns that
/// the table lacks are ignored. A damaged file is an error with a description, possibly after some rows.
pub fn read_table(
    format: TableFormat,
    table: &Table,
    file: File,
    columns: Option<&[&str]>,
    each: &mut dyn FnMut(Vec<Cell>) -> ControlFlow<()>,
) -> io::Result<()> {
    let projection = Projection::new(*table, columns);
    match format {
        TableFormat::Parquet => self::parquet::reader::read(projection, file, each),
        TableFormat::Ndjson => self::ndjson::read(projection, file, each),
        TableFormat::Csv => self::csv::read(projection, file, each),
    }
}

/// Returns an error if a row does not fit the table.
fn check_row(table: &Table, row: &[Cell]) -> io::Result<()> {
    let refuse =
        |what: String| Err(io::Error::new(io::ErrorKind::InvalidInput, format!("table {}: {what}", table.name)));
    if row.len() != table.columns.len() {
        return refuse(format!("row has {} cells, but the table has {} columns", row.len(), table.columns.len()));
    }
    for (column, cell) in table.columns.iter().zip(row) {
        let fits = match cell {
            Cell::Null => column.optional,
            Cell::Text(text) if text.len() > LONGEST_TEXT => {
                return refuse(format!("column {}: text is too long ({} bytes)", column.name, text.len()));
            }
            Cell::Text(_) => column.kind == CellKind::Text,
            Cell::Integer(_) => column.kind == CellKind::Integer,
            Cell::Boolean(_) => column.kind == CellKind::Boolean,
            Cell::Timestamp(moment) if Timestamp::from_millisecond(*moment).is_err() => {
                return refuse(format!("column {}: timestamp out of range: {moment} ms", column.name));
            }
            Cell::Timestamp(_) => column.kind == CellKind::Timestamp,
        };
        if !fits {
            return refuse(format!("column {}: {cell:?} is not of type {:?}", column.name, column.kind));
        }
    }
    Ok(())
}

/// The error for a file that is damaged or not such a table.
fn damaged(what: impl std::fmt::Display) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("damaged table: {what}"))
}
