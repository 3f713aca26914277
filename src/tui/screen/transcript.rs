//! The screen of a transcript: what its panes look at, the panes, and what happens to both.
//!
//! It owns what is selected and tells every pane when that changes. A key goes to the pane that has the focus, then to
//! the others, then to the screen.

mod activity;
mod arrival;
mod conversation;
mod copy;
mod declaration;
mod filter;
mod jump;
mod jumps;
mod location;
mod mouse;
mod notes;
pub mod playground;
mod repair;
mod reparse;
pub mod replay;
mod save_case;
mod screen;
mod scroll_anchor;
mod selection;
mod stable_selection;
mod status;
mod subagent;
mod tail_preview;
mod timeline_bar;
mod title;
mod update;
mod written_text;

use crate::dialect::Options;
use crate::location::Location;
use crate::session::Session;
use crate::text::Span;

use crate::tui::action::PaneId;
use crate::tui::geometry::Area;
use crate::tui::keymap::Keys;
use crate::tui::layout::{Border, BottomNeed, Layout};
use crate::tui::message::Place;
use crate::tui::pane::{Pane as _, Panes};
use crate::tui::replay::Replay;
use crate::tui::row::Target;
use crate::tui::screen::chrome::{Chrome, LOWEST_WITH_BAR};
use crate::tui::style::Role;
use crate::tui::throughput::Throughput;
use crate::tui::timeline::Timeline;
use crate::tui::view::View;
use crate::tui::view::cache::Changed;
use crate::tui::view::origin::TextOrigin;
use activity::Activity;
use jumps::Jumps;
use repair::RepairSearch;
use reparse::Reparse;
use scroll_anchor::ScrollAnchors;
use stable_selection::StableSelection;
use tail_preview::Left;

pub use arrival::prepare;

/// A transcript on the screen.
pub struct Transcript {
    /// What is around the panes.
    pub chrome: Chrome,
    /// What the panes look at.
    pub view: View,
    /// The panes, each with its own state.
    pub panes: Panes,
    /// How the screen follows what arrives.
    pub following: Following,
    /// What it was read with when it was opened.
    pub opened_with: Options,
    /// The text as it is being read again with other options.
    reparse: Option<Box<Reparse>>,
    /// Repairs that are being looked for.
    repairing: Option<Box<RepairSearch>>,
    /// What was seen of the whole text, while its end is shown ahead of reading.
    left: Option<Box<Left>>,
    /// The text that is played as if it were arriving, if it is one.
    pub replay: Option<Replay>,
    /// The whole of that text, for the line below the panes.
    pub timeline: Option<Box<Timeline>>,
    /// What stood in the source before, from when it begins anew until somebody takes it.
    pub previous_contents: Option<Box<Transcript>>,
    /// What was selected before a pattern was typed, while it is searched for.
    searched_from: Option<Target>,
    /// The place with which it was opened, until it is there.
    pub opened_at: Option<Location>,
    /// The border between panes that the mouse holds.
    dragged_border: Option<Border>,
    /// The way back.
    jumps: Jumps,
}

/// How a screen follows what arrives.
#[derive(Default)]
pub struct Following {
    /// Whether the view stays at the end while more arrives.
    pub hold_end: bool,
    /// Whether something has arrived since the last frame.
    has_arrived: bool,
    /// Lines that arrived below since the view let go of the end.
    pub arrived: usize,
    /// Whether more is to be read in front of the end that is shown ahead of reading.
    needs_room: bool,
    /// Where the panes stood before something arrived, until the next frame.
    anchors: Option<ScrollAnchors>,
    /// What was selected before a file was written anew, until it is there again.
    sought: Option<StableSelection>,
    /// The running call, and the time since the last byte.
    activity: Activity,
    /// How fast bytes arrive, and how many are missing.
    pub throughput: Throughput,
}

/// What the screen looks like, whatever is shown on it.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    /// Columns and rows of the screen.
    pub size: (u16, u16),
    /// How the panes share it, and which has the focus.
    pub layout: Layout,
    /// Whether long raw lines are wrapped.
    pub wrap: bool,
}

impl Transcript {
    /// The screen before anything has arrived, of some size.
    pub fn new(session: Session, options: Options, origin: TextOrigin, size: (u16, u16)) -> Self {
        let mut chrome = Chrome::new(Keys::Transcript);
        chrome.size = size;
        Self {
            chrome,
            view: View::new(session, options.clone(), origin, size),
            panes: Panes::default(),
            following: Following::default(),
            opened_with: options,
            reparse: None,
            repairing: None,
            left: None,
            replay: None,
            timeline: None,
            previous_contents: None,
            searched_from: None,
            opened_at: None,
            dragged_border: None,
            jumps: Jumps::default(),
        }
    }

    /// Whether keys are typed into a text.
    pub fn types(&self) -> bool {
        self.view.is_typed_in() && self.chrome.prompt.is_none() && self.chrome.help.is_none()
    }

    /// What the screen looks like.
    pub fn look(&self) -> Look {
        Look { size: self.chrome.size, layout: self.view.layout, wrap: self.panes.raw.wrap }
    }

    /// Makes the screen look as another one does.
    pub fn set_look(&mut self, look: Look) {
        self.chrome.size = look.size;
        self.view.layout = Layout { edits: self.view.editor.is_some(), ..look.layout };
        if self.view.layout.bottom == PaneId::DeclarationEditor && self.view.editor.is_none() {
            // It is written in playgrounds alone.
            self.view.layout.bottom = PaneId::Problems;
        }
        self.panes.raw.wrap = look.wrap;
        self.divide();
    }

    /// Shows the screen in the place of another one, which looked like this.
    pub fn enter(&mut self, look: Look) {
        self.view.hidden = false;
        self.chrome.message = None;
        self.set_look(look);
        self.view.cache.borrow_mut().forget_rows();
        if self.following.hold_end {
            self.show_end();
            self.following.hold_end = self.view.is_live();
        } else {
            self.reveal();
        }
    }

    /// Gives the panes all that is between the lines around them. Whether that is not what they had.
    fn divide(&mut self) -> bool {
        let mut body = self.chrome.body();
        body.height -= self.timeline_area().map_or(0, |line| line.height);
        let is_session = self.view.is_recorded_session();
        let was_session = std::mem::replace(&mut self.view.layout.is_session, is_session);
        std::mem::replace(&mut self.view.layout.body, body) != body || was_session != is_session
    }

    /// The line below the panes with how far a replay has come, where there is room for one.
    fn timeline_area(&self) -> Option<Area> {
        let body = self.chrome.body();
        let is_there = self.timeline.is_some() && self.chrome.size.1 >= LOWEST_WITH_BAR;
        is_there.then(|| Area { y: body.y + body.height - 1, height: 1, ..body })
    }

    /// The text with all that belongs to it, taken out of here: what is left begins anew, with a session for it.
    fn part(&mut self, fresh: Session) -> Transcript {
        let session = std::mem::replace(&mut self.view.session, fresh);
        let mut part = Transcript::new(session, self.view.options.clone(), self.view.origin.clone(), self.chrome.size);
        let look = self.look();
        part.panes = self.panes.clone();
        self.panes.forget_text();
        self.panes.raw.forget_gutter();
        part.view.so_far = std::mem::take(&mut self.view.so_far);
        part.view.selection = std::mem::take(&mut self.view.selection);
        part.view.search = self.view.search.take();
        part.view.cache = std::mem::take(&mut self.view.cache);
        part.view.events = self.view.events.clone();
        part.view.number = self.view.number;
        self.view.notes.removed = None;
        part.view.notes.fault = Some("earlier contents: notes are made on the current ones; ) returns".into());
        part.set_look(look);
        self.set_look(look);
        part.view.hidden = true;
        self.view.origin.size = None;
        self.reparse = None;
        self.following.anchors = None;
        self.following.arrived = 0;
        self.view.number += 1;
        part
    }

    /// An empty text beside this one, for what a command writes to its standard error.
    pub fn beside(&self) -> Transcript {
        let session = Session::new(self.view.session.container(), &self.view.options);
        let origin = TextOrigin { name: "stderr".into(), ..TextOrigin::default() };
        let mut beside = Transcript::new(session, self.view.options.clone(), origin, self.chrome.size);
        beside.set_look(self.look());
        beside.following.hold_end = true;
        beside.view.hidden = true;
        beside
    }

    /// How far reading it again with other options has come, in percent, if that is so.
    fn reread_percent(&self) -> Option<usize> {
        let read = self.reparse.as_ref()?.session.file().len();
        Some((read * 100).checked_div(self.view.session.file().len()).unwrap_or(100))
    }

    /// Shows a line until the next key.
    fn tell(&mut self, text: impl Into<String>, role: Role) {
        self.chrome.tell(text, role);
    }

    /// The offset up to which the present text was read.
    fn here(&self) -> Place {
        Place { text: self.view.number, offset: self.view.whole().text().len() }
    }

    /// The place that is selected.
    fn here_selected(&self) -> Place {
        Place { text: self.view.number, offset: self.view.base() + self.view.selection.offset }
    }

    /// Remembers where the person is before they go far away. What is gone to while a pattern is typed is no jump.
    fn remember_place(&mut self) {
        if self.searched_from.is_none() {
            self.jumps.leave(self.here_selected());
        }
    }

    /// Says something about the source, and keeps it in the list of events.
    fn log(&mut self, text: String, role: Role) {
        self.view.events.add(&text, role, self.here());
        self.reveal_events();
        self.tell(text, role);
    }

    /// Takes in what a command wrote to its standard error.
    pub fn log_stderr(&mut self, bytes: &[u8]) {
        self.view.events.add_aside(bytes, self.here());
        self.reveal_events();
    }

    /// Scrolls the list to the event that is chosen.
    fn reveal_events(&mut self) {
        if !self.view.hidden {
            self.panes.events.reveal(&self.view);
        }
    }

    /// How much room the pane at the bottom needs.
    fn bottom_need(&self) -> BottomNeed {
        let bottom = self.view.layout.bottom;
        if Panes::facts(bottom).needs_height {
            return BottomNeed::Half;
        }
        let list = self.panes.get(bottom).list(&self.view);
        match (bottom, list.map(|(list, _)| list.numbers().len())) {
            (_, Some(0)) => BottomNeed::Title,
            (PaneId::Problems, Some(rows)) => BottomNeed::Rows(rows.try_into().unwrap_or(u16::MAX)),
            _ => BottomNeed::Usual,
        }
    }

    /// Scrolls every pane as little as is needed to show what is selected.
    fn reveal(&mut self) {
        self.view.layout.need = self.bottom_need();
        self.panes.all_mut().for_each(|pane| pane.reveal(&self.view));
        self.anchor_again();
    }

    /// Keeps the panes where they are in the next frame, whatever has arrived since the last one.
    fn anchor_again(&mut self) {
        if self.following.anchors.is_some() {
            self.following.anchors = Some(ScrollAnchors::new(self));
        }
    }

    /// Gives the focus to a pane, which is shown from then on.
    fn focus(&mut self, pane: PaneId) {
        self.view.layout.focus_on(pane);
        self.reveal();
    }

    /// Forgets what was made of the items and lines from these on.
    fn forget_from(&mut self, first: Changed) {
        self.view.cache.borrow_mut().forget_from(first);
        if let Some(filter) = &mut self.view.filter {
            filter.forget_from(first.item, &self.view.session);
        }
        self.panes.all_mut().for_each(|pane| pane.forget_from(first.item));
    }

    /// Forgets all that was made of the text.
    fn forget_all(&mut self) {
        self.forget_from(Changed::default());
        let mut cache = self.view.cache.borrow_mut();
        cache.forget_all();
        cache.forget_graph();
    }

    /// The text of a stretch of what is shown.
    fn read(&self, span: Span) -> String {
        self.view.session.text().read_str(span).into_owned()
    }
}

#[cfg(test)]
mod tests;
