//! Where every pane stands, told by bytes of the text.
//!
//! Before something arrives, the row at the top of each pane is pinned to the byte that it is about; before the next
//! frame each pane is scrolled to where its byte has gone, however many rows have come in above it, and even if the
//! text is now shown out of another session. This module does not know what arrives.

use crate::diagnostic::Code;
use crate::text::Span;

use crate::tui::action::Tab;
use crate::tui::rows::{Row, Target, outline::Outline, raw::Raw, reading, reading::Reading};
use crate::tui::state::State;
use crate::tui::viewport::{self, Anchor, Units};

/// Rows below the top among which one is looked for that leads somewhere.
const NEAR: usize = 64;

/// Where the panes stood.
#[derive(Clone, Debug)]
pub struct ScrollAnchors {
    outline: Option<(usize, ScrollAnchor)>,
    reading: Option<ScrollAnchor>,
    /// Offset of the first byte of the row at the top.
    raw: Option<usize>,
    /// The problem at the top of their list.
    problems: Option<(Span, Code)>,
    /// The problem that is selected.
    selected: Option<(Span, Code)>,
    /// Where the box of the selected call stood, if the graph is shown.
    graph: Option<(usize, usize)>,
}

/// A row, and how far the top is from it.
#[derive(Clone, Copy, Debug)]
struct ScrollAnchor {
    target: Target,
    /// The problem that the row is about.
    problem: Option<(Span, Code)>,
    /// Rows in front of it that lead to the same.
    same: usize,
    /// Rows from the top down to it.
    below: usize,
}

impl ScrollAnchors {
    /// Where the panes stand.
    pub fn of(state: &State) -> Self {
        let outline = Outline(state);
        let reading = Reading(state);
        let raw = Raw(state);
        let problems = state.problems();
        Self {
            outline: pin(state, &outline, state.tops.outline, |unit| outline.rows(unit))
                .map(|(unit, pin)| (unit.1, pin)),
            reading: pin(state, &reading, state.tops.reading, |unit| reading.rows(unit)).map(|(_, pin)| pin),
            raw: raw.offset_of(state.tops.raw),
            problems: problems
                .at(state.tops.problems.unit)
                .and_then(|number| problems.brief(number))
                .map(|brief| brief.place()),
            selected: state
                .selection
                .problem
                .and_then(|number| state.problems().brief(number))
                .map(|brief| brief.place()),
            graph: box_of(state),
        }
    }

    /// Scrolls every pane to where its byte is now, `shift` bytes further on than it was.
    pub fn restore(&self, state: &mut State, shift: usize) {
        let moved = |(span, code): (Span, Code)| (Span::new(span.start + shift, span.end + shift), code);
        state.selection.problem = self.selected.and_then(|known| number_of(state, moved(known)));
        let outline = self.outline.and_then(|(kind, pin)| {
            let target = pin.moved(state, shift)?;
            let unit =
                if kind == 0 { (target.item, 0) } else { Outline(state).place_of(target.item, target.node).unit };
            pin.find(&Outline(state), unit, target, |unit| Outline(state).rows(unit))
        });
        let reading = self.reading.and_then(|pin| {
            let target = pin.moved(state, shift)?;
            let unit = Reading(state).unit_of(target);
            // A row behind the edge of a part may belong to a line that begins in the part before.
            let is_there =
                |unit: &(usize, usize)| Reading(state).rows(*unit).iter().any(|row| row.target == Some(target));
            let before = (unit.0, unit.1.saturating_sub(1));
            let unit = [unit, before].into_iter().find(is_there).unwrap_or(unit);
            pin.find(&Reading(state), unit, target, |unit| Reading(state).rows(unit))
        });
        let raw = self.raw.and_then(|offset| Raw(state).at(offset + shift));
        let problems = self.problems.map(moved).map(|known| Anchor { unit: place_of(state, known), row: 0 });
        let graph = self.graph.zip(box_of(state)).map(|(before, now)| {
            let (left, top) = state.tops.graph;
            ((left + now.0).saturating_sub(before.0), (top + now.1).saturating_sub(before.1))
        });
        let tops = &mut state.tops;
        tops.graph = graph.unwrap_or(tops.graph);
        tops.outline = outline.unwrap_or(tops.outline);
        tops.reading = reading.unwrap_or(tops.reading);
        tops.raw = raw.unwrap_or(tops.raw);
        tops.problems = problems.unwrap_or(tops.problems);
    }
}

impl ScrollAnchor {
    /// What the row leads to now.
    fn moved(&self, state: &State, shift: usize) -> Option<Target> {
        let offset = self.target.offset + shift;
        let item = state.session.document().item_at(offset)?;
        let moved = |(span, code): (Span, Code)| (Span::new(span.start + shift, span.end + shift), code);
        let problem = self.problem.and_then(|known| number_of(state, moved(known)));
        Some(Target { item, offset, problem, ..self.target })
    }

    /// The top with which the row stands where it stood.
    fn find<L: Units>(
        &self,
        units: &L,
        unit: L::Unit,
        target: Target,
        rows: impl Fn(L::Unit) -> std::rc::Rc<Vec<Row>>,
    ) -> Option<Anchor<L::Unit>> {
        let rows = rows(unit);
        let is_same = |row: &Row| row.target == Some(target);
        let row = match rows.iter().position(is_same) {
            Some(first) => first + rows[first + 1..].iter().take(self.same).take_while(|row| is_same(row)).count(),
            None => reading::row_of(&rows, target)?,
        };
        Some(viewport::up(units, Anchor { unit, row }, self.below))
    }
}

/// ScrollAnchors the first row from `top` on that leads somewhere; gives its unit as well.
fn pin<L: Units>(
    state: &State,
    units: &L,
    top: Anchor<L::Unit>,
    rows: impl Fn(L::Unit) -> std::rc::Rc<Vec<Row>>,
) -> Option<(L::Unit, ScrollAnchor)> {
    let top = viewport::settle(units, top)?;
    let shown = viewport::window(units, top, NEAR);
    let (below, at, target) = shown.into_iter().enumerate().find_map(|(below, at)| {
        let target = rows(at.unit).get(at.row)?.target?;
        Some((below, at, target))
    })?;
    let before = &rows(at.unit)[..at.row];
    let same = before.iter().rev().take_while(|row| row.target == Some(target)).count();
    let problem = target.problem.and_then(|number| state.problems().brief(number)).map(|brief| brief.place());
    Some((at.unit, ScrollAnchor { target, problem, same, below }))
}

/// The corner of the selected call's box, if the graph is shown.
fn box_of(state: &State) -> Option<(usize, usize)> {
    if state.tab != Tab::Graph {
        return None;
    }
    let node = state.graph().node_of(state.selection.item)?;
    state.drawing().bounds_of(node).map(|(x, y, ..)| (x, y))
}

/// The place of a problem in the list, or of the one that comes behind it.
fn place_of(state: &State, known: (Span, Code)) -> usize {
    let problems = state.problems();
    let is_before = |&at: &usize| {
        problems.at(at).and_then(|number| problems.brief(number)).is_some_and(|problem| problem.place() < known)
    };
    let first = problems.first_from(known.0.start);
    let behind = (first..problems.len()).take_while(is_before).last().map_or(first, |last| last + 1);
    behind.min(problems.len().saturating_sub(1))
}

/// The number that a problem has now.
fn number_of(state: &State, known: (Span, Code)) -> Option<usize> {
    let number = state.problems().at(place_of(state, known))?;
    state.problems().brief(number).is_some_and(|problem| problem.place() == known).then_some(number)
}
