//! The transcripts of a command line: their sources and settings, and reading them completely or as they arrive.

use std::borrow::Cow;
use std::ffi::OsString;
use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::{Once, mpsc};

use anyhow::{Context, bail, ensure};

use super::archive;
use super::options::{CommonArgs, FilterArgs, FollowArgs, OpenArgs, StreamArgs};
use super::outcome::{ExitStatus, describe, nearest, print_to_stderr, without_numbers};
use crate::config::bundle::sidecar_of;
use crate::config::{Config, Setup};
use crate::filter::Filter;
use crate::notes::NoteList;
use crate::session::Session;
use crate::session::parallel::{ParallelReader, STRETCH};
use crate::source::command::Exit;
use crate::source::tee::{Existing, Tee};
use crate::source::workers::usual_workers;
use crate::source::{self, Follow, SourceEvent, SourceOptions, SourceSpec};
use crate::text::output::Output;

/// Printed with the demonstration when there was nothing to read.
const DEMONSTRATED: &str =
    "standard input is empty: this is the built-in demo transcript; run transcope in a terminal to browse it";

/// Maximum number of chunks that wait for the parser.
const QUEUE: usize = 8;

/// Has warnings about declarations reported only once, however often settings are combined.
static TOLD: Once = Once::new();

/// Combines the flags, the environment and the configuration file.
pub fn setup(args: &CommonArgs) -> anyhow::Result<Setup> {
    let setup = Setup::new(args.read.clone(), flags(args), args.config.as_deref())?;
    let mut outcome = Ok(());
    TOLD.call_once(|| {
        outcome = setup
            .warnings
            .iter()
            .try_for_each(|words| print_to_stderr(&format!("warning: {}", without_numbers(words))));
    });
    outcome?;
    Ok(setup)
}

/// The flags that are not about parsing.
pub(super) fn flags(args: &CommonArgs) -> Config {
    let mouse = args.no_mouse.then_some(false);
    Config { theme: args.theme.clone(), color: args.color, mouse, ..Config::default() }
}

/// The settings in effect: of the command line, the environment and the configuration file.
///
/// # Errors
/// The environment or the file cannot be used.
pub fn config(args: &CommonArgs) -> anyhow::Result<Config> {
    Config::in_effect(flags(args), args.config.as_deref())
}

pub(super) fn new_session(setup: &Setup) -> Session {
    Session::new(setup.container, &setup.dialect)
}

/// Reads a command's only transcript, up to the first failure. Returns the settings, its name and its contents.
pub(super) fn read_path(common: &CommonArgs, path: Option<&Path>) -> anyhow::Result<(Setup, String, ReadTranscript)> {
    let spec = archive::one_in(source_of(path))?;
    let setup = setup(common)?.for_source(&spec)?.into_owned();
    let whole = read(&setup, &spec, Follow::No)?;
    Ok((setup, name_of(&spec), whole))
}

/// Reads a transcript up to the first failure.
pub(super) fn read(
    setup: &Setup,
    spec: &SourceSpec,
    options: impl Into<SourceOptions>,
) -> anyhow::Result<ReadTranscript> {
    read_with(setup, spec, options, |_| Ok(()))
}

/// Like [`read`], and calls `seen` whenever the session has grown and when it is finished. When the file is replaced or
/// truncated, the session is finished and a new one follows. Reading and parsing run on separate threads; a long plain
/// text is parsed on all processors.
pub(super) fn read_with(
    setup: &Setup,
    spec: &SourceSpec,
    options: impl Into<SourceOptions>,
    mut seen: impl FnMut(&Session) -> io::Result<()>,
) -> anyhow::Result<ReadTranscript> {
    let (options, mut at_once) = (options.into(), print_to_stderr);
    // Text that a user waits for is shown as it arrives, so it is not collected for several threads.
    let is_awaited = options.follow != Follow::No || !matches!(spec, SourceSpec::File(_));
    let threads = if is_awaited { 1 } else { usual_workers() };
    let mut reading = Reading::new(setup, spec, threads, &mut at_once)?;
    let (sender, receiver) = mpsc::sync_channel(QUEUE);
    source::open(spec, options, move |event| sender.send(event).is_ok())?;
    for event in receiver {
        reading.take(event, &mut seen)?;
    }
    reading.end(&mut seen)
}

/// A transcript that is being read.
pub(super) struct Reading<'a> {
    setup: Cow<'a, Setup>,
    notes: NoteList,
    whole: ReadTranscript,
    reader: ParallelReader,
    /// Reports a message about the source.
    tell: &'a mut dyn FnMut(&str) -> io::Result<()>,
}

impl<'a> Reading<'a> {
    pub(super) fn new(
        setup: &'a Setup,
        spec: &SourceSpec,
        threads: usize,
        tell: &'a mut dyn FnMut(&str) -> io::Result<()>,
    ) -> anyhow::Result<Self> {
        let setup = setup.for_source(spec)?;
        let notes = notes_of(spec, tell)?;
        let whole = ReadTranscript { session: noted_session(&setup, &notes), exit: None, failure: None };
        Ok(Self { setup, notes, whole, reader: ParallelReader::new(threads, STRETCH), tell })
    }

    /// Processes an event of the source, and calls `seen` whenever the session has grown.
    pub(super) fn take(
        &mut self,
        event: SourceEvent,
        seen: &mut dyn FnMut(&Session) -> io::Result<()>,
    ) -> io::Result<()> {
        let Self { whole, tell, reader, .. } = self;
        if !matches!(event, SourceEvent::Chunk(_)) {
            reader.catch_up(&mut whole.session);
        }
        match event {
            SourceEvent::Chunk(bytes) => {
                reader.push(&mut whole.session, bytes);
                whole.session.take_notices().iter().try_for_each(|words| tell(words))?;
                seen(&whole.session)?;
            }
            SourceEvent::Restarted(words) => {
                whole.session.finish();
                seen(&whole.session)?;
                tell(&words)?;
                whole.session = noted_session(&self.setup, &self.notes);
            }
            SourceEvent::Backing(backing) => whole.session.back(backing),
            SourceEvent::Failed(message) => whole.failure = Some(message),
            SourceEvent::Exited(exit) => whole.exit = Some(exit),
            SourceEvent::Stderr(event) => {
                if let SourceEvent::Chunk(bytes) = *event {
                    let mut errors = Output::stderr();
                    errors.write_all(&bytes).and_then(|()| errors.flush())?;
                }
            }
            SourceEvent::Notice(words) => tell(&words)?,
            SourceEvent::Demonstration => tell(DEMONSTRATED)?,
            SourceEvent::CaughtUp | SourceEvent::End => {}
        }
        Ok(())
    }

    /// Finishes the session after the last event and calls `seen` once more.
    pub(super) fn end(mut self, seen: &mut dyn FnMut(&Session) -> io::Result<()>) -> anyhow::Result<ReadTranscript> {
        self.reader.catch_up(&mut self.whole.session);
        self.whole.session.finish();
        seen(&self.whole.session)?;
        Ok(self.whole)
    }
}

pub(super) fn noted_session(setup: &Setup, notes: &NoteList) -> Session {
    let mut session = new_session(setup);
    session.set_notes(notes.clone());
    session
}

/// The notes on a transcript. If they cannot be used, a warning is reported and there are none.
pub(super) fn notes_of(spec: &SourceSpec, tell: &mut dyn FnMut(&str) -> io::Result<()>) -> io::Result<NoteList> {
    let SourceSpec::File(path) = spec else { return Ok(NoteList::default()) };
    let notes = sidecar_of(path).and_then(|sidecar| sidecar.read());
    notes.or_else(|error| tell(&format!("warning: {}", describe(&error))).map(|()| NoteList::default()))
}

/// Parses a filter, which may use filters of the configuration.
///
/// # Errors
/// The expression is invalid; [`super::outcome::marked`] shows where.
pub(super) fn filter_of(expression: &str, setup: &Setup) -> anyhow::Result<Filter> {
    setup.config.saved_filters().parse(expression).context("invalid filter")
}

/// The filter given by the options.
pub fn filter_option(args: &FilterArgs, setup: &Setup) -> anyhow::Result<Option<Filter>> {
    args.expression()?.map(|expression| filter_of(&expression, setup)).transpose()
}

/// Like [`filter_option`], for a command without a screen: warns of a word that was probably meant to be a term.
pub(super) fn filter_of_command(args: &FilterArgs, setup: &Setup) -> anyhow::Result<Option<Filter>> {
    let filter = filter_option(args, setup)?;
    if let Some((word, near)) = filter.as_ref().and_then(Filter::misspelled_term) {
        print_to_stderr(&format!("warning: {word} is searched for as text: did you mean {near}?"))?;
    }
    Ok(filter)
}

/// A transcript that was read to its end, or up to a failure.
pub struct ReadTranscript {
    /// The session, finished even if the end was not reached.
    pub session: Session,
    /// The exit of the command that wrote the transcript.
    pub exit: Option<Exit>,
    /// Why the end was not reached.
    failure: Option<String>,
}

impl ReadTranscript {
    /// The exit status of the command that wrote the transcript, or success.
    ///
    /// # Errors
    /// The end was not reached.
    pub fn outcome(&self) -> anyhow::Result<ExitStatus> {
        self.failure.as_ref().map_or(Ok(self.exit.into()), |words| Err(anyhow::anyhow!(words.clone())))
    }
}

/// The sources to read: the paths and the command. Without any, a pipe or the demonstration.
///
/// # Errors
/// Two of the sources would read standard input.
pub fn sources_of(paths: &[PathBuf], command: &[OsString]) -> anyhow::Result<Vec<SourceSpec>> {
    let mut specs: Vec<SourceSpec> = paths.iter().map(|path| source_of(Some(path))).collect();
    if !command.is_empty() {
        specs.push(SourceSpec::Command(command.to_vec()));
    }
    if specs.is_empty() {
        specs.push(source_of(None));
    }
    let once = specs.iter().filter(|spec| comes_once(spec)).count();
    ensure!(once < 2, "standard input can only be read once: by one - or by the command");
    Ok(specs)
}

/// The sources shown without a subcommand: the paths and the command after `--`. Without any, a pipe that delivers
/// something, else the demonstration. `commands` returns the names of the subcommands.
///
/// # Errors
/// A path does not exist and may be a mistyped subcommand; the errors of [`sources_of`].
pub fn shown_sources(args: &OpenArgs, commands: fn() -> Vec<String>) -> anyhow::Result<Vec<SourceSpec>> {
    if let Some(path) = args.paths.first().filter(|path| !args.following.follow_name && !path.exists())
        && let Some(near) = nearest(&path.to_string_lossy(), commands().iter().map(String::as_str)).first()
    {
        bail!("there is no file {}; did you mean the command {near}?", path.display());
    }
    let is_missing = |path: &&PathBuf| fs::symlink_metadata(path).is_err_and(|e| e.kind() == io::ErrorKind::NotFound);
    if let Some(path) =
        args.paths.iter().find(is_missing).filter(|path| !args.following.follow_name && path.as_os_str() != "-")
    {
        bail!("could not open {}: no such file; check the name, or wait for it with -F", path.display());
    }
    let mut specs = sources_of(&args.paths, &args.stream.command)?;
    if args.paths.is_empty() && specs == [SourceSpec::Stdin] {
        specs = vec![SourceSpec::StdinOrDemonstration];
    }
    Ok(specs)
}

/// True if a source can be read only once: standard input or a command.
pub(super) fn comes_once(spec: &SourceSpec) -> bool {
    matches!(spec, SourceSpec::Stdin | SourceSpec::StdinOrDemonstration | SourceSpec::Command(_))
}

/// The options of each source. The requested copy is made of the source that can be read only once.
///
/// # Errors
/// The copy cannot be made, or it is ambiguous which source to copy.
pub fn source_options(
    specs: &[SourceSpec],
    following: FollowArgs,
    stream: &StreamArgs,
) -> anyhow::Result<Vec<SourceOptions>> {
    let follow = match following {
        FollowArgs { follow_name: true, .. } => Follow::Name,
        FollowArgs { follow: true, .. } => Follow::File,
        FollowArgs { .. } => Follow::No,
    };
    let mut options: Vec<SourceOptions> = specs.iter().map(|_| SourceOptions::from(follow)).collect();
    if let Some(path) = &stream.tee {
        let saved = if specs.len() == 1 { Some(0) } else { specs.iter().position(comes_once) };
        let saved = saved.context("--tee copies piped input or command output, but these are files")?;
        let existing = if stream.tee_append { Existing::Append } else { Existing::Refuse };
        options[saved].tee = Some(Tee::create(path, existing)?);
    }
    Ok(options)
}

/// The text of a playground and its file, which need not exist yet.
///
/// # Errors
/// The file cannot be read, or is not UTF-8.
pub fn playground_of(path: Option<&Path>) -> anyhow::Result<(String, Option<PathBuf>)> {
    let Some(path) = path else { return Ok((String::new(), None)) };
    if !path.exists() {
        return Ok((String::new(), Some(path.to_path_buf())));
    }
    let name = path.display();
    let bytes = source::read_all(&SourceSpec::File(path.to_path_buf()))?;
    let text = String::from_utf8(bytes)
        .map_err(|_| anyhow::anyhow!("could not edit {name}: it is not valid UTF-8; transcope {name} shows where"))?;
    Ok((text, Some(path.to_path_buf())))
}

/// The source for a path; `-` is standard input. Without a path, a pipe or the demonstration.
pub fn source_of(path: Option<&Path>) -> SourceSpec {
    match path {
        Some(path) if path.as_os_str() == "-" => SourceSpec::Stdin,
        Some(path) => SourceSpec::File(path.to_path_buf()),
        None if io::stdin().is_terminal() => SourceSpec::Demonstration,
        None => SourceSpec::Stdin,
    }
}

/// The name of a source in the output: its path, or `-`.
pub fn name_of(spec: &SourceSpec) -> String {
    match spec {
        SourceSpec::Demonstration => "demo.txt".into(),
        SourceSpec::File(path) => path.to_string_lossy().into_owned(),
        SourceSpec::Stdin | SourceSpec::StdinOrDemonstration => "-".into(),
        SourceSpec::Command(_) => spec.name(),
    }
}
