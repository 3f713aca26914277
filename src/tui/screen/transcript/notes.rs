//! Notes on the selection: writing and removing them, and marks to return to.
//!
//! A change is shown immediately and saved by an effect, together with earlier changes whose saving failed. Independent
//! of files.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::notes::sidecar::SavedNotes;
use crate::notes::{MAX_WORDS, Note, NoteEdit, NoteList};
use crate::text::sanitize::visible_str;

use crate::tui::message::{Effect, Task};
use crate::tui::prompt::PromptKind;
use crate::tui::row::count;
use crate::tui::screen::transcript::Transcript;
use crate::tui::style::Role;
use crate::tui::view::filter::FilteredItems;
use crate::tui::view::notes::NoteReceipt;

/// Message if notes cannot be made on the current text.
fn refusal(state: &Transcript) -> Option<String> {
    let view = &state.view;
    if view.editor.is_some() {
        return Some("a playground has no notes; save it, and open the file".into());
    }
    if state.replay.is_some() {
        return Some("a replay has no notes; [ returns to its file".into());
    }
    if view.ahead.is_some() {
        return Some("notes are available once the whole file is read".into());
    }
    view.notes.fault.clone()
}

/// Prompts for the text of the note on the selection, or of a new one.
pub(super) fn ask(state: &mut Transcript) {
    if let Some(words) = refusal(state) {
        return state.show_message(words, Role::Warning);
    }
    match state.view.selected_note() {
        Some(number) => edit(state, number),
        None => match new(state) {
            Some(note) => {
                // A note that was removed here can be restored.
                let item = state.view.selection.item;
                let is_this =
                    |(removed, of): &mut (Note, usize)| *of == item && removed.place.pointer == note.place.pointer;
                let removed = state.view.notes.removed.take_if(is_this);
                ask_for(state, removed.map_or(note.clone(), |(removed, _)| Note { place: note.place, ..removed }));
            }
            None => state.show_message("nothing is selected", Role::Dim),
        },
    }
}

/// Prompts for a new text of a note.
pub(super) fn edit(state: &mut Transcript, number: usize) {
    if let Some(words) = refusal(state) {
        return state.show_message(words, Role::Warning);
    }
    if let Some(note) = state.view.session.notes().notes().get(number).cloned() {
        ask_for(state, note);
    }
}

fn ask_for(state: &mut Transcript, note: Note) {
    state.chrome.ask(PromptKind::Note, &visible_str(&note.words));
    state.view.notes.draft = Some(note);
}

/// An empty note on the selection.
fn new(state: &Transcript) -> Option<Note> {
    let target = state.view.selection;
    state.view.session.note_place(target.item, target.offset, target.node).map(Note::new)
}

/// Handles the typed text of a note. An empty text makes a new note a bookmark, and removes an existing one.
pub(super) fn write(state: &mut Transcript, words: &str) -> Option<Effect> {
    let draft = state.view.notes.draft.take()?;
    if words.len() > MAX_WORDS {
        state
            .show_message(format!("a note has at most {MAX_WORDS} bytes; this one has {}", words.len()), Role::Warning);
        return None;
    }
    let is_there = state.view.session.notes().notes().iter().any(|note| note.id == draft.id);
    if words.is_empty() && is_there {
        return take_out(state, draft);
    }
    let done = if words.is_empty() { "bookmark set" } else { "note saved" };
    apply(state, NoteEdit::Put(Box::new(Note { words: words.to_owned(), ..draft })), receipt(done))
}

/// Removes the note on the selection.
pub(super) fn remove_selected(state: &mut Transcript) -> Option<Effect> {
    match state.view.selected_note() {
        Some(number) => remove(state, number),
        None => state.chrome.refuse("no note here; A writes one"),
    }
}

pub(super) fn remove(state: &mut Transcript, number: usize) -> Option<Effect> {
    if let Some(words) = refusal(state) {
        return state.chrome.refuse(words);
    }
    let note = state.view.session.notes().notes().get(number).cloned()?;
    take_out(state, note)
}

fn take_out(state: &mut Transcript, note: Note) -> Option<Effect> {
    let edit = NoteEdit::Remove(note.id.clone());
    let notes = state.view.session.notes();
    let number = notes.notes().iter().position(|other| other.id == note.id);
    let item = number.and_then(|number| notes.place(number)).map(|place| place.item);
    state.view.notes.removed = item.map(|item| (note, item));
    let receipt = NoteReceipt { preposition: "from", rest: "; A restores it", ..receipt("note removed") };
    apply(state, edit, receipt)
}

/// Sets a mark on the selection; the letter is taken from any other note.
pub(super) fn set_mark(state: &mut Transcript, letter: char) -> Option<Effect> {
    if let Some(words) = refusal(state) {
        return state.chrome.refuse(words);
    }
    let known = state.view.selected_note().and_then(|number| state.view.session.notes().notes().get(number).cloned());
    let Some(note) = known.or_else(|| new(state)) else { return state.chrome.refuse("nothing is selected") };
    let note = Note { letter: Some(letter), ..note };
    apply(state, NoteEdit::Put(Box::new(note)), receipt(format!("mark {letter} set")))
}

pub(super) fn go_to_mark(state: &mut Transcript, letter: char) {
    let notes = state.view.session.notes().notes();
    let Some(number) = notes.iter().position(|note| note.letter == Some(letter)) else {
        let letters: BTreeSet<String> = notes.iter().filter_map(|note| note.letter).map(String::from).collect();
        let known = if letters.is_empty() {
            format!("m {letter} sets it")
        } else {
            format!("there are {}", Vec::from_iter(letters).join(", "))
        };
        return state.show_message(format!("no mark {letter}; {known}"), Role::Dim);
    };
    match state.view.target_of_note(number) {
        Some(target) => {
            state.go_to(target);
            state.show_message(format!("mark {letter}"), Role::Dim);
        }
        None => state.show_message(format!("the place of mark {letter} was not found"), Role::Warning),
    }
}

fn receipt(done: impl Into<String>) -> NoteReceipt {
    NoteReceipt { done: done.into(), preposition: "in", rest: "" }
}

/// Applies an edit to the notes, and saves it if the text has a file.
fn apply(state: &mut Transcript, edit: NoteEdit, receipt: NoteReceipt) -> Option<Effect> {
    state.view.session.edit_notes(edit.clone());
    show(state);
    let Some(path) = state.view.origin.path.clone() else {
        state.show_message(
            format!("{}; notes are kept until you quit, since this is not a file", receipt.done),
            Role::Good,
        );
        return None;
    };
    state.view.notes.receipt = receipt;
    state.view.notes.unsaved.push(edit);
    Some(Effect::Run(Task::SaveNotes { path, edits: state.view.notes.unsaved.clone() }))
}

/// The notes were saved; `notes` is the whole contents of the sidecar, including changes by other programs.
pub(super) fn saved(state: &mut Transcript, SavedNotes { notes, path }: SavedNotes) {
    state.view.notes.unsaved.clear();
    state.view.session.set_notes(notes);
    state.view.session.find_notes();
    show(state);
    let NoteReceipt { done, preposition, rest } = std::mem::take(&mut state.view.notes.receipt);
    let folder = |path: &Path| path.parent().map(Path::to_path_buf);
    let is_beside = |path: &&PathBuf| folder(path) == state.view.origin.path.as_deref().and_then(folder);
    let words = match path.as_ref().map(|path| (path, is_beside(&path))) {
        Some((path, true)) => {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            format!("{done} {preposition} {name}{rest}")
        }
        Some((path, false)) => {
            format!("{done} {preposition} {}, since no file can be written next to this one{rest}", path.display())
        }
        None => format!("{done}{rest}"),
    };
    state.show_message(visible_str(&words), Role::Good);
}

/// Before a frame: after notes have changed, lays out their rows again and restarts a filter that depends on notes.
pub(super) fn prepare(state: &mut Transcript) {
    if state.view.session.notes().changes() != state.view.notes.seen {
        show(state);
    }
}

fn show(state: &mut Transcript) {
    state.view.notes.seen = state.view.session.notes().changes();
    state.view.cache.borrow_mut().forget_rows();
    let asks = state.view.filter.as_ref().filter(|filter| filter.filter().depends_on_notes());
    if let Some(filter) = asks.map(|filter| FilteredItems::new(filter.filter().clone(), filter.hides)) {
        state.view.filter = Some(filter);
        super::filter::advance(state);
    }
    state.reveal();
}

impl Transcript {
    /// Sets the notes that were read with the text, or reports why they could not be read.
    pub fn set_notes(&mut self, read: Result<NoteList, String>) {
        match read {
            Ok(notes) if notes.is_empty() => {}
            Ok(notes) => {
                self.show_message(format!("{} on this file; \" lists them", count(notes.len(), "note")), Role::Dim);
                self.view.session.set_notes(notes);
            }
            Err(words) => {
                self.log(words.clone(), Role::Warning);
                self.view.notes.fault = Some(words);
            }
        }
    }
}
