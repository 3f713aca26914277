//! Reading a text again with other settings: a little at a time, while what was read before is still shown.
//!
//! This module does not know which setting has changed.

use crate::session::Session;
use crate::tui::folds::Folds;
use crate::tui::rows::{count, grouped};
use crate::tui::settings::Led;
use crate::tui::state::Rereading;
use crate::tui::state::State;
use crate::tui::style::Role;
use crate::tui::update::{moving, peeking, playing, tell};

/// Bytes of a text that is read again at once.
const AT_ONCE: usize = 1 << 20;

/// Reads the text again after a change of what it is read with. `words` say what has changed.
///
/// # Errors
/// Names a dialect that does not exist; then nothing is read.
pub(super) fn begin(state: &mut State, words: &str) -> Result<(), String> {
    let mut session = Session::new(state.session.container(), &state.options)?;
    peeking::leave(state);
    state.session.begin_in(&mut session);
    state.rereading = Some(Box::new(Rereading { session, words: words.to_owned() }));
    if state.session.file().len() <= AT_ONCE {
        while step(state) {}
    } else {
        tell(state, "reading it again …", Role::Pending);
    }
    Ok(())
}

/// Reads a little of it, and shows all of it once that has been read. Whether there is more to do.
pub(super) fn step(state: &mut State) -> bool {
    let Some(mut rereading) = state.rereading.take() else { return false };
    if state.session.go_on_in(&mut rereading.session) {
        state.rereading = Some(rereading);
        return true;
    }
    show(state, *rereading);
    false
}

fn show(state: &mut State, Rereading { session, words }: Rereading) {
    let offset = state.selection.offset;
    let old = std::mem::replace(&mut state.session, session);
    let led = state.settings.compare(&old, &state.session);
    state.so_far.clear();
    state.offer = None;
    state.folds = Folds::default();
    {
        let mut cache = state.cache.borrow_mut();
        cache.forget_all();
        cache.forget_graph();
    }
    if state.editor.is_some() {
        playing::follow(state);
    } else {
        moving::select(state, state.target_at(offset));
    }
    let led = match led {
        Led::Nowhere => "no call has changed".to_owned(),
        Led::To(calls) => format!("{} changed; s lists, D compares", count(calls, "call")),
        Led::Unknown { before, after } => format!("{} calls before, {} now", grouped(before), grouped(after)),
    };
    tell(state, if words.is_empty() { led } else { format!("{words}: {led}") }, Role::Dim);
}
