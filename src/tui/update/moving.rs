//! Moving the selection in a pane, folding, and keeping every pane at what is selected.
//!
//! This module does not know keys.

use crate::document::graph::GraphNode;
use crate::params::{NodeId, ROOT, Value};
use crate::text::Span;

use crate::tui::action::{Motion, Tab};
use crate::tui::graph_layout::Direction;
use crate::tui::layout::Pane;
use crate::tui::rows::reading::{PREVIEW, Reading};
use crate::tui::rows::{Target, details, outline::Outline, problems::Problems, raw::Raw};
use crate::tui::state::State;
use crate::tui::update::{arriving, conversing, converting, eventing, peeking, setting};
use crate::tui::viewport::{self, Anchor, Units};

/// Rows kept between the selection and the edge of its pane.
const MARGIN: usize = 3;

/// Columns that a key moves a cut line or the graph sideways.
const SIDEWAYS: usize = 8;

/// Moves the selection in the pane that has the focus.
pub(super) fn go(state: &mut State, motion: Motion) {
    if eventing::has_keys(state) {
        return eventing::go(state, motion);
    }
    match motion {
        Motion::Bottom => return bottom(state),
        Motion::Line(1) | Motion::Half(1) | Motion::Page(1) => {}
        Motion::Top if state.focus != Pane::Bottom => {
            state.hold_end = false;
            peeking::leave(state);
        }
        _ => {
            state.hold_end = false;
            peeking::make_room(state);
        }
    }
    match (state.focus, state.tab) {
        (Pane::Outline, _) => {
            let units = Outline(state);
            let target = moved(&units, units.cursor(), motion, state, |at| units.rows(at.unit)[at.row].target);
            select_found(state, target);
        }
        (Pane::Reading, _) => {
            let units = Reading(state);
            let target = moved(&units, units.cursor(), motion, state, |at| units.rows(at.unit)[at.row].target);
            select_found(state, target);
        }
        (Pane::Raw, _) => {
            let units = Raw(state);
            let target = moved(&units, units.cursor(), motion, state, |at| units.rows(at.unit)[at.row].target);
            select_found(state, target);
        }
        (Pane::Bottom, Tab::Problems) => {
            let units = Problems(state);
            let target = moved(&units, units.cursor(), motion, state, |at| units.row(at.unit).target);
            select_found(state, target);
        }
        (Pane::Bottom, Tab::Graph) => go_in_graph(state, motion),
        (Pane::Bottom, Tab::Details) => scroll_details(state, motion),
        (Pane::Bottom, Tab::Settings) => setting::go(state, motion),
        (Pane::Bottom, Tab::Dialects) => converting::go(state, motion),
        (Pane::Bottom, Tab::Events) => {}
    }
}

/// The target of the row that a motion leads to; rows that lead nowhere or nowhere else are passed over.
fn moved<L: Units>(
    units: &L,
    cursor: Option<Anchor<L::Unit>>,
    motion: Motion,
    state: &State,
    target: impl Fn(Anchor<L::Unit>) -> Option<Target>,
) -> Option<Target> {
    let height = state.height(state.focus).max(2);
    let cursor = cursor.and_then(|cursor| viewport::settle(units, cursor)).or_else(|| viewport::first(units))?;
    let (mut at, forward) = match motion {
        Motion::Line(direction) => (cursor, direction > 0),
        Motion::Half(direction) if direction > 0 => (viewport::down(units, cursor, height / 2 - 1), true),
        Motion::Half(_) => (viewport::up(units, cursor, height / 2 - 1), false),
        Motion::Page(direction) if direction > 0 => (viewport::down(units, cursor, height - 2), true),
        Motion::Page(_) => (viewport::up(units, cursor, height - 2), false),
        Motion::Top => {
            return target(viewport::first(units)?)
                .or_else(|| next_target(units, viewport::first(units)?, true, state, &target));
        }
        Motion::Bottom => {
            return target(viewport::last(units)?)
                .or_else(|| next_target(units, viewport::last(units)?, false, state, &target));
        }
    };
    if at != cursor {
        // One row less was passed, because the search for a target takes one more.
        if let Some(found) = next_target(units, at, forward, state, &target) {
            return Some(found);
        }
        at = cursor;
    }
    next_target(units, at, forward, state, &target)
}

/// The target of the nearest row from `at` on that leads somewhere else than the selection.
fn next_target<L: Units>(
    units: &L,
    mut at: Anchor<L::Unit>,
    forward: bool,
    state: &State,
    target: &impl Fn(Anchor<L::Unit>) -> Option<Target>,
) -> Option<Target> {
    loop {
        let next = if forward { viewport::down(units, at, 1) } else { viewport::up(units, at, 1) };
        if next == at {
            return None;
        }
        at = next;
        if let Some(found) = target(at).filter(|found| *found != state.selection) {
            return Some(found);
        }
    }
}

fn select_found(state: &mut State, target: Option<Target>) {
    if let Some(target) = target {
        select(state, target);
    }
}

/// Selects something and shows it in every pane.
pub(super) fn select(state: &mut State, target: Target) {
    if state.selection != target {
        state.selection = target;
        state.tops.details = Anchor::default();
    }
    reveal(state);
}

/// Scrolls every pane as little as is needed to show what is selected.
pub(super) fn reveal(state: &mut State) {
    let tops = state.tops;
    let margin = |height: usize| MARGIN.min(height / 4);
    let height = state.height(Pane::Outline);
    let outline = Outline(state)
        .cursor()
        .map(|cursor| viewport::reveal(&Outline(state), tops.outline, cursor, height, margin(height)));
    let height = state.height(Pane::Reading);
    let reading = Reading(state)
        .cursor()
        .map(|cursor| viewport::reveal(&Reading(state), tops.reading, cursor, height, margin(height)));
    let height = state.height(Pane::Raw);
    let raw = Raw(state).cursor().map(|cursor| viewport::reveal(&Raw(state), tops.raw, cursor, height, margin(height)));
    let height = state.height(Pane::Bottom);
    let problems =
        Problems(state).cursor().map(|cursor| viewport::reveal(&Problems(state), tops.problems, cursor, height, 0));
    let graph = (state.tab == Tab::Graph).then(|| graph_offset(state)).flatten();
    if state.tab == Tab::Events {
        eventing::reveal(state);
    }
    let tops = &mut state.tops;
    tops.outline = outline.unwrap_or(tops.outline);
    tops.reading = reading.unwrap_or(tops.reading);
    tops.raw = raw.unwrap_or(tops.raw);
    tops.problems = problems.unwrap_or(tops.problems);
    tops.graph = graph.unwrap_or(tops.graph);
}

/// Selects something far away, and shows what follows it too: it comes to the upper third where it would be lower.
pub(super) fn select_far(state: &mut State, target: Target) {
    select(state, target);
    let height = state.height(Pane::Reading);
    let reading = Reading(state);
    let raised = |top, cursor| raise(&reading, top, cursor, height);
    let reading_top = reading.cursor().and_then(|cursor| raised(state.tops.reading, cursor));
    let height = state.height(Pane::Raw);
    let raw = Raw(state);
    let raw_top = raw.cursor().and_then(|cursor| raise(&raw, state.tops.raw, cursor, height));
    state.tops.reading = reading_top.unwrap_or(state.tops.reading);
    state.tops.raw = raw_top.unwrap_or(state.tops.raw);
}

/// The top with which `cursor` is in the upper third, if it is in the lower half and there is more below.
fn raise<L: Units>(units: &L, top: Anchor<L::Unit>, cursor: Anchor<L::Unit>, height: usize) -> Option<Anchor<L::Unit>> {
    let at = viewport::window(units, top, height).iter().position(|row| *row == cursor)?;
    let lowest = viewport::end(units, height)?;
    (at > height / 2).then(|| viewport::up(units, cursor, height / 3).min(lowest).max(top))
}

/// The corner of the graph's drawing with which the selected box is shown.
fn graph_offset(state: &State) -> Option<(usize, usize)> {
    let node = state.graph().node_of(state.selection.item)?;
    let (x, y, width, height) = state.drawing().bounds_of(node)?;
    let (columns, rows) = (state.width(Pane::Bottom), state.height(Pane::Bottom));
    let shift = |top: usize, start: usize, length: usize, room: usize| {
        if start < top {
            start.saturating_sub(1)
        } else if start + length + 1 > top + room {
            (start + length + 1).saturating_sub(room)
        } else {
            top
        }
    };
    Some((shift(state.tops.graph.0, x, width, columns), shift(state.tops.graph.1, y, height, rows)))
}

/// To the end, and holds on to it while more may arrive.
fn bottom(state: &mut State) {
    match (state.focus, state.tab) {
        (Pane::Bottom, Tab::Problems) => {
            let units = Problems(state);
            let target = units.last().and_then(|last| units.row(last).target);
            select_found(state, target);
        }
        (Pane::Bottom, Tab::Graph) => go_in_graph(state, Motion::Bottom),
        (Pane::Bottom, Tab::Details) => scroll_details(state, Motion::Bottom),
        (Pane::Bottom, Tab::Settings) => setting::go(state, Motion::Bottom),
        (Pane::Bottom, Tab::Dialects) => converting::go(state, Motion::Bottom),
        _ => {
            arriving::to_end(state);
            state.hold_end = state.is_live();
            state.arrived = 0;
        }
    }
}

fn scroll_details(state: &mut State, motion: Motion) {
    let rows = details::rows(state).len();
    let height = state.height(Pane::Bottom).max(1);
    let last = rows.saturating_sub(height);
    let top = state.tops.details.unit;
    let moved = match motion {
        Motion::Line(direction) if direction > 0 => top + 1,
        Motion::Line(_) => top.saturating_sub(1),
        Motion::Half(direction) | Motion::Page(direction) if direction > 0 => top + height / 2,
        Motion::Half(_) | Motion::Page(_) => top.saturating_sub(height / 2),
        Motion::Top => 0,
        Motion::Bottom => last,
    };
    state.tops.details = Anchor { unit: moved.min(last), row: 0 };
}

fn go_in_graph(state: &mut State, motion: Motion) {
    let graph = state.graph();
    let nodes = graph.nodes.len();
    let Some(first) = nodes.checked_sub(1).map(|_| 0) else { return };
    let here = graph.node_of(state.selection.item);
    let next = match (motion, here) {
        (Motion::Top, _) | (_, None) => Some(first),
        (Motion::Bottom, _) => Some(nodes - 1),
        (Motion::Line(direction) | Motion::Half(direction) | Motion::Page(direction), Some(node)) => {
            state.drawing().step(node, if direction > 0 { Direction::Down } else { Direction::Up })
        }
    };
    select_node(state, next);
}

/// Selects the nearest box in a direction.
fn step_in_graph(state: &mut State, direction: Direction) {
    let here = state.graph().node_of(state.selection.item);
    let next = here.and_then(|node| state.drawing().step(node, direction));
    select_node(state, next);
}

/// Selects the call of a node of the graph.
pub(super) fn select_node(state: &mut State, node: Option<usize>) {
    let graph = state.graph();
    let Some(item) = node.and_then(|node| graph.nodes.get(node)).map(GraphNode::item) else { return };
    select_item(state, item);
}

/// Selects a whole item.
pub(super) fn select_item(state: &mut State, item: usize) {
    let Some(offset) = state.session.document().items().span(item).map(|span| span.start) else { return };
    select_far(state, Target { item, node: None, offset, problem: None });
}

/// Unfolds what is selected, or goes into it.
pub(super) fn open(state: &mut State) {
    match (state.focus, state.tab) {
        (Pane::Raw, _) if !state.wrap_raw => state.tops.raw_column += SIDEWAYS,
        (Pane::Raw, _) => by_character(state, true),
        (Pane::Bottom, Tab::Graph) => {
            step_in_graph(state, Direction::Right);
        }
        (Pane::Outline | Pane::Reading, _) => {
            let Target { item, node, .. } = state.selection;
            if conversing::is_piece(state, item) {
                return conversing::set_piece(state, true);
            }
            if state.session.document().call(item).is_none() {
                return;
            }
            if is_container(state, item, node) {
                if state.is_open(state.focus, item, node) {
                    go(state, Motion::Line(1));
                } else {
                    flip(state, item, node);
                }
            } else if let Some(node) = node {
                state.folds.values_open.insert((item, node));
                refold(state);
            }
        }
        _ => {}
    }
}

/// Selects the next or the previous character of the text.
fn by_character(state: &mut State, forward: bool) {
    let text = state.session.text();
    let here = state.selection.offset;
    let offset = if forward {
        let ahead = text.read(Span::new(here + 1, here + 5));
        here + 1 + ahead.iter().take(3).take_while(|byte| **byte & 0xc0 == 0x80).count()
    } else {
        let before = text.read(Span::new(here.saturating_sub(4), here));
        here - (1 + before.iter().rev().take(3).take_while(|byte| **byte & 0xc0 == 0x80).count()).min(here)
    };
    if offset < text.len() {
        select(state, state.target_at(offset));
    }
}

/// Folds what is selected, or goes to what is around it.
pub(super) fn close(state: &mut State) {
    match (state.focus, state.tab) {
        (Pane::Raw, _) if !state.wrap_raw => state.tops.raw_column = state.tops.raw_column.saturating_sub(SIDEWAYS),
        (Pane::Raw, _) => by_character(state, false),
        (Pane::Bottom, Tab::Graph) => {
            step_in_graph(state, Direction::Left);
        }
        (Pane::Outline | Pane::Reading, _) => {
            let Target { item, node, problem, .. } = state.selection;
            if conversing::is_piece(state, item) {
                return conversing::set_piece(state, false);
            }
            if state.session.document().call(item).is_none() {
                return;
            }
            if problem.is_none() && is_container(state, item, node) && state.is_open(state.focus, item, node) {
                return flip(state, item, node);
            }
            if let Some(node) = node
                && state.folds.values_open.remove(&(item, node))
            {
                return refold(state);
            }
            select(state, around(state, state.selection));
        }
        _ => {}
    }
}

/// Folds or unfolds what is selected; from a list, goes to the place itself.
pub(super) fn toggle(state: &mut State) {
    let Target { item, node, .. } = state.selection;
    match (state.focus, state.tab) {
        (Pane::Bottom, Tab::Problems | Tab::Graph) => {
            state.focus = Pane::Reading;
            reveal(state);
        }
        (Pane::Reading, _) if conversing::is_piece(state, item) => {
            conversing::set_piece(state, !state.is_piece_open(item));
        }
        (Pane::Outline | Pane::Reading, _) if state.session.document().call(item).is_some() => {
            if is_container(state, item, node) {
                return flip(state, item, node);
            }
            if let Some(node) = node {
                if !state.folds.values_open.remove(&(item, node)) {
                    state.folds.values_open.insert((item, node));
                }
                refold(state);
            }
        }
        (Pane::Outline, _) => {
            let message = state.session.document().message_at(state.selection.offset);
            let first = state.session.document().messages().start(message) == Some(state.selection.offset);
            if first && !state.folds.messages_closed.remove(&message) {
                state.folds.messages_closed.insert(message);
            }
            refold(state);
        }
        _ => {}
    }
}

/// Folds or unfolds all calls.
pub(super) fn fold_all(state: &mut State, closed: bool) {
    if state.focus == Pane::Outline {
        state.folds.outline_changed.clear();
        if !closed {
            let calls = state.session.document().calls();
            state.folds.outline_changed.extend(calls.map(|item| (item, None)));
        }
    } else {
        state.folds.reading_changed.clear();
        state.folds.all_closed = closed;
    }
    state.selection.node = state.selection.node.filter(|_| !closed);
    refold(state);
}

/// Unfolds whatever hides the selection in the reading pane.
pub(super) fn unfold_to_selection(state: &mut State) {
    let Target { item, node, offset, .. } = state.selection;
    conversing::show(state, item);
    let Some(assembly) = state.assembly(item) else { return };
    let mut path = vec![None];
    let mut at = node;
    while let Some(id) = at.filter(|&id| id != ROOT) {
        path.push(Some(id));
        at = Some(assembly.tree.node(id).parent);
    }
    let mut changed = false;
    for node in path {
        if !state.is_open(Pane::Reading, item, node) && is_container(state, item, node) {
            flip_fold(state, Pane::Reading, item, node);
            changed = true;
        }
    }
    if let Some(id) = node
        && let Value::Scalar(_, span) = assembly.tree.node(id).value
    {
        let before = state.session.text().read(Span::new(span.start, offset));
        let far = memchr::memchr_iter(b'\n', &before).count() >= PREVIEW;
        changed |= far && state.folds.values_open.insert((item, id));
    }
    if changed {
        refold(state);
    }
}

/// Whether a call or node can be folded.
fn is_container(state: &State, item: usize, node: Option<NodeId>) -> bool {
    match node.zip(state.assembly(item)) {
        None => true,
        Some((id, assembly)) => !matches!(assembly.tree.node(id).value, Value::Scalar(..)),
    }
}

fn flip(state: &mut State, item: usize, node: Option<NodeId>) {
    flip_fold(state, state.focus, item, node);
    refold(state);
}

fn flip_fold(state: &mut State, pane: Pane, item: usize, node: Option<NodeId>) {
    let changed =
        if pane == Pane::Outline { &mut state.folds.outline_changed } else { &mut state.folds.reading_changed };
    if !changed.remove(&(item, node)) {
        changed.insert((item, node));
    }
}

/// Lays the rows out anew after a change of folds.
pub(super) fn refold(state: &mut State) {
    state.cache.borrow_mut().forget_folds();
    state.selection.problem = None;
    reveal(state);
}

/// What is around a target: the containing node, then the call.
fn around(state: &State, target: Target) -> Target {
    let call = state.session.document().call(target.item);
    let start = call.map_or(target.offset, |call| call.span.start);
    let whole = Target { node: None, offset: start, problem: None, ..target };
    let Some((node, assembly)) = target.node.zip(state.assembly(target.item)) else { return whole };
    let parent = assembly.tree.node(node).parent;
    if parent == ROOT {
        return whole;
    }
    let argument = assembly.tree.first_argument(parent).and_then(|number| assembly.arguments.get(number));
    let offset = argument.map_or(start, |argument| argument.pointer.start);
    Target { node: Some(parent), offset, problem: None, ..target }
}
