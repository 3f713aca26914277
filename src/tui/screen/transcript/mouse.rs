//! The mouse: a click chooses what is under it, the wheel scrolls the pane under it.
//!
//! This module does not know how a terminal reports the mouse.

use crate::tui::action::Action;
use crate::tui::keymap::TRANSCRIPT_KEYS;
use crate::tui::layout::Slot;
use crate::tui::message::{Effect, Navigation};
use crate::tui::pane::{Request, Response};
use crate::tui::screen::chrome::{WHEEL, wheel_help};
use crate::tui::screen::transcript::{Transcript, draw, replay, tail_preview};
use crate::tui::widget::tab_bar;

pub(super) fn click(state: &mut Transcript, x: u16, y: u16) -> Option<Effect> {
    if state.help.take().is_some() {
        return None;
    }
    let areas = state.view.layout.areas();
    if let Some(bar) = areas.bar.filter(|bar| bar.contains(x, y)) {
        return tab_bar::tab_at(&state.tab_bar, bar, x).map(|index| Effect::Go(Navigation::Tab(index)));
    }
    let on_timeline = areas.scrubber.is_some_and(|area| area.contains(x, y));
    if let Some(timeline) = &mut state.timeline {
        timeline.held = on_timeline;
    }
    if on_timeline {
        replay::drag(state, x);
        return None;
    }
    let slot = areas.pane_at(x, y)?;
    let area = areas.pane(slot).unwrap_or_default();
    if slot == Slot::Bottom
        && y == area.y
        && let Some(pane) = draw::tab_at(state, x - area.x)
    {
        state.focus(pane);
        return None;
    }
    let inner = area.inner();
    let pane = state.view.layout.pane_in(slot);
    let had_focus = state.view.layout.focus == slot;
    let response = if inner.contains(x, y) {
        state.panes.get_mut(pane).click(&state.view, usize::from(x - inner.x), usize::from(y - inner.y))
    } else {
        Response::done()
    };
    state.view.layout.focus = slot;
    let selected = match &response {
        Response::Done(requests) => requests.iter().find_map(|request| match request {
            Request::Select(target) => Some(*target),
            _ => None,
        }),
        Response::Ignored => None,
    };
    match selected {
        // A second click does what Enter does.
        Some(target) if had_focus && target == state.view.selection => {
            return state.act_in_panes(Action::Toggle).effect();
        }
        Some(_) => state.following.hold_end = false,
        None => state.reveal(),
    }
    state.respond(response).effect()
}

pub(super) fn wheel(state: &mut Transcript, x: u16, y: u16, direction: i8) {
    if let Some(row) = state.help {
        state.help = Some(wheel_help(row, direction, &TRANSCRIPT_KEYS, state.view.layout.size));
        return;
    }
    let Some(slot) = state.view.layout.areas().pane_at(x, y) else { return };
    if direction < 0 {
        state.following.hold_end = false;
        tail_preview::make_room(state);
    }
    let pane = state.view.layout.pane_in(slot);
    state.panes.get_mut(pane).wheel(&state.view, direction, WHEEL);
}
