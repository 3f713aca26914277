//! Where a transcript comes from: the demonstration, a file, the standard input, or a command, as a flow of events.
//!
//! A source is opened and checked at once, and then read on a thread of its own, so that nobody who draws ever waits
//! for a disk or for the other end of a pipe. [`folder`] finds files. What is compressed is decompressed on the way.

mod archive;
pub mod bundle;
pub mod command;
mod decoder;
mod file;
mod file_system;
pub mod folder;
mod follow;
mod intake;
mod opencode_store;
mod stream;
pub mod tee;
pub mod workers;

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::thread;

use anyhow::{Context, Result, anyhow, ensure};
use rustix::io::Errno;

use crate::text::sanitize::{io_error_text, visible_str};
use crate::text::store::Backing;
use archive::ArchivedFile;
use bundle::Manifest;
use command::{Exit, Running, Started};
use file::{FileKind, OpenError, OpenedFile};
use follow::Follower;
use intake::Intake;
use opencode_store::StoredSession;
use stream::Waits;
use tee::Tee;

/// The most bytes that one [`SourceEvent::Chunk`] carries.
pub const CHUNK: usize = 256 * 1024;

/// The most bytes that the first one carries of a file: enough for a screen, and soon there.
pub const FIRST_CHUNK: usize = 32 * 1024;

const DEMONSTRATION: &[u8] = include_bytes!("../samples/demo.txt");
const STDIN: &str = "standard input";

/// Where a transcript is read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SourceSpec {
    /// The transcript that comes with the program.
    Demonstration,
    /// A regular file or a named pipe, or what is kept in several files and opens as one.
    File(PathBuf),
    /// The standard input, to its end.
    Stdin,
    /// The standard input, to its end; if it ends without a byte, the demonstration.
    StdinOrDemonstration,
    /// What a command writes: its name and its arguments.
    Command(Vec<OsString>),
}

/// How a source is read, and what is kept of it.
#[derive(Debug, Default)]
pub struct SourceOptions {
    /// What happens at the end of a regular file.
    pub follow: Follow,
    /// Where to save what comes by a pipe or from a command.
    pub tee: Option<Tee>,
}

impl From<Follow> for SourceOptions {
    fn from(follow: Follow) -> Self {
        Self { follow, tee: None }
    }
}

/// What happens at the end of a regular file. What else there is ends at its end in any case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Follow {
    /// The end is the end.
    #[default]
    No,
    /// What is written to the opened file is read as it comes, wherever the file is moved.
    File,
    /// The file that has the name is read, through deletion, replacement and return.
    Name,
}

/// What a source tells whoever listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SourceEvent {
    /// The bytes that follow; never empty, at most [`CHUNK`].
    Chunk(Vec<u8>),
    /// Where the bytes that follow, and all that come after them, can be read again; offsets count from the first
    /// byte behind this event. Sent in front of the first chunk of a text, where there is such a place.
    Backing(Backing),
    /// The standard input has ended without a byte: what follows is the demonstration.
    Demonstration,
    /// Everything that is there now has been sent; more may come.
    CaughtUp,
    /// Something that a person would want to know: the file is waited for, deleted, back, or only polled.
    Notice(String),
    /// The file was truncated, rewritten or replaced, as the message says: what follows is a new text from its start.
    Restarted(String),
    /// What a command writes to its standard error: chunks of a text of its own, and where they can be read again.
    Aside(Box<SourceEvent>),
    /// The command has ended. What others that it started still write comes behind it.
    Exited(Exit),
    /// Nothing more comes. The last event.
    End,
    /// Reading failed, as the message says. The last event.
    Failed(String),
}

/// A source that is being read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// What people call it, safe to show.
    pub name: String,
    /// Bytes of text there were when it was opened. Unknown for a pipe, for what is compressed, for a file that is
    /// waited for, and for a file that says 0, since those of /proc say it and are not empty.
    pub size: Option<u64>,
    /// The command, where it is one.
    pub running: Option<Running>,
}

impl SourceSpec {
    /// What people call it, safe to show.
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
/// A sink that has returned false is not called again. Events other than `End` and `Failed` are never the last, unless
/// the sink ended it.
///
/// # Errors
/// What cannot be opened or run, or is not a file, is refused with its name, the cause and a remedy in one line. With
/// [`Follow::Name`] a file that does not exist is no error but waited for. A copy is made of what comes once; to ask
/// for one of a file is an error.
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

/// Whether a path leads to several files: a directory or an archive, unless it opens as one session, as a bundle does.
pub fn is_folder(path: &Path) -> bool {
    (path.is_dir() && !is_stored_session(path)) || (archive::is_archive(path) && Manifest::read(path).is_none())
}

/// Whether a path, although it may be that of a directory, leads to one session that is kept in several files.
fn is_stored_session(path: &Path) -> bool {
    StoredSession::at(path).is_some()
}

/// Reads a whole source, waiting for its end.
///
/// # Errors
/// Those of [`open`], and a read that fails.
pub fn read_all(spec: &SourceSpec) -> Result<Vec<u8>> {
    read_at_most(spec, usize::MAX)
}

/// The same for a source that is small.
///
/// # Errors
/// Those of [`read_all`]; it has more than `most` bytes, of which no more are read.
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
/// Those of [`open`]. A read that fails is an event.
pub fn read(spec: &SourceSpec, mut sink: impl FnMut(SourceEvent) -> bool) -> Result<()> {
    Input::open(spec, Follow::No)?.run(&spec.name(), None, &mut Sink(&mut sink));
    Ok(())
}

/// An opened source before the first byte is read.
enum Input {
    Demonstration,
    Whole(OpenedFile),
    Followed(Box<Follower>),
    Stored(StoredSession),
    Archived(Box<ArchivedFile>),
    /// The transcript of a bundle, and what it was called.
    Bundled(String, Box<ArchivedFile>),
    /// The standard input, and whether the demonstration stands in for one that is empty.
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
        // Most files are no archives, so that each is opened once and its first bytes tell.
        if opened.is_err()
            && let Some(archived) = ArchivedFile::at(path)
        {
            return archived.map(|file| Self::Archived(Box::new(file))).map_err(|words| could_not(&words));
        }
        if opened.as_ref().is_ok_and(archive::is_opened) {
            let remedy = "it is an archive; name a file in it, or list its files in a terminal: transcope ARCHIVE";
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
            Self::Stored(_) | Self::Archived(_) | Self::Bundled(..) | Self::Stdin(_) | Self::Command(_) => 0,
        };
        (len > 0).then_some(len)
    }

    /// Whether what is read is gone then.
    fn comes_once(&self) -> bool {
        match self {
            Self::Stdin(_) | Self::Command(_) => true,
            Self::Whole(opened) => opened.kind != FileKind::Regular,
            Self::Demonstration | Self::Followed(_) | Self::Stored(_) | Self::Archived(_) | Self::Bundled(..) => false,
        }
    }

    /// Reads to the end, which the last event tells unless the listener wants no more before.
    fn run(self, name: &str, tee: Option<Tee>, sink: &mut Sink<'_>) {
        let mut intake = Intake::stream(tee);
        let failure = match self.read(&mut intake, sink) {
            Ok(()) => None,
            Err(Halt::Failed(words)) => Some(words),
            Err(Halt::Stopped) => return,
        };
        if intake.finish(sink).is_ok() {
            // It is the last thing, whoever still listens.
            _ = sink.send(match failure.as_deref().or(intake.damage()) {
                None => SourceEvent::End,
                Some(words) => SourceEvent::Failed(format!("could not read {name}: {words}")),
            });
        }
    }

    fn read(self, intake: &mut Intake, sink: &mut Sink<'_>) -> Result<(), Halt> {
        match self {
            Self::Demonstration => demonstrate(sink),
            Self::Whole(OpenedFile { file, kind, .. }) => match kind {
                FileKind::Regular => file::read(&file, intake, sink),
                FileKind::NamedPipe => stream::read(&file, Waits::for_writer(), intake, sink),
                FileKind::Pipe => stream::read(&file, Waits::Never, intake, sink),
            },
            Self::Followed(follower) => follower.run(sink),
            Self::Stored(session) => session.read(intake, sink),
            Self::Archived(file) | Self::Bundled(_, file) => file.read(intake, sink),
            Self::Stdin(if_empty) => {
                stream::read(&io::stdin(), Waits::Blocking, intake, sink)?;
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

/// What is read where the standard input is empty.
#[derive(Clone, Copy, PartialEq, Eq)]
enum IfEmpty {
    Nothing,
    Demonstration,
}

fn demonstrate(sink: &mut Sink<'_>) -> Result<(), Halt> {
    DEMONSTRATION.chunks(CHUNK).try_for_each(|chunk| sink.send(SourceEvent::Chunk(chunk.to_vec())))
}

/// Why reading ends before the source does.
#[derive(Debug)]
enum Halt {
    /// The listener wants no more.
    Stopped,
    /// Something cannot be read any further, in these words.
    Failed(String),
}

impl From<io::Error> for Halt {
    fn from(error: io::Error) -> Self {
        Self::Failed(io_error_text(&error))
    }
}

impl From<Errno> for Halt {
    fn from(error: Errno) -> Self {
        io::Error::from(error).into()
    }
}

struct Sink<'a>(&'a mut dyn FnMut(SourceEvent) -> bool);

impl Sink<'_> {
    fn send(&mut self, event: SourceEvent) -> Result<(), Halt> {
        if (self.0)(event) { Ok(()) } else { Err(Halt::Stopped) }
    }
}

#[cfg(test)]
mod tests;
