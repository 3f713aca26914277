//! `parse`: prints everything the parser saw.
//!
//! The streaming formats are written as the transcript arrives.

use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::{anyhow, ensure};
use clap::{Args, ValueEnum};

use super::archive;
use super::options::{CommonArgs, FilterArgs, FollowArgs, OpenArgs, StreamArgs, TEXT_WIDTH};
use super::outcome::ExitStatus;
use super::text_stream;
use super::transcript::{
    ReadTranscript, filter_of_command, name_of, read, read_with, setup, shown_sources, source_options, sources_of,
};
use crate::config::Setup;
use crate::export::events::EventWriter;
use crate::export::linear::LinearWriter;
use crate::export::ndjson::NdjsonWriter;
use crate::export::{json, text};
use crate::filter::{Filter, Selection};
use crate::session::Session;
use crate::source::{Follow, SourceOptions, SourceSpec, command};
use crate::text::sanitize::visible_str;

/// Print everything the parser saw
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  transcope parse session.md | jq '.items[] | select(.type == \"call\") | .name'
  agent | transcope parse --format ndjson
  transcope parse --format events --tee raw.txt -- agent
  transcope parse --format text --width 100 session.md | less
  transcope parse --filter 'failed tool:Bash' session.jsonl

With --filter, json numbers the items in the order of printing, and a result's call and a problem's item are such numbers;
messages keep their own, and the graph covers the whole transcript. ndjson and events print an item as soon as
it is decided: with failed, a call is printed when its result arrives, and with skipped, open or a kind of
problem that depends on other calls, at the end.")]
pub struct ParseArgs {
    /// Transcript; - is standard input
    path: Option<PathBuf>,
    /// Read many texts from standard input: JSON lines, each a string or an object with text and id
    #[arg(long, conflicts_with_all = ["path", "format", "command", "tee", "follow", "follow_name"])]
    each: bool,
    #[command(flatten)]
    stream: StreamArgs,
    /// Output format
    #[arg(long, value_enum, default_value = "json")]
    format: ParseFormat,
    /// Line width of the text format
    #[arg(long, value_name = "COLUMNS", default_value_t = TEXT_WIDTH)]
    width: usize,
    #[command(flatten)]
    filter: FilterArgs,
    #[command(flatten)]
    following: FollowArgs,
    #[command(flatten)]
    pub(super) common: CommonArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum ParseFormat {
    /// One JSON object with everything
    Json,
    /// One JSON object per line for each item and problem, as soon as it is final
    Ndjson,
    /// The events of the AI SDK UI message stream, one JSON object per line
    Events,
    /// Plain text for people
    Text,
}

/// Runs `transcope parse`. Returns the exit status of the command after `--`, if there is one.
pub fn run<W: Write>(args: &ParseArgs, out: &mut W) -> anyhow::Result<ExitStatus> {
    let ParseArgs { path, each: is_each, stream, format, width, filter: options, following, common } = args;
    let setup = setup(common)?;
    let filter = filter_of_command(options, &setup)?;
    if *is_each {
        return text_stream::run(out, |object, text| {
            let session = text_stream::session(&setup, text);
            let selection = filter.as_ref().map(|filter| Selection::new(filter, &session));
            Ok(json::write_transcript(object, &session, "-", None, selection.as_ref())?)
        });
    }
    let specs = sources_of(path.as_slice(), &stream.command)?;
    let specs: Vec<SourceSpec> = specs.into_iter().map(archive::one_in).collect::<anyhow::Result<_>>()?;
    let [spec] = specs.as_slice() else { return Err(anyhow!("parse reads one transcript: give a path or a command")) };
    let streaming = matches!(format, ParseFormat::Ndjson | ParseFormat::Events);
    let reading = source_options(&specs, *following, stream)?.pop().unwrap_or_default();
    ensure!(streaming || reading.follow == Follow::No, "following needs --format ndjson or --format events");
    forward_signals(&specs);
    let writer = RecordWriter::new(*format, filter.as_ref());
    let whole = if streaming { writer.follow(out, &setup, spec, reading)? } else { read(&setup, spec, reading)? };
    let name = name_of(spec);
    if streaming {
        options.part.check(&name, &whole.session)?;
        return whole.outcome();
    }
    let selection = filter.as_ref().map(|filter| Selection::new(filter, &whole.session));
    options.part.check_selected(&name, &whole.session, selection.as_ref())?;
    match format {
        ParseFormat::Text => text::write(out, &whole.session, *width, selection.as_ref())?,
        ParseFormat::Json => json::write_transcript(out, &whole.session, &name, None, selection.as_ref())?,
        ParseFormat::Ndjson | ParseFormat::Events => {}
    }
    // The readable part is printed before the failure is reported.
    whole.outcome()
}

/// The ways to print a transcript for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Printing {
    /// As a page, after it was read to its end.
    Page,
    /// As lines, each as soon as it is final.
    Linear,
}

/// Chooses how to print, depending on whether the output is a terminal and can show a screen; `None` if the UI opens.
/// Lines are appended on request, and on a terminal that cannot show a screen.
pub fn printing(args: &OpenArgs, setup: &Setup, is_terminal: bool, can_draw: bool) -> Option<Printing> {
    let usual = || setup.config.linear.unwrap_or(is_terminal && !can_draw);
    let is_linear = args.linear || (args.edit.is_none() && usual());
    let page = (!can_draw).then_some(Printing::Page);
    if is_linear { Some(Printing::Linear) } else { page }
}

/// Prints for people the sources that the UI would have opened.
pub fn run_without_screen<W: Write>(
    args: &OpenArgs,
    setup: &Setup,
    printing: Printing,
    commands: fn() -> Vec<String>,
    out: &mut W,
) -> anyhow::Result<ExitStatus> {
    let OpenArgs { stream, following, edit, filter, at, alerts, .. } = args;
    ensure!(edit.is_none(), "--edit needs a terminal");
    ensure!(at.is_none(), "--at needs a terminal; use transcope grep to print a part");
    let alerts = alerts.means().is_some() || alerts.alert_silence.is_some();
    ensure!(!alerts, "--alert needs the screen; follow the log in a terminal without --linear, or remove the option");
    let part = &filter.part;
    let filter = filter_of_command(filter, setup)?;
    let specs = shown_sources(args, commands)?;
    let readings = source_options(&specs, *following, stream)?;
    let follows = readings.iter().any(|reading| reading.follow != Follow::No);
    let is_linear = printing == Printing::Linear;
    ensure!(
        is_linear || !follows,
        "following needs a terminal, --linear, or transcope parse --format ndjson or events"
    );
    ensure!(!is_linear || filter.is_none(), "--linear prints everything; use transcope parse --filter");
    ensure!(specs.len() < 2 || !follows, "only one transcript can be followed without a screen");
    forward_signals(&specs);
    let mut status = ExitStatus::Success;
    for (spec, reading) in specs.iter().zip(readings) {
        if specs.len() > 1 && is_linear {
            writeln!(out, "file: {}", visible_str(&spec.name()))?;
        }
        let is_complete = reading.follow == Follow::No && matches!(spec, SourceSpec::File(path) if path.is_file());
        let whole = if is_linear && is_complete {
            let whole = read(setup, spec, reading)?;
            LinearWriter::of_complete_session().advance(out, &whole.session)?;
            whole
        } else if is_linear {
            RecordWriter::Linear(LinearWriter::default()).follow(out, setup, spec, reading)?
        } else {
            let whole = read(setup, spec, reading)?;
            if specs.len() > 1 {
                writeln!(out, "==> {} <==", spec.name())?;
            }
            let selection = filter.as_ref().map(|filter| Selection::new(filter, &whole.session));
            part.check_selected(&name_of(spec), &whole.session, selection.as_ref())?;
            text::write(out, &whole.session, TEXT_WIDTH, selection.as_ref())?;
            whole
        };
        let ended = whole.outcome()?;
        if status == ExitStatus::Success {
            status = ended;
        }
    }
    Ok(status)
}

/// Forwards signals that would end this program to the command. Without a command they keep their default effect.
fn forward_signals(specs: &[SourceSpec]) {
    if specs.iter().any(|spec| matches!(spec, SourceSpec::Command(_))) {
        command::forward_signals();
    }
}

#[derive(Clone)]
pub(super) enum RecordWriter {
    Ndjson(NdjsonWriter),
    Events(EventWriter),
    Linear(LinearWriter),
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
            RecordWriter::Linear(writer) => writer.advance(out, session)?,
        }
        out.flush()
    }

    /// Writes a transcript while it is read. Starts from the beginning when the file is replaced or truncated.
    fn follow<W: Write>(
        mut self,
        out: &mut W,
        setup: &Setup,
        spec: &SourceSpec,
        options: SourceOptions,
    ) -> anyhow::Result<ReadTranscript> {
        let anew = self.clone();
        read_with(setup, spec, options, |session| {
            self.advance(out, session)?;
            if session.is_finished() {
                self = anew.clone();
            }
            Ok(())
        })
    }
}
