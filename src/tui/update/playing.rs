//! The playground: what is typed is read at once, and the panes stay at the cursor.
//!
//! This module does not know files or keys.

use crate::tui::action::Edit;
use std::path::{Path, PathBuf};

use crate::container::Container;
use crate::dialect::Options;
use crate::session::Session;
use crate::text::Span;

use crate::tui::layout::Pane;
use crate::tui::message::EditorDraft;
use crate::tui::message::EditorOutcome;
use crate::tui::message::{Effect, Navigation, Task};
use crate::tui::origin::Origin;
use crate::tui::origin::Phase;
use crate::tui::playground::{Key, Playground, Typed};
use crate::tui::rows::Target;
use crate::tui::state::State;
use crate::tui::style::Role;
use crate::tui::update::arriving;
use crate::tui::update::moving;
use crate::tui::update::tell;

/// A playground with a text that is read with these options; none if they name a dialect that there is not.
pub fn playground(options: &Options, text: &str, path: Option<PathBuf>) -> Option<State> {
    let name = path.as_ref().map_or_else(|| "playground".to_owned(), |path| path.to_string_lossy().into_owned());
    let session = Session::new(Container::plain(), options).ok()?;
    let origin = Origin { name, phase: Phase::Ended, ..Origin::default() };
    let mut state = State::new(session, options.clone(), origin, (0, 0));
    state.editor = Some(Box::new(Playground::new(text, path)));
    state.focus = Pane::Raw;
    read(&mut state);
    Some(state)
}

/// The text of what is selected, to be played with.
pub(super) fn play(state: &State) -> Effect {
    let span = state.session.document().items().span(state.selection.item).unwrap_or_default();
    Navigation::Play(state.session.text().read_str(span).into_owned()).into()
}

/// A key is typed.
pub(super) fn typed(state: &mut State, key: Key) {
    let Some(editor) = &mut state.editor else { return };
    match editor.key(key) {
        Typed::Changed => read(state),
        Typed::Moved => follow(state),
    }
}

/// A text is pasted.
pub(super) fn paste(state: &mut State, text: &str) {
    if let Some(editor) = &mut state.editor {
        editor.paste(text);
        read(state);
    }
}

pub(super) fn edit(state: &mut State, edit: Edit) -> Option<Effect> {
    let span = state.editor.as_ref().and_then(|editor| editor.selection()).unwrap_or_else(|| state.selected_span());
    let editor = state.editor.as_mut()?;
    match edit {
        Edit::Undo if !editor.undo() => tell(state, "nothing to undo; ctrl-t leads to the shell", Role::Dim),
        Edit::Redo if !editor.redo() => tell(state, "nothing to redo", Role::Dim),
        Edit::Undo | Edit::Redo => {
            // What it said of the text is no longer so.
            state.message = None;
            read(state);
        }
        Edit::SelectAll => editor.select_all(),
        Edit::Copy => return Some(copy(state, span)),
        Edit::Cut => {
            let effect = editor.selection().map(|span| copy(state, span));
            if let Some(editor) = &mut state.editor
                && editor.cut()
            {
                read(state);
            }
            return effect;
        }
    }
    None
}

fn copy(state: &State, span: Span) -> Effect {
    Task::Copy { what: "the selection".into(), text: state.session.text().read_str(span).into_owned() }.into()
}

/// Reads the text anew, with what it is read with now, and goes to the cursor.
pub(super) fn read(state: &mut State) {
    let Some(editor) = &state.editor else { return };
    let Ok(mut session) = Session::new(Container::plain(), &state.options) else { return };
    session.push(editor.text().as_bytes());
    session.finish();
    state.session = session;
    state.rereading = None;
    state.so_far.clear();
    state.offer = None;
    state.search = None;
    {
        let mut cache = state.cache.borrow_mut();
        cache.forget_all();
        cache.forget_graph();
    }
    state.widen_gutter();
    follow(state);
}

/// Selects what is at the cursor.
pub(super) fn follow(state: &mut State) {
    let Some(offset) = state.editor.as_ref().map(|editor| editor.offset()) else { return };
    let target = if state.session.text().is_empty() { Target::default() } else { state.target_at(offset) };
    moving::select(state, target);
}

/// The cursor goes to what was selected while the text is typed.
pub(super) fn bring_cursor(state: &mut State) {
    let offset = state.selection.offset;
    if let Some(editor) = &mut state.editor {
        editor.go_to(offset);
    }
}

/// After anything else: the cursor goes where something else was selected.
pub(super) fn keep(state: &mut State) {
    if state.focus != Pane::Raw || state.help.is_some() {
        bring_cursor(state);
    }
}

/// Another text stands here, in one step.
pub(super) fn put(state: &mut State, text: &str) {
    if let Some(editor) = &mut state.editor {
        editor.put(text);
        read(state);
    }
}

/// The file was saved, or could not be.
pub(super) fn saved(state: &mut State, text: String, path: PathBuf, outcome: Result<(), String>) {
    match outcome {
        Ok(()) => {
            let words = format!("saved {}", crate::tui::rows::size(text.len()));
            state.origin.name = path.to_string_lossy().into_owned();
            if let Some(editor) = &mut state.editor {
                editor.is_saved(text, path);
            }
            tell(state, words, Role::Good);
        }
        Err(words) => tell(state, words, Role::Error),
    }
}

/// The text is given to the person's editor.
pub(super) fn write(state: &mut State) -> Option<Effect> {
    let editor = state.editor.as_ref()?;
    let path = editor.path().map(Path::to_path_buf);
    Some(Task::Write(EditorDraft { text: editor.text().to_owned(), path, is_saved: !editor.is_changed() }).into())
}

/// The person's editor has ended.
pub(super) fn edited(state: &mut State, outcome: Result<EditorOutcome, String>) {
    let edited = match outcome {
        Ok(edited) => edited,
        Err(words) => return tell(state, words, Role::Error),
    };
    let Some(editor) = &mut state.editor else { return };
    if let Some(path) = edited.path {
        editor.is_saved(edited.text.clone(), path);
    }
    if editor.text() == edited.text {
        return tell(state, "the text is as it was", Role::Dim);
    }
    put(state, &edited.text);
    tell(state, "the text is as the editor left it; ctrl-z undoes", Role::Good);
}

/// Another program has written the file: its text is read, unless there is something to lose.
pub(super) fn reload(state: &mut State, text: &str) {
    let Some(editor) = &mut state.editor else { return };
    if editor.saved() == text || editor.text() == text {
        return;
    }
    if editor.is_changed() {
        return tell(state, "changed here and in the file: ctrl-s overwrites the file", Role::Warning);
    }
    if let Some(path) = editor.path().map(Path::to_path_buf) {
        editor.is_saved(text.to_owned(), path);
    }
    put(state, text);
    tell(state, "the file was changed elsewhere and read again; ctrl-z undoes", Role::Dim);
    arriving::release(state);
}
