//! A table file of an index, in the format and of the table that the first line names: it gives rows, or an error.

use std::cell::RefCell;
use std::fs::File;
use std::io::{Seek as _, Write as _};
use std::ops::ControlFlow;

use transcope::corpus::cell::{Table, TableRow as _};
use transcope::corpus::format::{TableFormat, TableWriter, read_table};
use transcope::corpus::tables::{CallRow, CountRow, ProblemRow, SessionRow};

/// The tables with their names in the first line.
const KINDS: [(&str, TableFormat, Table); 6] = [
    ("parquet calls", TableFormat::Parquet, CallRow::TABLE),
    ("parquet sessions", TableFormat::Parquet, SessionRow::TABLE),
    ("parquet counts", TableFormat::Parquet, CountRow::TABLE),
    ("ndjson calls", TableFormat::Ndjson, CallRow::TABLE),
    ("csv sessions", TableFormat::Csv, SessionRow::TABLE),
    ("csv problems", TableFormat::Csv, ProblemRow::TABLE),
];

/// Most rows that are read; a few bytes may expand to many.
const MOST: usize = 1000;

/// Reads the table, and writes its rows again.
pub fn check(bytes: &[u8]) {
    thread_local! {
        static FILE: RefCell<File> = RefCell::new(tempfile::tempfile().expect("there is a place for files"));
    }
    let (number, bytes) = super::choose(bytes, KINDS.len(), |number| KINDS[number].0);
    let (_, format, table) = KINDS[number];
    FILE.with_borrow_mut(|file| {
        file.set_len(0).and_then(|()| file.rewind()).expect("it is a file");
        file.write_all(bytes).and_then(|()| file.rewind()).expect("the disk takes it");
        let mut writer = TableWriter::new(format, table, Vec::new()).expect("memory takes everything");
        let mut rows = 0;
        let copy = file.try_clone().expect("it is open");
        let read = read_table(format, &table, copy, None, &mut |row| {
            // A required cell may be missing.
            let is_whole = writer.write(&row).is_ok();
            assert!(is_whole || row.len() == table.columns.len(), "{row:?}");
            rows += 1;
            if rows < MOST { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        if let Err(error) = read {
            assert!(!error.to_string().contains('\n'), "{error}");
        }
        writer.finish().expect("memory takes everything");
    });
}
