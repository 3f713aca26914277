//! Sessions that agents store in several files, read as one file of records: each file unchanged, on separate lines.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::text::sanitize::{io_error_text, visible_str};

use super::event_folder::EventFolder;
use super::file::{self, FileKind};
use super::intake::Intake;
use super::opencode_store::OpencodeSession;
use super::{ReadStop, Sink, SourceEvent};

/// A session in several files.
#[derive(Debug)]
pub(super) enum StoredSession {
    /// A session of opencode: a file per message and part.
    Opencode(OpencodeSession),
    /// A conversation of OpenHands: a file per event.
    Events(EventFolder),
}

impl StoredSession {
    /// The session at a path, if there is one.
    pub(super) fn at(path: &Path) -> Option<Self> {
        OpencodeSession::at(path).map(Self::Opencode).or_else(|| EventFolder::at(path).map(Self::Events))
    }

    /// Its files, in reading order.
    fn files(&self) -> Vec<PathBuf> {
        match self {
            Self::Opencode(session) => session.files().collect(),
            Self::Events(events) => events.files(),
        }
    }

    /// Passes on its files in order; one that cannot be read is reported and skipped.
    pub(super) fn read(&self, intake: &mut Intake, sink: &mut Sink<'_>) -> Result<(), ReadStop> {
        self.files().iter().try_for_each(|file| push(file, intake, sink))
    }

    /// The total size of its files in bytes, and the time of the last write to any of them.
    pub(super) fn extent(&self) -> (u64, Option<SystemTime>) {
        let files = self.files();
        let known = files.iter().filter_map(|file| fs::metadata(file).ok());
        known.fold((0, None), |(size, modified), file| (size + file.len(), modified.max(file.modified().ok())))
    }
}

/// Passes on the bytes of a file and the end of a line.
fn push(path: &Path, intake: &mut Intake, sink: &mut Sink<'_>) -> Result<(), ReadStop> {
    let mut bytes = Vec::new();
    let failure = match file::open(path) {
        Ok(opened) if opened.kind == FileKind::Regular => {
            let mut file = opened.file;
            file.read_to_end(&mut bytes).err().map(|error| io_error_text(&error))
        }
        Ok(_) => Some("it is not a regular file".to_owned()),
        Err(refusal) => Some(refusal.to_string()),
    };
    if let Some(words) = failure {
        let name = visible_str(&path.to_string_lossy()).into_owned();
        return sink.send(SourceEvent::Notice(format!("could not read {name}: {words}")));
    }
    bytes.truncate(bytes.trim_ascii_end().len());
    bytes.push(b'\n');
    intake.push(&bytes, sink)
}
