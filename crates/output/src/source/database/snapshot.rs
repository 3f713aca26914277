//! A private copy of a database and its log of changes, which is read instead of the files of the agent.
//!
//! The copy has no name while it is read, so that nothing is left of it however the process ends; it is in the folder
//! that `TMPDIR` names. Its index of the log (`-shm`) is never copied: it belongs to running programs.

use std::env;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, Error, ErrorCode, OpenFlags, Params, Row};

use super::{FileState, log_of};
use crate::source::file::{self, FileKind};
use crate::system::disk::{Operation, attempt};
use crate::text::sanitize::{io_error_text, visible_str};

/// Maximum number of bytes of a database and its log together that are copied: more than years of sessions take, and
/// less than most disks for temporary files have.
const MOST: u64 = 8 << 30;

/// Maximum number of bytes of a row.
const LONGEST: i32 = 256 << 20;

/// Number of copies that are made of a database that changes while it is copied.
const ATTEMPTS: u32 = 5;

/// Time between two attempts, times the number of the attempt.
const PAUSE: Duration = Duration::from_millis(20);

/// Bytes at the beginning of a log that change when it is written from the beginning again.
const LOG_HEADER: usize = 32;

/// Instructions of SQLite between two checks of the limit.
const CHECKED: i32 = 10_000;

/// Checks until a query is stopped: a few seconds, for damaged databases whose pages form a cycle.
const MOST_CHECKS: u32 = 30_000;

/// A connection to the copy.
pub(super) struct Snapshot {
    connection: Mutex<Connection>,
    checks: Arc<AtomicU32>,
}

impl Snapshot {
    /// Copies the database at a canonical path, and applies its log to the copy. Also returns the state that was
    /// copied.
    ///
    /// # Errors
    /// It cannot be copied or is not a database, with the reason and a remedy.
    pub(super) fn new(path: &Path) -> Result<(Self, FileState), String> {
        let folder = attempt(Operation::Open, tempfile::tempdir).map_err(|error| room(&error))?;
        let copy = folder.path().join("copy.db");
        let mut number = 0;
        let state = loop {
            if let Some(state) = copy_to(path, &copy)? {
                break state;
            }
            number += 1;
            if number == ATTEMPTS {
                return Err("it is being changed all the time and could not be copied; try again".to_owned());
            }
            thread::sleep(PAUSE * number);
        };
        let checks = Arc::<AtomicU32>::default();
        let connection = connect(&copy, &checks).map_err(|error| message(&error))?;
        Ok((Self { connection: Mutex::new(connection), checks }, state))
    }

    /// The rows of a query, at most `most`.
    ///
    /// # Errors
    /// The query fails, with the reason.
    pub(super) fn query<T>(
        &self,
        most: usize,
        sql: &str,
        values: impl Params,
        mut row: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, String> {
        let connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        self.checks.store(0, Ordering::Relaxed);
        let rows = || {
            let mut statement = connection.prepare(sql)?;
            let rows = statement.query_map(values, |found| row(found))?;
            rows.take(most).collect::<rusqlite::Result<Vec<T>>>()
        };
        rows().map_err(|error| message(&error))
    }
}

/// Copies a database and its log; `None` if they changed meanwhile so that the copy may not be consistent. What is
/// appended to the log meanwhile does no harm: a transaction counts once it is complete.
fn copy_to(from: &Path, copy: &Path) -> Result<Option<FileState>, String> {
    let state = |path: &Path| FileState::of(path).map_err(|error| file::refusal(error).to_string());
    let before = state(from)?;
    let size = before.database.2 + before.log.map_or(0, |log| log.2);
    if size > MOST {
        let gib = |bytes: u64| bytes.div_ceil(1 << 30);
        return Err(format!(
            "it has {} GiB, and at most {} GiB are copied to be read; export the session with opencode export",
            gib(size),
            gib(MOST)
        ));
    }
    copy_file(from, copy, before.database.2)?;
    let log = log_of(from);
    let header = |path: &Path| {
        let mut header = Vec::new();
        let read = File::open(path).and_then(|file| file.take(LOG_HEADER as u64).read_to_end(&mut header));
        read.map(|_| header).ok()
    };
    let began = header(&log);
    let copied_log = log_of(copy);
    match before.log {
        Some(log_state) if began.is_some() => {
            copy_file(&log, &copied_log, log_state.2)?;
        }
        _ => _ = std::fs::remove_file(&copied_log),
    }
    let after = state(from)?;
    let same_log = match (before.log, after.log) {
        (Some(before), Some(after)) => (before.0, before.1) == (after.0, after.1) && header(&log) == began,
        (None, after) => after.is_none_or(|log| log.2 == 0),
        (Some(_), None) => false,
    };
    Ok((before.database == after.database && same_log).then_some(before))
}

fn copy_file(from: &Path, to: &Path, len: u64) -> Result<(), String> {
    let opened = file::open(from).map_err(|refusal| refusal.to_string())?;
    if opened.kind != FileKind::Regular {
        return Err("it is not a regular file".to_owned());
    }
    let mut source = opened.file.take(len);
    let write = || {
        source.get_mut().seek(SeekFrom::Start(0))?;
        source.set_limit(len);
        io::copy(&mut source, &mut File::create(to)?).map(drop)
    };
    attempt(Operation::Write, write).map_err(|error| room(&error))
}

/// The message about a copy that cannot be written.
fn room(error: &io::Error) -> String {
    let temporary = env::temp_dir();
    let folder = visible_str(&temporary.to_string_lossy()).into_owned();
    format!("could not copy it to {folder}: {}; set TMPDIR to a folder with space", io_error_text(error))
}

/// Opens the copy, applies its log, and makes it unchangeable.
fn connect(copy: &Path, checks: &Arc<AtomicU32>) -> rusqlite::Result<Connection> {
    let mut connection =
        Connection::open_with_flags(copy, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, LONGEST)?;
    // Functions and tables that a schema names must not do anything.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    let counted = Arc::clone(checks);
    connection.progress_handler(CHECKED, Some(move || counted.fetch_add(1, Ordering::Relaxed) >= MOST_CHECKS))?;
    // With an exclusive lock the index of the log is in memory.
    connection.execute_batch(
        "PRAGMA locking_mode = EXCLUSIVE; PRAGMA temp_store = MEMORY; PRAGMA mmap_size = 0;
         PRAGMA cell_size_check = ON; PRAGMA synchronous = OFF; PRAGMA journal_mode = DELETE; PRAGMA query_only = ON;",
    )?;
    // Reads the first page, so that a lock is held when the file loses its name.
    connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
    Ok(connection)
}

/// The message about an error of SQLite, safe to show.
fn message(error: &Error) -> String {
    let words = error.to_string();
    let words = visible_str(&words);
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            format!("the database is damaged or incomplete: {words}")
        }
        Some(ErrorCode::OperationInterrupted) => {
            "the database is damaged or has lost its indexes: a query takes too long".to_owned()
        }
        Some(ErrorCode::TooBig) => format!("it has more than {} MiB", LONGEST >> 20),
        _ => format!("SQLite: {words}"),
    }
}
