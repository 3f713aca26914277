//! The list of problems, in display order.

use std::ops::Range;
use std::rc::Rc;

use crate::diagnostic::{Code, Severity};
use crate::tui::action::{Action, PaneId};
use crate::tui::pane::list::{self, List, RowAnchor};
use crate::tui::pane::{Pane, Request, Response, ScrollAnchor};
use crate::tui::row::{Piece, Row, Target, grouped, mark};
use crate::tui::style::Role;
use crate::tui::view::View;
use crate::tui::view::origin::Phase;
use crate::tui::viewport::{Anchor, Units};
use crate::tui::widget::rows::Line;

/// Columns of the pane below which the turn of a problem replaces its code.
const WITH_CODES: usize = 90;

/// The problems pane.
#[derive(Clone, Default)]
pub struct Problems {
    /// Scroll position; units are problems in display order.
    top: Anchor,
}

impl Pane for Problems {
    fn title(&self, view: &View) -> Option<String> {
        let (failed, unanswered) = (view.total(Severity::Note), view.unanswered_problems());
        let problems = view.problems().len().saturating_sub(failed + unanswered);
        let kinds = [(problems, "problems"), (failed, "failed"), (unanswered, "unanswered")];
        let kinds = kinds.into_iter().filter(|(number, _)| *number > 0);
        let words: Vec<String> = kinds.map(|(number, word)| format!("{word} {}", grouped(number))).collect();
        let words = words.join(" · ");
        (!words.is_empty()).then(|| format!("{}{}", words[..1].to_uppercase(), &words[1..]))
    }

    fn list<'a>(&'a self, view: &'a View) -> Option<(Box<dyn List + 'a>, Anchor)> {
        Some((Box::new(ProblemUnits(view)), self.top))
    }

    fn set_top(&mut self, top: Anchor) {
        self.top = top;
    }

    /// A list scrolled to its first row stays there: problems found later may precede the known ones.
    fn anchor(&self, view: &View) -> Option<ScrollAnchor> {
        let (list, top) = self.list(view)?;
        let is_pinned = top != Anchor::default() || view.selection.problem.is_some();
        is_pinned.then(|| RowAnchor::at_top(&*list, top)).flatten().map(ScrollAnchor::Row)
    }

    fn rows(&self, view: &View, height: usize) -> Vec<Line> {
        let mut lines = list::lines(&ProblemUnits(view), self.top, height);
        // A problem near the selection keeps its scroll position, but only a selected problem is highlighted.
        for line in &mut lines {
            line.selected &= view.selection.problem.is_some();
        }
        lines
    }

    fn placeholder(&self, view: &View) -> &'static str {
        match view.origin.phase {
            Phase::Loading => "loading …",
            Phase::Following => "no problems so far; new ones appear here",
            _ if view.has_unknown_format() => "unknown format: not checked as a session",
            _ => "no problems",
        }
    }

    fn act(&mut self, view: &View, action: Action) -> Response {
        match action {
            Action::Move(motion) => self.move_selection(view, motion),
            Action::Toggle => {
                let fault = view.selection.problem.and_then(|number| view.problems().fault_index(number));
                Response::ask(fault.map_or(Request::Focus(PaneId::Reading), Request::GoToFault))
            }
            _ => Response::Ignored,
        }
    }
}

/// The units of the list: problems in display order.
struct ProblemUnits<'a>(&'a View);

impl Units for ProblemUnits<'_> {
    fn numbers(&self) -> Range<usize> {
        0..self.0.problems().len()
    }

    fn height(&self, _: usize, _: usize) -> usize {
        1
    }
}

impl List for ProblemUnits<'_> {
    fn pane(&self) -> PaneId {
        PaneId::Problems
    }

    fn view(&self) -> &View {
        self.0
    }

    fn rows(&self, place: usize, _: usize) -> Rc<Vec<Row>> {
        Rc::new(row(self.0, place).into_iter().collect())
    }

    fn row_for(&self, target: Target) -> Option<Anchor> {
        let (unit, _) = self.unit_of(target, false);
        (!self.0.problems().is_empty()).then(|| Anchor { unit, ..Anchor::default() })
    }

    fn unit_of(&self, target: Target, _: bool) -> (usize, usize) {
        let place = target.problem.and_then(|problem| self.0.problems().place_of(problem));
        (place.unwrap_or_else(|| self.near(target.offset)), 0)
    }
}

impl ProblemUnits<'_> {
    /// Place of the first problem that begins at or after `offset`, or else of the last problem.
    fn near(&self, offset: usize) -> usize {
        self.0.problems().first_from(offset).min(self.0.problems().len().saturating_sub(1))
    }
}

/// Lays out the row of the problem at a place in the display order; `None` if there is no such place.
fn row(view: &View, place: usize) -> Option<Row> {
    let number = view.problems().at(place)?;
    let problem = view.problem(number)?;
    let target = view.target_of_problem(number, problem.span.start);
    let (sign, role) = match problem.code {
        Code::UnansweredCall => ("?", Role::Warning),
        _ => mark(problem.severity),
    };
    let (line, kind) = match view.fault_position(number) {
        Some(position) => (format!("{}:{}", position.line, position.column), "in the declaration"),
        None => (view.line_of_problem(&problem), problem.code.name()),
    };
    let has_turns = view.session.document().turn_count() > 1;
    let has_code = !has_turns || view.width(PaneId::Problems) >= WITH_CODES;
    let turn = view.turn_name(problem.span.start).filter(|_| view.fault_position(number).is_none());
    let turn = has_turns.then(|| Piece::new(format!("{:<9} ", turn.unwrap_or_default()), Role::Dim));
    let lead = [Piece::new(format!("{sign} "), role), Piece::new(format!("line {line:<4} "), Role::LineNumber)];
    let code = has_code.then(|| Piece::new(format!("{kind:<22}  "), Role::Dim));
    let lead = lead.into_iter().chain(turn).chain(code).chain([Piece::new(&problem.message, Role::Text)]).collect();
    // A failed call is not a fault of the text, so it has no advice.
    let help = (problem.severity != Severity::Note).then(|| Piece::new(problem.help_text(), Role::Dim));
    Some(Row::noted(lead, help).to(target))
}
