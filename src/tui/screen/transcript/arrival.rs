//! Handling of events of the source, and following the end.

use crate::diagnostic::Code;
use crate::document::place;
use crate::session::Session;
use crate::source::{CHUNK, SourceEvent, SourceSpec};

use crate::tui::action::PaneId;
use crate::tui::layout::Slot;
use crate::tui::message::{ContentPosition, Effect, Task};
use crate::tui::prompt::PromptKind;
use crate::tui::row::{count, size};
use crate::tui::screen::chrome::filter_prompt;
use crate::tui::screen::transcript::scroll_anchor::ScrollAnchors;
use crate::tui::screen::transcript::stable_selection::StableSelection;
use crate::tui::screen::transcript::{Transcript, jump, location, notes, tail_preview};
use crate::tui::style::Role;
use crate::tui::view;
use crate::tui::view::origin::{Phase, SourceState};

/// Handles an event of the source. The view is updated before the next frame.
pub(super) fn arrive(state: &mut Transcript, event: SourceEvent) {
    anchor_scroll(state);
    match event {
        SourceEvent::Chunk(bytes) => {
            let lines = state.view.whole().lines().count();
            let is_unread = state.view.hidden || !state.following.hold_end;
            if is_unread && state.view.origin.phase == Phase::Following && state.view.note_unread() {
                state.view.cache.borrow_mut().forget_rows();
            }
            state.view.rush = bytes.len() == CHUNK;
            let known = state.view.whole().choice().is_some();
            let is_first = state.view.whole().file().is_empty();
            let first = view::push(state.view.whole_mut(), &bytes);
            if !known {
                note_choice(state);
            }
            if is_first {
                tell_binary(state);
            }
            state.divide();
            if state.view.ahead.is_none() {
                state.forget_from(first);
                state.keep_byte();
            }
            if !state.following.hold_end && state.view.origin.phase == Phase::Following {
                state.following.arrived += state.view.whole().lines().count().saturating_sub(lines);
            }
            state.following.has_arrived = true;
            for words in state.view.whole_mut().take_notices() {
                state.log(words, Role::Warning);
            }
        }
        SourceEvent::Backing(backing) => state.view.whole_mut().back(backing),
        SourceEvent::CaughtUp => {
            if std::mem::take(&mut state.view.rush) {
                // During a fast read not everything was rebuilt for each chunk, so rebuild it now.
                state.forget_all();
            }
            if std::mem::replace(&mut state.view.origin.phase, Phase::Following) == Phase::Loading {
                // The initial contents count as seen.
                state.view.unread.see(state.view.whole().text().len());
                // The outcomes of calls can now be predicted.
                state.view.cache.borrow_mut().forget_rows();
            }
        }
        SourceEvent::Demonstration => state.view.origin.name = SourceSpec::Demonstration.name(),
        SourceEvent::Notice(text) => state.log(text, Role::Warning),
        // Standard error has its own tab.
        SourceEvent::Stderr(_) => {}
        SourceEvent::Exited(exit) => {
            state.view.origin.command = Some(SourceState::Ended(exit));
            let words = format!("{} {}", state.view.origin.name, exit.words());
            state.log(words, if exit.is_success() { Role::Good } else { Role::Error });
        }
        SourceEvent::Restarted(reason) => restart(state, &reason),
        SourceEvent::End => end(state, Phase::Ended),
        SourceEvent::Failed(reason) => {
            state.log(format!("reading failed: {reason}"), Role::Error);
            end(state, Phase::Failed(reason));
        }
    }
}

/// Logs the detected container and the reason as an event, unless the file is plain text. The title shows its name.
fn note_choice(state: &mut Transcript) {
    if let Some(choice) = state.view.whole().choice().filter(|_| state.view.whole().is_decoded()) {
        let words = format!("detected {}: {}; R shows the file itself", choice.about.name, choice.reason);
        let place = state.here();
        state.view.events.add(&words, Role::Dim, place);
        state.reveal_events();
    }
}

/// Shows a message if the file is probably binary, which explains all its problems.
fn tell_binary(state: &mut Transcript) -> bool {
    let found = state.view.whole().document().diagnostics().briefs().any(|brief| brief.code == Code::BinaryData);
    if found {
        state.show_message("binary data: this is probably not a transcript; q quits", Role::Warning);
    }
    found
}

/// Shows a hint for a plain text without calls, which may use an unknown syntax.
fn tell_unknown(state: &mut Transcript) {
    if tell_binary(state) {
        return;
    }
    let session = state.view.whole();
    let is_plain = !session.is_decoded() && !session.text().is_empty() && state.view.editor.is_none();
    if is_plain && state.replay.is_none() && session.document().calls().len() == 0 && state.chrome.message.is_none() {
        state.show_message("no calls found; alt-n proposes a call format", Role::Dim);
    }
}

/// Before a frame: updates the view after something has arrived. While more may come, also determines the problems that
/// would exist if nothing did. Returns an effect to read the end of the file if a preview needs it.
pub fn prepare(state: &mut Transcript) -> Option<Effect> {
    if state.view.session.report_losses() {
        state.view.cache.borrow_mut().forget_rows();
    }
    state.view.examine_durations();
    location::seek(state);
    jump::search_typed(state);
    if let Some(prompt) = state.chrome.prompt.as_ref().filter(|prompt| prompt.kind == PromptKind::Dialect) {
        state.panes.settings.search(prompt.input.value().trim());
    }
    filter_prompt::note(&mut state.chrome, Some(&state.view.session));
    let tail = tail_preview::prepare(state);
    if state.view.origin.phase == Phase::Following && !state.view.session.is_finished() && state.view.ahead.is_none() {
        let mut so_far = state.view.session.document().final_problems(state.view.session.text());
        so_far.sort_by_key(place);
        if so_far != state.view.so_far {
            state.view.so_far = so_far;
            let mut cache = state.view.cache.borrow_mut();
            cache.forget_rows();
            cache.forget_graph();
        }
    }
    let has_arrived = std::mem::take(&mut state.following.has_arrived);
    if has_arrived {
        seek(state);
    }
    if state.following.hold_end && has_arrived && state.view.ahead.is_none() {
        state.show_end();
    }
    restore_scroll(state);
    state.view.note_visited();
    if state.following.hold_end || state.view.origin.phase == Phase::Loading {
        state.view.unread.see(state.view.whole().text().len());
    }
    notes::prepare(state);
    if state.bottom_need() != state.view.layout.need {
        state.reveal();
    }
    state.panes.all_mut().for_each(|pane| pane.prepare(&state.view));
    let backing = state.view.whole().text().backing();
    backing.zip(tail).map(|(backing, part)| Effect::Run(Task::ReadTail(backing.clone(), part)))
}

/// Restores the selection after the file was rewritten, once its item is there.
fn seek(state: &mut Transcript) {
    let Some(target) =
        state.following.selection_to_restore.as_ref().and_then(|sought| sought.find(&state.view.session))
    else {
        return;
    };
    // Its message may still be arriving: searched for again until everything has been read.
    if state.view.origin.phase != Phase::Loading {
        state.following.selection_to_restore = None;
    }
    state.following.scroll_anchors = None;
    state.select(target);
}

/// Anchors the scroll positions, unless the view follows the end.
fn anchor_scroll(state: &mut Transcript) {
    if state.following.scroll_anchors.is_none()
        && !state.following.hold_end
        && !state.view.hidden
        && state.view.ahead.is_none()
    {
        state.following.scroll_anchors = Some(ScrollAnchors::new(state));
    }
}

/// Restores the anchored scroll positions.
pub(super) fn restore_scroll(state: &mut Transcript) {
    if let Some(anchors) = state.following.scroll_anchors.take().filter(|_| !state.following.hold_end) {
        anchors.restore(state, 0);
    }
}

/// Nothing more will arrive, so that provisional problems become certain.
fn end(state: &mut Transcript, phase: Phase) {
    let is_whole = phase == Phase::Ended;
    state.view.origin.phase = phase;
    state.view.events.end_aside(state.here());
    state.view.whole_mut().finish();
    if let Some(left) = &mut state.saved_main_view {
        // The view switches to the main session before the next frame. Provisional problems are certain now.
        left.so_far = state.view.left_at_the_end();
        return;
    }
    state.view.so_far = state.view.left_at_the_end();
    if is_whole {
        tell_unknown(state);
    }
    state.forget_all();
    state.keep_byte();
    let layout = &mut state.view.layout;
    if layout.bottom == PaneId::Problems && layout.focus != Slot::Bottom && state.view.problems().is_empty() {
        state.view.layout.bottom = PaneId::Details;
    }
    if state.following.hold_end && !state.view.hidden {
        state.show_end();
        state.following.hold_end = false;
    }
}

/// Starts over after the file was truncated or replaced. The previous contents become a separate transcript.
fn restart(state: &mut Transcript, reason: &str) {
    let mut fresh = Session::new(state.view.session.container(), &state.view.options);
    fresh.set_paging(state.view.whole().text().paging());
    fresh.set_notes(state.view.whole().notes().notes().clone());
    let held = state.following.hold_end;
    tail_preview::leave(state);
    state.following.hold_end = held;
    let sought = StableSelection::new(&state.view);
    let mut former = state.take_contents(fresh);
    // Some sessions are rewritten as a whole with each turn: that is not news, and the view stays in place.
    let is_usual = sought.is_some();
    state.view.unread.restart(is_usual);
    state.following.selection_to_restore = sought.filter(|_| !held);
    end(&mut former, Phase::Ended);
    let before = match (former.view.session.text().len(), former.view.session.document().calls().len()) {
        (0, _) => "no earlier contents".to_owned(),
        (bytes, calls) => format!("earlier contents: {}, {}; ( shows them", size(bytes), count(calls, "call")),
    };
    let text = format!("{reason} ({before})");
    let place = ContentPosition { text: former.view.number, offset: former.view.session.text().len() };
    state.view.events.add(&text, Role::Warning, place);
    former.view.origin.name = format!("{} until {}", former.view.origin.name, state.view.events.time());
    if state.view.layout.focus != Slot::Bottom && !is_usual {
        state.view.layout.bottom = PaneId::Events;
    }
    state.previous_contents = Some(Box::new(former));
    state.show_message(text, if is_usual { Role::Dim } else { Role::Warning });
    state.reveal_events();
}

/// Starts or stops following the end.
pub(super) fn hold(state: &mut Transcript, hold: bool) {
    if !state.view.is_live() {
        state.show_end();
        return state.show_message("the text is complete; open a file with -f to follow it", Role::Dim);
    }
    state.following.hold_end = hold;
    if hold {
        state.following.arrived = 0;
        state.show_end();
    }
    state
        .show_message(if hold { "following the end" } else { "stopped following; T follows the end again" }, Role::Dim);
}
