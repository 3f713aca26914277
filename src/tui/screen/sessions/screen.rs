//! A list of sessions as a screen among others: its lines in columns, what is known of the chosen one, and the lines around them.
//!
//! This module does not know what is in a row.

use std::time::Duration;

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use crate::tui::action::{Action, Motion, stepped};
use crate::tui::geometry::Area;
use crate::tui::message::{Effect, Msg, TabTitle};
use crate::tui::row::{Piece, Row, grouped};
use crate::tui::screen::Screen;
use crate::tui::screen::chrome::{Chrome, ChromeText, WHEEL, heading};
use crate::tui::screen::sessions::rows::{self, details, header, placeholder, totals};
use crate::tui::screen::sessions::{SessionsScreen, update};
use crate::tui::style::Role;
use crate::tui::theme::Theme;
use crate::tui::widget::{bordered, selection_style, words_of};

impl Screen for SessionsScreen {
    fn chrome(&self) -> &Chrome {
        &self.chrome
    }

    fn chrome_mut(&mut self) -> &mut Chrome {
        &mut self.chrome
    }

    fn take_in(&mut self, msg: Msg) -> Option<Effect> {
        update::settle(self);
        match msg {
            Msg::Action(action) => return update::act(self, action),
            Msg::Submit => update::submit(self),
            Msg::Click(x, y) => return update::click(self, x, y),
            Msg::Wheel(_, _, direction) => {
                let rows = WHEEL.min(self.height().max(1));
                self.top = stepped(self.top, direction, rows, self.lowest_top());
            }
            Msg::Resize(..) => update::reveal(self),
            // They are about texts.
            _ => {}
        }
        None
    }

    fn settle(&mut self, _: Duration) -> Option<Effect> {
        update::settle(self);
        None
    }

    fn chrome_text(&self) -> ChromeText {
        let mut left = heading(&self.title);
        if self.passed.is_none() {
            left.push(Piece::new(" ── ", Role::Border));
            left.push(Piece::new("looking …", Role::Pending));
        }
        let right = vec![Piece::new(format!("{} ", totals(self)), Role::Text)];
        let lines = self.lines.len();
        let place =
            if lines == 0 { String::new() } else { format!(" {}/{} ", grouped(self.cursor() + 1), grouped(lines)) };
        ChromeText { title: [left, right], hints: hints(self), place: vec![Piece::new(place, Role::Status)] }
    }

    fn draw_body(&self, buffer: &mut Buffer, theme: &Theme) {
        let (area, below) = self.areas();
        bordered(buffer, area, &[(format!(" Sessions, {} ", self.order.words()), true)], true, theme);
        list(buffer, area.inner(), self, theme);
        let Some(area) = below else { return };
        bordered(buffer, area, &[(" Selected ".into(), true)], false, theme);
        let inner = area.inner();
        let rows = details(self, usize::from(inner.width), usize::from(inner.height));
        for (row, y) in rows.iter().zip(inner.y..) {
            words_of(buffer, Area { y, height: 1, ..inner }, row, Style::new(), theme);
        }
    }

    fn title(&self) -> TabTitle {
        TabTitle { name: self.title.clone(), live: self.passed.is_none(), ..TabTitle::default() }
    }

    fn way_to_another_tab(&self) -> Option<&'static str> {
        Some("Enter opens a session")
    }
}

fn list(buffer: &mut Buffer, area: Area, screen: &SessionsScreen, theme: &Theme) {
    if area.height == 0 {
        return;
    }
    let line = Area { height: 1, ..area };
    let width = usize::from(area.width);
    if screen.lines.is_empty() {
        let words = Row::words(vec![Piece::new(format!(" {}", placeholder(screen)), Role::Dim)]);
        return words_of(buffer, line, &words, Style::new(), theme);
    }
    words_of(buffer, line, &header(width), Style::new(), theme);
    let chosen = screen.cursor();
    let shown = screen.lines.iter().enumerate().skip(screen.top);
    for ((index, at), y) in shown.zip(area.y + 1..area.y + area.height) {
        let row = rows::row(screen, *at, width);
        words_of(buffer, Area { y, ..line }, &row, selection_style(index == chosen, true, theme), theme);
    }
}

/// The keys that somebody needs most, behind the filter that holds.
fn hints(screen: &SessionsScreen) -> Vec<Piece> {
    let is_filtered = !screen.filter.is_empty() || screen.content_filter.is_some();
    let leave = if is_filtered { "show all" } else { "back" };
    let mut pieces = screen.chrome.hints(&[
        (&[Action::Help], "help"),
        (&[Action::Toggle], "open"),
        (&[Action::Search], "by name"),
        (&[Action::Filter], "filter"),
        (&[Action::Order], "sort"),
        (&[Action::CorpusStatistics], "statistics"),
        (&[Action::Cancel], leave),
        (&[Action::Quit], "quit"),
        (&[Action::Move(Motion::Line(1)), Action::Move(Motion::Line(-1))], "move"),
    ]);
    let by_name = (!screen.filter.is_empty()).then(|| format!("name \"{}\" ", screen.filter));
    let by_content = screen.content_filter.as_ref().map(|filter| format!("filter: {filter} "));
    for words in [by_content, by_name].into_iter().flatten() {
        pieces.splice(1..1, [Piece::new(words, Role::Match), Piece::new(" ", Role::Status)]);
    }
    pieces
}
