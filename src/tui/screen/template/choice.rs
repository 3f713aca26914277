//! The list of conversations to render, over the panes.

use crate::template::probes::TemplateProbe;
use crate::text::wrap::{display_width, fit};
use crate::tui::action::Action;
use crate::tui::geometry::Area;
use crate::tui::list::{ListState, VisibleRows};
use crate::tui::row::{Piece, Row, count, padded};
use crate::tui::screen::template::TemplateScreen;
use crate::tui::style::Role;
use crate::tui::viewport::{self, Anchor, Rows};

/// The list of conversations while it is open.
pub(super) struct ProbeChoice {
    /// The selected row and the first visible one.
    pub list: ListState,
    /// Name and purpose of each conversation.
    pub lines: Vec<(String, String)>,
}

impl ProbeChoice {
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
        let at = Anchor { row: self.probe, ..Anchor::default() };
        let mut choice = ProbeChoice { list: ListState::at(at), lines };
        let room = choice.room(self.chrome.body());
        choice.list.reveal(&Rows(choice.lines.len()), room);
        self.choice = Some(choice);
    }

    /// Handles an action while the list is open; true if it was for the list.
    pub(super) fn act_in_choice(&mut self, action: Action) -> bool {
        let body = self.chrome.body();
        let Some(choice) = &mut self.choice else { return false };
        match action {
            Action::Move(motion) => {
                let room = choice.room(body);
                choice.list.go(&Rows(choice.lines.len()), motion, room);
            }
            Action::Toggle | Action::Open => {
                let row = choice.list.at.row;
                self.choice = None;
                self.render_probe(row);
            }
            Action::Cancel | Action::Close | Action::Probes => self.choice = None,
            _ => return false,
        }
        true
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
