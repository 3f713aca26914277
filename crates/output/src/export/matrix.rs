//! The texts of a folder, each read by all parsers of its dialect, as a table, JSON and CSV.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};
use std::io::{self, Write};

use serde::Serialize;
use serde_json::{Value, json};

use super::json_text::{self, ObjectWriter};
use super::lens::write_wrapped;
use super::record::SCHEMA_VERSION;
use crate::lens::matrix::{MatrixCall, MatrixCell, MatrixVerdict};
use crate::runtime::Release;
use crate::runtime::catalog::ParserRelease;
use crate::text::sanitize::visible_str;
use crate::wording::{count, grouped};

/// A text with the readings of all parsers of its dialects.
pub struct MatrixText {
    /// The path of its file, as the folder was named in the command.
    pub path: String,
    /// Its line in the file, from 1; `None` if the file is the text.
    pub line: Option<usize>,
    /// The `id` of a line with one.
    pub id: Option<Value>,
    /// The dialects whose parsers read it.
    pub dialects: Vec<&'static str>,
    /// The calls that it should give.
    pub expected: Vec<MatrixCall>,
    /// Origin of the expected calls.
    pub source: ExpectedSource,
    /// A reading by each parser in each release.
    pub cells: Vec<MatrixCell>,
}

/// Origin of the expected calls of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ExpectedSource {
    /// The text, as this program reads it.
    Text,
    /// A file next to the text's.
    File,
    /// The member `expect` of the line.
    Line,
}

/// A text that no parser reads.
#[derive(Debug, Serialize)]
pub struct SkippedText {
    /// The path of its file, as the folder was named in the command.
    pub path: String,
    /// Its line in the file, from 1; `None` if the file is the text.
    pub line: Option<usize>,
    /// Why no parser reads it.
    pub reason: String,
}

/// The readings of all texts of a folder.
#[derive(Default)]
pub struct Matrix {
    /// The texts, in the order of their paths and lines.
    pub texts: Vec<MatrixText>,
    /// The texts that no parser reads.
    pub skipped: Vec<SkippedText>,
}

/// Numbers of readings by verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct VerdictCounts {
    /// Readings with exactly the expected calls.
    pub pass: usize,
    /// Readings with other calls, or with text where calls were expected.
    pub differs: usize,
    /// Failed requests and lost messages.
    pub rejected: usize,
}

/// The readings of a parser in one release.
struct ParserColumn<'a> {
    parser: ParserRelease,
    is_approximate: bool,
    /// The texts that it reads, by number, with its reading.
    cells: Vec<(usize, &'a MatrixCell)>,
}

/// A line of the table: a parser in releases with equal readings.
struct ColumnLine<'a> {
    first: &'a ParserColumn<'a>,
    versions: Vec<&'a str>,
}

impl ParserColumn<'_> {
    fn counts(&self) -> VerdictCounts {
        VerdictCounts::new(self.cells.iter().map(|(_, cell)| *cell))
    }

    /// True for another release of the same parser that reads all texts in the same way.
    fn reads_like(&self, other: &Self) -> bool {
        let readings =
            |column: &Self| column.cells.iter().map(|(text, cell)| (*text, cell.text.clone())).collect::<Vec<_>>();
        parser_key(&self.parser) == parser_key(&other.parser)
            && self.is_approximate == other.is_approximate
            && readings(self) == readings(other)
    }
}

impl Matrix {
    /// Numbers of all readings by verdict.
    pub fn counts(&self) -> VerdictCounts {
        VerdictCounts::new(self.texts.iter().flat_map(|text| &text.cells))
    }

    /// The parsers, dialect by dialect in the order of the texts, with the releases of a parser together.
    fn columns(&self) -> Vec<ParserColumn<'_>> {
        let mut columns: Vec<ParserColumn<'_>> = Vec::new();
        let mut numbers = HashMap::new();
        for (number, text) in self.texts.iter().enumerate() {
            for cell in &text.cells {
                let key = (parser_key(&cell.parser), cell.parser.release.version.as_str());
                let column = *numbers.entry(key).or_insert_with(|| {
                    columns.push(ParserColumn { parser: cell.parser, is_approximate: false, cells: Vec::new() });
                    columns.len() - 1
                });
                columns[column].cells.push((number, cell));
                columns[column].is_approximate |= cell.is_approximate;
            }
        }
        let (mut dialects, mut parsers) = (HashMap::new(), HashMap::new());
        for (number, column) in columns.iter().enumerate() {
            dialects.entry(column.parser.profile.dialect.as_str()).or_insert(number);
            parsers.entry(parser_key(&column.parser)).or_insert(number);
        }
        columns.sort_by_key(|column| {
            (dialects[column.parser.profile.dialect.as_str()], parsers[&parser_key(&column.parser)])
        });
        columns
    }
}

impl VerdictCounts {
    fn new<'a>(cells: impl Iterator<Item = &'a MatrixCell>) -> Self {
        let mut counts = Self::default();
        for cell in cells {
            *match cell.verdict {
                MatrixVerdict::Pass => &mut counts.pass,
                MatrixVerdict::Differs => &mut counts.differs,
                MatrixVerdict::Rejected => &mut counts.rejected,
            } += 1;
        }
        counts
    }

    /// True if every reading passes.
    pub fn all_pass(self) -> bool {
        self.differs == 0 && self.rejected == 0
    }
}

/// A reading as a row: the columns of CSV, and the keys of JSON.
#[derive(Serialize)]
struct MatrixRow<'a> {
    path: &'a str,
    line: Option<usize>,
    id: Option<&'a Value>,
    dialect: &'a str,
    runtime: &'a str,
    version: &'a str,
    parser: &'a str,
    verdict: MatrixVerdict,
    difference: Option<String>,
    reasons: Vec<&'static str>,
    text: &'a str,
    approximate: bool,
}

impl<'a> MatrixRow<'a> {
    fn new(text: &'a MatrixText, cell: &'a MatrixCell) -> Self {
        let ParserRelease { profile, parser, release } = cell.parser;
        Self {
            path: &text.path,
            line: text.line,
            id: text.id.as_ref(),
            dialect: &profile.dialect,
            runtime: &profile.runtime,
            version: &release.version,
            parser,
            verdict: cell.verdict,
            difference: cell.difference.map(|difference| word(&difference)),
            reasons: cell.reasons.iter().map(|code| code.name()).collect(),
            text: &cell.text,
            approximate: cell.is_approximate,
        }
    }
}

/// The word of an enumeration in outputs.
fn word(value: &impl Serialize) -> String {
    json!(value).as_str().unwrap_or_default().to_owned()
}

fn rows(matrix: &Matrix) -> impl Iterator<Item = MatrixRow<'_>> {
    matrix.texts.iter().flat_map(|text| text.cells.iter().map(move |cell| MatrixRow::new(text, cell)))
}

/// Writes one JSON object with all texts, rows and totals; files that could not be read are listed in it.
pub fn write_json<W: Write>(out: &mut W, matrix: &Matrix, unread: &[impl Serialize]) -> io::Result<()> {
    let text = |text: &MatrixText| {
        let MatrixText { path, line, id, dialects, expected, source, .. } = text;
        let expected = json!({ "source": source, "calls": expected });
        json!({ "path": path, "line": line, "id": id, "dialects": dialects, "expected": expected })
    };
    let column = |column: ParserColumn<'_>| {
        let ParserRelease { profile, parser, release } = column.parser;
        json!({
            "dialect": profile.dialect,
            "runtime": profile.runtime,
            "version": release.version,
            "date": release.date,
            "parser": parser,
            "approximate": column.is_approximate,
            "totals": column.counts(),
        })
    };
    ObjectWriter::new(out)
        .member("schema_version", &SCHEMA_VERSION)?
        .list("texts", matrix.texts.iter().map(text))?
        .list("rows", rows(matrix))?
        .list("parsers", matrix.columns().into_iter().map(column))?
        .member("totals", &matrix.counts())?
        .list("skipped", matrix.skipped.iter())?
        .list("unread", unread.iter())?
        .end()
}

/// Writes each reading as JSON on one line.
pub fn write_ndjson<W: Write>(out: &mut W, matrix: &Matrix) -> io::Result<()> {
    rows(matrix).try_for_each(|row| json_text::write_line(out, &row))
}

const CSV_COLUMNS: [&str; 12] = [
    "path",
    "line",
    "id",
    "dialect",
    "runtime",
    "version",
    "parser",
    "verdict",
    "difference",
    "reasons",
    "text",
    "approximate",
];

/// Writes CSV with a header line, and a line for each reading; several reasons are separated by spaces.
pub fn write_csv<W: Write>(out: &mut W, matrix: &Matrix) -> io::Result<()> {
    let mut writer = csv::WriterBuilder::new().terminator(csv::Terminator::Any(b'\n')).from_writer(out);
    writer.write_record(CSV_COLUMNS)?;
    for row in rows(matrix) {
        let id = row.id.map(|id| id.as_str().map_or_else(|| id.to_string(), str::to_owned));
        let cells: [String; CSV_COLUMNS.len()] = [
            row.path.to_owned(),
            row.line.map_or_else(String::new, |line| line.to_string()),
            id.unwrap_or_default(),
            row.dialect.to_owned(),
            row.runtime.to_owned(),
            row.version.to_owned(),
            row.parser.to_owned(),
            word(&row.verdict),
            row.difference.unwrap_or_default(),
            row.reasons.join(" "),
            row.text.to_owned(),
            row.approximate.to_string(),
        ];
        writer.write_record(cells.iter().map(|cell| visible_str(cell).into_owned()))?;
    }
    writer.flush()
}

/// Writes the totals of each parser, and the texts that some parser does not read as expected.
pub fn write_text<W: Write>(out: &mut W, matrix: &Matrix, width: usize) -> io::Result<()> {
    let counts = matrix.counts();
    let columns = matrix.columns();
    let readings = counts.pass + counts.differs + counts.rejected;
    let parsers: BTreeSet<_> = columns.iter().map(|column| parser_key(&column.parser)).collect();
    let words = format!(
        "{}, {} by {}: {} pass, {} differ, {} rejected",
        count(matrix.texts.len(), "text"),
        count(readings, "reading"),
        count(parsers.len(), "parser"),
        grouped(counts.pass),
        grouped(counts.differs),
        grouped(counts.rejected),
    );
    write_wrapped(out, &words, "", "  ", width)?;
    write_wrapped(out, &releases_of(&columns), "", "  ", width)?;
    write_columns(out, &columns, width)?;
    for text in matrix.texts.iter().filter(|text| text.cells.iter().any(|cell| cell.verdict != MatrixVerdict::Pass)) {
        write_failing(out, text, width)?;
    }
    for skipped in &matrix.skipped {
        let words = format!("skipped {}: {}", name(&skipped.path, skipped.line), skipped.reason);
        writeln!(out)?;
        write_wrapped(out, &words, "", "  ", width)?;
    }
    if columns.iter().any(|column| column.is_approximate) {
        writeln!(out)?;
        write_wrapped(out, "~ approximate: see transcope dialects --conformance", "", "  ", width)?;
    }
    Ok(())
}

/// Writes the totals of each parser, dialect by dialect. Releases of a parser with equal readings share a line.
fn write_columns<W: Write>(out: &mut W, columns: &[ParserColumn<'_>], width: usize) -> io::Result<()> {
    for of_dialect in columns.chunk_by(|one, other| one.parser.profile.dialect == other.parser.profile.dialect) {
        let texts: BTreeSet<usize> =
            of_dialect.iter().flat_map(|column| &column.cells).map(|(text, _)| *text).collect();
        writeln!(
            out,
            "\n  pass  differs  rejected  {}, {}",
            of_dialect[0].parser.profile.dialect,
            count(texts.len(), "text")
        )?;
        let mut lines: Vec<ColumnLine<'_>> = Vec::new();
        for column in of_dialect {
            let version = column.parser.release.version.as_str();
            match lines.iter_mut().find(|line| line.first.reads_like(column)) {
                Some(line) => line.versions.push(version),
                None => lines.push(ColumnLine { first: column, versions: vec![version] }),
            }
        }
        for ColumnLine { first: column, versions } in &lines {
            let key = parser_key(&column.parser);
            let is_only = lines.iter().filter(|line| parser_key(&line.first.parser) == key).count() == 1;
            let versions = if is_only { String::new() } else { format!(" ({})", versions.join(", ")) };
            let VerdictCounts { pass, differs, rejected } = column.counts();
            let [pass, differs, rejected] = [pass, differs, rejected].map(grouped);
            let first = format!("{pass:>6}  {differs:>7}  {rejected:>8}  ");
            let next = " ".repeat(first.len());
            let name = marked_name(&column.parser, column.is_approximate);
            write_wrapped(out, &format!("{name}{versions}"), &first, &next, width)?;
        }
    }
    Ok(())
}

/// The releases in the table, runtime by runtime.
fn releases_of(columns: &[ParserColumn<'_>]) -> String {
    let mut releases: Vec<(&str, Vec<&Release>)> = Vec::new();
    for ParserRelease { profile, release, .. } in columns.iter().map(|column| column.parser) {
        match releases.iter_mut().find(|(runtime, _)| *runtime == profile.runtime) {
            Some((_, known)) if known.contains(&release) => {}
            Some((_, known)) => known.push(release),
            None => releases.push((&profile.runtime, vec![release])),
        }
    }
    let words = releases.into_iter().map(|(runtime, mut releases)| {
        releases.sort_by_key(|release| Reverse(release.date));
        let versions: Vec<&str> = releases.iter().map(|release| release.version.as_str()).collect();
        format!("{runtime} {}", versions.join(" and "))
    });
    words.collect::<Vec<_>>().join(", ")
}

/// Writes the readings of a text that do not pass, equal ones together.
fn write_failing<W: Write>(out: &mut W, text: &MatrixText, width: usize) -> io::Result<()> {
    let expected = match text.expected.len() {
        0 => "no call".to_owned(),
        calls => count(calls, "call"),
    };
    let words = format!("{}: {}, {expected} expected", name(&text.path, text.line), text.dialects.join(", "));
    writeln!(out)?;
    write_wrapped(out, &words, "", "  ", width)?;
    let mut groups: Vec<(MatrixVerdict, &str, Vec<&MatrixCell>)> = Vec::new();
    for cell in text.cells.iter().filter(|cell| cell.verdict != MatrixVerdict::Pass) {
        match groups.iter_mut().find(|(verdict, words, _)| *verdict == cell.verdict && *words == cell.text) {
            Some((.., cells)) => cells.push(cell),
            None => groups.push((cell.verdict, &cell.text, vec![cell])),
        }
    }
    groups.sort_by_key(|(verdict, _, cells)| (*verdict, Reverse(cells.len())));
    for (verdict, words, cells) in groups {
        let reasons: BTreeSet<&str> =
            cells.iter().filter_map(|cell| cell.reasons.first()).map(|code| code.name()).collect();
        let reasons: Vec<&str> = reasons.into_iter().collect();
        let reasons = if reasons.is_empty() { String::new() } else { format!(" ({})", reasons.join(", ")) };
        let next = " ".repeat(12);
        write_wrapped(out, &format!("{words}{reasons}"), &format!("  {:<10}", word(&verdict)), &next, width)?;
        write_wrapped(out, &names_of(&cells, text), &next, &next, width)?;
    }
    Ok(())
}

/// The names of parsers, each with its releases unless these are all of its releases in the table.
fn names_of(cells: &[&MatrixCell], text: &MatrixText) -> String {
    let mut parsers: Vec<(&MatrixCell, Vec<&str>)> = Vec::new();
    for cell in cells {
        let key = parser_key(&cell.parser);
        let version = cell.parser.release.version.as_str();
        match parsers.iter_mut().find(|(first, _)| parser_key(&first.parser) == key) {
            Some((_, versions)) => versions.push(version),
            None => parsers.push((cell, vec![version])),
        }
    }
    let named = parsers.into_iter().map(|(first, versions)| {
        let key = parser_key(&first.parser);
        let all = text.cells.iter().filter(|cell| parser_key(&cell.parser) == key).count();
        let name = marked_name(&first.parser, first.is_approximate);
        if versions.len() == all { name } else { format!("{name} ({})", versions.join(", ")) }
    });
    named.collect::<Vec<_>>().join(", ")
}

/// The dialect, the runtime and the name of a parser, which its releases share.
fn parser_key(parser: &ParserRelease) -> (&'static str, &'static str, &'static str) {
    let ParserRelease { profile, parser, .. } = *parser;
    (&profile.dialect, &profile.runtime, parser)
}

/// The name of a parser without its release, with a mark if its readings are not reliable.
fn marked_name(parser: &ParserRelease, is_approximate: bool) -> String {
    let (_, runtime, parser) = parser_key(parser);
    format!("{runtime}:{parser}{}", if is_approximate { "~" } else { "" })
}

/// A file, with a line if the text is one of several in it.
fn name(path: &str, line: Option<usize>) -> String {
    line.map_or_else(|| path.to_owned(), |line| format!("{path}:{line}"))
}
