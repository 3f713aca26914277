//! The repair of one problem or of all: found and shown first, then made in a playground, or copied.
//!
//! This module does not know how a repair is found.

use crate::repair::{self, Budget, Repair, Repairs};
use crate::text::Span;

use crate::tui::action::PaneId;
use crate::tui::message::{Copied, Effect, Task};
use crate::tui::row::count;
use crate::tui::screen::transcript::{Transcript, jump, playground};
use crate::tui::style::Role;
use crate::tui::view::Offer;

/// Lines shown around those that one repair changes.
const CONTEXT: usize = 1;

/// Rows of a screen on which only the lines that change are shown.
const LOW: u16 = 30;

/// Shows how the problem that is selected is repaired, or the next one that can be; asked for again, does it.
pub(super) fn one(state: &mut Transcript) -> Option<Effect> {
    if let Some(offer) = offered(state, false) {
        return carry_out(state, &offer);
    }
    let Some(here) = problem_here(state) else { return state.chrome.refuse("no problem to repair") };
    let budget = Budget::for_key();
    let Some(repairs) = Repairs::new(&state.view.session, &state.view.options, &budget) else {
        return not_repaired(state);
    };
    let problems = state.view.problems();
    // From the problem that is selected on, and round the end; those that can be repaired are counted on the way.
    let mut first: Option<(usize, usize, Repair)> = None;
    let mut places = Vec::new();
    for step in 0..problems.len() {
        let place = (here + step) % problems.len();
        let Some((number, problem)) = problems.at(place).and_then(|number| Some((number, problems.get(number)?)))
        else {
            continue;
        };
        // What is wrong in the declaration is repaired there.
        if problems.fault_index(number).is_some() {
            continue;
        }
        let Some(repair) = repairs.find(&problem) else { continue };
        places.push(place);
        first.get_or_insert((number, problem.span.start, repair));
    }
    let Some((number, offset, repair)) = first else { return no_repair(state) };
    let rank = 1 + places.iter().filter(|place| **place < places[0]).count();
    let among = if budget.is_spent() { format!("{}+", places.len()) } else { places.len().to_string() };
    let does = match &state.view.editor {
        Some(_) => format!("{} again repairs it, {} all", key(state, "f", "ctrl-r"), key(state, "F", "ctrl-f")),
        None => "f again copies it repaired, F all; i edits a copy".to_owned(),
    };
    let target = jump::target_of(state, number, offset);
    state.select(target);
    show(state, repair, None);
    state.tell(format!("{rank} of {among} repairable; {does}"), Role::Good);
    None
}

/// Shows how everything is repaired that can be; asked for again, does it.
pub(super) fn all(state: &mut Transcript) -> Option<Effect> {
    if let Some(offer) = offered(state, true) {
        return carry_out(state, &offer);
    }
    let budget = Budget::for_key();
    let before = state.view.session.document().diagnostics().len();
    let Some(repaired) = repair::repair_all(&state.view.session, &state.view.options, &budget) else {
        return not_repaired(state);
    };
    if repaired.done.is_empty() {
        return no_repair(state);
    }
    let done = count(repaired.done.len(), "repair");
    let left = repaired.left.document().diagnostics().len();
    let rest =
        if left == 0 { "no problem left".to_owned() } else { format!("{left} of {} left", count(before, "problem")) };
    let words = format!("{done}; {rest}");
    show(state, repaired.repair, Some(words));
    let does = if state.view.editor.is_some() { "makes them" } else { "copies the repaired text" };
    state.tell(format!("{done}; {} again {does}", key(state, "F", "ctrl-f")), Role::Good);
    None
}

/// The repair that is shown, if it is the one that is asked for and nothing else was selected since.
fn offered(state: &mut Transcript, is_all: bool) -> Option<Offer> {
    state.view.offer.take().filter(|offer| offer.is_all == is_all && offer.at == state.view.selection)
}

/// The name of a key, where text is typed another one.
fn key(state: &Transcript, plain: &'static str, typing: &'static str) -> &'static str {
    if state.types() { typing } else { plain }
}

fn no_repair(state: &mut Transcript) -> Option<Effect> {
    let how = key(state, "press a", "Esc a");
    state.chrome.refuse(format!("no automatic repair; {how} for an explanation"))
}

fn not_repaired(state: &mut Transcript) -> Option<Effect> {
    state.chrome.refuse(if state.view.session.is_decoded() {
        "a recorded session is not repaired; press i to edit a copy of a part"
    } else {
        "the text is too large to repair"
    })
}

fn show(state: &mut Transcript, repair: Repair, words: Option<String>) {
    let text = state.view.session.text().read(Span::new(0, state.view.session.text().len())).into_owned();
    let is_all = words.is_some();
    // On a low screen there is room for what changes and no more.
    let context = if is_all || state.chrome.size.1 < LOW { 0 } else { CONTEXT };
    let hunks = repair.hunks(&text, context);
    let words = words.unwrap_or_else(|| repair.words(&text));
    state.view.offer = Some(Offer { at: state.view.selection, is_all, repair, words, hunks });
    state.view.layout.bottom = PaneId::Details;
    if !state.types() {
        state.reveal();
    }
}

/// The place of the problem that is selected, or else of the first one of the item, or the first one from there on, or
/// the first one.
fn problem_here(state: &Transcript) -> Option<usize> {
    let problems = state.view.problems();
    let selected = state.view.selection.problem.and_then(|number| problems.place_of(number));
    let span = state.view.session.document().items().span(state.view.selection.item);
    let in_item = || problems.place_of(*problems.beginning_in(span?).first()?);
    let ahead = || problems.first_from(state.view.selection.offset) % problems.len();
    (!problems.is_empty()).then(|| selected.or_else(in_item).unwrap_or_else(ahead))
}

fn carry_out(state: &mut Transcript, offer: &Offer) -> Option<Effect> {
    let repair = &offer.repair;
    if let Some(editor) = &mut state.view.editor {
        let repaired = repair.applied(editor.text().as_bytes());
        editor.go_to(repair.span().end);
        playground::put(state, &String::from_utf8_lossy(&repaired));
        state.tell("repaired; ctrl-z undoes", Role::Good);
        return None;
    }
    let text = state.view.session.text();
    let items = state.view.session.document().items();
    let item = items.span(state.view.selection.item).unwrap_or_default();
    let span = if offer.is_all { Span::new(0, text.len()) } else { item.cover(repair.span()) };
    let before = text.read(Span::new(0, span.end)).into_owned();
    let after = repair.applied(&before);
    let repaired = &after[span.start.min(after.len())..];
    Some(Effect::Run(Task::Copy(Copied::new("the repaired text", repaired))))
}
