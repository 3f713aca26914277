//! The comparison as a [`Screen`]: its two columns, and the lines around them.

use std::time::Duration;

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use crate::tui::action::Action;
use crate::tui::geometry::Area;
use crate::tui::list::ListScreen as _;
use crate::tui::message::{Effect, Msg, TabTitle};
use crate::tui::row::{Piece, Row, count, grouped};
use crate::tui::screen::Screen;
use crate::tui::screen::chrome::{Chrome, ChromeText, heading};
use crate::tui::screen::comparison::job::ComparedSide;
use crate::tui::screen::comparison::rows::totals;
use crate::tui::screen::comparison::{ComparisonScreen, update};
use crate::tui::style::Role;
use crate::tui::theme::Theme;
use crate::tui::widget::{bordered, selection_style, words_of};

/// Width of the left part of the title.
const TITLE: usize = 26;

impl Screen for ComparisonScreen {
    fn chrome(&self) -> &Chrome {
        &self.chrome
    }

    fn chrome_mut(&mut self) -> &mut Chrome {
        &mut self.chrome
    }

    fn handle(&mut self, msg: Msg) -> Option<Effect> {
        match msg {
            Msg::Action(action) => return update::act(self, action),
            Msg::Click(x, y) => update::click(self, x, y),
            Msg::Wheel(_, _, direction) => self.wheel(direction),
            Msg::Resize(..) => {
                self.made.clear();
                if std::mem::take(&mut self.is_new) {
                    self.fold_equal_turns();
                }
                self.reveal();
            }
            // These concern texts.
            _ => {}
        }
        None
    }

    fn prepare_content(&mut self, _: Duration) -> Option<Effect> {
        self.clamp_selection();
        None
    }

    fn chrome_text(&self) -> ChromeText {
        let room = usize::from(self.chrome.size.0).saturating_sub(TITLE);
        let [long, short] = [true, false].map(|in_words| totals(self, in_words));
        let right = format!("{} ", if long.len() <= room { long } else { short });
        ChromeText {
            title: [heading("comparison"), vec![Piece::new(right, Role::Text)]],
            hints: self.chrome.hints(&[
                (&[Action::Help], "help"),
                (&[Action::Quit], "quit"),
                (&[Action::Cancel], "close"),
                (&[Action::Problem(1), Action::Problem(-1)], "difference"),
                (&[Action::Toggle], "fold"),
                (&[Action::OnlyDifferences], if self.only_differences { "show all" } else { "show modified" }),
                (&[Action::FocusNext(1)], "switch side"),
                (&[Action::Visit], "go to call"),
            ]),
            place: place(self),
        }
    }

    fn draw_body(&self, buffer: &mut Buffer, theme: &Theme) {
        let columns = self.columns();
        for (side, area) in columns.into_iter().enumerate() {
            bordered(buffer, area, &[(title(&self.sides[side]), true)], side == self.side, theme);
        }
        let shown = self.shown();
        if shown.is_empty() && columns[0].inner().height > 0 {
            let row = Row::words(vec![Piece::new(" no calls on either side", Role::Dim)]);
            words_of(buffer, Area { height: 1, ..columns[0].inner() }, &row, Style::new(), theme);
        }
        for (index, at) in shown.into_iter().enumerate() {
            let lines = self.lines(at.unit);
            let Some(line) = lines.get(at.row) else { continue };
            for (side, area) in columns.into_iter().enumerate() {
                let inner = area.inner();
                let over = selection_style(at == self.list.at, side == self.side, theme);
                words_of(buffer, Area { y: inner.y + index as u16, height: 1, ..inner }, &line[side], over, theme);
            }
        }
    }

    fn title(&self) -> TabTitle {
        TabTitle { name: "comparison".into(), ..TabTitle::default() }
    }

    fn is_made_of_tabs(&self) -> bool {
        self.sides.iter().all(|side| side.tab.is_some())
    }
}

/// Title of a side: its name and its settings.
fn title(side: &ComparedSide) -> String {
    let piece = |words: &str| Piece::new(words, Role::Text).text;
    if side.settings.is_empty() {
        return format!(" {} ", piece(&side.name));
    }
    format!(" {} ── {} ", piece(&side.name), piece(&side.settings))
}

/// Position of the chosen difference.
fn place(screen: &ComparisonScreen) -> Vec<Piece> {
    let words = match screen.place_among_differences(screen.list.at.unit) {
        (_, 0) => " no differences ".to_owned(),
        (None, all) => format!(" {} ", count(all, "difference")),
        (Some(place), all) => format!(" difference {}/{} ", grouped(place), grouped(all)),
    };
    vec![Piece::new(words, Role::Status)]
}
