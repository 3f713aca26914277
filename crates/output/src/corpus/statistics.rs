//! Computes the statistics of a corpus, from an index or from the files.

use std::ops::ControlFlow;

use anyhow::{Result, ensure};
use jiff::Timestamp;

use super::copies::{Copies, SeenSessions};
use super::counts::Counts;
use super::plan::Plan;
use super::reader::FileReader;
use super::rows::BINARY;
use super::store::{IndexTotals, Store};
use super::tables::{CallRow, CountRow, ProblemRow, SessionRow};
use super::update::{ReadProgress, totals};
use super::workers::{FilePiece, read_files};
use crate::filter::MissingFacts;
use crate::text::sanitize::visible_str;

/// Aggregated calls and problems, with totals.
#[derive(Clone, Debug, Default)]
pub struct CorpusStatistics {
    /// Aggregated calls and problems.
    pub counts: Counts,
    /// Numbers of files, sessions and calls.
    pub totals: IndexTotals,
    /// Time of the last index update; `None` if files were read directly, or the index is incomplete.
    pub updated_at: Option<Timestamp>,
}

impl CorpusStatistics {
    /// Reads the statistics of an index; for an incomplete one, of its readable parts.
    ///
    /// # Errors
    /// If a table cannot be read, or the tables contradict the manifest.
    pub fn from_index(store: &Store) -> Result<Self> {
        let mut counts = Counts::default();
        for &part in store.parts() {
            store.read::<CountRow>(part, None, |row| {
                counts.add_row(&row);
                Ok(ControlFlow::Continue(()))
            })?;
        }
        let updated_at = store.manifest.updated_at;
        let totals = if updated_at.is_some() { store.manifest.totals } else { totals(store, &mut Vec::new())? };
        let calls = usize::try_from(counts.totals().calls).unwrap_or(usize::MAX);
        ensure!(
            calls == totals.calls || updated_at.is_none(),
            "the tables in {} have {calls} calls, but index.json says {}; if another transcope is writing to it, wait until it \
             has finished; else delete the index, and run transcope index again",
            visible_str(&store.folder().to_string_lossy()),
            totals.calls
        );
        Ok(Self { counts, totals, updated_at })
    }

    /// Reads the files of a plan on `workers` threads as long as `tell` returns true, which receives all calls and
    /// problems and the progress. `None` if it was stopped.
    ///
    /// # Errors
    /// If the system cannot create a thread.
    pub fn from_files(
        plan: &Plan,
        reader: &FileReader<'_>,
        workers: usize,
        tell: &mut dyn FnMut(&StatisticsEvent<'_>) -> bool,
    ) -> Result<Option<Self>> {
        let mut statistics = Self::default();
        let (mut seen, mut copies) = (SeenSessions::default(), Copies::default());
        let mut progress = ReadProgress::new(&plan.files);
        let mut goes_on = true;
        let outcome = read_files(&plan.files, workers, reader, &mut |number, piece| {
            goes_on = match piece {
                FilePiece::Rows(mut batch) => {
                    copies.mark(&plan.files[number].file, &mut batch);
                    tell(&StatisticsEvent::Rows(&batch.calls, &batch.problems))
                }
                FilePiece::Passed => {
                    copies.abandon();
                    progress.add(&plan.files[number]);
                    tell(&StatisticsEvent::Progress(progress, &statistics))
                }
                FilePiece::End(mut summary) => {
                    copies.finish(&mut summary);
                    let session = &summary.session;
                    if let Some(words) = session.error.as_ref().filter(|words| ***words != *BINARY) {
                        tell(&StatisticsEvent::Unread(&session.file, words));
                    }
                    if let Some(facts) = summary.missing {
                        tell(&StatisticsEvent::Missing(&session.file, facts));
                    }
                    statistics.counts.merge(&summary.counts);
                    statistics.totals.add(&summary.session, &mut seen);
                    progress.add(&plan.files[number]);
                    tell(&StatisticsEvent::Progress(progress, &statistics))
                }
            };
            if goes_on { Ok(()) } else { Err(anyhow::anyhow!("it was stopped")) }
        });
        if goes_on { outcome.map(|()| Some(statistics)) } else { Ok(None) }
    }
}

/// Events while files are read.
#[derive(Debug)]
pub enum StatisticsEvent<'a> {
    /// Calls and problems of a file.
    Rows(&'a [CallRow], &'a [ProblemRow]),
    /// A file, by its path, could not be read completely, for the second reason.
    Unread(&'a str, &'a str),
    /// A file, by its path, in which the filter selects nothing because it lacks what the filter tests.
    Missing(&'a str, MissingFacts),
    /// Progress, and the statistics so far.
    Progress(ReadProgress, &'a CorpusStatistics),
}

impl IndexTotals {
    /// Adds a text file; its session, calls and failures only if no earlier file has them.
    pub(super) fn add(&mut self, row: &SessionRow, seen: &mut SeenSessions) {
        if row.error.as_deref() == Some(BINARY) {
            return;
        }
        self.files += 1;
        self.unread += usize::from(row.error.is_some());
        // A manually edited index can contain any number.
        let number = |number: i64| usize::try_from(number).unwrap_or(0);
        let own = |all: i64, copied: i64| number(all.saturating_sub(copied));
        self.copied_calls = self.copied_calls.saturating_add(number(row.copied_calls));
        self.calls = self.calls.saturating_add(own(row.calls, row.copied_calls));
        let failures = row.failed.saturating_add(row.rejected);
        self.failures = self.failures.saturating_add(own(failures, row.copied_failures));
        if row.container.is_some() && seen.is_new(row) {
            self.sessions += 1;
        }
    }
}
