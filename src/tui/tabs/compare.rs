//! Comparing the current text: choosing the two sides, starting the work on another thread, and showing its result.

use std::path::Path;

use crate::dialect::Options;

use crate::wording::session_summary::SessionSummary;

use crate::tui::files::{OtherFile, OtherFiles};
use crate::tui::message::{ComparisonRequest, ComparisonSide, Msg, OtherRun, Task};
use crate::tui::row::size;
use crate::tui::screen::Screen as _;
use crate::tui::screen::comparison::ComparisonScreen;
use crate::tui::screen::comparison::job::{Compared, ComparisonJob};
use crate::tui::screen::comparison::pending::PendingComparison;
use crate::tui::screen::comparison::settings::differences;
use crate::tui::screen::transcript::Transcript;
use crate::tui::screen::transcript::compare_list::{ListedRun, RunList};
use crate::tui::tabs::navigation::holds;
use crate::tui::tabs::text::TextTab;
use crate::tui::tabs::{Tab, Tabs};
use crate::tui::view::origin::Phase;

/// Maximum bytes of a text for comparisons on the screen.
const LARGEST: usize = 256 << 20;

/// Number from which lists of runs are numbered downwards; lists of sessions are numbered from 0.
const RUNS: usize = usize::MAX / 2;

/// Message if the folder of a session has no other.
const NO_OTHER: &str = "nothing to compare with: no other session in its folder; o lists recorded sessions";

/// Message if there is nothing to compare with.
const ALONE: &str = "nothing to compare with: change a setting (s), or open a second text (transcope a.txt b.txt, o)";

impl Tabs {
    /// Compares the current text with its original form if its contents or options have changed; otherwise with the
    /// text that was shown before it, or else the next one. For a recorded session, the other ones of its folder are offered.
    pub(super) fn compare(&mut self) -> Option<Task> {
        if let Some(tab) = self.all[self.shown].text()
            && with_itself(tab.state(), tab.id).is_none()
            && tab.state().view.is_recorded_session()
            && let Some(path) = &tab.state().view.origin.path
        {
            return Some(Task::FindRuns(path.clone()));
        }
        self.compare_open(ALONE)
    }

    /// Offers the other open texts, the one shown before first, and then the files of its folder to compare the shown session
    /// with. A single open text is compared with immediately.
    pub fn offer_runs(&mut self, found: OtherFiles) -> Option<Task> {
        let OtherFiles { files, before } = found;
        let before = files.get(before).cloned();
        let is_shown = |tab: &Tab, path: &Path| {
            tab.text().is_some_and(|tab| tab.state().view.origin.path.as_deref() == Some(path)) || holds(tab, path)
        };
        let is_open = |file: &OtherFile| self.all.iter().any(|tab| is_shown(tab, &file.path));
        let files: Vec<OtherFile> = files.into_iter().filter(|file| !is_open(file)).collect();
        if files.is_empty() {
            return self.compare_open(NO_OTHER);
        }
        let mut open: Vec<usize> = (1..self.all.len()).map(|ahead| (self.shown + ahead) % self.all.len()).collect();
        open.sort_by_key(|index| Some(*index) != self.before);
        let listed = |index: &usize| {
            let tab = self.all[*index].text()?;
            let view = &tab.state().view;
            let mut run = ListedRun::new(OtherRun::Tab(tab.id), view.origin.short().to_owned(), "open".to_owned(), 0);
            run.session = Some(Box::new(SessionSummary::new(&view.session)));
            Some(run)
        };
        let mut runs: Vec<ListedRun> = open.iter().filter_map(listed).collect();
        let chosen = if runs.is_empty() { files.iter().position(|file| Some(file) == before.as_ref()) } else { None };
        runs.extend(files.into_iter().map(|OtherFile { path, modified, size }| {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            ListedRun::new(OtherRun::File(path), name, self.calendar.date(modified).unwrap_or_default(), size)
        }));
        let list = RunList { number: RUNS - self.number(), runs };
        self.all[self.shown].text_mut()?.state_mut().offer_runs(list, chosen.unwrap_or(0));
        None
    }

    /// Compares the shown text with a run; a file is opened first.
    pub(super) fn compare_run(&mut self, run: OtherRun) -> Option<Task> {
        let id = match run {
            OtherRun::Tab(id) => id,
            OtherRun::File(path) => match self.all.iter().find(|tab| holds(tab, &path)).and_then(Tab::text) {
                Some(tab) => tab.id,
                None => return Some(Task::CompareRun(path)),
            },
        };
        let other = self.all.iter().position(|tab| tab.text().is_some_and(|tab| tab.id == id))?;
        let sides = self.sides_with(other)?;
        let names = sides.each_ref().map(|side| side.name.clone());
        self.begin_comparison(sides, names)
    }

    /// Compares the text that was just opened with the one shown before it, once it was read.
    pub fn compare_opened(&mut self) -> Option<Task> {
        self.compare_open(ALONE)
    }

    /// The comparison that waits for its texts, if they were read.
    pub(super) fn awaited_comparison(&mut self) -> Option<Task> {
        let is_read = |side: &ComparisonSide| {
            self.state_of(side.tab).is_none_or(|state| state.view.origin.phase != Phase::Loading)
        };
        let is_ready = |pending: &PendingComparison| {
            pending.awaited.as_ref().is_some_and(|request| request.sides.iter().all(is_read))
        };
        let at = self.all.iter().position(|tab| tab.of_kind().is_some_and(is_ready))?;
        let pending: &mut PendingComparison = self.all[at].of_kind_mut()?;
        pending.awaited.take().map(Task::Compare)
    }

    /// Compares the shown text with its original form or another open text; `nothing` is the message if there is none.
    fn compare_open(&mut self, nothing: &str) -> Option<Task> {
        let Some(sides) = self.sides() else {
            self.notify(nothing);
            return None;
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
        let request = Box::new(ComparisonRequest { number, sides });
        let is_loading = |side: &ComparisonSide| {
            self.state_of(side.tab).is_some_and(|state| state.view.origin.phase == Phase::Loading)
        };
        let (awaited, task) = if request.sides.iter().any(is_loading) {
            (Some(request), None)
        } else {
            (None, Some(Task::Compare(request)))
        };
        let mut pending = PendingComparison::new(number, names);
        pending.awaited = awaited;
        match made {
            Some(_) => self.put(made, Tab::Screen(Box::new(pending))),
            None => self.show_only(pending),
        }
        task
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
        self.sides_with(other)
    }

    /// The shown text and the one in another tab; the text that was opened first is on the left.
    fn sides_with(&self, other: usize) -> Option<[ComparisonSide; 2]> {
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
