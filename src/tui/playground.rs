//! An editable text: its content, the cursor, the undo history, and its file.
//!
//! The text area widget manages cursor and selection and handles editing keys. It is never drawn, since the raw pane
//! draws the text, and its undo is not used, since a change by another program must be a single undo step. Offsets are
//! bytes of the whole text.

mod history;

use std::path::{Path, PathBuf};

use crossterm::event::KeyEvent;
use ratatui_textarea::{CursorMove, TextArea};

use crate::text::Span;

use history::{Change, History};

/// An editable text.
pub struct Playground {
    area: TextArea<'static>,
    /// The lines of the area, joined.
    text: String,
    history: History,
    /// The file of the text.
    path: Option<PathBuf>,
    /// The content of the file.
    saved: String,
}

impl Playground {
    /// An editable text, with its file if it has one.
    pub fn new(text: &str, path: Option<PathBuf>) -> Self {
        // A text without a file is unsaved, but nothing can be lost before it is changed.
        Self { area: area(text, 0), text: text.to_owned(), history: History::default(), path, saved: text.to_owned() }
    }

    /// The whole text, with line feeds between its lines.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The file of the text.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// True if the text was changed since it was opened or saved.
    pub fn is_changed(&self) -> bool {
        self.text != self.saved
    }

    /// The content of the file when it was opened or saved last.
    pub fn saved(&self) -> &str {
        &self.saved
    }

    /// Records that the text was saved to a file, which becomes its own.
    pub fn is_saved(&mut self, text: String, path: PathBuf) {
        self.saved = text;
        self.path = Some(path);
    }

    /// Offset of the cursor in the whole text, in bytes.
    pub fn offset(&self) -> usize {
        let cursor = self.area.cursor();
        self.offset_of(cursor.0, cursor.1)
    }

    /// The selected span, if anything is selected.
    pub fn selection(&self) -> Option<Span> {
        let ((first_row, first), (last_row, last)) = self.area.selection_range()?;
        let span = Span::new(self.offset_of(first_row, first), self.offset_of(last_row, last));
        (!span.is_empty()).then_some(span)
    }

    /// Moves the cursor to an offset, or to the start of the character that contains it.
    pub fn go_to(&mut self, offset: usize) {
        if offset == self.offset() {
            return;
        }
        self.area.cancel_selection();
        let (row, column) = place(&self.text, offset);
        // The widget's jump takes 16-bit rows and columns.
        match (u16::try_from(row), u16::try_from(column)) {
            (Ok(row), Ok(column)) => self.area.move_cursor(CursorMove::Jump(row, column)),
            _ => self.lay_out(offset),
        }
    }

    /// Handles a key. True if the text has changed, not just the cursor or the selection.
    pub fn key(&mut self, key: KeyEvent) -> bool {
        self.change(|area| area.input(key))
    }

    /// Inserts a text as one change, replacing the selection.
    pub fn paste(&mut self, text: &str) {
        // Terminals paste a carriage return for a line end.
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        self.change(|area| area.insert_str(text));
    }

    /// Cuts the selection; true if anything was selected.
    pub fn cut(&mut self) -> bool {
        self.change(TextArea::cut)
    }

    /// Replaces the text as one undo step. The cursor stays at the same characters.
    pub fn put(&mut self, text: &str) {
        let cursor = self.offset();
        let Some(change) = Change::between(&self.text, text, usize::MAX) else { return };
        let cursor = change.carry(cursor);
        text.clone_into(&mut self.text);
        self.history.push(change);
        self.lay_out(cursor);
    }

    /// Undoes the last change; true if there was one.
    pub fn undo(&mut self) -> bool {
        let cursor = self.history.undo(&mut self.text);
        cursor.map(|cursor| self.lay_out(cursor)).is_some()
    }

    /// Redoes the last undone change; true if there was one.
    pub fn redo(&mut self) -> bool {
        let cursor = self.history.redo(&mut self.text);
        cursor.map(|cursor| self.lay_out(cursor)).is_some()
    }

    /// Selects the whole text.
    pub fn select_all(&mut self) {
        self.area.cancel_selection();
        for end in [[CursorMove::Top, CursorMove::Head], [CursorMove::Bottom, CursorMove::End]] {
            for to in end {
                self.area.move_cursor(to);
            }
            if !self.area.is_selecting() {
                self.area.start_selection();
            }
        }
    }

    /// Runs an operation of the widget and records the change. True if the text has changed.
    fn change(&mut self, make: impl FnOnce(&mut TextArea<'static>) -> bool) -> bool {
        let cursor = self.offset();
        if !make(&mut self.area) {
            return false;
        }
        let text = self.area.lines().join("\n");
        let cursor = cursor.min(self.offset());
        let Some(change) = Change::between(&self.text, &text, cursor) else { return false };
        self.text = text;
        self.history.push(change);
        true
    }

    /// Recreates the widget for the text, with the cursor at an offset.
    fn lay_out(&mut self, cursor: usize) {
        let cut = self.area.yank_text();
        self.area = area(&self.text, cursor);
        self.area.set_yank_text(cut);
    }

    /// The byte offset of the character `column` of a row.
    fn offset_of(&self, row: usize, column: usize) -> usize {
        let lines = self.area.lines();
        let before: usize = lines.iter().take(row).map(|line| line.len() + 1).sum();
        let line = lines.get(row).map_or("", String::as_str);
        before + line.char_indices().nth(column).map_or(line.len(), |(at, _)| at)
    }
}

/// Row and column, in characters, of the character that contains an offset.
fn place(text: &str, offset: usize) -> (usize, usize) {
    let before = &text[..text.floor_char_boundary(offset)];
    let start = memchr::memrchr(b'\n', before.as_bytes()).map_or(0, |at| at + 1);
    (memchr::memchr_iter(b'\n', before.as_bytes()).count(), before[start..].chars().count())
}

/// A widget with a text and its cursor at an offset, even beyond the 16-bit limit of jumps.
fn area(text: &str, cursor: usize) -> TextArea<'static> {
    let cursor = text.floor_char_boundary(cursor);
    let start = memchr::memrchr(b'\n', &text.as_bytes()[..cursor]).map_or(0, |at| at + 1);
    let mut lines: Vec<String> = text[..start].split('\n').map(str::to_owned).collect();
    let row = lines.len() - 1;
    lines.pop();
    lines.extend(text[cursor..].split('\n').map(str::to_owned));
    let mut area = TextArea::new(lines);
    area.set_max_histories(0);
    area.move_cursor(CursorMove::Jump(u16::try_from(row).unwrap_or(u16::MAX), 0));
    for _ in usize::from(u16::MAX)..row {
        area.move_cursor(CursorMove::Down);
    }
    // Inserting the line up to the cursor leaves the cursor after it. The widget strips one carriage return from the
    // end.
    let mut before = text[start..cursor].to_owned();
    if before.ends_with('\r') {
        before.push('\r');
    }
    area.insert_str(before);
    area
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_are_those_of_the_text_whatever_is_in_it() {
        let many = format!("{}\nä\r\nlast", "\n".repeat(70_000));
        let long = format!("one\n{}€{}\r\rx\nlast", "a".repeat(70_000), "b".repeat(10));
        for text in ["", "ä€\n\nthird\r\n", &many, &long] {
            let mut playground = Playground::new(text, None);
            let near = |at: &usize| text.is_char_boundary(*at) && (*at < 20 || at + 40 > text.len());
            for offset in (0..=text.len()).filter(near).chain((0..=text.len()).rev().filter(near)) {
                playground.go_to(offset);
                assert_eq!(playground.offset(), offset);
            }
            assert_eq!(playground.area.lines().join("\n"), text);
            playground.select_all();
            assert_eq!(playground.selection().unwrap_or_default(), Span::new(0, text.len()));
        }
    }

    #[test]
    fn what_another_program_has_made_of_a_text_is_one_step_and_leaves_the_cursor() {
        let mut playground = Playground::new("one\r\ntwo\r\nthree", None);
        playground.go_to(12);
        playground.put("ONE\r\nand a half\r\ntwo\r\nthree");
        assert_eq!(&playground.text()[playground.offset()..], "ree");
        assert_eq!(playground.area.lines().join("\n"), playground.text());
        assert!(playground.is_changed() && playground.undo());
        assert_eq!((playground.text(), playground.is_changed()), ("one\r\ntwo\r\nthree", false));
        assert!(!playground.undo() && playground.redo() && !playground.redo());
        assert_eq!(playground.text(), "ONE\r\nand a half\r\ntwo\r\nthree");
    }

    #[test]
    fn whatever_is_done_is_undone_step_by_step() {
        let mut playground = Playground::new("aaa\nbbb", None);
        playground.go_to(1);
        playground.paste("a\r\nä");
        playground.select_all();
        assert!(playground.cut());
        playground.paste("new");
        assert_eq!(playground.text(), "new");
        let steps = ["", "aa\näaa\nbbb", "aaa\nbbb"];
        for step in steps {
            assert!(playground.undo());
            assert_eq!((playground.text(), playground.area.lines().join("\n").as_str()), (step, step));
        }
        assert_eq!(playground.offset(), 1);
        assert!(!playground.undo());
    }
}
