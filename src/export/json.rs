//! Everything the parser saw as one JSON object, an item a line.
//!
//! Written piece by piece, so that no second copy of a large transcript is made. This module does not know how a
//! record looks.

use std::io::{self, Write};

use serde::Serialize;

use super::json_text::{write, write_line, write_lines};
use super::record::{self, SCHEMA_VERSION};
use crate::container::Container;
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
    let document = session.document();
    write!(out, "{{\n\"schema_version\": {SCHEMA_VERSION},\n\"source\": ")?;
    write(out, &source(session, path))?;
    out.write_all(b",\n\"messages\": ")?;
    write_lines(out, record::messages(session))?;
    out.write_all(b",\n\"items\": ")?;
    let mut walk = Walk::default();
    write_lines(out, (0..document.items().len()).map(|number| record::item(session, number, &mut walk)))?;
    out.write_all(b",\n\"diagnostics\": ")?;
    let mut walk = Walk::default();
    let sorted = document.sorted_diagnostics();
    write_lines(out, sorted.map(|diagnostic| record::diagnostic(session, diagnostic, &mut walk)))?;
    out.write_all(b",\n\"graph\": ")?;
    write(out, &record::graph(session, &session.graph(), &session.labels()))?;
    out.write_all(b"\n}\n")
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
