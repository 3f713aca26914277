//! Actions on the statistics: moving the choice, changing the table, listing the calls counted by a row.

use crate::corpus::counts::{Dimension, OTHER};
use crate::corpus::path_text::path_of;
use crate::corpus::places::PlaceQuery;
use crate::location::Location;

use crate::tui::action::{Action, next_in_ring};
use crate::tui::corpus::CorpusReading;
use crate::tui::list::ListScreen as _;
use crate::tui::message::{Effect, Navigation};
use crate::tui::prompt::PromptKind;
use crate::tui::screen::statistics::table::GroupTable;
use crate::tui::screen::statistics::{ReadingPhase, StatisticsScreen, rows};
use crate::tui::style::Role;

/// Requests the statistics if that has not been done.
pub(super) fn begin(screen: &StatisticsScreen) -> Option<Effect> {
    let is_unread = matches!(screen.phase, ReadingPhase::Unread);
    is_unread.then_some(Effect::Go(Navigation::ReadStatistics(CorpusReading::Known)))
}

/// Before a frame and a key: updates the lines, keeping the choice.
pub(super) fn prepare(screen: &mut StatisticsScreen) {
    if let Some(prompt) = screen.chrome.prompt.as_ref().filter(|prompt| prompt.kind == PromptKind::Filter) {
        let filter = prompt.input.value().trim().to_owned();
        filter_by(screen, filter);
    }
    let height = screen.room().height;
    let groups = screen.known.as_ref().map_or(&[][..], |known| &known.groups[screen.dimension]);
    screen.tables[screen.dimension].update_lines(groups, &screen.filter, height);
}

pub(super) fn act(screen: &mut StatisticsScreen, action: Action) -> Option<Effect> {
    match action {
        Action::Move(motion) => {
            screen.go(motion);
            keep_choice(screen);
        }
        Action::Toggle => return open(screen),
        Action::Open if screen.places.is_some() => return open(screen),
        Action::Close if screen.places.take().is_some() => {}
        Action::Open | Action::FocusNext(1) => turn(screen, 1),
        Action::Close | Action::FocusNext(_) => turn(screen, -1),
        Action::FocusNumber(number) if (1..=Dimension::ALL.len()).contains(&number) => show(screen, number - 1),
        // The list of places has one order, and no names to search.
        Action::Order | Action::Search if screen.places.is_some() => {}
        Action::Order => {
            let table = &mut screen.tables[screen.dimension];
            table.next_order();
            let words = table.order().words();
            screen.chrome.show_message(words, Role::Dim);
        }
        Action::Search => screen.chrome.ask(PromptKind::Filter, &screen.filter),
        Action::ReadAgain if matches!(screen.phase, ReadingPhase::Reading { .. }) => {
            return screen.chrome.refuse("the files are being read");
        }
        Action::ReadAgain => return Some(Effect::Go(Navigation::ReadStatistics(CorpusReading::Changed))),
        Action::Cancel => return cancel(screen),
        action => return Some(Effect::Go(Navigation::Action(action))),
    }
    None
}

fn filter_by(screen: &mut StatisticsScreen, filter: String) {
    if filter != screen.filter {
        screen.filter = filter;
        screen.tables.iter_mut().for_each(GroupTable::refresh);
    }
}

/// Cancels one thing at a time, innermost first, and finally leaves the statistics.
fn cancel(screen: &mut StatisticsScreen) -> Option<Effect> {
    if let Some(prompt) = screen.chrome.prompt.take() {
        if prompt.kind == PromptKind::Filter {
            filter_by(screen, String::new());
        }
    } else if screen.places.take().is_some() {
        // Dropping the list shows the unchanged table again.
    } else if !screen.filter.is_empty() {
        filter_by(screen, String::new());
    } else if screen.is_reading_files() {
        screen.phase = ReadingPhase::Stopped;
        screen.chrome.show_message("stopped; r reads again", Role::Dim);
    } else {
        return Some(Effect::Go(Navigation::Before));
    }
    None
}

/// Shows the next (1) or previous (-1) dimension.
fn turn(screen: &mut StatisticsScreen, direction: i8) {
    show(screen, next_in_ring(screen.dimension, direction, Dimension::ALL.len()));
}

/// Shows the dimension with this index.
fn show(screen: &mut StatisticsScreen, dimension: usize) {
    screen.places = None;
    screen.dimension = dimension;
}

/// Keeps the choice while more is read.
fn keep_choice(screen: &mut StatisticsScreen) {
    if let Some(known) = screen.known.as_ref().filter(|_| screen.places.is_none()) {
        screen.tables[screen.dimension].keep_choice(&known.groups[screen.dimension]);
    }
}

/// Lists the calls or problems counted by the chosen row; in a list, opens the chosen file at its place.
fn open(screen: &mut StatisticsScreen) -> Option<Effect> {
    if let Some(list) = &screen.places {
        let place = list.chosen()?;
        return Some(Effect::Go(Navigation::OpenAt(path_of(&place.file), Location::Byte(place.byte))));
    }
    let value = screen.chosen()?.key.first().cloned().flatten();
    keep_choice(screen);
    if value.as_deref() == Some(OTHER) {
        return screen.chrome.refuse("too many names: the rest is counted together");
    }
    let dimension = screen.dimension();
    Some(Effect::Go(Navigation::Places(PlaceQuery { dimension, value })))
}

pub(super) fn click(screen: &mut StatisticsScreen, x: u16, y: u16) -> Option<Effect> {
    let inner = screen.areas().0.inner();
    if !inner.contains(x, y) {
        return None;
    }
    let (row, column) = (usize::from(y - inner.y), usize::from(x - inner.x));
    if screen.places.is_none() && row == 1 {
        let clicked = rows::dimension_columns().iter().position(|columns| columns.contains(&column))?;
        show(screen, clicked);
        return None;
    }
    let at = screen.row_at(inner, screen.head(), x, y)?;
    if at == screen.list().at {
        return open(screen);
    }
    screen.choose(at);
    keep_choice(screen);
    None
}
