//! Navigation to other tabs, texts and positions, and opening new tabs.

use std::path::Path;

use crate::diagnostic::{Code, Diagnostic};
use crate::location::Location;
use crate::source::SourceSpec;
use crate::text::replay_steps::ReplayOptions;

use crate::tui::action::{Action, PaneId, next_in_ring};
use crate::tui::message::{ContentPosition, Msg, Navigation, Task};
use crate::tui::screen::sessions::SessionsScreen;
use crate::tui::screen::transcript::{self, Transcript, ViewOptions};
use crate::tui::tabs::text::{ListTab, TextTab};
use crate::tui::tabs::{NewTab, Tab, Tabs};

impl Tabs {
    /// Carries out a navigation; `was_asked` is true if the user has already confirmed losing what it loses. The
    /// returned task is for the event loop only.
    pub(super) fn go(&mut self, navigation: Navigation, was_asked: bool) -> Option<Task> {
        match navigation {
            Navigation::Tab(index) => self.show(index),
            Navigation::NextTab(direction) => self.show_next(direction),
            Navigation::Action(action) => return self.open(action),
            Navigation::Place(place) => self.show_place(place),
            Navigation::Call(tab, offset) => self.show_call(tab, offset),
            Navigation::Before if self.leave_comparison() => {}
            Navigation::Before => match self.list_of_statistics().or(self.before) {
                Some(before) => self.show(before),
                None => self.notify("there is nothing to go back to; q quits"),
            },
            Navigation::Open(path) => match self.all.iter().position(|tab| holds(tab, &path)) {
                Some(index) => self.show(index),
                None => return Some(Task::Open(path)),
            },
            Navigation::Demonstration => match self.all.iter().position(is_demonstration) {
                Some(index) => self.show(index),
                None => return Some(Task::Demonstration),
            },
            Navigation::OpenAt(path, at) => match self.all.iter().position(|tab| holds(tab, &path)) {
                Some(index) => {
                    self.show(index);
                    self.open_at(at);
                }
                None => return Some(Task::OpenAt(path, at)),
            },
            Navigation::ReadStatistics(reading) => return self.read_statistics(reading),
            Navigation::Places(query) => return self.find_places(query),
            Navigation::Play(text) => {
                self.play(&text);
                let lacks = |problem: Diagnostic| problem.code == Code::UnknownDependency;
                let view = self.text().map(|tab| &tab.view);
                let lacks_calls = view.is_some_and(|view| view.session.document().sorted_diagnostics().any(lacks));
                self.notify(if lacks_calls {
                    "a playground with the selection alone, without the calls that it waits for; Esc, then [ returns"
                } else {
                    "a playground with what was selected; Esc leaves the text, then [ returns"
                });
            }
            Navigation::Declare(text) => {
                self.play(&text);
                drop(self.shown_mut().update(Msg::Action(Action::Focus(PaneId::DeclarationEditor))));
            }
            Navigation::NewDialect(text) => {
                self.play(&text);
                drop(self.shown_mut().update(Msg::Action(Action::NewDialect)));
            }
            // Terminals send a carriage return for each line break in a paste.
            Navigation::Pasted(text) => self.pasted = Some(text.replace("\r\n", "\n").replace('\r', "\n")),
            Navigation::Replay(bytes, name) => self.replay(bytes, &name),
            Navigation::Lens(schemas) => return self.ask_runtimes(Some(schemas)),
            Navigation::LensRequest(chosen) => return self.change_lens_request(*chosen),
            Navigation::ReadAs(reading) => self.read_as(*reading),
            Navigation::CompareReadings(readings) => return self.compare_readings(*readings),
            Navigation::SessionPrompt(template) => return self.read_session_prompt(template),
            Navigation::ComparePrompts(other) => self.compare_prompts(other),
            Navigation::PromptByte { tab, side, offset } => self.show_prompt_byte(tab, side, offset),
            Navigation::CompareRun(run) => return self.compare_run(run),
            Navigation::Close => return self.close(was_asked),
            Navigation::Quit => return self.step_out(was_asked),
            Navigation::Interrupt => return self.interrupt(was_asked),
        }
        None
    }

    /// Switches to the tab of a file; false if it is not open.
    pub fn show_file(&mut self, path: &Path) -> bool {
        let index = self.all.iter().position(|tab| holds(tab, path));
        index.map(|index| self.show(index)).is_some()
    }

    /// Opens the screen, list or text for a global action that the current screen did not handle.
    fn open(&mut self, action: Action) -> Option<Task> {
        match action {
            Action::SessionPrompt => self.ask_for_template(),
            Action::Compare if self.choose_other_prompt() => {}
            Action::Compare => return self.compare(),
            Action::Lens => return self.ask_runtimes(None),
            Action::CorpusStatistics => self.show_statistics(),
            Action::Recorded => {
                let is_recorded = |tab: &Tab| tab.of_kind().is_some_and(|screen: &SessionsScreen| screen.is_recorded);
                match self.all.iter().position(is_recorded) {
                    Some(index) => self.show(index),
                    None => return Some(Task::Recorded),
                }
            }
            Action::BackToList => match self.list() {
                Some(index) => self.show(index),
                None => self.notify("no list is open: press o for recorded sessions, or run transcope DIR"),
            },
            Action::NextText(direction) => self.show_text(direction),
            // These actions are handled by panes or belong to other screens.
            _ => {}
        }
        None
    }

    pub(super) fn show(&mut self, index: usize) {
        if index == self.shown || index >= self.all.len() {
            return;
        }
        self.note_seen();
        if let Some(tab) = self.all[self.shown].text_mut() {
            tab.state_mut().view.hidden = true;
            self.look = Some(tab.state().look());
        }
        self.before = Some(self.shown);
        self.shown = index;
        let (size, look) = (self.size, self.look);
        match &mut self.all[index] {
            Tab::Text(tab) => {
                let state = tab.state_mut();
                state.enter(ViewOptions { size, ..look.unwrap_or(state.look()) });
            }
            // A resize makes no requests.
            Tab::Screen(screen) => drop(screen.update(Msg::Resize(size.0, size.1))),
        }
    }

    fn show_next(&mut self, direction: i8) {
        let count = self.all.len();
        if count == 1 {
            let way = self.shown().way_to_another_tab().map(|way| format!("; {way}")).unwrap_or_default();
            return self.notify(format!("no other tab{way}"));
        }
        self.show(next_in_ring(self.shown, direction, count));
    }

    /// The list from which the current text was opened, or else the first list.
    fn list(&self) -> Option<usize> {
        let from = self.all[self.shown].text().and_then(|tab| tab.list);
        let from = from.filter(|from| !matches!(from, ListTab::Session(_)));
        let is_wanted = |list: ListTab| from.is_none_or(|from| list == from);
        let is_list = |tab: &Tab| tab.text().is_none() && tab.list().is_some_and(is_wanted);
        self.all.iter().position(is_list)
    }

    /// The list or session from which the current text was opened, if it is still open.
    pub(super) fn level_above(&self) -> Option<usize> {
        let Some(from) = self.all[self.shown].text().and_then(|tab| tab.list) else {
            return self.list_of_statistics();
        };
        self.all.iter().position(|tab| tab.list() == Some(from))
    }

    /// Shows a position in the current text once it has arrived.
    pub fn open_at(&mut self, at: Location) {
        if let Some(tab) = self.all[self.shown].text_mut() {
            tab.state_mut().opened_at = Some(at);
        }
    }

    /// Opens a playground with a text.
    pub(super) fn play(&mut self, text: &str) {
        let like = self.text().or_else(|| self.now().next());
        let options = like.map_or(&self.options, |state| &state.view.options);
        let mut state = transcript::playground::playground(options, text, None);
        let is_taken = |name: &str| self.now().any(|other| other.view.origin.name == name);
        let names = (2..).map(|number| format!("playground {number}"));
        if is_taken(&state.view.origin.name)
            && let Some(name) = names.into_iter().find(|name| !is_taken(name))
        {
            state.view.origin.name = name;
        }
        self.add(NewTab::Made(Box::new(state)));
    }

    /// Replays bytes as if they were arriving, with the same options as the current text.
    fn replay(&mut self, bytes: Vec<u8>, name: &str) {
        let replay = |state: &Transcript| {
            transcript::replay::replay(
                state,
                name,
                bytes.into(),
                state.view.session.container(),
                ReplayOptions::default(),
            )
        };
        if let Some(state) = self.text().map(replay) {
            self.add(NewTab::Made(Box::new(state)));
            self.notify("P pauses; . and , step; u and U set step and speed; ctrl-w closes it");
        }
    }

    /// Shows the previous or the next contents of the same source.
    fn show_text(&mut self, direction: i8) {
        let Some(tab) = self.all[self.shown].text() else { return };
        let count = tab.earlier.len();
        let at = tab.back.unwrap_or(count);
        match direction {
            1 if at == count => self.notify("current contents"),
            1 => self.show_contents(at + 1),
            _ if count == 0 => self.notify("no earlier contents: the file has not been truncated or replaced"),
            _ if at == 0 => self.notify("no earlier contents are kept"),
            _ => self.show_contents(at - 1),
        }
    }

    /// Shows the earlier contents with an index; an index after the last one means the current contents.
    pub(super) fn show_contents(&mut self, index: usize) {
        let Some(tab) = self.all[self.shown].text_mut() else { return };
        let look = tab.state().look();
        tab.state_mut().view.hidden = true;
        tab.back = (index < tab.earlier.len()).then_some(index);
        let is_now = tab.back.is_none();
        tab.state_mut().enter(look);
        self.notify(if is_now { "current contents" } else { "earlier contents; ) returns" });
    }

    /// Shows the position of an event, in the contents in which it occurred.
    fn show_place(&mut self, place: ContentPosition) {
        let Some(tab) = self.all[self.shown].text() else { return };
        let found = tab.earlier.iter().position(|state| state.view.number == place.text);
        let index = if tab.now.view.number == place.text { Some(tab.earlier.len()) } else { found };
        let Some(index) = index else { return self.notify("that text is no longer kept") };
        self.show_contents(index);
        self.show_offset(place.offset);
    }

    /// Shows an offset in the text tab with an id.
    fn show_call(&mut self, id: usize, offset: usize) {
        let is_it = |tab: &Tab| tab.text().is_some_and(|tab: &TextTab| tab.id == id);
        let Some(index) = self.all.iter().position(is_it) else { return };
        self.show(index);
        self.show_offset(offset);
    }

    pub(super) fn show_offset(&mut self, offset: usize) {
        if let Some(tab) = self.all[self.shown].text_mut() {
            tab.state_mut().visit(offset);
        }
    }
}

/// True for the tab with the demonstration.
fn is_demonstration(tab: &Tab) -> bool {
    tab.text().is_some_and(|tab| tab.path.is_none() && tab.now.view.origin.name == SourceSpec::Demonstration.name())
}

/// True if a tab shows the file at a path.
pub(super) fn holds(tab: &Tab, path: &Path) -> bool {
    let whole = |path: &Path| std::path::absolute(path).ok();
    let is_same = |known: &Path| known == path || whole(known).is_some_and(|known| Some(known) == whole(path));
    tab.text().and_then(|tab| tab.path.as_deref()).is_some_and(is_same)
}
