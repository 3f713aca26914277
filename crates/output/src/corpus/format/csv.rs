//! Tables as CSV (RFC 4180) with a header line of column names. Each row is one line: line breaks in text become
//! spaces. An empty field is empty text in a mandatory text column, and a missing value otherwise.

use std::fs::File;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::sync::Arc;

use csv::{ByteRecord, ErrorKind, Reader, ReaderBuilder, Writer};

use super::gzip::{self, GzipReader, GzipWriter};
use super::projection::Projection;
use super::{damaged, timestamp};
use crate::corpus::cell::{Cell, CellKind, Table};

/// Writes the rows of a table as lines after a header.
pub(super) struct CsvTable<W: Write> {
    out: Writer<GzipWriter<W>>,
    field: Vec<u8>,
}

impl<W: Write> CsvTable<W> {
    pub(crate) fn new(table: Table, out: W) -> io::Result<Self> {
        let mut out = Writer::from_writer(gzip::writer(out));
        out.write_record(table.columns.iter().map(|column| column.name))?;
        Ok(Self { out, field: Vec::new() })
    }

    pub(crate) fn write(&mut self, row: &[Cell]) -> io::Result<()> {
        for cell in row {
            self.field.clear();
            match cell {
                Cell::Null => {}
                Cell::Text(text) => {
                    let characters = text.bytes().map(|byte| if matches!(byte, b'\n' | b'\r') { b' ' } else { byte });
                    self.field.extend(characters);
                }
                Cell::Integer(number) => write!(self.field, "{number}")?,
                Cell::Boolean(is_so) => write!(self.field, "{is_so}")?,
                Cell::Timestamp(moment) => timestamp::write(*moment, &mut self.field)?,
            }
            self.out.write_field(&self.field)?;
        }
        Ok(self.out.write_record(None::<&[u8]>)?)
    }

    pub(crate) fn finish(self) -> io::Result<W> {
        let out = self.out.into_inner().map_err(csv::IntoInnerError::into_error)?;
        gzip::finish(out)
    }
}

/// Reads the rows of a file and passes each to `each`.
pub(super) fn read(
    mut projection: Projection,
    file: File,
    each: &mut dyn FnMut(Vec<Cell>) -> ControlFlow<()>,
) -> io::Result<()> {
    let (reader, allowance) = GzipReader::new(file);
    let mut records: Reader<GzipReader> = ReaderBuilder::new().buffer_capacity(64 << 10).from_reader(reader);
    let header = records.byte_headers().map_err(in_words)?;
    if header.is_empty() {
        return Err(damaged("missing header"));
    }
    let places: Vec<Option<usize>> =
        header.iter().enumerate().map(|(guess, name)| projection.position(name, guess)).collect();
    let missing_text: Arc<str> = "".into();
    let mut record = ByteRecord::new();
    while records.read_byte_record(&mut record).map_err(in_words)? {
        allowance.renew();
        let mut row = projection.empty_row();
        for (place, written) in places.iter().zip(&record) {
            let Some(position) = *place else { continue };
            let column = &projection.table.columns[position];
            row[position] = match (written.is_empty(), column.kind, column.optional) {
                (true, CellKind::Text, false) => Cell::Text(Arc::clone(&missing_text)),
                (true, _, _) => Cell::Null,
                (false, _, _) => projection.parse(position, written).ok_or_else(|| {
                    let line = record.position().map_or(0, csv::Position::line);
                    damaged(format_args!("line {line}: column {} is not of type {:?}", column.name, column.kind))
                })?,
            };
        }
        if each(row).is_break() {
            break;
        }
    }
    Ok(())
}

/// Converts errors: I/O errors are unchanged, others mean a damaged file.
fn in_words(error: csv::Error) -> io::Error {
    let text = error.to_string();
    match error.into_kind() {
        ErrorKind::Io(error) => error,
        _ => damaged(text),
    }
}
