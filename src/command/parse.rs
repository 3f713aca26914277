//! `parse`: prints everything the parser saw.
//!
//! The streaming formats are written while the transcript arrives. This module does not know how they look.

use std::io::{self, Write};
use std::sync::mpsc;

use anyhow::{anyhow, ensure};

use super::{
    DEMONSTRATED, QUEUE, name_of, new_session, pass_aside, read, setup, shown_sources, source_options, sources_of, tell,
};
use crate::cli::{OpenArgs, ParseArgs, ParseFormat, TEXT_WIDTH};
use crate::config::Setup;
use crate::export::events::EventWriter;
use crate::export::ndjson::NdjsonWriter;
use crate::export::{json, text};
use crate::session::Session;
use crate::source::command::{self, Exit};
use crate::source::{self, Follow, SourceEvent, SourceOptions, SourceSpec};
use crate::text::output::Output;

/// Runs the command. Says how the command behind `--` ended, if there is one.
pub fn run<W: Write>(args: &ParseArgs, out: &mut W) -> anyhow::Result<Option<Exit>> {
    let ParseArgs { path, stream, format, width, following, common } = args;
    let setup = setup(common)?;
    let specs = sources_of(path.as_slice(), &stream.command)?;
    let [spec] = specs.as_slice() else { return Err(anyhow!("parse reads one transcript: give a path or a command")) };
    let streaming = matches!(format, ParseFormat::Ndjson | ParseFormat::Events);
    let reading = source_options(&specs, *following, stream)?.pop().unwrap_or_default();
    ensure!(streaming || reading.follow == Follow::No, "following needs --format ndjson or --format events");
    forward_signals(&specs);
    if streaming {
        return print_as_it_comes(&setup, spec, reading, *format, out);
    }
    let whole = read(&setup, spec, reading)?;
    match format {
        ParseFormat::Text => text::write(out, &whole.session, *width)?,
        _ => json::write_transcript(out, &whole.session, &name_of(spec))?,
    }
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
        text::write(out, &whole.session, TEXT_WIDTH)?;
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

/// What writes records while a session reads.
pub(super) enum RecordWriter {
    Ndjson(NdjsonWriter),
    Events(EventWriter),
}

impl RecordWriter {
    pub(super) fn new(format: ParseFormat) -> Self {
        match format {
            ParseFormat::Events => RecordWriter::Events(EventWriter::default()),
            _ => RecordWriter::Ndjson(NdjsonWriter::default()),
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

fn print_as_it_comes<W: Write>(
    setup: &Setup,
    spec: &SourceSpec,
    reading: SourceOptions,
    format: ParseFormat,
    out: &mut W,
) -> anyhow::Result<Option<Exit>> {
    let (sender, receiver) = mpsc::sync_channel(QUEUE);
    source::open(spec, reading, move |event| sender.send(event).is_ok())?;
    let mut session = new_session(&setup)?;
    let mut writer = RecordWriter::new(format);
    let mut exited = None;
    let mut failure = None;
    let mut errors = Output::stderr();
    for event in receiver {
        match event {
            SourceEvent::Chunk(bytes) => {
                session.push(&bytes);
                session.take_notices().iter().try_for_each(|words| tell(words))?;
                writer.advance(out, &session)?;
            }
            SourceEvent::Backing(backing) => session.back(backing),
            SourceEvent::CaughtUp => {}
            SourceEvent::Notice(words) => tell(&words)?,
            SourceEvent::Demonstration => tell(DEMONSTRATED)?,
            SourceEvent::Restarted(words) => {
                // The transcript that was is complete, and another one begins.
                session.finish();
                writer.advance(out, &session)?;
                tell(&words)?;
                session = new_session(&setup)?;
                writer = RecordWriter::new(format);
            }
            SourceEvent::Aside(event) => pass_aside(*event, &mut errors)?,
            SourceEvent::Exited(exit) => exited = Some(exit),
            SourceEvent::End => break,
            SourceEvent::Failed(words) => failure = Some(words),
        }
    }
    // What could be read is printed before it is said why there is no more.
    session.finish();
    writer.advance(out, &session)?;
    failure.map_or(Ok(exited), |words| Err(anyhow!(words)))
}
