//! A pane of a transcript: its state, rows and cursor, and its reactions to keys and clicks.
//!
//! A pane owns its scroll position and switches. It reads the [`View`] without changing it, and requests everything
//! else in its [`Response`]. To add a pane: a file here, a variant of [`PaneId`], a line in the table below, and a key.

mod entry_rows;
mod folds;
mod list;
mod row_choice;

use ratatui::buffer::Buffer;

use crate::dialect;
use crate::tui::action::{Action, Align, Motion, PaneId};
use crate::tui::geometry::Area;
use crate::tui::layout::Slot;
use crate::tui::message::Effect;
use crate::tui::prompt::PromptKind;
use crate::tui::row::{Row, Target};
use crate::tui::style::Role;
use crate::tui::theme::Theme;
use crate::tui::view::View;
use crate::tui::view::presentation::ScreenElement;
use crate::tui::viewport::{self, Anchor, PageStep};
use crate::tui::widget::rows::{self, Line, Marking};
pub use list::moved_place;
use list::{List, RowAnchor};

/// Static properties of a pane.
#[derive(Clone, Copy, Default)]
pub struct PaneProperties {
    /// Name in its border or tab.
    pub name: &'static str,
    /// Effect of Enter, for the bottom line.
    pub hint: Option<&'static str>,
    /// Other keys with a special meaning in the pane, and their effect.
    pub other_hints: &'static [(&'static str, &'static str)],
    /// True if it needs half of the screen height while it has the focus.
    pub needs_height: bool,
    /// True if its choice is not a place in the text, so that moving up does not stop following the end.
    pub chooses_alone: bool,
}

/// Declares the panes, in the order of their slots and of the bottom tabs.
macro_rules! panes {
    ($($id:ident => $module:ident { $($fact:ident: $value:expr),* })*) => {
        $(pub mod $module;)*

        /// The panes of a transcript, with their state.
        #[derive(Clone, Default)]
        pub struct Panes {
            $(
                #[doc = concat!("The pane `", stringify!($module), "`.")]
                pub $module: $module::$id,
            )*
        }

        impl Panes {
            /// All panes, in tab order.
            pub const ALL: &[PaneId] = &[$(PaneId::$id),*];

            /// Static properties of a pane.
            pub fn facts(id: PaneId) -> PaneProperties {
                match id {
                    $(PaneId::$id => PaneProperties {
                        $($fact: $value,)*
                        ..PaneProperties { name: stringify!($id), ..PaneProperties::default() }
                    },)*
                }
            }

            /// All panes, in tab order, to be changed.
            pub fn all_mut(&mut self) -> impl Iterator<Item = &mut dyn Pane> {
                [$(&mut self.$module as &mut dyn Pane),*].into_iter()
            }

            /// The pane with an id.
            pub fn get(&self, id: PaneId) -> &dyn Pane {
                match id {
                    $(PaneId::$id => &self.$module,)*
                }
            }

            /// The pane with an id, to be changed.
            pub fn get_mut(&mut self, id: PaneId) -> &mut dyn Pane {
                match id {
                    $(PaneId::$id => &mut self.$module,)*
                }
            }
        }
    };
}

panes! {
    Outline => outline {}
    Reading => reading {}
    Raw => raw {}
    Problems => problems { hint: Some("go there") }
    Graph => graph { hint: Some("go there"), needs_height: true }
    Details => details {}
    Events => events { hint: Some("go there"), chooses_alone: true }
    Settings => settings { hint: Some("change"), needs_height: true }
    Costs => costs { hint: Some("open as playground"), needs_height: true }
    Statistics => statistics {
        hint: Some("go there"), other_hints: &[("h/l", "sort")], needs_height: true, chooses_alone: true
    }
    Notes => notes { hint: Some("go there") }
    Files => files { hint: Some("unfold; go there"), needs_height: true, chooses_alone: true }
    Context => context {
        hint: Some("go there"), other_hints: &[("l", "contents"), ("e", "lost cache")], needs_height: true, chooses_alone: true
    }
    Timeline => timeline {
        hint: Some("go there"), other_hints: &[("l", "unfold"), ("+/-", "zoom"), (",/.", "move")], needs_height: true,
        chooses_alone: true
    }
    DeclarationEditor => declaration { name: "Declaration", needs_height: true }
}

impl Panes {
    /// The panes that share the bottom of the screen, in tab order. A recorded session has no costs pane, and a graph
    /// only if calls depend on others; it alone has files, requests with a context, and turns over time. A playground has no events, since it has no
    /// source, and no notes; only there can declarations be edited.
    pub fn at_bottom(view: &View) -> impl Iterator<Item = PaneId> {
        let (edits, bottom) = (view.editor.is_some(), view.layout.bottom);
        let has_costs = view.shows(ScreenElement::Dialects);
        let has_graph = has_costs || view.session.document().has_dependencies();
        let is_there = move |pane: PaneId| match pane {
            PaneId::Costs => has_costs || pane == bottom,
            PaneId::Graph => has_graph || pane == bottom,
            // Text that a model wrote does not say what became of a file, or what else the model was sent.
            PaneId::Files | PaneId::Context | PaneId::Timeline => !has_costs || pane == bottom,
            PaneId::DeclarationEditor => edits,
            PaneId::Events | PaneId::Notes => !edits || pane == bottom,
            _ => true,
        };
        Self::ALL.iter().copied().filter(move |pane| pane.slot() == Slot::Bottom && is_there(*pane))
    }

    /// The title in a pane's border or tab.
    pub fn title(&self, id: PaneId, view: &View) -> String {
        self.get(id).title(view).unwrap_or_else(|| Self::facts(id).name.to_owned())
    }

    /// Resets everything that belongs to a text: scroll positions and folds.
    pub fn forget_text(&mut self) {
        (self.outline, self.problems, self.graph, self.details) = Default::default();
        self.reading.forget_folds();
        self.reading.set_top(Anchor::default());
        self.raw.set_top(Anchor::default());
    }

    /// Restores the scroll positions and folds of another instance. Switches are kept.
    pub fn return_to(&mut self, before: Panes) {
        let Panes { outline, reading, raw, problems, graph, details, .. } = before;
        self.raw.return_to(&raw);
        (self.outline, self.reading, self.problems) = (outline, reading, problems);
        (self.graph, self.details) = (graph, details);
    }
}

/// A pane. Unless stated otherwise, offsets refer to the session that is shown.
pub trait Pane {
    /// Title in the border or tab, if it is not just the name.
    fn title(&self, _view: &View) -> Option<String> {
        None
    }

    /// Position of the selection, shown after the title of a pane that is not a tab.
    fn subtitle(&self, _view: &View) -> Option<String> {
        None
    }

    /// The rows as a list with its top position, if the pane is a list.
    fn list<'a>(&'a self, _view: &'a View) -> Option<(Box<dyn List + 'a>, Anchor)> {
        None
    }

    /// Scrolls the list so that it starts at this row.
    fn set_top(&mut self, _top: Anchor) {}

    /// Scrolls the list to the top that `to` returns.
    fn scroll(&mut self, view: &View, to: &dyn Fn(&dyn List, Anchor) -> Anchor) {
        if let Some(top) = self.list(view).map(|(list, top)| to(&*list, top)) {
            self.set_top(top);
        }
    }

    /// Moves the selection to another row of the list; a motion to the bottom moves all panes of the text to its end.
    fn move_selection(&self, view: &View, motion: Motion) -> Response {
        match self.list(view) {
            Some((list, _)) if motion == Motion::Bottom && list.pane().slot() != Slot::Bottom => {
                Response::ask(Request::End)
            }
            Some((list, top)) => Response::moved(list.pane(), list::moved(&*list, top, motion)),
            None => Response::done(),
        }
    }

    /// At most `height` rows, starting at the top.
    fn rows(&self, view: &View, height: usize) -> Vec<Line> {
        self.list(view).map_or_else(Vec::new, |(list, top)| list::lines(&*list, top, height))
    }

    /// The row of the selection, wherever the pane is scrolled to.
    fn selected(&self, view: &View) -> Option<Row> {
        let (list, _) = self.list(view)?;
        let Anchor { unit, part, row } = list.cursor()?;
        list.rows(unit, part).get(row).cloned()
    }

    /// Settings for drawing the rows.
    fn marking(&self, _view: &View) -> Marking {
        Marking::default()
    }

    /// Text shown while there are no rows.
    fn placeholder(&self, _view: &View) -> &'static str {
        ""
    }

    /// Draws the inside: by default the rows, or the placeholder if there are none.
    fn draw(&self, buffer: &mut Buffer, area: Area, view: &View, focused: bool, theme: &Theme) {
        let lines = self.rows(view, usize::from(area.height));
        if lines.is_empty() {
            rows::placeholder(buffer, area, self.placeholder(view), theme);
        }
        rows::draw(buffer, area, &lines, &self.marking(view), view, focused, theme);
    }

    /// The cell of the text cursor in the inside, if the pane has one.
    fn cursor(&self, _view: &View, _area: Area) -> Option<(u16, u16)> {
        None
    }

    /// Handles an action while the pane has the focus.
    fn act(&mut self, view: &View, action: Action) -> Response;

    /// Handles an action that no pane before it has taken, without the focus.
    fn act_unfocused(&mut self, _view: &View, _action: Action) -> Response {
        Response::Ignored
    }

    /// Handles a click on a cell of the inside.
    fn click(&mut self, view: &View, _column: usize, row: usize) -> Response {
        Response::select(self.list(view).and_then(|(list, top)| list::target_in_row(&*list, top, row)))
    }

    /// Scrolls by some rows with the wheel, down (1) or up (-1).
    fn wheel(&mut self, view: &View, direction: i8, rows: usize) {
        self.scroll(view, &|list, top| viewport::scrolled(list, top, direction, rows, list.room()));
    }

    /// Scrolls as little as necessary to reveal the selection.
    fn reveal(&mut self, view: &View) {
        self.scroll(view, &list::revealed);
    }

    /// Scrolls a low selection to the upper third, so that what follows it is visible.
    fn raise(&mut self, _view: &View) {}

    /// Scrolls so that the selection is at the top, in the middle or at the bottom.
    fn align(&mut self, view: &View, align: Align) {
        self.scroll(view, &|list, top| list::aligned(list, top, align));
    }

    /// Scrolls to the end of the text, unless the pane is a bottom one.
    fn show_end(&mut self, view: &View) {
        self.scroll(view, &list::end);
    }

    /// Unfolds everything that hides the selection. Returns true if anything was folded.
    fn unfold(&mut self, _view: &View) -> bool {
        false
    }

    /// Anchor for the row at the top, identified by bytes of the text, so that it can be found again after rows were
    /// inserted above.
    fn anchor(&self, view: &View) -> Option<ScrollAnchor> {
        let (list, top) = self.list(view)?;
        RowAnchor::at_top(&*list, top).map(ScrollAnchor::Row)
    }

    /// Scrolls to an anchor after the text was moved by `shift` bytes.
    fn restore(&mut self, view: &View, anchor: ScrollAnchor, shift: usize) {
        if let ScrollAnchor::Row(anchor) = anchor {
            self.scroll(view, &|list, top| anchor.top(list, shift).unwrap_or(top));
        }
    }

    /// Maps item numbers after items were renumbered; state of removed items is dropped.
    fn renumber(&mut self, _number: &dyn Fn(usize) -> Option<usize>) {}

    /// Discards state of the items starting at this one, which have changed.
    fn forget_from(&mut self, _first: usize) {}

    /// Prepares a frame.
    fn prepare(&mut self, _view: &View) {}

    /// True if there is background work to do.
    fn has_work(&self, _view: &View) -> bool {
        false
    }

    /// Does a slice of the background work.
    fn work(&mut self, _view: &View) {}
}

/// The response of a pane to a key or a click.
pub enum Response {
    /// The pane does not handle it.
    Ignored,
    /// Handled; the screen must carry out these requests in order.
    Done(Vec<Request>),
}

impl Response {
    /// Handled, without requests.
    pub fn done() -> Self {
        Self::Done(Vec::new())
    }

    /// Handled, with one request.
    pub fn ask(request: Request) -> Self {
        Self::Done(vec![request])
    }

    /// Selects a target if there is one.
    fn select(target: Option<Target>) -> Self {
        Self::Done(target.map(Request::Select).into_iter().collect())
    }

    /// Scrolls and selects according to a motion in the list of a pane.
    fn moved(pane: PaneId, moved: list::Moved) -> Self {
        match moved.step {
            Some(step) => Self::ask(Request::Scroll(pane, step, moved.target)),
            None => Self::select(moved.target),
        }
    }

    /// Selects a target that may be far away, if there is one.
    fn jump(target: Option<Target>) -> Self {
        Self::Done(target.map(Request::Jump).into_iter().collect())
    }

    /// Shows a message.
    fn message(words: impl Into<String>, role: Role) -> Self {
        Self::ask(Request::Tell(words.into(), role))
    }
}

/// A request of a pane to its screen.
pub enum Request {
    /// Select a target and show it in all panes.
    Select(Target),
    /// Scroll the list of a pane, and select a target if there is one.
    Scroll(PaneId, PageStep, Option<Target>),
    /// Select a target that may be far away, and show what follows it as well.
    Jump(Target),
    /// Select a target far away, and unfold what hides it.
    GoTo(Target),
    /// Edit the text of the note with this number.
    EditNote(usize),
    /// Remove the note with this number.
    RemoveNote(usize),
    /// Go to an offset of the text in the reading pane.
    Visit(usize),
    /// Show the end of the text and follow it.
    End,
    /// Focus a pane.
    Focus(PaneId),
    /// Lay out rows again after folds have changed.
    Refold,
    /// Lay out rows again for another width, and reveal the selection.
    Reveal,
    /// Show the lines of the file, or else of the text decoded from it, in the raw pane.
    InFile(bool),
    /// Read the text again with these options; the string is the message about the change.
    Reread(Box<dialect::Options>, String),
    /// Prompt for a line with an initial value.
    Prompt(PromptKind, String),
    /// Show a message in the bottom line.
    Tell(String, Role),
    /// Move the cursor of the declaration to an offset.
    PlaceCursor(usize),
    /// Go to the fault of the declaration with an index.
    GoToFault(usize),
    /// Start a declaration for the text.
    NewDialect,
    /// An effect outside of the screen.
    Effect(Effect),
}

/// An anchor for the scroll position of a pane.
#[derive(Clone, Copy, Debug)]
pub enum ScrollAnchor {
    /// A row with a target.
    Row(RowAnchor),
    /// The byte at an offset.
    Byte(usize),
    /// The corner of a box, by column and row.
    Corner(usize, usize),
}
