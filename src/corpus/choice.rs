//! Which files and sessions of a corpus are meant: by their container, and by when they went on.

use std::path::Path;

use jiff::Timestamp;

use super::rows::{FileFacts, FileKind};
use crate::config::places::AgentPlaces;
use crate::container;
use crate::source::folder::{FoundFile, HEAD};

/// Beginnings of web pages, in lower case: reports of this program and exports of others, which are no transcripts.
const PAGES: [&[u8]; 2] = [b"<!doctype html", b"<html"];

/// The kind of a file that was found in a folder; `None` if it is not a transcript. In the place of an agent only its
/// own records are, since other programs leave caches, settings and exports there; elsewhere any text that is no web page.
pub fn kind_of(found: &FoundFile, places: &AgentPlaces) -> Option<FileKind> {
    if is_beside_samples(&found.path) {
        return None;
    }
    let Some(containers) = places.containers_at(&found.path) else {
        let text = found.head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&found.head).trim_ascii_start();
        let begins = |page: &&[u8]| text.get(..page.len()).is_some_and(|start| start.eq_ignore_ascii_case(page));
        return (!PAGES.iter().any(begins)).then_some(FileKind::Text);
    };
    let is_own = |name: &str| containers.contains(&name);
    // A compressed file is known when it is read, and so is one with a long first record.
    let looked = if found.is_encoded { None } else { container::look(&found.head, found.head.len() < HEAD) };
    looked.is_none_or(|(about, _)| is_own(about.name)).then_some(FileKind::Session)
}

/// Whether a file is in the log of an evaluation (`.eval`), but no sample: header, summaries and journal say again what the
/// samples say.
fn is_beside_samples(path: &Path) -> bool {
    let mut parts = path.iter().skip_while(|part| !part.as_encoded_bytes().ends_with(b".eval")).skip(1);
    parts.next().is_some_and(|folder| folder != "samples")
}

/// Which of the files are meant.
#[derive(Clone, Debug, Default)]
pub struct FileChoice {
    /// Sessions that went on at this time or after it.
    pub since: Option<Timestamp>,
    /// Files of the container of this name.
    pub container: Option<&'static str>,
}

impl FileChoice {
    /// Whether a file may be meant, by when it was written and how it begins.
    pub(super) fn takes(&self, found: &FoundFile, facts: &FileFacts) -> bool {
        // Nothing in a file is newer than the file.
        let is_recent = self.since.is_none_or(|since| facts.modified_at.is_none_or(|at| at >= since));
        let kind = || container::look(&found.head, found.head.len() < HEAD).map(|(about, _)| about.name);
        is_recent && self.container.is_none_or(|name| found.is_encoded || kind().is_none_or(|kind| kind == name))
    }

    /// Whether a file is meant that holds no text, by when it was written.
    pub(super) fn takes_binary(&self, facts: &FileFacts) -> bool {
        self.container.is_none() && self.since.is_none_or(|since| facts.modified_at.is_none_or(|at| at >= since))
    }

    /// Whether a session is meant that was read to its end, by its container and its last time.
    pub fn takes_session(&self, container: &str, ended_at: Option<Timestamp>) -> bool {
        self.container.is_none_or(|name| name == container)
            && self.since.is_none_or(|since| ended_at.is_none_or(|at| at >= since))
    }
}
