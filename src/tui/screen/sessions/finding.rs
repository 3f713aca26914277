//! Finds the files of a list on a thread of its own, and says by their first bytes what they are.
//!
//! This module does not know how they are listed.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::container::{self, ContainerInfo};
use crate::source::folder::{self, FoundFile, HEAD, Walked};

use crate::tui::screen::sessions::survey::Look;

/// A directory whose sessions are listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root {
    /// Where it is.
    pub path: PathBuf,
    /// What people call it.
    pub name: String,
}

/// A file that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Where it is.
    pub path: PathBuf,
    /// Its path below what is listed.
    pub name: String,
    /// Whether it lies in the very directory that is listed.
    pub at_root: bool,
    /// Its bytes.
    pub size: u64,
    /// When it was written last.
    pub modified: Option<SystemTime>,
    /// What it is and why, as far as its first bytes tell.
    pub kind: Option<(&'static ContainerInfo, &'static str)>,
}

/// What a list is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Told {
    /// Files were found.
    Found(Vec<Listed>),
    /// Something could not be read, and is passed over.
    Unread(String),
    /// All were found; so many hold no text.
    Done(usize),
    /// A file was looked into.
    Look(Look),
}

/// Finds the files below some directories for as long as `tell` returns true.
///
/// # Errors
/// The system gives no thread.
pub fn find(roots: Vec<Root>, mut tell: impl FnMut(Told) -> bool + Send + 'static) -> std::io::Result<()> {
    let work = move || {
        let several = roots.len() > 1;
        let mut passed = 0;
        let mut goes_on = true;
        for root in &roots {
            let prefix = several.then_some(root.name.as_str());
            folder::walk(&root.path, |walked| {
                goes_on = match walked {
                    Walked::Found(found) => {
                        tell(Told::Found(found.into_iter().map(|found| listed(found, &root.path, prefix)).collect()))
                    }
                    Walked::Unread(words) => tell(Told::Unread(words)),
                    Walked::End { binary, cut } => {
                        passed += binary;
                        let words = format!(
                            "{} holds more than {} files and folders, and the rest is not listed; open a folder in it",
                            root.name,
                            folder::MOST
                        );
                        !cut || tell(Told::Unread(words))
                    }
                };
                goes_on
            });
            if !goes_on {
                return;
            }
        }
        // The last thing that is said, whoever still listens.
        tell(Told::Done(passed));
    };
    std::thread::Builder::new().name("finding".into()).spawn(work).map(drop)
}

fn listed(found: FoundFile, root: &Path, prefix: Option<&str>) -> Listed {
    let FoundFile { path, size, modified, head, is_compressed } = found;
    let below = path.strip_prefix(root).unwrap_or(&path);
    let name = below.to_string_lossy();
    let name = prefix.map_or_else(|| name.clone().into_owned(), |prefix| format!("{prefix}/{name}"));
    // What is compressed says what it is when it is looked into.
    let kind = if is_compressed { None } else { container::look(&head, head.len() < HEAD) };
    Listed { at_root: path.parent() == Some(root), name, size, modified, kind, path }
}
