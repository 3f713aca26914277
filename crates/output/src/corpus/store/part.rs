//! A part of an index being written, with a file for each table.

use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::cannot_write;
use crate::corpus::cell::{Cell, Table, TableRow};
use crate::corpus::counts::Counts;
use crate::corpus::format::{TableFormat, TableWriter};
use crate::corpus::rows::{RowBatch, Summary};
use crate::corpus::tables::{CallRow, CountRow, ProblemRow, SessionRow};

/// Writes the tables of a part, one file each.
pub struct PartWriter {
    number: usize,
    sessions: TableFile,
    calls: TableFile,
    problems: TableFile,
    counts: TableFile,
    added_up: Counts,
}

struct TableFile {
    path: PathBuf,
    writer: TableWriter<BufWriter<File>>,
}

impl PartWriter {
    /// Begins part number `number` in a new folder.
    pub(super) fn new(folder: &Path, number: usize, format: TableFormat) -> Result<Self> {
        fs::create_dir(folder).with_context(|| cannot_write(folder))?;
        let begin = |table: Table| {
            let path = folder.join(table.name);
            let writer = File::create(&path).and_then(|file| TableWriter::new(format, table, BufWriter::new(file)));
            writer.with_context(|| cannot_write(&path)).map(|writer| TableFile { path, writer })
        };
        Ok(Self {
            number,
            sessions: begin(SessionRow::TABLE)?,
            calls: begin(CallRow::TABLE)?,
            problems: begin(ProblemRow::TABLE)?,
            counts: begin(CountRow::TABLE)?,
            added_up: Counts::default(),
        })
    }

    /// Adds rows of a file. The file's own row must follow.
    ///
    /// # Errors
    /// If they cannot be written.
    pub(crate) fn rows(&mut self, batch: &RowBatch) -> Result<()> {
        batch.calls.iter().try_for_each(|row| self.call(row))?;
        batch.problems.iter().try_for_each(|row| self.problem(row))
    }

    /// Adds the row of a call.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(crate) fn call(&mut self, row: &CallRow) -> Result<()> {
        self.calls.write(&row.cells())
    }

    /// Adds the row of a problem.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(crate) fn problem(&mut self, row: &ProblemRow) -> Result<()> {
        self.problems.write(&row.cells())
    }

    /// Adds the row of a file, and its counts.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(crate) fn session(&mut self, summary: &Summary) -> Result<()> {
        self.added_up.merge(&summary.counts);
        self.sessions.write(&summary.session.cells())
    }

    /// Writes the counts and syncs the files. Returns the number of the part.
    pub(super) fn finish(mut self) -> Result<usize> {
        for row in self.added_up.rows() {
            self.counts.write(&row.cells())?;
        }
        [self.sessions, self.calls, self.problems, self.counts].into_iter().try_for_each(TableFile::finish)?;
        Ok(self.number)
    }
}

impl TableFile {
    fn write(&mut self, row: &[Cell]) -> Result<()> {
        self.writer.write(row).with_context(|| cannot_write(&self.path))
    }

    fn finish(self) -> Result<()> {
        let finish = || {
            let file = self.writer.finish()?.into_inner().map_err(io::IntoInnerError::into_error)?;
            file.sync_all()
        };
        finish().with_context(|| cannot_write(&self.path))
    }
}
