//! Closing a tab, and leaving: what must not be lost by either is asked about first.
//!
//! This module does not know what a tab shows.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::tui::message::Effect;
use crate::tui::state::State;
use crate::tui::tabs::{Tab, Tabs};

/// As long as one of these is kept, a source that was opened with it reads on.
#[derive(Debug, Default)]
pub struct Interest(Arc<AtomicBool>);

impl Interest {
    /// Something that tells whether the interest is gone.
    pub fn gone(&self) -> impl Fn() -> bool + Send + use<> {
        let gone = Arc::clone(&self.0);
        move || gone.load(Ordering::Relaxed)
    }
}

impl Drop for Interest {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Tabs {
    /// Closes the tab that is shown; `asked` tells that the person knows what is lost. The last one is left.
    pub(super) fn close(&mut self, asked: bool) -> Option<Effect> {
        if self.all.len() == 1 {
            return self.leave(asked);
        }
        if let Some(tab) = self.all[self.shown].text() {
            let is_file = tab.path.is_some() || tab.feed.is_none();
            if !is_file && tab.now.is_live() {
                let words = format!("{} is still being read: q quits and ends it", tab.now.origin.short());
                self.say(words);
                return None;
            }
            if !asked && tab.now.editor.as_ref().is_some_and(|editor| editor.is_changed()) {
                self.asked = true;
                let words = format!("{} is not saved: ctrl-s saves it, ctrl-w again closes it", tab.now.origin.short());
                self.say(words);
                return None;
            }
        }
        self.remove();
        None
    }

    /// Takes the tab that is shown away, and shows what was shown before it, or its neighbour.
    pub(super) fn remove(&mut self) {
        let gone = self.shown;
        let neighbour = if gone + 1 < self.all.len() { gone + 1 } else { gone - 1 };
        self.show(self.before.filter(|before| *before != gone).unwrap_or(neighbour));
        self.all.remove(gone);
        self.shown -= usize::from(self.shown > gone);
        self.before = None;
    }

    /// Leaves, unless a command runs or something is not saved, and it has to be asked first.
    pub(super) fn leave(&mut self, asked: bool) -> Option<Effect> {
        let running = self.running().map(|name| format!("{name} still runs"));
        let lost = match self.unsaved().as_slice() {
            [] => None,
            [name] => Some(format!("{name} is not saved")),
            [names @ .., last] => Some(format!("{} and {last} are not saved", names.join(", "))),
        };
        let reasons: Vec<String> = running.into_iter().chain(lost).collect();
        if asked || reasons.is_empty() {
            return Some(Effect::Quit);
        }
        self.asked = true;
        self.say(format!("{}: q again quits", reasons.join("; ")));
        None
    }

    /// The names of the texts that were written and are saved nowhere.
    fn unsaved(&self) -> Vec<String> {
        let is_unsaved = |state: &&State| state.editor.as_ref().is_some_and(|editor| editor.is_changed());
        self.now().filter(is_unsaved).map(|state| state.origin.short().to_owned()).collect()
    }

    /// The name of a command that runs.
    pub(super) fn running(&self) -> Option<String> {
        self.now().find(|state| state.runs()).map(|state| state.origin.name.clone())
    }

    /// Gives up the comparison that is shown, if it is one that can be made again from the tabs; whether that was so.
    pub(super) fn leave_comparison(&mut self) -> bool {
        let is_of_tabs =
            |tab: &Tab| matches!(tab, Tab::Comparison(screen) if screen.sides.iter().all(|side| side.tab.is_some()));
        let leaves = self.all.len() > 1 && is_of_tabs(&self.all[self.shown]);
        if leaves {
            self.remove();
        }
        leaves
    }
}
