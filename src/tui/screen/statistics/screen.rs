//! The statistics as a [`Screen`]: a table or a list of places, and the lines around it.

use std::time::Duration;

use ratatui::buffer::Buffer;

use crate::tui::action::Action;
use crate::tui::geometry::Area;
use crate::tui::list::ListScreen as _;
use crate::tui::message::{Effect, Msg, TabTitle};
use crate::tui::row::{Piece, count, cut_in_front, grouped};
use crate::tui::screen::Screen;
use crate::tui::screen::chrome::{Chrome, ChromeText, heading};
use crate::tui::screen::statistics::list::PlaceList;
use crate::tui::screen::statistics::{ReadingPhase, StatisticsScreen, rows, update};
use crate::tui::style::Role;
use crate::tui::theme::Theme;
use crate::tui::widget::{RowWriter, bordered};

impl Screen for StatisticsScreen {
    fn chrome(&self) -> &Chrome {
        &self.chrome
    }

    fn chrome_mut(&mut self) -> &mut Chrome {
        &mut self.chrome
    }

    fn handle(&mut self, msg: Msg) -> Option<Effect> {
        update::prepare(self);
        match msg {
            Msg::Action(action) => return update::act(self, action),
            Msg::Submit => self.chrome.prompt = None,
            Msg::Click(x, y) => return update::click(self, x, y),
            Msg::Wheel(_, _, direction) => self.wheel(direction),
            Msg::Resize(..) => self.reveal(),
            // These concern texts.
            _ => {}
        }
        None
    }

    fn prepare_content(&mut self, _: Duration) -> Option<Effect> {
        update::prepare(self);
        update::begin(self)
    }

    fn chrome_text(&self) -> ChromeText {
        let mut left = heading("statistics of ");
        left.push(Piece::new(&self.title, Role::Strong));
        left.extend(age(self));
        ChromeText { title: [left, progress(self)], hints: hints(self), place: place(self) }
    }

    fn draw_body(&self, buffer: &mut Buffer, theme: &Theme) {
        let (area, below) = self.areas();
        match &self.places {
            Some(list) => draw_list(buffer, self, list, (area, below), theme),
            None => draw_table(buffer, self, area, theme),
        }
    }

    fn title(&self) -> TabTitle {
        let live = matches!(self.phase, ReadingPhase::Reading { .. });
        TabTitle { name: "statistics".into(), live, ..TabTitle::default() }
    }

    fn way_to_another_tab(&self) -> Option<&'static str> {
        Some("Enter opens a session")
    }
}

fn draw_table(buffer: &mut Buffer, screen: &StatisticsScreen, area: Area, theme: &Theme) {
    let inner = area.inner();
    let width = usize::from(inner.width);
    let mut titles = vec![(format!(" Statistics, {} ", screen.table().order().words()), true)];
    if let Some(name) = rows::cut_name(screen, width) {
        titles.push((format!(" {} ", Piece::new(name, Role::Text).text), false));
    }
    bordered(buffer, area, &titles, true, theme);
    let mut lines = RowWriter::new(buffer, inner, theme);
    lines.put(&rows::totals(screen));
    lines.put(&rows::dimensions(screen));
    let table = screen.table();
    if table.rows.lines.is_empty() {
        return lines.put_wrapped(&rows::placeholder(screen));
    }
    let scale = rows::scale(screen);
    lines.put(&rows::header(screen, scale, width));
    let groups = screen.groups();
    for at in screen.shown() {
        let Some(group) = groups.get(table.rows.lines[at.row]) else { continue };
        lines.put_selectable(&rows::row(screen, group, scale, width), at == table.rows.list.at);
    }
}

fn draw_list(
    buffer: &mut Buffer,
    screen: &StatisticsScreen,
    list: &PlaceList,
    (area, below): (Area, Option<Area>),
    theme: &Theme,
) {
    let inner = area.inner();
    let width = usize::from(inner.width);
    let more = list.more().map_or_else(String::new, |more| format!(", {more}"));
    let title = format!(" {}{more} ", capitalised(&list.title()));
    bordered(buffer, area, &[(title, true)], true, theme);
    let mut lines = RowWriter::new(buffer, inner, theme);
    if list.places().is_empty() {
        lines.put_wrapped(&list.placeholder());
    } else {
        lines.put(&list.header(width));
    }
    for at in screen.shown() {
        let row = list.row(&list.places()[at.row], &screen.calendar, width);
        lines.put_selectable(&row, at == list.list.at);
    }
    let Some(area) = below else { return };
    bordered(buffer, area, &[(" Selected ".into(), true)], false, theme);
    let inner = area.inner();
    let mut lines = RowWriter::new(buffer, inner, theme);
    for row in list.details(&screen.calendar, usize::from(inner.width), usize::from(inner.height)) {
        lines.put(&row);
    }
}

/// Converts the first letter to upper case.
fn capitalised(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Age of the index.
fn age(screen: &StatisticsScreen) -> Vec<Piece> {
    if !screen.known.as_ref().is_some_and(|known| known.is_of_index()) {
        return Vec::new();
    }
    let since = screen.written_since;
    let (words, role) = match screen.updated_at().map(|at| screen.calendar.age(at)) {
        None => ("index that is not complete; r completes it".to_owned(), Role::Warning),
        Some(age) if age == "now" => ("index made just now".to_owned(), Role::Dim),
        Some(age) if since > 0 => {
            (format!("index of {age} ago, {} since; r reads them", count(since, "file")), Role::Warning)
        }
        Some(age) => (format!("index of {age} ago"), Role::Dim),
    };
    vec![Piece::new(" ── ", Role::Border), Piece::new(words, role)]
}

/// Progress of reading.
fn progress(screen: &StatisticsScreen) -> Vec<Piece> {
    let (words, role) = match &screen.phase {
        ReadingPhase::Reading { progress: Some(progress), .. } if progress.files.1 > 0 => {
            let (read, all) = progress.files;
            let (bytes, total) = progress.bytes;
            let percent = if total > 0 { u128::from(bytes) * 100 / u128::from(total) } else { 0 };
            (format!("reading {}/{} files, {percent}% ", grouped(read), grouped(all)), Role::Pending)
        }
        ReadingPhase::Unread | ReadingPhase::Reading { .. } => ("reading … ".to_owned(), Role::Pending),
        ReadingPhase::Stopped => ("stopped ".to_owned(), Role::Warning),
        ReadingPhase::Failed(_) => ("failed ".to_owned(), Role::Error),
        ReadingPhase::Done => return Vec::new(),
    };
    vec![Piece::new(words, role)]
}

/// Position of the chosen row.
fn place(screen: &StatisticsScreen) -> Vec<Piece> {
    let table = screen.table();
    let words = match (&screen.places, table.rows.lines.len()) {
        (Some(list), _) => list.place_words(),
        (None, 0) => String::new(),
        (None, lines) => format!(" {}/{} ", grouped(table.rows.list.at.row + 1), grouped(lines)),
    };
    vec![Piece::new(words, Role::Status)]
}

/// The most important keys, after the filter in use.
fn hints(screen: &StatisticsScreen) -> Vec<Piece> {
    let leave = match () {
        () if screen.places.is_some() => "back",
        () if !screen.filter.is_empty() => "show all",
        () if screen.is_reading_files() => "stop",
        () => "back",
    };
    if screen.places.is_some() {
        return screen.chrome.hints(&[
            (&[Action::Help], "help"),
            (&[Action::Toggle], "open the session here"),
            (&[Action::Cancel], leave),
            (&[Action::Quit], "quit"),
        ]);
    }
    let mut pieces = screen.chrome.hints(&[
        (&[Action::Help], "help"),
        (&[Action::Toggle], "list calls"),
        (&[Action::FocusNext(1)], "group by"),
        (&[Action::Order], "sort"),
        (&[Action::Search], "by name"),
        (&[Action::ReadAgain], "read again"),
        (&[Action::Cancel], leave),
        (&[Action::Quit], "quit"),
    ]);
    if !screen.filter.is_empty() {
        let words = cut_in_front(&screen.filter, 20);
        pieces.splice(1..1, [Piece::new(format!("name \"{words}\" "), Role::Match), Piece::new(" ", Role::Status)]);
    }
    pieces
}
