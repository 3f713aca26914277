//! A transcript as a screen.

use std::path::Path;
use std::time::Duration;

use ratatui::Frame;

use crate::tui::cache::Wanted;
use crate::tui::input::InputMode;
use crate::tui::keymap::TRANSCRIPT_KEYS;
use crate::tui::message::{Effect, Msg, TabTitle};
use crate::tui::screen::Screen;
use crate::tui::state::State;
use crate::tui::theme::Theme;
use crate::tui::{update, view};

impl Screen for State {
    fn input_mode(&self) -> InputMode {
        match (self.types(), &self.prompt) {
            (true, _) => InputMode::Text,
            (false, Some(_)) => InputMode::Prompt,
            (false, None) => InputMode::Keys(&TRANSCRIPT_KEYS),
        }
    }

    fn update(&mut self, msg: Msg) -> Option<Effect> {
        update::update(self, msg)
    }

    fn prepare(&mut self, tab_bar: Vec<TabTitle>, now: Duration) {
        update::settle_bar(self, tab_bar);
        update::replaying::beat(self, now);
        let read = self.whole().file().len();
        self.gauge.observe(now, read);
        update::settle(self);
    }

    fn draw(&self, frame: &mut Frame, theme: &Theme) {
        view::draw(frame, self, theme);
    }

    fn title(&self) -> TabTitle {
        TabTitle {
            name: self.origin.short().to_owned(),
            live: self.is_live(),
            errors: self.has_failed(),
            ..TabTitle::default()
        }
    }

    fn way_to_another_tab(&self) -> Option<&'static str> {
        Some("transcope a.txt b.txt opens two")
    }

    fn edited_file(&self) -> Option<&Path> {
        self.editor.as_ref()?.path()
    }

    fn next_frame(&self, now: Duration) -> Option<Duration> {
        self.replay.as_ref()?.next(now)
    }

    fn has_work(&self) -> bool {
        State::has_work(self)
    }

    fn work(&mut self) -> bool {
        update::work(self)
    }

    fn take_uncoloured(&mut self) -> Vec<Wanted> {
        self.cache.borrow_mut().take_wanted()
    }
}
