//! What can be done with a recorded conversation: from a call to its result and back, its abandoned branches, and
//! pieces that are shown whole.
//!
//! This module does not know keys.

use crate::document::{Item, ItemKind};
use crate::params::ROOT;

use super::super::layout::Pane;
use super::super::rows::Target;
use super::super::state::State;
use super::super::theme::Role;
use super::moving::{refold, reveal, select, select_item};
use super::tell;

/// From a call to its result, or from a result to its call.
pub(super) fn to_partner(state: &mut State) {
    let document = state.session.document();
    let item = state.selection.item;
    let partner = match document.items().get(item) {
        Some(Item::Call(_)) => document.answer_of(item).ok_or("no result of this call is here"),
        Some(Item::Result(answer)) => {
            answer.call.map(|(call, _)| call).or(answer.again).ok_or("the call of this result is not here")
        }
        _ => Err("r leads from a call to its result, and back"),
    };
    match partner {
        Ok(partner) => {
            state.hold_end = false;
            show(state, partner);
            select_item(state, partner);
        }
        Err(words) => tell(state, words, Role::Dim),
    }
}

/// Shows in the raw pane the file as it stands, or the text that was decoded from it.
pub(super) fn flip_file(state: &mut State) {
    if !state.session.is_decoded() {
        return tell(state, "the file is the text: it is plain", Role::Dim);
    }
    state.raw_file = !state.raw_file;
    state.tops.raw_column = 0;
    state.gutter = 0;
    state.widen_gutter();
    reveal(state);
    let words = if state.raw_file { "the raw pane shows the file as it stands" } else { "the raw pane shows the text" };
    tell(state, words, Role::Dim);
}

/// Marks in the raw pane where the text goes on elsewhere in the file, or does not.
pub(super) fn flip_borders(state: &mut State) {
    if !state.session.is_decoded() {
        return tell(state, "there are no chunks: the file is plain text", Role::Dim);
    }
    state.raw_borders = !state.raw_borders;
    let words = if state.raw_borders {
        "the first character of each chunk is marked in the raw pane"
    } else {
        "chunks are not marked"
    };
    tell(state, words, Role::Dim);
}

/// Shows what was said in abandoned messages, or hides it again.
pub(super) fn flip_branches(state: &mut State) {
    if !state.session.document().has_branches() {
        return tell(state, "no message was abandoned here", Role::Dim);
    }
    state.all_branches = !state.all_branches;
    leave_hidden(state);
    refold(state);
    let words = if state.all_branches { "abandoned messages are shown" } else { "abandoned messages are hidden" };
    tell(state, words, Role::Dim);
}

/// What is selected must be seen: where it is hidden, what is behind it is selected, or else what is in front of it.
fn leave_hidden(state: &mut State) {
    let item = state.selection.item;
    if !state.is_hidden(item) {
        return;
    }
    let count = state.session.document().items().len();
    let next = (item..count).chain((0..item).rev()).find(|&item| !state.is_hidden(item));
    if let Some((item, span)) = next.and_then(|item| Some((item, state.session.document().items().span(item)?))) {
        select(state, Target { item, node: None, offset: span.start, problem: None });
    }
}

/// Before an item is gone to: what hides it is shown.
pub(super) fn show(state: &mut State, item: usize) {
    if state.is_hidden(item) {
        state.all_branches = true;
        state.cache.borrow_mut().forget_rows();
    }
}

/// Whether an item is a piece that can be shown whole or by its beginning.
pub(super) fn is_piece(state: &State, item: usize) -> bool {
    matches!(state.session.document().items().kind(item), Some(ItemKind::Result | ItemKind::Aside))
}

/// Shows a piece whole, or only how it begins.
pub(super) fn set_piece(state: &mut State, open: bool) {
    let Target { item, .. } = state.selection;
    if state.focus != Pane::Reading || state.is_piece_open(item) == open {
        return;
    }
    if open {
        state.folds.values_open.insert((item, ROOT));
    } else {
        state.folds.values_open.remove(&(item, ROOT));
        if let Some(start) = state.session.document().items().span(item).map(|span| span.start) {
            state.selection.offset = start;
        }
    }
    refold(state);
}
