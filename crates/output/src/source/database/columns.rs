//! The record of a session, which its table has as columns.

use std::time::{Duration, SystemTime};

use rusqlite::Row;
use rusqlite::types::ValueRef;
use serde_json::{Map, Value};

use super::SessionHead;

/// Columns with the places of their values in the record; the longest come last.
const COLUMNS: [(&str, &[&str]); 27] = [
    ("id", &["id"]),
    ("slug", &["slug"]),
    ("version", &["version"]),
    ("project_id", &["projectID"]),
    ("directory", &["directory"]),
    ("parent_id", &["parentID"]),
    ("title", &["title"]),
    ("time_created", &["time", "created"]),
    ("time_updated", &["time", "updated"]),
    ("time_compacting", &["time", "compacting"]),
    ("time_archived", &["time", "archived"]),
    ("workspace_id", &["workspaceID"]),
    ("path", &["path"]),
    ("agent", &["agent"]),
    ("model", &["model"]),
    ("cost", &["cost"]),
    ("tokens_input", &["tokens", "input"]),
    ("tokens_output", &["tokens", "output"]),
    ("tokens_reasoning", &["tokens", "reasoning"]),
    ("tokens_cache_read", &["tokens", "cache", "read"]),
    ("tokens_cache_write", &["tokens", "cache", "write"]),
    ("share_url", &["share", "url"]),
    ("summary_additions", &["summary", "additions"]),
    ("summary_deletions", &["summary", "deletions"]),
    ("summary_files", &["summary", "files"]),
    ("revert", &["revert"]),
    ("permission", &["permission"]),
];

/// Columns whose text is JSON.
const JSON: [&str; 3] = ["model", "revert", "permission"];

/// A session from its row, without its size.
pub(super) fn session_head(row: &Row<'_>) -> SessionHead {
    let mut record = Map::new();
    for (column, place) in COLUMNS {
        // Older and newer versions have fewer columns.
        let Ok(value) = row.get_ref(column) else { continue };
        let value = match value {
            // Costs and tokens are 0 by default, also for sessions from before they were recorded.
            ValueRef::Null | ValueRef::Blob(_) | ValueRef::Integer(0) | ValueRef::Real(0.0) => continue,
            ValueRef::Integer(number) => number.into(),
            ValueRef::Real(number) => number.into(),
            ValueRef::Text(text) if JSON.contains(&column) => serde_json::from_slice(text).unwrap_or_default(),
            ValueRef::Text(text) => String::from_utf8_lossy(text).into(),
        };
        insert(&mut record, place, value);
    }
    let text = |name: &str| record.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let updated = record.get("time").and_then(|time| time.get("updated")).and_then(Value::as_u64);
    let modified = updated.and_then(|updated| SystemTime::UNIX_EPOCH.checked_add(Duration::from_millis(updated)));
    let id = text("id");
    let mut record = Value::Object(record).to_string().into_bytes();
    record.push(b'\n');
    SessionHead { id, size: 0, modified, record }
}

fn insert(record: &mut Map<String, Value>, place: &[&str], value: Value) {
    match place {
        [] => {}
        [name] => _ = record.insert((*name).to_owned(), value),
        [name, rest @ ..] => {
            let inner = record.entry(*name).or_insert_with(|| Map::new().into());
            if let Value::Object(inner) = inner {
                insert(inner, rest, value);
            }
        }
    }
}
