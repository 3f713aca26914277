//! The user's notes on a transcript: where they are in the text so far, and edits of them.

use super::Session;
use crate::notes::{NoteEdit, NoteList, NotePlace, PlacedNotes};
use crate::value::{NodeId, ROOT};

impl Session {
    /// The notes on this transcript, with their positions.
    pub fn notes(&self) -> &PlacedNotes {
        &self.notes
    }

    /// Replaces the notes on this transcript. They are located as the text arrives; [`Session::find_notes`] searches
    /// the text that has already arrived.
    pub fn set_notes(&mut self, notes: NoteList) {
        self.notes.replace(notes, &self.document, &self.text);
    }

    /// Applies an edit to the notes.
    pub fn edit_notes(&mut self, edit: NoteEdit) {
        self.notes.apply(edit, &self.document, &self.text);
    }

    /// Searches part of the text that has arrived for notes that are not located yet. True if there is more to do.
    pub fn find_notes(&mut self) -> bool {
        self.notes.advance(&self.document, &self.text, self.finished)
    }

    /// An anchor for the byte at `offset` in an item, or for a node of a call; `None` if the item does not exist.
    pub fn note_place(&self, item: usize, offset: usize, node: Option<NodeId>) -> Option<NotePlace> {
        let node = node.filter(|&node| node != ROOT).and_then(|node| Some((node, self.dissect(item)?)));
        let pointer = node.filter(|(node, assembly)| *node < assembly.tree.len());
        let pointer = pointer.map(|(node, assembly)| assembly.tree.path(node));
        NotePlace::new((&self.document, &self.text), item, offset, pointer, self.position(offset).line)
    }
}
