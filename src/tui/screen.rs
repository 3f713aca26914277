//! What a tab shows: a transcript, a list of sessions, statistics of them, two readings side by side, or what runtimes make
//! of a message.

pub mod chrome;
pub mod comparison;
pub mod lens;
pub mod sessions;
pub mod statistics;
pub mod transcript;

use std::any::Any;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

use ratatui::Frame;
use ratatui::buffer::Buffer;

use crate::tui::input::InputMode;
use crate::tui::message::{Effect, Msg, TabTitle};
use crate::tui::theme::Theme;
use crate::tui::view::cache::Wanted;
use chrome::{Chrome, ChromeText};

/// A screen: its content, and the [`Chrome`] around that. Tabs and the loop know no more of it than this.
pub trait Screen: Any {
    /// What is around its content.
    fn chrome(&self) -> &Chrome;

    /// What is around its content, to be changed.
    fn chrome_mut(&mut self) -> &mut Chrome;

    /// Takes in what is about its content. What it cannot do by itself it asks for.
    fn take_in(&mut self, msg: Msg) -> Option<Effect>;

    /// Makes what the next frame needs of its content, at the time `now` since the program began. What it cannot do by
    /// itself it asks for.
    fn settle(&mut self, now: Duration) -> Option<Effect> {
        let _ = now;
        None
    }

    /// What the lines around its content say.
    fn chrome_text(&self) -> ChromeText;

    /// The name of the key that is shown at a cell of the line at the bottom, if one is.
    fn key_at(&self, x: u16, y: u16) -> Option<String> {
        self.chrome().key_at(&self.chrome_text(), x, y)
    }

    /// Draws its content as it was prepared.
    fn draw_body(&self, buffer: &mut Buffer, theme: &Theme);

    /// What the tab bar says of it, but for what depends on other tabs.
    fn title(&self) -> TabTitle;

    /// The cell of the cursor in its content, where it has one.
    fn cursor(&self) -> Option<(u16, u16)> {
        None
    }

    /// Whether keys are commands, a prompt's or a text's.
    fn input_mode(&self) -> InputMode<'_> {
        self.chrome().input_mode()
    }

    /// Takes in what happened, as often as a count says. What it cannot do by itself it asks for.
    fn update(&mut self, msg: Msg) -> Option<Effect> {
        let Msg::Repeat(action, count) = msg else { return self.receive(msg) };
        let (action, times) = action.counted(count);
        (0..times).find_map(|_| self.receive(Msg::Action(action)))
    }

    /// Takes in what happened once.
    fn receive(&mut self, msg: Msg) -> Option<Effect> {
        let effect = match self.chrome_mut().update(msg) {
            ControlFlow::Break(effect) => effect,
            ControlFlow::Continue(msg) => self.take_in(msg),
        };
        self.chrome_mut().resume_prompt();
        effect
    }

    /// Makes what the next frame needs, at the time `now` since the program began. There are no titles for the tab bar
    /// where there is a single tab. What it cannot do by itself it asks for.
    fn prepare(&mut self, tab_bar: Vec<TabTitle>, now: Duration) -> Option<Effect> {
        self.chrome_mut().tab_bar = tab_bar;
        self.settle(now)
    }

    /// Draws the whole screen as it was prepared.
    fn draw(&self, frame: &mut Frame, theme: &Theme) {
        let body = |buffer: &mut Buffer| self.draw_body(buffer, theme);
        self.chrome().draw(frame, &self.chrome_text(), theme, self.cursor(), body);
    }

    /// Shows only what a filter selects, where it lists transcripts.
    fn filter_by(&mut self, filter: &str) {
        let _ = filter;
    }

    /// True if it is made of other tabs, so that it can be left and made again.
    fn is_made_of_tabs(&self) -> bool {
        false
    }

    /// How another tab is opened, for somebody who looks for one.
    fn way_to_another_tab(&self) -> Option<&'static str> {
        None
    }

    /// The file of the text that is written here, whose changes by other programs are to be told.
    fn edited_file(&self) -> Option<&Path> {
        None
    }

    /// When the next frame is due though nothing happens.
    fn next_frame(&self, now: Duration) -> Option<Duration> {
        let _ = now;
        None
    }

    /// Whether there is something to be done while nothing happens.
    fn has_work(&self) -> bool {
        false
    }

    /// Does a little of that. Whether there is more.
    fn work(&mut self) -> bool {
        false
    }

    /// Code whose colours the last frame has missed; they come back as messages.
    fn take_uncoloured(&mut self) -> Vec<Wanted> {
        Vec::new()
    }
}
