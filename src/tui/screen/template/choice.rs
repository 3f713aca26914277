//! A list to choose from, over the panes: the conversation to render, or the prompt to compare with.

use std::ops::ControlFlow;

use crate::template::conversation::TemplateRuntime;
use crate::template::probes::TemplateProbe;
use crate::text::wrap::{display_width, fit};
use crate::tui::action::Action;
use crate::tui::geometry::Area;
use crate::tui::list::{ListState, VisibleRows};
use crate::tui::message::{Effect, Navigation, OtherPrompt};
use crate::tui::row::{Piece, Row, count, padded};
use crate::tui::screen::template::TemplateScreen;
use crate::tui::style::Role;
use crate::tui::viewport::{self, Anchor, Rows};

/// The list while it is open.
pub(super) struct ListChoice {
    /// The selected row and the first visible one.
    pub list: ListState,
    /// Name and description of each line.
    pub lines: Vec<(String, String)>,
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

    fn width(&self) -> usize {
        let width = |(name, about): &(String, String)| display_width(name.as_bytes()).min(30) + about.len() + 6;
        self.lines.iter().map(width).max().unwrap_or(20)
    }

    /// The area of the list on the screen.
    pub fn area(&self, body: Area) -> Area {
        let fit = |wanted: usize, room: u16| u16::try_from(wanted + 2).unwrap_or(room).min(room);
        let (width, height) = (fit(self.width(), body.width), fit(self.lines.len(), body.height));
        Area { x: body.x + (body.width - width) / 2, y: body.y + (body.height - height) / 2, width, height }
    }

    fn room(&self, body: Area) -> VisibleRows {
        VisibleRows { height: usize::from(self.area(body).inner().height), margin: 1 }
    }

    /// The visible rows with their indexes.
    pub fn rows(&self, body: Area) -> Vec<(usize, Row)> {
        let names = self.lines.iter().map(|(name, _)| display_width(name.as_bytes())).max().unwrap_or_default().min(30);
        let shown = viewport::window(&Rows(self.lines.len()), self.list.top, self.room(body).height);
        let row = |at: Anchor| {
            let (name, about) = &self.lines[at.row];
            let name = Piece::new(format!(" {}  ", padded(&fit(name, names), names)), Role::Name);
            (at.row, Row::words(vec![name, Piece::new(about, Role::Text)]))
        };
        shown.into_iter().map(row).collect()
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
        let mut choice = ListChoice { list: ListState::at(Anchor { row, ..Anchor::default() }), lines, others };
        let room = choice.room(self.chrome.body());
        choice.list.reveal(&Rows(choice.lines.len()), room);
        self.choice = Some(choice);
    }

    /// Handles an action while the list is open; returns the actions that are not for the list.
    pub(super) fn act_in_choice(&mut self, action: Action) -> ControlFlow<Option<Effect>, Action> {
        let body = self.chrome.body();
        let Some(choice) = &mut self.choice else { return ControlFlow::Continue(action) };
        match action {
            Action::Move(motion) => {
                let room = choice.room(body);
                choice.list.go(&Rows(choice.lines.len()), motion, room);
            }
            Action::Toggle | Action::Open => {
                let row = choice.list.at.row;
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
        let choice = self.choice.as_ref()?;
        let body = self.chrome.body();
        let inner = choice.area(body).inner();
        let row = usize::from(y.checked_sub(inner.y)?);
        inner.contains(x, y).then(|| choice.rows(body).get(row).map(|(index, _)| *index)).flatten()
    }
}
