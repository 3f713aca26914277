//! The list of sessions as a [`Screen`]: its lines in columns, details of the chosen one, and the lines around them.

use std::time::Duration;

use ratatui::buffer::Buffer;

use crate::tui::action::{Action, Motion};
use crate::tui::geometry::Area;
use crate::tui::list::ListScreen as _;
use crate::tui::message::{Effect, Msg, TabTitle};
use crate::tui::row::{Piece, grouped};
use crate::tui::screen::Screen;
use crate::tui::screen::chrome::{Chrome, ChromeText, heading};
use crate::tui::screen::sessions::rows::{self, details, header, placeholder, totals};
use crate::tui::screen::sessions::{SessionsScreen, changes, update};
use crate::tui::style::Role;
use crate::tui::theme::Theme;
use crate::tui::widget::{RowWriter, bordered};

impl Screen for SessionsScreen {
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
            Msg::Submit => update::submit(self),
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
        None
    }

    fn next_frame(&self, now: Duration) -> Option<Duration> {
        let mut files = self.shown().into_iter().filter_map(|at| self.rows.lines[at.row].file());
        files.any(|number| changes::activity(self, number, usize::MAX).is_some()).then(|| now + Duration::from_secs(1))
    }

    fn chrome_text(&self) -> ChromeText {
        let mut left = heading(&self.title);
        if self.passed.is_none() {
            left.push(Piece::new(" ── ", Role::Border));
            left.push(Piece::new("looking …", Role::Pending));
        }
        let right = vec![Piece::new(format!("{} ", totals(self)), Role::Text)];
        let lines = self.rows.lines.len();
        let place = if lines == 0 {
            String::new()
        } else {
            format!(" {}/{} ", grouped(self.rows.list.at.row + 1), grouped(lines))
        };
        ChromeText { title: [left, right], hints: hints(self), place: vec![Piece::new(place, Role::Status)] }
    }

    fn draw_body(&self, buffer: &mut Buffer, theme: &Theme) {
        let (area, below) = self.areas();
        bordered(buffer, area, &[(format!(" Sessions, {} ", self.order_words()), true)], true, theme);
        list(buffer, area.inner(), self, theme);
        let Some(area) = below else { return };
        bordered(buffer, area, &[(" Selected ".into(), true)], false, theme);
        let inner = area.inner();
        let mut writer = RowWriter::new(buffer, inner, theme);
        let rows = details(self, usize::from(inner.width), usize::from(inner.height));
        for row in &rows {
            writer.put(row);
        }
    }

    fn title(&self) -> TabTitle {
        TabTitle { name: self.title.clone(), live: self.passed.is_none(), ..TabTitle::default() }
    }

    fn filter_by(&mut self, filter: &str) {
        self.content_filter = Some(filter.to_owned());
    }

    fn way_to_another_tab(&self) -> Option<&'static str> {
        Some("Enter opens a session")
    }
}

fn list(buffer: &mut Buffer, area: Area, screen: &SessionsScreen, theme: &Theme) {
    let mut writer = RowWriter::new(buffer, area, theme);
    if screen.rows.lines.is_empty() {
        return writer.put_wrapped(&Piece::new(placeholder(screen), Role::Dim));
    }
    let width = usize::from(area.width);
    writer.put(&header(screen, width));
    for at in screen.shown() {
        writer.put_selectable(&rows::row(screen, screen.rows.lines[at.row], width), at == screen.rows.list.at);
    }
}

/// The most important keys, after the filter in use.
fn hints(screen: &SessionsScreen) -> Vec<Piece> {
    let leave = if screen.is_filtered() { "show all" } else { "back" };
    let mut pieces = screen.chrome.hints(&[
        (&[Action::Help], "help"),
        (&[Action::Toggle], "open"),
        (&[Action::Search], "find"),
        (&[Action::SearchText], "grep"),
        (&[Action::Filter], "filter"),
        (&[Action::Order], "sort"),
        (&[Action::FocusNext(1)], "group"),
        (&[Action::CopyResume], "copy resume"),
        (&[Action::CorpusStatistics], "statistics"),
        (&[Action::Cancel], leave),
        (&[Action::Quit], "quit"),
        (&[Action::Move(Motion::Line(1)), Action::Move(Motion::Line(-1))], "move"),
    ]);
    let by_name = (!screen.filter.is_empty()).then(|| format!("name \"{}\" ", screen.filter));
    let by_content = screen.content_filter.as_ref().map(|filter| format!("filter: {filter} "));
    let by_text = screen.search.as_ref().map(|search| format!("text: {} ", search.pattern));
    for words in [by_content, by_text, by_name].into_iter().flatten() {
        pieces.splice(1..1, [Piece::new(words, Role::Match), Piece::new(" ", Role::Status)]);
    }
    pieces
}
