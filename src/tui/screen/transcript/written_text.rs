//! The text of a playground after an edit: it is read again, and the item at the cursor is selected.

use crate::container::Container;
use crate::diagnostic::BoundedProblems;
use crate::session::Session;

use crate::tui::row::Target;
use crate::tui::screen::transcript::Transcript;

/// The text of the selected item.
pub(super) fn selected_text(state: &Transcript) -> String {
    state.read(state.view.session.document().items().span(state.view.selection.item).unwrap_or_default())
}

/// Reads the text again with the current options, and selects the item at the cursor.
pub(super) fn read(state: &mut Transcript) {
    let Some(editor) = &state.view.editor else { return };
    let mut session = Session::new(Container::plain(), &state.view.options);
    session.push(editor.text().as_bytes());
    session.finish();
    state.view.session = session;
    state.reparse = None;
    state.view.so_far = BoundedProblems::default();
    state.view.offer = None;
    state.repairing = None;
    state.view.search = None;
    state.forget_all();
    state.panes.raw.widen_gutter(&state.view);
    follow(state);
}

/// Selects the item at the cursor.
pub(super) fn follow(state: &mut Transcript) {
    let Some(offset) = state.view.editor.as_ref().map(|editor| editor.offset()) else { return };
    let target = if state.view.session.text().is_empty() { Target::default() } else { state.view.target_at(offset) };
    state.select(target);
}
