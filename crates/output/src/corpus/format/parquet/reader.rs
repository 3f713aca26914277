//! Reads the wanted columns in parallel and assembles rows, row group by row group.

use std::fs::File;
use std::io;
use std::ops::ControlFlow;

use parquet::basic::{LogicalType, TimeUnit, Type as Physical};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use parquet::schema::types::ColumnDescriptor;

use super::{checksum, in_words};
use crate::corpus::cell::{Cell, CellKind};
use crate::corpus::format::damaged;
use crate::corpus::format::projection::Projection;
use crate::system::library_panic::catch_panic;

/// Number of rows read from a column at a time.
const BATCH: usize = 1024;

/// Reads the rows of a file and passes each to `each`.
pub(in crate::corpus::format) fn read(
    mut projection: Projection,
    mut file: File,
    each: &mut dyn FnMut(Vec<Cell>) -> ControlFlow<()>,
) -> io::Result<()> {
    checksum::check(&mut file)?;
    let file = guarded(|| SerializedFileReader::new(file))?;
    let schema = file.metadata().file_metadata().schema_descr();
    let mut places: Vec<(usize, usize)> = Vec::new();
    for (number, column) in schema.columns().iter().enumerate() {
        let Some(position) = projection.position(column.name().as_bytes(), number) else { continue };
        let kind = projection.table.columns[position].kind;
        if column.path().parts().len() != 1 || column.max_rep_level() > 0 || !is_of_kind(column, kind) {
            return Err(damaged(format_args!("column {} is not of type {kind:?}", column.name())));
        }
        if places.iter().all(|(_, known)| *known != position) {
            places.push((number, position));
        }
    }
    for number in 0..file.metadata().num_row_groups() {
        let rows = file.metadata().row_group(number).num_rows();
        let rows = usize::try_from(rows).map_err(|_| damaged("invalid number of rows in a row group"))?;
        let group = guarded(|| file.get_row_group(number))?;
        if read_group(&*group, rows, &places, &mut projection, each)?.is_break() {
            break;
        }
    }
    Ok(())
}

fn read_group(
    group: &dyn RowGroupReader,
    rows: usize,
    places: &[(usize, usize)],
    projection: &mut Projection,
    each: &mut dyn FnMut(Vec<Cell>) -> ControlFlow<()>,
) -> io::Result<ControlFlow<()>> {
    let mut columns = Vec::new();
    for &(number, position) in places {
        columns.push((ColumnBatch::new(group, number)?, position));
    }
    let mut left = rows;
    while left > 0 {
        let batch = left.min(BATCH);
        left -= batch;
        for (column, _) in &mut columns {
            column.fill(batch)?;
        }
        for number in 0..batch {
            let mut row = projection.empty_row();
            for (column, position) in &mut columns {
                row[*position] = column.cell(number, *position, projection)?;
            }
            if each(row).is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
    }
    Ok(ControlFlow::Continue(()))
}

/// True if a column has values of this type.
fn is_of_kind(column: &ColumnDescriptor, kind: CellKind) -> bool {
    let logical = column.logical_type_ref();
    match kind {
        CellKind::Text => column.physical_type() == Physical::BYTE_ARRAY,
        CellKind::Integer => {
            column.physical_type() == Physical::INT64 && !matches!(logical, Some(LogicalType::Timestamp(_)))
        }
        CellKind::Boolean => column.physical_type() == Physical::BOOLEAN,
        CellKind::Timestamp => matches!(logical, Some(LogicalType::Timestamp(time)) if time.unit == TimeUnit::MILLIS),
    }
}

/// A batch of rows of a column: the definition level of each row, and the values that are present.
struct ColumnBatch {
    values: Values,
    levels: Vec<i16>,
    has_levels: bool,
    next: usize,
}

enum Values {
    Text(ColumnReaderImpl<ByteArrayType>, Vec<ByteArray>),
    Integer(ColumnReaderImpl<Int64Type>, Vec<i64>),
    Boolean(ColumnReaderImpl<BoolType>, Vec<bool>),
}

impl ColumnBatch {
    fn new(group: &dyn RowGroupReader, number: usize) -> io::Result<Self> {
        let values = match guarded(|| group.get_column_reader(number))? {
            ColumnReader::ByteArrayColumnReader(reader) => Values::Text(reader, Vec::new()),
            ColumnReader::Int64ColumnReader(reader) => Values::Integer(reader, Vec::new()),
            ColumnReader::BoolColumnReader(reader) => Values::Boolean(reader, Vec::new()),
            _ => return Err(damaged("column type does not match the schema")),
        };
        let column = group.metadata().column(number).column_descr();
        Ok(Self { values, levels: Vec::new(), has_levels: column.max_def_level() > 0, next: 0 })
    }

    /// Reads the next `rows` rows.
    fn fill(&mut self, rows: usize) -> io::Result<()> {
        self.levels.clear();
        self.next = 0;
        let levels = self.has_levels.then_some(&mut self.levels);
        let (read, values) = match &mut self.values {
            Values::Text(reader, values) => take(reader, rows, levels, values)?,
            Values::Integer(reader, values) => take(reader, rows, levels, values)?,
            Values::Boolean(reader, values) => take(reader, rows, levels, values)?,
        };
        let expected = if self.has_levels { self.levels.iter().filter(|level| **level > 0).count() } else { rows };
        if read != rows || values != expected || (self.has_levels && self.levels.len() != rows) {
            return Err(damaged("a column is shorter than the others"));
        }
        Ok(())
    }

    /// The value of a row of this batch; must be called for each row in order.
    fn cell(&mut self, row: usize, position: usize, projection: &mut Projection) -> io::Result<Cell> {
        if self.has_levels && self.levels[row] == 0 {
            return Ok(Cell::Null);
        }
        let next = self.next;
        self.next += 1;
        Ok(match &self.values {
            Values::Text(_, values) => {
                let text = projection.text(values[next].data());
                Cell::Text(text.map_err(|_| damaged("a text is not UTF-8"))?)
            }
            Values::Integer(_, values) => match projection.table.columns[position].kind {
                CellKind::Timestamp => Cell::Timestamp(values[next]),
                _ => Cell::Integer(values[next]),
            },
            Values::Boolean(_, values) => Cell::Boolean(values[next]),
        })
    }
}

/// Reads rows of a column. Returns the numbers of rows and of values.
fn take<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    rows: usize,
    levels: Option<&mut Vec<i16>>,
    values: &mut Vec<T::T>,
) -> io::Result<(usize, usize)> {
    values.clear();
    guarded(|| reader.read_records(rows, levels, None, values).map(|(rows, _, _)| rows))
        .map(|rows| (rows, values.len()))
}

/// Calls the library, and converts panics to errors, since it may panic on forged files. Its objects must not be used
/// after that.
fn guarded<T>(ask: impl FnOnce() -> Result<T, ParquetError>) -> io::Result<T> {
    match catch_panic(ask) {
        Some(answer) => answer.map_err(in_words),
        None => Err(damaged("inconsistent columns")),
    }
}
