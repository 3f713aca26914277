//! A transcript as a screen among others.

use std::path::Path;
use std::time::Duration;

use ratatui::Frame;

use crate::tui::input::InputMode;
use crate::tui::keymap::TRANSCRIPT_KEYS;
use crate::tui::message::{Effect, Msg, TabTitle};
use crate::tui::screen::Screen;
use crate::tui::screen::transcript::{Transcript, arrival, draw, replay, update};
use crate::tui::theme::Theme;
use crate::tui::view::cache::Wanted;

impl Screen for Transcript {
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

    fn prepare(&mut self, tab_bar: Vec<TabTitle>, now: Duration) -> Option<Effect> {
        update::show_tab_bar(self, tab_bar);
        replay::beat(self, now);
        self.following.throughput.observe(now, self.view.whole().file().len());
        arrival::prepare(self)
    }

    fn draw(&self, frame: &mut Frame, theme: &Theme) {
        draw::draw(frame, self, theme);
    }

    fn title(&self) -> TabTitle {
        TabTitle {
            name: self.view.origin.short().to_owned(),
            live: self.view.is_live(),
            errors: self.view.has_failed(),
            ..TabTitle::default()
        }
    }

    fn way_to_another_tab(&self) -> Option<&'static str> {
        Some("transcope a.txt b.txt opens two")
    }

    fn edited_file(&self) -> Option<&Path> {
        self.view.editor.as_ref()?.path()
    }

    fn next_frame(&self, now: Duration) -> Option<Duration> {
        self.replay.as_ref()?.next(now)
    }

    fn has_work(&self) -> bool {
        Transcript::has_work(self)
    }

    fn work(&mut self) -> bool {
        update::work(self)
    }

    fn take_uncoloured(&mut self) -> Vec<Wanted> {
        self.view.cache.borrow_mut().take_wanted()
    }
}
