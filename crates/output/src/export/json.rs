//! Everything parsed, as one JSON object with an item per line.
//!
//! Written incrementally, to avoid a second copy of a large transcript.

use std::borrow::Cow;
use std::io::{self, Write};

use serde::Serialize;
use serde_json::Value;

use super::json_text::{ObjectWriter, write_line};
use super::notes;
use super::record::{self, SCHEMA_VERSION};
use super::session_facts;
use crate::container::Container;
use crate::filter::Selection;
use crate::redact::Redactor;
use crate::session::Session;
use crate::text::Walk;
use crate::wording;

#[derive(Serialize)]
struct Source<'a> {
    path: &'a str,
    bytes: usize,
    container: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    session_id: Option<Cow<'a, str>>,
}

#[derive(Serialize)]
struct GraphFile<'a> {
    schema_version: u32,
    source: Source<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    filter: Option<String>,
    #[serde(flatten)]
    graph: record::GraphRecord<'a>,
}

/// A record unchanged, or with every known secret replaced.
#[derive(Serialize)]
#[serde(untagged)]
enum Passed<T> {
    Plain(T),
    Redacted(Value),
}

fn redacted<T: Serialize>(record: T, redactor: Option<&Redactor>) -> Passed<T> {
    let Some(redactor) = redactor else { return Passed::Plain(record) };
    let value = serde_json::to_value(record).expect("records have keys of words and numbers that are finite");
    Passed::Redacted(clean(value, redactor))
}

fn clean(value: Value, redactor: &Redactor) -> Value {
    let words = |words: String| redactor.clean(&words).into_owned();
    match value {
        Value::String(text) => Value::String(words(text)),
        Value::Array(elements) => elements.into_iter().map(|element| clean(element, redactor)).collect(),
        Value::Object(members) => {
            members.into_iter().map(|(key, value)| (words(key), clean(value, redactor))).collect()
        }
        plain => plain,
    }
}

/// Writes a completely read transcript or a selection of it, with secrets replaced if there is a `redactor`; `path` is
/// its displayed path. Items of a selection are renumbered; messages keep their numbers, and the graph is always
/// complete.
pub fn write_transcript<W: Write>(
    out: &mut W,
    session: &Session,
    path: &str,
    redactor: Option<&Redactor>,
    selection: Option<&Selection>,
) -> io::Result<()> {
    let (mut places, mut problem_places) = (Walk::default(), Walk::default());
    let number = |item: usize| selection.map_or(Some(item), |selection| selection.position(item));
    let all = 0..if selection.is_some() { 0 } else { session.document().items().len() };
    let items = selection.map_or(&[][..], Selection::items).iter().copied().chain(all);
    let items = items.map(|item| record::item(session, item, record::Withdrawals::Known, &mut places));
    let problems = wording::problems(session, selection);
    let problems = problems.map(|found| record::diagnostic(session, found, &mut problem_places));
    let mut object = ObjectWriter::new(out);
    let name = redactor.map(|redactor| redactor.clean_name(path));
    object.member("schema_version", &SCHEMA_VERSION)?;
    object.member("source", &source(session, name.as_deref().unwrap_or(path), redactor))?;
    if let Some(selection) = selection {
        object.member("filter", &redacted(selection.filter().to_string(), redactor))?;
    }
    if session.is_decoded() {
        object
            .member("session", &redacted(session_facts::session(session), redactor))?
            .list("turns", session_facts::turns(session).map(|turn| redacted(turn, redactor)))?
            .list("requests", session_facts::requests(session).map(|request| redacted(request, redactor)))?
            .list("compactions", session_facts::compactions(session))?
            .list("agents", session_facts::agents(session).map(|agent| redacted(agent, redactor)))?;
    }
    object
        .list("messages", record::messages(session, selection).map(|message| redacted(message, redactor)))?
        .list("items", items.map(|item| redacted(item.renumbered(number), redactor)))?
        .list("diagnostics", problems.map(|found| redacted(found.renumbered(number), redactor)))?
        .member("outcomes", &session.outcomes())?
        .member("graph", &redacted(record::graph(session, &session.graph(), &session.labels()), redactor))?;
    if !session.notes().notes().is_empty() {
        let annotations = notes::annotations(session, number).filter(|note| selection.is_none() || note.is_placed());
        object.list("annotations", annotations.map(|note| redacted(note, redactor)))?;
    }
    object.end()
}

/// Writes only the dependency graph, or a part of it.
pub fn write_graph<W: Write>(out: &mut W, session: &Session, path: &str, part: Option<&Selection>) -> io::Result<()> {
    let (graph, labels) = (record::part_graph(session, part), session.labels());
    let graph = record::graph(session, &graph, &labels);
    let filter = part.map(|part| part.filter().to_string());
    write_line(out, &GraphFile { schema_version: SCHEMA_VERSION, source: source(session, path, None), filter, graph })
}

fn source<'a>(session: &'a Session, path: &'a str, redactor: Option<&Redactor>) -> Source<'a> {
    let container = session.choice().map_or(Container::PLAIN, |choice| choice.about.name);
    let clean = |id: &'a str| redactor.map_or(Cow::Borrowed(id), |redactor| redactor.clean(id));
    let session_id = session.document().session_id().map(clean);
    Source { path, bytes: session.file().len(), container, session_id }
}
