//! Tabs with chat templates: the jobs that read, render and check them on other threads, and comparisons of their prompts.

use crate::tui::message::OtherPrompt;
use crate::tui::screen::comparison::prompt::job::{ComparedPrompts, PromptsJob};
use crate::tui::screen::comparison::prompt::{PromptComparisonScreen, PromptSide};
use crate::tui::screen::template::TemplateScreen;
use crate::tui::tabs::{Tab, Tabs};
use crate::tui::template::{TemplateEvent, TemplateJob};

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
