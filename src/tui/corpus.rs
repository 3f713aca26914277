//! Statistics of many sessions: requests, and events of the thread that reads an index or the files themselves.

pub mod job;

use std::path::PathBuf;

use jiff::Timestamp;

use crate::corpus::counts::{CountGroup, Dimension};
use crate::corpus::places::{FoundPlaces, PlaceSource};
use crate::corpus::statistics::CorpusStatistics;
use crate::corpus::store::IndexTotals;
use crate::corpus::update::ReadProgress;

/// The sessions that statistics are about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CorpusPaths {
    /// Folders of sessions, as absolute paths. Their index is used if there is one.
    Folders(Vec<PathBuf>),
    /// The folder of an index.
    Index(PathBuf),
}

/// The scope of reading for statistics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CorpusReading {
    /// The index without updating it; the files if there is no index.
    Known,
    /// The files that changed since the index was updated; all of them if there is no index.
    Changed,
}

/// A request for statistics.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CorpusRequest {
    /// The number that events refer to.
    pub number: usize,
    /// The sessions to count.
    pub paths: CorpusPaths,
    /// The scope of reading.
    pub reading: CorpusReading,
}

/// An event of the thread that reads statistics.
#[derive(Debug)]
pub enum CorpusEvent {
    /// Progress of reading.
    Progress(ReadProgress),
    /// The statistics; preliminary ones while files are read.
    Statistics(Box<GroupedStatistics>),
    /// Everything was read, except the files that these messages are about, which are safe to show.
    Done(Vec<String>),
    /// Reading has failed for this reason.
    Failed(String),
}

/// The calls or problems that a row counts; `None` if the search was cancelled.
pub type PlacesOutcome = Result<Option<FoundPlaces>, String>;

/// Statistics for display.
#[derive(Debug)]
pub struct GroupedStatistics {
    /// The groups of each dimension in counting order; dimensions are in the order of [`Dimension::ALL`].
    pub groups: [Vec<CountGroup>; Dimension::ALL.len()],
    /// Totals of all calls and problems.
    pub totals: CountGroup,
    /// Numbers of files and sessions.
    pub files: IndexTotals,
    /// When the index was last updated; `None` without an index, or if it was never complete.
    pub updated_at: Option<Timestamp>,
    /// Where to find the counted calls and problems.
    pub source: PlaceSource,
}

impl GroupedStatistics {
    /// Groups the counts, which may take some 100 ms if there are many names.
    pub fn new(statistics: &CorpusStatistics, source: PlaceSource) -> Self {
        Self {
            groups: Dimension::ALL.map(|dimension| statistics.counts.groups(&[dimension])),
            totals: statistics.counts.totals(),
            files: statistics.totals,
            updated_at: statistics.updated_at,
            source,
        }
    }

    /// True if they come from an index.
    pub fn is_of_index(&self) -> bool {
        matches!(self.source, PlaceSource::Index(_))
    }
}
