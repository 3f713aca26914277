//! Looking at the end of a file ahead of reading, and going over to the text that is read when it has come there.
//!
//! This module does not know what a pane shows.

use crate::container::Container;
use crate::diagnostic::Diagnostic;
use crate::session::Session;

use crate::tui::pane::Panes;
use crate::tui::row::Target;
use crate::tui::screen::transcript::scroll_anchor::ScrollAnchors;
use crate::tui::screen::transcript::{Transcript, arrival};
use crate::tui::tail::{AHEAD, MOST, Tail, WINDOW, length};
use crate::tui::view::Ahead;

/// What was seen of the whole text before its end was shown.
pub(super) struct Left {
    panes: Panes,
    selection: Target,
    /// What was wrong between the calls if nothing more arrived.
    so_far: Vec<Diagnostic>,
}

impl Left {
    /// What was wrong between the calls is certain now.
    pub(super) fn end(&mut self) {
        self.so_far.clear();
    }
}

/// Bytes between what is shown and the beginning of a look at which more is read in front of it.
const NEAR: usize = 48 * 1024;

/// Before a frame: begins a look if the view is held at an end that is far ahead, keeps it up with the file, and ends it
/// when reading has come there.
pub(super) fn prepare(state: &mut Transcript) {
    match &state.view.ahead {
        None if state.following.hold_end && state.rereading.is_none() => begin(state),
        Some(ahead) if ahead.whole.text().len() >= ahead.base + state.view.session.text().len() => {
            switch_to_main(state)
        }
        // The file has become shorter than it was.
        Some(_) if !state.view.is_live() => leave(state),
        Some(_) if state.following.hold_end => keep_up(state),
        _ => {}
    }
}

/// How long the file is now, if much of it has not been read yet. What is decoded has no place before it is read.
fn end_ahead(state: &Transcript) -> Option<usize> {
    if !state.view.whole().is_plain() {
        return None;
    }
    let read = state.view.whole().text().len();
    let known = state.view.origin.size.map_or(read, |size| read.max(size as usize));
    if known < read + AHEAD && !state.view.rush {
        return None;
    }
    // A file that cannot be read there is shown as it is read.
    let end = length(state.view.whole().text().backing()?, read).ok()?;
    (end >= read + AHEAD).then_some(end)
}

fn begin(state: &mut Transcript) {
    let Some(end) = end_ahead(state) else { return };
    let Some((base, session)) = look(state, end.saturating_sub(WINDOW), end) else { return };
    let whole = std::mem::replace(&mut state.view.session, session);
    let panes = state.panes.clone();
    let so_far = std::mem::take(&mut state.view.so_far);
    state.left = Some(Box::new(Left { panes, selection: state.view.selection, so_far }));
    state.view.ahead = Some(Ahead { base, whole });
    show_end(state);
}

/// Shows the end of a session that has not been shown before.
fn show_end(state: &mut Transcript) {
    state.following.anchors = None;
    state.panes.forget_text();
    state.view.selection = Target::default();
    state.forget_all();
    arrival::to_end(state);
}

/// Reads a part of the file into a session of its own.
///
/// The part may begin in the midst of a call, whose rest then seems to be at fault. If so, it begins with the next call.
fn look(state: &Transcript, from: usize, end: usize) -> Option<(usize, Session)> {
    let Tail { mut base, bytes } = Tail::read(state.view.whole().text().backing()?, from, end).ok()?;
    let read = |bytes: &[u8]| {
        let mut session = Session::new(Container::plain(), &state.view.options).ok()?;
        session.push(bytes);
        Some(session)
    };
    let mut session = read(&bytes)?;
    let document = session.document();
    let call = document.calls().next().and_then(|call| document.items().span(call)).map_or(0, |span| span.start);
    let is_at_fault = document.diagnostics().iter().any(|problem| problem.span.start < call);
    if base > 0 && is_at_fault && call < bytes.len() / 2 {
        base += call;
        session = read(&bytes[call..])?;
    }
    (!bytes.is_empty()).then_some((base, session))
}

/// Takes in what was written behind the part that is shown.
fn keep_up(state: &mut Transcript) {
    let Some((ahead, backing)) = state.view.ahead.as_ref().zip(state.view.whole().text().backing().cloned()) else {
        return;
    };
    let shown = ahead.base + state.view.session.text().len();
    let Ok(end) = length(&backing, shown) else { return };
    if end == shown {
        return;
    }
    if end - ahead.base > MOST {
        // What is shown has grown far enough: the end is looked at anew.
        let Some((base, session)) = look(state, end.saturating_sub(WINDOW), end) else { return };
        state.view.session = session;
        if let Some(ahead) = &mut state.view.ahead {
            ahead.base = base;
        }
        return show_end(state);
    }
    let mut bytes = vec![0; end - shown];
    let Ok(read) = backing.read_at(shown as u64, &mut bytes) else { return };
    let first = arrival::push(&mut state.view.session, &bytes[..read]);
    state.forget_from(first);
    arrival::to_end(state);
}

/// Reads more in front of the part that is shown, if the view comes near to its beginning.
pub(super) fn make_room(state: &mut Transcript) {
    let Some(ahead) = &state.view.ahead else { return };
    let (base, end) = (ahead.base, ahead.base + state.view.session.text().len());
    let top = state.panes.raw.top_of(&state.view);
    let reading = state.panes.reading.top_of(&state.view);
    if base == 0 || top.min(reading).min(state.view.selection.offset) > NEAR {
        return;
    }
    let from = end.saturating_sub(2 * (end - base));
    if end - from > MOST {
        return;
    }
    let Some((from, session)) = look(state, from, end).filter(|(from, _)| *from < base) else { return };
    if let Some(ahead) = &mut state.view.ahead {
        ahead.base = from;
    }
    change_session(state, session, base - from);
}

/// Goes on with the text that is read, which has come to the end of what is shown. No row moves.
fn switch_to_main(state: &mut Transcript) {
    let (Some(Ahead { base, whole }), Some(left)) = (state.view.ahead.take(), state.left.take()) else { return };
    change_session(state, whole, base);
    state.panes.reading.merge(left.panes.reading);
    state.panes.outline.merge(left.panes.outline);
    state.view.so_far = left.so_far;
    state.following.hold_end &= state.view.is_live();
}

/// Goes back to the text that is read, to where the view was in it.
pub(super) fn leave(state: &mut Transcript) {
    let (Some(Ahead { whole, .. }), Some(left)) = (state.view.ahead.take(), state.left.take()) else { return };
    state.view.session = whole;
    state.panes.return_to(left.panes);
    state.view.selection = left.selection;
    state.view.so_far = left.so_far;
    state.following.hold_end = false;
    state.following.anchors = None;
    state.forget_all();
    arrival::keep_byte(state);
    state.reveal();
}

/// Shows the same bytes out of another session, in which they are `shift` bytes further on.
fn change_session(state: &mut Transcript, session: Session, shift: usize) {
    let anchors = ScrollAnchors::new(state);
    let before = std::mem::replace(&mut state.view.session, session);
    let after = state.view.session.document();
    // An item is the same if it begins at the same byte.
    let moved = |item: usize| {
        let start = before.document().items().span(item)?.start + shift;
        after.item_at(start).filter(|&item| after.items().span(item).is_some_and(|span| span.start == start))
    };
    let Target { item, node, offset, .. } = state.view.selection;
    let known = moved(item).map(|item| Target { item, node, offset: offset + shift, problem: None });
    for &id in Panes::ALL {
        state.panes.get_mut(id).renumber(&moved);
    }
    state.forget_all();
    state.view.selection = known.unwrap_or_else(|| state.view.target_at(offset + shift));
    arrival::keep_byte(state);
    state.following.anchors = None;
    if state.following.hold_end {
        arrival::to_end(state);
    } else {
        anchors.restore(state, shift);
    }
}
