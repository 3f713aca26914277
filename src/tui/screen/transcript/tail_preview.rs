//! A preview of the end of a file before all of it has been read, and the switch to the main session once reading has
//! caught up.

use crate::container::Container;
use crate::diagnostic::BoundedProblems;
use crate::session::Session;

use crate::tui::pane::Panes;
use crate::tui::row::Target;
use crate::tui::screen::transcript::Transcript;
use crate::tui::screen::transcript::scroll_anchor::ScrollAnchors;
use crate::tui::tail::{AHEAD, MOST, Tail, TailPart};
use crate::tui::view::{self, MainSession};

/// State of the main session's view while the preview is shown.
pub(super) struct SavedMainView {
    panes: Panes,
    selection: Target,
    /// Provisional problems of the main session.
    pub(super) so_far: BoundedProblems,
}

/// Distance in bytes to the start of the preview below which earlier text is requested.
const NEAR: usize = 48 * 1024;

/// Before a frame: ends the preview if reading has caught up. Returns the part of the file to read next for a preview
/// that starts, grows at its end, or needs earlier text.
pub(super) fn prepare(state: &mut Transcript) -> Option<TailPart> {
    let shown = state.view.session.text().len();
    let part = match &state.view.ahead {
        None if state.following.hold_end && state.reparse.is_none() => beginning(state),
        None => None,
        Some(ahead) if ahead.whole.text().len() >= ahead.base + shown => {
            switch_to_main(state);
            None
        }
        // The file has become shorter.
        Some(_) if !state.view.is_live() => {
            leave(state);
            None
        }
        Some(ahead) if state.following.hold_end => Some(TailPart::After { base: ahead.base, end: ahead.base + shown }),
        Some(ahead) => state.following.needs_room.then(|| {
            let end = ahead.base + shown;
            TailPart::Range { from: end.saturating_sub(2 * shown), end }
        }),
    };
    state.following.needs_room = false;
    part
}

/// The part to read to start a preview, if much of the file may be unread. Decoded text has no known offset before it
/// is read.
fn beginning(state: &Transcript) -> Option<TailPart> {
    if state.view.whole().is_decoded() {
        return None;
    }
    let read = state.view.whole().text().len();
    let known = state.view.origin.size.map_or(read, |size| read.max(size as usize));
    (known >= read + AHEAD || state.view.rush).then_some(TailPart::End { read })
}

/// Handles a part that was read.
pub(super) fn arrive(state: &mut Transcript, part: TailPart, tail: Tail) {
    let shown = state.view.session.text().len();
    let ahead = state.view.ahead.as_mut();
    match (part, ahead) {
        (TailPart::End { .. }, None) if state.following.hold_end && state.reparse.is_none() => {
            let (base, session) = read(state, tail);
            let whole = std::mem::replace(&mut state.view.session, session);
            let panes = state.panes.clone();
            let so_far = std::mem::take(&mut state.view.so_far);
            state.saved_main_view = Some(Box::new(SavedMainView { panes, selection: state.view.selection, so_far }));
            state.view.ahead = Some(MainSession { base, whole });
            show_end(state);
        }
        (TailPart::After { .. }, Some(ahead)) if tail.base == ahead.base + shown => {
            let first = view::push(&mut state.view.session, &tail.bytes);
            state.forget_from(first);
            state.show_end();
        }
        (TailPart::After { .. }, Some(_)) => {
            // The preview has grown too large: replace it by a new one at the end.
            let (base, session) = read(state, tail);
            state.view.session = session;
            if let Some(ahead) = &mut state.view.ahead {
                ahead.base = base;
            }
            show_end(state);
        }
        (TailPart::Range { .. }, Some(ahead)) => {
            let before = ahead.base;
            let (from, session) = read(state, tail);
            if from >= before {
                return;
            }
            if let Some(ahead) = &mut state.view.ahead {
                ahead.base = from;
            }
            change_session(state, session, before - from);
        }
        _ => {}
    }
}

/// Shows the end of a session that has not been shown before.
fn show_end(state: &mut Transcript) {
    state.following.scroll_anchors = None;
    state.panes.forget_text();
    state.view.selection = Target::default();
    state.forget_all();
    state.show_end();
}

/// Reads a part of the file into a separate session; returns its offset in the file.
///
/// The part may begin in the middle of a call, whose rest would then look faulty. In that case it begins with the next
/// call.
fn read(state: &Transcript, Tail { mut base, bytes }: Tail) -> (usize, Session) {
    let read = |bytes: &[u8]| {
        let mut session = Session::new(Container::plain(), &state.view.options);
        session.push(bytes);
        session
    };
    let mut session = read(&bytes);
    let document = session.document();
    let call = document.calls().next().and_then(|call| document.items().span(call)).map_or(0, |span| span.start);
    let is_at_fault = document.diagnostics().iter().any(|problem| problem.span.start < call);
    if base > 0 && is_at_fault && call < bytes.len() / 2 {
        base += call;
        session = read(&bytes[call..]);
    }
    (base, session)
}

/// Requests earlier text if the view is close to the start of the preview.
pub(super) fn make_room(state: &mut Transcript) {
    let Some(ahead) = &state.view.ahead else { return };
    let shown = state.view.session.text().len();
    let top = state.panes.raw.top_of(&state.view).min(state.panes.reading.top_of(&state.view));
    let is_near = top.min(state.view.selection.offset) <= NEAR;
    state.following.needs_room = ahead.base > 0 && is_near && 2 * shown <= MOST;
}

/// Switches to the main session after it has caught up with the preview. No row moves.
fn switch_to_main(state: &mut Transcript) {
    let (Some(MainSession { base, whole }), Some(left)) = (state.view.ahead.take(), state.saved_main_view.take())
    else {
        return;
    };
    change_session(state, whole, base);
    state.panes.reading.merge(left.panes.reading);
    state.panes.outline.merge(left.panes.outline);
    state.view.so_far = left.so_far;
    state.following.hold_end &= state.view.is_live();
}

/// Ends the preview and restores the view of the main session.
pub(super) fn leave(state: &mut Transcript) {
    let (Some(MainSession { whole, .. }), Some(left)) = (state.view.ahead.take(), state.saved_main_view.take()) else {
        return;
    };
    state.view.session = whole;
    state.panes.return_to(left.panes);
    state.view.selection = left.selection;
    state.view.so_far = left.so_far;
    state.following.hold_end = false;
    state.following.scroll_anchors = None;
    state.forget_all();
    state.keep_byte();
    state.reveal();
}

/// Shows the same bytes from another session, in which their offsets are `shift` higher.
fn change_session(state: &mut Transcript, session: Session, shift: usize) {
    let anchors = ScrollAnchors::new(state);
    let before = std::mem::replace(&mut state.view.session, session);
    let after = state.view.session.document();
    // Items are the same if they begin at the same byte.
    let moved = |item: usize| {
        let start = before.document().items().span(item)?.start + shift;
        after.item_at(start).filter(|&item| after.items().span(item).is_some_and(|span| span.start == start))
    };
    let Target { item, node, offset, .. } = state.view.selection;
    let known = moved(item).map(|item| Target { item, node, offset: offset + shift, problem: None });
    state.panes.all_mut().for_each(|pane| pane.renumber(&moved));
    state.forget_all();
    state.view.selection = known.unwrap_or_else(|| state.view.target_at(offset + shift));
    state.keep_byte();
    state.following.scroll_anchors = None;
    if state.following.hold_end {
        state.show_end();
    } else {
        anchors.restore(state, shift);
    }
}
