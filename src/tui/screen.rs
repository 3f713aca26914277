//! Screens, each shown in a tab: a transcript, a list of sessions, their statistics, a comparison of two readings, the
//! lens, or a chat template.

pub mod chrome;
pub mod comparison;
pub mod lens;
pub mod sessions;
pub mod statistics;
pub mod template;
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
use crate::tui::view::cache::HighlightRequest;
use chrome::{Chrome, ChromeText, HelpContext};

/// A screen: its content, and the [`Chrome`] around it. Tabs and the event loop depend only on this trait.
pub trait Screen: Any {
    /// The chrome around the content.
    fn chrome(&self) -> &Chrome;

    /// The chrome around the content, to be changed.
    fn chrome_mut(&mut self) -> &mut Chrome;

    /// Handles a message that concerns the content. Returns an effect for everything beyond the screen.
    fn handle(&mut self, msg: Msg) -> Option<Effect>;

    /// Prepares the content for the next frame; `now` is the time since the program started. Returns an effect for
    /// everything beyond the screen.
    fn prepare_content(&mut self, now: Duration) -> Option<Effect> {
        let _ = now;
        None
    }

    /// The texts of the lines around the content.
    fn chrome_text(&self) -> ChromeText;

    /// The name of the key shown at a cell of the bottom line.
    fn key_at(&self, x: u16, y: u16) -> Option<String> {
        self.chrome().key_at(&self.chrome_text(), x, y)
    }

    /// Draws the content as it was prepared.
    fn draw_body(&self, buffer: &mut Buffer, theme: &Theme);

    /// Title for the tab bar, except for properties that depend on other tabs.
    fn title(&self) -> TabTitle;

    /// The cell of the text cursor in the content, if there is one.
    fn cursor(&self) -> Option<(u16, u16)> {
        None
    }

    /// How keys are interpreted: as commands, or as input of a prompt or a text.
    fn input_mode(&self) -> InputMode<'_> {
        self.chrome().input_mode()
    }

    /// Handles a message, repeatedly if it has a count. Returns an effect for everything beyond the screen.
    fn update(&mut self, msg: Msg) -> Option<Effect> {
        let Msg::ActionWithCount(action, count) = msg else { return self.receive(msg) };
        let (action, times) = action.counted(count);
        (0..times).find_map(|_| self.receive(Msg::Action(action)))
    }

    /// Handles a message once.
    fn receive(&mut self, msg: Msg) -> Option<Effect> {
        let effect = match self.chrome_mut().update(msg) {
            ControlFlow::Break(effect) => effect,
            ControlFlow::Continue(msg) => self.handle(msg),
        };
        self.chrome_mut().resume_prompt();
        self.fill_help();
        effect
    }

    /// The actions that apply to the selection, for the help.
    fn help_context(&self) -> HelpContext {
        self.chrome().help_of_screen()
    }

    /// States the actions that apply to the selection once the help has been opened.
    fn fill_help(&mut self) {
        if self.chrome().help.as_ref().is_some_and(|help| help.context.is_none()) {
            let context = self.help_context();
            if let Some(help) = &mut self.chrome_mut().help {
                help.context = Some(context);
            }
        }
    }

    /// Prepares the next frame; `now` is the time since the program started, `tab_bar` is empty if there is only one
    /// tab. Returns an effect for everything beyond the screen.
    fn prepare(&mut self, tab_bar: Vec<TabTitle>, now: Duration) -> Option<Effect> {
        self.chrome_mut().tab_bar = tab_bar;
        self.prepare_content(now)
    }

    /// Draws the whole screen as it was prepared.
    fn draw(&self, frame: &mut Frame, theme: &Theme) {
        let body = |buffer: &mut Buffer| self.draw_body(buffer, theme);
        self.chrome().draw(frame, &self.chrome_text(), theme, self.cursor(), body);
    }

    /// Applies a filter, if the screen lists transcripts.
    fn filter_by(&mut self, filter: &str) {
        let _ = filter;
    }

    /// True if it is derived from other tabs, so that it can be closed and made again.
    fn is_made_of_tabs(&self) -> bool {
        false
    }

    /// Hint on how to open another tab from this screen.
    fn way_to_another_tab(&self) -> Option<&'static str> {
        None
    }

    /// The file of the edited text, to be watched for changes by other programs.
    fn edited_file(&self) -> Option<&Path> {
        None
    }

    /// When the next frame is due without any event.
    fn next_frame(&self, now: Duration) -> Option<Duration> {
        let _ = now;
        None
    }

    /// True if there is background work to do.
    fn has_work(&self) -> bool {
        false
    }

    /// Does a slice of the background work. Returns true if there is more.
    fn work(&mut self) -> bool {
        false
    }

    /// Code that the last frame lacked colours for; these arrive later as messages.
    fn take_uncoloured(&mut self) -> Vec<HighlightRequest> {
        Vec::new()
    }
}
