//! Finds the files of a list on a thread of its own, and says by their first bytes what they are.

use std::path::{Path, PathBuf};

use crate::config::places::AgentPlaces;
use crate::container;
use crate::corpus::choice::is_transcript;
use crate::source::folder::{self, FoundFile as WalkedFile, HEAD, Walked};

use crate::tui::discovery::{DiscoveryEvent, ListedFile};

/// A directory whose sessions are listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root {
    /// The directory as it is opened.
    pub path: PathBuf,
    /// What people call it: `~/sessions`.
    pub name: String,
}

/// Finds the files below some directories for as long as `tell` returns true.
///
/// # Errors
/// The system gives no thread.
pub fn find(roots: Vec<Root>, mut tell: impl FnMut(DiscoveryEvent) -> bool + Send + 'static) -> std::io::Result<()> {
    let work = move || {
        let several = roots.len() > 1;
        let mut passed = 0;
        let mut goes_on = true;
        let places = AgentPlaces::new();
        for root in &roots {
            let prefix = several.then_some(root.name.as_str());
            folder::walk(&root.path, |walked| {
                goes_on = match walked {
                    Walked::Found(found) => tell(DiscoveryEvent::Found(
                        found
                            .into_iter()
                            .filter(|found| is_transcript(found, &places))
                            .map(|found| listed(found, &root.path, prefix))
                            .collect(),
                    )),
                    Walked::Unread(path, words) => tell(DiscoveryEvent::Unread(folder::unread_words(&path, &words))),
                    Walked::Leaving(path) => tell(DiscoveryEvent::Unread(folder::unread_words(&path, folder::LEAVES))),
                    Walked::Binary(..) => true,
                    Walked::End { binary, cut } => {
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
                return;
            }
        }
        // The last thing that is said, whoever still listens.
        tell(DiscoveryEvent::Done(passed));
    };
    std::thread::Builder::new().name("finder".into()).spawn(work).map(drop)
}

fn listed(found: WalkedFile, root: &Path, prefix: Option<&str>) -> ListedFile {
    let WalkedFile { path, size, modified, head, is_encoded } = found;
    let below = path.strip_prefix(root).unwrap_or(&path);
    let name = below.to_string_lossy();
    let name = prefix.map_or_else(|| name.clone().into_owned(), |prefix| format!("{prefix}/{name}"));
    // What is compressed says what it is when it is looked into.
    let kind = if is_encoded { None } else { container::look(&head, head.len() < HEAD) };
    ListedFile { at_root: path.parent() == Some(root), name, size, modified, kind, path }
}
