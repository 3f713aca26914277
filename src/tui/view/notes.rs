//! Notes on the text that is shown: those on the selection, and the target of each.

use crate::notes::{Note, NoteEdit};
use crate::value::{Assembly, NodeId, ROOT};

use crate::tui::row::{Piece, Target};
use crate::tui::style::Role;
use crate::tui::view::{View, start_of};

/// Marks an item with a note, and a note itself.
pub const SIGN: &str = "✎ ";

/// State of the notes on a text, in addition to the notes themselves.
#[derive(Clone, Debug, Default)]
pub struct NoteState {
    /// Why notes cannot be made, sanitised for display.
    pub fault: Option<String>,
    /// Edits since the last save.
    pub unsaved: Vec<NoteEdit>,
    /// The note whose text is being typed.
    pub draft: Option<Note>,
    /// The note that was removed last, and its item.
    pub removed: Option<(Note, usize)>,
    /// Message for the next successful save.
    pub receipt: NoteReceipt,
    /// Change counter of the notes when rows were last laid out.
    pub seen: usize,
}

/// The parts of a message about saved notes, around the name of their file.
#[derive(Clone, Debug, Default)]
pub struct NoteReceipt {
    /// Start: `note saved`.
    pub done: String,
    /// Before the file name: `in` or `from`.
    pub preposition: &'static str,
    /// After the file name, with its punctuation.
    pub rest: &'static str,
}

impl View {
    /// Path of the selected node in its call; `None` if the whole call is selected.
    pub fn selected_pointer(&self) -> Option<String> {
        let node = self.selection.node.filter(|&node| node != ROOT)?;
        let assembly = self.assembly(self.selection.item)?;
        (node < assembly.tree.len()).then(|| assembly.tree.path(node))
    }

    /// Number of the note on the selection: a call, a node in it, or a line of anything else.
    pub fn selected_note(&self) -> Option<usize> {
        let notes = self.session.notes();
        let on_item = notes.of_item(self.selection.item);
        if on_item.is_empty() {
            return None;
        }
        let pointer = self.selected_pointer();
        let line = |offset: usize| self.session.lines().around(self.session.text(), offset).0;
        let is_call = self.session.document().call(self.selection.item).is_some();
        let is_here = |number: &usize| {
            let (Some(note), Some(place)) = (notes.notes().get(*number), notes.place(*number)) else { return false };
            note.place.pointer == pointer && (is_call || line(place.offset) == line(self.selection.offset))
        };
        on_item.iter().copied().find(is_here)
    }

    /// The target of a note. `None` if its place no longer exists; the call if only the node is gone.
    pub fn target_of_note(&self, number: usize) -> Option<Target> {
        let notes = self.session.notes();
        let (note, place) = (notes.notes().get(number)?, notes.place(number)?);
        let whole = Target::new(place.item, place.offset);
        let Some(pointer) = &note.place.pointer else { return Some(whole) };
        let Some(assembly) = self.assembly(place.item) else { return Some(whole) };
        let Some(node) = node_at(&assembly, ROOT, pointer) else {
            return self.target_of_item(place.item);
        };
        Some(Target { node: Some(node), offset: start_of(&assembly, node).unwrap_or(place.offset), ..whole })
    }

    /// True if a node of a call has a note.
    pub fn notes_on_node(&self, item: usize, assembly: &Assembly, node: NodeId) -> bool {
        let notes = self.session.notes();
        let on_item = notes.of_item(item);
        !on_item.is_empty() && {
            let path = assembly.tree.path(node);
            let pointer = |&number: &usize| notes.notes().get(number)?.place.pointer.as_deref();
            on_item.iter().filter_map(pointer).any(|pointer| pointer == path)
        }
    }

    /// The mark for an item with a note. For a call, a note on its result counts as well.
    pub fn note_sign(&self, item: usize) -> Option<Piece> {
        let notes = self.session.notes();
        let answer = || self.session.document().answer_of(item);
        let is_noted = |item: usize| !notes.of_item(item).is_empty();
        (!notes.notes().is_empty() && (is_noted(item) || answer().is_some_and(is_noted)))
            .then(|| Piece::new(SIGN, Role::User))
    }
}

/// Text of a note in a row: its letter and its words.
pub fn words(note: &Note) -> String {
    match (note.letter, note.words.as_str()) {
        (None, "") => "bookmark".to_owned(),
        (None, words) => words.to_owned(),
        (Some(letter), "") => format!("mark {letter}"),
        (Some(letter), words) => format!("mark {letter}: {words}"),
    }
}

/// The node at a path relative to another one. Keys may contain slashes.
fn node_at(assembly: &Assembly, below: NodeId, path: &str) -> Option<NodeId> {
    let children = assembly.tree.node(below).value.children();
    children.iter().find_map(|&child| match path.strip_prefix(assembly.tree.node(child).key.as_str())? {
        "" => Some(child),
        rest => node_at(assembly, child, rest.strip_prefix('/')?),
    })
}
