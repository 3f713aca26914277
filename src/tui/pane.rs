//! A pane of a transcript: its state, its rows, its cursor, what its keys and a click in it do.
//!
//! A pane owns where it is scrolled to and its switches, reads the [`View`] and changes nothing in it; what it cannot do
//! by itself it asks for in its [`Response`]. To add one: a file here, a variant of [`PaneId`], a line in the table below,
//! and a key.

mod folds;
mod list;

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

/// What holds for a pane whatever it shows.
#[derive(Clone, Copy, Default)]
pub struct PaneFacts {
    /// What it is called in its border or tab.
    pub name: &'static str,
    /// What Enter does in it, for the line at the bottom.
    pub hint: Option<&'static str>,
    /// Whether it needs half of the height of the screen while it has the focus.
    pub needs_height: bool,
    /// Whether what is chosen in it is no place of the text, so that going up in it does not let go of the end.
    pub chooses_alone: bool,
}

/// Declares the panes, in the order of their places and of the tabs at the bottom.
macro_rules! panes {
    ($($id:ident => $module:ident { $($fact:ident: $value:expr),* })*) => {
        $(pub mod $module;)*

        /// The panes of a transcript, each with its state.
        #[derive(Clone, Default)]
        pub struct Panes {
            $(
                #[doc = concat!("The pane `", stringify!($module), "`.")]
                pub $module: $module::$id,
            )*
        }

        impl Panes {
            /// Every pane, in the order of the tabs.
            pub const ALL: &[PaneId] = &[$(PaneId::$id),*];

            /// What holds for a pane whatever it shows.
            pub fn facts(id: PaneId) -> PaneFacts {
                match id {
                    $(PaneId::$id => PaneFacts {
                        $($fact: $value,)*
                        ..PaneFacts { name: stringify!($id), ..PaneFacts::default() }
                    },)*
                }
            }

            /// Every pane, in the order of the tabs, to be changed.
            pub fn all_mut(&mut self) -> impl Iterator<Item = &mut dyn Pane> {
                [$(&mut self.$module as &mut dyn Pane),*].into_iter()
            }

            /// A pane.
            pub fn get(&self, id: PaneId) -> &dyn Pane {
                match id {
                    $(PaneId::$id => &self.$module,)*
                }
            }

            /// A pane that is to change.
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
    Statistics => statistics { hint: Some("go to the next"), needs_height: true, chooses_alone: true }
    Notes => notes { hint: Some("go there") }
    DeclarationEditor => declaration { name: "Declaration", needs_height: true }
}

impl Panes {
    /// The panes that share the bottom of the screen, in the order of their tabs. A recorded session has no costs in
    /// dialects, and a graph only if calls wait for others. A playground has neither a source, whose
    /// events could be told, nor notes; a declaration is written there alone.
    pub fn at_bottom(view: &View) -> impl Iterator<Item = PaneId> {
        let (edits, bottom) = (view.editor.is_some(), view.layout.bottom);
        let has_costs = view.shows(ScreenElement::Dialects);
        let has_graph = has_costs || view.session.document().has_dependencies();
        let is_there = move |pane: PaneId| match pane {
            PaneId::Costs => has_costs || pane == bottom,
            PaneId::Graph => has_graph || pane == bottom,
            PaneId::DeclarationEditor => edits,
            PaneId::Events | PaneId::Notes => !edits || pane == bottom,
            _ => true,
        };
        Self::ALL.iter().copied().filter(move |pane| pane.slot() == Slot::Bottom && is_there(*pane))
    }

    /// The words in the border of a pane, or in its tab.
    pub fn title(&self, id: PaneId, view: &View) -> String {
        self.get(id).title(view).unwrap_or_else(|| Self::facts(id).name.to_owned())
    }

    /// Forgets what is known of a text: where it is scrolled to, and what is folded in it.
    pub fn forget_text(&mut self) {
        (self.outline, self.problems, self.graph, self.details) = Default::default();
        self.reading.forget_folds();
        self.reading.set_top(Anchor::default());
        self.raw.set_top(Anchor::default());
    }

    /// Goes back to where a text was scrolled to, and to what was folded in it. Switches stay as they are.
    pub fn return_to(&mut self, before: Panes) {
        let Panes { outline, reading, raw, problems, graph, details, .. } = before;
        self.raw.return_to(&raw);
        (self.outline, self.reading, self.problems) = (outline, reading, problems);
        (self.graph, self.details) = (graph, details);
    }
}

/// A pane. Where nothing else is said, offsets are those of the text that is shown.
pub trait Pane {
    /// The words in its border or tab, where they are not just its name.
    fn title(&self, _view: &View) -> Option<String> {
        None
    }

    /// Words behind the title of a pane that is no tab: where the selection is in it.
    fn subtitle(&self, _view: &View) -> Option<String> {
        None
    }

    /// Its rows and the first one that is shown, where they are a list.
    fn list<'a>(&'a self, _view: &'a View) -> Option<(Box<dyn List + 'a>, Anchor)> {
        None
    }

    /// Shows the rows of its list from this one on.
    fn set_top(&mut self, _top: Anchor) {}

    /// Scrolls its list to where `to` says.
    fn scroll(&mut self, view: &View, to: &dyn Fn(&dyn List, Anchor) -> Anchor) {
        if let Some(top) = self.list(view).map(|(list, top)| to(&*list, top)) {
            self.set_top(top);
        }
    }

    /// Moves the selection to another row of its list, or with all panes of the text to the end of that.
    fn move_selection(&self, view: &View, motion: Motion) -> Response {
        match self.list(view) {
            Some((list, _)) if motion == Motion::Bottom && list.pane().slot() != Slot::Bottom => {
                Response::ask(Request::End)
            }
            Some((list, top)) => Response::moved(list.pane(), list::moved(&*list, top, motion)),
            None => Response::done(),
        }
    }

    /// The rows from its top on, at most `height` of them.
    fn rows(&self, view: &View, height: usize) -> Vec<Line> {
        self.list(view).map_or_else(Vec::new, |(list, top)| list::lines(&*list, top, height))
    }

    /// The row that shows what is selected, wherever the pane is scrolled to.
    fn selected(&self, view: &View) -> Option<Row> {
        let (list, _) = self.list(view)?;
        let Anchor { unit, part, row } = list.cursor()?;
        list.rows(unit, part).get(row).cloned()
    }

    /// What is drawn over its rows.
    fn marking(&self, _view: &View) -> Marking {
        Marking::default()
    }

    /// What it says while it has no rows.
    fn placeholder(&self, _view: &View) -> &'static str {
        ""
    }

    /// Draws its inside: by default its rows, or the placeholder where there are none.
    fn draw(&self, buffer: &mut Buffer, area: Area, view: &View, focused: bool, theme: &Theme) {
        let lines = self.rows(view, usize::from(area.height));
        if lines.is_empty() {
            rows::placeholder(buffer, area, self.placeholder(view), theme);
        }
        rows::draw(buffer, area, &lines, &self.marking(view), view, focused, theme);
    }

    /// The cell of its cursor in an inside, where it has one.
    fn cursor(&self, _view: &View, _area: Area) -> Option<(u16, u16)> {
        None
    }

    /// Does what a key asks for while it has the focus.
    fn act(&mut self, view: &View, action: Action) -> Response;

    /// Does what a key asks for that no other pane has taken.
    fn act_unfocused(&mut self, _view: &View, _action: Action) -> Response {
        Response::Ignored
    }

    /// A click on a cell of its inside.
    fn click(&mut self, view: &View, _column: usize, row: usize) -> Response {
        Response::select(self.list(view).and_then(|(list, top)| list::target_in_row(&*list, top, row)))
    }

    /// A turn of the wheel, by some rows down (1) or up (-1).
    fn wheel(&mut self, view: &View, direction: i8, rows: usize) {
        self.scroll(view, &|list, top| viewport::scrolled(list, top, direction, rows, list.room()));
    }

    /// Scrolls as little as is needed to show what is selected.
    fn reveal(&mut self, view: &View) {
        self.scroll(view, &list::revealed);
    }

    /// Brings what is selected to the upper third where it is lower, so that what follows it is seen.
    fn raise(&mut self, _view: &View) {}

    /// Scrolls so that what is selected stands at the top, in the middle or at the bottom.
    fn align(&mut self, view: &View, align: Align) {
        self.scroll(view, &|list, top| list::aligned(list, top, align));
    }

    /// Scrolls a pane of the text to the end of that.
    fn show_end(&mut self, view: &View) {
        self.scroll(view, &list::end);
    }

    /// Unfolds whatever hides what is selected. Whether anything was folded.
    fn unfold(&mut self, _view: &View) -> bool {
        false
    }

    /// What stands at its top, told by bytes of the text, so that it is found again when rows come in above it.
    fn anchor(&self, view: &View) -> Option<ScrollAnchor> {
        let (list, top) = self.list(view)?;
        RowAnchor::at_top(&*list, top).map(ScrollAnchor::Row)
    }

    /// Scrolls to where an anchor is now, `shift` bytes further on than it was.
    fn restore(&mut self, view: &View, anchor: ScrollAnchor, shift: usize) {
        if let ScrollAnchor::Row(anchor) = anchor {
            self.scroll(view, &|list, top| anchor.top(list, shift).unwrap_or(top));
        }
    }

    /// The items have other numbers now; what is known of one that is gone is dropped.
    fn renumber(&mut self, _number: &dyn Fn(usize) -> Option<usize>) {}

    /// What was known of the items from this one on no longer holds.
    fn forget_from(&mut self, _first: usize) {}

    /// Before a frame: what must be made for it.
    fn prepare(&mut self, _view: &View) {}

    /// Whether there is something to be done while nothing happens.
    fn has_work(&self, _view: &View) -> bool {
        false
    }

    /// Does a little of that.
    fn work(&mut self, _view: &View) {}
}

/// What a pane has made of a key or a click.
pub enum Response {
    /// It is not about this pane.
    Ignored,
    /// It is done but for what is asked for here, in this order.
    Done(Vec<Request>),
}

impl Response {
    /// It is done, and nothing more is asked for.
    pub fn done() -> Self {
        Self::Done(Vec::new())
    }

    /// It is done once this is.
    pub fn ask(request: Request) -> Self {
        Self::Done(vec![request])
    }

    /// It is done once something is selected, if there is anything to select.
    fn select(target: Option<Target>) -> Self {
        Self::Done(target.map(Request::Select).into_iter().collect())
    }

    /// It is done once the list of a pane is where a motion leads.
    fn moved(pane: PaneId, moved: list::Moved) -> Self {
        match moved.step {
            Some(step) => Self::ask(Request::Scroll(pane, step, moved.target)),
            None => Self::select(moved.target),
        }
    }

    /// It is done once something is selected that may be far away, if there is anything.
    fn jump(target: Option<Target>) -> Self {
        Self::Done(target.map(Request::Jump).into_iter().collect())
    }

    /// It is done, and these words say what that means.
    fn tell(words: impl Into<String>, role: Role) -> Self {
        Self::ask(Request::Tell(words.into(), role))
    }
}

/// What a pane asks of its screen.
pub enum Request {
    /// Select something and show it in every pane.
    Select(Target),
    /// Scroll the list of a pane, and select something if there is anything.
    Scroll(PaneId, PageStep, Option<Target>),
    /// Select something that may be far away, so that what follows it is seen as well.
    Jump(Target),
    /// Select something far away, and unfold what hides it.
    GoTo(Target),
    /// Ask for other words of the note with this number.
    EditNote(usize),
    /// Remove the note with this number.
    RemoveNote(usize),
    /// Go to an offset of the text, in the reading pane.
    Visit(usize),
    /// Show the end of the text, and hold on to it while more arrives.
    End,
    /// Give the focus to a pane.
    Focus(PaneId),
    /// Lay the rows out again, since something was folded or unfolded.
    Refold,
    /// Lay the rows out again for another width, and show what is selected in them.
    Reveal,
    /// Lines are those of the file, or of the text that was decoded from it.
    InFile(bool),
    /// Read the text again with these options, after a change in these words.
    Reread(Box<dialect::Options>, String),
    /// Ask for a line, in which some words stand already.
    Prompt(PromptKind, String),
    /// Say something in the line at the bottom.
    Tell(String, Role),
    /// Put the cursor of the declaration at an offset of it.
    PlaceCursor(usize),
    /// Go to the fault of the declaration at an index.
    GoToFault(usize),
    /// Begin a declaration for the text.
    NewDialect,
    /// Something that is done outside of the screen.
    Effect(Effect),
}

/// What stands at the top of a pane.
#[derive(Clone, Copy, Debug)]
pub enum ScrollAnchor {
    /// A row that leads somewhere.
    Row(RowAnchor),
    /// The byte at an offset.
    Byte(usize),
    /// The corner of a box, by its column and row.
    Corner(usize, usize),
}
