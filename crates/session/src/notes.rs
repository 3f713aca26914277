//! The user's notes on a transcript: text on an item, on a node of a call or on a line, bookmarks, and marks to jump
//! to.
//!
//! A note is anchored to content ([`place`]), so that it is found again in a file that has grown, was downloaded again
//! or was redacted elsewhere; a note whose place is gone is kept. Notes are in a file next to the transcript
//! ([`sidecar`]), which itself is never written to.

mod hash;
pub mod index;
pub mod place;
pub mod sidecar;
mod yaml;

use std::hash::{BuildHasher, RandomState};

pub use index::{FoundPlace, PlacedNotes};
pub use place::NotePlace;

/// Most notes in a file.
pub(crate) const MAX_NOTES: usize = 10_000;

/// Most bytes of the text of a note.
pub const MAX_WORDS: usize = 4096;

/// A note on a place of a transcript.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// A random id, unique across files and programs.
    pub id: Box<str>,
    /// The text, on one line; empty for a bookmark or a mark without text. Untrusted: a sidecar may come from anyone.
    pub words: String,
    /// The letter of a mark, as in vim.
    pub letter: Option<char>,
    /// The time of creation in UTC (`2026-11-22T17:03:00Z`); `None` until it is saved.
    pub made: Option<String>,
    /// The place that it is about.
    pub place: NotePlace,
}

impl Note {
    /// A note without text on a place.
    pub fn new(place: NotePlace) -> Self {
        // The keys of the hasher are random and differ each time.
        let id = format!("{:016x}", RandomState::new().hash_one(place.line));
        Self { id: id.into(), words: String::new(), letter: None, made: None, place }
    }

    /// True if it has neither text nor letter, so that it only marks a place.
    pub fn is_bookmark(&self) -> bool {
        self.words.is_empty() && self.letter.is_none()
    }
}

/// True for the letters that can name a mark: `a` to `z` and `A` to `Z`.
pub(crate) fn is_letter(c: char) -> bool {
    c.is_ascii_alphabetic()
}

/// A change of a list of notes. It can be applied even if others have changed the list in the meantime.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoteEdit {
    /// Adds a note, or replaces the one with the same id. Its letter is removed from any other note.
    Put(Box<Note>),
    /// Removes the note with this id, if it exists.
    Remove(Box<str>),
}

/// The notes on a transcript, in creation order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NoteList(Vec<Note>);

impl NoteList {
    /// Parses the contents of a sidecar.
    ///
    /// # Errors
    /// It is not valid YAML, has an unknown key, is too large, or has another version: a one-line message with the
    /// place and a remedy.
    pub fn from_yaml(bytes: &[u8]) -> Result<Self, String> {
        yaml::parse(bytes).map(Self)
    }

    /// The contents of a sidecar with these notes; `name` is the transcript's name.
    pub fn to_yaml(&self, name: &str) -> String {
        yaml::write(&self.0, name)
    }

    /// The notes, in creation order.
    pub fn iter(&self) -> impl Iterator<Item = &Note> {
        self.0.iter()
    }

    /// The note with this index.
    pub fn get(&self, number: usize) -> Option<&Note> {
        self.0.get(number)
    }

    /// Number of notes, including lost ones.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// True if there are no notes.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Applies a change. A mark without text is removed when its letter is taken.
    pub fn apply(&mut self, edit: NoteEdit) {
        match edit {
            NoteEdit::Remove(id) => self.0.retain(|note| note.id != id),
            NoteEdit::Put(new) => {
                let loses_letter = |note: &Note| note.id != new.id && new.letter.is_some() && note.letter == new.letter;
                self.0.retain(|note| !(loses_letter(note) && note.words.is_empty()));
                self.0.iter_mut().filter(|note| loses_letter(note)).for_each(|note| note.letter = None);
                match self.0.iter_mut().find(|note| note.id == new.id) {
                    Some(before) => *before = *new,
                    None => self.0.push(*new),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
