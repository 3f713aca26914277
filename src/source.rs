//! Where a transcript comes from: the demonstration, a file, or the standard input, as a flow of events.
//!
//! A source is opened and checked at once, and then read on a thread of its own, so that nobody who draws ever waits
//! for a disk or for the other end of a pipe. This module does not look at the bytes, and it never writes.

mod file;
mod follow;
mod stream;

use std::io;
use std::path::PathBuf;
use std::thread;

use anyhow::{Context, Result, anyhow};

use crate::text::sanitize::visible_str;
use crate::text::store::Backing;
use file::{Kind, Opened, Refusal};
use follow::Follower;

/// The most bytes that one [`SourceEvent::Chunk`] carries.
pub const CHUNK: usize = 256 * 1024;

const DEMONSTRATION: &[u8] = include_bytes!("../samples/demo.txt");
const STDIN: &str = "standard input";

/// What to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SourceSpec {
    /// The transcript that comes with the program.
    Demonstration,
    /// A regular file or a named pipe.
    File(PathBuf),
    /// The standard input, to its end.
    Stdin,
}

/// What happens at the end of a regular file. Pipes and the demonstration end at their end in any case.
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
    /// Everything that is there now has been sent; more may come.
    CaughtUp,
    /// Something that a person would want to know: the file is waited for, deleted, back, or only polled.
    Notice(String),
    /// The file was truncated, rewritten or replaced, as the message says: what follows is a new text from its start.
    Restarted(String),
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
    /// Bytes there were when it was opened. Unknown for a pipe, for a file that is waited for, and for a file that
    /// says 0, since those of /proc say it and are not empty.
    pub size: Option<u64>,
}

impl SourceSpec {
    /// What people call it, safe to show.
    pub fn name(&self) -> String {
        match self {
            Self::Demonstration => "demonstration".into(),
            Self::File(path) => visible_str(&path.to_string_lossy()).into_owned(),
            Self::Stdin => STDIN.into(),
        }
    }
}

/// Opens a source, and reads it on a thread for as long as `sink` returns true.
///
/// A sink that has returned false is not called again. Events other than `End` and `Failed` are never the last, unless
/// the sink ended it.
///
/// # Errors
/// What cannot be opened or is not a file is refused with the path, the cause and a remedy in one line. With
/// [`Follow::Name`] a file that does not exist is no error but waited for.
pub fn open(
    spec: &SourceSpec,
    follow: Follow,
    mut sink: impl FnMut(SourceEvent) -> bool + Send + 'static,
) -> Result<Source> {
    let name = spec.name();
    let reading = Reading::open(spec, follow)?;
    let source = Source { name: name.clone(), size: reading.size() };
    thread::Builder::new()
        .name("source".into())
        // The thread is done when the sink wants no more; nobody asks how it ended.
        .spawn(move || drop(reading.run(&name, &mut Sink(&mut sink))))
        .with_context(|| format!("could not start reading {}", source.name))?;
    Ok(source)
}

/// Reads a whole source, waiting for its end.
///
/// # Errors
/// Those of [`open`], and a read that fails.
pub fn read_all(spec: &SourceSpec) -> Result<Vec<u8>> {
    let reading = Reading::open(spec, Follow::No)?;
    let mut bytes = Vec::new();
    let mut failure = None;
    let mut collect = |event| {
        match event {
            SourceEvent::Chunk(chunk) => bytes.extend_from_slice(&chunk),
            SourceEvent::Failed(message) => failure = Some(message),
            _ => {}
        }
        true
    };
    // It is never stopped, and failure is an event.
    drop(reading.run(&spec.name(), &mut Sink(&mut collect)));
    match failure {
        Some(message) => Err(anyhow!(message)),
        None => Ok(bytes),
    }
}

/// An opened source before the first byte is read.
enum Reading {
    Demonstration,
    Whole(Opened),
    Followed(Box<Follower>),
    Stdin,
}

impl Reading {
    fn open(spec: &SourceSpec, follow: Follow) -> Result<Self> {
        let path = match spec {
            SourceSpec::Demonstration => return Ok(Self::Demonstration),
            SourceSpec::Stdin => return Ok(Self::Stdin),
            SourceSpec::File(path) => path,
        };
        match (file::open(path), follow) {
            (Err(Refusal::Missing), Follow::Name) => Ok(Self::Followed(Box::new(Follower::new(path, None, follow)))),
            (Err(refusal), _) => Err(anyhow!("could not open {}: {refusal}", spec.name())),
            (Ok(opened), Follow::File | Follow::Name) if opened.kind == Kind::Regular => {
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
            Self::Stdin => 0,
        };
        (len > 0).then_some(len)
    }

    fn run(self, name: &str, sink: &mut Sink<'_>) -> Result<(), Stopped> {
        let outcome = match self {
            Self::Demonstration => {
                for chunk in DEMONSTRATION.chunks(CHUNK) {
                    sink.chunk(chunk)?;
                }
                Ok(())
            }
            Self::Whole(opened) => file::read(&opened, sink)?,
            Self::Followed(follower) => return follower.run(sink),
            Self::Stdin => stream::read_stdin(sink)?,
        };
        sink.send(match outcome {
            Ok(()) => SourceEvent::End,
            Err(error) => SourceEvent::Failed(format!("could not read {name}: {}", cause(&error))),
        })
    }
}

/// The listener wants no more.
#[derive(Debug)]
struct Stopped;

/// Whoever listens.
struct Sink<'a>(&'a mut dyn FnMut(SourceEvent) -> bool);

impl Sink<'_> {
    fn send(&mut self, event: SourceEvent) -> Result<(), Stopped> {
        if (self.0)(event) { Ok(()) } else { Err(Stopped) }
    }

    fn chunk(&mut self, bytes: &[u8]) -> Result<(), Stopped> {
        self.send(SourceEvent::Chunk(bytes.to_vec()))
    }
}

/// The cause of a failure in the words of the system, without its number, safe to show.
fn cause(error: &io::Error) -> String {
    let text = error.to_string();
    let text = text.rsplit_once(" (os error").map_or(text.as_str(), |(words, _)| words);
    let mut chars = text.chars();
    let lower = chars.next().map(|first| first.to_lowercase().chain(chars).collect::<String>());
    visible_str(&lower.unwrap_or_default()).into_owned()
}

#[cfg(test)]
mod tests;
