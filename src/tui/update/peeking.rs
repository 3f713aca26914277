//! Looking at the end of a file ahead of reading, and going over to the text that is read when it has come there.
//!
//! This module does not know what a pane shows.

use crate::container::Container;
use crate::session::Session;

use crate::tui::folds::Folds;
use crate::tui::rows::Target;
use crate::tui::scroll_anchor::ScrollAnchors;
use crate::tui::state::State;
use crate::tui::state::Tops;
use crate::tui::tail_preview::{AHEAD, MOST, Seen, Tail, TailPreview, WINDOW, length};
use crate::tui::update::{arriving, moving};

/// Bytes between what is shown and the beginning of a look at which more is read in front of it.
const NEAR: usize = 48 * 1024;

/// Before a frame: begins a look if the view is held at an end that is far ahead, keeps it up with the file, and ends it
/// when reading has come there.
pub(super) fn settle(state: &mut State) {
    match &state.peek {
        None if state.hold_end && state.rereading.is_none() => begin(state),
        Some(peek) if peek.whole.text().len() >= peek.base + state.session.text().len() => go_over(state),
        // The file has become shorter than it was.
        Some(_) if !state.is_live() => leave(state),
        Some(_) if state.hold_end => keep_up(state),
        _ => {}
    }
}

/// How long the file is now, if much of it has not been read yet. What is decoded has no place before it is read.
fn end_ahead(state: &State) -> Option<usize> {
    if !state.whole().is_plain() {
        return None;
    }
    let read = state.whole().text().len();
    let known = state.origin.size.map_or(read, |size| read.max(size as usize));
    if known < read + AHEAD && !state.rush {
        return None;
    }
    // A file that cannot be read there is shown as it is read.
    let end = length(state.whole().text().backing()?, read).ok()?;
    (end >= read + AHEAD).then_some(end)
}

fn begin(state: &mut State) {
    let Some(end) = end_ahead(state) else { return };
    let Some((base, session)) = look(state, end.saturating_sub(WINDOW), end) else { return };
    let whole = std::mem::replace(&mut state.session, session);
    let seen = Seen {
        folds: std::mem::take(&mut state.folds),
        tops: state.tops,
        selection: state.selection,
        so_far: std::mem::take(&mut state.so_far),
    };
    state.folds.all_closed = seen.folds.all_closed;
    state.peek = Some(Box::new(TailPreview { base, whole, seen }));
    show_end(state);
}

/// Shows the end of a session that has not been shown before.
fn show_end(state: &mut State) {
    state.pins = None;
    state.tops = Tops { raw_column: state.tops.raw_column, ..Tops::default() };
    state.selection = Target::default();
    forget(state);
    arriving::to_end(state);
}

/// Reads a part of the file into a session of its own.
///
/// The part may begin in the midst of a call, whose rest then seems to be at fault. If so, it begins with the next call.
fn look(state: &State, from: usize, end: usize) -> Option<(usize, Session)> {
    let Tail { mut base, bytes } = Tail::read(state.whole().text().backing()?, from, end).ok()?;
    let read = |bytes: &[u8]| {
        let mut session = Session::new(Container::plain(), &state.options).ok()?;
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
fn keep_up(state: &mut State) {
    let Some((peek, backing)) = state.peek.as_ref().zip(state.whole().text().backing().cloned()) else { return };
    let shown = peek.base + state.session.text().len();
    let Ok(end) = length(&backing, shown) else { return };
    if end == shown {
        return;
    }
    if end - peek.base > MOST {
        // What is shown has grown far enough: the end is looked at anew.
        let Some((base, session)) = look(state, end.saturating_sub(WINDOW), end) else { return };
        state.session = session;
        state.folds = Folds { all_closed: state.folds.all_closed, ..Folds::default() };
        if let Some(peek) = &mut state.peek {
            peek.base = base;
        }
        return show_end(state);
    }
    let mut bytes = vec![0; end - shown];
    let Ok(read) = backing.read_at(shown as u64, &mut bytes) else { return };
    let first = arriving::push(&mut state.session, &bytes[..read]);
    state.cache.borrow_mut().forget_from(first);
    arriving::to_end(state);
}

/// Reads more in front of the part that is shown, if the view comes near to its beginning.
pub(super) fn make_room(state: &mut State) {
    let Some(peek) = &state.peek else { return };
    let (base, end) = (peek.base, peek.base + state.session.text().len());
    let top = state.session.lines().span_of(state.session.text(), state.tops.raw.unit.0).start;
    let reading = state.session.document().items().span(state.tops.reading.unit.0).map_or(0, |span| span.start);
    if base == 0 || top.min(reading).min(state.selection.offset) > NEAR {
        return;
    }
    let from = end.saturating_sub(2 * (end - base));
    if end - from > MOST {
        return;
    }
    let Some((from, session)) = look(state, from, end).filter(|(from, _)| *from < base) else { return };
    if let Some(peek) = &mut state.peek {
        peek.base = from;
    }
    change_session(state, session, base - from);
}

/// Goes on with the text that is read, which has come to the end of what is shown. No row moves.
fn go_over(state: &mut State) {
    let Some(peek) = state.peek.take() else { return };
    let TailPreview { base, whole, seen } = *peek;
    change_session(state, whole, base);
    merge(&mut state.folds, seen.folds);
    state.so_far = seen.so_far;
    state.hold_end &= state.is_live();
}

/// Goes back to the text that is read, to where the view was in it.
pub(super) fn leave(state: &mut State) {
    let Some(peek) = state.peek.take() else { return };
    let TailPreview { whole, seen, .. } = *peek;
    state.session = whole;
    state.folds = seen.folds;
    state.tops = seen.tops;
    state.selection = seen.selection;
    state.so_far = seen.so_far;
    state.hold_end = false;
    state.pins = None;
    forget(state);
    arriving::keep_byte(state);
    moving::reveal(state);
}

/// Shows the same bytes out of another session, in which they are `shift` bytes further on.
fn change_session(state: &mut State, session: Session, shift: usize) {
    let pins = ScrollAnchors::of(state);
    let before = std::mem::replace(&mut state.session, session);
    let after = state.session.document();
    // An item is the same if it begins at the same byte.
    let moved = |item: usize| {
        let start = before.document().items().span(item)?.start + shift;
        after.item_at(start).filter(|&item| after.items().span(item).is_some_and(|span| span.start == start))
    };
    let Target { item, node, offset, .. } = state.selection;
    let known = moved(item).map(|item| Target { item, node, offset: offset + shift, problem: None });
    state.folds = state.folds.moved(moved);
    forget(state);
    state.selection = known.unwrap_or_else(|| state.target_at(offset + shift));
    arriving::keep_byte(state);
    state.pins = None;
    if state.hold_end {
        arriving::to_end(state);
    } else {
        pins.restore(state, shift);
    }
}

/// Adds what was folded before a look.
fn merge(folds: &mut Folds, before: Folds) {
    if folds.all_closed == before.all_closed {
        folds.reading_changed.extend(before.reading_changed);
    }
    folds.values_open.extend(before.values_open);
    folds.outline_changed.extend(before.outline_changed);
    folds.messages_closed.extend(before.messages_closed);
}

/// Forgets what was made of the session that was shown.
fn forget(state: &State) {
    let mut cache = state.cache.borrow_mut();
    cache.forget_all();
    cache.forget_graph();
}
