//! Jumps to distant targets: problems, calls, matches, turns.

use std::cmp::Ordering;

use crate::container::Choice;
use crate::diagnostic::{Code, Severity};
use crate::document::facts::compactions::CompactionEntry;
use crate::document::{Item, Turn};
use crate::text::Span;
use crate::wording::figures;

use crate::text::search::Search;
use crate::tui::action::{Align, PaneId, next_in_ring};
use crate::tui::layout::Slot;
use crate::tui::prompt::PromptKind;
use crate::tui::row::{Target, count, severity_lead};
use crate::tui::screen::transcript::title::Counted;
use crate::tui::screen::transcript::{Transcript, declaration, tail_preview};
use crate::tui::style::Role;
use crate::tui::view::PredictedOutcome;
use crate::tui::view::origin::Phase;

/// The problems that a key visits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Visited {
    /// All problems and failed calls.
    All,
    /// Errors and failed calls.
    Grave,
    /// Problems of one severity; failed calls are notes.
    Only(Severity),
}

impl Visited {
    fn holds(self, severity: Severity) -> bool {
        match self {
            Visited::All => true,
            Visited::Grave => matches!(severity, Severity::Error | Severity::Note),
            Visited::Only(only) => severity == only,
        }
    }
}

/// Goes to the next or previous matching problem in display order, wrapping around. Forwards, the first failure that
/// the user has not seen takes precedence.
pub(super) fn to_problem(state: &mut Transcript, direction: i8, visited: Visited) {
    if direction < 0 {
        tail_preview::make_room(state);
    }
    let problems = state.view.problems();
    let is_one = |place: &usize| {
        let brief = problems.at(*place).and_then(|number| problems.brief(number));
        brief.is_some_and(|brief| visited.holds(brief.severity))
    };
    // If every problem is visited, the list need not be searched.
    let listed: Option<Vec<usize>> = (visited != Visited::All).then(|| (0..problems.len()).filter(is_one).collect());
    let count = listed.as_ref().map_or(problems.len(), Vec::len);
    if count == 0 {
        return match visited {
            Visited::Only(_) => state.show_message("unknown until the whole file is read", Role::Dim),
            _ if problems.is_empty() && state.view.has_unknown_format() => {
                state.show_message(Choice::UNKNOWN, Role::Warning);
            }
            _ if problems.is_empty() => state.show_message("no problems", Role::Good),
            _ => state.show_message("no errors or failed calls", Role::Good),
        };
    }
    let near = problems.first_from(state.view.selection.offset);
    let here = state.view.selection.problem.and_then(|problem| problems.place_of(problem));
    let before = here.unwrap_or(near);
    let (before, is_here) = match &listed {
        None => (before, here.is_some()),
        Some(listed) => {
            (listed.partition_point(|&place| place < before), here.is_some_and(|here| listed.contains(&here)))
        }
    };
    let since = state.view.failures_since().next().filter(|_| direction > 0 && !matches!(visited, Visited::Only(_)));
    let next = match since.and_then(|number| problems.place_of(number)) {
        Some(place) => listed.as_ref().map_or(place, |listed| listed.partition_point(|&other| other < place)),
        None if direction > 0 && !is_here => before % count,
        None => next_in_ring(before, direction, count),
    };
    let Some(number) = problems.at(listed.map_or(next, |listed| listed[next])) else { return };
    let Some(problem) = problems.get(number) else { return };
    let among = if state.view.ahead.is_some() { " here" } else { "" };
    let kind = match problem.severity {
        _ if problem.code == Code::UnansweredCall => "?".to_owned(),
        severity => severity_lead(severity),
    };
    let fault = problems.fault_index(number);
    let turn = state.view.turn_name(problem.span.start).filter(|_| fault.is_none());
    let turn = turn.map_or_else(String::new, |turn| format!("{turn} · "));
    let words = format!("{}/{count}{among} {kind} {turn}{}", next + 1, problem.message);
    let target = target_of(state, number, problem.span.start);
    state.go_to(target);
    state.view.note_visited();
    if let Some(index) = fault {
        // The fault is shown there while the focus stays.
        if state.view.layout.focus != Slot::Bottom {
            state.view.layout.bottom = PaneId::DeclarationEditor;
        }
        declaration::show_fault(state, index);
        state.view.selection.problem = Some(number);
    }
    state.show_message(words, Role::Dim);
}

/// The selection target for a problem that begins at `offset`.
pub(super) fn target_of(state: &Transcript, problem: usize, offset: usize) -> Target {
    state.view.target_of_problem(problem, offset)
}

/// Goes to the next item of a count in the title.
pub(super) fn to_counted(state: &mut Transcript, counted: Counted) {
    let view = &state.view;
    let document = view.session.document();
    let next = |found: Vec<usize>| {
        let after = found.iter().copied().find(|&item| item > view.selection.item);
        after.or_else(|| found.first().copied())
    };
    let item = match counted {
        Counted::Calls => return to_call(state, 1),
        Counted::Unread => return to_problem(state, 1, Visited::Grave),
        Counted::Problems(severity) => return to_problem(state, 1, Visited::Only(severity)),
        Counted::Unanswered => next(document.unanswered().collect()),
        Counted::Skipped => {
            next(document.calls().filter(|&item| view.fate(item) == Some(PredictedOutcome::Skipped)).collect())
        }
    };
    if let Some(item) = item {
        state.following.hold_end = false;
        state.select_item(item);
    }
}

/// Goes to the next or previous prompt; the start of the current turn counts as previous.
pub(super) fn to_turn(state: &mut Transcript, direction: i8) {
    if direction < 0 {
        tail_preview::make_room(state);
    }
    let document = state.view.session.document();
    let here = state.view.turn_at(state.view.selection.offset);
    let index = here.map_or(0, |turn| turn.index);
    let is_at_prompt = here.and_then(|turn| state.view.prompt_item(turn)) == Some(state.view.selection.item);
    // From within a turn, its own prompt is the previous one.
    let from = if direction < 0 && !is_at_prompt { index + 1 } else { index };
    match state.view.neighbour_turn(from, direction) {
        Some(turn) => show_turn(state, turn),
        None if document.turn_count() > 0 => state.show_message("no further turn", Role::Dim),
        None => state.show_message(NO_TURNS, Role::Dim),
    }
}

/// Message for a text without turns.
const NO_TURNS: &str = "no turns: the file names no speakers";

/// Goes to the prompt of the turn with this displayed number.
pub(super) fn to_turn_number(state: &mut Transcript, number: usize) {
    let document = state.view.session.document();
    let turn = document.turns().find(|turn| document.turn_number(*turn) == Some(number));
    match (turn, document.turn_count()) {
        (Some(turn), _) => show_turn(state, turn),
        (None, 0) => state.show_message(NO_TURNS, Role::Warning),
        (None, all) => {
            state.show_message(format!("no turn {number}: the session has {}", count(all, "turn")), Role::Warning);
        }
    }
}

fn show_turn(state: &mut Transcript, turn: Turn) {
    let Some(item) = state.view.prompt_item(turn) else { return };
    let all = state.view.session.document().turn_count();
    state.following.hold_end = false;
    state.select_item(item);
    state.panes.all_mut().for_each(|pane| pane.align(&state.view, Align::Top));
    state.panes.reading.show_heading(item);
    let number = state.view.session.document().turn_number(turn);
    state.show_message(number.map_or("abandoned turn".into(), |number| format!("turn {number} of {all}")), Role::Dim);
}

/// Goes to the next compaction of the context, wrapping around.
pub(super) fn to_compaction(state: &mut Transcript) {
    let document = state.view.session.document();
    let here = state.view.selection.offset;
    let all: Vec<CompactionEntry> = document.compactions().collect();
    let place = |entry: &CompactionEntry| document.messages().start(entry.message).unwrap_or(entry.place);
    let next = all.iter().position(|entry| place(entry) > here).or((!all.is_empty()).then_some(0));
    let Some((number, entry)) = next.and_then(|number| Some((number, all.get(number)?))) else {
        return state.show_message("the context was never compacted; } goes to the next turn", Role::Dim);
    };
    let words = format!("compaction {} of {}: {}", number + 1, all.len(), figures::compaction(entry));
    let item = document.items_before(place(entry));
    state.following.hold_end = false;
    state.select_item(item);
    state.show_message(words, Role::Dim);
}

/// Goes to the next or previous call.
pub(super) fn to_call(state: &mut Transcript, direction: i8) {
    if direction < 0 {
        tail_preview::make_room(state);
    }
    match state.view.neighbour_call(state.view.selection.item, direction > 0) {
        Some(item) => {
            state.following.hold_end = false;
            state.select_item(item);
        }
        None if state.view.filter.is_some() => state.show_message("no other call is selected", Role::Dim),
        None if direction > 0 => state.show_message("last call", Role::Dim),
        None if state.view.ahead.is_some() => state.show_message("earlier text is not loaded yet", Role::Dim),
        None => state.show_message("first call", Role::Dim),
    }
}

/// Starts a search at its own start position, or else at the selection; idle time continues it.
pub(super) fn begin_search(state: &mut Transcript, mut search: Search) {
    search.from.get_or_insert(state.view.base() + state.view.selection.offset);
    state.view.search = Some(search);
    state.view.cache.borrow_mut().forget_rows();
    search_step(state);
}

/// Searches for a pattern while it is being typed, starting at the previous selection.
pub(super) fn search_typed(state: &mut Transcript) {
    let Some(prompt) = state.chrome.prompt.as_ref().filter(|prompt| prompt.kind == PromptKind::Pattern) else { return };
    let typed = prompt.input.value().trim();
    if typed.is_empty() || state.view.search.as_ref().is_some_and(|search| search.pattern == typed) {
        return;
    }
    let Ok(search) = Search::new(typed) else { return };
    let from = *state.searched_from.get_or_insert(state.view.selection);
    go_back_to(state, from);
    begin_search(state, search);
}

/// Cancels the search for a pattern being typed, and restores the selection.
pub(super) fn end_typed_search(state: &mut Transcript) {
    let Some(from) = state.searched_from.take() else { return };
    state.view.search = None;
    state.view.cache.borrow_mut().forget_rows();
    go_back_to(state, from);
}

/// Restores a selection; if the text has changed, selects what is now at its offset.
fn go_back_to(state: &mut Transcript, from: Target) {
    let (document, text) = (state.view.session.document(), state.view.session.text());
    let is_there = document.items().span(from.item).is_some_and(|span| span.contains(from.offset));
    let target = if is_there { from } else { state.view.target_at(from.offset.min(text.len().saturating_sub(1))) };
    state.go_to(target);
}

/// Searches for the selection's text: a value, the name of a call, a word.
pub(super) fn search_selection(state: &mut Transcript) {
    /// Maximum characters of the pattern.
    const LENGTH: usize = 80;
    let (view, target) = (&state.view, state.view.selection);
    let (document, text) = (view.session.document(), view.session.text());
    let node = target.node.zip(view.assembly(target.item));
    let item = document.items().get(target.item);
    let is_text = matches!(item, Some(Item::Text(_) | Item::Aside(_)));
    let words = match (node, item) {
        (Some((node, assembly)), _) => assembly.tree.scalar_text(node, text).into_owned(),
        (None, Some(Item::Call(call))) => call.name(text),
        (None, Some(Item::Result(answer))) => {
            answer.call.and_then(|(call, _)| document.call(call)).map_or_else(String::new, |call| call.name(text))
        }
        _ => text.read_str(Span::new(target.offset, text.len().min(target.offset + LENGTH))).into_owned(),
    };
    let ends = |c: char| is_text && !c.is_alphanumeric() && c != '_';
    let line = words.trim().lines().next().unwrap_or_default().trim_start_matches(ends);
    let line: String = line.chars().take(LENGTH).take_while(|c| !ends(*c)).collect();
    match Search::for_words(&line) {
        Ok(search) if !line.is_empty() => {
            begin_search(state, search);
            to_match(state, 1);
        }
        _ => state.show_message("nothing to search for here", Role::Dim),
    }
}

/// Continues the search for a slice; true if there is more to do.
pub fn search_step(state: &mut Transcript) -> bool {
    let ended = !state.view.is_live();
    let loading = state.view.origin.phase == Phase::Loading;
    let text = state.view.ahead.as_ref().map_or(&state.view.session, |ahead| &ahead.whole).text();
    let Some(search) = &mut state.view.search else { return false };
    let more = search.advance(text, ended);
    if let Some(from) = search.from {
        // While the file is being read, a match may still turn up after the start position.
        let settled = !more && !loading;
        let found = search.next(from.saturating_sub(1), true).filter(|found| found.start >= from || settled);
        if let Some(found) = found {
            search.from = None;
            let is_round = found.start < from;
            go_to_match(state, found);
            if is_round {
                state.show_message("no match after this place; continued at the beginning", Role::Warning);
            }
        } else if settled {
            search.from = None;
            let words = format!("no match for {:?}", search.pattern);
            state.show_message(words, Role::Warning);
        }
    }
    more
}

/// Stops the search; matches found so far are kept.
pub(super) fn stop_search(state: &mut Transcript) {
    let percent = state.view.search_progress().unwrap_or(100);
    let Some(search) = &mut state.view.search else { return };
    search.stopped = true;
    search.from = None;
    state.show_message(format!("search stopped at {percent}%; Esc clears it"), Role::Dim);
}

/// Goes to the next or previous match.
pub(super) fn to_match(state: &mut Transcript, direction: i8) {
    let Some(search) = &state.view.search else {
        return state.show_message("no search yet; press /", Role::Dim);
    };
    let here = state.view.base() + state.view.selection.offset;
    if let Some(found) = search.next(here, direction > 0) {
        let so_far = if state.view.search_progress().is_some() { " so far" } else { "" };
        let words = match found.start.cmp(&here) {
            Ordering::Equal => Some(format!("the only match{so_far}")),
            Ordering::Less if direction > 0 => Some(format!("last match{so_far}; continued at the first")),
            Ordering::Greater if direction < 0 => Some(format!("first match; continued at the last{so_far}")),
            _ => None,
        };
        go_to_match(state, found);
        if let Some(words) = words {
            state.show_message(words, Role::Warning);
        }
    } else if state.view.search_progress().is_some() {
        state.show_message("nothing found yet", Role::Dim);
    } else {
        let words = format!("no match for {:?}", search.pattern);
        state.show_message(words, Role::Warning);
    }
}

/// Selects a match, given as a span of the whole text. Leaves the preview of the end if the match precedes it.
fn go_to_match(state: &mut Transcript, found: Span) {
    if found.start < state.view.base() {
        tail_preview::leave(state);
    }
    let target = state.view.target_at(found.start - state.view.base());
    state.go_to(target);
}
