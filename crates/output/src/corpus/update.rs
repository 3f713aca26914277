//! Updates an index: keeps rows of unchanged files, rereads changed files, and drops removed ones.
//!
//! Parts are written one after another, each with its kept rows and the rows of files read. A crash at any point leaves
//! an index that the next run can continue, with the same result.

mod changes;

use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result};

use super::cell::TableRow as _;
use super::copies::{Copies, SeenSessions};
use super::counts::Counts;
use super::format::TableFormat;
use super::plan::Plan;
use super::reader::FileReader;
use super::rows::{BINARY, FileFacts, FileKind, Summary};
use super::store::{IndexManifest, IndexTotals, LockedStore, PartWriter, Store};
use super::tables::{CallRow, ProblemRow, SessionRow};
use super::workers::{FilePiece, read_files};
use crate::config::ReadOptions;
use crate::filter::MissingFacts;
use crate::source::folder::unread_message;
use changes::{Changes, PartChange};

/// Sources and settings of an index.
#[derive(Clone, Debug)]
pub struct UpdateRequest<'a> {
    /// Folders and files to index.
    pub paths: &'a [PathBuf],
    /// Folder of the index.
    pub out: &'a Path,
    /// Format of its tables.
    pub format: TableFormat,
    /// Settings for reading files, and their selection.
    pub reader: FileReader<'a>,
    /// Number of files to read at the same time.
    pub workers: usize,
}

/// Progress of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadProgress {
    /// Number of files read, and of all files to read.
    pub files: (usize, usize),
    /// Number of bytes read, and of all bytes to read, as sizes on disk.
    pub bytes: (u64, u64),
}

impl ReadProgress {
    /// Progress before any of these files is read.
    pub fn new(files: &[FileFacts]) -> Self {
        Self { files: (0, files.len()), bytes: (0, files.iter().map(|file| file.bytes).sum()) }
    }

    /// Counts a file as read.
    pub(crate) fn add(&mut self, file: &FileFacts) {
        self.files.0 += 1;
        self.bytes.0 += file.bytes;
    }
}

/// Result of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UpdateReport {
    /// Number of files read.
    pub read: usize,
    /// Number of unchanged files.
    pub kept: usize,
    /// Number of indexed files that no longer exist or are no longer selected.
    pub gone: usize,
    /// Number of binary files skipped.
    pub binary: usize,
    /// Unreadable files, each with the reason; sanitized.
    pub unread: Vec<String>,
    /// Files in which the filter selects nothing because they lack what it tests; files that were not read are left out.
    pub missing: Vec<(Arc<str>, MissingFacts)>,
    /// Totals of the updated index.
    pub totals: IndexTotals,
}

/// Updates an index, and reports the progress to `tell`.
///
/// # Errors
/// If the sources cannot be listed, or the index cannot be written. An unreadable file is not an error, but gets a row.
pub fn update(request: &UpdateRequest<'_>, tell: &mut dyn FnMut(ReadProgress)) -> Result<UpdateReport> {
    let plan = Plan::new(request.paths, request.reader.choice)?;
    let manifest =
        IndexManifest::new(request.format, plan.roots.clone(), request.reader.choice, settings(&request.reader));
    let mut store = LockedStore::open(request.out, manifest)?;
    let changes = Changes::new(&store.store, &plan, request.reader.choice)?;
    let mut report = UpdateReport {
        kept: changes.kept,
        gone: changes.gone,
        binary: plan.binary,
        unread: plan.unread,
        ..UpdateReport::default()
    };
    let files: Vec<FileFacts> = changes.parts.iter().flat_map(|part| &part.read).cloned().collect();
    let mut progress = ReadProgress::new(&files);
    tell(progress);
    let mut copies = Copies::default();
    if !files.is_empty() {
        know_kept(&store.store, &changes, &mut copies)?;
    }
    let mut writing = Writing { store: &mut store, parts: &changes.parts, open: None, behind: 0 };
    let outcome = read_files(&files, request.workers, &request.reader, &mut |number, piece| {
        let part = writing.part_of(number)?;
        match piece {
            FilePiece::Rows(mut batch) => {
                copies.mark(&files[number].file, &mut batch);
                return part.rows(&batch);
            }
            FilePiece::Passed => copies.abandon(),
            FilePiece::End(mut summary) => {
                copies.finish(&mut summary);
                part.session(&summary)?;
                report.missing.extend(summary.missing.map(|facts| (Arc::clone(&files[number].file), facts)));
                report.read += usize::from(files[number].kind != FileKind::Binary);
            }
        }
        progress.add(&files[number]);
        tell(progress);
        Ok(())
    });
    let outcome = outcome.and_then(|()| writing.finish());
    if outcome.is_err() {
        store.discard_unfinished();
    }
    outcome?;
    report.totals = totals(&store.store, &mut report.unread)?;
    store.complete(report.totals)?;
    Ok(report)
}

/// True if an index was made by this version with a reader's settings, so that it could be updated instead of rebuilt.
pub fn can_continue(store: &Store, reader: &FileReader<'_>) -> bool {
    store.is_continued_by(&IndexManifest::new(store.format(), Vec::new(), reader.choice, settings(reader)))
}

/// Writes parts in sequence.
struct Writing<'a> {
    store: &'a mut LockedStore,
    /// Parts not yet completed; the first one may be open.
    parts: &'a [PartChange],
    open: Option<PartWriter>,
    /// Index of the first file of the first of `parts`.
    behind: usize,
}

impl Writing<'_> {
    /// The open part that contains a file; completes the parts before it.
    fn part_of(&mut self, file: usize) -> Result<&mut PartWriter> {
        while self.parts.first().is_some_and(|part| file >= self.behind + part.read.len()) {
            self.write_first()?;
        }
        if self.open.is_none() {
            self.open = self.parts.first().map(|part| self.begin(part)).transpose()?;
        }
        self.open.as_mut().context("there is a file that belongs to no part")
    }

    fn finish(mut self) -> Result<()> {
        while !self.parts.is_empty() {
            self.write_first()?;
        }
        Ok(())
    }

    /// Completes the first part.
    fn write_first(&mut self) -> Result<()> {
        let Some((part, rest)) = self.parts.split_first() else { return Ok(()) };
        let writer = self.open.take().map_or_else(|| self.begin(part), Ok)?;
        self.store.commit(writer)?;
        self.behind += part.read.len();
        self.parts = rest;
        Ok(())
    }

    /// Begins a part by copying the rows that it keeps.
    fn begin(&self, part: &PartChange) -> Result<PartWriter> {
        let mut writer = self.store.begin_part(part.number)?;
        if part.kept.is_empty() {
            return Ok(writer);
        }
        let (store, kept) = (&self.store.store, &part.kept);
        let mut counts = Counts::default();
        store.read::<CallRow>(part.number, None, |row| {
            if kept.contains_key(&row.file) {
                if !row.is_copy {
                    counts.add_call(&row);
                }
                writer.call(&row)?;
            }
            Ok(ControlFlow::Continue(()))
        })?;
        store.read::<ProblemRow>(part.number, None, |row| {
            if kept.contains_key(&row.file) {
                if !row.is_copy {
                    counts.add_problem(&row);
                }
                writer.problem(&row)?;
            }
            Ok(ControlFlow::Continue(()))
        })?;
        store.read::<SessionRow>(part.number, None, |mut session| {
            if let Some(facts) = kept.get(&session.file) {
                session.modified_at = facts.modified_at;
                let counts = std::mem::take(&mut counts);
                writer.session(&Summary { session, counts, missing: None })?;
            }
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(writer)
    }
}

/// Totals of an index; adds its unreadable files to `unread`.
pub(super) fn totals(store: &Store, unread: &mut Vec<String>) -> Result<IndexTotals> {
    const COLUMNS: [&str; 11] = [
        "file",
        "session_id",
        "container",
        "error",
        "file_hash",
        "calls",
        "failed",
        "rejected",
        "copy_of",
        "copied_calls",
        "copied_failures",
    ];
    let mut totals = IndexTotals::default();
    let mut seen = SeenSessions::default();
    for &part in store.parts() {
        store.read::<SessionRow>(part, Some(&COLUMNS), |row| {
            totals.add(&row, &mut seen);
            if let Some(words) = row.error.filter(|words| **words != *BINARY) {
                unread.push(unread_message(Path::new(&*row.file), &words));
            }
            Ok(ControlFlow::Continue(()))
        })?;
    }
    Ok(totals)
}

/// Adds the kept rows to `copies`; they take precedence over rows of files to be read.
fn know_kept(store: &Store, changes: &Changes, copies: &mut Copies) -> Result<()> {
    const CALLS: [&str; 6] = ["file", "container", "call_id", "tool", "argument_bytes", "is_copy"];
    const SESSIONS: [&str; 6] = ["file", "error", "file_hash", "calls", "copy_of", "copied_calls"];
    for &number in store.parts() {
        let part = changes.parts.iter().find(|part| part.number == number);
        let stays = |file: &Arc<str>| part.is_none_or(|part| part.kept.contains_key(file));
        store.read::<SessionRow>(number, Some(&SESSIONS), |row| {
            if stays(&row.file) {
                copies.know_file(&row);
            }
            Ok(ControlFlow::Continue(()))
        })?;
        store.read::<CallRow>(number, Some(&CALLS), |row| {
            if stays(&row.file) {
                copies.register_call(&row);
            }
            Ok(ControlFlow::Continue(()))
        })?;
    }
    Ok(())
}

/// Hash of a text, the same in every run of this version.
fn hash(words: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    words.hash(&mut hasher);
    hasher.finish()
}

/// Settings that affect the rows of a file.
fn settings(reader: &FileReader<'_>) -> serde_json::Value {
    let setup = reader.setup;
    serde_json::json!({
        "read": ReadOptions::from_dialect(&setup.dialect),
        "schemas": setup.dialect.schemas.as_ref().map(|schemas| hash(&format!("{schemas:?}"))),
        "portable": setup.dialect.portable.as_ref().map(|portable| format!("{portable:?}")),
        "filter": reader.filter.map(ToString::to_string),
        "columns": SessionRow::TABLE.columns.len() + CallRow::TABLE.columns.len() + ProblemRow::TABLE.columns.len(),
    })
}
