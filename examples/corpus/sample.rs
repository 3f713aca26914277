//! A sample, split into what a session has once and what it repeats. Independent of what varies between repetitions.

use std::collections::HashSet;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use transcope::session::Session;

use crate::families::{Part, Shape};
use crate::times;

/// Placeholder in a document for the elements of its list.
const PLACE: &str = "@elements@";

/// A sample, split into parts.
pub struct Sample {
    /// For a document with a list, the rest of it, with [`PLACE`] in the list.
    pub frame: Option<Value>,
    /// The records that a session has once.
    pub head: Vec<Record>,
    /// The records that it repeats.
    pub round: Vec<Record>,
    /// All ids in it.
    pub ids: HashSet<String>,
    /// The ids of the session itself, as opposed to ids of something in it.
    pub session_ids: HashSet<String>,
    /// Calls in a round; never 0.
    pub calls: u64,
    /// Bytes of a round.
    pub length: u64,
    /// The first and the last time in it, in milliseconds since 1970; `None` without times.
    pub times: Option<(i64, i64)>,
}

/// A part of a file.
pub enum Record {
    /// Text, or a record that is kept verbatim.
    Text(String),
    /// A JSON value and the text around it.
    Json {
        /// The text before it.
        before: String,
        value: Value,
        /// The text after it.
        after: &'static str,
    },
}

impl Record {
    /// Its JSON value, if it has one.
    pub fn value(&self) -> Option<&Value> {
        if let Self::Json { value, .. } = self { Some(value) } else { None }
    }
}

impl Sample {
    /// Reads and splits a sample of a given format.
    pub fn read(samples: &Path, part: &Part, shape: Shape) -> Result<Self> {
        let path = samples.join(part.path);
        let source = std::fs::read_to_string(&path).with_context(|| format!("could not read {}", path.display()))?;
        let source = source.replace("\r\n", "\n");
        let (frame, mut records) = match shape {
            Shape::Lines => (None, source.lines().map(|line| record(line, "\n")).collect()),
            Shape::Events => (None, source.split("\n\n").filter(|event| !event.is_empty()).map(event).collect()),
            Shape::List(pointer) => {
                let (frame, elements) = list(&source, pointer).with_context(|| part.path.to_owned())?;
                (Some(frame), elements)
            }
            Shape::Text => (None, vec![Record::Text(source.clone())]),
        };
        records.truncate(records.len().saturating_sub(part.omitted));
        ensure!(part.head < records.len(), "{} has fewer records than the table says", part.path);
        let round = records.split_off(part.head);
        let session = Session::from_bytes(source.as_bytes());
        let document = session.document();
        let mut found = Found::default();
        for value in frame.iter().chain(records.iter().filter_map(Record::value)) {
            found.collect(value, Place::Head);
        }
        for value in round.iter().filter_map(Record::value) {
            found.collect(value, Place::Round);
        }
        let Found { mut ids, session_ids, times } = found;
        if shape == Shape::Text {
            let written = document.calls().filter_map(|item| document.call(item)?.id);
            ids.extend(written.map(|id| session.text().read_str(id.span).into_owned()));
        }
        ids.retain(|id| id.len() > 1);
        let calls = document.calls().len().max(1) as u64;
        Ok(Self { frame, head: records, round, ids, session_ids, calls, length: source.len() as u64, times })
    }
}

/// A line, or the data of an event.
fn record(line: &str, after: &'static str) -> Record {
    match serde_json::from_str(line) {
        Ok(value) => Record::Json { before: String::new(), value, after },
        Err(_) => Record::Text(format!("{line}{after}")),
    }
}

/// A server-sent event, whose data is on its last line.
fn event(event: &str) -> Record {
    const DATA: &str = "data: ";
    let (lines, data) = event.rfind(DATA).map_or(("", event), |at| event.split_at(at + DATA.len()));
    match record(data.trim_end(), "\n\n") {
        Record::Json { value, after, .. } => Record::Json { before: lines.to_owned(), value, after },
        Record::Text(text) => Record::Text(format!("{lines}{text}")),
    }
}

/// A document without the elements of its list, and the elements.
fn list(source: &str, pointer: &str) -> Result<(Value, Vec<Record>)> {
    let mut frame: Value = serde_json::from_str(source)?;
    let place = frame.pointer_mut(pointer).and_then(Value::as_array_mut).context("there is no list at its pointer")?;
    let elements = std::mem::replace(place, vec![PLACE.into()]);
    let records = elements.into_iter().map(|value| Record::Json { before: String::new(), value, after: "" });
    Ok((frame, records.collect()))
}

/// The text before the elements of a list, and the text after them.
pub fn split_frame(frame: &Value) -> (String, String) {
    let written = frame.to_string();
    let place = format!("\"{PLACE}\"");
    let (before, after) = written.split_once(&place).unwrap_or((&written, ""));
    (before.to_owned(), after.to_owned())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Head,
    Round,
}

/// Ids and times in the records of a sample.
#[derive(Default)]
struct Found {
    ids: HashSet<String>,
    session_ids: HashSet<String>,
    times: Option<(i64, i64)>,
}

impl Found {
    /// Collects the ids and the times of a record. An id at the head of a file is the session's.
    fn collect(&mut self, value: &Value, place: Place) {
        let mut values = vec![("", value)];
        while let Some((key, value)) = values.pop() {
            match value {
                Value::Object(members) => values.extend(members.iter().map(|(key, value)| (key.as_str(), value))),
                Value::Array(elements) => values.extend(elements.iter().map(|element| (key, element))),
                Value::String(text) if is_id_key(key) => {
                    let is_of_session = key.replace('_', "").eq_ignore_ascii_case("sessionid");
                    if is_of_session || (place == Place::Head && key == "id") {
                        self.session_ids.insert(text.clone());
                    }
                    self.ids.insert(text.clone());
                }
                other => {
                    if let Some(time) = times::read(other) {
                        let (first, last) = self.times.unwrap_or((time, time));
                        self.times = Some((first.min(time), last.max(time)));
                    }
                }
            }
        }
    }
}

/// True if the strings under a key are ids that belong to one session alone.
fn is_id_key(key: &str) -> bool {
    const OTHERS: [&str; 5] = ["model", "provider", "project", "user", "account"];
    let key = key.to_ascii_lowercase();
    (key.ends_with("id") || key.ends_with("ids")) && !OTHERS.iter().any(|other| key.contains(other))
}
