//! The mouse: a click selects, the wheel scrolls the pane under the pointer, and borders can be dragged.

use crate::tui::action::Action;
use crate::tui::layout::Slot;
use crate::tui::list::WHEEL;
use crate::tui::message::Effect;
use crate::tui::pane::{Request, Response};
use crate::tui::screen::transcript::{Transcript, compare_list, jump, replay, tail_preview, title};
use crate::tui::widget::overview;

pub(super) fn click(state: &mut Transcript, x: u16, y: u16) -> Option<Effect> {
    if compare_list::is_open(state) {
        return compare_list::click(state, x, y);
    }
    state.dragged_border = None;
    let on_bar = state.replay_bar_area().is_some_and(|area| area.contains(x, y));
    if let Some(overview) = &mut state.replay_overview {
        overview.held = on_bar;
    }
    if on_bar {
        replay::drag(state, x);
        return None;
    }
    if y == 0 {
        if let Some(counted) = title::counted_at(state, x) {
            jump::to_counted(state, counted);
        }
        return None;
    }
    if let Some(area) = state.view.layout.overview().filter(|area| area.contains(x, y)) {
        if let Some(target) = overview::target(area, &state.view, y) {
            state.go_to(target);
        }
        return None;
    }
    state.dragged_border = state.view.layout.border_at(x, y);
    let (slot, area) = state.view.layout.slot_at(x, y)?;
    if slot == Slot::Bottom
        && y == area.y
        && let Some(pane) = title::tab_at(state, x - area.x)
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
        // A second click has the effect of Enter.
        Some(target) if had_focus && target == state.view.selection => {
            return state.act_in_panes(Action::Toggle).break_value().flatten();
        }
        Some(_) => state.following.hold_end = false,
        None => state.reveal(),
    }
    state.respond(response).break_value().flatten()
}

/// Moves the border or the replay position that was clicked.
pub(super) fn drag(state: &mut Transcript, x: u16, y: u16) {
    let Some(border) = state.dragged_border else { return replay::drag(state, x) };
    state.view.layout.move_border(border, x, y);
    state.reveal();
}

pub(super) fn wheel(state: &mut Transcript, x: u16, y: u16, direction: i8) {
    let Some((slot, _)) = state.view.layout.slot_at(x, y) else { return };
    if direction < 0 {
        state.following.hold_end = false;
        tail_preview::make_room(state);
    }
    let pane = state.view.layout.pane_in(slot);
    state.panes.get_mut(pane).wheel(&state.view, direction, WHEEL);
}
