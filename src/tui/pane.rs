//! A pane of a transcript: its state, its rows, its cursor, what its keys and a click in it do.
//!
//! A pane owns where it is scrolled to and its switches, reads the [`View`] and changes nothing in it; what it cannot do
//! by itself it asks for in its [`Response`]. To add one: a file here, a variant of [`PaneId`], a line in the table below,
//! and a key.

mod list;

use ratatui::buffer::Buffer;

use crate::diagnostic::Code;
use crate::dialect;
use crate::text::Span;
use crate::tui::action::{Action, PaneId};
use crate::tui::geometry::Area;
use crate::tui::layout::Slot;
use crate::tui::message::Effect;
use crate::tui::prompt::PromptKind;
use crate::tui::row::{Row, Target};
use crate::tui::style::Role;
use crate::tui::theme::Theme;
use crate::tui::view::View;
use crate::tui::widget::rows::{self, Line, Marking};
pub use list::moved_place;

/// Declares the panes, in the order of their places and of the tabs at the bottom.
macro_rules! panes {
    ($($id:ident => $module:ident,)*) => {
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
    Outline => outline,
    Reading => reading,
    Raw => raw,
    Problems => problems,
    Graph => graph,
    Details => details,
    Events => events,
    Settings => settings,
    Dialects => dialects,
    Statistics => statistics,
}

impl Panes {
    /// The panes that share the bottom of the screen, in the order of their tabs.
    pub fn at_bottom() -> impl Iterator<Item = PaneId> {
        Self::ALL.iter().copied().filter(|pane| pane.slot() == Slot::Bottom)
    }

    /// Forgets what is known of a text: where it is scrolled to, and what is folded in it.
    pub fn forget_text(&mut self) {
        (self.outline, self.problems, self.graph, self.details) = Default::default();
        (self.reading, self.raw) = (self.reading.like(), self.raw.like());
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
    /// The words in its border or tab.
    fn title(&self, view: &View) -> String;

    /// Words behind the title of a pane that is no tab: where the selection is in it.
    fn subtitle(&self, view: &View) -> Option<String> {
        let _ = view;
        None
    }

    /// Whether it needs half of the height of the screen while it has the focus.
    fn needs_height(&self) -> bool {
        false
    }

    /// Whether going up in it lets go of the end of the text.
    fn follows_text(&self) -> bool {
        true
    }

    /// What Enter does in it, for the line at the bottom.
    fn hint(&self) -> Option<&'static str> {
        None
    }

    /// The rows from its top on, at most `height` of them.
    fn rows(&self, view: &View, height: usize) -> Vec<Line>;

    /// The row that shows what is selected, wherever the pane is scrolled to.
    fn selected(&self, view: &View) -> Option<Row> {
        let _ = view;
        None
    }

    /// What is drawn over its rows.
    fn marking(&self, view: &View) -> Marking {
        let _ = view;
        Marking::default()
    }

    /// What it says while it has no rows.
    fn placeholder(&self, view: &View) -> &'static str {
        let _ = view;
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
    fn cursor(&self, view: &View, area: Area) -> Option<(u16, u16)> {
        let _ = (view, area);
        None
    }

    /// Does what a key asks for while it has the focus.
    fn act(&mut self, view: &View, action: Action) -> Response;

    /// Does what a key asks for that no other pane has taken.
    fn act_unfocused(&mut self, view: &View, action: Action) -> Response {
        let _ = (view, action);
        Response::Ignored
    }

    /// A click on a cell of its inside.
    fn click(&mut self, view: &View, column: usize, row: usize) -> Response;

    /// A turn of the wheel, by some rows down (1) or up (-1).
    fn wheel(&mut self, view: &View, direction: i8, rows: usize);

    /// Scrolls as little as is needed to show what is selected.
    fn reveal(&mut self, view: &View) {
        let _ = view;
    }

    /// Brings what is selected to the upper third where it is lower, so that what follows it is seen.
    fn raise(&mut self, view: &View) {
        let _ = view;
    }

    /// Scrolls to the end of the text.
    fn show_end(&mut self, view: &View) {
        let _ = view;
    }

    /// Unfolds whatever hides what is selected. Whether anything was folded.
    fn unfold(&mut self, view: &View) -> bool {
        let _ = view;
        false
    }

    /// What stands at its top, told by bytes of the text, so that it is found again when rows come in above it.
    fn anchor(&self, view: &View) -> Option<ScrollAnchor> {
        let _ = view;
        None
    }

    /// Scrolls to where an anchor is now, `shift` bytes further on than it was.
    fn restore(&mut self, view: &View, anchor: ScrollAnchor, shift: usize) {
        let _ = (view, anchor, shift);
    }

    /// The items have other numbers now; what is known of one that is gone is dropped.
    fn renumber(&mut self, number: &dyn Fn(usize) -> Option<usize>) {
        let _ = number;
    }

    /// What was known of the items from this one on no longer holds.
    fn forget_from(&mut self, first: usize) {
        let _ = first;
    }

    /// Before a frame: what must be made for it.
    fn prepare(&mut self, view: &View) {
        let _ = view;
    }

    /// Does a little of what it needs while nothing else happens. Whether there is more.
    fn work(&mut self, view: &View) -> bool {
        let _ = view;
        false
    }

    /// Whether there is something to be done while nothing happens.
    fn has_work(&self, view: &View) -> bool {
        let _ = view;
        false
    }
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

    /// It is done, and these words say what that means.
    fn tell(words: impl Into<String>, role: Role) -> Self {
        Self::ask(Request::Tell(words.into(), role))
    }
}

/// What a pane asks of its screen.
pub enum Request {
    /// Select something and show it in every pane.
    Select(Target),
    /// Select something that may be far away, so that what follows it is seen as well.
    Jump(Target),
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
    /// Something that is done outside of the screen.
    Effect(Effect),
}

/// What stands at the top of a pane.
#[derive(Clone, Copy, Debug)]
pub enum ScrollAnchor {
    /// A row that leads somewhere.
    Row(list::RowAnchor),
    /// The same, and it is about a whole message.
    Heading(list::RowAnchor),
    /// The byte at an offset.
    Byte(usize),
    /// A problem, by its place and kind.
    Problem((Span, Code)),
    /// The corner of a box, by its column and row.
    Corner(usize, usize),
}
