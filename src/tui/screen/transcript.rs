//! The transcript screen: the shared view, the panes, and the handling of events.
//!
//! It owns the selection and notifies every pane when that changes. A key goes to the focused pane, then to the others,
//! then to the screen.

mod activity;
mod arrival;
pub mod compare_list;
mod conversation;
mod copy;
mod declaration;
mod filter;
mod help_context;
mod jump;
mod jumps;
mod location;
mod mouse;
mod notes;
pub mod playground;
mod repair;
mod reparse;
pub mod replay;
mod replay_bar;
mod sample_call;
mod save_case;
mod screen;
mod scroll_anchor;
mod selection;
mod stable_selection;
mod status;
mod subagent;
mod tail_preview;
mod title;
mod update;
mod written_text;

use crate::dialect::Options;
use crate::location::Location;
use crate::session::Session;
use crate::text::Span;

use crate::tui::action::PaneId;
use crate::tui::geometry::Area;
use crate::tui::keymap::ScreenId;
use crate::tui::layout::{Border, BottomNeed, Layout};
use crate::tui::message::ContentPosition;
use crate::tui::pane::{Pane as _, Panes};
use crate::tui::replay::Replay;
use crate::tui::replay_overview::ReplayOverview;
use crate::tui::row::Target;
use crate::tui::screen::chrome::{Chrome, LOWEST_WITH_BAR};
use crate::tui::style::Role;
use crate::tui::throughput::Throughput;
use crate::tui::view::View;
use crate::tui::view::cache::Changed;
use crate::tui::view::origin::TextOrigin;
use activity::Activity;
use compare_list::RunList;
use jumps::Jumps;
use repair::RepairSearch;
use reparse::Reparse;
use scroll_anchor::ScrollAnchors;
use stable_selection::StableSelection;
use tail_preview::SavedMainView;

pub use arrival::prepare;

/// A transcript on the screen.
pub struct Transcript {
    /// The chrome around the panes.
    pub chrome: Chrome,
    /// The state that the panes show.
    pub view: View,
    /// The panes, each with its state.
    pub panes: Panes,
    /// State of following the source.
    pub following: Following,
    /// Options when it was opened.
    pub opened_with: Options,
    /// The text while it is being read again with other options.
    reparse: Option<Box<Reparse>>,
    /// A running search for repairs.
    repairing: Option<Box<RepairSearch>>,
    /// State of the main session's view while the end is previewed.
    saved_main_view: Option<Box<SavedMainView>>,
    /// The replay, if the text is one.
    pub replay: Option<Replay>,
    /// Overview of the whole text of a replay, which its bar shows.
    pub replay_overview: Option<Box<ReplayOverview>>,
    /// Contents of the source before it started over, until the tab takes them.
    pub previous_contents: Option<Box<Transcript>>,
    /// The selection before a pattern was typed, while it is being searched for.
    searched_from: Option<Target>,
    /// The location it was opened with, until it has arrived.
    pub opened_at: Option<Location>,
    /// The border between panes that the mouse is dragging.
    dragged_border: Option<Border>,
    /// The jump list.
    jumps: Jumps,
    /// The other runs to compare with, while they are listed.
    runs: Option<RunList>,
}

/// How the screen follows its source.
#[derive(Default)]
pub struct Following {
    /// True if the view follows the end.
    pub hold_end: bool,
    /// True if something has arrived since the last frame.
    has_arrived: bool,
    /// Number of lines that arrived below since the view stopped following the end.
    pub arrived: usize,
    /// True if the preview of the end needs earlier text.
    needs_room: bool,
    /// Scroll positions before something arrived, until the next frame.
    scroll_anchors: Option<ScrollAnchors>,
    /// The selection before the file was rewritten, until it is found again.
    selection_to_restore: Option<StableSelection>,
    /// The running call, and the time since the last byte.
    activity: Activity,
    /// Throughput and remaining bytes.
    pub throughput: Throughput,
}

/// Appearance of the screen, independent of the text.
#[derive(Clone, Copy, Debug)]
pub struct ViewOptions {
    /// Columns and rows of the screen.
    pub size: (u16, u16),
    /// Layout of the panes, and the focus.
    pub layout: Layout,
    /// True if long lines are wrapped in the raw pane.
    pub wrap: bool,
}

impl Transcript {
    /// The screen before anything has arrived.
    pub fn new(session: Session, options: Options, origin: TextOrigin, size: (u16, u16)) -> Self {
        let mut chrome = Chrome::new(ScreenId::Transcript);
        chrome.size = size;
        Self {
            chrome,
            view: View::new(session, options.clone(), origin, size),
            panes: Panes::default(),
            following: Following::default(),
            opened_with: options,
            reparse: None,
            repairing: None,
            saved_main_view: None,
            replay: None,
            replay_overview: None,
            previous_contents: None,
            searched_from: None,
            opened_at: None,
            dragged_border: None,
            jumps: Jumps::default(),
            runs: None,
        }
    }

    /// True if keys are typed into a text.
    pub fn types(&self) -> bool {
        self.view.is_typed_in() && self.chrome.prompt.is_none() && self.chrome.help.is_none()
    }

    /// Current appearance.
    pub fn look(&self) -> ViewOptions {
        ViewOptions { size: self.chrome.size, layout: self.view.layout, wrap: self.panes.raw.wrap }
    }

    /// Applies the appearance of another screen.
    pub fn set_look(&mut self, look: ViewOptions) {
        self.chrome.size = look.size;
        self.view.layout = Layout { edits: self.view.editor.is_some(), ..look.layout };
        if self.view.layout.bottom == PaneId::DeclarationEditor && self.view.editor.is_none() {
            // Only playgrounds have the declaration pane.
            self.view.layout.bottom = PaneId::Problems;
        }
        self.panes.raw.wrap = look.wrap;
        self.divide();
    }

    /// Shows the screen in place of another one with this appearance.
    pub fn enter(&mut self, look: ViewOptions) {
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

    /// Updates the area of the panes. Returns true if it has changed.
    fn divide(&mut self) -> bool {
        let mut body = self.chrome.body();
        body.height -= self.replay_bar_area().map_or(0, |line| line.height);
        let is_session = self.view.is_recorded_session();
        let was_session = std::mem::replace(&mut self.view.layout.is_session, is_session);
        std::mem::replace(&mut self.view.layout.body, body) != body || was_session != is_session
    }

    /// The bar of a replay below the panes, if there is one and it fits.
    fn replay_bar_area(&self) -> Option<Area> {
        let body = self.chrome.body();
        let is_there = self.replay_overview.is_some() && self.chrome.size.1 >= LOWEST_WITH_BAR;
        is_there.then(|| Area { y: body.y + body.height - 1, height: 1, ..body })
    }

    /// Moves the current contents and their state into a new transcript, and continues with the session `fresh`.
    fn take_contents(&mut self, fresh: Session) -> Transcript {
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
        self.following.scroll_anchors = None;
        self.following.arrived = 0;
        self.view.number += 1;
        part
    }

    /// An empty text for the standard error of the same command.
    pub fn stderr_transcript(&self) -> Transcript {
        let session = Session::new(self.view.session.container(), &self.view.options);
        let origin = TextOrigin { name: "stderr".into(), ..TextOrigin::default() };
        let mut beside = Transcript::new(session, self.view.options.clone(), origin, self.chrome.size);
        beside.set_look(self.look());
        beside.following.hold_end = true;
        beside.view.hidden = true;
        beside
    }

    /// Progress of reading it again with other options, in percent.
    fn reread_percent(&self) -> Option<usize> {
        let read = self.reparse.as_ref()?.session.file().len();
        Some((read * 100).checked_div(self.view.session.file().len()).unwrap_or(100))
    }

    /// Shows a message until the next key.
    fn show_message(&mut self, text: impl Into<String>, role: Role) {
        self.chrome.show_message(text, role);
    }

    /// The position up to which the current contents have been read.
    fn here(&self) -> ContentPosition {
        ContentPosition { text: self.view.number, offset: self.view.whole().text().len() }
    }

    /// The position of the selection.
    fn here_selected(&self) -> ContentPosition {
        ContentPosition { text: self.view.number, offset: self.view.base() + self.view.selection.offset }
    }

    /// Adds the current position to the jump list before a jump. Jumps while a pattern is being typed do not count.
    fn remember_place(&mut self) {
        if self.searched_from.is_none() {
            self.jumps.leave(self.here_selected());
        }
    }

    /// Shows a message about the source, and logs it as an event.
    fn log(&mut self, text: String, role: Role) {
        self.view.events.add(&text, role, self.here());
        self.reveal_events();
        self.show_message(text, role);
    }

    /// Logs the standard error of a command.
    pub fn log_stderr(&mut self, bytes: &[u8]) {
        self.view.events.add_aside(bytes, self.here());
        self.reveal_events();
    }

    /// Scrolls the list of events to the chosen one.
    fn reveal_events(&mut self) {
        if !self.view.hidden {
            self.panes.events.reveal(&self.view);
        }
    }

    /// The height that the bottom pane needs.
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

    /// Scrolls every pane as little as necessary to reveal the selection.
    fn reveal(&mut self) {
        self.view.layout.need = self.bottom_need();
        self.panes.all_mut().for_each(|pane| pane.reveal(&self.view));
        self.anchor_again();
    }

    /// Keeps the panes in place in the next frame, if something has arrived since the last one.
    fn anchor_again(&mut self) {
        if self.following.scroll_anchors.is_some() {
            self.following.scroll_anchors = Some(ScrollAnchors::new(self));
        }
    }

    /// Focuses a pane, which also makes it visible.
    fn focus(&mut self, pane: PaneId) {
        self.view.layout.focus_on(pane);
        self.reveal();
    }

    /// Discards everything derived from the items and lines starting at these.
    fn forget_from(&mut self, first: Changed) {
        self.view.cache.borrow_mut().forget_from(first);
        if let Some(filter) = &mut self.view.filter {
            filter.forget_from(first.item, &self.view.session);
        }
        self.panes.all_mut().for_each(|pane| pane.forget_from(first.item));
    }

    /// Discards everything derived from the text.
    fn forget_all(&mut self) {
        self.forget_from(Changed::default());
        let mut cache = self.view.cache.borrow_mut();
        cache.forget_all();
        cache.forget_graph();
    }

    /// The text of a span.
    fn read(&self, span: Span) -> String {
        self.view.session.text().read_str(span).into_owned()
    }
}

#[cfg(test)]
mod tests;
