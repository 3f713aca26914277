//! Statistics of many sessions: what is asked for, and what the thread tells that reads an index or the files themselves.

pub mod job;

use std::path::PathBuf;

use jiff::Timestamp;

use crate::corpus::counts::{CountGroup, Dimension};
use crate::corpus::places::{FoundPlaces, PlaceSource};
use crate::corpus::statistics::CorpusStatistics;
use crate::corpus::store::IndexTotals;
use crate::corpus::update::ReadProgress;

/// What statistics are read of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CorpusPaths {
    /// Folders of sessions, by their absolute paths. An index of them is used where there is one.
    Folders(Vec<PathBuf>),
    /// The folder of an index.
    Index(PathBuf),
}

/// How much is read for statistics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CorpusReading {
    /// The index as it is; the files where there is none.
    Known,
    /// The files that are not in the index as they are now; all of them where there is no index.
    Changed,
}

/// Statistics that are asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CorpusRequest {
    /// The number by which the answer is told.
    pub number: usize,
    /// What the statistics are of.
    pub paths: CorpusPaths,
    /// How much is read for them.
    pub reading: CorpusReading,
}

/// What is told of statistics that were asked for.
#[derive(Debug)]
pub enum CorpusEvent {
    /// How far reading has come.
    Progress(ReadProgress),
    /// The statistics, or as long as files are read what is known of them.
    Statistics(Box<GroupedStatistics>),
    /// All was read, but for what these words are about, which are safe to show.
    Done(Vec<String>),
    /// There will be no more of it, for this reason.
    Failed(String),
}

/// What came of looking for the calls or problems that a row counts; nothing where nobody waits for it any more.
pub type PlacesOutcome = Result<Option<FoundPlaces>, String>;

/// Statistics as they are shown.
#[derive(Debug)]
pub struct GroupedStatistics {
    /// The groups of each dimension, in the order of [`Dimension::ALL`], in the order in which they were counted.
    pub groups: [Vec<CountGroup>; Dimension::ALL.len()],
    /// All calls and problems together.
    pub totals: CountGroup,
    /// How many files and sessions there are.
    pub files: IndexTotals,
    /// When the index was brought up to date last; none where there is none, or it was never whole.
    pub updated_at: Option<Timestamp>,
    /// Where the calls and problems are that are counted.
    pub source: PlaceSource,
}

impl GroupedStatistics {
    /// Groups what was counted, which may take some 100 ms where there are many names.
    pub fn new(statistics: &CorpusStatistics, source: PlaceSource) -> Self {
        Self {
            groups: Dimension::ALL.map(|dimension| statistics.counts.groups(&[dimension])),
            totals: statistics.counts.totals(),
            files: statistics.totals,
            updated_at: statistics.updated_at,
            source,
        }
    }

    /// Whether they are those of an index.
    pub fn is_of_index(&self) -> bool {
        matches!(self.source, PlaceSource::Index(_))
    }
}
