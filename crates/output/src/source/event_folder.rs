//! Conversations that OpenHands stores as one file per event.
//!
//! ```text
//! conversations/ID/base_state.json               the agent, the directory and the tokens, in releases with an agent SDK
//! conversations/ID/events/event-00000-ID.json    its events
//! sessions/ID/events/0.json                      the events of older releases
//! sessions/ID/event_cache/0-25.json              the same events again
//! ```
//!
//! A conversation is named by its folder, by the folder of its events, or by its state. The numbers in the names of the
//! files are their order. The names are from the SDK's `persistence_const.py` and from `storage/locations.py`.

use std::ffi::OsStr;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::file::{self, FileKind};

const EVENTS: &str = "events";
const STATE: &str = "base_state.json";
const CACHE: &str = "event_cache";

/// Most bytes of the first event that are examined.
const MOST_EXAMINED: u64 = 256 * 1024;

/// Most events that the beginning of a conversation is made of.
const MOST_IN_HEAD: usize = 8;

/// A conversation whose events are files.
#[derive(Debug)]
pub(super) struct EventFolder {
    /// The folder of its events and its state.
    conversation: PathBuf,
}

impl EventFolder {
    /// The conversation at a path, if there is one.
    pub(super) fn at(path: &Path) -> Option<Self> {
        let is_state = path.file_name() == Some(OsStr::new(STATE));
        let conversation = if is_state && path.is_file() {
            path.parent()?.to_owned()
        } else if path.is_dir() {
            let path = fs::canonicalize(path).ok()?;
            if path.ends_with(EVENTS) { path.parent()?.to_owned() } else { path }
        } else {
            return None;
        };
        let found = Self { conversation };
        let events = found.events();
        let first = events.first()?;
        let is_event = is_numbered_with_id(first) || has_event(first);
        is_event.then_some(found)
    }

    /// Its files in order: its state, if it has one, then its events.
    pub(super) fn files(&self) -> Vec<PathBuf> {
        let state = self.conversation.join(STATE);
        Some(state).filter(|state| state.is_file()).into_iter().chain(self.events()).collect()
    }

    /// Time of the last event or change of the state: a new event changes the folder that it is in.
    pub(super) fn modified(&self) -> Option<SystemTime> {
        let places = [self.conversation.clone(), self.conversation.join(EVENTS), self.conversation.join(STATE)];
        places.iter().filter_map(|place| fs::metadata(place).ok()?.modified().ok()).max()
    }

    fn events(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.conversation.join(EVENTS)).into_iter().flatten().flatten();
        let mut events: Vec<(u64, PathBuf)> =
            entries.filter_map(|entry| Some((number(&entry.path())?, entry.path()))).collect();
        events.sort();
        events.into_iter().map(|(_, path)| path).collect()
    }

    /// Events from its beginning that identify it, in at most `most` bytes. Long ones are left out: the first event has
    /// the system prompt.
    pub(super) fn head(&self, most: usize) -> Vec<u8> {
        let mut head = Vec::new();
        let events = self.events();
        for event in events.iter().take(MOST_IN_HEAD) {
            let bytes = beginning(event, most as u64 + 1);
            if head.len() + bytes.len() < most {
                head.extend_from_slice(bytes.trim_ascii_end());
                head.push(b'\n');
            }
        }
        if head.is_empty() {
            events.first().map(|first| beginning(first, most as u64)).unwrap_or_default()
        } else {
            head
        }
    }
}

/// True if a path is a part of a conversation that is read with it or repeats it: its state, or the cache of its events.
pub(super) fn is_of_conversation(path: &Path) -> bool {
    let name = path.file_name();
    let is_named = name == Some(OsStr::new(STATE)) || name == Some(OsStr::new(CACHE));
    is_named && path.parent().is_some_and(|folder| EventFolder::at(&folder.join(EVENTS)).is_some())
}

/// The folder of the conversation whose events are in this folder.
pub(super) fn conversation_of(folder: &Path) -> Option<(&Path, EventFolder)> {
    let conversation = folder.parent().filter(|_| folder.file_name() == Some(OsStr::new(EVENTS)))?;
    Some((conversation, EventFolder::at(folder)?))
}

/// The number of an event by the name of its file: `event-00000-ID.json` or `0.json`.
fn number(path: &Path) -> Option<u64> {
    let stem = path.file_name()?.to_str()?.strip_suffix(".json")?;
    match stem.strip_prefix("event-") {
        Some(rest) => rest.split_once('-')?.0.parse().ok(),
        None => stem.parse().ok(),
    }
}

fn is_numbered_with_id(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"event-"))
}

/// True if a file has an event of an older release, whose name is only a number.
fn has_event(path: &Path) -> bool {
    let bytes = beginning(path, MOST_EXAMINED);
    let has = |key: &[u8]| memchr::memmem::find(&bytes, key).is_some();
    bytes.trim_ascii_start().starts_with(b"{") && has(b"\"source\"") && (has(b"\"action\"") || has(b"\"observation\""))
}

/// The first bytes of a regular file, at most `most`; none if it cannot be read.
fn beginning(path: &Path, most: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Ok(opened) = file::open(path).map_err(drop)
        && opened.kind == FileKind::Regular
        && opened.file.take(most).read_to_end(&mut bytes).is_err()
    {
        bytes.clear();
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::folder::{FoundFile, HEAD, WalkEvent, walk};
    use crate::source::{SourceSpec, is_folder, read_all};

    /// A folder with these files, each with its name as content unless it is an event.
    fn folder(files: &[&str]) -> tempfile::TempDir {
        let directory = tempfile::tempdir().expect("a directory");
        for name in files {
            let path = directory.path().join(name);
            fs::create_dir_all(path.parent().expect("it is in the directory")).expect("a directory");
            let text = format!("{{\"source\":\"user\",\"action\":\"message\",\"args\":{{\"content\":\"{name}\"}}}}\n");
            fs::write(path, text).expect("a file");
        }
        directory
    }

    fn contents(path: &Path) -> Vec<String> {
        let bytes = read_all(&SourceSpec::File(path.to_owned())).expect("a conversation");
        let text = String::from_utf8(bytes).expect("text");
        text.lines().filter_map(|line| Some(line.split('"').nth(13)?.rsplit('/').next()?.to_owned())).collect()
    }

    const NEW: [&str; 6] = [
        "c/a1/events/event-100000-0e.json",
        "c/a1/events/event-00002-0b.json",
        "c/a1/events/event-00010-0c.json",
        "c/a1/events/.eventlog.lock",
        "c/a1/base_state.json",
        "c/a1/subagents/b2/events/event-00000-0a.json",
    ];
    const OLD: [&str; 4] =
        ["s/d4/events/10.json", "s/d4/events/9.json", "s/d4/event_cache/0-25.json", "s/d4/metadata.json"];

    #[test]
    fn the_numbers_of_the_files_are_the_order_of_the_events() {
        let directory = folder(&[&NEW[..], &OLD].concat());
        let expected = ["base_state.json", "event-00002-0b.json", "event-00010-0c.json", "event-100000-0e.json"];
        for path in ["c/a1", "c/a1/events", "c/a1/base_state.json", "c/a1/events/.."] {
            assert_eq!(contents(&directory.path().join(path)), expected, "{path}");
        }
        assert_eq!(contents(&directory.path().join("s/d4")), ["9.json", "10.json"]);
        assert_eq!(contents(&directory.path().join("c/a1/events/event-00010-0c.json")), ["event-00010-0c.json"]);
    }

    #[test]
    fn a_folder_of_other_files_is_no_conversation() {
        let directory = folder(&["p/events/notes.json", "q/events/1.json", "r/base_state.json"]);
        fs::write(directory.path().join("q/events/1.json"), "{\"name\":\"regatta\"}").expect("a file");
        for path in ["p", "q", "r", "q/events", "r/base_state.json"] {
            let path = directory.path().join(path);
            assert!(EventFolder::at(&path).is_none() && is_folder(&path) == path.is_dir(), "{}", path.display());
        }
    }

    #[test]
    fn a_new_event_is_a_change_of_its_conversation() {
        let directory = folder(&NEW);
        let conversation = directory.path().join("c/a1");
        let later = SystemTime::now() + std::time::Duration::from_secs(100);
        fs::File::open(conversation.join(EVENTS)).and_then(|events| events.set_modified(later)).expect("it is ours");
        assert_eq!(crate::source::modified(&conversation), Some(later));
        let sizes = [
            "base_state.json",
            "events/event-00002-0b.json",
            "events/event-00010-0c.json",
            "events/event-100000-0e.json",
        ];
        let sizes = sizes.map(|name| fs::metadata(conversation.join(name)).expect("a file").len());
        assert_eq!(crate::source::extent(&conversation).map(|(size, _)| size), Some(sizes.iter().sum()));
    }

    #[test]
    fn a_walk_finds_each_conversation_once() {
        let directory = folder(&[&NEW[..], &OLD].concat());
        let mut files: Vec<FoundFile> = Vec::new();
        walk(directory.path(), |walked| {
            if let WalkEvent::Found(found) = walked {
                files.extend(found);
            }
            true
        });
        files.sort_by(|one, other| one.path.cmp(&other.path));
        let name = |file: &FoundFile| {
            let path = file.path.strip_prefix(directory.path()).expect("it is in the folder");
            path.to_string_lossy().into_owned()
        };
        let names: Vec<_> = files.iter().map(name).collect();
        assert_eq!(names, ["c/a1", "c/a1/subagents/b2", "s/d4", "s/d4/metadata.json"]);
        assert!(files.iter().all(|file| file.size > 50 && file.modified.is_some()));
        assert!(files[0].head.starts_with(b"{\"source\"") && files[0].head.len() < HEAD);
    }
}
