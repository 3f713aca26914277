//! A pane that is a list of rows, some of which have a target in the text: moving, clicking and scrolling.
//!
//! Only visible rows are laid out.

use std::ops::Range;
use std::rc::Rc;

use crate::diagnostic::Code;
use crate::text::Span;
use crate::tui::action::{Align, Motion, PaneId};
use crate::tui::layout::Slot;
use crate::tui::row::{Row, Target};
use crate::tui::view::View;
use crate::tui::viewport::{self, Anchor, Page, PageStep, Units};
use crate::tui::widget::rows::Line;

/// Rows below the top that are searched for one with a target.
const NEAR: usize = 64;

/// Rows kept between the selection and the edge of a pane, except in the low ones at the bottom.
const MARGIN: usize = 3;

/// Units whose rows may have targets in the text.
pub trait List: Units {
    /// The pane that shows the list.
    fn pane(&self) -> PaneId;
    /// The view that the units are derived from.
    fn view(&self) -> &View;
    /// The rows of a part of a unit.
    fn rows(&self, unit: usize, part: usize) -> Rc<Vec<Row>>;
    /// The row that shows the selection.
    fn cursor(&self) -> Option<Anchor> {
        self.row_for(self.view().selection)
    }
    /// The row that will show a target once it is selected, if that depends on the target alone.
    fn row_for(&self, _target: Target) -> Option<Anchor> {
        None
    }
    /// The unit and part with the row of a target; `is_heading` if that row is a heading.
    fn unit_of(&self, target: Target, _is_heading: bool) -> (usize, usize) {
        (target.item, 0)
    }

    /// Rows inside the pane; 0 if it is not shown.
    fn room(&self) -> usize {
        self.view().height(self.pane())
    }

    /// The target of the row at a position.
    fn target(&self, at: Anchor) -> Option<Target> {
        self.rows(at.unit, at.part).get(at.row)?.target
    }
}

/// Rows that are made together, and the index of the chosen one.
pub(super) struct Table<'a> {
    pub(super) pane: PaneId,
    pub(super) view: &'a View,
    pub(super) rows: Rc<Vec<Row>>,
    pub(super) chosen: Option<usize>,
}

impl Units for Table<'_> {
    fn numbers(&self) -> Range<usize> {
        0..1
    }

    fn height(&self, unit: usize, part: usize) -> usize {
        self.rows(unit, part).len()
    }
}

impl List for Table<'_> {
    fn pane(&self) -> PaneId {
        self.pane
    }

    fn view(&self) -> &View {
        self.view
    }

    fn rows(&self, _: usize, _: usize) -> Rc<Vec<Row>> {
        Rc::clone(&self.rows)
    }

    fn cursor(&self) -> Option<Anchor> {
        self.chosen.map(|row| Anchor { row, ..Anchor::default() })
    }
}

/// Units of one row, one of which is chosen; a row is made when it is drawn.
pub(super) struct ChosenRows<'a> {
    pub(super) pane: PaneId,
    pub(super) view: &'a View,
    pub(super) count: usize,
    /// The chosen row; the last one if there are fewer.
    pub(super) chosen: usize,
    /// Makes the row with a number.
    pub(super) row: Box<dyn Fn(usize) -> Option<Row> + 'a>,
}

impl ChosenRows<'_> {
    /// The row to choose after a motion, and the new scroll position if it moves by pages; `None` without rows.
    pub(super) fn moved(&self, top: Anchor, motion: Motion) -> Option<(usize, Option<PageStep>)> {
        let at = self.cursor()?.unit;
        let step = paged(self, top, motion, |_| true);
        let to = match step {
            Some(step) => step.cursor.map_or(at, |at| at.unit),
            None => motion.moved(at, 1, self.count - 1),
        };
        Some((to, step))
    }

    /// The row that is clicked, and whether it is the chosen one of the focused pane, so that a click opens it.
    pub(super) fn clicked(&self, top: Anchor, row: usize) -> Option<(usize, bool)> {
        let at = viewport::window(self, top, row + 1).get(row).copied()?;
        Some((at.unit, self.view.layout.focused() == self.pane && self.cursor() == Some(at)))
    }
}

impl Units for ChosenRows<'_> {
    fn numbers(&self) -> Range<usize> {
        0..self.count
    }

    fn height(&self, _: usize, _: usize) -> usize {
        1
    }
}

impl List for ChosenRows<'_> {
    fn pane(&self) -> PaneId {
        self.pane
    }

    fn view(&self) -> &View {
        self.view
    }

    fn cursor(&self) -> Option<Anchor> {
        let last = self.count.checked_sub(1)?;
        Some(Anchor { unit: self.chosen.min(last), ..Anchor::default() })
    }

    fn rows(&self, unit: usize, _: usize) -> Rc<Vec<Row>> {
        Rc::new((self.row)(unit).into_iter().collect())
    }
}

/// The rows starting at `top`. The rows of a unit are requested only once.
pub(super) fn lines(list: &dyn List, top: Anchor, height: usize) -> Vec<Line> {
    let cursor = list.cursor();
    let mut known: Option<(Anchor, Rc<Vec<Row>>)> = None;
    let line = |at: Anchor| {
        let rows = match &known {
            Some((of, rows)) if (of.unit, of.part) == (at.unit, at.part) => Rc::clone(rows),
            _ => list.rows(at.unit, at.part),
        };
        known = Some((at, Rc::clone(&rows)));
        Line { rows, at: at.row, selected: Some(at) == cursor }
    };
    viewport::window(list, top, height).into_iter().map(line).collect()
}

/// The result of a motion: the new selection, if it changes, and the new scroll position, unless revealing the
/// selection is enough.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Moved {
    pub(super) target: Option<Target>,
    pub(super) step: Option<PageStep>,
}

impl Moved {
    /// Scrolls to a row, and selects a target if there is one.
    fn scrolled(top: Anchor, target: Option<Target>) -> Self {
        Self { target, step: Some(PageStep::at(top)) }
    }
}

/// The result of a motion. Rows without a target, or whose target is already selected, are scrolled through and never
/// skipped.
pub(super) fn moved(list: &dyn List, top: Anchor, motion: Motion) -> Moved {
    let near = |at: Anchor, forward: bool| {
        list.target(at).or_else(|| next_target(list, at, forward).map(|(_, target)| target))
    };
    let found = match motion {
        Motion::Line(direction) => stepped(list, top, direction),
        Motion::Half(_) | Motion::Page(_) => paged(list, top, motion, |at| list.target(at).is_some()).map(|step| {
            let target = step.cursor.and_then(|at| list.target(at));
            Moved { target, step: Some(step) }
        }),
        Motion::To(number) => viewport::first(list).map(|first| {
            let at = viewport::down(list, first, number.saturating_sub(1));
            Moved { target: near(at, true), step: None }
        }),
        // Rows without a target at the ends are shown as well.
        Motion::Top => viewport::first(list).map(|first| Moved::scrolled(first, near(first, true))),
        Motion::Bottom => viewport::last(list)
            .and_then(|last| Some(Moved::scrolled(viewport::end(list, list.room())?, near(last, false)))),
    };
    found.unwrap_or_default()
}

/// Steps to the next row with a target, down (1) or up (-1); scrolls if it is too far away or does not exist.
fn stepped(list: &dyn List, top: Anchor, direction: i8) -> Option<Moved> {
    let cursor = list.cursor().and_then(|cursor| viewport::clamp(list, cursor)).or_else(|| viewport::first(list))?;
    let neighbour = |direction: i8| next_target(list, cursor, direction > 0);
    // If several rows share a target, the one that shows it as selected may not be the nearest.
    let row_of = |way: i8| {
        let (at, target) = neighbour(way)?;
        let shown = list.row_for(target).unwrap_or(at);
        Some(if way > 0 { at.max(shown) } else { at.min(shown) })
    };
    let top = viewport::scroll_toward(list, top, cursor, direction, list.room(), row_of);
    Some(match top {
        Some(top) => Moved::scrolled(top, None),
        None => Moved { target: neighbour(direction).map(|(_, target)| target), step: None },
    })
}

/// The nearest row after or before `at` whose target is not the selection, and that target.
fn next_target(list: &dyn List, mut at: Anchor, forward: bool) -> Option<(Anchor, Target)> {
    loop {
        let next = if forward { viewport::down(list, at, 1) } else { viewport::up(list, at, 1) };
        if next == at {
            return None;
        }
        at = next;
        if let Some(found) = list.target(at).filter(|found| *found != list.view().selection) {
            return Some((at, found));
        }
    }
}

/// A page step, or half of one, in a list of which only some rows can be chosen.
pub(super) fn paged(
    list: &dyn List,
    top: Anchor,
    motion: Motion,
    can_be_chosen: impl Fn(Anchor) -> bool,
) -> Option<PageStep> {
    let height = list.room();
    let (direction, rows) = motion.pages(height)?;
    let from = list.view().paged.filter(|(pane, _)| *pane == list.pane()).map(|(_, step)| step);
    let page = Page { direction, rows, height, margin: margin(list) };
    page.turn(list, (top, list.cursor()), from, can_be_chosen)
}

/// The target of a row of the pane.
pub(super) fn target_in_row(list: &dyn List, top: Anchor, row: usize) -> Option<Target> {
    list.target(*viewport::window(list, top, row + 1).get(row)?)
}

/// The top that reveals the selection with the least scrolling.
pub(super) fn revealed(list: &dyn List, top: Anchor) -> Anchor {
    let height = list.room();
    if height == 0 {
        return top;
    }
    match list.cursor() {
        Some(cursor) => viewport::reveal(list, top, cursor, height, margin(list)),
        None => viewport::filled(list, top, height),
    }
}

/// Rows kept between the selection and the edges of the pane.
fn margin(list: &dyn List) -> usize {
    if list.pane().slot() == Slot::Bottom { 0 } else { MARGIN.min(list.room() / 4) }
}

/// The top that moves the selection to the upper third, if it is in the lower half and there is more below.
pub(super) fn raised(list: &dyn List, top: Anchor) -> Anchor {
    let height = list.room();
    let raised = || {
        let cursor = list.cursor()?;
        let at = viewport::window(list, top, height).iter().position(|row| *row == cursor)?;
        let lowest = viewport::end(list, height)?;
        (at > height / 2).then(|| viewport::up(list, cursor, height / 3).min(lowest).max(top))
    };
    raised().unwrap_or(top)
}

/// The top that puts the selection at the top, in the middle or at the bottom.
pub(super) fn aligned(list: &dyn List, top: Anchor, align: Align) -> Anchor {
    let height = list.room();
    let above = match align {
        Align::Top => 0,
        Align::Center => height / 2,
        Align::Bottom => height.saturating_sub(1),
    };
    list.cursor().map_or(top, |cursor| viewport::filled(list, viewport::up(list, cursor, above), height))
}

/// The top that puts the last row at the bottom edge, for panes other than the bottom ones.
pub(super) fn end(list: &dyn List, top: Anchor) -> Anchor {
    let shown = list.pane().slot() != Slot::Bottom;
    viewport::end(list, list.room()).filter(|_| shown).unwrap_or(top)
}

/// A row near the top of a pane and its distance from the top.
#[derive(Clone, Copy, Debug)]
pub struct RowAnchor {
    target: Target,
    /// Span and code of the row's problem.
    problem: Option<(Span, Code)>,
    is_heading: bool,
    /// Number of rows directly before it with the same target.
    same: usize,
    /// Number of rows between the top and it.
    below: usize,
}

impl RowAnchor {
    /// Anchors the first row with a target at or after `top`.
    pub(super) fn at_top(list: &dyn List, top: Anchor) -> Option<Self> {
        let top = viewport::clamp(list, top)?;
        let shown = viewport::window(list, top, NEAR);
        let found = shown.into_iter().enumerate().find_map(|(below, at)| Some((below, at, list.target(at)?)));
        let (below, at, target) = found?;
        let rows = list.rows(at.unit, at.part);
        let same = rows[..at.row].iter().rev().take_while(|row| row.target == Some(target)).count();
        let brief = target.problem.and_then(|number| list.view().problems().brief(number));
        let problem = brief.map(|brief| brief.place());
        Some(Self { target, problem, is_heading: rows[at.row].is_heading, same, below })
    }

    /// The top that keeps the row at its distance, after the text was moved by `shift` bytes.
    pub(super) fn top(&self, list: &dyn List, shift: usize) -> Option<Anchor> {
        let view = list.view();
        let offset = self.target.offset + shift;
        let item = view.session.document().item_at(offset)?;
        let problem = self.problem.and_then(|known| view.problems().number_of(moved_place(known, shift)));
        let target = Target { item, offset, problem, ..self.target };
        let is_same = |row: &Row| row.target == Some(target);
        let (unit, part) = list.unit_of(target, self.is_heading);
        let rows = list.rows(unit, part);
        let row = match rows.iter().position(is_same) {
            Some(first) => first + rows[first + 1..].iter().take(self.same).take_while(|row| is_same(row)).count(),
            None => row_of(&rows, target)?,
        };
        Some(viewport::up(list, Anchor { unit, part, row }, self.below))
    }
}

/// The place of a problem moved by `shift` bytes.
pub fn moved_place((span, code): (Span, Code), shift: usize) -> (Span, Code) {
    (Span::new(span.start + shift, span.end + shift), code)
}

/// The row that best represents the selection: the same problem, else the same node, the nearest one above first.
pub(super) fn row_of(rows: &[Row], selection: Target) -> Option<usize> {
    let rank = |target: Target| match (target.problem, target.offset <= selection.offset) {
        (Some(_), _) if target.problem == selection.problem => 4,
        (None, true) if target.node == selection.node => 3,
        (None, false) if target.node == selection.node => 2,
        (None, true) => 1,
        _ => 0,
    };
    let targets = rows.iter().enumerate().filter_map(|(index, row)| Some((rank(row.target?), index)));
    // Of rows above, the last one is nearest; otherwise the first one wins.
    targets
        .max_by_key(|&(rank, index)| (rank, if rank % 2 == 1 { index } else { usize::MAX - index }))
        .map(|(_, at)| at)
}
