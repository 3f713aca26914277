//! `CORPUS.md`: its tables match the program's, and its recipes and the guide's give the same answers on an index as
//! `transcope stats`.
//!
//! `tests/recipes/run.py` runs the recipes, here on DuckDB. They are skipped with a message if there is no Python that
//! has it; `.ci/run` installs one into `target/python`.

use std::fmt::Write as _;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use assert_cmd::cargo::cargo_bin;
use transcope::corpus::cell::{CellKind, Table, TableRow};
use transcope::corpus::tables::{CallRow, CountRow, ProblemRow, SCHEMA_VERSION, SessionRow};

use super::program::run_in;
use super::skip::skip;

const PAGE: &str = include_str!("../../CORPUS.md");

/// A table as the page describes it.
fn described(table: &Table) -> String {
    let mut text = format!("### `{}`\n\n{}\n\n| column | type | meaning |\n|---|---|---|\n", table.name, table.about);
    for column in table.columns {
        let kind = match column.kind {
            CellKind::Text => "text",
            CellKind::Integer => "integer",
            CellKind::Boolean => "boolean",
            CellKind::Timestamp => "time",
        };
        let or_none = if column.optional { " or none" } else { "" };
        writeln!(text, "| `{}` | {kind}{or_none} | {} |", column.name, column.about).expect("into memory");
    }
    text
}

#[test]
fn the_tables_of_the_page_are_those_of_the_program() {
    let version = format!("The version of the tables is {SCHEMA_VERSION}.");
    assert!(PAGE.contains(&version), "CORPUS.md does not say: {version}");
    let tables = [SessionRow::TABLE, CallRow::TABLE, ProblemRow::TABLE, CountRow::TABLE];
    let expected = tables.each_ref().map(described).join("\n");
    let (head, rest) = PAGE.split_once("### `").expect("the page has tables");
    let (found, tail) = rest.split_once("\n## ").expect("the page goes on behind them");
    if format!("### `{found}") != expected {
        if std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always") {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("CORPUS.md");
            fs::write(path, format!("{head}{expected}\n## {tail}")).expect("the page can be written");
        } else {
            panic!("the tables of CORPUS.md are others; INSTA_UPDATE=always writes them anew:\n\n{expected}");
        }
    }
}

/// A Python that has DuckDB; `None`, with a message, if there is none.
fn python() -> Option<PathBuf> {
    let program = cargo_bin!("transcope");
    let target = program.parent().and_then(Path::parent).expect("the program lies in the target directory");
    let has_duckdb = |python: &PathBuf| {
        Command::new(python).args(["-c", "import duckdb"]).output().is_ok_and(|output| output.status.success())
    };
    let found = [target.join("python/bin/python3"), "python3".into()].into_iter().find(has_duckdb);
    if found.is_none() {
        skip("there is no python3 with the package duckdb");
    }
    found
}

/// Runs the script on an index with DuckDB and this program. Returns its exit code and all its output.
fn compared(python: &Path, index: &Path, program: &Path) -> (Option<i32>, String) {
    let mut script = Command::new(python);
    script.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recipes/run.py")).arg(index);
    script.args(["--engine", "duckdb", "--transcope"]).arg(program);
    let output = script.output().expect("it can be run");
    let printed = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&printed).into_owned())
}

/// Makes an index of the samples in a folder, named after its format.
fn index_of_samples(folder: &Path, format: &str) -> PathBuf {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    let samples = samples.to_str().expect("a plain path");
    let run = run_in(folder, &["index", samples, "-o", format, "--format", format], &[], b"");
    assert_eq!(run.code, 0, "{format}: {}", run.stderr);
    folder.join(format)
}

#[test]
fn the_recipes_give_one_answer_on_an_index_of_each_format() {
    let Some(python) = python() else { return };
    let folder = tempfile::tempdir().expect("a folder can be made");
    for format in ["parquet", "ndjson", "csv"] {
        let index = index_of_samples(folder.path(), format);
        let (code, answers) = compared(&python, &index, cargo_bin!("transcope"));
        assert_eq!(code, Some(0), "{format}:\n{answers}");
        // The comparison covers the queries of both documents and the program itself.
        for source in ["duckdb, docs/many-sessions.md", "duckdb, CORPUS.md", "transcope stats"] {
            let is_compared = |line: &str| line.starts_with("failure-rate") && line.contains(source);
            assert!(answers.lines().any(is_compared), "{format}: {source}:\n{answers}");
        }
    }
}

#[test]
fn another_answer_is_found() {
    let Some(python) = python() else { return };
    let folder = tempfile::tempdir().expect("a folder can be made");
    let index = index_of_samples(folder.path(), "parquet");
    // A program whose statistics are of fewer transcripts.
    let program = folder.path().join("transcope");
    let real = cargo_bin!("transcope").display();
    let fewer = concat!(env!("CARGO_MANIFEST_DIR"), "/samples/containers");
    let lines = format!(
        "#!/bin/sh\n[ \"$1\" != stats ] || {{ shift 2; set -- stats '{fewer}' \"$@\"; }}\nexec '{real}' \"$@\"\n"
    );
    fs::write(&program, lines).expect("a file can be made");
    fs::set_permissions(&program, Permissions::from_mode(0o755)).expect("it is ours");
    let (code, answers) = compared(&python, &index, &program);
    assert!(code == Some(1) && answers.contains("DIFFERS from duckdb"), "{code:?}:\n{answers}");
}
