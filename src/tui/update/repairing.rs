//! The repair of a problem: found and shown first, then made in a playground, or copied.
//!
//! This module does not know how a repair is found.

use crate::repair::{Repair, repair};

use super::super::action::Tab;
use super::super::state::{Offer, State};
use super::super::theme::Role;
use super::{Effect, going, moving, playing, tell};

/// Shows how a problem is repaired; asked for again, does it.
pub(super) fn mend(state: &mut State) -> Option<Effect> {
    let offered = state.offer.take().filter(|offer| state.selection.problem == Some(offer.problem));
    if let Some(offer) = offered {
        return carry_out(state, &offer.repair);
    }
    let Some(number) = problem_here(state) else {
        tell(state, "there is no problem to repair here; e goes to the next one", Role::Dim);
        return None;
    };
    let problem = state.problem(number)?;
    let Some(repair) = repair(&state.session, &state.options, &problem) else {
        let words = format!("{}: nothing mechanical removes it; a shows what its page says", problem.code.name());
        tell(state, words, Role::Dim);
        return None;
    };
    let lines = repair.lines(&state.session);
    let words = match state.editor {
        Some(_) => format!("{}: ctrl-r or f again does it", repair.what),
        None => format!("{}: f again copies what is repaired; i plays with it", repair.what),
    };
    let types = state.types();
    let target = going::target_of(state, number, problem.span.start);
    moving::select(state, target);
    state.offer = Some(Offer { problem: number, repair, lines });
    state.tab = Tab::Details;
    if !types {
        moving::reveal(state);
    }
    tell(state, words, Role::Good);
    None
}

/// The problem that is selected, or else the first one of the item, or the first one from there on, or the last one.
fn problem_here(state: &State) -> Option<usize> {
    let problems = state.problems();
    let span = state.session.document().items().span(state.selection.item);
    let in_item = span.and_then(|span| problems.beginning_in(span).into_iter().next());
    let ahead = || problems.at(problems.first_from(state.selection.offset));
    let last = || problems.at(problems.len().checked_sub(1)?);
    state.selection.problem.or(in_item).or_else(ahead).or_else(last)
}

fn carry_out(state: &mut State, repair: &Repair) -> Option<Effect> {
    if let Some(editor) = &mut state.editor {
        let repaired = repair.applied(editor.text().as_bytes());
        editor.go_to(repair.span().end);
        playing::put(state, &String::from_utf8_lossy(&repaired));
        tell(state, format!("{}: done; ctrl-z takes it back", repair.what), Role::Good);
        return None;
    }
    let text = state.session.text();
    let items = state.session.document().items();
    let span = items.span(state.selection.item).unwrap_or_default().cover(repair.span());
    let before = text.read(crate::text::Span::new(0, span.end)).into_owned();
    let after = repair.applied(&before);
    let repaired = String::from_utf8_lossy(&after[span.start.min(after.len())..]).into_owned();
    Some(Effect::Copy { what: "the repaired text".into(), text: repaired })
}
