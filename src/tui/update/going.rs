//! Going to something far away: a problem, a call, a match, a line.
//!
//! This module does not know keys.

use super::super::rows::Target;
use super::super::search::Search;
use super::super::state::{Phase, State};
use super::super::theme::Role;
use super::moving::{select, select_far, select_item, unfold_to_selection};
use super::tell;

/// To the next or previous problem in the order of the text, and round the end.
pub(super) fn to_problem(state: &mut State, direction: i8) {
    let problems = state.problems();
    if problems.is_empty() {
        return tell(state, "there are no problems", Role::Good);
    }
    let near = problems.first_from(state.selection.offset);
    let here = state.selection.problem.and_then(|problem| problems.place_of(problem));
    let count = problems.len();
    let next = match (here, direction > 0) {
        (Some(here), true) => (here + 1) % count,
        (Some(here), false) => (here + count - 1) % count,
        (None, true) => near % count,
        (None, false) => (near + count - 1) % count,
    };
    let Some(number) = problems.at(next) else { return };
    let Some(offset) = problems.get(number).map(|problem| problem.span.start) else { return };
    let item = state.session.document().item_at(offset).unwrap_or(0);
    let words = format!("problem {} of {count}", next + 1);
    let target = Target { item, node: state.node_at(item, offset), offset, problem: Some(number) };
    go_to(state, target);
    tell(state, words, Role::Dim);
}

/// To the next or previous call.
pub(super) fn to_call(state: &mut State, direction: i8) {
    match state.session.document().neighbour_call(state.selection.item, direction > 0) {
        Some(item) => {
            state.hold_end = false;
            select_item(state, item);
        }
        None => tell(state, if direction > 0 { "this is the last call" } else { "this is the first call" }, Role::Dim),
    }
}

/// To a line, by its number from 1.
pub(super) fn to_line(state: &mut State, line: usize) {
    let lines = state.session.lines().count();
    let span = state.session.lines().span_of(state.session.text(), line.min(lines.max(1)) - 1);
    let target = state.target_at(span.start);
    go_to(state, target);
    if line > lines {
        tell(state, format!("the text has {} so far", super::super::rows::count(lines, "line")), Role::Warning);
    }
}

/// Begins a search; it goes on while nothing else happens.
pub(super) fn begin_search(state: &mut State, mut search: Search) {
    search.from = Some(state.selection.offset);
    state.search = Some(search);
    state.cache.borrow_mut().forget_rows();
    search_step(state);
}

/// Searches on a little; true if there is more to do.
pub fn search_step(state: &mut State) -> bool {
    let ended = !state.is_live();
    let loading = state.origin.phase == Phase::Loading;
    let Some(search) = &mut state.search else { return false };
    let more = search.advance(state.session.text(), ended);
    if let Some(from) = search.from {
        // As long as reading goes on, there may be a match behind the place where it was asked for.
        let settled = !more && !loading;
        let found = search.next(from.saturating_sub(1), true).filter(|found| found.start >= from || settled);
        if let Some(found) = found {
            search.from = None;
            let target = state.target_at(found.start);
            go_to(state, target);
        } else if settled {
            search.from = None;
            let words = format!("{:?} is not in the text", search.pattern);
            tell(state, words, Role::Warning);
        }
    }
    more
}

/// Stops the search where it is; what was found stays.
pub(super) fn stop_search(state: &mut State) {
    let percent = state.search_progress().unwrap_or(100);
    let Some(search) = &mut state.search else { return };
    search.stopped = true;
    search.from = None;
    tell(state, format!("the search was stopped at {percent}%; Esc ends it"), Role::Dim);
}

/// To the next or previous match.
pub(super) fn to_match(state: &mut State, direction: i8) {
    let Some(search) = &state.search else {
        return tell(state, "nothing to search for yet: / asks for a pattern", Role::Dim);
    };
    if let Some(found) = search.next(state.selection.offset, direction > 0) {
        let target = state.target_at(found.start);
        go_to(state, target);
    } else if state.search_progress().is_some() {
        tell(state, "nothing found yet", Role::Dim);
    } else {
        let words = format!("{:?} is not in the text", search.pattern);
        tell(state, words, Role::Warning);
    }
}

/// Selects something far away: lets go of the end, and unfolds what hides it.
fn go_to(state: &mut State, target: Target) {
    state.hold_end = false;
    select(state, target);
    unfold_to_selection(state);
    // Unfolding forgets which problem was meant.
    select_far(state, target);
}
