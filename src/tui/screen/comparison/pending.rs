//! What is shown in the place of a comparison until it is made.

use std::ops::ControlFlow;
use std::time::Duration;

use ratatui::Frame;
use ratatui::style::Style;

use crate::tui::action::Action;
use crate::tui::geometry::Area;
use crate::tui::input::InputMode;
use crate::tui::interest::Interest;
use crate::tui::keymap::COMPARISON_KEYS;
use crate::tui::message::{Effect, Msg, Navigation, TabTitle};
use crate::tui::row::{Piece, Row};
use crate::tui::screen::Screen;
use crate::tui::screen::chrome::{Chrome, ChromeText};
use crate::tui::screen::comparison::title;
use crate::tui::style::Role;
use crate::tui::theme::Theme;
use crate::tui::widget::words_of;

/// A comparison that is being made. It is given up with this.
pub struct PendingComparison {
    /// The number by which its result is told.
    pub number: usize,
    /// What keeps the thread at work.
    pub interest: Interest,
    chrome: Chrome,
    names: [String; 2],
    failure: Option<String>,
}

impl PendingComparison {
    /// A comparison of two texts with these names.
    pub fn new(number: usize, names: [String; 2]) -> Self {
        Self { number, interest: Interest::default(), chrome: Chrome::new(&COMPARISON_KEYS), names, failure: None }
    }

    /// Says why there will be no comparison.
    pub fn fail(&mut self, words: String) {
        self.failure = Some(words);
    }
}

impl Screen for PendingComparison {
    fn input_mode(&self) -> InputMode {
        self.chrome.input_mode()
    }

    fn update(&mut self, msg: Msg) -> Option<Effect> {
        match self.chrome.update(msg) {
            ControlFlow::Break(effect) => effect,
            ControlFlow::Continue(Msg::Action(Action::Cancel)) => Some(Navigation::Before.into()),
            ControlFlow::Continue(_) => None,
        }
    }

    fn prepare(&mut self, tab_bar: Vec<TabTitle>, _: Duration) -> Option<Effect> {
        self.chrome.tab_bar = tab_bar;
        None
    }

    fn draw(&self, frame: &mut Frame, theme: &Theme) {
        let hints = self.chrome.hints(&[
            (&[Action::Help], "help"),
            (&[Action::Quit], "quit"),
            (&[Action::Cancel], if self.failure.is_some() { "close" } else { "give up" }),
        ]);
        let text = ChromeText { title: [title(), Vec::new()], hints, place: Vec::new() };
        self.chrome.draw(frame, &text, theme, |buffer, body| {
            let [left, right] = &self.names;
            let piece = match &self.failure {
                Some(words) => Piece::new(format!(" {words}"), Role::Error),
                None => Piece::new(format!(" comparing {left} with {right} …"), Role::Pending),
            };
            let area = Area { height: body.height.min(1), ..body };
            words_of(buffer, area, &Row::words(vec![piece]), Style::new(), theme);
        });
    }

    fn title(&self) -> TabTitle {
        TabTitle { name: "comparison".into(), live: self.failure.is_none(), ..TabTitle::default() }
    }
}
