//! Selects the files of a corpus: the matching files below some folders, in path order.
//!
//! Reads at most the beginning of each file.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, bail, ensure};
use jiff::Timestamp;

use super::choice::{FileChoice, kind_of};
use super::path_text::{path_of, path_text};
use super::rows::{FileFacts, FileKind};
use super::store::{self, Store};
use crate::config::places::AgentPlaces;
use crate::source;
use crate::source::folder::{self, WalkEvent, unread_message};
use crate::text::sanitize::visible_str;

/// Maximum number of files and folders examined. Each file takes some 300 bytes.
pub(crate) const MOST: usize = 300_000;

/// The files of a corpus.
#[derive(Debug, Default)]
pub struct Plan {
    /// The files to read, in path order.
    pub files: Vec<FileFacts>,
    /// Absolute paths of the arguments.
    pub(crate) roots: Vec<String>,
    /// Sanitized descriptions of folders that cannot be read, with the reasons.
    pub unread: Vec<String>,
    /// Number of binary files skipped.
    pub(crate) binary: usize,
}

impl Plan {
    /// Collects the files at and below some paths. Skips indexes, whose tables are not transcripts. A file reachable
    /// from several paths is included once.
    ///
    /// # Errors
    /// If a path does not exist, cannot be listed, is an index, is neither a file nor a folder, or contains more than
    /// `MOST` entries.
    pub fn new(paths: &[PathBuf], choice: &FileChoice) -> Result<Self> {
        let mut plan = Self::default();
        let mut asked = Vec::new();
        for path in paths {
            let named = visible_str(&path.to_string_lossy()).into_owned();
            let path = std::path::absolute(path).with_context(|| format!("could not open {named}"))?;
            plan.roots.push(path.to_string_lossy().into_owned());
            let place = match std::fs::canonicalize(&path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    bail!("could not open {named}: no such file; check the name")
                }
                // A path may continue into an archive, where the system cannot resolve it.
                place => place.unwrap_or_else(|_| path.clone()),
            };
            asked.push((place, path, named));
        }
        // Sorts folders before their contents.
        asked.sort();
        let mut indexes = Vec::new();
        let mut walked: Vec<(PathBuf, PathBuf)> = Vec::new();
        for (place, path, named) in asked {
            let within = walked.iter().find_map(|(folder, name)| Some((name, place.strip_prefix(folder).ok()?)));
            if source::is_folder(&path) {
                if within.is_none() {
                    folder::check(&path)?;
                    let is_index = Store::open(&path)?.is_some();
                    ensure!(!is_index, "{named} is an index, not a transcript; pass it to transcope stats alone");
                    plan.walk(&path, choice, &mut indexes)?;
                    walked.push((place, path));
                }
                continue;
            }
            let metadata = match std::fs::metadata(&path) {
                // A file in an archive; errors are reported when it is read.
                Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
                    plan.files.push(facts(&path, 0, None));
                    continue;
                }
                metadata => metadata.with_context(|| format!("could not open {named}"))?,
            };
            // A session may be a folder.
            ensure!(
                metadata.is_file() || metadata.is_dir(),
                "could not open {named}: it is neither a file nor a folder"
            );
            let path = within.map_or(path, |(folder, rest)| folder.join(rest));
            let alone = || (metadata.len(), metadata.modified().ok());
            let (size, modified) = source::extent(&path).unwrap_or_else(alone);
            plan.files.push(facts(&path, size, modified));
        }
        plan.files.retain(|facts| {
            let path = path_of(&facts.file);
            let mut within = indexes.iter().filter_map(|index: &PathBuf| path.strip_prefix(index).ok());
            !within.any(store::is_of_index)
        });
        plan.files.sort_by(|one, other| one.file.cmp(&other.file));
        plan.files.dedup_by(|one, other| one.file == other.file);
        plan.find_families();
        Ok(plan)
    }

    /// Records the other pieces of a rotated log in each piece.
    fn find_families(&mut self) {
        type Pieces = Vec<(Reverse<Option<u32>>, Arc<str>)>;
        let mut families: HashMap<Arc<str>, Pieces> = HashMap::new();
        for facts in &self.files {
            let piece = (Reverse(rotation(facts)), Arc::clone(&facts.file));
            families.entry(Arc::clone(&facts.name)).or_default().push(piece);
        }
        families.retain(|_, pieces| pieces.len() > 1);
        let ordered = |mut pieces: Pieces| {
            pieces.sort();
            pieces.into_iter().map(|(_, file)| file).collect::<Arc<[_]>>()
        };
        let families: HashMap<_, _> = families.into_iter().map(|(name, pieces)| (name, ordered(pieces))).collect();
        for facts in &mut self.files {
            if let Some(family) = families.get(&facts.name) {
                facts.family = Arc::clone(family);
            }
        }
    }

    fn walk(&mut self, root: &Path, choice: &FileChoice, indexes: &mut Vec<PathBuf>) -> Result<()> {
        let mut is_cut = false;
        let places = AgentPlaces::new();
        _ = folder::walk_most_except(root, MOST, &|path| places.skips(path), &mut |walked| {
            match walked {
                WalkEvent::Found(found) => {
                    for file in found {
                        indexes.extend(store::index_with(&file.path, &file.head));
                        let facts = facts(&file.path, file.size, file.modified);
                        if let Some(kind) = kind_of(&file, &places)
                            && choice.takes(&file, &facts)
                        {
                            self.files.push(FileFacts { kind, ..facts });
                        }
                    }
                }
                WalkEvent::Binary(path, size, modified) => {
                    let facts = FileFacts { kind: FileKind::Binary, ..facts(&path, size, modified) };
                    if choice.takes_binary(&facts) {
                        self.files.push(facts);
                    }
                }
                WalkEvent::Unread(path, words) if path.is_dir() => self.unread.push(unread_message(&path, &words)),
                // Reading it later produces a row with the error.
                WalkEvent::Unread(path, _) => self.files.push(facts(&path, 0, None)),
                WalkEvent::Leaving(path) => self.unread.push(unread_message(&path, folder::LEAVES)),
                WalkEvent::End { binary, cut } => {
                    self.binary += binary;
                    is_cut = cut;
                }
            }
            true
        });
        anyhow::ensure!(
            !is_cut,
            "{} has more than {MOST} files and folders; make an index for each of its folders",
            root.display()
        );
        Ok(())
    }
}

fn facts(path: &Path, bytes: u64, modified: Option<std::time::SystemTime>) -> FileFacts {
    let file: Arc<str> = path_text(path).into();
    let name = unrotated(&file);
    let name = if name.len() == file.len() { Arc::clone(&file) } else { name.into() };
    let modified = modified.and_then(|at| Timestamp::try_from(at).ok());
    let modified_at = modified.and_then(|at| Timestamp::from_millisecond(at.as_millisecond()).ok());
    FileFacts { file, name, bytes, modified_at, ..FileFacts::default() }
}

/// The rotation number of a piece of a log, highest for the oldest; `None` for the current one.
fn rotation(facts: &FileFacts) -> Option<u32> {
    let rest = facts.file.strip_prefix(&*facts.name)?.strip_prefix('.')?;
    rest.split('.').next()?.parse().ok()
}

/// The path of a log without rotation number and compression suffix: `agent.log` for `agent.log.2.gz`.
fn unrotated(path: &str) -> &str {
    let plain = [".gz", ".zst"].iter().find_map(|end| path.strip_suffix(end)).unwrap_or(path);
    match plain.rsplit_once('.') {
        Some((name, number)) if (1..=4).contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_digit()) => {
            name
        }
        _ => plain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_rotated_log_have_one_name() {
        for (path, name) in [
            ("/a/agent.log", "/a/agent.log"),
            ("/a/agent.log.1", "/a/agent.log"),
            ("/a/agent.log.12.gz", "/a/agent.log"),
            ("/a/agent.log.zst", "/a/agent.log"),
            ("/a/run.2026", "/a/run"),
            ("/a/run.20261122", "/a/run.20261122"),
            ("/a/v1.2/log", "/a/v1.2/log"),
        ] {
            assert_eq!(unrotated(path), name, "{path}");
        }
    }
}
