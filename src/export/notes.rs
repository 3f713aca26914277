//! Notes of a person: as every form for people has them, in a line with their place, and as records of the JSON output.

use serde::Serialize;

use crate::notes::Note;
use crate::session::Session;
use crate::text::Walk;

/// Stands in front of a note.
pub(super) const SIGN: char = '✎';

/// The title above the notes whose place is gone.
pub(super) const LOST: &str = "Notes whose place was not found";

/// A note, as it is in its file: not safe to show.
pub(super) struct NoteLine {
    /// Where what it is about begins in the file, from 1; where it was, if that is gone.
    pub(super) line: usize,
    /// The column there, from 1; nothing if it is gone.
    pub(super) column: Option<usize>,
    pub(super) words: String,
}

impl NoteLine {
    /// Its place as a compiler writes it, and its words: `12:1: checks twice`.
    pub(super) fn text(&self) -> String {
        let column = self.column.map(|column| format!(":{column}")).unwrap_or_default();
        format!("{}{column}: {}", self.line, self.words)
    }
}

/// The notes on an item, by their places in it.
pub(super) fn of_item(session: &Session, item: usize, walk: &mut Walk) -> Vec<NoteLine> {
    let notes = session.notes();
    let line = |&number: &usize| {
        let place = session.position_by(walk, notes.place(number)?.offset);
        let words = words(notes.notes().get(number)?);
        Some(NoteLine { line: place.line, column: Some(place.column), words })
    };
    notes.of_item(item).iter().filter_map(line).collect()
}

/// The notes whose place is gone, with what was there.
pub(super) fn lost(session: &Session) -> Vec<NoteLine> {
    let notes = session.notes();
    let lost = notes.notes().iter().enumerate().filter(|(number, _)| notes.place(*number).is_none());
    let line = |note: &Note| {
        let words = format!("{} (it was about: {})", words(note), note.place.quote);
        NoteLine { line: note.place.line, column: None, words }
    };
    lost.map(|(_, note)| line(note)).collect()
}

/// What a note says in a line: the node and the letter that it has, and its words.
fn words(note: &Note) -> String {
    let mark = note.letter.map(|letter| format!("mark {letter}"));
    let words = Some(note.words.clone()).filter(|words| !words.is_empty());
    let said: Vec<String> = note.place.pointer.iter().cloned().chain(mark).chain(words).collect();
    match (note.is_bookmark(), said.as_slice()) {
        (false, said) => said.join(": "),
        (true, []) => "bookmark".to_owned(),
        (true, said) => format!("{}: bookmark", said.join(": ")),
    }
}

/// A note of a person. Where its place is gone there is no item.
#[derive(Serialize)]
pub(super) struct AnnotationRecord<'a> {
    id: &'a str,
    text: &'a str,
    letter: Option<char>,
    created: Option<&'a str>,
    item: Option<usize>,
    /// The path of the node of a call that it is about.
    pointer: Option<&'a str>,
    /// The byte of the text that it is about.
    offset: Option<usize>,
    /// Where that is in the file; where it was, if it is gone.
    line: usize,
    column: Option<usize>,
    /// Whether the item is what it was when the note was made.
    exact: bool,
    quote: &'a str,
}

impl AnnotationRecord<'_> {
    /// Whether its item is there, and among those that are written.
    pub(super) fn is_placed(&self) -> bool {
        self.item.is_some()
    }
}

/// The notes, by their places; `number` gives the number that an item has where it is written, if it is.
pub(super) fn annotations(
    session: &Session,
    number: impl Fn(usize) -> Option<usize>,
) -> impl Iterator<Item = AnnotationRecord<'_>> {
    let notes = session.notes();
    let mut walk = Walk::default();
    notes.in_order().into_iter().filter_map(move |index| {
        let (note, place) = (notes.notes().get(index)?, notes.place(index));
        let position = place.map(|place| session.position_by(&mut walk, place.offset));
        Some(AnnotationRecord {
            id: &note.id,
            text: &note.words,
            letter: note.letter,
            created: note.made.as_deref(),
            item: place.and_then(|place| number(place.item)),
            pointer: note.place.pointer.as_deref(),
            offset: place.map(|place| place.offset),
            line: position.map_or(note.place.line, |position| position.line),
            column: position.map(|position| position.column),
            exact: place.is_some_and(|place| place.is_exact),
            quote: &note.place.quote,
        })
    })
}
