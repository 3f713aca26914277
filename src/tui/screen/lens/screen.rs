//! The lens as a [`Screen`]: its rows, and the lines around them.

use std::time::Duration;

use ratatui::buffer::Buffer;

use crate::tui::action::Action;
use crate::tui::geometry::Area;
use crate::tui::list::ListScreen as _;
use crate::tui::message::{ChosenRequest, Effect, Msg, Navigation, TabTitle};
use crate::tui::row::{Piece, count};
use crate::tui::screen::Screen;
use crate::tui::screen::chrome::{Chrome, ChromeText, heading};
use crate::tui::screen::lens::{LensScreen, request, update};
use crate::tui::style::Role;
use crate::tui::theme::Theme;
use crate::tui::widget::{bordered, selection_style, words_of};
use crate::wording::lens::dialects_of;

impl Screen for LensScreen {
    fn chrome(&self) -> &Chrome {
        &self.chrome
    }

    fn chrome_mut(&mut self) -> &mut Chrome {
        &mut self.chrome
    }

    fn handle(&mut self, msg: Msg) -> Option<Effect> {
        match msg {
            Msg::Action(action) => return update::act(self, action),
            Msg::Submit => return update::submit(self),
            Msg::Schema(schemas) => return Some(Effect::Go(Navigation::Lens(schemas))),
            Msg::RequestTemplate(template) => {
                let chosen = ChosenRequest { template: Some(*template), ..self.request.chosen.clone() };
                return Some(Effect::Go(Navigation::LensRequest(Box::new(chosen))));
            }
            Msg::Click(x, y) => return update::click(self, x, y),
            Msg::Wheel(_, _, direction) => self.wheel(direction),
            Msg::Resize(..) => {
                self.made.clear();
                self.reveal();
            }
            // These concern texts.
            _ => {}
        }
        None
    }

    fn prepare_content(&mut self, _: Duration) -> Option<Effect> {
        update::prepare(self);
        None
    }

    fn chrome_text(&self) -> ChromeText {
        let mut left = heading("lens");
        left.push(Piece::new(format!("  {} at {}", self.text.name, self.text.place), Role::Text));
        let all: &[(&[Action], &str)] = &[
            (&[Action::Help], "help"),
            (&[Action::Cancel], "close"),
            (&[Action::Toggle], "read as"),
            (&[Action::Problem(1)], "outcome"),
            (&[Action::Open], "see all"),
            (&[Action::Compare], "compare"),
            (&[Action::MarkReading], "mark"),
            (&[Action::RequestTools], "tools"),
            (&[Action::RequestSettings], "request"),
            (&[Action::Visit], "go to the text"),
        ];
        let without_outcome: &[(&[Action], &str)] = &[
            (&[Action::Help], "help"),
            (&[Action::Cancel], "close"),
            (&[Action::RequestTools], "tools"),
            (&[Action::RequestSettings], "request"),
        ];
        let open: &[(&[Action], &str)] = &[
            (&[Action::Close, Action::Open], "value"),
            (&[Action::Toggle], request::verb(self)),
            (&[Action::Cancel], "close"),
        ];
        let hints = match &self.settings {
            Some(_) => open,
            None if self.groups() > 0 => all,
            None => without_outcome,
        };
        let hints = self.chrome.hints(hints);
        ChromeText { title: [left, totals(self)], hints, place: place(self) }
    }

    fn draw_body(&self, buffer: &mut Buffer, theme: &Theme) {
        let area = self.area();
        let has_focus = self.settings.is_none();
        bordered(buffer, area, &[(title(self), true)], has_focus, theme);
        let inner = area.inner();
        for (index, at) in self.shown().into_iter().enumerate() {
            let lines = self.lines(at.unit);
            let Some(line) = lines.get(at.row) else { continue };
            let over = selection_style(at == self.list.at, has_focus, theme);
            words_of(buffer, Area { y: inner.y + index as u16, height: 1, ..inner }, &line.row, over, theme);
        }
        if let Some(list) = &self.settings {
            list.draw(buffer, area, request::TITLE, theme);
        }
    }

    fn title(&self) -> TabTitle {
        TabTitle { name: "lens".into(), live: self.is_pending, ..TabTitle::default() }
    }

    fn is_made_of_tabs(&self) -> bool {
        true
    }
}

/// The dialects whose parsers were queried.
fn title(screen: &LensScreen) -> String {
    match &screen.lens {
        Some(lens) if !lens.dialects.is_empty() => format!(" {} ", dialects_of(lens)),
        _ => " Lens ".to_owned(),
    }
}

/// The numbers of parsers and of outcomes.
fn totals(screen: &LensScreen) -> Vec<Piece> {
    let Some(lens) = screen.lens.as_ref().filter(|_| !screen.is_pending) else {
        return vec![Piece::new("asking … ", Role::Pending)];
    };
    let parsers = count(lens.rows.len(), "parser");
    let (words, role) = match lens.groups.len() {
        0 => return Vec::new(),
        1 if lens.rows.len() > 1 => (format!("all {parsers} agree "), Role::Good),
        1 => (format!("{parsers} "), Role::Text),
        outcomes => (format!("{}, {parsers} ", count(outcomes, "outcome")), Role::Warning),
    };
    vec![Piece::new(words, role)]
}

/// Position of the chosen outcome.
fn place(screen: &LensScreen) -> Vec<Piece> {
    let words = match screen.group_at(screen.list.at.unit) {
        Some(group) => format!(" outcome {}/{} ", group + 1, screen.groups()),
        None if screen.groups() > 0 => format!(" {} ", count(screen.groups(), "outcome")),
        None => String::new(),
    };
    vec![Piece::new(words, Role::Status)]
}
