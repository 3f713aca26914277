//! Tables as NDJSON: one object per line with all columns in order. Missing values are null, timestamps in RFC 3339.

use std::fmt;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Write};
use std::ops::ControlFlow;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, Unexpected, Visitor};

use super::gzip::{self, GzipReader, GzipWriter};
use super::projection::Projection;
use super::{damaged, timestamp};
use crate::corpus::cell::{Cell, CellKind, Table};

/// Writes the rows of a table as lines.
pub(super) struct NdjsonTable<W: Write> {
    out: GzipWriter<W>,
    /// Text before each value: `,"tool":`.
    keys: Vec<String>,
    line: Vec<u8>,
}

impl<W: Write> NdjsonTable<W> {
    #[expect(clippy::unnecessary_wraps, reason = "the formats are made alike")]
    pub(crate) fn new(table: Table, out: W) -> io::Result<Self> {
        let names = table.columns.iter().enumerate();
        let keys = names.map(|(n, column)| format!("{}\"{}\":", if n == 0 { '{' } else { ',' }, column.name));
        Ok(Self { out: gzip::writer(out), keys: keys.collect(), line: Vec::new() })
    }

    pub(crate) fn write(&mut self, row: &[Cell]) -> io::Result<()> {
        self.line.clear();
        for (key, cell) in self.keys.iter().zip(row) {
            self.line.extend_from_slice(key.as_bytes());
            match cell {
                Cell::Null => self.line.extend_from_slice(b"null"),
                Cell::Text(text) => serde_json::to_writer(&mut self.line, &**text)?,
                Cell::Integer(number) => serde_json::to_writer(&mut self.line, number)?,
                Cell::Boolean(is_so) => serde_json::to_writer(&mut self.line, is_so)?,
                Cell::Timestamp(moment) => {
                    self.line.push(b'"');
                    timestamp::write(*moment, &mut self.line)?;
                    self.line.push(b'"');
                }
            }
        }
        self.line.extend_from_slice(b"}\n");
        self.out.write_all(&self.line)
    }

    pub(crate) fn finish(self) -> io::Result<W> {
        gzip::finish(self.out)
    }
}

/// Reads the rows of a file and passes each to `each`.
pub(super) fn read(
    mut projection: Projection,
    file: File,
    each: &mut dyn FnMut(Vec<Cell>) -> ControlFlow<()>,
) -> io::Result<()> {
    let (reader, allowance) = GzipReader::new(file);
    let mut lines = BufReader::with_capacity(64 << 10, reader);
    let mut line = Vec::new();
    for number in 1_usize.. {
        line.clear();
        if lines.read_until(b'\n', &mut line)? == 0 {
            break;
        }
        allowance.renew();
        let mut json = serde_json::Deserializer::from_slice(&line);
        let row = RowSeed(&mut projection).deserialize(&mut json).and_then(|row| json.end().map(|()| row));
        let row = row.map_err(|error| damaged(format_args!("row {number}: {error}")))?;
        if each(row).is_break() {
            break;
        }
    }
    Ok(())
}

/// Deserializes a row from an object.
struct RowSeed<'a>(&'a mut Projection);

impl<'de> DeserializeSeed<'de> for RowSeed<'_> {
    type Value = Vec<Cell>;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Self::Value, D::Error> {
        json.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for RowSeed<'_> {
    type Value = Vec<Cell>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut row = self.0.empty_row();
        let mut guess = 0;
        while let Some(position) = map.next_key_seed(KeySeed { projection: &*self.0, guess })? {
            guess += 1;
            let Some(position) = position else {
                map.next_value::<IgnoredAny>()?;
                continue;
            };
            row[position] = map.next_value_seed(CellSeed { projection: &mut *self.0, position })?;
        }
        Ok(row)
    }
}

/// Deserializes a column name to its position, if the column is wanted.
struct KeySeed<'a> {
    projection: &'a Projection,
    guess: usize,
}

impl<'de> DeserializeSeed<'de> for KeySeed<'_> {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Self::Value, D::Error> {
        json.deserialize_str(self)
    }
}

impl Visitor<'_> for KeySeed<'_> {
    type Value = Option<usize>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("the name of a column")
    }

    fn visit_str<E>(self, name: &str) -> Result<Self::Value, E> {
        Ok(self.projection.position(name.as_bytes(), self.guess))
    }
}

/// Deserializes the cell of a column.
struct CellSeed<'a> {
    projection: &'a mut Projection,
    position: usize,
}

impl CellSeed<'_> {
    fn kind(&self) -> CellKind {
        self.projection.table.columns[self.position].kind
    }
}

impl<'de> DeserializeSeed<'de> for CellSeed<'_> {
    type Value = Cell;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Self::Value, D::Error> {
        json.deserialize_any(self)
    }
}

impl Visitor<'_> for CellSeed<'_> {
    type Value = Cell;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let column = &self.projection.table.columns[self.position];
        write!(out, "{:?} in column {}", column.kind, column.name)
    }

    fn visit_unit<E>(self) -> Result<Cell, E> {
        Ok(Cell::Null)
    }

    fn visit_bool<E: Error>(self, is_so: bool) -> Result<Cell, E> {
        match self.kind() {
            CellKind::Boolean => Ok(Cell::Boolean(is_so)),
            _ => Err(E::invalid_type(Unexpected::Bool(is_so), &self)),
        }
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Cell, E> {
        match self.kind() {
            CellKind::Integer => Ok(Cell::Integer(number)),
            _ => Err(E::invalid_type(Unexpected::Signed(number), &self)),
        }
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Cell, E> {
        match i64::try_from(number) {
            Ok(number) => self.visit_i64(number),
            Err(_) => Err(E::invalid_value(Unexpected::Unsigned(number), &self)),
        }
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Cell, E> {
        let cell = match self.kind() {
            CellKind::Text | CellKind::Timestamp => self.projection.parse(self.position, text.as_bytes()),
            CellKind::Integer | CellKind::Boolean => None,
        };
        cell.ok_or_else(|| E::invalid_value(Unexpected::Str(text), &self))
    }
}
