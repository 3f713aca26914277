//! What a person noted on a transcript: where it is in what has come, and what somebody does to it.

use super::Session;
use crate::notes::{NoteEdit, NoteList, NotePlace, PlacedNotes};
use crate::value::{NodeId, ROOT};

impl Session {
    /// The notes on this transcript, and where each of them is.
    pub fn notes(&self) -> &PlacedNotes {
        &self.notes
    }

    /// Notes on this transcript in the place of those that it has; they are found as it is read, and what has been read
    /// already is looked through by [`Session::find_notes`].
    pub fn set_notes(&mut self, notes: NoteList) {
        self.notes.replace(notes, &self.document, &self.text);
    }

    /// Does something to the notes.
    pub fn edit_notes(&mut self, edit: NoteEdit) {
        self.notes.apply(edit, &self.document, &self.text);
    }

    /// Looks through a part of what has been read and was not looked through for notes. Whether there is more to do.
    pub fn find_notes(&mut self) -> bool {
        self.notes.advance(&self.document, &self.text, self.finished)
    }

    /// How a place is found again: the byte at `offset` in an item, or a node of a call. Nothing where there is no such
    /// item.
    pub fn note_place(&self, item: usize, offset: usize, node: Option<NodeId>) -> Option<NotePlace> {
        let node = node.filter(|&node| node != ROOT).and_then(|node| Some((node, self.dissect(item)?)));
        let pointer = node.filter(|(node, assembly)| *node < assembly.tree.len());
        let pointer = pointer.map(|(node, assembly)| assembly.tree.path(node));
        NotePlace::new((&self.document, &self.text), item, offset, pointer, self.position(offset).line)
    }
}
