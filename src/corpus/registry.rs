//! Where the indexes are that were made of a folder: the list of sessions finds the statistics of a folder by it.
//!
//! It is a file of lines in the person's own state, the newest last; a line that leads to no index any more is passed
//! over.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::store::Store;
use crate::system::made_folder::MadeFolders;
use crate::system::whole_file::{self, IfExists};

/// Indexes that are remembered at the most.
const KEPT: usize = 200;

/// A line: an index, and what it is of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Entry {
    index: PathBuf,
    folders: Vec<String>,
}

/// Remembers an index that was made of some folders, whose paths are absolute.
///
/// # Errors
/// The file cannot be written.
pub fn remember(registry: &Path, index: &Path, folders: &[String]) -> io::Result<()> {
    let entry = Entry { index: std::path::absolute(index)?, folders: folders.to_vec() };
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

/// The newest index of exactly these folders, whose paths are absolute.
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

fn entries(registry: &Path) -> Vec<Entry> {
    let text = fs::read_to_string(registry).unwrap_or_default();
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}
