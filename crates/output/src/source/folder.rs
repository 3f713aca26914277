//! Finds the files below a directory or in an archive, and the sessions in a database, that may be text, with size, age
//! and first bytes.
//!
//! A folder is visited once, however many links lead to it, and at most [`MOST`] entries are examined. Unreadable
//! entries are reported and skipped, and so are links that leave the folder, and file systems of the kernel. Which of
//! the files are transcripts is decided elsewhere.

use std::collections::{HashSet, VecDeque};
use std::fs::{self, DirEntry, Metadata, ReadDir};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Result, anyhow};

use crate::text::sanitize::{io_error_text, visible_str};
use crate::text::spool::read_at;

use super::event_folder::EventFolder;
use super::file_system::{self, FileSystem};
use super::session_files::StoredSession;
use super::{archive, database, decoder, eval_log, event_folder, file, opencode_store};

/// Maximum number of files and folders that are examined.
pub const MOST: usize = 100_000;

/// Bytes at the beginning of a file that are read.
pub const HEAD: usize = 4096;

/// Maximum number of files that are reported together.
const BATCH: usize = 256;

/// Maximum time that a found file waits for others to be reported with it.
const PATIENCE: Duration = Duration::from_millis(20);

/// Reason for skipping a link in a folder.
pub const LEAVES: &str = "the link points outside of the folder; name its target to read it";

/// Reason for skipping a folder of the kernel.
const KERNEL: &str = "it is a kernel file system, where some files never end; name a file in it";

/// A file that may be text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundFile {
    /// Its path, beginning with the root of the walk.
    pub path: PathBuf,
    /// Size in bytes as reported by the system; the total for a session that is stored in several files or rows.
    pub size: u64,
    /// Time of the last write to the file, or to any file of the session, if known.
    pub modified: Option<SystemTime>,
    /// Its first bytes: [`HEAD`] of them or all.
    pub head: Vec<u8>,
    /// True if it is compressed, so that its first bytes are not text.
    pub is_encoded: bool,
}

/// An event of a walk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WalkEvent {
    /// Files in no particular order; never empty.
    Found(Vec<FoundFile>),
    /// An entry that cannot be read, with the reason; it is skipped.
    Unread(PathBuf, String),
    /// A link out of the root, which is not followed since the folder may come from a stranger; see [`LEAVES`].
    Leaving(PathBuf),
    /// A file that is not text, with its size in bytes and the time of its last write.
    Binary(PathBuf, u64, Option<SystemTime>),
    /// The end of the walk.
    End {
        /// Number of files that are not text.
        binary: usize,
        /// True if there are more than [`MOST`] files and folders.
        cut: bool,
    },
}

/// A path that cannot be read, with the reason.
pub(crate) type UnreadPath = (PathBuf, String);

/// The files of a folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FolderFiles {
    /// Files that may be text, in the order of their paths.
    pub paths: Vec<PathBuf>,
    /// Files and folders that could not be read.
    pub unread: Vec<UnreadPath>,
    /// Links that leave the folder.
    pub leaving: Vec<PathBuf>,
}

/// Checks that a directory can be listed. A file is accepted; a walk finds itself, or the files in an archive.
///
/// # Errors
/// It cannot, with its name, the cause and a remedy in one line.
pub fn check(path: &Path) -> Result<()> {
    let name = || visible_str(&path.to_string_lossy()).into_owned();
    if database::is_database(path) {
        return database::check(path).map_err(|words| anyhow!("could not open {}: {words}", name()));
    }
    if path.is_file() {
        return Ok(());
    }
    if is_of_kernel(path) {
        return Err(anyhow!("could not open {}: {KERNEL}", name()));
    }
    fs::read_dir(path).map(drop).map_err(|error| anyhow!("could not open {}: {}", name(), file::refusal(error)))
}

/// Walks through a directory and everything below it for as long as `sink` returns true.
pub fn walk(root: &Path, mut sink: impl FnMut(WalkEvent) -> bool) {
    _ = walk_most(root, MOST, &mut sink);
}

/// Like [`walk`], but skips files and folders for whose paths `skips` returns true, without opening them.
pub fn walk_except(root: &Path, skips: &dyn Fn(&Path) -> bool, mut sink: impl FnMut(WalkEvent) -> bool) {
    _ = walk_most_except(root, MOST, skips, &mut sink);
}

/// The files below a directory that may be text and for which `takes` returns true, in the order of their paths, and
/// the entries that could not be read. Files and folders for whose paths `skips` returns true are not opened.
///
/// # Errors
/// There are more than [`MOST`] files and folders.
pub fn files(root: &Path, skips: &dyn Fn(&Path) -> bool, takes: &dyn Fn(&FoundFile) -> bool) -> Result<FolderFiles> {
    let (mut files, mut is_cut) = (FolderFiles::default(), false);
    walk_except(root, skips, |walked| {
        match walked {
            WalkEvent::Found(found) => files.paths.extend(found.into_iter().filter(takes).map(|found| found.path)),
            WalkEvent::Unread(path, words) => files.unread.push((path, words)),
            WalkEvent::Leaving(path) => files.leaving.push(path),
            WalkEvent::Binary(..) => {}
            WalkEvent::End { cut, .. } => is_cut = cut,
        }
        true
    });
    if is_cut {
        let name = visible_str(&root.to_string_lossy()).into_owned();
        return Err(anyhow!("{name} has more than {MOST} files and folders; name a subfolder"));
    }
    files.paths.sort();
    Ok(files)
}

/// A message about an entry that cannot be read, safe to show.
pub fn unread_message(path: &Path, words: &str) -> String {
    format!("{}: {words}", visible_str(&path.to_string_lossy()))
}

/// Like [`walk`], examining at most `most` files and folders. Returns `None` if the sink stopped the walk.
pub fn walk_most(root: &Path, most: usize, sink: &mut dyn FnMut(WalkEvent) -> bool) -> Option<()> {
    walk_most_except(root, most, &|_| false, sink)
}

/// Like [`walk_except`], examining at most `most` files and folders in addition to skipped ones. Returns `None` if the
/// sink stopped the walk.
pub fn walk_most_except(
    root: &Path,
    most: usize,
    skips: &dyn Fn(&Path) -> bool,
    sink: &mut dyn FnMut(WalkEvent) -> bool,
) -> Option<()> {
    let mut walk = Walk { batch: Vec::new(), told: Instant::now(), sink };
    if archive::is_archive(root) {
        return walk_archive(root, most, skips, walk);
    }
    if database::is_database(root) {
        let cut = walk_database(root, most, &mut walk)?;
        return walk.end(0, cut);
    }
    if let Some(metadata) = fs::metadata(root).ok().filter(Metadata::is_file) {
        let is_binary = match head(root.to_owned(), metadata) {
            ScanEntry::Text(found) => walk.found(found).map(|()| false)?,
            ScanEntry::Unread(path, words) => walk.report(&path, &words).map(|()| false)?,
            _ => true,
        };
        return walk.end(usize::from(is_binary), false);
    }
    let whole_root = fs::canonicalize(root).ok();
    let mut visited = HashSet::new();
    let mut folders = VecDeque::from([root.to_owned()]);
    let (mut looked, mut binary) = (0, 0);
    while let Some(folder) = folders.pop_front() {
        let entries = match enter(&folder, &mut visited) {
            Ok(Some(entries)) => entries,
            Ok(None) => continue,
            Err(error) => {
                walk.unread(&folder, &error)?;
                continue;
            }
        };
        for entry in entries {
            if entry.as_ref().is_ok_and(|entry| skips(&entry.path())) {
                continue;
            }
            looked += 1;
            if looked > most {
                return walk.end(binary, true);
            }
            match entry.map(|entry| look(&entry, whole_root.as_deref())) {
                // A stored session is found by its record instead.
                Ok(ScanEntry::Folder(path)) if opencode_store::is_of_sessions(&path) => {}
                // One whose events are files is found by their folder.
                Ok(ScanEntry::Folder(path) | ScanEntry::Text(FoundFile { path, .. }))
                    if event_folder::is_of_conversation(&path) => {}
                Ok(ScanEntry::Folder(path)) => match event_folder::conversation_of(&path) {
                    Some((conversation, events)) => walk.found(conversation_file(conversation, events))?,
                    None => folders.push_back(path),
                },
                Ok(ScanEntry::Text(found)) => walk.found(found)?,
                Ok(ScanEntry::Binary(path, _)) if database::is_named(&path) => {
                    if walk_database(&path, most - looked, &mut walk)? {
                        return walk.end(binary, true);
                    }
                }
                Ok(ScanEntry::Binary(path, metadata)) => {
                    binary += 1;
                    walk.send(WalkEvent::Binary(path, metadata.len(), metadata.modified().ok()))?;
                }
                Ok(ScanEntry::Nothing) => {}
                Ok(ScanEntry::Unread(path, words)) => walk.report(&path, &words)?,
                Ok(ScanEntry::Leaving(path)) => walk.send(WalkEvent::Leaving(path))?,
                Err(error) => walk.unread(&folder, &error)?,
            }
        }
    }
    walk.end(binary, false)
}

/// Walks through an archive.
fn walk_archive(root: &Path, most: usize, skips: &dyn Fn(&Path) -> bool, mut walk: Walk<'_>) -> Option<()> {
    let modified = fs::metadata(root).ok().and_then(|metadata| metadata.modified().ok());
    let mut binary = 0;
    let mut listens = true;
    let cut = archive::walk(root, most, HEAD, &mut |file| {
        let path = root.join(&file.path);
        if skips(&path) {
            return true;
        }
        let told = match file.head {
            Err(words) => walk.report(&path, &words),
            Ok(head) if !may_be_text(&head) => {
                binary += 1;
                walk.send(WalkEvent::Binary(path, file.size, modified))
            }
            Ok(head) => {
                let is_encoded = decoder::is(&head);
                walk.found(FoundFile { path, size: file.size, modified, head, is_encoded })
            }
        };
        listens = told.is_some();
        listens
    });
    if !listens {
        return None;
    }
    match cut {
        Ok(cut) => walk.end(binary, cut),
        Err(words) => {
            walk.report(root, &words)?;
            walk.end(binary, false)
        }
    }
}

/// Walks through the sessions in a database; true if there are more.
fn walk_database(path: &Path, most: usize, walk: &mut Walk<'_>) -> Option<bool> {
    match database::list(path, most) {
        Ok((sessions, cut)) => {
            for (path, session) in sessions {
                let mut head = session.record;
                head.truncate(HEAD);
                let (size, modified) = (session.size, session.modified);
                walk.found(FoundFile { path, size, modified, head, is_encoded: false })?;
            }
            Some(cut)
        }
        Err(words) => walk.report(path, &words).map(|()| false),
    }
}

/// The events of a walk and their receiver; methods return `None` once it wants no more.
struct Walk<'a> {
    batch: Vec<FoundFile>,
    told: Instant,
    sink: &'a mut dyn FnMut(WalkEvent) -> bool,
}

impl Walk<'_> {
    fn found(&mut self, found: FoundFile) -> Option<()> {
        self.batch.push(found);
        if self.batch.len() >= BATCH || self.told.elapsed() >= PATIENCE { self.flush() } else { Some(()) }
    }

    fn flush(&mut self) -> Option<()> {
        self.told = Instant::now();
        let batch = std::mem::take(&mut self.batch);
        if batch.is_empty() { Some(()) } else { self.send(WalkEvent::Found(batch)) }
    }

    fn unread(&mut self, path: &Path, error: &io::Error) -> Option<()> {
        let words = match error.kind() {
            io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
            // It existed when its folder was read.
            io::ErrorKind::NotFound => "it no longer exists".to_owned(),
            _ => io_error_text(error),
        };
        self.report(path, &words)
    }

    fn report(&mut self, path: &Path, words: &str) -> Option<()> {
        self.send(WalkEvent::Unread(path.to_owned(), words.to_owned()))
    }

    fn end(mut self, binary: usize, cut: bool) -> Option<()> {
        self.flush()?;
        self.send(WalkEvent::End { binary, cut })
    }

    fn send(&mut self, walked: WalkEvent) -> Option<()> {
        (self.sink)(walked).then_some(())
    }
}

/// Opens a folder, unless it was visited before by any path.
fn enter(folder: &Path, visited: &mut HashSet<(u64, u64)>) -> io::Result<Option<ReadDir>> {
    let metadata = fs::metadata(folder)?;
    if is_of_kernel(folder) {
        return Err(io::Error::other(KERNEL));
    }
    let is_new = visited.insert(file::identity(&metadata));
    is_new.then(|| fs::read_dir(folder)).transpose()
}

fn is_of_kernel(folder: &Path) -> bool {
    file_system::of(folder) == Some(FileSystem::Kernel)
}

enum ScanEntry {
    Folder(PathBuf),
    Text(FoundFile),
    Binary(PathBuf, Metadata),
    /// A pipe, a socket, a device, or a broken link.
    Nothing,
    Unread(PathBuf, String),
    Leaving(PathBuf),
}

/// Examines an entry of a folder; links are followed only within `root`.
fn look(entry: &DirEntry, root: Option<&Path>) -> ScanEntry {
    let path = entry.path();
    if entry.file_type().is_ok_and(|kind| kind.is_symlink())
        && let (Some(root), Ok(target)) = (root, fs::canonicalize(&path))
        && !target.starts_with(root)
    {
        return ScanEntry::Leaving(path);
    }
    let metadata = match fs::metadata(&path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return ScanEntry::Nothing,
        Err(error) => return ScanEntry::Unread(path, io_error_text(&error)),
    };
    if metadata.is_dir() {
        return ScanEntry::Folder(path);
    }
    if !metadata.is_file() {
        return ScanEntry::Nothing;
    }
    head(path, metadata)
}

/// Reads the beginning of a regular file, and classifies it.
fn head(path: PathBuf, metadata: Metadata) -> ScanEntry {
    let mut head = vec![0; HEAD];
    let read = file::open(&path)
        .map_err(|refusal| refusal.to_string())
        .and_then(|opened| read_at(&opened.file, &mut head, 0).map_err(|error| io_error_text(&error)));
    match read {
        Ok(read) => head.truncate(read),
        Err(words) => return ScanEntry::Unread(path, words),
    }
    let is_log = archive::is_head(&head) && eval_log::is_log(&path);
    if !may_be_text(&head) && !is_log {
        return ScanEntry::Binary(path, metadata);
    }
    let is_encoded = is_log || decoder::is(&head);
    let alone = || (metadata.len(), metadata.modified().ok());
    let (size, modified) = StoredSession::at(&path).map_or_else(alone, |session| session.extent());
    ScanEntry::Text(FoundFile { path, size, modified, head, is_encoded })
}

/// A conversation whose events are files.
fn conversation_file(path: &Path, events: EventFolder) -> FoundFile {
    let head = events.head(HEAD);
    let (size, modified) = StoredSession::Events(events).extent();
    FoundFile { path: path.to_owned(), size, modified, head, is_encoded: false }
}

/// True if something that begins with these bytes may be text: text has no zero bytes, unless it is in UTF-16;
/// compressed data may contain text.
fn may_be_text(head: &[u8]) -> bool {
    let is_wide = head.starts_with(&[0xff, 0xfe]) || head.starts_with(&[0xfe, 0xff]);
    is_wide || decoder::is(head) || !head.contains(&0)
}

#[cfg(test)]
mod tests;
