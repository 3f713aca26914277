//! Bytes that arrive, and the end that the view may hold on to.
//!
//! This module does not know where the bytes come from.

use crate::document::place;
use crate::session::Session;
use crate::source::{CHUNK, SourceEvent, SourceSpec};

use super::super::action::Tab;
use super::super::cache::Place as Changed;
use super::super::events::Place;
use super::super::identity::Identity;
use super::super::layout::Pane;
use super::super::pins::Pins;
use super::super::rows::{Target, count, outline::Outline, raw::Raw, reading::Reading, size};
use super::super::state::{Life, Phase, State};
use super::super::theme::Role;
use super::super::viewport;
use super::{eventing, moving, peeking, tell};

/// Takes in what the source says. The view follows before the next frame.
pub(super) fn arrive(state: &mut State, event: SourceEvent) {
    pin(state);
    match event {
        SourceEvent::Chunk(bytes) => {
            let lines = state.whole().lines().count();
            state.rush = bytes.len() == CHUNK;
            let known = state.whole().choice().is_some();
            let first = push(state.whole_mut(), &bytes);
            if !known {
                tell_choice(state);
            }
            if state.peek.is_none() {
                state.cache.borrow_mut().forget_from(first);
                keep_byte(state);
            }
            if !state.hold_end && state.origin.phase == Phase::Following {
                state.arrived += state.whole().lines().count().saturating_sub(lines);
            }
            state.has_arrived = true;
            for words in state.whole_mut().take_notices() {
                eventing::happened(state, words, Role::Warning);
            }
        }
        SourceEvent::Backing(backing) => state.whole_mut().back(backing),
        SourceEvent::CaughtUp => {
            if std::mem::take(&mut state.rush) {
                // What was not made anew for all that came is made for the last of it.
                state.cache.borrow_mut().forget_all();
            }
            if std::mem::replace(&mut state.origin.phase, Phase::Following) == Phase::Loading {
                // What becomes of the calls is known now.
                state.cache.borrow_mut().forget_rows();
            }
        }
        SourceEvent::Demonstration => state.origin.name = SourceSpec::Demonstration.name(),
        SourceEvent::Notice(text) => eventing::happened(state, text, Role::Warning),
        // It is a text of its own.
        SourceEvent::Aside(_) => {}
        SourceEvent::Exited(exit) => {
            state.origin.command = Some(Life::Ended);
            let words = format!("{} {}", state.origin.name, exit.words());
            eventing::happened(state, words, if exit.is_success() { Role::Good } else { Role::Error });
        }
        SourceEvent::Restarted(reason) => restart(state, &reason),
        SourceEvent::End => end(state, Phase::Ended),
        SourceEvent::Failed(reason) => {
            eventing::happened(state, format!("reading failed: {reason}"), Role::Error);
            end(state, Phase::Failed(reason));
        }
    }
}

/// Says what the file was found to be, and why, where it is not plain text.
fn tell_choice(state: &mut State) {
    if let Some(choice) = state.whole().choice().filter(|_| state.whole().is_decoded()) {
        let words = format!("read as {}: {}; R shows the file as it stands", choice.about.name, choice.reason);
        tell(state, words, Role::Dim);
    }
}

/// Adds bytes to a session; gives the place from which on something has changed. A call shows what is between the
/// calls, so the last one counts.
pub(super) fn push(session: &mut Session, bytes: &[u8]) -> Changed {
    let last_call = session.document().last_call();
    let undecided = session.pending().start;
    let delta = session.push(bytes);
    let item = last_call.map_or(delta.first_item, |call| call.min(delta.first_item));
    let start = session.document().items().span(item).map_or(undecided, |span| span.start.min(undecided));
    // What is decoded from a file has other lines than the file.
    let line = if session.is_decoded() { 0 } else { session.lines().line_at(session.text(), start) };
    Changed { item, line }
}

/// Before a frame: the view goes where it belongs after what has arrived, and while more may come, what would be wrong
/// between the calls if nothing did is found out.
pub fn settle(state: &mut State) {
    if state.session.report_losses() {
        state.cache.borrow_mut().forget_rows();
    }
    state.widen_gutter();
    peeking::settle(state);
    if state.origin.phase == Phase::Following && !state.session.is_finished() && state.peek.is_none() {
        let mut so_far = state.session.document().final_problems(state.session.text());
        so_far.sort_by_key(place);
        if so_far != state.so_far {
            state.so_far = so_far;
            let mut cache = state.cache.borrow_mut();
            cache.forget_rows();
            cache.forget_graph();
        }
    }
    let has_arrived = std::mem::take(&mut state.has_arrived);
    if has_arrived {
        seek(state);
    }
    if state.hold_end && has_arrived && state.peek.is_none() {
        to_end(state);
    }
    release(state);
}

/// Goes to what was selected before the file was written anew, once it is there.
fn seek(state: &mut State) {
    let Some(target) = state.sought.as_ref().and_then(|sought| sought.find(&state.session)) else { return };
    // Its message may still be arriving: it is looked for until everything is there.
    if state.origin.phase != Phase::Loading {
        state.sought = None;
    }
    state.pins = None;
    moving::select(state, target);
}

/// Remembers by its bytes what is shown, unless the view is held at the end.
fn pin(state: &mut State) {
    if state.pins.is_none() && !state.hold_end && !state.hidden && state.peek.is_none() {
        state.pins = Some(Pins::of(state));
    }
}

/// Shows what was remembered where it was.
pub(super) fn release(state: &mut State) {
    if let Some(pins) = state.pins.take().filter(|_| !state.hold_end) {
        pins.restore(state, 0);
    }
}

/// Nothing more comes.
fn end(state: &mut State, phase: Phase) {
    state.origin.phase = phase;
    eventing::end(state);
    state.whole_mut().finish();
    if let Some(peek) = &mut state.peek {
        // The view goes over before the next frame.
        peek.seen.so_far.clear();
        return;
    }
    state.so_far.clear();
    {
        let mut cache = state.cache.borrow_mut();
        cache.forget_all();
        cache.forget_graph();
    }
    keep_byte(state);
    if state.hold_end && !state.hidden {
        to_end(state);
        state.hold_end = false;
    }
}

/// Keeps the selection at its byte. A byte chosen in the undecided tail of an item may belong to the next one now, and
/// a parameter may be gone: one that arrived halfway can turn out to be refused.
pub(super) fn keep_byte(state: &mut State) {
    let Target { item, node, offset, .. } = state.selection;
    let items = state.session.document().items();
    let moved = item + 1 < items.len() && items.span(item).is_some_and(|span| span.end <= offset);
    let gone = node.is_some_and(|id| state.assembly(item).is_none_or(|assembly| id >= assembly.tree.len()));
    if moved || gone {
        state.selection = state.target_at(offset);
    }
}

/// The text begins anew: the file was truncated or replaced. What stood there before is parted with.
fn restart(state: &mut State, reason: &str) {
    let mut fresh = match Session::new(state.session.container(), &state.options) {
        Ok(fresh) => fresh,
        Err(error) => return tell(state, error, Role::Error),
    };
    fresh.set_paging(state.whole().text().paging());
    let held = state.hold_end;
    peeking::leave(state);
    state.hold_end = held;
    let sought = Identity::of(state);
    let mut former = state.part(fresh);
    // Some sessions are written anew with each turn: that is no news, and the view stays where it is.
    let is_usual = sought.is_some();
    state.sought = sought.filter(|_| !held);
    end(&mut former, Phase::Ended);
    let before = match (former.session.text().len(), former.session.document().calls().len()) {
        (0, _) => "nothing was there before".to_owned(),
        (bytes, calls) => format!("what was there before: {}, {}; ( shows it", size(bytes), count(calls, "call")),
    };
    let text = format!("{reason} ({before})");
    let place = Place { text: former.number, offset: former.session.text().len() };
    state.events.add(&text, Role::Warning, place);
    former.origin.name = format!("{} until {}", former.origin.name, state.events.time());
    if state.focus != Pane::Bottom && !is_usual {
        state.tab = Tab::Events;
    }
    state.former = Some(Box::new(former));
    tell(state, text, if is_usual { Role::Dim } else { Role::Warning });
    if !state.hidden {
        eventing::reveal(state);
    }
}

/// Holds on to the end, or lets go of it.
pub(super) fn hold(state: &mut State, hold: bool) {
    if !state.is_live() {
        to_end(state);
        return tell(state, "nothing more arrives: open with -f to follow a file", Role::Dim);
    }
    state.hold_end = hold;
    if hold {
        state.arrived = 0;
        to_end(state);
    }
}

/// Selects the end of the text and shows it at the bottom of every pane.
pub(super) fn to_end(state: &mut State) {
    let end = state.session.text().len();
    let Some(item) = state.session.document().items().len().checked_sub(1) else { return };
    let last_byte = end.saturating_sub(1);
    let target = match state.session.document().call(item) {
        Some(_) => state.target_at(last_byte),
        None => Target { item, node: None, offset: last_byte, problem: None },
    };
    moving::select(state, target);
    let outline = viewport::end(&Outline(state), state.height(Pane::Outline));
    let reading = viewport::end(&Reading(state), state.height(Pane::Reading));
    let raw = viewport::end(&Raw(state), state.height(Pane::Raw));
    state.tops.outline = outline.unwrap_or(state.tops.outline);
    state.tops.reading = reading.unwrap_or(state.tops.reading);
    state.tops.raw = raw.unwrap_or(state.tops.raw);
    state.arrived = 0;
}
