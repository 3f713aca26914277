//! The notes on what is shown: which of them are about what is selected, and where each of them leads.

use crate::notes::{Note, NoteEdit};
use crate::value::{Assembly, NodeId, ROOT};

use crate::tui::row::{Piece, Target};
use crate::tui::style::Role;
use crate::tui::view::{View, start_of};

/// Stands in front of what has a note, and of a note itself.
pub const SIGN: &str = "✎ ";

/// What becomes of the notes on a text, beside the notes themselves.
#[derive(Clone, Debug, Default)]
pub struct NoteState {
    /// Why none can be made, if that is so; safe to show.
    pub fault: Option<String>,
    /// What was done to them since they were saved last.
    pub unsaved: Vec<NoteEdit>,
    /// The note whose words are being typed.
    pub draft: Option<Note>,
    /// The note that was removed last, and the item that it was about.
    pub removed: Option<(Note, usize)>,
    /// What is said when the notes are saved.
    pub receipt: NoteReceipt,
    /// How often the notes had changed when rows were laid out.
    pub seen: usize,
}

/// What was done to the notes, in words around the name of their file.
#[derive(Clone, Debug, Default)]
pub struct NoteReceipt {
    /// In front of it: `note saved`.
    pub done: String,
    /// What leads to it: `in` or `from`.
    pub preposition: &'static str,
    /// Behind it, with the punctuation in front.
    pub rest: &'static str,
}

impl View {
    /// The path of the node that is selected in a call.
    pub fn selected_pointer(&self) -> Option<String> {
        let node = self.selection.node.filter(|&node| node != ROOT)?;
        let assembly = self.assembly(self.selection.item)?;
        (node < assembly.tree.len()).then(|| assembly.tree.path(node))
    }

    /// Number of the note on what is selected: a call, a node of it, or a line of anything else.
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

    /// What note number `number` leads to; nothing where its place is gone. Where only its node is gone it is the call.
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

    /// Whether a node of a call has a note.
    pub fn notes_on_node(&self, item: usize, assembly: &Assembly, node: NodeId) -> bool {
        let notes = self.session.notes();
        let on_item = notes.of_item(item);
        !on_item.is_empty() && {
            let path = assembly.tree.path(node);
            let pointer = |&number: &usize| notes.notes().get(number)?.place.pointer.as_deref();
            on_item.iter().filter_map(pointer).any(|pointer| pointer == path)
        }
    }

    /// The sign in front of an item that has a note, of a call also where its result has one.
    pub fn note_sign(&self, item: usize) -> Option<Piece> {
        let notes = self.session.notes();
        let answer = || self.session.document().answer_of(item);
        let is_noted = |item: usize| !notes.of_item(item).is_empty();
        (!notes.notes().is_empty() && (is_noted(item) || answer().is_some_and(is_noted)))
            .then(|| Piece::new(SIGN, Role::User))
    }
}

/// What a note says in a row: its letter and its words.
pub fn words(note: &Note) -> String {
    match (note.letter, note.words.as_str()) {
        (None, "") => "bookmark".to_owned(),
        (None, words) => words.to_owned(),
        (Some(letter), "") => format!("mark {letter}"),
        (Some(letter), words) => format!("mark {letter}: {words}"),
    }
}

/// The node at a path below another one. A key may hold a slash.
fn node_at(assembly: &Assembly, below: NodeId, path: &str) -> Option<NodeId> {
    let children = assembly.tree.node(below).value.children();
    children.iter().find_map(|&child| match path.strip_prefix(assembly.tree.node(child).key.as_str())? {
        "" => Some(child),
        rest => node_at(assembly, child, rest.strip_prefix('/')?),
    })
}
