//! What is said about the source, and kept in the list of events.

use crate::tui::message::Place;
use crate::tui::pane::Pane as _;
use crate::tui::screen::transcript::Transcript;
use crate::tui::style::Role;

impl Transcript {
    /// The offset up to which the present text was read.
    fn here(&self) -> Place {
        Place { text: self.view.number, offset: self.view.whole().text().len() }
    }

    /// Says something about the source, and keeps it in the list.
    pub(super) fn log(&mut self, text: String, role: Role) {
        self.view.events.add(&text, role, self.here());
        self.reveal_events();
        self.tell(text, role);
    }

    /// Takes in what a command wrote to its standard error.
    pub fn log_stderr(&mut self, bytes: &[u8]) {
        self.view.events.add_aside(bytes, self.here());
        self.reveal_events();
    }

    /// Nothing more comes: what stands in an unended line of standard error is an event too.
    pub(super) fn end_log(&mut self) {
        self.view.events.end_aside(self.here());
    }

    /// Scrolls the list to the event that is chosen.
    pub(super) fn reveal_events(&mut self) {
        if !self.view.hidden {
            self.panes.events.reveal(&self.view);
        }
    }
}
