//! Sources of transcripts: the demonstration, a file, standard input, or a command, each read as a stream of events.
//!
//! A source is opened and checked immediately, and then read on a separate thread, so that drawing never waits for a
//! disk or for the other end of a pipe. [`folder`] finds files. Compressed data is decompressed on the way.

mod archive;
pub mod bundle;
pub mod command;
mod database;
mod decoder;
mod eval_log;
mod event_folder;
mod file;
mod file_system;
pub mod folder;
mod follow;
mod intake;
mod opencode_store;
mod session_files;
mod stream;
pub mod tee;
pub mod workers;

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::SystemTime;

use anyhow::{Context, Result, anyhow, ensure};
use rustix::io::Errno;

use crate::text::sanitize::{io_error_text, visible_str};
use crate::text::store::Backing;
use archive::ArchivedFile;
use bundle::Manifest;
use command::{Exit, Running, Started};
use database::DatabaseSession;
use eval_log::EvalLog;
use event_folder::EventFolder;
use file::{FileKind, OpenError, OpenedFile};
use follow::Follower;
use follow::database::DatabaseFollower;
use intake::Intake;
use session_files::StoredSession;
use stream::WaitMode;
use tee::Tee;

/// Maximum number of bytes in a [`SourceEvent::Chunk`].
pub const CHUNK: usize = 256 * 1024;

/// Maximum number of bytes in the first chunk of a file: enough for a screen, and quickly read.
pub const FIRST_CHUNK: usize = 32 * 1024;

const DEMONSTRATION: &[u8] = include_bytes!("source/demo.txt");
const STDIN: &str = "standard input";

/// The origin of a transcript.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SourceSpec {
    /// The transcript that is part of the program.
    Demonstration,
    /// A regular file or a named pipe, or several files that open as one session.
    File(PathBuf),
    /// Standard input, to its end.
    Stdin,
    /// Standard input, to its end; the demonstration if it ends without a byte.
    StdinOrDemonstration,
    /// The output of a command, given by its name and arguments.
    Command(Vec<OsString>),
}

/// How a source is read, and where it is copied.
#[derive(Debug, Default)]
pub struct SourceOptions {
    /// Behaviour at the end of a regular file.
    pub follow: Follow,
    /// Copy of the bytes that arrive from a pipe or a command.
    pub tee: Option<Tee>,
}

impl From<Follow> for SourceOptions {
    fn from(follow: Follow) -> Self {
        Self { follow, tee: None }
    }
}

/// Behaviour at the end of a regular file. Other sources always end at their end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Follow {
    /// Stops.
    #[default]
    No,
    /// Continues to read what is appended to the opened file, wherever the file is moved.
    File,
    /// Continues to read the file that has the name, through deletion, replacement and return.
    Name,
}

/// An event in the reading of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SourceEvent {
    /// The next bytes; never empty, at most [`CHUNK`].
    Chunk(Vec<u8>),
    /// Where all later bytes can be read again; its offset 0 is the first byte after this event. Sent before the first
    /// chunk of a text, if the bytes can be read again at all.
    Backing(Backing),
    /// Standard input has ended without a byte: the demonstration follows.
    Demonstration,
    /// All bytes that are available now have been sent; more may arrive.
    CaughtUp,
    /// A message for the user: the file is missing, was deleted, is back, or can only be polled.
    Notice(String),
    /// The file was truncated, rewritten or replaced, as the message says: a new text follows from its start.
    Restarted(String),
    /// Standard error of a command: chunks of a separate text, and its backing.
    Stderr(Box<SourceEvent>),
    /// The command has ended. Output of other processes that it started may still follow.
    Exited(Exit),
    /// Nothing more arrives. The last event.
    End,
    /// Reading failed, as the message says. The last event.
    Failed(String),
}

/// A source that is being read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Its name for users, safe to show.
    pub name: String,
    /// Bytes of text when it was opened. `None` for a pipe, compressed data, a file that does not exist yet, and a file
    /// with a reported size of 0, since files in /proc report that and are not empty.
    pub size: Option<u64>,
    /// The command, if it is one.
    pub running: Option<Running>,
}

impl SourceSpec {
    /// Its name for users, safe to show.
    pub fn name(&self) -> String {
        match self {
            Self::Demonstration => "demonstration".into(),
            Self::File(path) => visible_str(&path.to_string_lossy()).into_owned(),
            Self::Stdin | Self::StdinOrDemonstration => STDIN.into(),
            Self::Command(words) => {
                const LONGEST: usize = 48;
                let words: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
                let line = words.join(" ");
                let cut: String = line.chars().take(LONGEST).collect();
                visible_str(&if cut.len() < line.len() { cut + "…" } else { cut }).into_owned()
            }
        }
    }
}

/// Opens a source, and reads it on a thread for as long as `sink` returns true.
///
/// A sink that has returned false is not called again. The last event is `End` or `Failed`, unless the sink stopped the
/// reading.
///
/// # Errors
/// Something that cannot be opened or run, or is not a file, is rejected with its name, the cause and a remedy in one
/// line. With [`Follow::Name`] a missing file is not an error: reading starts when it appears. Only sources that can be
/// read once may be copied; requesting a copy of a file is an error.
pub fn open(
    spec: &SourceSpec,
    reading: impl Into<SourceOptions>,
    mut sink: impl FnMut(SourceEvent) -> bool + Send + 'static,
) -> Result<Source> {
    let SourceOptions { follow, tee } = reading.into();
    let name = spec.name();
    let opened = Input::open(spec, follow)?;
    if tee.is_some() && !opened.comes_once() {
        return Err(anyhow!("--tee copies piped input or command output, but {name} is a file"));
    }
    let running = if let Input::Command(started) = &opened { Some(started.running.clone()) } else { None };
    let shown = if let Input::Bundled(name, _) = &opened { format!("bundle of {name}") } else { name.clone() };
    let source = Source { name: shown, size: opened.size(), running };
    thread::Builder::new()
        .name("source".into())
        .spawn(move || opened.run(&name, tee, &mut Sink(&mut sink)))
        .with_context(|| format!("could not start reading {}", source.name))?;
    Ok(source)
}

/// True if a path holds several files or sessions: a directory, an archive or a database, unless it opens as one
/// session, as a bundle and an evaluation log do.
pub fn is_folder(path: &Path) -> bool {
    (path.is_dir() && !is_stored_session(path))
        || (archive::is_archive(path) && Manifest::read(path).is_none() && !eval_log::is_log(path))
        || database::is_database(path)
}

/// The total size in bytes of a session that is stored in several files, and the time of the last write to any of them;
/// `None` if there is no such session at the path.
pub fn extent(path: &Path) -> Option<(u64, Option<SystemTime>)> {
    StoredSession::at(path).map(|session| session.extent())
}

/// Time of the last write to the file at a path, to the archive that it is in, to the session of a database, or to a
/// conversation whose events are files.
pub fn modified(path: &Path) -> Option<SystemTime> {
    if let Some(events) = Some(path).filter(|path| path.is_dir()).and_then(EventFolder::at) {
        return events.modified();
    }
    let of_archive = || path.ancestors().find(|outer| outer.is_file())?.metadata().ok()?.modified().ok();
    database::modified(path).or_else(of_archive)
}

/// True if a path, possibly of a directory, opens as one session that is stored in several files.
fn is_stored_session(path: &Path) -> bool {
    StoredSession::at(path).is_some()
}

/// Reads a source completely, waiting for its end.
///
/// # Errors
/// Those of [`open`], and failed reads.
pub fn read_all(spec: &SourceSpec) -> Result<Vec<u8>> {
    read_at_most(spec, usize::MAX)
}

/// Like [`read_all`], with a limit on the size.
///
/// # Errors
/// Those of [`read_all`]; the source has more than `most` bytes, in which case reading stops there.
pub fn read_at_most(spec: &SourceSpec, most: usize) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut failure = None;
    read(spec, |event| {
        match event {
            SourceEvent::Chunk(chunk) => bytes.extend_from_slice(&chunk),
            SourceEvent::Failed(message) => failure = Some(message),
            _ => {}
        }
        bytes.len() <= most
    })?;
    ensure!(bytes.len() <= most, "could not read {}: it is larger than {most} bytes", spec.name());
    match failure {
        Some(message) => Err(anyhow!(message)),
        None => Ok(bytes),
    }
}

/// Reads a source on this thread, to its end or until `sink` returns false.
///
/// # Errors
/// Those of [`open`]. A failed read is an event.
pub fn read(spec: &SourceSpec, mut sink: impl FnMut(SourceEvent) -> bool) -> Result<()> {
    Input::open(spec, Follow::No)?.run(&spec.name(), None, &mut Sink(&mut sink));
    Ok(())
}

/// An opened source, before its first byte is read.
enum Input {
    Demonstration,
    Whole(OpenedFile),
    Followed(Box<Follower>),
    Stored(StoredSession),
    Evaluation(Box<EvalLog>),
    InDatabase(DatabaseSession),
    FollowedInDatabase(Box<DatabaseFollower>),
    Archived(Box<ArchivedFile>),
    /// The transcript of a bundle, and its original name.
    Bundled(String, Box<ArchivedFile>),
    /// Standard input, and whether the demonstration replaces an empty one.
    Stdin(IfEmpty),
    Command(Started),
}

impl Input {
    fn open(spec: &SourceSpec, follow: Follow) -> Result<Self> {
        let path = match spec {
            SourceSpec::Demonstration => return Ok(Self::Demonstration),
            SourceSpec::Stdin => return Ok(Self::Stdin(IfEmpty::Nothing)),
            SourceSpec::StdinOrDemonstration => return Ok(Self::Stdin(IfEmpty::Demonstration)),
            SourceSpec::Command(words) => return Ok(Self::Command(command::start(words)?)),
            SourceSpec::File(path) => path,
        };
        if let Some(stored) = StoredSession::at(path) {
            return Ok(Self::Stored(stored));
        }
        let could_not = |words: &str| anyhow!("could not open {}: {words}", spec.name());
        let opened = file::open(path);
        // Most files are not archives, so each is opened first and then recognised by its first bytes.
        if opened.is_err()
            && let Some(archived) = ArchivedFile::at(path)
        {
            return archived.map(|file| Self::Archived(Box::new(file))).map_err(|words| could_not(&words));
        }
        if let Some(log) = opened.as_ref().ok().and_then(|opened| EvalLog::at(path, opened, follow)) {
            return Ok(Self::Evaluation(Box::new(log)));
        }
        if opened.is_err()
            && let Some(session) = DatabaseSession::at(path)
        {
            session.check().map_err(|words| could_not(&words))?;
            return Ok(match follow {
                Follow::No => Self::InDatabase(session),
                Follow::File | Follow::Name => {
                    Self::FollowedInDatabase(Box::new(DatabaseFollower::new(session, spec.name())))
                }
            });
        }
        if opened.as_ref().is_ok_and(database::is_opened) {
            database::check(path).map_err(|words| could_not(&words))?;
            let remedy =
                "it is a database of sessions; name one (DATABASE/ses_…), or run transcope DATABASE to list them";
            return Err(could_not(remedy));
        }
        if opened.as_ref().is_ok_and(archive::is_opened) {
            let remedy = "it is an archive; name a file in it, or run transcope ARCHIVE to list its files";
            let (manifest, file) = bundle::transcript_of(path).ok_or_else(|| could_not(remedy))?;
            let name = visible_str(&manifest.name).into_owned();
            return file.map(|file| Self::Bundled(name, Box::new(file))).map_err(|words| could_not(&words));
        }
        match (opened, follow) {
            (Err(OpenError::Missing), Follow::Name) => Ok(Self::Followed(Box::new(Follower::new(path, None, follow)))),
            (Err(refusal), _) => Err(anyhow!("could not open {}: {refusal}", spec.name())),
            (Ok(opened), Follow::File | Follow::Name) if opened.kind == FileKind::Regular => {
                Ok(Self::Followed(Box::new(Follower::new(path, Some(opened), follow))))
            }
            (Ok(opened), _) => Ok(Self::Whole(opened)),
        }
    }

    fn size(&self) -> Option<u64> {
        let len = match self {
            Self::Demonstration => DEMONSTRATION.len() as u64,
            Self::Whole(opened) => opened.len(),
            Self::Followed(follower) => follower.len(),
            Self::Stored(_)
            | Self::Evaluation(_)
            | Self::InDatabase(_)
            | Self::FollowedInDatabase(_)
            | Self::Archived(_)
            | Self::Bundled(..)
            | Self::Stdin(_)
            | Self::Command(_) => 0,
        };
        (len > 0).then_some(len)
    }

    /// True if the bytes can be read only once.
    fn comes_once(&self) -> bool {
        match self {
            Self::Stdin(_) | Self::Command(_) => true,
            Self::Whole(opened) => opened.kind != FileKind::Regular,
            Self::Demonstration
            | Self::Followed(_)
            | Self::Stored(_)
            | Self::Evaluation(_)
            | Self::InDatabase(_)
            | Self::FollowedInDatabase(_)
            | Self::Archived(_)
            | Self::Bundled(..) => false,
        }
    }

    /// Reads to the end, which the last event reports, or until the sink stops the reading.
    fn run(self, name: &str, tee: Option<Tee>, sink: &mut Sink<'_>) {
        let mut intake = Intake::stream(tee);
        let failure = match self.read(&mut intake, sink) {
            Ok(()) => None,
            Err(ReadStop::Failed(words)) => Some(words),
            Err(ReadStop::Stopped) => return,
        };
        if intake.finish(sink).is_ok() {
            // The last event, so it does not matter whether the sink wants more.
            _ = sink.send(match failure.as_deref().or(intake.damage()) {
                None => SourceEvent::End,
                Some(words) => SourceEvent::Failed(format!("could not read {name}: {words}")),
            });
        }
    }

    fn read(self, intake: &mut Intake, sink: &mut Sink<'_>) -> Result<(), ReadStop> {
        match self {
            Self::Demonstration => demonstrate(sink),
            Self::Whole(OpenedFile { file, kind, .. }) => match kind {
                FileKind::Regular => file::read(&file, intake, sink),
                FileKind::NamedPipe => stream::read(&file, WaitMode::for_writer(), intake, sink),
                FileKind::Pipe => stream::read(&file, WaitMode::Never, intake, sink),
            },
            Self::Followed(follower) => follower.run(sink),
            Self::Stored(session) => session.read(intake, sink),
            Self::Evaluation(log) => log.read(intake, sink),
            Self::InDatabase(session) => session.read(intake, sink),
            Self::FollowedInDatabase(follower) => follower.run(sink),
            Self::Archived(file) | Self::Bundled(_, file) => file.read(intake, sink),
            Self::Stdin(if_empty) => {
                stream::read(&io::stdin(), WaitMode::Blocking, intake, sink)?;
                if if_empty == IfEmpty::Demonstration && intake.is_empty() {
                    sink.send(SourceEvent::Demonstration)?;
                    demonstrate(sink)?;
                }
                Ok(())
            }
            Self::Command(started) => command::read(&started, intake, sink),
        }
    }
}

/// The fallback for an empty standard input.
#[derive(Clone, Copy, PartialEq, Eq)]
enum IfEmpty {
    Nothing,
    Demonstration,
}

fn demonstrate(sink: &mut Sink<'_>) -> Result<(), ReadStop> {
    DEMONSTRATION.chunks(CHUNK).try_for_each(|chunk| sink.send(SourceEvent::Chunk(chunk.to_vec())))
}

/// Reason for reading to end before the source does.
#[derive(Debug)]
enum ReadStop {
    /// The sink wants no more events.
    Stopped,
    /// The source cannot be read any further, as the message says.
    Failed(String),
}

impl From<io::Error> for ReadStop {
    fn from(error: io::Error) -> Self {
        Self::Failed(io_error_text(&error))
    }
}

impl From<Errno> for ReadStop {
    fn from(error: Errno) -> Self {
        io::Error::from(error).into()
    }
}

struct Sink<'a>(&'a mut dyn FnMut(SourceEvent) -> bool);

impl Sink<'_> {
    fn send(&mut self, event: SourceEvent) -> Result<(), ReadStop> {
        if (self.0)(event) { Ok(()) } else { Err(ReadStop::Stopped) }
    }
}

#[cfg(test)]
mod tests;
