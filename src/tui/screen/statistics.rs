//! Statistics of many sessions: failure rates by tool, dialect, model, day, problem or container, and the calls behind a row.
//!
//! They come from another thread, and grow while files are read. The choice is a name and not a row, so that nothing
//! moves under it.

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
use crate::tui::keymap::Keys;
use crate::tui::list::{ListScreen, ListState, Room};
use crate::tui::screen::chrome::Chrome;
use crate::tui::style::Role;
use crate::tui::viewport::Units;
use list::PlaceList;
use table::GroupTable;

/// Files from which on it is said that an index is faster.
const MANY: usize = 500;

/// Rows of what is known of the chosen place, with the border.
const DETAILS: u16 = 5;

/// Statistics of many sessions, as a screen.
pub struct StatisticsScreen {
    /// The number of its tab.
    pub tab: usize,
    /// What the statistics are of.
    pub paths: CorpusPaths,
    /// The number of the list of sessions that it was opened from.
    pub list: Option<usize>,
    /// What is around the tables.
    pub chrome: Chrome,
    /// Files that were written since the index was brought up to date, where the list of sessions knows.
    pub written_since: usize,
    /// What they are of, in words.
    title: String,
    /// Says how old the index is.
    calendar: Calendar,
    phase: ReadingPhase,
    /// What is known, once something is.
    known: Option<Box<GroupedStatistics>>,
    /// What the calls are grouped by: an index into [`Dimension::ALL`].
    dimension: usize,
    tables: [GroupTable; Dimension::ALL.len()],
    /// What a name must hold.
    filter: String,
    /// The calls or problems behind a row, while they are shown.
    places: Option<PlaceList>,
}

/// How far reading has come.
enum ReadingPhase {
    /// Nobody has been asked to read.
    Unread,
    /// It goes on as long as this is kept.
    Reading {
        /// The number by which is told what comes of it.
        number: usize,
        /// What keeps the thread at work.
        guard: CancelGuard,
        /// How far it has come, once that is known.
        progress: Option<ReadProgress>,
    },
    /// All has been read.
    Done,
    /// The person has stopped it.
    Stopped,
    /// It came to nothing, for this reason.
    Failed(String),
}

impl StatisticsScreen {
    /// A screen for which nothing has been read; `list` is the number of the list of sessions that it is opened from.
    pub fn new(paths: CorpusPaths, title: String, list: Option<usize>, calendar: Calendar) -> Self {
        let tables = Dimension::ALL.map(GroupTable::new);
        Self {
            tab: 0,
            paths,
            list,
            chrome: Chrome::new(Keys::Corpus),
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

    /// Begins to read, with a number by which the answer is told.
    pub fn begin(&mut self, number: usize, reading: CorpusReading) -> CorpusRequest {
        self.phase = ReadingPhase::Reading { number, guard: CancelGuard::default(), progress: None };
        CorpusRequest { number, paths: self.paths.clone(), reading }
    }

    /// What tells that nobody waits any more for what is read with this number; nothing if that is so already.
    pub fn awaits(&self, number: usize) -> Option<impl Fn() -> bool + Send + use<>> {
        match &self.phase {
            ReadingPhase::Reading { number: asked, guard, .. } if *asked == number => Some(guard.is_cancelled()),
            _ => None,
        }
    }

    /// Takes in what is told of statistics that are waited for.
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
                    self.chrome.tell(words, Role::Warning);
                } else if self.known.as_ref().is_some_and(|known| !known.is_of_index() && known.files.files >= MANY) {
                    self.chrome.tell("read from the files; transcope index DIR -o OUT keeps them at hand", Role::Dim);
                }
            }
            CorpusEvent::Failed(words) => {
                self.chrome.tell(words.as_str(), Role::Error);
                self.phase = ReadingPhase::Failed(words);
            }
        }
    }

    /// When the index was brought up to date of which they are, if they are of one that is whole.
    pub fn updated_at(&self) -> Option<SystemTime> {
        self.known.as_ref().and_then(|known| known.updated_at).map(SystemTime::from)
    }

    /// Shows the list of what a query asks for, as soon as it is found with this number.
    pub fn begin_places(&mut self, number: usize, query: PlaceQuery) {
        self.places = Some(PlaceList::new(number, query));
    }

    /// Where the places that are found with this number are looked for, and what tells that nobody waits for them.
    pub fn places_wanted(&self, number: usize) -> Option<(PlaceSource, impl Fn() -> bool + Send + use<>)> {
        let list = self.places.as_ref().filter(|list| list.number == number)?;
        Some((self.known.as_ref()?.source.clone(), list.guard.is_cancelled()))
    }

    /// Takes in what was found; nothing is done if nobody waits for it any more.
    pub fn found(&mut self, number: usize, outcome: PlacesOutcome) {
        if let Some(list) = self.places.as_mut().filter(|list| list.number == number) {
            list.outcome = Some(outcome.map(Option::unwrap_or_default));
        }
    }

    /// Whether files are being read that no index keeps. What an index gets is read to the end, whoever waits for it.
    fn is_reading_files(&self) -> bool {
        let is_of_index = self.known.as_ref().is_some_and(|known| known.is_of_index());
        matches!(self.phase, ReadingPhase::Reading { .. }) && !is_of_index
    }

    /// What the calls are grouped by.
    fn dimension(&self) -> Dimension {
        Dimension::ALL[self.dimension]
    }

    fn table(&self) -> &GroupTable {
        &self.tables[self.dimension]
    }

    /// The groups of the table that is shown, of which its lines are some.
    fn groups(&self) -> &[CountGroup] {
        self.known.as_ref().map_or(&[], |known| &known.groups[self.dimension])
    }

    /// The group that is chosen.
    fn chosen(&self) -> Option<&CountGroup> {
        let table = self.table();
        self.groups().get(*table.rows.chosen()?)
    }

    /// Where the rows are, and below them what is known of the chosen place, where there is room; both with borders.
    fn areas(&self) -> (Area, Option<Area>) {
        if self.places.is_some() { self.chrome.list_and_details(DETAILS) } else { (self.chrome.body(), None) }
    }

    /// Rows in front of those that can be chosen: totals, dimensions and the names of columns.
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

    fn room(&self) -> Room {
        Room { height: usize::from(self.areas().0.inner().height).saturating_sub(self.head()), margin: 0 }
    }
}
