//! Comparing the current text: choosing the two sides, starting the work on another thread, and showing its result.

use crate::dialect::Options;

use crate::tui::message::{ComparisonRequest, ComparisonSide, Msg, Task};
use crate::tui::row::size;
use crate::tui::screen::Screen as _;
use crate::tui::screen::comparison::ComparisonScreen;
use crate::tui::screen::comparison::job::{Compared, ComparisonJob};
use crate::tui::screen::comparison::pending::PendingComparison;
use crate::tui::screen::comparison::settings::differences;
use crate::tui::screen::transcript::Transcript;
use crate::tui::tabs::text::TextTab;
use crate::tui::tabs::{Tab, Tabs};

/// Maximum bytes of a text for comparisons on the screen.
const LARGEST: usize = 256 << 20;

/// Message if there is nothing to compare with.
const ALONE: &str = "nothing to compare with: change a setting (s), or open a second text (transcope a.txt b.txt, o)";

impl Tabs {
    /// Compares the current text with its original form if its contents or options have changed; otherwise with the
    /// text that was shown before it, or else the next one. If a recorded session is the only text, another one of its folder
    /// is opened first.
    pub(super) fn compare(&mut self) -> Option<Task> {
        let Some(sides) = self.sides() else {
            let view = self.all[self.shown].text().map(|tab| &tab.state().view);
            let session = view.filter(|view| view.is_recorded_session()).and_then(|view| view.origin.path.clone());
            if session.is_none() {
                self.notify(ALONE);
            }
            return session.map(Task::OpenOtherRun);
        };
        let names = sides.each_ref().map(|side| side.name.clone());
        self.begin_comparison(sides, names)
    }

    /// Starts a comparison of two readings unless one is too large; `names` are their titles until it is done.
    pub(super) fn begin_comparison(&mut self, sides: [ComparisonSide; 2], names: [String; 2]) -> Option<Task> {
        let mut states = sides.iter().filter_map(|side| self.state_of(side.tab));
        if let Some(state) = states.find(|state| state.view.whole().file().len() > LARGEST) {
            let (name, largest) = (state.view.origin.short(), size(LARGEST));
            self.notify(format!("{name} is larger than {largest}: transcope diff compares texts of any size"));
            return None;
        }
        let number = self.number();
        let made = self.all.iter().position(|tab| tab.of_kind::<ComparisonScreen>().is_some());
        match made {
            Some(_) => self.put(made, Tab::Screen(Box::new(PendingComparison::new(number, names)))),
            None => self.show_only(PendingComparison::new(number, names)),
        }
        Some(Task::Compare(Box::new(ComparisonRequest { number, sides })))
    }

    /// The two sides of a comparison of the current text.
    fn sides(&self) -> Option<[ComparisonSide; 2]> {
        let tab = self.all[self.shown].text()?;
        if let Some(sides) = with_itself(tab.state(), tab.id) {
            return Some(sides);
        }
        let texts = |index: &usize| self.all[*index].text().is_some();
        let around = (1..self.all.len()).map(|ahead| (self.shown + ahead) % self.all.len());
        let other =
            self.before.filter(texts).filter(|before| *before != self.shown).or_else(|| around.clone().find(texts))?;
        // The text that was opened first is on the left.
        let [left, right] = [self.shown.min(other), self.shown.max(other)].map(|index| self.all[index].text());
        let side = |tab: &TextTab| ComparisonSide {
            name: tab.state().view.origin.short().to_owned(),
            tab: tab.id,
            options: tab.state().view.options.clone(),
            saved: None,
        };
        Some([side(left?), side(right?)])
    }

    /// The transcript that the tab with an id shows.
    pub(super) fn state_of(&self, id: usize) -> Option<&Transcript> {
        self.all.iter().filter_map(Tab::text).find(|tab| tab.id == id).map(TextTab::state)
    }

    /// The job of a comparison, and a check for whether it was cancelled; `None` if no screen waits for it any more.
    pub fn comparison_job(
        &self,
        request: &ComparisonRequest,
    ) -> Option<(ComparisonJob, impl Fn() -> bool + Send + use<>)> {
        let session = |side: &ComparisonSide| self.state_of(side.tab).map(|state| state.view.whole());
        let [left, right] = &request.sides;
        let job = ComparisonJob::new([(left, session(left)?), (right, session(right)?)]);
        let mut pending = self.all.iter().filter_map(Tab::of_kind);
        let pending = pending.find(|pending: &&PendingComparison| pending.number == request.number)?;
        Some((job, pending.cancel_guard.is_cancelled()))
    }

    /// Delivers the result of a comparison; ignored if no screen waits for it any more.
    pub fn compared(&mut self, number: usize, outcome: Result<Compared, String>) {
        let is_it = |tab: &Tab| tab.of_kind().is_some_and(|pending: &PendingComparison| pending.number == number);
        let Some(index) = self.all.iter().position(is_it) else { return };
        match outcome {
            Ok(compared) => {
                let mut screen = ComparisonScreen::new(compared);
                // A resize makes no requests.
                drop(screen.update(Msg::Resize(self.size.0, self.size.1)));
                self.all[index] = Tab::Screen(Box::new(screen));
            }
            Err(words) => {
                if let Some(pending) = self.all[index].of_kind_mut::<PendingComparison>() {
                    pending.failure = Some(words);
                }
            }
        }
    }
}

/// The original and the current form of a text, if its contents or its options have changed.
fn with_itself(state: &Transcript, tab: usize) -> Option<[ComparisonSide; 2]> {
    let editor = state.view.editor.as_ref();
    let saved = editor.filter(|editor| editor.saved() != editor.text());
    if saved.is_none() && differences(&state.opened_with, &state.view.options).is_none() {
        return None;
    }
    let name = state.view.origin.short();
    let was = if saved.is_some_and(|editor| editor.path().is_some()) { "saved" } else { "opened" };
    let side = |name: String, options: &Options, saved| ComparisonSide { name, tab, options: options.clone(), saved };
    Some([
        side(format!("{name} as it was {was}"), &state.opened_with, editor.map(|editor| editor.saved().to_owned())),
        side(format!("{name} now"), &state.view.options, None),
    ])
}
