//! The mouse: a click chooses what is under it, the wheel scrolls the pane under it.
//!
//! This module does not know how a terminal reports the mouse.

use crate::tui::action::{Motion, Tab};
use crate::tui::keymap::TRANSCRIPT_KEYS;
use crate::tui::layout::Pane;
use crate::tui::message::Effect;
use crate::tui::message::Navigation;
use crate::tui::rows::{Target, events::EventList, outline::Outline, problems::Problems, raw::Raw, reading::Reading};
use crate::tui::screen::chrome::{WHEEL, wheel_help};
use crate::tui::state::State;
use crate::tui::update::converting;
use crate::tui::update::eventing;
use crate::tui::update::moving;
use crate::tui::update::peeking;
use crate::tui::update::replaying;
use crate::tui::update::setting;
use crate::tui::view;
use crate::tui::viewport::{self, Anchor};

pub(super) fn click(state: &mut State, x: u16, y: u16) -> Option<Effect> {
    if state.help.take().is_some() {
        return None;
    }
    let areas = state.areas();
    if let Some(bar) = areas.bar.filter(|bar| bar.contains(x, y)) {
        return view::bar::tab_at(&state.bar, bar, x).map(|index| Navigation::Tab(index).into());
    }
    let on_scrubber = areas.scrubber.is_some_and(|area| area.contains(x, y));
    if let Some(track) = &mut state.track {
        track.held = on_scrubber;
    }
    if on_scrubber {
        replaying::drag(state, x);
        return None;
    }
    let pane = areas.pane_at(x, y)?;
    let area = areas.pane(pane).unwrap_or_default();
    let same = state.focus == pane;
    if pane == Pane::Bottom
        && y == area.y
        && let Some(tab) = view::tab_at(state, x - area.x)
    {
        state.tab = tab;
    }
    let inner = area.inner();
    if pane == Pane::Bottom && state.tab == Tab::Events {
        state.focus = pane;
        if inner.contains(x, y) {
            let before = state.event;
            eventing::choose(state, usize::from(y - inner.y));
            return if same && state.event == before { eventing::visit(state) } else { None };
        }
        return None;
    }
    if pane == Pane::Bottom && state.tab == Tab::Dialects && inner.contains(x, y) {
        state.focus = pane;
        converting::choose(state, usize::from(y - inner.y));
        return None;
    }
    let target = inner
        .contains(x, y)
        .then(|| target_of(state, pane, usize::from(x - inner.x), usize::from(y - inner.y)))
        .flatten();
    state.focus = pane;
    match target {
        Some(target) if target == state.selection && same => moving::toggle(state),
        Some(target) => {
            state.hold_end = false;
            moving::select(state, target);
        }
        None => moving::reveal(state),
    }
    None
}

/// What the cell at a column and row of a pane's inside leads to.
fn target_of(state: &State, pane: Pane, column: usize, row: usize) -> Option<Target> {
    let height = row + 1;
    match (pane, state.tab) {
        (Pane::Outline, _) => {
            let units = Outline(state);
            let at = *viewport::window(&units, state.tops.outline, height).get(row)?;
            units.rows(at.unit)[at.row].target
        }
        (Pane::Reading, _) => {
            let units = Reading(state);
            let at = *viewport::window(&units, state.tops.reading, height).get(row)?;
            units.rows(at.unit)[at.row].target
        }
        (Pane::Raw, _) => {
            let units = Raw(state);
            let at = *viewport::window(&units, state.tops.raw, height).get(row)?;
            units.rows(at.unit)[at.row].target
        }
        (Pane::Bottom, Tab::Problems) => {
            let units = Problems(state);
            let at = *viewport::window(&units, state.tops.problems, height).get(row)?;
            units.row(at.unit).target
        }
        (Pane::Bottom, Tab::Graph) => {
            let (left, top) = state.tops.graph;
            let node = state.drawing().node_at(left + column, top + row)?;
            let item = state.graph().nodes.get(node)?.item();
            let offset = state.session.document().items().span(item)?.start;
            Some(Target { item, node: None, offset, problem: None })
        }
        (Pane::Bottom, Tab::Details | Tab::Events | Tab::Settings | Tab::Dialects) => None,
    }
}

pub(super) fn wheel(state: &mut State, x: u16, y: u16, direction: i8) {
    if let Some(row) = state.help {
        state.help = Some(wheel_help(row, direction, &TRANSCRIPT_KEYS, state.size));
        return;
    }
    let Some(pane) = state.areas().pane_at(x, y) else { return };
    if direction < 0 {
        state.hold_end = false;
        peeking::make_room(state);
    }
    let height = state.height(pane);
    match (pane, state.tab) {
        (Pane::Outline, _) => state.tops.outline = scrolled(&Outline(state), state.tops.outline, height, direction),
        (Pane::Reading, _) => state.tops.reading = scrolled(&Reading(state), state.tops.reading, height, direction),
        (Pane::Raw, _) => state.tops.raw = scrolled(&Raw(state), state.tops.raw, height, direction),
        (Pane::Bottom, Tab::Problems) => {
            state.tops.problems = scrolled(&Problems(state), state.tops.problems, height, direction);
        }
        (Pane::Bottom, Tab::Graph) => {
            let (left, top) = state.tops.graph;
            let last = state.drawing().height.saturating_sub(height);
            let moved = if direction > 0 { (top + WHEEL).min(last) } else { top.saturating_sub(WHEEL) };
            state.tops.graph = (left, moved);
        }
        (Pane::Bottom, Tab::Events) => {
            state.tops.events = scrolled(&EventList(state), state.tops.events, height, direction);
        }
        (Pane::Bottom, Tab::Settings) => setting::go(state, Motion::Line(direction)),
        (Pane::Bottom, Tab::Dialects) => converting::scroll(state, direction, WHEEL),
        (Pane::Bottom, Tab::Details) => {
            let top = state.tops.details.unit;
            let last = crate::tui::rows::details::rows(state).len().saturating_sub(height);
            let moved = if direction > 0 { (top + WHEEL).min(last) } else { top.saturating_sub(WHEEL) };
            state.tops.details = Anchor { unit: moved, row: 0 };
        }
    }
}

/// The top after a turn of the wheel; the last row stays at the bottom edge.
fn scrolled<L: viewport::Units>(units: &L, top: Anchor<L::Unit>, height: usize, direction: i8) -> Anchor<L::Unit> {
    let Some(top) = viewport::settle(units, top) else { return top };
    if direction < 0 {
        return viewport::up(units, top, WHEEL);
    }
    let lowest = viewport::end(units, height).unwrap_or(top);
    viewport::down(units, top, WHEEL).min(lowest.max(top))
}
