//! Tabs with chat templates: the jobs that read, render and check them on other threads, and comparisons of their prompts.

use crate::tui::screen::comparison::prompt::job::{ComparedPrompts, PromptsJob};
use crate::tui::screen::comparison::prompt::PromptComparisonScreen;
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
}
