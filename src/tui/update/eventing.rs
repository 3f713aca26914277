//! The list of events: what is added to it, moving in it, and going to the place of an event.
//!
//! This module does not know keys.

use crate::tui::action::{Motion, Tab};
use crate::tui::layout::Pane;
use crate::tui::message::{Effect, Navigation, Place};
use crate::tui::rows::events::EventList;
use crate::tui::state::State;
use crate::tui::style::Role;
use crate::tui::update::moving;
use crate::tui::update::peeking;
use crate::tui::update::tell;
use crate::tui::viewport::{self, Units};

/// Where reading is.
fn here(state: &State) -> Place {
    Place { text: state.number, offset: state.whole().text().len() }
}

/// Says something about the source, and keeps it in the list.
pub(super) fn happened(state: &mut State, text: String, role: Role) {
    state.events.add(&text, role, here(state));
    if !state.hidden {
        reveal(state);
    }
    tell(state, text, role);
}

/// Takes in what a command wrote to its standard error.
pub(super) fn note_aside(state: &mut State, bytes: &[u8]) {
    state.events.add_aside(bytes, here(state));
    if !state.hidden {
        reveal(state);
    }
}

/// Nothing more comes.
pub(super) fn end(state: &mut State) {
    state.events.end_aside(here(state));
}

/// Whether the list has the keys.
pub(super) fn has_keys(state: &State) -> bool {
    state.focus == Pane::Bottom && state.tab == Tab::Events
}

/// Chooses another event.
pub(super) fn go(state: &mut State, motion: Motion) {
    let units = EventList(state);
    let (Some(first), Some(last), Some(at)) = (units.first(), units.last(), units.cursor()) else { return };
    let page = state.height(Pane::Bottom).max(2) - 1;
    let steps = |direction: i8, count: usize| {
        if direction > 0 { at.unit.saturating_add(count) } else { at.unit.saturating_sub(count) }
    };
    let chosen = match motion {
        Motion::Line(direction) => steps(direction, 1),
        Motion::Half(direction) => steps(direction, page.div_ceil(2)),
        Motion::Page(direction) => steps(direction, page),
        Motion::Top => first,
        Motion::Bottom => last,
    };
    let chosen = chosen.clamp(first, last);
    // The newest one is stayed at while others come.
    state.event = (chosen < last).then_some(chosen);
    reveal(state);
}

/// Chooses the event in a row of the pane.
pub(super) fn choose(state: &mut State, row: usize) {
    let units = EventList(state);
    let found = viewport::window(&units, state.tops.events, row + 1).get(row).map(|at| at.unit);
    state.event = found.filter(|&unit| Some(unit) != units.last());
    reveal(state);
}

/// To the place of the chosen event in the text.
pub(super) fn visit(state: &mut State) -> Option<Effect> {
    let at = EventList(state).cursor()?;
    let place = state.events.get(at.unit)?.place;
    if place.text != state.number {
        return Some(Navigation::Place(place).into());
    }
    to(state, place.offset);
    None
}

/// To an offset of the text, or the last byte before it.
pub(super) fn to(state: &mut State, offset: usize) {
    // A look at the end does not have the place.
    peeking::leave(state);
    state.hold_end = false;
    state.focus = Pane::Reading;
    let last = state.session.text().len().saturating_sub(1);
    moving::select_far(state, state.target_at(offset.min(last)));
}

/// Scrolls the list as little as is needed to show the chosen event.
pub(super) fn reveal(state: &mut State) {
    let units = EventList(state);
    let height = state.height(Pane::Bottom);
    if let Some(cursor) = units.cursor() {
        state.tops.events = viewport::reveal(&units, state.tops.events, cursor, height, 0);
    }
}
