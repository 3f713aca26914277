//! The formats in which the tables of an index are written and read: Parquet, and NDJSON and CSV in gzip.
//!
//! The same rows make the same bytes.

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

/// Bytes of a text in a cell at the most.
const LONGEST_TEXT: usize = 1 << 20;

/// A format of the files of tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum TableFormat {
    /// Columns, compressed with Snappy: the smallest and the fastest to query.
    Parquet,
    /// One JSON object on each line, in gzip.
    Ndjson,
    /// Comma-separated values behind a header line (RFC 4180), in gzip; it does not tell empty text from none.
    Csv,
}

impl TableFormat {
    /// All of them, the best first.
    pub const ALL: [Self; 3] = [Self::Parquet, Self::Ndjson, Self::Csv];

    /// The name by which a person asks for it: `parquet`.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The ending of its files, without a dot in front: `ndjson.gz`.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Parquet => "parquet",
            Self::Ndjson => "ndjson.gz",
            Self::Csv => "csv.gz",
        }
    }
}

/// Writes rows of one table to one file. What is not finished is no table.
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
    /// A writer of that table, which writes to `out` from where it stands. It needs no buffer around `out`.
    pub fn new(format: TableFormat, table: Table, out: W) -> io::Result<Self> {
        let file = match format {
            TableFormat::Parquet => TableFile::Parquet(Box::new(ParquetTable::new(table, out)?)),
            TableFormat::Ndjson => TableFile::Ndjson(Box::new(NdjsonTable::new(table, out)?)),
            TableFormat::Csv => TableFile::Csv(Box::new(CsvTable::new(table, out)?)),
        };
        Ok(Self { table, file })
    }

    /// Writes a row behind the others. Cells of other kinds than the columns' and texts of more than a mebibyte are errors
    /// ([`io::ErrorKind::InvalidInput`]), and nothing of such a row is written.
    pub fn write(&mut self, row: &[Cell]) -> io::Result<()> {
        check_row(&self.table, row)?;
        match &mut self.file {
            TableFile::Parquet(file) => file.write(row),
            TableFile::Ndjson(file) => file.write(row),
            TableFile::Csv(file) => file.write(row),
        }
    }

    /// Writes what is still in memory and the end of the file, and gives back what was written to, not flushed.
    pub fn finish(self) -> io::Result<W> {
        match self.file {
            TableFile::Parquet(file) => file.finish(),
            TableFile::Ndjson(file) => file.finish(),
            TableFile::Csv(file) => file.finish(),
        }
    }
}

/// Reads the rows of a file in their order and hands each on, until there are no more or [`ControlFlow::Break`] is said.
///
/// With `columns` only those are read. The others and those that the file lacks are [`Cell::Null`]; columns that the table
/// lacks are passed over. A damaged file is an error that says in words what is wrong, perhaps after some rows.
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

/// What makes a row none of that table, in words.
fn check_row(table: &Table, row: &[Cell]) -> io::Result<()> {
    let refuse =
        |what: String| Err(io::Error::new(io::ErrorKind::InvalidInput, format!("table {}: {what}", table.name)));
    if row.len() != table.columns.len() {
        return refuse(format!("a row of {} cells for {} columns", row.len(), table.columns.len()));
    }
    for (column, cell) in table.columns.iter().zip(row) {
        let fits = match cell {
            Cell::Null => column.optional,
            Cell::Text(text) if text.len() > LONGEST_TEXT => {
                return refuse(format!("column {}: a text of {} bytes", column.name, text.len()));
            }
            Cell::Text(_) => column.kind == CellKind::Text,
            Cell::Integer(_) => column.kind == CellKind::Integer,
            Cell::Boolean(_) => column.kind == CellKind::Boolean,
            Cell::Timestamp(moment) if Timestamp::from_millisecond(*moment).is_err() => {
                return refuse(format!("column {}: {moment} ms are beyond the year 9999", column.name));
            }
            Cell::Timestamp(_) => column.kind == CellKind::Timestamp,
        };
        if !fits {
            return refuse(format!("column {}: {cell:?} where {:?} belongs", column.name, column.kind));
        }
    }
    Ok(())
}

/// The error of a file that is damaged or no such table.
fn damaged(what: impl std::fmt::Display) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("damaged table: {what}"))
}
