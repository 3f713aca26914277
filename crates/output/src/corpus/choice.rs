//! Decides which files are transcripts, and which of those are selected: by container, and by time.
//!
//! Shared by the list of sessions, statistics, indexes and commands that take folders.

use std::path::Path;

use jiff::Timestamp;

use super::rows::{FileFacts, FileKind};
use crate::config::places::AgentPlaces;
use crate::container::{self, Container, MessageRole};
use crate::dialect::Options;
use crate::notes::sidecar::Sidecar;
use crate::session::Session;
use crate::source::folder::{FoundFile, HEAD, WalkEvent, walk_most_except};
use crate::source::{self, SourceEvent, SourceSpec};

/// Beginnings of web pages, in lower case: reports of transcope and exports of other programs, which are not
/// transcripts.
const PAGES: [&[u8]; 2] = [b"<!doctype html", b"<html"];

/// Maximum number of files and folders examined to find one transcript; an editor has a folder for each workspace,
/// most of them without a chat.
const LOOKED: usize = 20_000;

/// First line of a report in Markdown, which is not displayed. Distinguishes the report from a transcript.
pub(crate) const MARKDOWN_REPORT: &str = "[//]: # (generator: transcope)\n";

/// Beginnings of reports of transcope other than web pages: Markdown, and JSON, whose first member no other program
/// writes like this.
const REPORTS: [&[u8]; 2] = [MARKDOWN_REPORT.as_bytes(), b"{\n\"schema_version\":"];

/// True if a file found in a folder is a transcript, according to [`kind_of`]. In an agent's folder `is_session` must
/// hold as well; the file is read until that is known.
pub fn is_transcript(found: &FoundFile, places: &AgentPlaces) -> bool {
    match kind_of(found, places) {
        Some(FileKind::Session) => begins_session(found, places),
        kind => kind.is_some(),
    }
}

/// True if a folder contains a transcript, among its first files and folders.
pub fn holds_transcript(root: &Path, places: &AgentPlaces) -> bool {
    let mut is_found = false;
    _ = walk_most_except(root, LOOKED, &|path| places.skips(path), &mut |walked| {
        is_found = matches!(walked, WalkEvent::Found(found) if found.iter().any(|found| is_transcript(found, places)));
        !is_found
    });
    is_found
}

/// True if a file that was read is a session: it has a message of a user, a model or a tool, and its container belongs
/// to the agent if it is in an agent's folder. Records of titles, summaries and snapshots alone do not count.
pub(crate) fn is_session(session: &Session, path: &Path, places: &AgentPlaces) -> bool {
    let messages = session.document().messages();
    let mut roles = (0..messages.len()).filter_map(|message| messages.role(message));
    is_own(session, path, places) == Some(true) && roles.any(|role| role != MessageRole::System)
}

/// True if the container of a session belongs to the agent in whose folder the file is; `None` until the container is
/// known.
fn is_own(session: &Session, path: &Path, places: &AgentPlaces) -> Option<bool> {
    let name = session.choice()?.about.name;
    Some(places.containers_at(path).is_none_or(|containers| containers.contains(&name)))
}

/// True if [`is_session`] is true of a file, or if the file is unreadable, so that the error is reported later.
fn begins_session(found: &FoundFile, places: &AgentPlaces) -> bool {
    let new = || Session::new(Container::default(), &Options::default());
    let mut session = new();
    if !found.is_encoded {
        session.push(&found.head);
        if is_session(&session, &found.path, places) {
            return true;
        }
    }
    let mut is_unread = false;
    session = new();
    let outcome = source::read(&SourceSpec::File(found.path.clone()), |event| {
        match event {
            SourceEvent::Backing(backing) => session.back(backing),
            SourceEvent::Chunk(bytes) => drop(session.push(&bytes)),
            SourceEvent::Failed(_) => is_unread = true,
            _ => {}
        }
        !is_session(&session, &found.path, places) && is_own(&session, &found.path, places) != Some(false)
    });
    session.finish();
    is_unread || outcome.is_err() || is_session(&session, &found.path, places)
}

/// Kind of a file found in a folder, judged by its first bytes; `None` if it is not a transcript. In an agent's folder
/// only the agent's own records count, since other programs store caches, settings and exports there; elsewhere any
/// text except web pages. Reports of transcope and notes on transcripts never count.
pub fn kind_of(found: &FoundFile, places: &AgentPlaces) -> Option<FileKind> {
    let is_report = REPORTS.iter().any(|report| found.head.starts_with(report));
    if is_report || is_beside_samples(&found.path) || Sidecar::is_sidecar(&found.path) {
        return None;
    }
    let Some(containers) = places.containers_at(&found.path) else {
        let text = found.head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&found.head).trim_ascii_start();
        let begins = |page: &&[u8]| text.get(..page.len()).is_some_and(|start| start.eq_ignore_ascii_case(page));
        return (!PAGES.iter().any(begins)).then_some(FileKind::Text);
    };
    let is_own = |name: &str| containers.contains(&name);
    // Compressed files, and files with a long first record, are decided when they are read.
    let looked =
        if found.is_encoded { None } else { container::detect_container(&found.head, found.head.len() < HEAD) };
    looked.is_none_or(|(about, _)| is_own(about.name)).then_some(FileKind::Session)
}

/// True if a file is in an evaluation log (`.eval`) but is not a sample: header, summaries and journal repeat the
/// samples.
fn is_beside_samples(path: &Path) -> bool {
    let mut parts = path.iter().skip_while(|part| !part.as_encoded_bytes().ends_with(b".eval")).skip(1);
    parts.next().is_some_and(|folder| folder != "samples")
}

/// Selection of files.
#[derive(Clone, Debug, Default)]
pub struct FileChoice {
    /// Sessions with activity at or after this time.
    pub since: Option<Timestamp>,
    /// Files of the container with this name.
    pub container: Option<&'static str>,
}

impl FileChoice {
    /// True if a file may be selected, judged by its modification time and first bytes.
    pub(super) fn takes(&self, found: &FoundFile, facts: &FileFacts) -> bool {
        // Messages in a file are not newer than the file.
        let is_recent = self.since.is_none_or(|since| facts.modified_at.is_none_or(|at| at >= since));
        let kind = || container::detect_container(&found.head, found.head.len() < HEAD).map(|(about, _)| about.name);
        is_recent && self.container.is_none_or(|name| found.is_encoded || kind().is_none_or(|kind| kind == name))
    }

    /// True if a binary file is selected, judged by its modification time.
    pub(super) fn takes_binary(&self, facts: &FileFacts) -> bool {
        self.container.is_none() && self.since.is_none_or(|since| facts.modified_at.is_none_or(|at| at >= since))
    }

    /// True if a completely read session is selected, judged by its container and its last time.
    pub(crate) fn takes_session(&self, container: &str, ended_at: Option<Timestamp>) -> bool {
        self.container.is_none_or(|name| name == container)
            && self.since.is_none_or(|since| ended_at.is_none_or(|at| at >= since))
    }
}
