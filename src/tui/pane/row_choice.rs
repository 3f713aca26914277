//! Panes that list rows and have a chosen one, which need not have a place in the text: motions and clicks.

use crate::tui::action::{Motion, PaneId};
use crate::tui::pane::list::{ChosenRows, Moved};
use crate::tui::pane::{Pane, Request, Response};
use crate::tui::row::Target;
use crate::tui::view::View;
use crate::tui::viewport::Anchor;

/// A pane whose list is [`ChosenRows`].
pub(super) trait RowChoice: Pane {
    /// The list with the index of the chosen row.
    fn chosen_rows<'a>(&'a self, view: &'a View) -> ChosenRows<'a>;

    /// The first visible row.
    fn top(&self) -> Anchor;

    /// Keeps the index of the chosen row; its place is read after that.
    fn set_chosen(&mut self, view: &View, row: usize);

    /// The place of the chosen row in the text, if it has one.
    fn target(&self, view: &View) -> Option<Target>;

    /// The response to Enter, or a click, on the chosen row.
    fn visit(&mut self, view: &View) -> Response;

    /// Chooses a row, reveals it, and selects its place.
    fn choose(&mut self, view: &View, row: usize) -> Response {
        self.set_chosen(view, row);
        self.reveal(view);
        Response::select(self.target(view))
    }

    /// Chooses the row that a motion leads to. A page is scrolled as a whole.
    fn move_choice(&mut self, view: &View, motion: Motion) -> Response {
        let (pane, moved) = {
            let rows = self.chosen_rows(view);
            (rows.pane, rows.moved(self.top(), motion))
        };
        match moved {
            None => Response::done(),
            Some((row, None)) => self.choose(view, row),
            Some((row, step)) => {
                self.set_chosen(view, row);
                Response::moved(pane, Moved { target: self.target(view), step })
            }
        }
    }

    /// Chooses the row that is clicked, or opens it if it is the chosen one.
    fn click_row(&mut self, view: &View, row: usize) -> Response {
        let clicked = self.chosen_rows(view).clicked(self.top(), row);
        match clicked {
            None => Response::done(),
            Some((_, true)) => self.visit(view),
            Some((row, false)) => self.choose(view, row),
        }
    }
}

/// The response that goes to a place and continues in the reading pane.
pub(super) fn read_at(target: Target) -> Response {
    Response::Done(vec![Request::GoTo(target), Request::Focus(PaneId::Reading)])
}
