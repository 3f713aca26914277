//! Actions in a recorded conversation: going between a call and its result, showing abandoned branches.

use crate::document::Item;

use crate::tui::screen::transcript::Transcript;
use crate::tui::style::Role;

/// Goes from a call to its result, or from a result to its call.
pub(super) fn to_partner(state: &mut Transcript) {
    let document = state.view.session.document();
    let item = state.view.selection.item;
    let partner = match document.items().get(item) {
        Some(Item::Call(_)) => document.answer_of(item).ok_or("no result for this call; c goes to the next one"),
        Some(Item::Result(answer)) => {
            answer.call.map(|(call, _)| call).or(answer.again).ok_or("no call for this result; c goes to the next call")
        }
        _ => Err("select a call or a result: r goes between them"),
    };
    match partner {
        Ok(partner) => {
            state.following.hold_end = false;
            state.show_branch_of(partner);
            state.select_item(partner);
        }
        Err(words) => state.show_message(words, Role::Dim),
    }
}

/// Shows or hides abandoned messages.
pub(super) fn flip_branches(state: &mut Transcript) {
    if !state.view.session.document().has_branches() {
        return state.show_message("no abandoned messages: every message is shown", Role::Dim);
    }
    state.view.all_branches = !state.view.all_branches;
    leave_hidden(state);
    state.refold();
    let words = if state.view.all_branches { "abandoned messages are shown" } else { "abandoned messages are hidden" };
    state.show_message(words, Role::Dim);
}

/// If the selection is hidden, selects the next visible item, or else the last one before it.
fn leave_hidden(state: &mut Transcript) {
    let item = state.view.selection.item;
    if !state.view.is_hidden(item) {
        return;
    }
    let count = state.view.session.document().items().len();
    let next = (item..count).chain((0..item).rev()).find(|&item| !state.view.is_hidden(item));
    if let Some(target) = next.and_then(|item| state.view.target_of_item(item)) {
        state.select(target);
    }
}
