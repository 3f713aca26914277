//! Pages of problems as JSON and as Markdown.

use std::io::{self, Write};

use serde::Serialize;

use super::{by_severity, read_example, report_lines, visible_example};
use crate::diagnostic::{Code, Severity};
use crate::export::json_text::{ObjectWriter, write_pretty};
use crate::export::markdown::{escaped, fence};
use crate::export::record::{self, DiagnosticRecord, SCHEMA_VERSION};
use crate::text::Walk;

/// Width of a reported problem in Markdown, in columns.
const WIDTH: usize = 100;

/// A page as JSON. The order of fields is the order of keys.
#[derive(Serialize)]
struct PageRecord {
    code: &'static str,
    severity: Severity,
    title: &'static str,
    explanation: &'static str,
    help: &'static str,
    bad: String,
    good: String,
    /// The schemas of the tools that the examples are read with.
    #[serde(skip_serializing_if = "Option::is_none")]
    schema: Option<&'static str>,
    /// The dialect that the examples are read in; `None` if they are read as any text.
    #[serde(skip_serializing_if = "Option::is_none")]
    dialect: Option<&'static str>,
    /// The parsers that read the examples.
    #[serde(skip_serializing_if = "Option::is_none")]
    runtimes: Option<&'static [&'static str]>,
    /// The problems of `bad`, as `check` reports them.
    reported: Vec<DiagnosticRecord>,
}

impl PageRecord {
    fn new(code: Code) -> Self {
        let info = code.info();
        let session = read_example(code, &info.bad);
        let mut walk = Walk::default();
        let reported = session.document().sorted_diagnostics();
        let reported = reported.map(|found| record::diagnostic(&session, found, &mut walk)).collect();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Self {
            code: code.name(),
            severity: code.severity(),
            title: &info.title,
            explanation: &info.explanation,
            help: &info.help,
            bad: text(&info.bad),
            good: text(&info.good),
            schema: code.example_schema(),
            dialect: info.reader.as_ref().map(|reader| reader.dialect),
            runtimes: info.reader.as_ref().map(|reader| &reader.parsers[..]),
            reported,
        }
    }
}

#[derive(Serialize)]
struct PageFile {
    schema_version: u32,
    #[serde(flatten)]
    page: PageRecord,
}

/// Writes the page of a code as one JSON object.
pub(super) fn json<W: Write>(out: &mut W, code: Code) -> io::Result<()> {
    write_pretty(out, &PageFile { schema_version: SCHEMA_VERSION, page: PageRecord::new(code) })
}

/// Writes all pages as one JSON object.
pub(super) fn json_of_all<W: Write>(out: &mut W) -> io::Result<()> {
    let pages = by_severity().map(PageRecord::new);
    ObjectWriter::new(out).member("schema_version", &SCHEMA_VERSION)?.list("problems", pages)?.end()
}

/// Introduces the page of all problems.
const INTRODUCTION: &str = "\
# Problems

Written by `transcope explain --all --format markdown`. Because of an error, the runtime rejects the call or loses a part of it.
A warning is accepted, but surely not as meant; a hint is unusual; a note is not a fault of the text.

| severity | code | problem |
|---|---|---|";

/// Writes all pages as one page of Markdown, after a table with links to them.
pub(super) fn markdown_of_all<W: Write>(out: &mut W) -> io::Result<()> {
    writeln!(out, "{INTRODUCTION}")?;
    for code in by_severity() {
        let (name, title) = (code.name(), escaped(&code.info().title));
        writeln!(out, "| {} | [{name}](#{name}) | {title} |", code.severity().word())?;
    }
    by_severity().try_for_each(|code| {
        writeln!(out)?;
        markdown(out, code, 2)
    })
}

/// Writes the page of a code, with a heading of this level.
pub(super) fn markdown<W: Write>(out: &mut W, code: Code, level: usize) -> io::Result<()> {
    let info = code.info();
    writeln!(out, "{} {}\n", "#".repeat(level), code.name())?;
    writeln!(out, "**{}: {}**\n", code.severity().word(), escaped(&info.title))?;
    writeln!(out, "{}", escaped(&info.explanation))?;
    let example = |bytes| visible_example(bytes).map(|line| line.trim_end().to_owned()).collect::<Vec<_>>().join("\n");
    let report = report_lines(code, WIDTH).join("\n");
    for (title, text) in [("Bad", example(&info.bad)), ("Reported", report), ("Good", example(&info.good))] {
        writeln!(out, "\n{title}:\n\n{}", fence(&text))?;
    }
    writeln!(out, "\nHelp: {}", escaped(&info.help))
}
