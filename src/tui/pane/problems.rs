//! The list of problems, in the order of the text.
//!
//! This module does not know how rows are drawn.

use std::rc::Rc;

use crate::tui::action::{Action, PaneId};
use crate::tui::pane::list::{self, List};
use crate::tui::pane::{Pane, Request, Response, ScrollAnchor, moved_place};
use crate::tui::row::{Piece, Row, Target, grouped, mark};
use crate::tui::style::Role;
use crate::tui::view::View;
use crate::tui::view::origin::Phase;
use crate::tui::viewport::{Anchor, Units};
use crate::tui::widget::rows::Line;

/// The list of problems: where it is scrolled to.
#[derive(Clone, Default)]
pub struct Problems {
    /// Problem, in the order of the text.
    top: Anchor<usize>,
}

impl Pane for Problems {
    fn title(&self, view: &View) -> String {
        match view.problems().len() {
            0 => "Problems".into(),
            count => format!("Problems {}", grouped(count)),
        }
    }

    fn hint(&self) -> Option<&'static str> {
        Some("go there")
    }

    fn rows(&self, view: &View, height: usize) -> Vec<Line> {
        let mut lines = list::lines(&ProblemUnits(view), self.top, height);
        // A problem near what is selected keeps its place, and only one that is selected is marked.
        let chosen = view.selection.problem;
        for line in &mut lines {
            let target = line.rows.get(line.at).and_then(|row| row.target);
            line.selected = chosen.is_some() && target.is_some_and(|target| target.problem == chosen);
        }
        lines
    }

    fn placeholder(&self, view: &View) -> &'static str {
        match view.origin.phase {
            Phase::Loading => "loading …",
            Phase::Following => "no problems so far",
            _ => "no problems",
        }
    }

    fn act(&mut self, view: &View, action: Action) -> Response {
        match action {
            Action::Move(motion) => Response::select(list::moved(&ProblemUnits(view), motion)),
            Action::Toggle => Response::ask(Request::Focus(PaneId::Reading)),
            _ => Response::Ignored,
        }
    }

    fn click(&mut self, view: &View, _: usize, row: usize) -> Response {
        Response::select(list::target_in_row(&ProblemUnits(view), self.top, row))
    }

    fn wheel(&mut self, view: &View, direction: i8, rows: usize) {
        self.top = list::scrolled(&ProblemUnits(view), self.top, direction, rows);
    }

    fn reveal(&mut self, view: &View) {
        self.top = list::reveal(&ProblemUnits(view), self.top, 0);
    }

    fn anchor(&self, view: &View) -> Option<ScrollAnchor> {
        let problems = view.problems();
        let brief = problems.at(self.top.unit).and_then(|number| problems.brief(number))?;
        Some(ScrollAnchor::Problem(brief.place()))
    }

    fn restore(&mut self, view: &View, anchor: ScrollAnchor, shift: usize) {
        if let ScrollAnchor::Problem(known) = anchor {
            self.top = Anchor { unit: view.problems().nearest(moved_place(known, shift)), row: 0 };
        }
    }
}

/// The units of the list: problems, by their place in the order of the text.
struct ProblemUnits<'a>(&'a View);

impl Units for ProblemUnits<'_> {
    type Unit = usize;

    fn first(&self) -> Option<usize> {
        (!self.0.problems().is_empty()).then_some(0)
    }

    fn last(&self) -> Option<usize> {
        self.0.problems().len().checked_sub(1)
    }

    fn next(&self, unit: usize) -> Option<usize> {
        (unit + 1 < self.0.problems().len()).then_some(unit + 1)
    }

    fn previous(&self, unit: usize) -> Option<usize> {
        unit.checked_sub(1)
    }

    fn height(&self, _: usize) -> usize {
        1
    }
}

impl List for ProblemUnits<'_> {
    const PANE: PaneId = PaneId::Problems;

    fn view(&self) -> &View {
        self.0
    }

    fn rows(&self, unit: usize) -> Rc<Vec<Row>> {
        Rc::new(vec![row(self.0, unit)])
    }

    fn cursor(&self) -> Option<Anchor<usize>> {
        let problems = self.0.problems();
        let selection = self.0.selection;
        let exact = selection.problem.and_then(|problem| problems.place_of(problem));
        let near = || problems.first_from(selection.offset).min(problems.len().saturating_sub(1));
        (!problems.is_empty()).then(|| Anchor { unit: exact.unwrap_or_else(near), row: 0 })
    }
}

/// The row of a problem.
fn row(view: &View, unit: usize) -> Row {
    let Some(number) = view.problems().at(unit) else { return Row::default() };
    let Some(problem) = view.problem(number) else { return Row::default() };
    let line = view.line_of(problem.span.start);
    let item = view.session.document().item_at(problem.span.start).unwrap_or(0);
    let node = view.node_at(item, problem.span.start);
    let target = Target { item, node, offset: problem.span.start, problem: Some(number) };
    let (sign, role) = mark(problem.severity);
    let lead = vec![
        Piece::new(format!("{sign} "), role),
        Piece::new(format!("{line:>5}  "), Role::LineNumber),
        Piece::new(format!("{:<22}  ", problem.code.name()), Role::Dim),
        Piece::new(&problem.message, Role::Text),
    ];
    let note = vec![Piece::new(&problem.help, Role::Dim)];
    Row { target: Some(target), lead, note, ..Row::default() }
}
