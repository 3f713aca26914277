//! The screen of a transcript: what its panes look at, the panes, and what happens to both.
//!
//! It owns what is selected and tells every pane when that changes. A key goes to the pane that has the focus, then to
//! the others, then to the screen. This module does not know the terminal: keys have become actions, and what needs the
//! terminal is an effect.

mod arrival;
mod conversation;
pub mod draw;
mod events;
mod jumps;
mod mouse;
pub mod playground;
mod repair;
pub mod replay;
mod rereading;
mod saving;
mod screen;
mod scroll_anchor;
mod selection;
mod stable_selection;
mod status;
mod tail_preview;
pub mod timeline_bar;
mod title;
mod update;

use crate::dialect::Options;
use crate::session::Session;
use crate::text::Span;

use crate::tui::action::PaneId;
use crate::tui::layout::Layout;
use crate::tui::message::{StatusMessage, TabTitle};
use crate::tui::pane::Panes;
use crate::tui::prompt::{Prompt, PromptKind};
use crate::tui::replay::Replay;
use crate::tui::style::Role;
use crate::tui::throughput::Throughput;
use crate::tui::timeline::Timeline;
use crate::tui::view::View;
use crate::tui::view::cache::Changed;
use crate::tui::view::origin::Origin;
use rereading::Rereading;
use scroll_anchor::ScrollAnchors;
use stable_selection::StableSelection;
use tail_preview::Left;

pub use arrival::prepare;
pub use update::{enter, go_to, note_stderr, show_tab_bar, update, work};

/// A transcript on the screen.
pub struct Transcript {
    /// What the panes look at.
    pub view: View,
    /// The panes, each with its own state.
    pub panes: Panes,
    /// How the screen follows what arrives.
    pub following: Following,
    /// What it was read with when it was opened.
    pub opened_with: Options,
    /// The text as it is being read again with other options.
    rereading: Option<Box<Rereading>>,
    /// What was seen of the whole text, while its end is shown ahead of reading.
    left: Option<Box<Left>>,
    /// The text that is played as if it were arriving, if it is one.
    pub replay: Option<Replay>,
    /// The whole of that text, for the line below the panes.
    pub timeline: Option<Box<Timeline>>,
    /// What stood in the source before, from when it begins anew until somebody takes it.
    pub previous_contents: Option<Box<Transcript>>,
    /// The tabs, where there are several.
    pub tab_bar: Vec<TabTitle>,
    /// The line that is being typed, if there is one.
    pub prompt: Option<Prompt>,
    /// The first row of help that is shown, if help is open.
    pub help: Option<usize>,
    /// A line for the person.
    pub message: Option<StatusMessage>,
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
    /// How fast bytes arrive, and how many are missing.
    pub throughput: Throughput,
}

/// What the screen looks like, whatever is shown on it.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    layout: Layout,
    wrap: bool,
}

impl Transcript {
    /// The screen before anything has arrived, of some size.
    pub fn new(session: Session, options: Options, origin: Origin, size: (u16, u16)) -> Self {
        Self {
            view: View::new(session, options.clone(), origin, size),
            panes: Panes::default(),
            following: Following::default(),
            opened_with: options,
            rereading: None,
            left: None,
            replay: None,
            timeline: None,
            previous_contents: None,
            tab_bar: Vec::new(),
            prompt: None,
            help: None,
            message: None,
        }
    }

    /// Whether keys are typed into a text.
    pub fn types(&self) -> bool {
        self.view.is_typed_in() && self.prompt.is_none() && self.help.is_none()
    }

    /// What the screen looks like.
    pub fn look(&self) -> Look {
        Look { layout: self.view.layout, wrap: self.panes.raw.wrap }
    }

    /// Makes the screen look as another one does.
    pub fn set_look(&mut self, look: Look) {
        let Layout { tab_bar, timeline, .. } = self.view.layout;
        self.view.layout = Layout { tab_bar, timeline, ..look.layout };
        self.panes.raw.wrap = look.wrap;
    }

    /// The text with all that belongs to it, taken out of here: what is left begins anew, with a session for it.
    fn part(&mut self, fresh: Session) -> Transcript {
        let session = std::mem::replace(&mut self.view.session, fresh);
        let mut part =
            Transcript::new(session, self.view.options.clone(), self.view.origin.clone(), self.view.layout.size);
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
        part.set_look(look);
        self.set_look(look);
        part.view.hidden = true;
        self.view.origin.size = None;
        self.rereading = None;
        self.following.anchors = None;
        self.following.arrived = 0;
        self.view.number += 1;
        part
    }

    /// An empty text beside this one, for what a command writes to its standard error.
    pub fn beside(&self) -> Transcript {
        let session = Session::new(self.view.session.container(), &self.view.options);
        let origin = Origin { name: "stderr".into(), ..Origin::default() };
        let mut beside = Transcript::new(session, self.view.options.clone(), origin, self.view.layout.size);
        beside.set_look(self.look());
        beside.following.hold_end = true;
        beside.view.hidden = true;
        beside
    }

    /// Whether there is something to be done while nothing happens.
    pub fn has_work(&self) -> bool {
        self.rereading.is_some()
            || self.view.is_searching()
            || Panes::ALL.iter().any(|&id| self.panes.get(id).has_work(&self.view))
            || self.timeline.as_ref().is_some_and(|timeline| timeline.is_behind())
    }

    /// How far reading it again with other options has come, in percent, if that is so.
    fn reread_percent(&self) -> Option<usize> {
        let read = self.rereading.as_ref()?.read();
        Some((read * 100).checked_div(self.view.session.file().len()).unwrap_or(100))
    }

    /// Shows a line until the next key.
    fn tell(&mut self, text: impl Into<String>, role: Role) {
        self.message = Some(StatusMessage { text: text.into(), role });
    }

    /// Asks for a line, in which some words stand already.
    fn ask(&mut self, kind: PromptKind, words: String) {
        self.prompt = Some(Prompt { kind, input: words.into() });
    }

    /// Scrolls every pane as little as is needed to show what is selected.
    fn reveal(&mut self) {
        self.view.layout.needs_height = Panes::facts(self.view.layout.bottom).needs_height;
        for &id in Panes::ALL {
            self.panes.get_mut(id).reveal(&self.view);
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
        for &id in Panes::ALL {
            self.panes.get_mut(id).forget_from(first.item);
        }
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
