//! A text that is written here: what is typed, the cursor, and where it is saved.
//!
//! The widget of the text area keeps lines, cursor, selection and what can be undone; it is never drawn, since the raw
//! pane draws the text. Offsets are bytes of the whole text. This module does not know what the text means.

use std::ops::Range;
use std::path::PathBuf;

use crossterm::event::KeyEvent;
use ratatui_textarea::{CursorMove, TextArea};

use crate::text::Span;

/// A key as the terminal gives it.
pub type Key = KeyEvent;

/// Changes that can be undone.
const HISTORY: usize = 10_000;

/// A text that is being written.
pub struct Playground {
    area: TextArea<'static>,
    /// The file it belongs to.
    pub path: Option<PathBuf>,
    /// What the file holds.
    saved: String,
}

/// What a key has done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Typed {
    /// The text is another one.
    Changed,
    /// The cursor or the selection is elsewhere.
    Moved,
}

impl Playground {
    /// A text of a file, or of none.
    pub fn new(text: &str, path: Option<PathBuf>) -> Self {
        let mut area = TextArea::new(text.split('\n').map(str::to_owned).collect());
        area.set_max_histories(HISTORY);
        // A text without a file has not been saved anywhere, but there is nothing to lose before it is changed.
        Self { area, path, saved: text.to_owned() }
    }

    /// The whole text.
    pub fn text(&self) -> String {
        self.area.lines().join("\n")
    }

    /// Whether it is not what was opened or saved last.
    pub fn is_changed(&self) -> bool {
        self.text() != self.saved
    }

    /// What the file held when it was opened or saved last.
    pub fn saved(&self) -> &str {
        &self.saved
    }

    /// The file holds this text now.
    pub fn is_saved(&mut self, text: String, path: PathBuf) {
        self.saved = text;
        self.path = Some(path);
    }

    /// Where the cursor is.
    pub fn offset(&self) -> usize {
        let cursor = self.area.cursor();
        self.offset_of(cursor.0, cursor.1)
    }

    /// What is selected, if anything is.
    pub fn selection(&self) -> Option<Span> {
        let ((first_row, first), (last_row, last)) = self.area.selection_range()?;
        let span = Span::new(self.offset_of(first_row, first), self.offset_of(last_row, last));
        (!span.is_empty()).then_some(span)
    }

    /// Puts the cursor at an offset.
    pub fn go_to(&mut self, offset: usize) {
        if offset != self.offset() {
            self.area.cancel_selection();
            self.jump(offset);
        }
    }

    /// A key is pressed.
    pub fn key(&mut self, key: Key) -> Typed {
        if self.area.input(key) { Typed::Changed } else { Typed::Moved }
    }

    /// A text comes in at once, in the place of what is selected.
    pub fn paste(&mut self, text: &str) {
        // Terminals paste a carriage return for the end of a line.
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        self.area.insert_str(text);
    }

    /// Another text stands in the place of a stretch; one step to undo.
    pub fn replace(&mut self, range: Range<usize>, with: &str) {
        self.area.cancel_selection();
        self.jump(range.start);
        if !range.is_empty() {
            self.area.start_selection();
            self.jump(range.end);
            if with.is_empty() {
                self.area.delete_next_char();
                return;
            }
        }
        self.area.insert_str(with);
    }

    /// Takes back the last change; whether there was one.
    pub fn undo(&mut self) -> bool {
        self.area.undo()
    }

    /// Makes it again; whether there was one.
    pub fn redo(&mut self) -> bool {
        self.area.redo()
    }

    /// Selects everything.
    pub fn select_all(&mut self) {
        self.area.select_all();
    }

    /// Takes out what is selected.
    pub fn cut(&mut self) -> bool {
        self.area.cut()
    }

    /// The byte in front of which the character `column` of a row stands.
    fn offset_of(&self, row: usize, column: usize) -> usize {
        let lines = self.area.lines();
        let before: usize = lines.iter().take(row).map(|line| line.len() + 1).sum();
        let line = lines.get(row).map_or("", String::as_str);
        before + line.char_indices().nth(column).map_or(line.len(), |(at, _)| at)
    }

    fn jump(&mut self, offset: usize) {
        let (mut row, mut start) = (0, 0);
        let lines = self.area.lines();
        while let Some(line) = lines.get(row).filter(|line| row + 1 < lines.len() && start + line.len() < offset) {
            start += line.len() + 1;
            row += 1;
        }
        let line = lines.get(row).map_or("", String::as_str);
        let column = line.char_indices().take_while(|(at, _)| start + at < offset).count();
        // The widget counts rows and columns in 16 bits when it jumps.
        let small = |number: usize| u16::try_from(number).unwrap_or(u16::MAX);
        self.area.move_cursor(CursorMove::Jump(small(row), small(column)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_are_those_of_the_text_whatever_is_in_it() {
        let text = "ä€\n\nthird\r\n";
        let mut playground = Playground::new(text, None);
        for offset in (0..=text.len()).filter(|&at| text.is_char_boundary(at)) {
            playground.go_to(offset);
            assert_eq!(playground.offset(), offset);
        }
        assert_eq!(playground.text(), text);
    }

    #[test]
    fn a_stretch_is_replaced_in_one_step() {
        let mut playground = Playground::new("one\ntwo\nthree", None);
        playground.replace(2..5, "ly t");
        assert_eq!(playground.text(), "only two\nthree");
        assert!(playground.is_changed());
        while playground.undo() {}
        assert_eq!(playground.text(), "one\ntwo\nthree");
        playground.replace(3..4, "");
        assert_eq!(playground.text(), "onetwo\nthree");
    }
}
