//! Reads one file completely and passes its rows on.
//!
//! Any failure becomes the error of the file's row.

use std::any::Any;
use std::io;
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::sync::Arc;

use anyhow::Result;
use twox_hash::XxHash3_128;

use super::choice::{FileChoice, is_session};
use super::path_text::path_of;
use super::rows::{self, BINARY, FileFacts, FileKind, RowBatch, Summary};
use crate::config::Setup;
use crate::config::bundle::sidecar_of;
use crate::config::places::AgentPlaces;
use crate::container::Container;
use crate::dialect::Options;
use crate::filter::{Filter, Selection};
use crate::session::Session;
use crate::source::{self, SourceEvent, SourceSpec};
use crate::text::sanitize::visible_str;

/// Settings for reading the files of a corpus.
#[derive(Clone, Debug)]
pub struct FileReader<'a> {
    /// Dialects and other settings.
    pub setup: &'a Setup,
    /// Selects the calls and problems that become rows; all if `None`.
    pub filter: Option<&'a Filter>,
    /// Selects files and sessions.
    pub choice: &'a FileChoice,
}

/// Result of reading a file.
#[derive(Debug)]
pub enum FileOutcome {
    /// All its rows were sent; this is the rest.
    Read(Box<Summary>),
    /// Excluded by the options.
    Excluded,
    /// The receiver wants no more rows.
    Stopped,
}

impl FileReader<'_> {
    /// Reads a file and sends its rows as long as `send` returns true.
    pub(crate) fn read(&self, facts: &FileFacts, send: &mut dyn FnMut(RowBatch) -> bool) -> FileOutcome {
        if facts.kind == FileKind::Binary {
            return FileOutcome::Read(Box::new(rows::unread(facts, BINARY)));
        }
        // A panic is confined to its file.
        let outcome = panic::catch_unwind(AssertUnwindSafe(|| self.read_session(facts, send)));
        let failed = |words: &str| FileOutcome::Read(Box::new(rows::unread(facts, words)));
        match outcome {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(error)) => failed(&reason(&error, facts)),
            Err(panic) => failed(&format!("internal error: {}", panic_words(&*panic))),
        }
    }

    fn read_session(&self, facts: &FileFacts, send: &mut dyn FnMut(RowBatch) -> bool) -> Result<FileOutcome> {
        let spec = SourceSpec::File(path_of(&facts.file));
        let setup = self.setup.for_source(&spec)?;
        let mut read = self.read_as(setup.container, &setup, &spec)?;
        // A piece of a log may begin in the middle of a record, which makes its format unrecognizable.
        let is_plain = |session: &Session| session.choice().is_none_or(|choice| choice.about.name == Container::PLAIN);
        if setup.container.is_detected() && is_plain(&read.session) {
            let mut others = facts.family.iter().filter(|file| **file != facts.file);
            let known = others.find_map(|file| container_of(&path_of(file)));
            if let Some(container) = known {
                read = self.read_as(container, &setup, &spec)?;
            }
        }
        let WholeFile { session, hash, failure } = read;
        if facts.kind == FileKind::Session
            && failure.is_none()
            && !is_session(&session, &path_of(&facts.file), &AgentPlaces::new())
        {
            return Ok(FileOutcome::Excluded);
        }
        let selection = self.filter.map(|filter| Selection::new(filter, &session));
        let container = session.choice().map_or(Container::PLAIN, |choice| choice.about.name);
        let ended_at = rows::ended_at(&session).or(facts.modified_at);
        if !self.choice.takes_session(container, ended_at) {
            return Ok(FileOutcome::Excluded);
        }
        let Some(mut summary) = rows::of_session(facts, hash, &session, selection.as_ref(), send) else {
            return Ok(FileOutcome::Stopped);
        };
        summary.session.error = failure.map(Into::into);
        Ok(FileOutcome::Read(Box::new(summary)))
    }

    /// Reads a file completely as a container.
    fn read_as(&self, container: Container, setup: &Setup, spec: &SourceSpec) -> Result<WholeFile> {
        let mut session = Session::new(container, &setup.dialect);
        if let (Some(_), SourceSpec::File(path)) = (self.filter, spec) {
            // A filter may refer to notes. Unusable notes are ignored.
            let notes = sidecar_of(path).and_then(|sidecar| sidecar.read());
            session.set_notes(notes.unwrap_or_default());
        }
        let (mut hash, mut failure) = (XxHash3_128::new(), None);
        source::read(spec, |event| {
            match event {
                SourceEvent::Backing(backing) => session.back(backing),
                SourceEvent::Chunk(bytes) => {
                    hash.write(&bytes);
                    session.push(&bytes);
                }
                SourceEvent::Failed(words) => failure = Some(words),
                _ => {}
            }
            true
        })?;
        session.finish();
        Ok(WholeFile { session, hash: hash_text(&hash).into(), failure })
    }
}

/// A completely read file.
struct WholeFile {
    session: Session,
    /// Hash of its content, as stored in its row.
    hash: Arc<str>,
    /// The reason if the end was not reached.
    failure: Option<String>,
}

/// Detects the container from a file's beginning; `None` for plain text or if the file cannot be read.
fn container_of(path: &Path) -> Option<Container> {
    /// Number of bytes after which detection gives up.
    const MOST: usize = 1 << 20;
    let mut session = Session::new(Container::default(), &Options::default());
    let outcome = source::read(&SourceSpec::File(path.to_path_buf()), |event| {
        if let SourceEvent::Chunk(bytes) = event {
            session.push(&bytes);
        }
        session.choice().is_none() && session.file().len() < MOST
    });
    outcome.ok()?;
    let name = session.choice()?.about.name;
    Container::named(name).ok().filter(|container| !container.is_plain())
}

/// Formats a hash as stored in a row.
fn hash_text(hash: &XxHash3_128) -> String {
    format!("{:032x}", hash.finish_128())
}

/// Hash of an empty file.
pub(super) fn empty_hash() -> String {
    hash_text(&XxHash3_128::new())
}

/// Hash of a file's current content, as stored in its row.
///
/// # Errors
/// If the file cannot be read.
pub(crate) fn hash_of(facts: &FileFacts) -> Result<String> {
    let (mut hash, mut failure) = (XxHash3_128::new(), None);
    source::read(&SourceSpec::File(path_of(&facts.file)), |event| {
        match event {
            SourceEvent::Chunk(bytes) => hash.write(&bytes),
            SourceEvent::Failed(words) => failure = Some(words),
            _ => {}
        }
        true
    })?;
    failure.map_or_else(|| Ok(hash_text(&hash)), |words| Err(anyhow::anyhow!(words)))
}

/// The reason why a file cannot be read, without the file name, which is displayed next to it.
fn reason(error: &anyhow::Error, facts: &FileFacts) -> String {
    if std::fs::metadata(path_of(&facts.file)).is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
        return "it no longer exists".to_owned();
    }
    let words = format!("{error:#}");
    let name = visible_str(&path_of(&facts.file).to_string_lossy()).into_owned();
    let rest = ["could not open", "could not read"]
        .iter()
        .find_map(|verb| words.strip_prefix(verb)?.strip_prefix(' ')?.strip_prefix(name.as_str())?.strip_prefix(": "));
    rest.unwrap_or(&words).to_owned()
}

fn panic_words(panic: &(dyn Any + Send)) -> &str {
    let words = panic.downcast_ref::<&str>().copied();
    words.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}
