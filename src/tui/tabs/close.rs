//! Closing tabs, interrupting and quitting, with a confirmation before anything is lost.

use crate::tui::message::Task;
use crate::tui::tabs::Tabs;

impl Tabs {
    /// Closes the current tab, except the last one; `was_asked` is true if the user has already confirmed.
    pub(super) fn close(&mut self, was_asked: bool) -> Option<Task> {
        if self.all.len() == 1 {
            self.notify("last tab; q quits");
            return None;
        }
        if let Some(tab) = self.all[self.shown].text() {
            let is_file = tab.path.is_some() || tab.feed.is_none();
            if !is_file && tab.now.view.is_live() {
                let words = format!("{} is still being read: q quits and ends it", tab.now.view.origin.short());
                self.notify(words);
                return None;
            }
            if !was_asked && let Some(name) = tab.now.view.unsaved().into_iter().next() {
                self.asked = true;
                let words = format!("{name} is not saved: ctrl-s saves it, ctrl-w again closes it");
                self.notify(words);
                return None;
            }
        }
        self.remove();
        None
    }

    /// Removes the current tab, and shows the previous one or its neighbour.
    fn remove(&mut self) {
        let gone = self.shown;
        let neighbour = if gone + 1 < self.all.len() { gone + 1 } else { gone - 1 };
        self.show(self.before.filter(|before| *before != gone).unwrap_or(neighbour));
        self.all.remove(gone);
        self.shown -= usize::from(self.shown > gone);
        self.before = None;
    }

    /// Returns to the list from which the current text was opened; quits if there is none.
    pub(super) fn step_out(&mut self, was_asked: bool) -> Option<Task> {
        match self.level_above() {
            Some(list) => {
                self.show(list);
                None
            }
            None => self.leave(was_asked),
        }
    }

    /// Quits, unless a command still runs or texts are unsaved and the user must confirm first.
    pub(super) fn leave(&mut self, was_asked: bool) -> Option<Task> {
        let running = self.running().map(|name| format!("{name} still runs"));
        let lost = match self.unsaved().as_slice() {
            [] => None,
            [name] => Some(format!("{name} is not saved")),
            [names @ .., last] => Some(format!("{} and {last} are not saved", names.join(", "))),
        };
        let reasons: Vec<String> = running.into_iter().chain(lost).collect();
        if was_asked || reasons.is_empty() {
            return Some(Task::Quit);
        }
        self.asked = true;
        self.notify(format!("{}: q again quits", reasons.join("; ")));
        None
    }

    /// Names of edited texts that are not saved.
    fn unsaved(&self) -> Vec<String> {
        self.now().flat_map(|state| state.view.unsaved()).collect()
    }

    /// Name of a running command.
    fn running(&self) -> Option<String> {
        self.now().find(|state| state.view.runs()).map(|state| state.view.origin.name.clone())
    }

    /// Interrupts the running command; quits if there is none, or if it was interrupted before.
    pub(super) fn interrupt(&mut self, was_asked: bool) -> Option<Task> {
        match self.running() {
            Some(name) if !self.interrupted => {
                self.interrupted = true;
                self.notify(format!("{name} is interrupted; ctrl-c again quits"));
                Some(Task::Interrupt)
            }
            _ => self.leave(was_asked),
        }
    }

    /// Closes the current screen if it can be made again from other tabs, such as a comparison. Returns true if it did.
    pub(super) fn leave_comparison(&mut self) -> bool {
        let leaves = self.all.len() > 1 && self.shown().is_made_of_tabs();
        if leaves {
            self.remove();
        }
        leaves
    }
}
