//! `parse`: prints everything the parser saw.
//!
//! The streaming formats are written while the transcript arrives. This module does not know how they look.

use std::io::{self, Write};

use anyhow::{anyhow, ensure};

use super::{filter_option, name_of, read, read_with, setup, shown_sources, source_options, sources_of};
use crate::cli::{OpenArgs, ParseArgs, ParseFormat, TEXT_WIDTH};
use crate::export::events::EventWriter;
use crate::export::ndjson::NdjsonWriter;
use crate::export::{json, text};
use crate::filter::{Filter, Selection};
use crate::session::Session;
use crate::source::command::{self, Exit};
use crate::source::{Follow, SourceSpec};

/// Runs the command. Says how the command behind `--` ended, if there is one.
pub fn run<W: Write>(args: &ParseArgs, out: &mut W) -> anyhow::Result<Option<Exit>> {
    let ParseArgs { path, stream, format, width, filter, following, common } = args;
    let filter = filter_option(filter)?;
    let setup = setup(common)?;
    let specs = sources_of(path.as_slice(), &stream.command)?;
    let [spec] = specs.as_slice() else { return Err(anyhow!("parse reads one transcript: give a path or a command")) };
    let streaming = matches!(format, ParseFormat::Ndjson | ParseFormat::Events);
    let reading = source_options(&specs, *following, stream)?.pop().unwrap_or_default();
    ensure!(streaming || reading.follow == Follow::No, "following needs --format ndjson or --format events");
    forward_signals(&specs);
    let mut writer = RecordWriter::new(*format, filter.as_ref());
    let whole = read_with(&setup, spec, reading, |session| {
        if streaming {
            writer.advance(out, session)?;
        }
        if session.is_finished() {
            writer = RecordWriter::new(*format, filter.as_ref());
        }
        Ok(())
    })?;
    let selection = || filter.as_ref().map(|filter| Selection::new(filter, &whole.session));
    match format {
        ParseFormat::Text => text::write(out, &whole.session, *width, selection().as_ref())?,
        ParseFormat::Json => {
            json::write_transcript(out, &whole.session, &name_of(spec), None, selection().as_ref())?;
        }
        ParseFormat::Ndjson | ParseFormat::Events => {}
    }
    // What could be read is printed before it is said why there is no more.
    whole.outcome()?;
    Ok(whole.exit)
}

/// Prints for people what the UI would have opened.
pub fn run_without_terminal<W: Write>(args: &OpenArgs, out: &mut W) -> anyhow::Result<Option<Exit>> {
    let OpenArgs { stream, following, common, edit, .. } = args;
    ensure!(edit.is_none(), "--edit needs a terminal");
    let setup = setup(common)?;
    let specs = shown_sources(args)?;
    let readings = source_options(&specs, *following, stream)?;
    ensure!(
        readings.iter().all(|reading| reading.follow == Follow::No),
        "following needs a terminal, or transcope parse --format ndjson or events"
    );
    forward_signals(&specs);
    let mut exit = None;
    for (spec, reading) in specs.iter().zip(readings) {
        let whole = read(&setup, spec, reading)?;
        if specs.len() > 1 {
            writeln!(out, "==> {} <==", spec.name())?;
        }
        text::write(out, &whole.session, TEXT_WIDTH, None)?;
        whole.outcome()?;
        exit = exit.or(whole.exit);
    }
    Ok(exit)
}

/// A command gets the signals that would end this program. Where there is none, they are left as they are.
fn forward_signals(specs: &[SourceSpec]) {
    if specs.iter().any(|spec| matches!(spec, SourceSpec::Command(_))) {
        command::forward_signals();
    }
}

pub(super) enum RecordWriter {
    Ndjson(NdjsonWriter),
    Events(EventWriter),
}

impl RecordWriter {
    pub(super) fn new(format: ParseFormat, filter: Option<&Filter>) -> Self {
        match (format, filter.cloned()) {
            (ParseFormat::Events, None) => RecordWriter::Events(EventWriter::default()),
            (ParseFormat::Events, Some(filter)) => RecordWriter::Events(EventWriter::with_filter(filter)),
            (_, None) => RecordWriter::Ndjson(NdjsonWriter::default()),
            (_, Some(filter)) => RecordWriter::Ndjson(NdjsonWriter::with_filter(filter)),
        }
    }

    pub(super) fn advance<W: Write>(&mut self, out: &mut W, session: &Session) -> io::Result<()> {
        match self {
            RecordWriter::Ndjson(writer) => writer.advance(out, session)?,
            RecordWriter::Events(writer) => writer.advance(out, session)?,
        }
        out.flush()
    }
}
