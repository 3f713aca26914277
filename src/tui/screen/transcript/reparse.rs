//! Reading a text again with other settings, in slices, while the previous reading stays on the screen.

use crate::session::Session;
use crate::tui::pane::settings::CallChanges;
use crate::tui::row::{count, grouped};
use crate::tui::screen::transcript::{Transcript, tail_preview, written_text};
use crate::tui::style::Role;

/// A text being read again.
pub(super) struct Reparse {
    /// The session with what has been read so far.
    pub(super) session: Session,
    /// Message about the change.
    words: String,
}

/// Maximum bytes of a text that is read again in one step.
const AT_ONCE: usize = 1 << 20;

/// Starts reading the text again after its options have changed. `words` describe the change.
pub(super) fn begin(state: &mut Transcript, words: &str) {
    let mut session = Session::new(state.view.session.container(), &state.view.options);
    tail_preview::leave(state);
    state.view.session.begin_in(&mut session);
    state.reparse = Some(Box::new(Reparse { session, words: words.to_owned() }));
    if state.view.session.file().len() <= AT_ONCE {
        while step(state) {}
    } else {
        state.show_message("re-reading …", Role::Pending);
    }
}

/// Reads another slice, and shows the result once complete. Returns true if there is more to do.
pub(super) fn step(state: &mut Transcript) -> bool {
    let Some(mut reparse) = state.reparse.take() else { return false };
    if state.view.session.read_next_into(&mut reparse.session) {
        state.reparse = Some(reparse);
        return true;
    }
    show(state, *reparse);
    false
}

fn show(state: &mut Transcript, Reparse { session, words }: Reparse) {
    let offset = state.view.selection.offset;
    let old = std::mem::replace(&mut state.view.session, session);
    let changes = state.panes.settings.compare(&old, &state.view.session);
    state.view.so_far = state.view.left_at_the_end();
    state.view.offer = None;
    state.repairing = None;
    state.panes.outline.forget_folds();
    state.panes.reading.forget_folds();
    state.forget_all();
    if state.view.editor.is_some() {
        written_text::follow(state);
    } else {
        state.select(state.view.target_at(offset));
    }
    let changes = match changes {
        CallChanges::None => "no call has changed".to_owned(),
        CallChanges::Some(calls) => format!("{} changed; s lists, D compares", count(calls, "call")),
        CallChanges::Unknown { before, after } => format!("{} calls before, {} now", grouped(before), grouped(after)),
    };
    state.show_message(if words.is_empty() { changes } else { format!("{words}: {changes}") }, Role::Dim);
}
