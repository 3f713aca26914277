//! Collects rows by columns, and writes them as row groups.

use std::io::{self, Write};
use std::sync::Arc;

use parquet::basic::{Compression, Encoding, LogicalType, Repetition, TimeUnit, Type as Physical};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, Int64Type};
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::{ColumnPath, Type};

use super::checksum::ChecksumWriter;
use super::in_words;
use crate::corpus::cell::{Cell, CellKind, Column, Table};

/// Maximum number of rows in a row group.
const MOST_ROWS: usize = 1 << 16;

/// Number of buffered bytes of text that ends a row group.
const MOST_TEXT: usize = 8 << 20;

/// Maximum size of a dictionary in bytes. More than the text of a row group, so that text is not repeated.
const MOST_DICTIONARY: usize = 32 << 20;

/// Number of texts per column that are remembered for deduplication, a power of two.
const RECENT: usize = 16;

/// Writes the rows of a table by columns. Buffers a row group in memory, less than 24 MiB.
pub(in crate::corpus::format) struct ParquetTable<W: Write + Send> {
    file: SerializedFileWriter<ChecksumWriter<W>>,
    columns: Vec<ColumnBuffer>,
    rows: usize,
    text: usize,
}

impl<W: Write + Send> ParquetTable<W> {
    pub(crate) fn new(table: Table, out: W) -> io::Result<Self> {
        let mut properties = WriterProperties::builder()
            .set_created_by("transcope".to_owned())
            .set_compression(Compression::SNAPPY)
            .set_statistics_enabled(EnabledStatistics::Chunk)
            // It would be between the columns and the footer, with offsets from the start of the file.
            .set_offset_index_disabled(true)
            .set_dictionary_page_size_limit(MOST_DICTIONARY)
            .set_dictionary_enabled(false);
        for column in table.columns {
            let path = ColumnPath::from(column.name);
            properties = match column.kind {
                CellKind::Text => properties.set_column_dictionary_enabled(path, true),
                // Offsets, times and line numbers increase slowly.
                CellKind::Integer | CellKind::Timestamp => {
                    properties.set_column_encoding(path, Encoding::DELTA_BINARY_PACKED)
                }
                CellKind::Boolean => properties,
            };
        }
        let schema = schema(table).map_err(in_words)?;
        let out = ChecksumWriter::new(out);
        let file = SerializedFileWriter::new(out, schema, Arc::new(properties.build())).map_err(in_words)?;
        let columns = table.columns.iter().map(ColumnBuffer::new).collect();
        Ok(Self { file, columns, rows: 0, text: 0 })
    }

    pub(crate) fn write(&mut self, row: &[Cell]) -> io::Result<()> {
        for (column, cell) in self.columns.iter_mut().zip(row) {
            self.text += column.push(cell);
        }
        self.rows += 1;
        if self.rows >= MOST_ROWS || self.text >= MOST_TEXT {
            self.write_group()?;
        }
        Ok(())
    }

    pub(crate) fn finish(mut self) -> io::Result<W> {
        if self.rows > 0 {
            self.write_group()?;
        }
        self.file.flush()?;
        self.file.inner_mut().begin_footer();
        self.file.into_inner().map_err(in_words)?.finish()
    }

    fn write_group(&mut self) -> io::Result<()> {
        let mut group = self.file.next_row_group().map_err(in_words)?;
        for column in &mut self.columns {
            let mut writer =
                group.next_column().map_err(in_words)?.expect("the schema has a column for each of the table");
            column.write_to(&mut writer).map_err(in_words)?;
            writer.close().map_err(in_words)?;
        }
        group.close().map_err(in_words)?;
        self.rows = 0;
        self.text = 0;
        Ok(())
    }
}

/// The Parquet schema of a table.
fn schema(table: Table) -> parquet::errors::Result<Arc<Type>> {
    let field = |column: &Column| {
        let (physical, logical) = match column.kind {
            CellKind::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
            CellKind::Integer => (Physical::INT64, None),
            CellKind::Boolean => (Physical::BOOLEAN, None),
            CellKind::Timestamp => (Physical::INT64, Some(LogicalType::timestamp(true, TimeUnit::MILLIS))),
        };
        let repetition = if column.optional { Repetition::OPTIONAL } else { Repetition::REQUIRED };
        let field = Type::primitive_type_builder(column.name, physical);
        field.with_logical_type(logical).with_repetition(repetition).build().map(Arc::new)
    };
    let fields = table.columns.iter().map(field).collect::<Result<_, _>>()?;
    Type::group_type_builder(table.name).with_fields(fields).build().map(Arc::new)
}

/// The buffered values of a column.
struct ColumnBuffer {
    /// Definition level of each row, 1 or 0; `None` for a mandatory column.
    present: Option<Vec<i16>>,
    values: Values,
}

enum Values {
    Text(Box<Texts>),
    Integer(Vec<i64>),
    Boolean(Vec<bool>),
}

impl ColumnBuffer {
    fn new(column: &Column) -> Self {
        let values = match column.kind {
            CellKind::Text => Values::Text(Box::default()),
            CellKind::Integer | CellKind::Timestamp => Values::Integer(Vec::new()),
            CellKind::Boolean => Values::Boolean(Vec::new()),
        };
        Self { present: column.optional.then(Vec::new), values }
    }

    /// Adds the value of a row. Returns the number of bytes of text that it takes.
    fn push(&mut self, cell: &Cell) -> usize {
        if let Some(present) = &mut self.present {
            present.push(i16::from(*cell != Cell::Null));
        }
        match (&mut self.values, cell) {
            (Values::Text(texts), Cell::Text(text)) => return texts.push(text),
            (Values::Integer(numbers), Cell::Integer(number) | Cell::Timestamp(number)) => numbers.push(*number),
            (Values::Boolean(answers), Cell::Boolean(is_so)) => answers.push(*is_so),
            // A missing value; `check_row` has refused other types.
            _ => {}
        }
        0
    }

    /// Writes the buffered values and clears the buffer.
    fn write_to(&mut self, writer: &mut SerializedColumnWriter<'_>) -> parquet::errors::Result<()> {
        let present = self.present.as_deref();
        match &mut self.values {
            Values::Text(texts) => {
                writer.typed::<ByteArrayType>().write_batch(&texts.take(), present, None)?;
            }
            Values::Integer(numbers) => {
                writer.typed::<Int64Type>().write_batch(numbers, present, None)?;
                numbers.clear();
            }
            Values::Boolean(answers) => {
                writer.typed::<BoolType>().write_batch(answers, present, None)?;
                answers.clear();
            }
        }
        if let Some(present) = &mut self.present {
            present.clear();
        }
        Ok(())
    }
}

/// Concatenated texts. One that was added recently as the same [`Arc`] is stored once.
#[derive(Default)]
struct Texts {
    bytes: Vec<u8>,
    /// Offset and length in `bytes` of each row.
    places: Vec<(u32, u32)>,
    recent: [Option<(Arc<str>, u32)>; RECENT],
}

impl Texts {
    fn push(&mut self, text: &Arc<str>) -> usize {
        let length = text.len() as u32;
        let slot = &mut self.recent[(text.as_ptr().addr() >> 4) % RECENT];
        if let Some((known, start)) = slot
            && Arc::ptr_eq(known, text)
        {
            self.places.push((*start, length));
            return 0;
        }
        let start = self.bytes.len() as u32;
        self.bytes.extend_from_slice(text.as_bytes());
        self.places.push((start, length));
        *slot = Some((Arc::clone(text), start));
        text.len()
    }

    fn take(&mut self) -> Vec<ByteArray> {
        self.recent = Default::default();
        let bytes = ByteArray::from(std::mem::take(&mut self.bytes));
        self.places.drain(..).map(|(start, length)| bytes.slice(start as usize, length as usize)).collect()
    }
}
