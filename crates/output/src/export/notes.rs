//! Notes of the user: as a line with its location, for text formats, and as records of the JSON output.

use serde::Serialize;

use crate::notes::Note;
use crate::session::Session;
use crate::text::Walk;

/// Prefix of a note.
pub(super) const SIGN: char = '✎';

/// Title above notes whose place no longer exists.
pub(super) const LOST: &str = "Notes whose place was not found";

/// A note, unsanitized.
pub(super) struct NoteLine {
    /// Line of its place in the file, from 1; the former line if the place no longer exists.
    pub(super) line: usize,
    /// Column of its place, from 1; `None` if the place no longer exists.
    pub(super) column: Option<usize>,
    pub(super) words: String,
}

impl NoteLine {
    /// Location and text in the form of compiler messages: `12:1: checks twice`.
    pub(super) fn text(&self) -> String {
        let column = self.column.map(|column| format!(":{column}")).unwrap_or_default();
        format!("{}{column}: {}", self.line, self.words)
    }
}

/// The notes on an item, in order of their offsets.
pub(super) fn of_item(session: &Session, item: usize, walk: &mut Walk) -> Vec<NoteLine> {
    let notes = session.notes();
    let line = |&number: &usize| {
        let place = session.position_by(walk, notes.place(number)?.offset);
        let words = words(notes.notes().get(number)?);
        Some(NoteLine { line: place.line, column: Some(place.column), words })
    };
    notes.of_item(item).iter().filter_map(line).collect()
}

/// The notes whose place no longer exists, with a quote of it.
pub(super) fn lost(session: &Session) -> Vec<NoteLine> {
    let notes = session.notes();
    let lost = notes.notes().iter().enumerate().filter(|(number, _)| notes.place(*number).is_none());
    let line = |note: &Note| {
        let words = format!("{} (about: {})", words(note), note.place.quote);
        NoteLine { line: note.place.line, column: None, words }
    };
    lost.map(|(_, note)| line(note)).collect()
}

/// A note on one line: pointer, letter and text, if it has them.
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

/// A note of the user. Without an item if its place no longer exists.
#[derive(Serialize)]
pub(super) struct AnnotationRecord<'a> {
    id: &'a str,
    text: &'a str,
    letter: Option<char>,
    created: Option<&'a str>,
    item: Option<usize>,
    /// Pointer to the value of a call that the note is about.
    pointer: Option<&'a str>,
    /// Text offset that the note is about.
    offset: Option<usize>,
    /// Position in the file; the former line if the place no longer exists.
    line: usize,
    column: Option<usize>,
    /// True if the item has not changed since the note was made.
    exact: bool,
    quote: &'a str,
}

impl AnnotationRecord<'_> {
    /// True if its item exists and is in the output.
    pub(super) fn is_placed(&self) -> bool {
        self.item.is_some()
    }
}

/// The notes in text order; `number` maps items to their numbers in the output, if they are in it.
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
