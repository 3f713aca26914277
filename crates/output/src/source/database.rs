//! Databases in which opencode and Kilo keep their sessions, which are found like files in a folder and read one by one.
//!
//! The path of a session continues the path of its database: `opencode.db/ses_…`. A database is copied with its log of
//! changes before it is read, so that nothing of the agent's is written or locked.

#[cfg(feature = "sqlite")]
mod columns;
#[cfg(feature = "sqlite")]
mod messages;
#[cfg(feature = "sqlite")]
mod snapshot;
#[cfg(feature = "sqlite")]
#[path = "database/sessions.rs"]
mod store;
#[cfg(not(feature = "sqlite"))]
#[path = "database/stub.rs"]
mod store;

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use super::file::{self, FileKind, OpenedFile};
use super::intake::Intake;
use super::{ReadStop, Sink, SourceEvent};
use crate::text::spool::read_at;
pub(super) use store::Sessions;

/// The first bytes of a SQLite database.
const MAGIC: &[u8] = b"SQLite format 3\0";

/// A session in a database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DatabaseSession {
    pub(super) database: PathBuf,
    pub(super) id: String,
}

/// The data of a session that a list needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SessionHead {
    pub(super) id: String,
    /// Bytes of its messages and parts.
    pub(super) size: u64,
    /// Time of its last change, if recorded.
    pub(super) modified: Option<SystemTime>,
    /// The session as a JSON record of the storage.
    pub(super) record: Vec<u8>,
}

/// A message in a session, by row numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MessageRows {
    /// True if it is in the tables of version 1 of opencode.
    is_first: bool,
    /// `None` for parts whose message is missing.
    message: Option<i64>,
    parts: Vec<i64>,
}

/// The record of a session, and its messages in order.
pub(super) type SessionRows = (Vec<u8>, Vec<MessageRows>);

/// A message and its parts as records.
#[derive(Debug, Default)]
pub(super) struct MessageRecords {
    pub(super) bytes: Vec<u8>,
    /// Messages about rows that cannot be read.
    pub(super) failures: Vec<String>,
    /// False for an answer that is being written.
    pub(super) is_complete: bool,
    /// Hash of the contents, except of what opencode adds to a complete message later.
    pub(super) hash: u64,
}

/// How old the copy of a database may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Freshness {
    /// It has the present state.
    Current,
    /// It may be older than that by a few times the duration of a copy, for lists that are updated continuously.
    Recent,
}

/// The state of the files of a database: device, inode, length, and when each changed, in seconds and nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FileState {
    database: State,
    log: Option<State>,
}

type State = (u64, u64, u64, i64, i64);

impl FileState {
    /// The present state of a database at a canonical path.
    ///
    /// # Errors
    /// It does not exist, or cannot be inspected.
    pub(super) fn of(database: &Path) -> io::Result<Self> {
        let state = |path: &Path| -> io::Result<State> {
            let known = fs::metadata(path)?;
            Ok((known.dev(), known.ino(), known.len(), known.mtime(), known.mtime_nsec()))
        };
        let log = match state(&log_of(database)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            log => Some(log?),
        };
        Ok(Self { database: state(database)?, log })
    }
}

impl DatabaseSession {
    /// The session at a path that continues the path of a database, whether or not it exists.
    pub(super) fn at(path: &Path) -> Option<Self> {
        let is_continued = |error: io::Error| error.kind() == io::ErrorKind::NotADirectory;
        if !fs::symlink_metadata(path).is_err_and(is_continued) {
            return None;
        }
        let (database, id) = (path.parent()?, path.file_name()?.to_str()?);
        is_database(database).then(|| Self { database: database.to_owned(), id: id.to_owned() })
    }

    /// Checks that the session exists.
    ///
    /// # Errors
    /// It does not, or the database cannot be read, with the reason and a remedy.
    pub(super) fn check(&self) -> Result<(), String> {
        let sessions = Sessions::open(&self.database, Freshness::Current)?;
        self.rows(&sessions).map(drop)
    }

    /// The record of the session and its messages in order.
    pub(super) fn rows(&self, sessions: &Sessions) -> Result<SessionRows, String> {
        sessions
            .rows(&self.id)?
            .ok_or_else(|| "no such session in the database; run transcope DATABASE to list its sessions".to_owned())
    }

    /// Passes on the record of the session and its messages, each followed by its parts.
    pub(super) fn read(&self, intake: &mut Intake, sink: &mut Sink<'_>) -> Result<(), ReadStop> {
        let sessions = Sessions::open(&self.database, Freshness::Current).map_err(ReadStop::Failed)?;
        let (record, rows) = self.rows(&sessions).map_err(ReadStop::Failed)?;
        intake.expect_end();
        intake.push(&record, sink)?;
        let mut failures = 0;
        for row in &rows {
            let records = sessions.message(&self.id, row);
            for words in records.failures {
                failures += 1;
                if failures <= NAMED {
                    sink.send(SourceEvent::Notice(words))?;
                }
            }
            intake.push(&records.bytes, sink)?;
        }
        if failures > NAMED {
            let words = format!("{failures} messages and parts cannot be read: its database is damaged");
            return Err(ReadStop::Failed(words));
        }
        Ok(())
    }
}

/// Maximum number of unreadable rows that are reported one by one.
const NAMED: usize = 4;

/// True if the file at a path is a database.
pub(super) fn is_database(path: &Path) -> bool {
    file::open(path).is_ok_and(|opened| is_opened(&opened))
}

/// True if the opened file is a database.
pub(super) fn is_opened(opened: &OpenedFile) -> bool {
    let mut first = [0; MAGIC.len()];
    opened.kind == FileKind::Regular && read_at(&opened.file, &mut first, 0).is_ok() && first == MAGIC
}

/// True if a file in a folder is a database of opencode, or of Kilo, which was made from it, by its name: other
/// databases there may be large, and opening one copies it. Its channels append to the name: `opencode-next.db`.
pub(super) fn is_named(path: &Path) -> bool {
    let is_own =
        |stem: &OsStr| ["opencode", "kilo"].iter().any(|name| stem.as_encoded_bytes().starts_with(name.as_bytes()));
    let stem = path.file_stem().is_some_and(is_own);
    stem && path.extension() == Some(OsStr::new("db")) && is_database(path)
}

/// Checks that a database has sessions of opencode.
///
/// # Errors
/// It does not, or cannot be read, with the reason and a remedy.
pub(super) fn check(database: &Path) -> Result<(), String> {
    Sessions::open(database, Freshness::Recent).map(drop)
}

/// The sessions in a database, at most `most`, each with its path, and true if there are more. Sessions without
/// messages are omitted.
///
/// # Errors
/// The database cannot be read, with the reason.
pub(super) fn list(database: &Path, most: usize) -> Result<(Vec<(PathBuf, SessionHead)>, bool), String> {
    let sessions: Arc<Sessions> = Sessions::open(database, Freshness::Recent)?;
    let (heads, cut) = sessions.list(most)?;
    // An id is part of a path, so it must not lead to another file.
    let is_name = |id: &str| !id.is_empty() && !id.contains(['/', '\0']) && id != "." && id != "..";
    let heads = heads.into_iter().filter(|head| head.size > 0 && is_name(&head.id));
    Ok((heads.map(|head| (database.join(&head.id), head)).collect(), cut))
}

/// Time of the last change of a session at a path, or of a database itself.
pub(super) fn modified(path: &Path) -> Option<SystemTime> {
    if let Some(session) = DatabaseSession::at(path) {
        let sessions = Sessions::open(&session.database, Freshness::Recent).ok()?;
        return sessions.head(&session.id).ok()??.modified;
    }
    let modified = |path: &Path| fs::metadata(path).ok()?.modified().ok();
    // Changes are written to the log first, and seldom to the database.
    modified(path).max(is_database(path).then(|| modified(&log_of(&resolve(path)))).flatten())
}

/// The path of the log of changes (write-ahead log) of a database at a canonical path.
pub(super) fn log_of(database: &Path) -> PathBuf {
    let mut log = OsString::from(database);
    log.push("-wal");
    log.into()
}

/// The path of a database without links: its log has the name of the file itself.
pub(super) fn resolve(database: &Path) -> PathBuf {
    fs::canonicalize(database).unwrap_or_else(|_| database.to_owned())
}

#[cfg(all(test, feature = "sqlite"))]
mod tests;
