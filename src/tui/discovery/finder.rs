//! Finds the files of a list on a separate thread, detects their containers from the first bytes, and watches for
//! changes.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::config::places::AgentPlaces;
use crate::container;
use crate::corpus::choice::is_transcript;
use crate::source;
use crate::source::folder::{self, FoundFile as WalkedFile, HEAD, WalkEvent};

use crate::tui::discovery::{DiscoveryEvent, FileChange, ListedFile};

/// Time between two examinations of all files.
const POLL: Duration = Duration::from_secs(2);

/// A folder that changed less than this long ago is searched again: a new file in it may still have been empty.
const FRESH: Duration = Duration::from_secs(10);

/// A directory whose sessions are listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root {
    /// The path of the directory.
    pub path: PathBuf,
    /// Its name for display: `~/sessions`.
    pub name: String,
}

/// Finds the files below some directories, then watches them until `tell` returns false.
///
/// # Errors
/// The thread cannot be started.
pub fn find_and_watch(
    roots: Vec<Root>,
    mut tell: impl FnMut(DiscoveryEvent) -> bool + Send + 'static,
) -> std::io::Result<()> {
    let work = move || {
        let mut known = KnownFiles::default();
        if find_in(&roots, &mut known, &mut tell) {
            while known.report_changes(&roots, &mut tell) {
                std::thread::sleep(POLL);
            }
        }
    };
    std::thread::Builder::new().name("finder".into()).spawn(work).map(drop)
}

/// Finds the files below some directories, until `tell` returns false.
///
/// # Errors
/// The thread cannot be started.
pub fn find(roots: Vec<Root>, mut tell: impl FnMut(DiscoveryEvent) -> bool + Send + 'static) -> std::io::Result<()> {
    let work = move || _ = find_in(&roots, &mut KnownFiles::default(), &mut tell);
    std::thread::Builder::new().name("finder".into()).spawn(work).map(drop)
}

/// Finds all files; false once `tell` returns false.
fn find_in(roots: &[Root], known: &mut KnownFiles, tell: &mut dyn FnMut(DiscoveryEvent) -> bool) -> bool {
    let mut passed = 0;
    for (number, root) in roots.iter().enumerate() {
        let mut goes_on = true;
        let places = known.places.clone();
        folder::walk_except(&root.path, &|path| places.skips(path), |walked| {
            goes_on = match walked {
                WalkEvent::Found(found) => tell(DiscoveryEvent::Found(known.add(found, roots, number))),
                WalkEvent::Unread(path, words) => tell(DiscoveryEvent::Unread(folder::unread_message(&path, &words))),
                WalkEvent::Leaving(path) => tell(DiscoveryEvent::Unread(folder::unread_message(&path, folder::LEAVES))),
                WalkEvent::Binary(..) => true,
                WalkEvent::End { binary, cut } => {
                    passed += binary;
                    let words = format!(
                        "{} has more than {} files and folders; the rest is not listed: open one of its folders",
                        root.name,
                        folder::MOST
                    );
                    !cut || tell(DiscoveryEvent::Unread(words))
                }
            };
            goes_on
        });
        if !goes_on {
            return false;
        }
    }
    tell(DiscoveryEvent::Done(passed))
}

/// Sizes and times of files and folders when they were last examined.
#[derive(Default)]
struct KnownFiles {
    places: AgentPlaces,
    files: HashMap<PathBuf, (u64, Option<SystemTime>)>,
    /// The folders that contain them up to a root, each with the number of the root.
    folders: HashMap<PathBuf, (usize, Option<SystemTime>)>,
}

impl KnownFiles {
    /// Adds files below the root of this number, and returns new transcripts.
    fn add(&mut self, found: Vec<WalkedFile>, roots: &[Root], number: usize) -> Vec<ListedFile> {
        let root = &roots[number];
        let prefix = (roots.len() > 1).then_some(root.name.as_str());
        let mut new = Vec::new();
        for found in found {
            if self.files.contains_key(&found.path) || !is_transcript(&found, &self.places) {
                continue;
            }
            self.files.insert(found.path.clone(), (found.size, found.modified));
            for folder in found.path.ancestors().skip(1).take_while(|folder| folder.starts_with(&root.path)) {
                if self.folders.contains_key(folder) {
                    break;
                }
                self.folders.insert(folder.to_owned(), (number, source::modified(folder)));
            }
            new.push(listed(found, &root.path, prefix));
        }
        new
    }

    /// Changes of known sessions in a database, which are not files.
    fn changed(&mut self, found: &[WalkedFile]) -> Vec<FileChange> {
        let mut changes = Vec::new();
        for found in found {
            if let Some(known) = self.files.get_mut(&found.path).filter(|known| found.modified > known.1) {
                *known = (found.size, found.modified);
                let WalkedFile { path, size, modified, .. } = found;
                changes.push(FileChange { path: path.clone(), size: *size, modified: *modified });
            }
        }
        changes
    }

    /// Reports changed files, and new files in changed folders; false once `tell` returns false.
    fn report_changes(&mut self, roots: &[Root], tell: &mut dyn FnMut(DiscoveryEvent) -> bool) -> bool {
        let mut changes = Vec::new();
        for (path, known) in &mut self.files {
            let Ok(metadata) = path.metadata() else { continue };
            // A session in several files has the time of the last of them.
            let modified = if metadata.is_dir() { source::modified(path) } else { metadata.modified().ok() };
            if modified > known.1 {
                let size = source::extent(path).map_or(metadata.len(), |(size, _)| size);
                *known = (size, modified);
                changes.push(FileChange { path: path.clone(), size, modified });
            }
        }
        if !changes.is_empty() && !tell(DiscoveryEvent::Changed(changes)) {
            return false;
        }
        let mut changed = Vec::new();
        for (folder, (number, known)) in &mut self.folders {
            let now = source::modified(folder);
            let age = now.and_then(|now| SystemTime::now().duration_since(now).ok());
            if now != *known || age.is_some_and(|age| age < FRESH) {
                *known = now;
                changed.push((folder.clone(), *number));
            }
        }
        for (folder, number) in changed {
            let mut goes_on = true;
            // Known subfolders have their own times.
            let paths = self.files.keys().chain(self.folders.keys());
            let known: HashSet<PathBuf> = paths.filter(|path| path.parent() == Some(&folder)).cloned().collect();
            let places = self.places.clone();
            folder::walk_except(&folder, &|path| known.contains(path) || places.skips(path), |walked| {
                if let WalkEvent::Found(found) = walked {
                    let changes = self.changed(&found);
                    if !changes.is_empty() && !tell(DiscoveryEvent::Changed(changes)) {
                        goes_on = false;
                        return false;
                    }
                    let new = self.add(found, roots, number);
                    goes_on = new.is_empty() || tell(DiscoveryEvent::Found(new));
                }
                goes_on
            });
            if !goes_on {
                return false;
            }
        }
        true
    }
}

fn listed(found: WalkedFile, root: &Path, prefix: Option<&str>) -> ListedFile {
    let WalkedFile { path, size, modified, head, is_encoded } = found;
    let below = path.strip_prefix(root).unwrap_or(&path);
    let name = below.to_string_lossy();
    let name = match prefix {
        // A root can be a file.
        Some(prefix) if name.is_empty() => prefix.to_owned(),
        Some(prefix) => format!("{prefix}/{name}"),
        None => name.into_owned(),
    };
    // The container of a compressed file is detected when it is read.
    let kind = if is_encoded { None } else { container::detect_container(&head, head.len() < HEAD) };
    ListedFile { at_root: path.parent() == Some(root), name, size, modified, kind, path }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn files_that_grow_and_files_that_are_new_are_reported_once() {
        let folder = tempfile::tempdir().expect("a folder for a test");
        let path = folder.path().join("a/one.md");
        fs::create_dir(folder.path().join("a")).expect("a folder for a test");
        fs::write(&path, "One.\n").expect("a test may write");
        let roots = [Root { path: folder.path().to_owned(), name: "~/s".into() }];
        let mut known = KnownFiles::default();
        assert!(find_in(&roots, &mut known, &mut |_| true));
        let mut changes = || {
            let mut names = Vec::new();
            let mut tell = |event| {
                match event {
                    DiscoveryEvent::Changed(changes) => {
                        names.extend(changes.iter().map(|change| format!("{} B", change.size)));
                    }
                    DiscoveryEvent::Found(files) => names.extend(files.into_iter().map(|file| file.name)),
                    _ => {}
                }
                true
            };
            assert!(known.report_changes(&roots, &mut tell));
            names
        };
        assert!(changes().is_empty());
        fs::write(&path, "One and more.\n").expect("a test may write");
        let later = SystemTime::now() + Duration::from_mins(1);
        fs::File::options().write(true).open(&path).and_then(|file| file.set_modified(later)).expect("it is ours");
        assert_eq!(changes(), ["14 B"]);
        fs::create_dir(folder.path().join("b")).expect("a folder for a test");
        fs::write(folder.path().join("b/two.md"), "Two.\n").expect("a test may write");
        fs::File::open(folder.path()).and_then(|file| file.set_modified(later)).expect("it is ours");
        assert_eq!(changes(), ["b/two.md"]);
        assert!(changes().is_empty());
    }
}
