//! A placeholder screen until a comparison is ready.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use crate::tui::action::Action;
use crate::tui::cancel_guard::CancelGuard;
use crate::tui::geometry::Area;
use crate::tui::keymap::ScreenId;
use crate::tui::message::{ComparisonRequest, Effect, Msg, Navigation, TabTitle};
use crate::tui::row::{Piece, Row};
use crate::tui::screen::Screen;
use crate::tui::screen::chrome::{Chrome, ChromeText, heading};
use crate::tui::style::Role;
use crate::tui::theme::Theme;
use crate::tui::widget::words_of;

/// A comparison being made. Dropping this cancels it.
pub struct PendingComparison {
    /// Number of the comparison; its result refers to it.
    pub number: usize,
    /// Cancels the work when it is dropped.
    pub cancel_guard: CancelGuard,
    /// Why there will be no comparison, if it failed.
    pub failure: Option<String>,
    /// The request, until both texts were read.
    pub awaited: Option<Box<ComparisonRequest>>,
    chrome: Chrome,
    names: [String; 2],
}

impl PendingComparison {
    /// A pending comparison of two texts with these names.
    pub fn new(number: usize, names: [String; 2]) -> Self {
        Self {
            number,
            cancel_guard: CancelGuard::default(),
            failure: None,
            awaited: None,
            chrome: Chrome::new(ScreenId::Comparison),
            names,
        }
    }
}

impl Screen for PendingComparison {
    fn chrome(&self) -> &Chrome {
        &self.chrome
    }

    fn chrome_mut(&mut self) -> &mut Chrome {
        &mut self.chrome
    }

    fn handle(&mut self, msg: Msg) -> Option<Effect> {
        matches!(msg, Msg::Action(Action::Cancel)).then(|| Effect::Go(Navigation::Before))
    }

    fn chrome_text(&self) -> ChromeText {
        let hints = self.chrome.hints(&[
            (&[Action::Help], "help"),
            (&[Action::Quit], "quit"),
            (&[Action::Cancel], if self.failure.is_some() { "close" } else { "give up" }),
        ]);
        ChromeText { title: [heading("comparison"), Vec::new()], hints, place: Vec::new() }
    }

    fn draw_body(&self, buffer: &mut Buffer, theme: &Theme) {
        let [left, right] = &self.names;
        let piece = match &self.failure {
            Some(words) => Piece::new(format!(" {words}"), Role::Error),
            None => Piece::new(format!(" comparing {left} with {right} …"), Role::Pending),
        };
        let body = self.chrome.body();
        let area = Area { height: body.height.min(1), ..body };
        words_of(buffer, area, &Row::words(vec![piece]), Style::new(), theme);
    }

    fn title(&self) -> TabTitle {
        TabTitle { name: "comparison".into(), live: self.failure.is_none(), ..TabTitle::default() }
    }

    fn is_made_of_tabs(&self) -> bool {
        true
    }
}
