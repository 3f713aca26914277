//! Everything the screen shows, as plain data: the session, what is selected, folded, searched for and scrolled to.
//!
//! What is derived from it and costs something (parameter trees, laid-out rows, the graph's drawing) is made when it
//! is asked for and kept in a bounded cache. This module does not know the terminal, and changes nothing by itself.

mod costs;
mod derived;
mod look;
mod recorded;

use crate::tui::message::{StatusMessage, TabTitle};
pub use costs::{Chosen, Costs};
pub use look::Look;
pub use recorded::Offer;

use std::cell::RefCell;

use crate::diagnostic::Diagnostic;
use crate::dialect;
use crate::params::NodeId;
use crate::report::waiting::{Waiting, waiting};
use crate::session::Session;
use crate::text::Span;

use crate::tui::action::Tab;
use crate::tui::cache::Cache;
use crate::tui::dialects::Dialects;
use crate::tui::events::Events;
use crate::tui::folds::Folds;
use crate::tui::geometry::Area;
use crate::tui::layout::Areas;
use crate::tui::layout::Pane;
use crate::tui::origin::{Origin, Phase, SourceState};

use crate::tui::playground::Playground;
use crate::tui::problems::Problems;
use crate::tui::replay::Replay;
use crate::tui::rows::Target;
use crate::tui::scroll_anchor::ScrollAnchors;
use crate::tui::search::{Prompt, Search};
use crate::tui::settings::Settings;
use crate::tui::stable_selection::StableSelection;
use crate::tui::tail_preview::TailPreview;
use crate::tui::throughput::Throughput;
use crate::tui::timeline::Timeline;
use crate::tui::viewport::Anchor;

/// Rows of a screen below which the bar of the tabs gives way.
const LOWEST_WITH_BAR: u16 = 8;

/// The least columns of the line numbers.
const GUTTER: usize = 3;

/// The least columns of the line numbers of a text of which nobody knows how long it will be.
const GUTTER_OF_GROWING: usize = 5;

/// Where each pane is scrolled to.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tops {
    /// Item, and 0 for the heading in front of it or else its part, from 1.
    pub outline: Anchor<(usize, usize)>,
    /// Item, and its part.
    pub reading: Anchor<(usize, usize)>,
    /// Line, and its part.
    pub raw: Anchor<(usize, usize)>,
    /// Problem, in the order of the text.
    pub problems: Anchor<usize>,
    /// Row.
    pub details: Anchor<usize>,
    /// Event, by its number.
    pub events: Anchor<usize>,
    /// Column and row of the drawing.
    pub graph: (usize, usize),
    /// Column that raw lines are cut at on the left when they are not wrapped.
    pub raw_column: usize,
}

/// A text that is being read again.
pub struct Rereading {
    /// What has been read so far.
    pub session: Session,
    /// What has changed, in words.
    pub words: String,
}

/// The state of the screen.
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own that a key flips")]
pub struct State {
    /// The transcript, or its end while that is looked at ahead of reading.
    pub session: Session,
    /// The text that is written here, if it is one.
    pub editor: Option<Box<Playground>>,
    /// The text that is played as if it were arriving, if it is one.
    pub replay: Option<Replay>,
    /// The whole of that text, for the bar below the panes.
    pub track: Option<Box<Timeline>>,
    /// The text as it is being read again with other settings.
    pub rereading: Option<Box<Rereading>>,
    /// The switches of what it is read with.
    pub settings: Settings,
    /// The dialects side by side.
    pub dialects: Dialects,
    /// A repair that is shown, until it is made or something else is done.
    pub offer: Option<Offer>,
    /// The look at the end, if there is one.
    pub peek: Option<Box<TailPreview>>,
    /// Where the panes stood before something arrived, until the next frame.
    pub pins: Option<ScrollAnchors>,
    /// Whether something has arrived since the last frame.
    pub has_arrived: bool,
    /// Whether it comes as fast as it can be read.
    pub rush: bool,
    /// Columns of the line numbers: never less than before, so that nothing beside them moves.
    pub gutter: usize,
    /// What it is read with.
    pub options: dialect::Options,
    /// What it was read with when it was opened.
    pub opened_with: dialect::Options,
    /// Where it comes from.
    pub origin: Origin,
    /// How fast it comes.
    pub gauge: Throughput,
    /// What is wrong between the calls if nothing more arrives, in the order of the text; empty once that is certain.
    pub so_far: Vec<Diagnostic>,
    /// Columns and rows of the screen.
    pub size: (u16, u16),
    /// The pane that the keys go to.
    pub focus: Pane,
    /// The pane above the bottom one that they went to last.
    pub above: Pane,
    /// What the bottom pane shows.
    pub tab: Tab,
    /// Whether the focused pane fills the screen.
    pub zoomed: bool,
    /// Whether the bottom pane has half of the height.
    pub tall_bottom: bool,
    /// Whether long raw lines are wrapped.
    pub wrap_raw: bool,
    /// Whether the raw pane shows the file, where the text was decoded from one.
    pub raw_file: bool,
    /// Whether the raw pane marks where the text goes on elsewhere in the file: the chunks of a stream.
    pub raw_borders: bool,
    /// What is selected.
    pub selection: Target,
    /// Where each pane is scrolled to.
    pub tops: Tops,
    /// What is folded.
    pub folds: Folds,
    /// Whether abandoned messages are shown.
    pub all_branches: bool,
    /// Whether the view stays at the end while more arrives.
    pub hold_end: bool,
    /// Whether another tab is shown, so that nothing is laid out here.
    pub hidden: bool,
    /// The tabs, where there are several.
    pub bar: Vec<TabTitle>,
    /// What happened to the source.
    pub events: Events,
    /// The event that is chosen; the newest one if there is none.
    pub event: Option<usize>,
    /// The number of this text among those that stood in the source; the first is 0.
    pub number: usize,
    /// What stood there before, from when it begins anew until somebody takes it.
    pub former: Option<Box<State>>,
    /// What was selected before a file was written anew, until it is there again.
    pub sought: Option<StableSelection>,
    /// Lines that arrived below since the view let go of the end.
    pub arrived: usize,
    /// The search, if there is one.
    pub search: Option<Search>,
    /// The line that is being typed, if there is one.
    pub prompt: Option<Prompt>,
    /// The first row of help that is shown, if help is open.
    pub help: Option<usize>,
    /// A line for the person.
    pub message: Option<StatusMessage>,
    /// Derived data.
    pub cache: RefCell<Cache>,
}

impl State {
    /// The state before anything has arrived, on a screen of some size.
    pub fn new(session: Session, options: dialect::Options, origin: Origin, size: (u16, u16)) -> Self {
        Self {
            session,
            editor: None,
            replay: None,
            track: None,
            rereading: None,
            settings: Settings::default(),
            dialects: Dialects::default(),
            offer: None,
            peek: None,
            pins: None,
            has_arrived: false,
            rush: false,
            gutter: GUTTER,
            opened_with: options.clone(),
            options,
            origin,
            gauge: Throughput::default(),
            so_far: Vec::new(),
            size,
            focus: Pane::default(),
            above: Pane::default(),
            tab: Tab::default(),
            zoomed: false,
            tall_bottom: false,
            wrap_raw: true,
            raw_file: false,
            raw_borders: false,
            selection: Target::default(),
            tops: Tops::default(),
            folds: Folds::default(),
            all_branches: false,
            hold_end: false,
            hidden: false,
            bar: Vec::new(),
            events: Events::default(),
            event: None,
            number: 0,
            former: None,
            sought: None,
            arrived: 0,
            search: None,
            prompt: None,
            help: None,
            message: None,
            cache: RefCell::default(),
        }
    }

    /// The session that the text is read into, whether it is shown or not.
    pub fn whole(&self) -> &Session {
        self.peek.as_ref().map_or(&self.session, |peek| &peek.whole)
    }

    /// The session that the text is read into, whether it is shown or not.
    pub fn whole_mut(&mut self) -> &mut Session {
        self.peek.as_mut().map_or(&mut self.session, |peek| &mut peek.whole)
    }

    /// Offset in the whole text of the first byte that is shown.
    pub fn base(&self) -> usize {
        self.peek.as_ref().map_or(0, |peek| peek.base)
    }

    /// The number (from 1) of a line (from 0) of the session that is shown; not known before reading has come there.
    pub fn line_number(&self, line: usize) -> Option<usize> {
        self.peek.is_none().then_some(line + 1)
    }

    /// Gives the line numbers as many columns as those will need that are still to come, as far as that can be told.
    pub fn widen_gutter(&mut self) {
        let whole = self.whole();
        let lines = whole.lines().count().max(if self.raw_file { whole.file_lines().count() } else { 0 });
        let read = whole.file().len();
        let size = self.origin.size.map_or(read, |size| read.max(size as usize));
        let expected = (lines as u128 * size as u128).checked_div(read as u128).unwrap_or(0);
        let grows = self.origin.phase == Phase::Following || (self.is_live() && self.origin.size.is_none());
        let least = if grows { GUTTER_OF_GROWING } else { GUTTER };
        self.gutter = self.gutter.max(expected.to_string().len()).max(least);
    }

    /// The text with all that belongs to it, taken out of here: what is left begins anew, with a session for it.
    pub fn part(&mut self, fresh: Session) -> State {
        let session = std::mem::replace(&mut self.session, fresh);
        let mut part = State::new(session, self.options.clone(), self.origin.clone(), self.size);
        part.so_far = std::mem::take(&mut self.so_far);
        part.selection = std::mem::take(&mut self.selection);
        part.tops = Tops { events: self.tops.events, ..std::mem::take(&mut self.tops) };
        self.tops.events = part.tops.events;
        part.folds = std::mem::take(&mut self.folds);
        part.search = self.search.take();
        part.cache = std::mem::take(&mut self.cache);
        part.events = self.events.clone();
        part.number = self.number;
        part.set_look(self.look());
        part.hidden = true;
        self.origin.size = None;
        self.rereading = None;
        self.pins = None;
        self.gutter = 0;
        self.arrived = 0;
        self.number += 1;
        part
    }

    /// An empty text beside this one, for what a command writes to its standard error.
    pub fn beside(&self) -> Option<State> {
        let session = Session::new(self.session.container(), &self.options).ok()?;
        let origin = Origin { name: "stderr".into(), ..Origin::default() };
        let mut beside = State::new(session, self.options.clone(), origin, self.size);
        beside.set_look(self.look());
        beside.hold_end = true;
        beside.hidden = true;
        Some(beside)
    }

    /// Whether it is a command that runs.
    pub fn runs(&self) -> bool {
        self.origin.command == Some(SourceState::Running)
    }

    /// Whether reading ended early.
    pub fn has_failed(&self) -> bool {
        matches!(self.origin.phase, Phase::Failed(_))
    }

    /// Whether the cursor is on a byte rather than on a row: in the raw pane, and in the bottom pane behind it.
    pub fn is_at_byte(&self) -> bool {
        self.focus == Pane::Raw || (self.focus == Pane::Bottom && self.above == Pane::Raw)
    }

    /// Where everything is on the screen.
    pub fn areas(&self) -> Areas {
        // A graph of any size needs more than the few rows that a list does with.
        let is_tall = matches!(self.tab, Tab::Graph | Tab::Settings | Tab::Dialects);
        let tall = self.tall_bottom || (self.focus == Pane::Bottom && is_tall);
        let (width, height) = self.size;
        let is_low = height < LOWEST_WITH_BAR;
        let bar = !is_low && !self.bar.is_empty();
        let scrubber = !is_low && self.track.is_some();
        let lines = u16::from(bar) + u16::from(scrubber);
        let mut areas = Areas::new(width, height - lines, self.focus, self.zoomed, tall);
        if bar {
            areas = areas.below_bar();
        }
        if scrubber { areas.above_scrubber() } else { areas }
    }

    /// The inside of a pane; nothing of it where it is not shown.
    pub fn inner(&self, pane: Pane) -> Area {
        self.areas().pane(pane).map(Area::inner).unwrap_or_default()
    }

    /// Columns of a pane's rows. A pane that is not shown is laid out as if it were, so that its place is known.
    pub fn width(&self, pane: Pane) -> usize {
        usize::from(self.inner(pane).width).max(10)
    }

    /// Rows of a pane.
    pub fn height(&self, pane: Pane) -> usize {
        usize::from(self.inner(pane).height)
    }

    /// The problems in the order of the text.
    pub fn problems(&self) -> Problems<'_> {
        Problems::new(self.session.document(), &self.so_far)
    }

    /// A problem by its number: those of the document first, then those that hold if nothing more arrives.
    pub fn problem(&self, number: usize) -> Option<Diagnostic> {
        self.problems().get(number)
    }

    /// Numbers of errors, warnings and hints.
    pub fn totals(&self) -> [usize; 3] {
        use crate::diagnostic::Severity::{Error, Hint, Warning};
        let document = self.whole().document();
        let (errors, warnings) = (document.errors(), document.warnings());
        let hints = document.diagnostics().len() - errors - warnings;
        let so_far = |severity| self.so_far.iter().filter(|problem| problem.severity == severity).count();
        [errors + so_far(Error), warnings + so_far(Warning), hints + so_far(Hint)]
    }

    /// Whether anything may still arrive.
    pub fn is_live(&self) -> bool {
        matches!(self.origin.phase, Phase::Loading | Phase::Following)
    }

    /// How far the search has come, in percent, while it has something to do or may soon have.
    pub fn search_progress(&self) -> Option<usize> {
        let search = self.search.as_ref().filter(|search| !search.stopped)?;
        let text = self.whole().text();
        let is_loading = self.origin.phase == Phase::Loading;
        if !is_loading && !search.is_behind(text, !self.is_live()) {
            return None;
        }
        let there = self.origin.size.filter(|_| is_loading).map_or(0, |size| size as usize);
        (search.searched() * 100).checked_div(there.max(text.len())).or(Some(0))
    }

    /// Whether there is something to search right now.
    pub fn is_searching(&self) -> bool {
        let is_behind = |search: &Search| search.is_behind(self.whole().text(), !self.is_live());
        self.search.as_ref().is_some_and(is_behind)
    }

    /// Whether there is something to be done while nothing happens.
    pub fn has_work(&self) -> bool {
        self.rereading.is_some()
            || self.is_searching()
            || self.is_pricing()
            || self.track.as_ref().is_some_and(|track| track.is_behind())
    }

    /// What the text waits for, once all that is there has been read.
    pub fn waiting(&self) -> Option<Waiting> {
        let is_shown = self.origin.phase == Phase::Following && self.peek.is_none();
        is_shown.then(|| waiting(&self.session)).flatten()
    }

    /// Whether a call, or a subtree of it, is unfolded in a pane.
    pub fn is_open(&self, pane: Pane, item: usize, node: Option<NodeId>) -> bool {
        let key = (item, node);
        match pane {
            Pane::Reading => self.folds.reading_changed.contains(&key) == (node.is_none() && self.folds.all_closed),
            _ => self.folds.outline_changed.contains(&key) != node.is_some(),
        }
    }

    /// The node of a call that the byte at `offset` belongs to.
    pub fn node_at(&self, item: usize, offset: usize) -> Option<NodeId> {
        let seen = self.seen(item)?;
        seen.index.node_at(&seen.assembly.tree, offset)
    }

    /// What a choice of the byte at `offset` selects.
    pub fn target_at(&self, offset: usize) -> Target {
        let item = self.session.document().item_at(offset).unwrap_or(0);
        Target { item, node: self.node_at(item, offset), offset, problem: None }
    }

    /// The bytes of what is selected: a call, an argument, or a text.
    pub fn selected_span(&self) -> Span {
        let Target { item, node, offset, .. } = self.selection;
        let whole = self.session.document().items().span(item).unwrap_or(Span::at(offset));
        node.zip(self.seen(item)).and_then(|(node, seen)| seen.index.cover(node)).unwrap_or(whole)
    }
}
