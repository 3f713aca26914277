//! A list to choose from, over the panes: the conversation to render, or the prompt to compare with.

use std::ops::ControlFlow;

use crate::template::conversation::TemplateRuntime;
use crate::template::probes::TemplateProbe;
use crate::tui::action::Action;
use crate::tui::message::{Effect, Navigation, OtherPrompt};
use crate::tui::row::{Piece, count};
use crate::tui::screen::chrome::overlay_list::{OverlayLine, OverlayList, OverlayPlace};
use crate::tui::screen::template::TemplateScreen;
use crate::tui::style::Role;

/// The list while it is open.
pub(super) struct ListChoice {
    /// The lines over the panes.
    pub list: OverlayList,
    /// The prompts to compare with; nothing for the list of conversations.
    others: Option<Vec<OtherPrompt>>,
}

impl ListChoice {
    /// The question that the list answers, in its border.
    pub fn title(&self) -> &'static str {
        if self.others.is_some() { " Compare this prompt with " } else { " Conversation to render " }
    }

    /// The effect of Enter, for the bottom line.
    pub fn verb(&self) -> &'static str {
        if self.others.is_some() { "compare" } else { "render it" }
    }
}

impl TemplateScreen {
    /// Opens the list of conversations.
    pub(super) fn choose_probe(&mut self) {
        let known = TemplateProbe::all();
        let about = |name: &str, messages: usize| {
            let known = known.iter().find(|probe| probe.name == name).map(|probe| probe.about.clone());
            known.unwrap_or_else(|| count(messages, "message"))
        };
        let probes = self.opened.probes.iter();
        let line = |probe: &crate::template::check::ProbedConversation| {
            (probe.name.clone(), about(&probe.name, probe.conversation.messages.len()))
        };
        let lines = probes.map(line).collect();
        self.open_choice(lines, None, self.probe);
    }

    /// Opens the list of prompts to compare the shown one with; `templates` are the ids and names of other tabs.
    pub fn choose_other_prompt(&mut self, templates: Vec<(usize, String)>) {
        let runtimes = TemplateRuntime::ALL.into_iter().filter(|runtime| *runtime != self.runtime());
        let mut others: Vec<OtherPrompt> = runtimes.map(OtherPrompt::Runtime).collect();
        let mut lines: Vec<(String, String)> = Vec::new();
        for other in &others {
            if let OtherPrompt::Runtime(runtime) = other {
                lines.push((format!("as {}", runtime.marked_name()), "the same template".to_owned()));
            }
        }
        if templates.is_empty() {
            let hint = "open a second template to compare two: transcope template A B";
            self.chrome.show_message(hint, Role::Dim);
        }
        for (tab, name) in templates {
            others.push(OtherPrompt::Template(tab));
            lines.push((name, "the template of another tab, with this conversation".to_owned()));
        }
        self.open_choice(lines, Some(others), 0);
    }

    fn open_choice(&mut self, lines: Vec<(String, String)>, others: Option<Vec<OtherPrompt>>, row: usize) {
        let line = |(name, about): (String, String)| OverlayLine { name, about: vec![Piece::new(about, Role::Text)] };
        let lines = lines.into_iter().map(line).collect();
        let list = OverlayList::new(lines, row, OverlayPlace::Middle, self.chrome.body());
        self.choice = Some(ListChoice { list, others });
    }

    /// Handles an action while the list is open; returns the actions that are not for the list.
    pub(super) fn act_in_choice(&mut self, action: Action) -> ControlFlow<Option<Effect>, Action> {
        let body = self.chrome.body();
        let Some(choice) = &mut self.choice else { return ControlFlow::Continue(action) };
        match action {
            Action::Move(motion) => choice.list.go(motion, body),
            Action::Toggle | Action::Open => {
                let row = choice.list.row();
                return ControlFlow::Break(self.choose(Some(row)));
            }
            Action::Cancel | Action::Close | Action::Probes | Action::Compare => self.choice = None,
            action => return ControlFlow::Continue(action),
        }
        ControlFlow::Break(None)
    }

    /// Closes the list, and does what a row of it is for.
    pub(super) fn choose(&mut self, row: Option<usize>) -> Option<Effect> {
        let (choice, row) = (self.choice.take()?, row?);
        if let Some(others) = choice.others {
            return others.get(row).map(|other| Effect::Go(Navigation::ComparePrompts(*other)));
        }
        self.render_probe(row);
        None
    }

    /// Renders another conversation; its problems are known.
    pub(super) fn render_probe(&mut self, probe: usize) {
        if probe != self.probe && probe < self.opened.probes.len() {
            self.probe = probe;
            self.shown_problem = None;
            self.render_again();
        }
    }

    /// The row of the open list at a cell.
    pub(super) fn choice_at(&self, x: u16, y: u16) -> Option<usize> {
        self.choice.as_ref()?.list.row_at(self.chrome.body(), x, y)
    }
}
