//! Which files and sessions of a corpus are meant: by their container, and by when they went on.
//!
//! This module does not know how files are found or read.

use jiff::Timestamp;

use super::rows::FileFacts;
use crate::container;
use crate::source::folder::{FoundFile, HEAD};

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

    /// Whether a session is meant that was read to its end, by its container and its last time.
    pub fn takes_session(&self, container: &str, ended_at: Option<Timestamp>) -> bool {
        self.container.is_none_or(|name| name == container)
            && self.since.is_none_or(|since| ended_at.is_none_or(|at| at >= since))
    }
}
