//! Tabs with statistics of many sessions: opening them, and starting and delivering the work on other threads.

use std::time::SystemTime;

use crate::corpus::places::{PlaceQuery, PlaceSource};

use crate::tui::corpus::{CorpusEvent, CorpusPaths, CorpusReading, PlacesOutcome};
use crate::tui::message::Task;
use crate::tui::screen::sessions::SessionsScreen;
use crate::tui::screen::statistics::StatisticsScreen;
use crate::tui::tabs::text::ListTab;
use crate::tui::tabs::{NewTab, Tab, Tabs};

impl Tabs {
    /// Shows statistics for the current list, in its existing statistics tab or in a new one.
    pub(super) fn show_statistics(&mut self) {
        let Some(list) = self.all[self.shown].of_kind::<SessionsScreen>() else { return };
        let paths = CorpusPaths::Folders(list.paths.clone());
        let is_same = |tab: &Tab| tab.of_kind().is_some_and(|screen: &StatisticsScreen| screen.paths == paths);
        if let Some(index) = self.all.iter().position(is_same) {
            return self.show(index);
        }
        let screen = StatisticsScreen::new(paths, list.title.clone(), Some(list.number), list.calendar.clone());
        self.add(NewTab::Screen(Box::new(screen)));
    }

    /// Starts reading the statistics that are shown.
    pub(super) fn read_statistics(&mut self, reading: CorpusReading) -> Option<Task> {
        let number = self.number();
        let screen: &mut StatisticsScreen = self.all[self.shown].of_kind_mut()?;
        Some(Task::ReadStatistics(Box::new(screen.begin(number, reading))))
    }

    /// Starts searching for the calls or problems that a row of the statistics counts.
    pub(super) fn find_places(&mut self, query: PlaceQuery) -> Option<Task> {
        let number = self.number();
        let screen: &mut StatisticsScreen = self.all[self.shown].of_kind_mut()?;
        screen.begin_places(number, query.clone());
        Some(Task::FindPlaces(number, query))
    }

    /// A check for whether a reading of statistics was cancelled; `None` if no screen waits for it any more.
    pub fn awaits_statistics(&self, number: usize) -> Option<impl Fn() -> bool + Send + use<>> {
        self.statistics().find_map(|screen| screen.awaits(number))
    }

    /// Delivers an event of a reading of statistics; ignored if no screen waits for it any more.
    pub fn statistics_told(&mut self, number: usize, event: CorpusEvent) {
        let Some(screen) = self.statistics_mut().find(|screen| screen.awaits(number).is_some()) else { return };
        screen.take(event);
        self.note_written_since();
    }

    /// Where to search for places, and a check for whether the search was cancelled; `None` if no screen waits for it
    /// any more.
    pub fn places_wanted(&self, number: usize) -> Option<(PlaceSource, impl Fn() -> bool + Send + use<>)> {
        self.statistics().find_map(|screen| screen.places_wanted(number))
    }

    /// Delivers the places that were found.
    pub fn places_found(&mut self, number: usize, outcome: PlacesOutcome) {
        if let Some(screen) = self.statistics_mut().find(|screen| screen.places_wanted(number).is_some()) {
            screen.found(number, outcome);
        }
    }

    /// The list from which the current statistics were opened.
    pub(super) fn list_of_statistics(&self) -> Option<usize> {
        let screen: &StatisticsScreen = self.all[self.shown].of_kind()?;
        let list = ListTab::Sessions(screen.list?);
        self.all.iter().position(|tab| tab.list() == Some(list))
    }

    /// Updates the number of files written after the index of each statistics tab, if their list knows it.
    pub(super) fn note_written_since(&mut self) {
        let counted = |screen: &StatisticsScreen| {
            let updated_at: SystemTime = screen.updated_at()?;
            let mut lists = self.all.iter().filter_map(Tab::of_kind);
            let list = lists.find(|list: &&SessionsScreen| Some(list.number) == screen.list)?;
            Some(list.written_since(updated_at))
        };
        let counts: Vec<usize> = self.statistics().map(|screen| counted(screen).unwrap_or_default()).collect();
        for (screen, count) in self.statistics_mut().zip(counts) {
            screen.written_since = count;
        }
    }

    fn statistics(&self) -> impl Iterator<Item = &StatisticsScreen> {
        self.all.iter().filter_map(Tab::of_kind)
    }

    fn statistics_mut(&mut self) -> impl Iterator<Item = &mut StatisticsScreen> {
        self.all.iter_mut().filter_map(Tab::of_kind_mut)
    }
}
