//! Locations of indexes by the folders that they cover, used by the list of sessions to find statistics of a folder.
//!
//! Stored as lines of JSON in the user's state directory, newest last. Entries whose index no longer exists are
//! skipped.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::store::Store;
use crate::system::made_folder::MadeFolders;
use crate::system::whole_file::{self, IfExists};

/// Maximum number of indexes remembered.
const KEPT: usize = 200;

/// A line: an index, and the folders it covers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct RegisteredIndex {
    index: PathBuf,
    folders: Vec<String>,
}

/// Records an index of some folders, given as absolute paths.
///
/// # Errors
/// If the file cannot be written.
pub fn remember(registry: &Path, index: &Path, folders: &[String]) -> io::Result<()> {
    let entry = RegisteredIndex { index: std::path::absolute(index)?, folders: folders.to_vec() };
    let mut entries = entries(registry);
    if entries.last() == Some(&entry) {
        return Ok(());
    }
    entries.retain(|known| known.index != entry.index);
    entries.push(entry);
    let first = entries.len().saturating_sub(KEPT);
    let folder = registry.parent().unwrap_or(Path::new("."));
    let _made = MadeFolders::new(folder)?;
    whole_file::write(registry, IfExists::Replace, |out| {
        entries[first..].iter().try_for_each(|entry| {
            serde_json::to_writer(&mut *out, entry)?;
            out.write_all(b"\n")
        })
    })
    .map(drop)
}

/// The newest index of exactly these folders, given as absolute paths.
pub fn find(registry: &Path, folders: &[String]) -> Option<Store> {
    let mut wanted = folders.to_vec();
    wanted.sort();
    entries(registry).into_iter().rev().find_map(|mut entry| {
        entry.folders.sort();
        let store = (entry.folders == wanted).then(|| Store::open(&entry.index).ok().flatten())??;
        let is_of_these = {
            let mut folders = store.manifest.folders.clone();
            folders.sort();
            folders == wanted
        };
        is_of_these.then_some(store)
    })
}

fn entries(registry: &Path) -> Vec<RegisteredIndex> {
    let text = fs::read_to_string(registry).unwrap_or_default();
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}
