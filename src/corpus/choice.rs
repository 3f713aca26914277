//! Which of the files that are found are transcripts, and which of those are meant: by their container, and by when they
//! went on.
//!
//! The list of sessions, statistics, indexes and the commands that take folders all ask here.

use std::path::Path;

use jiff::Timestamp;

use super::rows::{FileFacts, FileKind};
use crate::config::places::AgentPlaces;
use crate::container::{self, Container, MessageRole};
use crate::dialect::Options;
use crate::notes::sidecar::Sidecar;
use crate::session::Session;
use crate::source::folder::{FoundFile, HEAD, Walked, walk_most};
use crate::source::{self, SourceEvent, SourceSpec};

/// Beginnings of web pages, in lower case: reports of this program and exports of others, which are no transcripts.
const PAGES: [&[u8]; 2] = [b"<!doctype html", b"<html"];

/// Most files and folders that are examined for one transcript.
const LOOKED: usize = 2000;

/// The beginning of a report in Markdown, which no page shows: it tells the report from a transcript.
pub const MARKDOWN_REPORT: &str = "[//]: # (generator: transcope)\n";

/// Beginnings of reports of this program that are no web pages: Markdown, and JSON, whose first member no other program
/// writes so.
const REPORTS: [&[u8]; 2] = [MARKDOWN_REPORT.as_bytes(), b"{\n\"schema_version\":"];

/// Whether a file that was found in a folder is a transcript, by [`kind_of`] and, in the place of an agent, by
/// [`is_session`] as well, for which it is read until that is known.
pub fn is_transcript(found: &FoundFile, places: &AgentPlaces) -> bool {
    match kind_of(found, places) {
        Some(FileKind::Session) => begins_session(found, places),
        kind => kind.is_some(),
    }
}

/// True if there is a transcript in a folder, among its first files and folders.
pub fn holds_transcript(root: &Path, places: &AgentPlaces) -> bool {
    let mut is_found = false;
    _ = walk_most(root, LOOKED, &mut |walked| {
        is_found = matches!(walked, Walked::Found(found) if found.iter().any(|found| is_transcript(found, places)));
        !is_found
    });
    is_found
}

/// Whether a file that was read is a session, in the place of an agent: in a container of that agent a person, a model or a
/// tool says something. Records of titles, summaries and snapshots alone are no session.
pub fn is_session(session: &Session, path: &Path, places: &AgentPlaces) -> bool {
    let messages = session.document().messages();
    let mut roles = (0..messages.len()).filter_map(|message| messages.role(message));
    is_own(session, path, places) == Some(true) && roles.any(|role| role != MessageRole::System)
}

/// Whether a session has a container of the agent in whose place the file is, once that is known.
fn is_own(session: &Session, path: &Path, places: &AgentPlaces) -> Option<bool> {
    let name = session.choice()?.about.name;
    Some(places.containers_at(path).is_none_or(|containers| containers.contains(&name)))
}

/// Whether [`is_session`] is true of a file. One that cannot be read counts, so that reading it says why.
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

/// The kind of a file that was found in a folder, by its first bytes; `None` if it is not a transcript. In the place of an
/// agent only its own records are, since other programs leave caches, settings and exports there; elsewhere any text that is
/// no web page. Reports of this program and notes on transcripts never are.
pub fn kind_of(found: &FoundFile, places: &AgentPlaces) -> Option<FileKind> {
    let is_report = REPORTS.iter().any(|report| found.head.starts_with(report));
    if is_report || is_beside_samples(&found.path) || Sidecar::is_one(&found.path) {
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
