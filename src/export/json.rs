//! Everything the parser saw as one JSON object, one item per line.
//!
//! Written piece by piece, so that no second copy of a large transcript is made. This module does not know how a
//! record looks.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::Value;

use super::json_text::{ObjectWriter, write_line};
use super::record::{self, SCHEMA_VERSION};
use crate::container::Container;
use crate::redact::Redactor;
use crate::session::Session;
use crate::text::Walk;

#[derive(Serialize)]
struct Source<'a> {
    path: &'a str,
    bytes: usize,
    container: &'static str,
}

#[derive(Serialize)]
struct GraphFile<'a> {
    schema_version: u32,
    source: Source<'a>,
    #[serde(flatten)]
    graph: record::GraphRecord<'a>,
}

/// Writes a transcript that is read to its end; `path` is what it is called.
pub fn write_transcript<W: Write>(out: &mut W, session: &Session, path: &str) -> io::Result<()> {
    write_with(out, session, path, Plain)
}

/// Writes the same with every known secret replaced.
pub fn write_redacted<W: Write>(out: &mut W, session: &Session, path: &str, redactor: &Redactor) -> io::Result<()> {
    write_with(out, session, path, Redacted(redactor))
}

/// What is done to a record before it is written.
trait Pass: Copy {
    type Passed<T: Serialize>: Serialize;
    fn pass<T: Serialize>(self, record: T) -> Self::Passed<T>;
}

#[derive(Clone, Copy)]
struct Plain;

#[derive(Clone, Copy)]
struct Redacted<'a>(&'a Redactor);

impl Pass for Plain {
    type Passed<T: Serialize> = T;

    fn pass<T: Serialize>(self, record: T) -> T {
        record
    }
}

impl Pass for Redacted<'_> {
    type Passed<T: Serialize> = Value;

    fn pass<T: Serialize>(self, record: T) -> Value {
        let value = serde_json::to_value(record).expect("records have keys of words and numbers that are finite");
        self.clean(value)
    }
}

impl Redacted<'_> {
    fn clean(self, value: Value) -> Value {
        let words = |words: String| self.0.clean(&words).into_owned();
        match value {
            Value::String(text) => Value::String(words(text)),
            Value::Array(elements) => Value::Array(elements.into_iter().map(|element| self.clean(element)).collect()),
            Value::Object(members) => {
                Value::Object(members.into_iter().map(|(key, value)| (words(key), self.clean(value))).collect())
            }
            plain => plain,
        }
    }
}

fn write_with<W: Write>(out: &mut W, session: &Session, path: &str, pass: impl Pass) -> io::Result<()> {
    let document = session.document();
    let (mut items, mut problems) = (Walk::default(), Walk::default());
    let sorted = document.sorted_diagnostics();
    ObjectWriter::new(out)
        .member("schema_version", &SCHEMA_VERSION)?
        .member("source", &pass.pass(source(session, path)))?
        .list("messages", record::messages(session).map(|message| pass.pass(message)))?
        .list(
            "items",
            (0..document.items().len())
                .map(|number| pass.pass(record::item(session, number, record::Withdrawals::Known, &mut items))),
        )?
        .list("diagnostics", sorted.map(|found| pass.pass(record::diagnostic(session, found, &mut problems))))?
        .member("graph", &pass.pass(record::graph(session, &session.graph(), &session.labels())))?
        .end()
}

/// Writes the dependency graph alone.
pub fn write_graph<W: Write>(out: &mut W, session: &Session, path: &str) -> io::Result<()> {
    let (graph, labels) = (session.graph(), session.labels());
    let graph = record::graph(session, &graph, &labels);
    write_line(out, &GraphFile { schema_version: SCHEMA_VERSION, source: source(session, path), graph })
}

fn source<'a>(session: &Session, path: &'a str) -> Source<'a> {
    let container = session.choice().map_or(Container::PLAIN, |choice| choice.about.name);
    Source { path, bytes: session.file().len(), container }
}
