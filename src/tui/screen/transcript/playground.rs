//! The playground: edits are read immediately, and the panes follow the cursor.

use std::path::{Path, PathBuf};

use crossterm::event::KeyEvent;

use crate::container::Container;
use crate::dialect::Options;
use crate::session::Session;
use crate::text::Span;

use crate::tui::action::{EditCommand, PaneId};
use crate::tui::message::{Copied, EditorDraft, EditorOutcome, Effect, Navigation, Task};
use crate::tui::playground::Playground;
use crate::tui::row::size;
use crate::tui::screen::transcript::written_text::{follow, read, selected_text};
use crate::tui::screen::transcript::{Transcript, arrival, declaration};
use crate::tui::style::Role;
use crate::tui::view::origin::{Phase, TextOrigin};

/// A playground with a text and the options to read it with.
pub fn playground(options: &Options, text: &str, path: Option<PathBuf>) -> Transcript {
    let name = path.as_ref().map_or_else(|| "playground".to_owned(), |path| path.to_string_lossy().into_owned());
    let session = Session::new(Container::plain(), options);
    let origin = TextOrigin { name, phase: Phase::Ended, ..TextOrigin::default() };
    let mut state = Transcript::new(session, options.clone(), origin, (0, 0));
    state.view.editor = Some(Box::new(Playground::new(text, path)));
    state.view.layout.edits = true;
    state.view.layout.focus_on(PaneId::Raw);
    read(&mut state);
    declaration::show_given(&mut state);
    state
}

/// Opens a playground with the selected text.
pub(super) fn play(state: &Transcript) -> Effect {
    Effect::Go(Navigation::Play(selected_text(state)))
}

pub(super) fn typed(state: &mut Transcript, key: KeyEvent) {
    if state.view.is_declaring() {
        return declaration::typed(state, key);
    }
    let Some(editor) = &mut state.view.editor else { return };
    if editor.key(key) {
        read(state);
    } else {
        follow(state);
    }
}

pub(super) fn paste(state: &mut Transcript, text: &str) {
    if state.view.is_declaring() {
        return declaration::paste(state, text);
    }
    if let Some(editor) = &mut state.view.editor {
        editor.paste(text);
        read(state);
    }
}

pub(super) fn edit(state: &mut Transcript, edit: EditCommand) -> Option<Effect> {
    if state.view.is_declaring() {
        return declaration::edit(state, edit);
    }
    let span =
        state.view.editor.as_ref().and_then(|editor| editor.selection()).unwrap_or_else(|| state.view.selected_span());
    let editor = state.view.editor.as_mut()?;
    match edit {
        EditCommand::Undo if !editor.undo() => state.show_message("nothing to undo; ctrl-t suspends", Role::Dim),
        EditCommand::Redo if !editor.redo() => state.show_message("nothing to redo", Role::Dim),
        EditCommand::Undo | EditCommand::Redo => {
            // The message about the previous text is obsolete.
            state.chrome.message = None;
            read(state);
        }
        EditCommand::SelectAll => editor.select_all(),
        EditCommand::Copy => return Some(copy(state, span)),
        EditCommand::Cut => {
            let effect = editor.selection().map(|span| copy(state, span));
            if let Some(editor) = &mut state.view.editor
                && editor.cut()
            {
                read(state);
            }
            return effect;
        }
    }
    None
}

fn copy(state: &Transcript, span: Span) -> Effect {
    Effect::Run(Task::Copy(Copied::new("the selection", state.read(span))))
}

/// Moves the cursor to the selection made in another pane.
pub(super) fn bring_cursor(state: &mut Transcript) {
    let offset = state.view.selection.offset;
    if let Some(editor) = &mut state.view.editor {
        editor.go_to(offset);
    }
}

/// Replaces the text as a single undo step.
pub(super) fn put(state: &mut Transcript, text: &str) {
    if let Some(editor) = &mut state.view.editor {
        editor.put(text);
        read(state);
    }
}

pub(super) fn saved(state: &mut Transcript, text: String, path: PathBuf) {
    let words = format!("saved {}", size(text.len()));
    state.view.origin.name = path.to_string_lossy().into_owned();
    if let Some(editor) = &mut state.view.editor {
        editor.is_saved(text, path);
    }
    state.show_message(words, Role::Good);
}

/// Opens the text in the user's editor.
pub(super) fn write(state: &mut Transcript) -> Option<Effect> {
    if state.view.is_declaring() {
        return declaration::write(state);
    }
    let editor = state.view.editor.as_ref()?;
    let path = editor.path().map(Path::to_path_buf);
    Some(Effect::Run(Task::Write(EditorDraft { text: editor.text().to_owned(), path, is_saved: !editor.is_changed() })))
}

/// Handles the end of the user's editor.
pub(super) fn edited(state: &mut Transcript, edited: EditorOutcome) {
    if state.view.is_declaring() {
        return declaration::edited(state, edited);
    }
    let Some(editor) = &mut state.view.editor else { return };
    if let Some(path) = edited.path {
        editor.is_saved(edited.text.clone(), path);
    }
    if editor.text() == edited.text {
        return state.show_message("unchanged", Role::Dim);
    }
    put(state, &edited.text);
    state.show_message("loaded from the editor; ctrl-z undoes", Role::Good);
}

/// Loads the text after another program has written the file, unless unsaved changes would be lost.
pub(super) fn reload(state: &mut Transcript, text: &str) {
    let Some(editor) = &mut state.view.editor else { return };
    if editor.saved() == text || editor.text() == text {
        return;
    }
    if editor.is_changed() {
        return state.show_message("the file changed on disk and here: ctrl-s overwrites it", Role::Warning);
    }
    if let Some(path) = editor.path().map(Path::to_path_buf) {
        editor.is_saved(text.to_owned(), path);
    }
    put(state, text);
    state.show_message("reloaded: the file changed on disk; ctrl-z undoes", Role::Dim);
    arrival::restore_scroll(state);
}
