//! A pane that is a list of rows, some of which lead to a place in the text: moving, clicking and scrolling in it.
//!
//! Only rows that are visible are laid out. This module does not know what the rows are about.

use std::rc::Rc;

use crate::diagnostic::Code;
use crate::text::Span;
use crate::tui::action::{Motion, PaneId};
use crate::tui::row::{Row, Target};
use crate::tui::view::View;
use crate::tui::viewport::{self, Anchor, Units};
use crate::tui::widget::rows::Line;

/// Rows below the top among which one is looked for that leads somewhere.
const NEAR: usize = 64;

/// Rows kept between the selection and the edge of a pane.
pub(super) const MARGIN: usize = 3;

/// Units whose rows lead to places of the text.
pub(super) trait List: Units {
    /// The pane that shows them.
    const PANE: PaneId;
    /// What they are units of.
    fn view(&self) -> &View;
    /// The rows of a unit.
    fn rows(&self, unit: Self::Unit) -> Rc<Vec<Row>>;
    /// The row that shows what is selected.
    fn cursor(&self) -> Option<Anchor<Self::Unit>>;

    /// Rows inside of the pane, 0 where it is not shown.
    fn room(&self) -> usize {
        self.view().height(Self::PANE)
    }

    /// What the row at a place leads to.
    fn target(&self, at: Anchor<Self::Unit>) -> Option<Target> {
        self.rows(at.unit).get(at.row)?.target
    }
}

/// The rows from `top` on; those of a unit are asked for once.
pub(super) fn lines<L: List>(list: &L, top: Anchor<L::Unit>, height: usize) -> Vec<Line> {
    let cursor = list.cursor();
    let mut unit: Option<(L::Unit, Rc<Vec<Row>>)> = None;
    let mut shown = Vec::with_capacity(height);
    for at in viewport::window(list, top, height) {
        let rows = match &unit {
            Some((known, rows)) if *known == at.unit => Rc::clone(rows),
            _ => list.rows(at.unit),
        };
        shown.push(Line { rows: Rc::clone(&rows), at: at.row, selected: Some(at) == cursor });
        unit = Some((at.unit, rows));
    }
    shown
}

/// The row that shows what is selected.
pub(super) fn selected<L: List>(list: &L) -> Option<Row> {
    let cursor = list.cursor()?;
    list.rows(cursor.unit).get(cursor.row).cloned()
}

/// The target of the row that a motion leads to; rows that lead nowhere or nowhere else are passed over.
pub(super) fn moved<L: List>(list: &L, motion: Motion) -> Option<Target> {
    let height = list.room().max(2);
    let cursor = list.cursor().and_then(|cursor| viewport::settle(list, cursor)).or_else(|| viewport::first(list))?;
    let (mut at, forward) = match motion {
        Motion::Line(direction) => (cursor, direction > 0),
        Motion::Half(direction) if direction > 0 => (viewport::down(list, cursor, height / 2 - 1), true),
        Motion::Half(_) => (viewport::up(list, cursor, height / 2 - 1), false),
        Motion::Page(direction) if direction > 0 => (viewport::down(list, cursor, height - 2), true),
        Motion::Page(_) => (viewport::up(list, cursor, height - 2), false),
        Motion::Top => {
            let first = viewport::first(list)?;
            return list.target(first).or_else(|| next_target(list, first, true));
        }
        Motion::Bottom => {
            let last = viewport::last(list)?;
            return list.target(last).or_else(|| next_target(list, last, false));
        }
    };
    if at != cursor {
        // One row less was passed, because the search for a target takes one more.
        if let Some(found) = next_target(list, at, forward) {
            return Some(found);
        }
        at = cursor;
    }
    next_target(list, at, forward)
}

/// The target of the nearest row from `at` on that leads somewhere else than the selection.
fn next_target<L: List>(list: &L, mut at: Anchor<L::Unit>, forward: bool) -> Option<Target> {
    loop {
        let next = if forward { viewport::down(list, at, 1) } else { viewport::up(list, at, 1) };
        if next == at {
            return None;
        }
        at = next;
        if let Some(found) = list.target(at).filter(|found| *found != list.view().selection) {
            return Some(found);
        }
    }
}

/// What a row of the pane leads to.
pub(super) fn target_in_row<L: List>(list: &L, top: Anchor<L::Unit>, row: usize) -> Option<Target> {
    list.target(*viewport::window(list, top, row + 1).get(row)?)
}

/// The top with which the selection is shown, scrolled as little as is needed.
pub(super) fn reveal<L: List>(list: &L, top: Anchor<L::Unit>, margin: usize) -> Anchor<L::Unit> {
    let height = list.room();
    let shown = |cursor| viewport::reveal(list, top, cursor, height, margin.min(height / 4));
    list.cursor().map_or(top, shown)
}

/// The top with which the selection is in the upper third, if it is in the lower half and there is more below.
pub(super) fn raise<L: List>(list: &L, top: Anchor<L::Unit>) -> Anchor<L::Unit> {
    let height = list.room();
    let raised = || {
        let cursor = list.cursor()?;
        let at = viewport::window(list, top, height).iter().position(|row| *row == cursor)?;
        let lowest = viewport::end(list, height)?;
        (at > height / 2).then(|| viewport::up(list, cursor, height / 3).min(lowest).max(top))
    };
    raised().unwrap_or(top)
}

/// The top after a turn of the wheel; the last row stays at the bottom edge.
pub(super) fn scrolled<L: List>(list: &L, top: Anchor<L::Unit>, direction: i8, rows: usize) -> Anchor<L::Unit> {
    viewport::scrolled(list, top, direction, rows, list.room())
}

/// The top with which the last row is at the bottom edge.
pub(super) fn end<L: List>(list: &L, top: Anchor<L::Unit>) -> Anchor<L::Unit> {
    viewport::end(list, list.room()).unwrap_or(top)
}

/// A row near the top of a pane, and how far the top is from it.
#[derive(Clone, Copy, Debug)]
pub struct RowAnchor {
    target: Target,
    /// The problem that the row is about.
    problem: Option<(Span, Code)>,
    /// Rows in front of it that lead to the same.
    same: usize,
    /// Rows from the top down to it.
    below: usize,
}

impl RowAnchor {
    /// The first row from `top` on that leads somewhere, and its unit.
    pub(super) fn at_top<L: List>(list: &L, top: Anchor<L::Unit>) -> Option<(L::Unit, Self)> {
        let top = viewport::settle(list, top)?;
        let shown = viewport::window(list, top, NEAR);
        let found = shown.into_iter().enumerate().find_map(|(below, at)| Some((below, at, list.target(at)?)));
        let (below, at, target) = found?;
        let rows = list.rows(at.unit);
        let same = rows[..at.row].iter().rev().take_while(|row| row.target == Some(target)).count();
        let brief = target.problem.and_then(|number| list.view().problems().brief(number));
        Some((at.unit, Self { target, problem: brief.map(|brief| brief.place()), same, below }))
    }

    /// What the row leads to now, `shift` bytes further on.
    pub(super) fn moved(&self, view: &View, shift: usize) -> Option<Target> {
        let offset = self.target.offset + shift;
        let item = view.session.document().item_at(offset)?;
        let problem = self.problem.and_then(|known| view.problems().number_of(moved_place(known, shift)));
        Some(Target { item, offset, problem, ..self.target })
    }

    /// The top with which the row stands where it stood; it leads to `target` now, and stands in `unit`.
    pub(super) fn top<L: List>(&self, list: &L, unit: L::Unit, target: Target) -> Option<Anchor<L::Unit>> {
        let rows = list.rows(unit);
        let is_same = |row: &Row| row.target == Some(target);
        let row = match rows.iter().position(is_same) {
            Some(first) => first + rows[first + 1..].iter().take(self.same).take_while(|row| is_same(row)).count(),
            None => row_of(&rows, target)?,
        };
        Some(viewport::up(list, Anchor { unit, row }, self.below))
    }
}

/// The place of a problem `shift` bytes further on.
pub fn moved_place((span, code): (Span, Code), shift: usize) -> (Span, Code) {
    (Span::new(span.start + shift, span.end + shift), code)
}

/// The row among `rows` that shows the selection best: the problem itself, else the same node, nearest above.
pub(super) fn row_of(rows: &[Row], selection: Target) -> Option<usize> {
    let targets = || rows.iter().enumerate().filter_map(|(index, row)| row.target.map(|target| (index, target)));
    if selection.problem.is_some()
        && let Some((index, _)) = targets().find(|(_, target)| target.problem == selection.problem)
    {
        return Some(index);
    }
    let plain = || targets().filter(|(_, target)| target.problem.is_none());
    let same = || plain().filter(|(_, target)| target.node == selection.node);
    let near = |candidates: &mut dyn Iterator<Item = (usize, Target)>| {
        candidates.filter(|(_, target)| target.offset <= selection.offset).last().map(|(index, _)| index)
    };
    near(&mut same())
        .or_else(|| same().next().map(|(index, _)| index))
        .or_else(|| near(&mut plain()))
        .or_else(|| targets().next().map(|(index, _)| index))
}
