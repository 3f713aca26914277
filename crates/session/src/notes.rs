//! Notes of a person on a transcript: words about an item, a node of a call or a line, and marks to come back to.
//!
//! A note is anchored to content ([`place`]), so that it is found again in a file that has grown, was downloaded again
//! or was redacted elsewhere; one whose place is gone is kept. They lie beside the transcript ([`sidecar`]), which is
//! never written to.

mod hash;
pub mod index;
pub mod place;
pub mod sidecar;
mod yaml;

use std::hash::{BuildHasher, RandomState};

pub use index::{FoundPlace, PlacedNotes};
pub use place::NotePlace;

/// Notes that one file may hold.
pub const MAX_NOTES: usize = 10_000;

/// Bytes of the words of a note at the most.
pub const MAX_WORDS: usize = 4096;

/// A note on a place of a transcript.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// What tells it from every other note, whoever made them.
    pub id: Box<str>,
    /// What the person wrote, on one line; nothing for a bookmark or a mark alone. It may come from a stranger.
    pub words: String,
    /// The letter of a mark, as in vim.
    pub letter: Option<char>,
    /// When it was made, in UTC (`2026-11-22T17:03:00Z`); nothing as long as it is not saved.
    pub made: Option<String>,
    /// What it is about, and how that is found again.
    pub place: NotePlace,
}

impl Note {
    /// A note without words on a place.
    pub fn new(place: NotePlace) -> Self {
        // The key of a hasher is random and another one each time.
        let id = format!("{:016x}", RandomState::new().hash_one(place.line));
        Self { id: id.into(), words: String::new(), letter: None, made: None, place }
    }

    /// Whether it says nothing and is no mark, so that it only tells the place.
    pub fn is_bookmark(&self) -> bool {
        self.words.is_empty() && self.letter.is_none()
    }
}

/// Whether a character may name a mark: a letter from `a` to `z`, large or small.
pub fn is_letter(c: char) -> bool {
    c.is_ascii_alphabetic()
}

/// Something that is done to a list of notes, so that others may have changed the list meanwhile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoteEdit {
    /// Adds a note, or puts it in the place of the one with its id. A letter is taken from the note that had it.
    Put(Box<Note>),
    /// Takes out the note with this id, if it is there.
    Remove(Box<str>),
}

/// The notes on a transcript, in the order in which they were made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NoteList(Vec<Note>);

impl NoteList {
    /// The notes that a sidecar's text says.
    ///
    /// # Errors
    /// It is no YAML, has an unknown key, is too large or of another version: in one line, with the place and a remedy.
    pub fn from_yaml(bytes: &[u8]) -> Result<Self, String> {
        yaml::parse(bytes).map(Self)
    }

    /// The text of a sidecar that says these notes; `name` is that of the transcript.
    pub fn to_yaml(&self, name: &str) -> String {
        yaml::write(&self.0, name)
    }

    /// All of them, in the order in which they were made.
    pub fn iter(&self) -> impl Iterator<Item = &Note> {
        self.0.iter()
    }

    /// Note number `number`, from 0.
    pub fn get(&self, number: usize) -> Option<&Note> {
        self.0.get(number)
    }

    /// Number of notes, lost ones included.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no note at all.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Does something to the list. A mark without words whose letter is taken is gone.
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
