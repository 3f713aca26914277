//! Sessions that opencode stores as one file per message and part.
//!
//! ```text
//! storage/session/PROJECT/SESSION.json
//! storage/message/SESSION/MESSAGE.json
//! storage/part/MESSAGE/PART.json
//! ```
//!
//! The names of the files give their order: the session, then each message followed by its parts. A session is named by
//! its record, by the folder of its messages, or by the storage if it holds only one session.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// Prefix of the names of sessions.
const SESSION: &str = "ses_";

/// A session whose messages are stored separately from its record.
#[derive(Debug)]
pub(super) struct OpencodeSession {
    storage: PathBuf,
    /// The file of the session itself.
    record: PathBuf,
}

impl OpencodeSession {
    /// The session at a path, if there is one.
    pub(super) fn at(path: &Path) -> Option<Self> {
        if !path.file_name().is_some_and(is_session) && !path.is_dir() {
            return None;
        }
        let path = fs::canonicalize(path).ok()?;
        let name = path.file_name()?;
        let found = if path.is_dir() {
            if is_session(name) && path.parent()?.file_name()? == "message" {
                let storage = path.parent()?.parent()?;
                sessions(storage).into_iter().find(|record| record.file_stem() == Some(name))
            } else {
                let mut sessions = if is_storage(&path) { sessions(&path) } else { Vec::new() };
                sessions.pop().filter(|_| sessions.is_empty())
            }
        } else {
            is_session(name).then(|| path.clone())
        };
        let record = found?;
        let storage = record.parent()?.parent()?.parent()?.to_owned();
        let stored = Self { storage, record };
        stored.messages().is_dir().then_some(stored)
    }

    fn messages(&self) -> PathBuf {
        self.storage.join("message").join(self.record.file_stem().unwrap_or_default())
    }

    /// Its files in order: the session, then each message followed by its parts.
    pub(super) fn files(&self) -> impl Iterator<Item = PathBuf> {
        let messages = json_files(&self.messages()).into_iter().flat_map(|message| {
            let parts = self.storage.join("part").join(message.file_stem().unwrap_or_default());
            std::iter::once(message).chain(json_files(&parts))
        });
        std::iter::once(self.record.clone()).chain(messages)
    }
}

/// True if a folder holds the messages or parts of sessions, which are read together with these.
pub(super) fn is_of_sessions(folder: &Path) -> bool {
    let is_named = matches!(folder.file_name().and_then(OsStr::to_str), Some("message" | "part"));
    is_named && folder.parent().is_some_and(is_storage)
}

fn is_storage(folder: &Path) -> bool {
    ["session", "message", "part"].iter().all(|name| folder.join(name).is_dir())
}

fn is_session(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(SESSION.as_bytes())
}

/// The records of all sessions in a storage.
fn sessions(storage: &Path) -> Vec<PathBuf> {
    let projects = fs::read_dir(storage.join("session")).into_iter().flatten().flatten();
    let records = projects.flat_map(|project| json_files(&project.path()));
    records.filter(|record| record.file_name().is_some_and(is_session)).collect()
}

/// The JSON files of a folder, sorted by name.
fn json_files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    files.retain(|file| file.extension() == Some(OsStr::new("json")));
    files.sort();
    files
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::{SourceSpec, read_all};

    /// A storage that holds these files.
    fn storage(files: &[(&str, &str)]) -> tempfile::TempDir {
        let directory = tempfile::tempdir().expect("a directory");
        for (name, text) in files {
            let path = directory.path().join("storage").join(name);
            fs::create_dir_all(path.parent().expect("it is in the directory")).expect("a directory");
            fs::write(path, text).expect("a file");
        }
        directory
    }

    const ONE: [(&str, &str); 6] = [
        ("session/p1/ses_1.json", "{\"id\":\"ses_1\"}\n"),
        ("message/ses_1/msg_2.json", "{\"id\":\"msg_2\"}"),
        ("message/ses_1/msg_1.json", "{\"id\":\"msg_1\"}"),
        ("part/msg_1/prt_b.json", "{\"id\":\"b\"}"),
        ("part/msg_1/prt_a.json", " {\"id\":\"a\"} "),
        ("part/msg_2/prt_c.json", "{\"id\":\"c\""),
    ];

    #[test]
    fn a_session_is_put_together_from_its_files_in_the_order_of_their_names() {
        let directory = storage(&ONE);
        let expected = ["ses_1", "msg_1", "a", "b", "msg_2"].map(|id| format!("{{\"id\":\"{id}\"}}\n")).concat();
        let expected = expected.replace("\n{\"id\":\"a", "\n {\"id\":\"a") + "{\"id\":\"c\"\n";
        for path in ["storage", "storage/session/p1/ses_1.json", "storage/message/ses_1", "storage/session/.."] {
            let spec = SourceSpec::File(directory.path().join(path));
            assert_eq!(String::from_utf8_lossy(&read_all(&spec).expect("a session")), expected, "{path}");
        }
    }

    #[test]
    fn a_path_that_leads_to_no_one_session_is_what_it_was() {
        let other = [("session/p2/ses_2.json", "{}"), ("message/ses_2/msg_9.json", "{}")];
        let directory = storage(&[&ONE[..], &other].concat());
        let root = directory.path();
        let lone = [("ses_3.json", "{}"), ("message/ses_3/msg_1.json", "{}"), ("session/notes.json", "{}")];
        let elsewhere = storage(&lone);
        let is_session = |path: &Path| OpencodeSession::at(path).is_some();
        for (path, expected) in [
            (root.join("storage"), false),
            (root.join("storage/session"), false),
            (root.join("storage/session/p2/ses_2.json"), true),
            (root.join("storage/message/ses_2"), true),
            (root.join("storage/part/msg_1"), false),
            (root.join("storage/session/p1/ses_4.json"), false),
            (elsewhere.path().join("storage/ses_3.json"), false),
            (elsewhere.path().join("storage"), false),
        ] {
            assert_eq!(is_session(&path), expected, "{}", path.display());
        }
        for (path, expected) in [("message", true), ("part", true), ("session", false), ("part/msg_1", false)] {
            assert_eq!(is_of_sessions(&root.join("storage").join(path)), expected, "{path}");
        }
        assert!(!is_of_sessions(&elsewhere.path().join("storage/message")));
    }
}
