//! The sessions in a database of opencode, as records like the files of its storage.
//!
//! | table | content |
//! |---|---|
//! | `session` | a session, a column for each member of its record |
//! | `message` | `id`, `session_id`, and `data`: the record without these |
//! | `part` | `id`, `message_id`, `session_id`, and `data`: the record without these |
//! | `session_v2`, `session_message` | sessions of opencode 2, which keeps the tables of version 1; see [`super::messages`] |
//!
//! A session in the tables of both versions is read from the newer ones.

use std::collections::hash_map::DefaultHasher;
use std::collections::{HashMap, HashSet};
use std::hash::{Hash, Hasher};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rusqlite::types::ValueRef;
use rusqlite::{Row, ToSql};
use serde_json::Value;

use super::columns::session_head;
use super::messages;
use super::snapshot::Snapshot;
use super::{FileState, Freshness, MessageRecords, MessageRows, SessionHead, SessionRows, resolve};
use crate::text::steps;

/// Maximum number of messages, and of parts, of a session.
const MOST_ROWS: usize = 1_000_000;

/// Number of times that the duration of a copy may pass before the next one, for [`Freshness::Recent`].
const PATIENCE: u32 = 8;

/// The sessions in a database.
pub(in crate::source) struct Sessions {
    snapshot: Snapshot,
    /// The versions of opencode that have tables, newest first.
    versions: Vec<&'static Version>,
}

/// The tables of a version of opencode.
struct Version {
    session: &'static str,
    message: &'static str,
    /// The column that gives the order of messages.
    order: &'static str,
    /// True if parts of messages have their own table.
    has_parts: bool,
    /// Tables with the columns that are needed.
    tables: &'static [(&'static str, &'static [&'static str])],
}

static FIRST: Version = Version {
    session: "session",
    message: "message",
    order: "time_created, id",
    has_parts: true,
    tables: &[
        ("session", &["id", "directory"]),
        ("message", &["id", "session_id", "time_created", "data"]),
        ("part", &["id", "message_id", "session_id", "data"]),
    ],
};

static SECOND: Version = Version {
    session: "session_v2",
    message: "session_message",
    order: "seq",
    has_parts: false,
    tables: &[("session_v2", &["id", "directory"]), ("session_message", &["id", "session_id", "type", "seq", "data"])],
};

/// The copy that was made last, with the path and the state that it belongs to: the sessions of a database are read one
/// after another, and each would otherwise copy it again.
static LAST: Mutex<Option<Copied>> = Mutex::new(None);

struct Copied {
    path: Box<Path>,
    state: FileState,
    sessions: Arc<Sessions>,
    made: Instant,
    took: Duration,
}

impl Sessions {
    /// The sessions in the database at a path.
    ///
    /// # Errors
    /// It cannot be copied, or is not a database of opencode, with the reason and a remedy.
    pub(in crate::source) fn open(path: &Path, freshness: Freshness) -> Result<Arc<Self>, String> {
        let path = resolve(path);
        let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(copied) = last.as_ref().filter(|copied| *copied.path == *path) {
            let is_recent = freshness == Freshness::Recent && copied.made.elapsed() < copied.took * PATIENCE;
            if is_recent || FileState::of(&path).is_ok_and(|state| state == copied.state) {
                return Ok(Arc::clone(&copied.sessions));
            }
        }
        let began = Instant::now();
        // Frees the room of the previous copy first.
        *last = None;
        let (snapshot, state) = Snapshot::new(&path)?;
        let sessions = Arc::new(Self::new(snapshot)?);
        let made = Instant::now();
        let copied = Copied { path: path.into(), state, sessions: Arc::clone(&sessions), made, took: began.elapsed() };
        *last = Some(copied);
        Ok(sessions)
    }

    fn new(snapshot: Snapshot) -> Result<Self, String> {
        // Views and virtual tables have no pages.
        let tables = "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0";
        let tables: HashSet<String> = snapshot.query(MOST_ROWS, tables, [], |row| text(row, 0))?.into_iter().collect();
        let mut versions = Vec::new();
        for version in [&SECOND, &FIRST] {
            if !version.tables.iter().all(|(table, _)| tables.contains(*table)) {
                continue;
            }
            for (table, needed) in version.tables {
                let columns = "SELECT name FROM pragma_table_info(?1)";
                let columns = snapshot.query(MOST_ROWS, columns, [table], |row| text(row, 0))?;
                if let Some(missing) = needed.iter().find(|needed| !columns.iter().any(|column| column == *needed)) {
                    return Err(format!("its table {table} has no column {missing}: it is not a database of opencode"));
                }
            }
            versions.push(version);
        }
        if versions.is_empty() {
            let names: Vec<&str> = FIRST.tables.iter().map(|(table, _)| *table).collect();
            let missing: Vec<&str> = names.iter().copied().filter(|name| !tables.contains(*name)).collect();
            return Err(format!(
                "it is a SQLite database without the tables of opencode (missing: {}); of databases, transcope reads \
                 only opencode.db",
                missing.join(", ")
            ));
        }
        Ok(Self { snapshot, versions })
    }

    /// The sessions, at most `most`, and true if there are more.
    pub(in crate::source) fn list(&self, most: usize) -> Result<(Vec<SessionHead>, bool), String> {
        let (mut heads, mut known): (Vec<SessionHead>, HashSet<String>) = Default::default();
        for version in &self.versions {
            let mut sizes: HashMap<String, u64> = HashMap::new();
            for table in [version.message, "part"].iter().take(1 + usize::from(version.has_parts)) {
                let sums = format!("SELECT session_id, sum(octet_length(data)) FROM {table} GROUP BY session_id");
                let pair = |row: &Row<'_>| Ok((text(row, 0)?, row.get::<_, Option<i64>>(1)?.unwrap_or_default()));
                for (id, size) in self.snapshot.query(MOST_ROWS, &sums, [], pair)? {
                    *sizes.entry(id).or_default() += u64::try_from(size).unwrap_or_default();
                }
            }
            let rows = format!("SELECT * FROM {}", version.session);
            for mut head in self.snapshot.query(most.saturating_add(1), &rows, [], |row| Ok(session_head(row)))? {
                head.size = sizes.get(&head.id).copied().unwrap_or_default();
                // Empty rows remain where a session moved to other tables.
                if head.size > 0 && known.insert(head.id.clone()) {
                    heads.push(head);
                }
            }
        }
        let cut = heads.len() > most;
        heads.truncate(most);
        Ok((heads, cut))
    }

    /// A session without its size; `None` if there is no such session.
    pub(in crate::source) fn head(&self, id: &str) -> Result<Option<SessionHead>, String> {
        Ok(self.find(id)?.map(|(_, head)| head))
    }

    /// The record of a session, and its messages in order; `None` if there is no such session.
    pub(in crate::source) fn rows(&self, id: &str) -> Result<Option<SessionRows>, String> {
        let Some((version, head)) = self.find(id)? else { return Ok(None) };
        let messages =
            format!("SELECT rowid, id FROM {} WHERE session_id = ?1 ORDER BY {}", version.message, version.order);
        let pair = |row: &Row<'_>| Ok((row.get::<_, i64>(0)?, text(row, 1)?));
        let messages = self.snapshot.query(MOST_ROWS, &messages, [id], pair)?;
        let mut parts: HashMap<String, Vec<(String, i64)>> = HashMap::new();
        if version.has_parts {
            let rows = "SELECT rowid, id, message_id FROM part WHERE session_id = ?1";
            let three = |row: &Row<'_>| Ok((row.get::<_, i64>(0)?, text(row, 1)?, text(row, 2)?));
            for (row, id, message) in self.snapshot.query(MOST_ROWS, rows, [id], three)? {
                parts.entry(message).or_default().push((id, row));
            }
        }
        let ordered = |mut parts: Vec<(String, i64)>| {
            parts.sort();
            parts.into_iter().map(|(_, row)| row).collect()
        };
        let mut rows: Vec<MessageRows> = messages
            .into_iter()
            .map(|(row, id)| {
                let parts = parts.remove(&id).map(ordered).unwrap_or_default();
                MessageRows { is_first: version.has_parts, message: Some(row), parts }
            })
            .collect();
        let mut lost: Vec<(String, i64)> = parts.into_values().flatten().collect();
        lost.sort();
        if !lost.is_empty() {
            rows.push(MessageRows { is_first: true, message: None, parts: ordered(lost) });
        }
        Ok(Some((head.record, rows)))
    }

    /// The records of a message. A row that cannot be read is reported and skipped.
    pub(in crate::source) fn message(&self, session: &str, rows: &MessageRows) -> MessageRecords {
        let mut records = MessageRecords { is_complete: true, ..MessageRecords::default() };
        let mut hasher = DefaultHasher::new();
        let version = if rows.is_first { &FIRST } else { &SECOND };
        steps::add(1 + rows.parts.len());
        if let Some(row) = rows.message {
            match self.data(version.message, &["id", if version.has_parts { "id" } else { "type" }], row) {
                Ok((names, data)) if version.has_parts => {
                    records.is_complete = first_message(&data, &mut hasher);
                    splice(&mut records.bytes, &[("id", &names[0]), ("sessionID", session)], &data);
                }
                Ok((names, data)) => {
                    let value = serde_json::from_slice(&data).unwrap_or(Value::Null);
                    records.is_complete = messages::is_complete(&names[1], &value);
                    data.hash(&mut hasher);
                    messages::write(&mut records.bytes, session, &names[0], &names[1], &value);
                }
                Err(words) => records.failures.push(format!("could not read a message of {session}: {words}")),
            }
        }
        for &row in &rows.parts {
            match self.data("part", &["id", "message_id"], row) {
                Ok((names, data)) => {
                    data.hash(&mut hasher);
                    let members = [("id", &*names[0]), ("sessionID", session), ("messageID", &names[1])];
                    splice(&mut records.bytes, &members, &data);
                }
                Err(words) => records.failures.push(format!("could not read a part of {session}: {words}")),
            }
        }
        records.hash = hasher.finish();
        records
    }

    /// Two columns of a row, and its data.
    fn data(&self, table: &str, columns: &[&str; 2], row: i64) -> Result<([String; 2], Vec<u8>), String> {
        let sql = format!("SELECT {}, {}, data FROM {table} WHERE rowid = ?1", columns[0], columns[1]);
        let three = |row: &Row<'_>| Ok(([text(row, 0)?, text(row, 1)?], bytes(row.get_ref(2)?)));
        self.snapshot.query(1, &sql, [row], three)?.pop().ok_or_else(|| "the row does not exist".to_owned())
    }

    /// A session and the version of its tables: the newest in which it has messages.
    fn find(&self, id: &str) -> Result<Option<(&'static Version, SessionHead)>, String> {
        let mut found = None;
        for version in &self.versions {
            let one = |table: &str, column: &str| format!("SELECT * FROM {table} WHERE {column} = ?1 LIMIT 1");
            let id: [&dyn ToSql; 1] = [&id];
            let head = self.snapshot.query(1, &one(version.session, "id"), id, |row| Ok(session_head(row)))?.pop();
            let Some(head) = head else { continue };
            let sql = format!("SELECT 1 FROM {} WHERE session_id = ?1 LIMIT 1", version.message);
            if !self.snapshot.query(1, &sql, id, |_| Ok(()))?.is_empty() {
                return Ok(Some((*version, head)));
            }
            found.get_or_insert((*version, head));
        }
        Ok(found)
    }
}

/// True if a message is complete. Hashes it without the summary that opencode adds to a user's message after the turn.
fn first_message(data: &[u8], hasher: &mut DefaultHasher) -> bool {
    let Ok(Value::Object(mut message)) = serde_json::from_slice(data) else {
        data.hash(hasher);
        return true;
    };
    if message.get("summary").is_some_and(Value::is_object) {
        message.remove("summary");
    }
    let is_answer = message.get("role").and_then(Value::as_str) == Some("assistant");
    let is_complete = message.get("time").is_some_and(|time| time.get("completed").is_some_and(Value::is_number));
    let has_failed = message.get("error").is_some_and(|error| !error.is_null());
    Value::Object(message).to_string().hash(hasher);
    !is_answer || is_complete || has_failed
}

/// Writes a record that begins with these members, followed by the members of an object.
fn splice(out: &mut Vec<u8>, members: &[(&str, &str)], data: &[u8]) {
    let mut separator = b'{';
    for (name, value) in members {
        out.push(separator);
        separator = b',';
        out.extend_from_slice(format!("\"{name}\":{}", Value::from(*value)).as_bytes());
    }
    let data = data.trim_ascii();
    match data.strip_prefix(b"{").map(<[u8]>::trim_ascii_start) {
        Some(rest) => {
            if !rest.starts_with(b"}") {
                out.push(separator);
            }
            out.extend_from_slice(rest);
        }
        None => out.extend_from_slice(format!(",\"data\":{}}}", Value::from(String::from_utf8_lossy(data))).as_bytes()),
    }
    out.push(b'\n');
}

/// The text in a column; empty if it has another type.
fn text(row: &Row<'_>, column: usize) -> rusqlite::Result<String> {
    Ok(String::from_utf8_lossy(&bytes(row.get_ref(column)?)).into_owned())
}

fn bytes(value: ValueRef<'_>) -> Vec<u8> {
    if let ValueRef::Text(bytes) | ValueRef::Blob(bytes) = value { bytes.to_vec() } else { Vec::new() }
}
