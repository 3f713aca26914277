//! Tabs with chat templates: the jobs that read, render and check them on other threads, sessions as their conversations, and
//! comparisons of their prompts.

use std::path::PathBuf;

use crate::tui::message::{Msg, OtherPrompt, Task};
use crate::tui::prompt::{PromptKind, PromptNote};
use crate::tui::screen::Screen as _;
use crate::tui::screen::comparison::prompt::job::{ComparedPrompts, PromptsJob};
use crate::tui::screen::comparison::prompt::{PromptComparisonScreen, PromptSide};
use crate::tui::screen::template::TemplateScreen;
use crate::tui::screen::template::recorded::{SessionPrompt, SessionPromptJob};
use crate::tui::style::Role;
use crate::tui::tabs::{Tab, Tabs};
use crate::tui::template::{TemplateEvent, TemplateJob};
use crate::tui::view::session_copy::SessionCopy;

impl Tabs {
    /// The template in the tab with an id, and the index of that tab.
    fn template(&self, tab: usize) -> Option<(usize, &TemplateScreen)> {
        let mut screens = self.all.iter().enumerate().filter_map(|(index, other)| Some((index, other.of_kind()?)));
        screens.find(|(_, screen): &(usize, &TemplateScreen)| screen.tab == tab)
    }

    /// The job with a number that a tab waits for, and a check for whether it was cancelled.
    pub fn template_job(&self, tab: usize, job: usize) -> Option<(TemplateJob, impl Fn() -> bool + Send + use<>)> {
        self.template(tab)?.1.job(job)
    }

    /// Delivers a result of a job; ignored if the tab waits for another one.
    pub fn template_told(&mut self, tab: usize, job: usize, event: TemplateEvent) {
        let mut screens = self.all.iter_mut().filter_map(Tab::of_kind_mut);
        if let Some(screen) = screens.find(|screen: &&mut TemplateScreen| screen.tab == tab) {
            screen.take(job, event);
        }
    }

    /// Asks for the template that renders the shown session; the one used last is the first proposal. A text that cannot be a
    /// prompt says why.
    pub(super) fn ask_for_template(&mut self) {
        let Some(tab) = self.all[self.shown].text() else { return };
        let session = tab.state().view.whole();
        let messages = session.document().messages();
        if !(0..messages.len()).any(|message| messages.role(message).is_some()) {
            return self
                .notify("this text names no speakers: open a recorded session, or transcope template --messages FILE");
        }
        let open = self.all.iter().filter_map(Tab::of_kind).map(|screen: &TemplateScreen| screen.path().to_path_buf());
        let mut known: Vec<String> = Vec::new();
        for path in self.template_used.iter().cloned().chain(open) {
            let name = path.display().to_string();
            if !known.contains(&name) {
                known.push(name);
            }
        }
        let chrome = self.shown_mut().chrome_mut();
        if known.is_empty() {
            chrome.ask(PromptKind::Template, "");
            if let Some(prompt) = &mut chrome.prompt {
                prompt.note = Some(PromptNote::Hint("a .jinja file or a model's directory; Tab completes"));
            }
        } else {
            chrome.propose(PromptKind::Template, known);
        }
    }

    /// Starts to make a conversation of the shown session for a template.
    pub(super) fn read_session_prompt(&mut self, template: PathBuf) -> Option<Task> {
        let tab = self.all[self.shown].text()?.id;
        self.shown_mut().chrome_mut().show_message("reading the conversation …", Role::Pending);
        Some(Task::ReadConversation(tab, template))
    }

    /// The job of making a conversation of the session in a tab, up to its selection; `None` if the tab is closed.
    pub fn session_prompt_job(&self, tab: usize, template: PathBuf) -> Option<SessionPromptJob> {
        let view = &self.state_of(tab)?.view;
        let copy = SessionCopy::new(view.whole(), &view.options);
        let offset = view.base() + view.selection.offset;
        Some(SessionPromptJob { copy, offset, name: view.origin.short().to_owned(), template })
    }

    /// Opens a template with a conversation of the session in a tab, or asks again with the reason why it cannot be used.
    pub fn show_session_prompt(&mut self, tab: usize, outcome: Result<SessionPrompt, String>) {
        match outcome {
            Ok(prompt) => {
                self.template_used = Some(prompt.template.clone());
                let mut screen = TemplateScreen::of_session(prompt, tab);
                screen.tab = self.number();
                // A resize makes no requests.
                drop(screen.update(Msg::Resize(self.size.0, self.size.1)));
                let is_it =
                    |other: &Tab| other.of_kind().is_some_and(|known: &TemplateScreen| known.session == Some(tab));
                let known = self.all.iter().position(is_it);
                self.put(known, Tab::Screen(Box::new(screen)));
            }
            Err(words) => drop(self.shown_mut().update(Msg::Failed(words))),
        }
    }

    /// Opens the list of prompts to compare the shown one with; false if no template is shown.
    pub(super) fn choose_other_prompt(&mut self) -> bool {
        let Some(shown) = self.all[self.shown].of_kind::<TemplateScreen>().map(|screen| screen.tab) else {
            return false;
        };
        let templates = self.all.iter().filter_map(Tab::of_kind).filter(|screen: &&TemplateScreen| screen.tab != shown);
        let others = templates.map(|screen| (screen.tab, screen.name())).collect();
        if let Some(screen) = self.all[self.shown].of_kind_mut::<TemplateScreen>() {
            screen.choose_other_prompt(others);
        }
        true
    }

    /// Compares the prompt of the shown template with another one, which is rendered from the same conversation.
    pub(super) fn compare_prompts(&mut self, other: OtherPrompt) {
        let Some(screen) = self.all[self.shown].of_kind::<TemplateScreen>() else { return };
        let (tab, job) = (screen.tab, screen.job_now(false));
        let (other_tab, mut other_job, name) = match other {
            OtherPrompt::Runtime(_) => (tab, job.clone(), screen.name()),
            OtherPrompt::Template(id) => {
                let Some((_, found)) = self.template(id) else {
                    return self.notify("the tab with that template is closed");
                };
                (id, TemplateJob { path: found.path().to_path_buf(), ..job.clone() }, found.name())
            }
        };
        if let OtherPrompt::Runtime(runtime) = other {
            other_job.options.runtime = runtime;
        }
        let side = |name: &str, tab: usize, job: TemplateJob| PromptSide {
            name: format!("{name} as {}", job.options.runtime.marked_name()),
            tab,
            job,
        };
        let sides = [side(&screen.name(), tab, job), side(&name, other_tab, other_job)];
        let number = self.number();
        self.show_only(PromptComparisonScreen::new(number, sides));
    }

    /// The job of a comparison of prompts, and a check for whether it was cancelled.
    pub fn prompts_job(&self, number: usize) -> Option<(PromptsJob, impl Fn() -> bool + Send + use<>)> {
        let mut screens = self.all.iter().filter_map(Tab::of_kind);
        screens.find(|screen: &&PromptComparisonScreen| screen.number == number)?.job()
    }

    /// Delivers compared prompts; ignored if no screen waits for them any more.
    pub fn prompts_compared(&mut self, number: usize, compared: ComparedPrompts) {
        let mut screens = self.all.iter_mut().filter_map(Tab::of_kind_mut);
        if let Some(screen) = screens.find(|screen: &&mut PromptComparisonScreen| screen.number == number) {
            screen.show(compared);
        }
    }

    /// Shows a byte of a compared prompt in the tab of its template.
    pub(super) fn show_prompt_byte(&mut self, tab: usize, side: usize, offset: usize) {
        let Some(screen) = self.all[self.shown].of_kind::<PromptComparisonScreen>() else { return };
        let Some(job) = screen.side_job(side).cloned() else { return };
        let Some((index, _)) = self.template(tab) else { return self.notify("the tab with the template is closed") };
        self.show(index);
        if let Some(screen) = self.all[index].of_kind_mut::<TemplateScreen>() {
            screen.show_byte(&job, offset);
        }
    }
}
