//! The items that a filter matches, one line each: as text, JSON or CSV.
//!
//! The columns of the CSV are the keys of the JSON.

use std::io::{self, Write};
use std::ops::Range;

use serde::Serialize;

use super::json_text::write_line;
use crate::document::graph::{Fate, Graph};
use crate::document::{Call, CallResult, Item};
use crate::filter::Selection;
use crate::session::Session;
use crate::session::parallel::items::in_order;
use crate::text::sanitize::visible_str;
use crate::text::{Span, Walk};
use crate::value::{ParamTree, ROOT, Value};

/// Maximum length in characters of a summary of parameters.
const SUMMARY: usize = 100;

/// Number of bytes of an item that its summary is made from.
const LOOKED: usize = 4096;

/// Output format of matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatchFormat {
    /// Location and summary, in the form of compiler messages.
    Text,
    /// One JSON object on each line.
    Ndjson,
    /// Comma-separated values after a header line.
    Csv,
}

/// A matching item. Its text is sanitized.
#[derive(Serialize)]
struct MatchRecord<'a> {
    path: &'a str,
    line: usize,
    column: usize,
    item: usize,
    #[serde(rename = "type")]
    kind: &'static str,
    role: Option<&'static str>,
    tool: Option<String>,
    id: Option<String>,
    dialect: Option<&'static str>,
    outcome: Option<&'static str>,
    summary: String,
    /// True if the call is one of the file's own records, whose id is machine-generated.
    #[serde(skip)]
    is_recorded: bool,
}

const COLUMNS: [&str; 11] =
    ["path", "line", "column", "item", "type", "role", "tool", "id", "dialect", "outcome", "summary"];

/// Writes the matches of one or more transcripts.
#[derive(Clone, Copy, Debug)]
pub struct MatchWriter {
    format: MatchFormat,
}

impl MatchWriter {
    /// Creates a writer.
    pub fn new(format: MatchFormat) -> Self {
        Self { format }
    }

    /// Writes the CSV header.
    pub fn begin<W: Write>(self, out: &mut W) -> io::Result<()> {
        if self.format == MatchFormat::Csv { write_row(out, &COLUMNS) } else { Ok(()) }
    }

    /// Writes the matches in a completely read transcript and returns their number; `path` is its displayed path.
    /// Whitespace-only text does not match. Large results are computed on up to `threads` threads.
    pub fn write<W: Write>(
        self,
        out: &mut W,
        path: &str,
        session: &Session,
        selection: &Selection,
        threads: usize,
    ) -> io::Result<usize> {
        let path = &*visible_str(path);
        // Only calls with dependencies need the graph to find out their fates.
        let calls = selection.items().iter().filter_map(|&item| session.document().call(item));
        let graph = calls.map(|call| call.waits_for().len()).any(|waits| waits > 0).then(|| session.graph());
        let graph = graph.as_ref();
        let matches = || {
            let mut walk = Walk::default();
            move |chunk: Range<usize>| {
                let (mut lines, mut count) = (Vec::new(), 0);
                for &item in &selection.items()[chunk] {
                    let Some(record) = record(session, graph, path, item, &mut walk) else { continue };
                    count += 1;
                    self.write_record(&mut lines, &record)?;
                }
                io::Result::Ok((lines, count))
            }
        };
        let mut count = 0;
        in_order(selection.items().len(), threads, matches, |chunk| {
            let (lines, matches) = chunk?;
            count += matches;
            out.write_all(&lines)
        })?;
        Ok(count)
    }

    fn write_record<W: Write>(self, out: &mut W, record: &MatchRecord<'_>) -> io::Result<()> {
        match self.format {
            MatchFormat::Text => write_text(out, record),
            MatchFormat::Ndjson => write_line(out, record),
            MatchFormat::Csv => {
                let MatchRecord { path, line, column, item, kind, role, tool, id, dialect, outcome, summary, .. } =
                    record;
                let [line, column, item] = [line, column, item].map(ToString::to_string);
                let [tool, id] = [tool, id].map(|word| word.as_deref().unwrap_or_default());
                let [role, dialect, outcome] = [role, dialect, outcome].map(|word| word.unwrap_or_default());
                write_row(out, &[path, &line, &column, &item, kind, role, tool, id, dialect, outcome, summary])
            }
        }
    }
}

fn write_row<W: Write>(out: &mut W, fields: &[&str; 11]) -> io::Result<()> {
    let mut writer = csv::WriterBuilder::new().from_writer(Vec::new());
    writer.write_record(fields)?;
    let row = writer.into_inner().map_err(|error| io::Error::other(error.to_string()))?;
    out.write_all(&row)
}

/// Writes a match as text. Machine-generated ids are left out.
fn write_text<W: Write>(out: &mut W, record: &MatchRecord<'_>) -> io::Result<()> {
    let MatchRecord { line, column, kind, role, tool, id, outcome, summary, .. } = record;
    let path = if record.path == "-" { "stdin" } else { record.path };
    write!(out, "{path}:{line}:{column}: {kind}")?;
    let who = if tool.is_none() { role.map(str::to_owned) } else { tool.clone() };
    let id = id.as_deref().filter(|_| !record.is_recorded);
    for word in who.as_deref().into_iter().chain(id).filter(|word| !word.is_empty()) {
        write!(out, " {word}")?;
    }
    if let Some(outcome) = outcome {
        write!(out, " ({outcome})")?;
    }
    if summary.is_empty() { writeln!(out) } else { writeln!(out, ": {summary}") }
}

fn record<'a>(
    session: &Session,
    graph: Option<&Graph>,
    path: &'a str,
    number: usize,
    walk: &mut Walk,
) -> Option<MatchRecord<'a>> {
    let (document, text) = (session.document(), session.text());
    let item = document.items().get(number)?;
    let span = item.span();
    let said = || one_line(&text.read_str(Span::new(span.start, span.end.min(span.start + LOOKED))));
    let kind: &str = item.item_type().into();
    let (call, summary) = match item {
        Item::Text(_) => (None, Some(said()).filter(|words| !words.is_empty())?),
        Item::Aside(_) => (None, said()),
        Item::Call(call) => (Some((number, call)), parameters(session, number)),
        Item::Result(CallResult { call, again, .. }) => {
            let of = call.map(|(of, _)| of).or(again);
            (of.and_then(|of| Some((of, document.call(of)?))), said())
        }
    };
    // Leading whitespace of a text is not a useful location.
    let skipped = text.read(Span::new(span.start, span.end.min(span.start + LOOKED)));
    let blank = skipped.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let start = if kind == "text" { span.start + blank } else { span.start };
    let place = session.position_by(walk, start);
    let named = if let Item::Result(answer) = &item { answer.id.map(|id| id.text(text)) } else { None };
    let id = named.or_else(|| call.filter(|(_, call)| call.id.is_some()).map(|(_, call)| call.id(text)));
    Some(MatchRecord {
        path,
        line: place.line,
        column: place.column,
        item: number,
        kind,
        role: document.messages().role(document.message_at(span.start)).map(crate::document::MessageRole::word),
        tool: call.map(|(_, call)| visible_str(&call.name(text)).into_owned()),
        id: id.map(|id| visible_str(&id).into_owned()),
        dialect: call.map(|(_, call)| call.dialect),
        outcome: outcome(session, graph, &item, call),
        summary,
        is_recorded: call.is_some_and(|(call, _)| document.is_recorded(call)),
    })
}

/// The outcome of a call in the terms of filters; `None` if unremarkable.
fn outcome(
    session: &Session,
    graph: Option<&Graph>,
    item: &Item<'_>,
    call: Option<(usize, Call<'_>)>,
) -> Option<&'static str> {
    let failed = if let Item::Result(answer) = item { answer.verdict.is_failure() } else { false };
    let Some((number, call)) = call else { return failed.then_some("failed") };
    let document = session.document();
    let fate = graph.and_then(|graph| Some(graph.nodes[graph.node_of(number)?].fate));
    if document.is_withdrawn(number) {
        Some(crate::wording::WITHDRAWN)
    } else if failed || call.answer.is_some_and(crate::container::CallOutcome::is_failure) {
        Some("failed")
    } else if call.failed {
        Some("rejected")
    } else if matches!(fate, Some(Fate::Skipped(_))) {
        Some("skipped")
    } else {
        let is_open = document.answers() > 0 && call.answer.is_none() && document.answer_of(number).is_none();
        is_open.then_some("open")
    }
}

/// Summary of the first parameters of a call: `path: src/a.ts, content: export…`.
fn parameters(session: &Session, item: usize) -> String {
    let Some((assembly, _)) = session.dissect_prefix(item, LOOKED) else { return String::new() };
    let tree = &assembly.tree;
    let mut words = String::new();
    let root = matches!(tree.node(ROOT).value, Value::Scalar(..)).then_some(ROOT);
    for id in root.into_iter().chain(tree.walk().map(|(id, _)| id)) {
        if !matches!(tree.node(id).value, Value::Scalar(..)) {
            continue;
        }
        if words.chars().count() > SUMMARY {
            break;
        }
        if !words.is_empty() {
            words.push_str(", ");
        }
        words.push_str(&parameter(session, tree, id));
    }
    one_line(&words)
}

fn parameter(session: &Session, tree: &ParamTree, id: usize) -> String {
    let value = tree.scalar_text(id, session.text());
    let end = value.char_indices().nth(SUMMARY).map_or(value.len(), |(end, _)| end);
    if id == ROOT { value[..end].to_owned() } else { format!("{}: {}", tree.path(id), &value[..end]) }
}

/// The beginning of a text on one line, sanitized, with an ellipsis if it is cut off.
fn one_line(words: &str) -> String {
    let mut line = String::new();
    for word in words.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        if line.chars().count() > SUMMARY {
            let end = line.char_indices().nth(SUMMARY - 1).map_or(line.len(), |(end, _)| end);
            line.truncate(end);
            line.push('…');
            break;
        }
    }
    visible_str(&line).into_owned()
}
