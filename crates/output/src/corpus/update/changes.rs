//! The changes between an index and its source files.
//!
//! A file is unchanged if its size and modification time equal its row's; if only the size does, its hash decides.
//! Files are read only for hashing, and nothing is written.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;
use std::sync::Arc;

use anyhow::Result;
use jiff::Timestamp;

use crate::corpus::choice::FileChoice;
use crate::corpus::plan::Plan;
use crate::corpus::reader::hash_of;
use crate::corpus::rows::{BINARY, FileFacts, FileKind};
use crate::corpus::store::{PART, Store};
use crate::corpus::tables::SessionRow;

/// The changes to apply to an index.
#[derive(Debug, Default)]
pub(super) struct Changes {
    /// The parts to write, in order.
    pub(super) parts: Vec<PartChange>,
    /// Number of unchanged files.
    pub(super) kept: usize,
    /// Number of indexed files that no longer exist or are no longer selected.
    pub(super) gone: usize,
}

/// A part to write.
#[derive(Debug)]
pub(super) struct PartChange {
    /// Part number in the index.
    pub(super) number: usize,
    /// Files whose rows stay, with their current metadata.
    pub(super) kept: HashMap<Arc<str>, FileFacts>,
    /// Files to read, in order.
    pub(super) read: Vec<FileFacts>,
    /// True if the part differs from the one in the index.
    is_changed: bool,
}

impl PartChange {
    fn new(number: usize) -> Self {
        Self { number, kept: HashMap::new(), read: Vec::new(), is_changed: false }
    }

    fn has_room(&self) -> bool {
        self.kept.len() + self.read.len() < PART
    }
}

/// Fields of a file's row that are needed to detect changes.
struct KnownFile {
    file: Arc<str>,
    bytes: i64,
    modified_at: Option<Timestamp>,
    hash: Arc<str>,
    container: Option<Arc<str>>,
    ended_at: Option<Timestamp>,
    is_unread: bool,
    /// True if it was binary.
    is_binary: bool,
    /// The file that it is a copy of.
    copy_of: Option<Arc<str>>,
}

impl Changes {
    /// Computes the changes that make an index match a plan.
    ///
    /// # Errors
    /// If the table of sessions cannot be read.
    pub(super) fn new(store: &Store, plan: &Plan, choice: &FileChoice) -> Result<Self> {
        let mut changes = Self::default();
        let mut new: HashMap<&str, &FileFacts> = plan.files.iter().map(|file| (&*file.file, file)).collect();
        let mut parts = Vec::new();
        let known: Vec<(usize, Vec<KnownFile>)> =
            store.parts().iter().map(|&part| Ok((part, files_of(store, part)?))).collect::<Result<_>>()?;
        // A copy of a file that has changed may no longer be a copy.
        let is_kept = |known: &KnownFile| {
            new.get(&*known.file).is_some_and(|facts| known.is_meant(choice, facts) && known.is_same(facts))
        };
        let repeated: HashSet<&Arc<str>> =
            known.iter().flat_map(|(_, files)| files).filter_map(|file| file.copy_of.as_ref()).collect();
        let all = || known.iter().flat_map(|(_, files)| files);
        let same: HashSet<Arc<str>> = all()
            .filter(|file| repeated.contains(&file.file) && is_kept(file))
            .map(|file| Arc::clone(&file.file))
            .collect();
        for (number, files) in known {
            let mut part = PartChange::new(number);
            for known in files {
                let is_copy_of_other = known.copy_of.as_ref().is_some_and(|first| !same.contains(first));
                match new.remove(&*known.file) {
                    Some(facts) if !known.is_meant(choice, facts) => {
                        changes.gone += usize::from(!known.is_binary);
                        part.is_changed = true;
                    }
                    Some(facts) if !is_copy_of_other && known.is_same(facts) => {
                        changes.kept += usize::from(facts.kind != FileKind::Binary);
                        part.is_changed |= known.modified_at != facts.modified_at;
                        part.kept.insert(known.file, facts.clone());
                    }
                    Some(facts) => {
                        part.read.push(facts.clone());
                        part.is_changed = true;
                    }
                    None => {
                        changes.gone += usize::from(!known.is_binary);
                        part.is_changed = true;
                    }
                }
            }
            parts.push(part);
        }
        let new: HashSet<&str> = new.into_keys().collect();
        let mut next = parts.last().map_or(0, |part| part.number + 1);
        for file in plan.files.iter().filter(|file| new.contains(&*file.file)) {
            if !parts.last().is_some_and(PartChange::has_room) {
                parts.push(PartChange::new(next));
                next += 1;
            }
            if let Some(part) = parts.last_mut() {
                part.read.push(file.clone());
                part.is_changed = true;
            }
        }
        changes.parts = parts.into_iter().filter(|part| part.is_changed).collect();
        Ok(changes)
    }
}

impl KnownFile {
    /// True if a file has not changed since its rows were made.
    fn is_same(&self, now: &FileFacts) -> bool {
        if self.is_unread || self.bytes != now.bytes.cast_signed() {
            return false;
        }
        let is_dated = now.modified_at.is_some() && self.modified_at == now.modified_at;
        is_dated || hash_of(now).is_ok_and(|hash| hash == *self.hash)
    }

    /// True if its session is selected, judged by its row; also true if the file has changed, so that it is read again.
    fn is_meant(&self, choice: &FileChoice, now: &FileFacts) -> bool {
        let is_same = self.bytes == now.bytes.cast_signed() && self.modified_at == now.modified_at;
        let ended_at = self.ended_at.or(now.modified_at);
        !is_same || self.container.as_deref().is_none_or(|container| choice.takes_session(container, ended_at))
    }
}

fn files_of(store: &Store, part: usize) -> Result<Vec<KnownFile>> {
    const COLUMNS: [&str; 8] =
        ["file", "container", "error", "file_bytes", "modified_at", "file_hash", "ended_at", "copy_of"];
    let mut files = Vec::new();
    store.read::<SessionRow>(part, Some(&COLUMNS), |row| {
        files.push(KnownFile {
            file: row.file,
            bytes: row.file_bytes,
            modified_at: row.modified_at,
            hash: row.file_hash,
            container: row.container,
            ended_at: row.ended_at,
            is_unread: row.error.as_ref().is_some_and(|words| **words != *BINARY),
            is_binary: row.error.is_some_and(|words| *words == *BINARY),
            copy_of: row.copy_of,
        });
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(files)
}
