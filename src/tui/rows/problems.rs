//! The list of problems, in the order of the text.
//!
//! This module does not know how rows are drawn.

use super::super::state::State;
use super::super::theme::Role;
use super::super::viewport::{Anchor, Units};
use super::{Piece, Row, Target, mark};

/// The units of the list: problems, by their place in the order of the text.
pub struct Problems<'a>(pub &'a State);

impl Units for Problems<'_> {
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

impl Problems<'_> {
    /// The row of the problem that is selected, or of the first one behind what is selected.
    pub fn cursor(&self) -> Option<Anchor<usize>> {
        let problems = self.0.problems();
        let selection = self.0.selection;
        let exact = selection.problem.and_then(|problem| problems.place_of(problem));
        let near = || problems.first_from(selection.offset).min(problems.len().saturating_sub(1));
        (!problems.is_empty()).then(|| Anchor { unit: exact.unwrap_or_else(near), row: 0 })
    }

    /// The row of a problem.
    pub fn row(&self, unit: usize) -> Row {
        let state = self.0;
        let Some(number) = state.problems().at(unit) else { return Row::default() };
        let Some(problem) = state.problem(number) else { return Row::default() };
        let line = state.line_of(problem.span.start);
        let item = state.session.document().item_at(problem.span.start).unwrap_or(0);
        let node = state.node_at(item, problem.span.start);
        let target = Target { item, node, offset: problem.span.start, problem: Some(number) };
        let (sign, role) = mark(problem.severity);
        let lead = vec![
            Piece::new(format!("{sign} "), role),
            Piece::new(format!("{line:>5}  "), Role::LineNumber),
            Piece::new(format!("{:<22}  ", problem.code.name()), Role::Dim),
            Piece::new(&problem.message, Role::Text),
        ];
        let note = vec![Piece::new(problem.help_text(), Role::Dim)];
        Row { target: Some(target), lead, note, ..Row::default() }
    }
}
