//! Statistics of many sessions: failure rates by tool, dialect, model, day, problem or container, and the calls that a
//! row counts.
//!
//! They are computed on another thread and grow while files are read. The choice is a name instead of a row, so that it
//! stays when rows move.

mod list;
mod rows;
mod screen;
mod table;
mod update;

use std::ops::Range;
use std::time::SystemTime;

use crate::corpus::counts::{CountGroup, Dimension};
use crate::corpus::places::{PlaceQuery, PlaceSource};
use crate::corpus::update::ReadProgress;

use crate::tui::age::Calendar;
use crate::tui::cancel_guard::CancelGuard;
use crate::tui::corpus::{CorpusEvent, CorpusPaths, CorpusReading, CorpusRequest, GroupedStatistics, PlacesOutcome};
use crate::tui::geometry::Area;
use crate::tui::keymap::ScreenId;
use crate::tui::list::{ListScreen, ListState, VisibleRows};
use crate::tui::screen::chrome::Chrome;
use crate::tui::style::Role;
use crate::tui::viewport::Units;
use list::PlaceList;
use table::GroupTable;

/// Number of files from which the screen recommends an index.
const MANY: usize = 500;

/// Rows of the details of the chosen place, including the border.
const DETAILS: u16 = 5;

/// The statistics screen.
pub struct StatisticsScreen {
    /// Id of its tab.
    pub tab: usize,
    /// The folders or the index to read.
    pub paths: CorpusPaths,
    /// Number of the list of sessions from which it was opened.
    pub list: Option<usize>,
    /// The chrome around the tables.
    pub chrome: Chrome,
    /// Number of files written since the index was updated, if the list of sessions knows it.
    pub written_since: usize,
    /// Description of the paths, for the title.
    title: String,
    /// Clock for the age of the index.
    calendar: Calendar,
    phase: ReadingPhase,
    /// The latest statistics.
    known: Option<Box<GroupedStatistics>>,
    /// The current dimension, as an index into [`Dimension::ALL`].
    dimension: usize,
    tables: [GroupTable; Dimension::ALL.len()],
    /// Text that a name must contain.
    filter: String,
    /// The list of calls or problems of a row, while it is shown.
    places: Option<PlaceList>,
}

/// State of reading.
enum ReadingPhase {
    /// Not requested yet.
    Unread,
    /// Being read; dropping this cancels it.
    Reading {
        /// Number of the request; events refer to it.
        number: usize,
        /// Cancels the work when it is dropped.
        guard: CancelGuard,
        /// Progress, once known.
        progress: Option<ReadProgress>,
    },
    /// Complete.
    Done,
    /// Stopped by the user.
    Stopped,
    /// Failed for this reason.
    Failed(String),
}

impl StatisticsScreen {
    /// A screen before reading; `list` is the number of the list of sessions from which it is opened.
    pub fn new(paths: CorpusPaths, title: String, list: Option<usize>, calendar: Calendar) -> Self {
        let tables = Dimension::ALL.map(GroupTable::new);
        Self {
            tab: 0,
            paths,
            list,
            chrome: Chrome::new(ScreenId::Corpus),
            written_since: 0,
            title,
            calendar,
            phase: ReadingPhase::Unread,
            known: None,
            dimension: 0,
            tables,
            filter: String::new(),
            places: None,
        }
    }

    /// Starts a reading; its events will refer to `number`.
    pub fn begin(&mut self, number: usize, reading: CorpusReading) -> CorpusRequest {
        self.phase = ReadingPhase::Reading { number, guard: CancelGuard::default(), progress: None };
        CorpusRequest { number, paths: self.paths.clone(), reading }
    }

    /// A check for whether the reading with this number was cancelled; `None` if it is no longer the current one.
    pub fn awaits(&self, number: usize) -> Option<impl Fn() -> bool + Send + use<>> {
        match &self.phase {
            ReadingPhase::Reading { number: asked, guard, .. } if *asked == number => Some(guard.is_cancelled()),
            _ => None,
        }
    }

    /// Handles an event of the current reading.
    pub fn take(&mut self, event: CorpusEvent) {
        match event {
            CorpusEvent::Progress(reached) => {
                if let ReadingPhase::Reading { progress, .. } = &mut self.phase {
                    *progress = Some(reached);
                }
            }
            CorpusEvent::Statistics(statistics) => {
                self.known = Some(statistics);
                self.tables.iter_mut().for_each(GroupTable::refresh);
            }
            CorpusEvent::Done(unread) => {
                self.phase = ReadingPhase::Done;
                if let Some(first) = unread.first() {
                    let words = match unread.len() {
                        1 => format!("could not read {first}"),
                        several => format!("{several} could not be read, first {first}"),
                    };
                    self.chrome.show_message(words, Role::Warning);
                } else if self.known.as_ref().is_some_and(|known| !known.is_of_index() && known.files.files >= MANY) {
                    self.chrome
                        .show_message("read from the files; transcope index DIR -o OUT keeps them at hand", Role::Dim);
                }
            }
            CorpusEvent::Failed(words) => {
                self.chrome.show_message(words.as_str(), Role::Error);
                self.phase = ReadingPhase::Failed(words);
            }
        }
    }

    /// Time of the index's last update, if the statistics come from a complete one.
    pub fn updated_at(&self) -> Option<SystemTime> {
        self.known.as_ref().and_then(|known| known.updated_at).map(SystemTime::from)
    }

    /// Shows the list for a query; its result will refer to `number`.
    pub fn begin_places(&mut self, number: usize, query: PlaceQuery) {
        self.places = Some(PlaceList::new(number, query));
    }

    /// Where to search for the places with this number, and a check for whether that was cancelled.
    pub fn places_wanted(&self, number: usize) -> Option<(PlaceSource, impl Fn() -> bool + Send + use<>)> {
        let list = self.places.as_ref().filter(|list| list.number == number)?;
        Some((self.known.as_ref()?.source.clone(), list.guard.is_cancelled()))
    }

    /// Shows the places that were found; ignored if the list with this number is no longer shown.
    pub fn found(&mut self, number: usize, outcome: PlacesOutcome) {
        if let Some(list) = self.places.as_mut().filter(|list| list.number == number) {
            list.outcome = Some(outcome.map(Option::unwrap_or_default));
        }
    }

    /// True if files are being read without an index. Reading into an index always continues to the end.
    fn is_reading_files(&self) -> bool {
        let is_of_index = self.known.as_ref().is_some_and(|known| known.is_of_index());
        matches!(self.phase, ReadingPhase::Reading { .. }) && !is_of_index
    }

    /// The current dimension.
    fn dimension(&self) -> Dimension {
        Dimension::ALL[self.dimension]
    }

    fn table(&self) -> &GroupTable {
        &self.tables[self.dimension]
    }

    /// All groups of the current dimension.
    fn groups(&self) -> &[CountGroup] {
        self.known.as_ref().map_or(&[], |known| &known.groups[self.dimension])
    }

    fn chosen(&self) -> Option<&CountGroup> {
        let table = self.table();
        self.groups().get(*table.rows.chosen()?)
    }

    /// The areas of the rows and, if there is room, of the details below them, both including borders.
    fn areas(&self) -> (Area, Option<Area>) {
        if self.places.is_some() { self.chrome.list_and_details(DETAILS) } else { (self.chrome.body(), None) }
    }

    /// Number of fixed rows above the list: totals, dimensions and header.
    fn head(&self) -> usize {
        if self.places.is_some() { 1 } else { 3 }
    }
}

impl Units for StatisticsScreen {
    fn numbers(&self) -> Range<usize> {
        0..1
    }

    fn height(&self, _: usize, _: usize) -> usize {
        self.places.as_ref().map_or(self.table().rows.lines.len(), |list| list.places().len())
    }
}

impl ListScreen for StatisticsScreen {
    fn list(&self) -> ListState {
        self.places.as_ref().map_or(self.table().rows.list, |list| list.list)
    }

    fn set_list(&mut self, list: ListState) {
        match &mut self.places {
            Some(places) => places.list = list,
            None => self.tables[self.dimension].rows.list = list,
        }
    }

    fn room(&self) -> VisibleRows {
        VisibleRows { height: usize::from(self.areas().0.inner().height).saturating_sub(self.head()), margin: 0 }
    }
}
