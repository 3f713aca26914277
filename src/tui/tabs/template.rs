//! Tabs with chat templates: the jobs that read, render and check them on other threads.

use crate::tui::screen::template::TemplateScreen;
use crate::tui::tabs::{Tab, Tabs};
use crate::tui::template::{TemplateEvent, TemplateJob};

impl Tabs {
    /// The job with a number that a tab waits for, and a check for whether it was cancelled.
    pub fn template_job(&self, tab: usize, job: usize) -> Option<(TemplateJob, impl Fn() -> bool + Send + use<>)> {
        let mut screens = self.all.iter().filter_map(Tab::of_kind);
        screens.find(|screen: &&TemplateScreen| screen.tab == tab)?.job(job)
    }

    /// Delivers a result of a job; ignored if the tab waits for another one.
    pub fn template_told(&mut self, tab: usize, job: usize, event: TemplateEvent) {
        let mut screens = self.all.iter_mut().filter_map(Tab::of_kind_mut);
        if let Some(screen) = screens.find(|screen: &&mut TemplateScreen| screen.tab == tab) {
            screen.take(job, event);
        }
    }
}
