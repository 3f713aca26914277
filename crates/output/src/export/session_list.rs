//! A list of sessions, as a text table, JSON and CSV.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::json_text::ObjectWriter;
use super::record::SCHEMA_VERSION;
use super::session_facts;
use crate::container::facts::{SessionKind, Timestamp};
use crate::session::Session;
use crate::text::sanitize::visible_str;
use crate::wording::session_columns::{ColumnLayout, SessionColumn};
use crate::wording::session_summary::{BadEnding, SessionSummary};
use crate::wording::{count, file_name, grouped};

/// A row of the list of sessions.
pub struct ListedSession {
    /// The path of its file.
    pub path: String,
    /// Size of its file in bytes.
    pub(crate) bytes: u64,
    /// Modification time of its file, if available.
    pub(crate) modified: Option<Timestamp>,
    /// Container format of its file.
    pub container: &'static str,
    /// Summary of the session.
    pub summary: SessionSummary,
    /// Numbers of errors and warnings in its text.
    pub(crate) problems: [usize; 2],
    /// The object that `parse --format json` prints as `session`.
    record: Value,
}

impl ListedSession {
    /// Creates the row of a completely read session.
    pub fn new(path: String, bytes: u64, modified: Option<Timestamp>, session: &Session) -> Self {
        let document = session.document();
        Self {
            path,
            bytes,
            modified,
            container: session.choice().map_or("plain", |choice| choice.about.name),
            summary: SessionSummary::new(session),
            problems: [document.errors(), document.warnings()],
            record: json!(session_facts::session(session)),
        }
    }

    /// Time of its last message, or else modification time of its file.
    pub fn last_time(&self) -> Option<Timestamp> {
        self.summary.times.map(|(_, end)| end).or(self.modified)
    }

    fn is_subagent(&self) -> bool {
        self.summary.kind == SessionKind::Subagent
    }

    /// Its title, or else the name of its file.
    fn title(&self) -> String {
        Some(self.summary.text_of(SessionColumn::Title))
            .filter(|title| !title.is_empty())
            .unwrap_or_else(|| file_name(&self.path).to_owned())
    }

    /// Text of a column; empty if unknown.
    fn text_of(&self, column: SessionColumn) -> String {
        match column {
            SessionColumn::Title => {
                let sign = self.summary.ending.map_or_else(String::new, |ending| format!("{} ", ending.sign()));
                let kind = if self.is_subagent() { "⑂ " } else { "" };
                format!("{kind}{sign}{}", self.title())
            }
            SessionColumn::Date => {
                self.last_time().map_or_else(String::new, |time| time.strftime("%Y-%m-%d %H:%M").to_string())
            }
            SessionColumn::Problems => problems_text(self.problems),
            SessionColumn::Kind => self.container.to_owned(),
            SessionColumn::File => file_name(&self.path).to_owned(),
            SessionColumn::Size | SessionColumn::Age => String::new(),
            _ => self.summary.text_of(column),
        }
    }

    /// The object of the list of sessions in JSON.
    pub(crate) fn json(&self) -> Value {
        let mut object = Map::new();
        object.insert("path".into(), json!(self.path));
        object.insert("bytes".into(), json!(self.bytes));
        object.insert("modified".into(), json!(self.modified.map(|time| time.to_string())));
        object.insert("container".into(), json!(self.container));
        if let Value::Object(record) = &self.record {
            object.extend(record.iter().map(|(key, value)| (key.clone(), value.clone())));
        }
        if let Some((title, source)) = &self.summary.title {
            object.insert("title".into(), json!(title));
            object.insert("title_source".into(), json!(source.name()));
        }
        object.insert("errors".into(), json!(self.problems[0]));
        object.insert("warnings".into(), json!(self.problems[1]));
        let ending = self.summary.ending.map(|ending| json!(ending.name()));
        let resume = self.summary.resume_command(self.container).map(Value::from);
        object.extend(ending.map(|ending| ("bad_ending".to_owned(), ending)));
        object.extend(resume.map(|command| ("resume".to_owned(), command)));
        Value::Object(object)
    }
}

/// Numbers of errors and warnings, each with its sign; empty if both are 0.
pub fn problems_text([errors, warnings]: [usize; 2]) -> String {
    let some = [("✗", errors), ("!", warnings)].into_iter().filter(|(_, number)| *number > 0);
    some.map(|(sign, number)| format!("{sign}{}", grouped(number))).collect::<Vec<_>>().join(" ")
}

/// Writes a table `width` columns wide; times are in UTC.
pub fn write_text<W: Write>(out: &mut W, sessions: &[ListedSession], width: usize) -> io::Result<()> {
    let layout = ColumnLayout::new(width, |column| sessions.iter().any(|session| !session.text_of(column).is_empty()));
    writeln!(out, "{}", layout.header().trim_end())?;
    for session in sessions {
        let cells = layout.columns.iter().map(|(column, width)| {
            let text = session.text_of(*column);
            column.cell(&visible_str(&text), *width, layout.gap)
        });
        writeln!(out, "{}", cells.collect::<String>().trim_end())?;
    }
    let agents = sessions.iter().filter(|session| session.is_subagent()).count();
    let agents = if agents > 0 { format!(", {agents} of them sub-agents (⑂)") } else { String::new() };
    writeln!(out, "{}{agents}", count(sessions.len(), "session"))
}

/// Writes one JSON object: the sessions, and the unreadable files.
pub fn write_json<W: Write>(out: &mut W, sessions: &[ListedSession], unread: &[impl Serialize]) -> io::Result<()> {
    let mut object = ObjectWriter::new(out);
    object
        .member("schema_version", &SCHEMA_VERSION)?
        .list("sessions", sessions.iter().map(ListedSession::json))?
        .list("unread", unread.iter())?
        .end()
}

/// Writes CSV with a header line.
pub fn write_csv<W: Write>(out: &mut W, sessions: &[ListedSession]) -> io::Result<()> {
    let mut writer = csv::WriterBuilder::new().terminator(csv::Terminator::Any(b'\n')).from_writer(out);
    writer.write_record(CSV_COLUMNS)?;
    for session in sessions {
        let summary = &session.summary;
        let time = |time: Option<Timestamp>| time.map_or_else(String::new, |time| time.to_string());
        let (start, end) = summary.times.unzip();
        let row: [String; CSV_COLUMNS.len()] = [
            session.path.clone(),
            session.container.to_owned(),
            summary.id.as_deref().unwrap_or_default().to_owned(),
            session.title(),
            summary.text_of(SessionColumn::Project),
            summary.models.join(" "),
            <&str>::from(summary.kind).to_owned(),
            summary.turns.to_string(),
            summary.calls.to_string(),
            summary.failed.to_string(),
            summary.duration().map_or_else(String::new, |took| took.as_millis().to_string()),
            summary.tokens.map_or_else(String::new, |tokens| tokens.to_string()),
            time(start),
            time(end),
            session.problems[0].to_string(),
            session.problems[1].to_string(),
            summary.ending.map_or("", BadEnding::name).to_owned(),
            session.bytes.to_string(),
            summary.cost.map_or_else(String::new, |cost| cost.value.to_string()),
            summary.cost.map_or("", |cost| cost.ground.into()).to_owned(),
        ];
        writer.write_record(row.iter().map(|cell| visible_str(cell).into_owned()))?;
    }
    writer.flush()
}

const CSV_COLUMNS: [&str; 20] = [
    "path",
    "container",
    "id",
    "title",
    "project",
    "models",
    "kind",
    "turns",
    "calls",
    "failed",
    "duration_ms",
    "tokens",
    "start",
    "end",
    "errors",
    "warnings",
    "bad_ending",
    "bytes",
    "cost",
    "cost_source",
];
