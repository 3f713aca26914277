//! Going to something far away: a problem, a call, a match, a line.
//!
//! This module does not know keys.

use crate::text::Span;

use crate::tui::origin::Phase;
use crate::tui::rows::Target;
use crate::tui::search::Search;
use crate::tui::state::State;
use crate::tui::style::Role;
use crate::tui::update::moving::{select, select_far, select_item, unfold_to_selection};
use crate::tui::update::{peeking, tell};

/// To the next or previous problem in the order of the text, and round the end.
pub(super) fn to_problem(state: &mut State, direction: i8) {
    if direction < 0 {
        peeking::make_room(state);
    }
    let problems = state.problems();
    if problems.is_empty() {
        return tell(state, "no problems", Role::Good);
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
    let Some(problem) = problems.get(number) else { return };
    let among = if state.peek.is_some() { " here" } else { "" };
    let words = format!("{}/{count}{among} {}: {}", next + 1, problem.severity.word(), problem.message);
    let target = target_of(state, number, problem.span.start);
    go_to(state, target);
    tell(state, words, Role::Dim);
}

/// What is selected when a problem is, which begins at `offset`.
pub(super) fn target_of(state: &State, problem: usize, offset: usize) -> Target {
    let item = state.session.document().item_at(offset).unwrap_or(0);
    Target { item, node: state.node_at(item, offset), offset, problem: Some(problem) }
}

/// To the next or previous call.
pub(super) fn to_call(state: &mut State, direction: i8) {
    if direction < 0 {
        peeking::make_room(state);
    }
    match state.session.document().neighbour_call(state.selection.item, direction > 0) {
        Some(item) => {
            state.hold_end = false;
            select_item(state, item);
        }
        None if direction > 0 => tell(state, "this is the last call", Role::Dim),
        None if state.peek.is_some() => tell(state, "what is above has not been read yet", Role::Dim),
        None => tell(state, "this is the first call", Role::Dim),
    }
}

/// To a line, by its number from 1.
pub(super) fn to_line(state: &mut State, line: usize) {
    peeking::leave(state);
    let lines = state.session.lines().count();
    let span = state.session.lines().span_of(state.session.text(), line.min(lines.max(1)) - 1);
    let target = state.target_at(span.start);
    go_to(state, target);
    if line > lines {
        tell(state, format!("the text has {} so far", crate::tui::rows::count(lines, "line")), Role::Warning);
    }
}

/// Goes to the byte at which so many percent of the text end.
pub(super) fn to_percent(state: &mut State, percent: usize) {
    peeking::leave(state);
    let length = state.session.text().len();
    let target = state.target_at((length * percent.min(100) / 100).min(length.saturating_sub(1)));
    go_to(state, target);
}

/// Begins a search; it goes on while nothing else happens.
pub(super) fn begin_search(state: &mut State, mut search: Search) {
    search.from = Some(state.base() + state.selection.offset);
    state.search = Some(search);
    state.cache.borrow_mut().forget_rows();
    search_step(state);
}

/// Searches on a little; true if there is more to do.
pub fn search_step(state: &mut State) -> bool {
    let ended = !state.is_live();
    let loading = state.origin.phase == Phase::Loading;
    let text = state.peek.as_ref().map_or(&state.session, |peek| &peek.whole).text();
    let Some(search) = &mut state.search else { return false };
    let more = search.advance(text, ended);
    if let Some(from) = search.from {
        // As long as reading goes on, there may be a match behind the place where it was asked for.
        let settled = !more && !loading;
        let found = search.next(from.saturating_sub(1), true).filter(|found| found.start >= from || settled);
        if let Some(found) = found {
            search.from = None;
            go_to_match(state, found);
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
    if let Some(found) = search.next(state.base() + state.selection.offset, direction > 0) {
        go_to_match(state, found);
    } else if state.search_progress().is_some() {
        tell(state, "nothing found yet", Role::Dim);
    } else {
        let words = format!("{:?} is not in the text", search.pattern);
        tell(state, words, Role::Warning);
    }
}

/// Selects a match, a place in the whole text, which ends a look at the end unless it is there.
fn go_to_match(state: &mut State, found: Span) {
    if found.start < state.base() {
        peeking::leave(state);
    }
    let target = state.target_at(found.start - state.base());
    go_to(state, target);
}

/// Selects something far away: lets go of the end, and unfolds what hides it.
fn go_to(state: &mut State, target: Target) {
    state.hold_end = false;
    select(state, target);
    unfold_to_selection(state);
    // Unfolding forgets which problem was meant.
    select_far(state, target);
}
