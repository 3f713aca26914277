//! Writes rows of the index's tables in each format and reads them back.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::ops::ControlFlow;
use std::sync::Arc;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use super::{TableFormat, TableWriter, read_table};
use crate::corpus::cell::{Cell, CellKind, Column, Table, TableRow};
use crate::corpus::tables::{CallRow, CountRow, ProblemRow, SessionRow};

const TABLES: [Table; 4] = [SessionRow::TABLE, CallRow::TABLE, ProblemRow::TABLE, CountRow::TABLE];

/// Texts that formats might handle wrong.
const TEXTS: [&str; 14] = [
    "",
    " ",
    "Read",
    "a,b;c\td",
    "\"quoted\" and 'so'",
    "line\nbreak\r\nand return\r",
    "\0\u{1}\u{1b}[31m\u{7f}\u{85}\u{2028}\u{feff}",
    "päth/文字/🦀",
    "null",
    "NULL",
    "\\N",
    "true",
    "2026-11-22T10:00:00.000Z",
    "{\"a\": [1]}",
];

fn write(format: TableFormat, table: Table, rows: &[Vec<Cell>]) -> Vec<u8> {
    let mut writer = TableWriter::new(format, table, Vec::new()).expect("memory takes everything");
    for row in rows {
        writer.write(row).expect("the row is one of the table");
    }
    writer.finish().expect("memory takes everything")
}

fn read(format: TableFormat, table: &Table, bytes: &[u8], columns: Option<&[&str]>) -> io::Result<Vec<Vec<Cell>>> {
    let mut file = tempfile::tempfile().expect("there is a place for files");
    file.write_all(bytes).expect("the disk takes it");
    let mut rows = Vec::new();
    read_table(format, table, rewound(file), columns, &mut |row| {
        rows.push(row);
        ControlFlow::Continue(())
    })?;
    Ok(rows)
}

fn rewound(mut file: File) -> File {
    io::Seek::rewind(&mut file).expect("it is a file");
    file
}

/// The value that a format preserves of a cell.
fn kept(format: TableFormat, column: &Column, cell: &Cell) -> Cell {
    match (format, cell) {
        (TableFormat::Csv, Cell::Text(text)) if text.is_empty() && column.optional => Cell::Null,
        (TableFormat::Csv, Cell::Text(text)) => Cell::Text(text.replace(['\n', '\r'], " ").into()),
        _ => cell.clone(),
    }
}

/// Writes the rows in each format and reads them back.
fn check(table: Table, rows: &[Vec<Cell>]) {
    for format in TableFormat::ALL {
        let bytes = write(format, table, rows);
        assert_eq!(bytes, write(format, table, rows), "{format:?}: the same rows make the same bytes");
        let expected: Vec<Vec<Cell>> = rows
            .iter()
            .map(|row| table.columns.iter().zip(row).map(|(column, cell)| kept(format, column, cell)).collect())
            .collect();
        let got = read(format, &table, &bytes, None).expect("it was written so");
        assert_eq!(got, expected, "{format:?}: {}", table.name);
    }
}

/// A row whose cells vary with the column and `number`.
fn numbered(table: Table, number: usize) -> Vec<Cell> {
    let cell = |(position, column): (usize, &Column)| {
        let n = number * 7 + position;
        if column.optional && n.is_multiple_of(3) {
            return Cell::Null;
        }
        match column.kind {
            CellKind::Text => Cell::Text(TEXTS[n % TEXTS.len()].into()),
            CellKind::Integer => Cell::Integer([0, 1, -1, i64::MAX, i64::MIN, 1 << (n % 60)][n % 6]),
            CellKind::Boolean => Cell::Boolean(n.is_multiple_of(2)),
            CellKind::Timestamp => Cell::Timestamp([0, 1, -1, 1_795_000_000_123, -62_135_596_800_000][n % 5]),
        }
    };
    table.columns.iter().enumerate().map(cell).collect()
}

#[test]
fn every_kind_of_value_comes_back() {
    for table in TABLES {
        check(table, &[]);
        check(table, &(0..50).map(|number| numbered(table, number)).collect::<Vec<_>>());
    }
}

#[test]
fn generated_rows_come_back() {
    let config = Config { cases: 60, failure_persistence: None, ..Config::default() };
    for table in TABLES {
        let cell = |column: &Column| {
            let value = match column.kind {
                CellKind::Text => {
                    prop_oneof![any::<String>(), "[a-z\",\n\r\0]{0,9}"].prop_map(|text| Cell::Text(text.into())).boxed()
                }
                CellKind::Integer => any::<i64>().prop_map(Cell::Integer).boxed(),
                CellKind::Boolean => any::<bool>().prop_map(Cell::Boolean).boxed(),
                CellKind::Timestamp => (-62_135_596_800_000..253_402_207_200_000_i64).prop_map(Cell::Timestamp).boxed(),
            };
            if column.optional { prop_oneof![Just(Cell::Null), value].boxed() } else { value }
        };
        let row: Vec<_> = table.columns.iter().map(cell).collect();
        let rows = proptest::collection::vec(row, 0..20);
        let outcome = TestRunner::new(config.clone()).run(&rows, |rows| {
            check(table, &rows);
            Ok(())
        });
        outcome.expect("the rows come back");
    }
}

#[test]
fn rows_of_many_groups_come_back_in_order() {
    let few: Vec<Arc<str>> = (0..40).map(|number| format!("tool {number}").into()).collect();
    let rows: Vec<Vec<Cell>> = (0..150_000_usize)
        .zip(0_i64..)
        .map(|(number, calls)| {
            let mut row = numbered(CountRow::TABLE, number % 5);
            row[0] = Cell::Text(Arc::clone(&few[number * number % 40]));
            row[7] = Cell::Integer(calls);
            row
        })
        .collect();
    for format in TableFormat::ALL {
        let bytes = write(format, CountRow::TABLE, &rows);
        let got = read(format, &CountRow::TABLE, &bytes, Some(&["container", "calls"])).expect("it was written so");
        assert_eq!(got.len(), rows.len(), "{format:?}");
        for (got, row) in got.iter().zip(&rows) {
            assert_eq!((&got[0], &got[7]), (&row[0], &row[7]), "{format:?}");
        }
    }
}

#[test]
fn large_texts_make_groups_of_their_own() {
    let long: Arc<str> = "x".repeat(super::LONGEST_TEXT).into();
    let rows: Vec<Vec<Cell>> = (0..20)
        .map(|number: usize| {
            let mut row = numbered(CountRow::TABLE, number);
            row[0] =
                Cell::Text(if number.is_multiple_of(2) { Arc::clone(&long) } else { long.replace('x', "y").into() });
            row
        })
        .collect();
    check(CountRow::TABLE, &rows);
}

#[test]
fn a_large_text_that_comes_again_is_stored_once() {
    let mut row = numbered(CountRow::TABLE, 0);
    row[0] = Cell::Text((0..150_000).map(|n| n.to_string()).collect::<String>().into());
    let once = write(TableFormat::Parquet, CountRow::TABLE, std::slice::from_ref(&row)).len();
    let often = write(TableFormat::Parquet, CountRow::TABLE, &vec![row; 100]).len();
    assert!(often < once + 1000, "{once} bytes once, {often} a hundred times");
}

#[test]
fn only_what_is_asked_for_is_read() {
    let table = CallRow::TABLE;
    let rows: Vec<Vec<Cell>> = (0..20).map(|number| numbered(table, number)).collect();
    let columns = ["is_failure", "tool", "duration_ms", "no_such_column"];
    for format in TableFormat::ALL {
        let bytes = write(format, table, &rows);
        let got = read(format, &table, &bytes, Some(&columns)).expect("it was written so");
        for (got, row) in got.iter().zip(&rows) {
            for ((column, got), cell) in table.columns.iter().zip(got).zip(row) {
                let expected = if columns.contains(&column.name) { kept(format, column, cell) } else { Cell::Null };
                assert_eq!(*got, expected, "{format:?}: {}", column.name);
            }
        }
        assert_eq!(got.len(), rows.len());
    }
}

#[test]
fn reading_stops_when_it_is_told_to() {
    let rows: Vec<Vec<Cell>> = (0..3000).map(|number| numbered(CountRow::TABLE, number)).collect();
    for format in TableFormat::ALL {
        let mut file = tempfile::tempfile().expect("there is a place for files");
        file.write_all(&write(format, CountRow::TABLE, &rows)).expect("the disk takes it");
        let mut count = 0;
        let outcome = read_table(format, &CountRow::TABLE, rewound(file), None, &mut |_| {
            count += 1;
            if count == 1500 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert!(outcome.is_ok() && count == 1500, "{format:?}: {count} rows, {outcome:?}");
    }
}

/// The table with a column inserted and others removed, as an older or newer release might have it.
const OTHER: Table = Table {
    name: "counts",
    about: "Rows of another release.",
    columns: &[
        Column { name: "added", kind: CellKind::Text, optional: true, about: "A column that was added." },
        Column { name: "tool", kind: CellKind::Text, optional: true, about: "The tool." },
        Column { name: "calls", kind: CellKind::Integer, optional: false, about: "Number of calls." },
    ],
};

#[test]
fn columns_may_be_missing_or_unknown() {
    let rows: Vec<Vec<Cell>> = (0..9).map(|number| numbered(CountRow::TABLE, number)).collect();
    for format in TableFormat::ALL {
        let bytes = write(format, CountRow::TABLE, &rows);
        let got = read(format, &OTHER, &bytes, None).expect("columns are found by name");
        let tool = &CountRow::TABLE.columns[3];
        let expected: Vec<Vec<Cell>> =
            rows.iter().map(|row| vec![Cell::Null, kept(format, tool, &row[3]), row[7].clone()]).collect();
        assert_eq!(got, expected, "{format:?}");
    }
}

#[test]
fn what_is_no_row_of_the_table_is_refused() {
    let good = numbered(OTHER, 1);
    let rows = [
        (vec![], "table counts: row has 0 cells, but the table has 3 columns"),
        (vec![Cell::Null, Cell::Null, Cell::Null], "table counts: column calls: Null is not of type Integer"),
        (
            vec![Cell::Integer(1), Cell::Null, Cell::Integer(1)],
            "table counts: column added: Integer(1) is not of type Text",
        ),
        (
            vec![Cell::Text("x".repeat(super::LONGEST_TEXT + 1).into()), Cell::Null, Cell::Integer(1)],
            "table counts: column added: text is too long (1048577 bytes)",
        ),
    ];
    for format in TableFormat::ALL {
        let mut writer = TableWriter::new(format, OTHER, Vec::new()).expect("memory takes everything");
        for (row, words) in &rows {
            let error = writer.write(row).expect_err(words);
            assert_eq!((error.kind(), error.to_string().as_str()), (io::ErrorKind::InvalidInput, *words));
        }
        writer.write(&good).expect("the row is one of the table");
        let bytes = writer.finish().expect("memory takes everything");
        assert_eq!(bytes, write(format, OTHER, std::slice::from_ref(&good)), "nothing of them was written");
    }
    let table = SessionRow::TABLE;
    let mut row = numbered(table, 0);
    let place = table.columns.iter().position(|column| column.name == "started_at").expect("the column is there");
    row[place] = Cell::Timestamp(i64::MAX);
    let mut writer = TableWriter::new(TableFormat::Ndjson, table, Vec::new()).expect("memory takes everything");
    let error = writer.write(&row).expect_err("there is no such moment");
    assert_eq!(error.to_string(), "table sessions: column started_at: timestamp out of range: 9223372036854775807 ms");
}

/// Decompresses the lines of a table.
fn unfold(bytes: &[u8]) -> String {
    let mut text = String::new();
    flate2::read::MultiGzDecoder::new(bytes).read_to_string(&mut text).expect("it was written so");
    text
}

#[test]
fn lines_are_written_plainly() {
    let table = Table {
        name: "plain",
        about: "One column of each kind.",
        columns: &[
            Column { name: "word", kind: CellKind::Text, optional: false, about: "A word." },
            Column { name: "maybe", kind: CellKind::Text, optional: true, about: "A word or none." },
            Column { name: "number", kind: CellKind::Integer, optional: false, about: "A number." },
            Column { name: "is_so", kind: CellKind::Boolean, optional: false, about: "An answer." },
            Column { name: "moment", kind: CellKind::Timestamp, optional: true, about: "A moment." },
        ],
    };
    let row = |word: &str, maybe: Cell, moment: Cell| {
        vec![Cell::Text(word.into()), maybe, Cell::Integer(-7), Cell::Boolean(true), moment]
    };
    let rows = [
        row("a \"b\",\nc", Cell::Null, Cell::Timestamp(1_795_341_600_007)),
        row("", Cell::Text("".into()), Cell::Null),
        row("\0é", Cell::Text("x".into()), Cell::Timestamp(-1)),
    ];
    assert_eq!(
        unfold(&write(TableFormat::Ndjson, table, &rows)),
        concat!(
            r#"{"word":"a \"b\",\nc","maybe":null,"number":-7,"is_so":true,"moment":"2026-11-22T10:00:00.007Z"}"#,
            "\n",
            r#"{"word":"","maybe":"","number":-7,"is_so":true,"moment":null}"#,
            "\n",
            r#"{"word":"\u0000é","maybe":"x","number":-7,"is_so":true,"moment":"1969-12-31T23:59:59.999Z"}"#,
            "\n",
        )
    );
    assert_eq!(
        unfold(&write(TableFormat::Csv, table, &rows)),
        concat!(
            "word,maybe,number,is_so,moment\n",
            "\"a \"\"b\"\", c\",,-7,true,2026-11-22T10:00:00.007Z\n",
            ",,-7,true,\n",
            "\0é,x,-7,true,1969-12-31T23:59:59.999Z\n",
        )
    );
}

/// Reads a modified file: either the rows are unchanged, or there is an error with a description.
fn check_damaged(format: TableFormat, bytes: &[u8], rows: &[Vec<Cell>], what: std::fmt::Arguments<'_>) {
    match read(format, &CountRow::TABLE, bytes, None) {
        Ok(got) => {
            let whole = read(format, &CountRow::TABLE, &write(format, CountRow::TABLE, rows), None);
            assert_eq!(got, whole.expect("it was written so"), "{format:?} {what}");
            assert!(format != TableFormat::Parquet, "Parquet {what}: the checksum says nothing");
        }
        Err(error) => {
            assert_eq!(error.kind(), io::ErrorKind::InvalidData, "{format:?} {what}: {error}");
            assert!(error.to_string().starts_with("damaged table: "), "{format:?} {what}: {error}");
        }
    }
}

#[test]
fn damaged_files_are_errors_in_words() {
    let rows: Vec<Vec<Cell>> = (0..40).map(|number| numbered(CountRow::TABLE, number)).collect();
    for format in TableFormat::ALL {
        let whole = write(format, CountRow::TABLE, &rows);
        for length in 0..whole.len() {
            let outcome = read(format, &CountRow::TABLE, &whole[..length], None);
            assert!(outcome.is_err(), "{format:?}: the first {length} bytes are no table");
            check_damaged(format, &whole[..length], &rows, format_args!("cut at {length}"));
        }
        for place in 0..whole.len() {
            for mask in [0x01, 0x10, 0x80, 0xff] {
                let mut bytes = whole.clone();
                bytes[place] ^= mask;
                check_damaged(format, &bytes, &rows, format_args!("changed at {place}"));
            }
        }
    }
}

#[test]
fn forged_files_are_survived() {
    let rows: Vec<Vec<Cell>> = (0..5).map(|number| numbered(OTHER, number)).collect();
    let whole = write(TableFormat::Parquet, OTHER, &rows);
    let footer = u32::from_le_bytes(whole[whole.len() - 8..][..4].try_into().expect("four bytes")) as usize + 8;
    let start = whole.len() - footer - 16;
    let mut errors = 0;
    for place in (0..start).chain(whole.len() - footer..whole.len() - 8) {
        for mask in [0x01, 0x80] {
            let mut bytes = whole.clone();
            bytes[place] ^= mask;
            let mut hasher = crc32fast::Hasher::new();
            hasher.update(&bytes[..start]);
            hasher.update(&bytes[whole.len() - footer..]);
            bytes[start + 12..start + 16].copy_from_slice(&hasher.finalize().to_le_bytes());
            if let Err(error) = read(TableFormat::Parquet, &OTHER, &bytes, None) {
                assert!(error.to_string().starts_with("damaged table: "), "changed at {place}: {error}");
                errors += 1;
            }
        }
    }
    assert!(errors > 50, "the checksum was right, and yet {errors} errors");
}

#[test]
fn files_of_another_kind_are_errors_in_words() {
    let folded = |text: &str| {
        let mut out = super::gzip::writer(Vec::new());
        out.write_all(text.as_bytes()).expect("memory takes everything");
        super::gzip::finish(out).expect("memory takes everything")
    };
    let other = Table {
        columns: &[Column { name: "calls", kind: CellKind::Text, optional: false, about: "Not a number." }],
        ..OTHER
    };
    let texts = write(TableFormat::Parquet, other, &[vec![Cell::Text("x".into())]]);
    let cases = [
        (TableFormat::Parquet, b"not a table at all".to_vec(), "unexpected end of file"),
        (TableFormat::Parquet, texts, "column calls is not of type Integer"),
        (TableFormat::Ndjson, b"not a table at all".to_vec(), "invalid gzip header"),
        (
            TableFormat::Ndjson,
            folded("{\"calls\":1}\n[]\n"),
            "row 2: invalid type: sequence, expected an object at line 1 column 0",
        ),
        (
            TableFormat::Ndjson,
            folded("{\"calls\":\"1\"}\n"),
            "row 1: invalid value: string \"1\", expected Integer in column calls at line 1 column 12",
        ),
        (TableFormat::Ndjson, folded("{\"calls\":1"), "row 1: EOF while parsing an object at line 1 column 10"),
        (
            TableFormat::Ndjson,
            folded(&"[".repeat(100_000)),
            "row 1: invalid type: sequence, expected an object at line 1 column 0",
        ),
        (TableFormat::Csv, folded(""), "missing header"),
        (
            TableFormat::Csv,
            folded("calls,tool\n1\n"),
            "CSV error: record 1 (line: 2, byte: 11): found record with 1 fields, but the previous record has 2 fields",
        ),
        (TableFormat::Csv, folded("calls,tool\none,x\n"), "line 2: column calls is not of type Integer"),
    ];
    for (format, bytes, words) in cases {
        let error = read(format, &OTHER, &bytes, None).expect_err(words);
        assert_eq!(error.to_string(), format!("damaged table: {words}"), "{format:?}");
    }
}

#[test]
fn a_row_without_end_is_an_error() {
    let mut out = super::gzip::writer(Vec::new());
    out.write_all(b"{\"tool\":\"").expect("memory takes everything");
    let piece = vec![b'x'; 1 << 20];
    for _ in 0..129 {
        out.write_all(&piece).expect("memory takes everything");
    }
    let bytes = super::gzip::finish(out).expect("memory takes everything");
    for format in [TableFormat::Ndjson, TableFormat::Csv] {
        let error = read(format, &OTHER, &bytes, None).expect_err("it has no end");
        assert_eq!(error.to_string(), "damaged table: a row is too long", "{format:?}");
    }
}
