//! What is drawn in more than one place: rows, lines of words, borders, help.
//!
//! Everything here draws what it is given and changes nothing.

pub mod continuations;
pub mod help;
pub mod line;
pub mod overview;
pub mod palette;
pub mod rows;
pub mod tab_bar;

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::symbols::border;
use ratatui::widgets::{Block, Clear, Widget};

use crate::text::sanitize::is_plain_ascii;
use crate::text::wrap::display_width;
use crate::tui::geometry::Area;
use crate::tui::layout::SMALLEST;
use crate::tui::row::{Piece, Row, width, wrapped};
use crate::tui::style::Role;
use crate::tui::theme::{Theme, in_row};

/// Puts a question, if there is one, over the line at the bottom.
pub fn ask(frame: &mut Frame, question: Option<&str>, theme: &Theme) {
    let Some(question) = question else { return };
    let buffer = frame.buffer_mut();
    let Rect { x, width, height, .. } = buffer.area;
    if width < SMALLEST.0 || height < SMALLEST.1 {
        return;
    }
    let area = Area { x, y: height - 1, width, height: 1 };
    Clear.render(rect(area, buffer), buffer);
    line::fill(buffer, area, theme);
    line::both(buffer, area, &[Piece::new(format!(" {question}"), Role::Prompt)], &[], theme);
}

/// Whether a screen of this size can be drawn; says so where it is too small.
pub fn is_drawable(buffer: &mut Buffer, (width, height): (u16, u16), theme: &Theme) -> bool {
    if buffer.area.width < width || buffer.area.height < height {
        // The window has shrunk and the loop is about to be told: the frame after that shows it.
        return false;
    }
    let is_large = width >= SMALLEST.0 && height >= SMALLEST.1;
    if !is_large && !buffer.area.is_empty() {
        let size = format!("{}x{}", SMALLEST.0, SMALLEST.1);
        let forms = [format!("transcope needs {size}"), format!("needs {size}"), size];
        let room = usize::from(buffer.area.width);
        let words = forms.iter().find(|words| words.len() <= room).unwrap_or(&forms[2]);
        buffer.set_stringn(0, 0, words, room, theme.style(Role::Warning));
    }
    is_large
}

/// An area as ratatui has it, cut to the buffer.
pub fn rect(area: Area, buffer: &Buffer) -> Rect {
    Rect::new(area.x, area.y, area.width, area.height).intersection(buffer.area)
}

/// Writes safe words from a cell on, into `room` columns at the most; gives the column behind them.
///
/// As `Buffer::set_stringn`, which takes every text to pieces as if it were not plain.
pub fn put(buffer: &mut Buffer, x: u16, y: u16, words: &str, room: usize, style: Style) -> u16 {
    if !is_plain_ascii(words.as_bytes()) {
        return buffer.set_stringn(x, y, words, room, style).0;
    }
    let area = buffer.area;
    if x < area.x || x >= area.right() || y < area.y || y >= area.bottom() {
        return x;
    }
    let start = buffer.index_of(x, y);
    let room = room.min(usize::from(area.right() - x));
    for (cell, byte) in buffer.content[start..].iter_mut().take(room).zip(words.bytes()) {
        cell.set_char(char::from(byte)).set_style(style);
    }
    x + words.len().min(room) as u16
}

/// Writes words side by side, each in the style of its role, from a cell on up to the column `end`; gives the column
/// behind them.
pub fn pieces<'a>(
    buffer: &mut Buffer,
    (x, y): (u16, u16),
    end: u16,
    pieces: impl IntoIterator<Item = &'a Piece>,
    style: impl Fn(Role) -> Style,
) -> u16 {
    pieces
        .into_iter()
        .fold(x, |x, piece| put(buffer, x, y, &piece.text, usize::from(end.saturating_sub(x)), style(piece.role)))
}

/// True if words, and not only spaces, are beyond a width in columns.
pub fn is_cut(pieces: &[Piece], mut room: usize) -> bool {
    pieces.iter().any(|piece| {
        let is_cut = piece.width() > room && display_width(piece.text.trim_end().as_bytes()) > room;
        room = room.saturating_sub(piece.width());
        is_cut
    })
}

/// Marks the last cell of a row that continues beyond the edge.
pub fn sign_of_cut(buffer: &mut Buffer, (x, y): (u16, u16), over: Style, theme: &Theme) {
    // A wide character that reaches into the cell is left out as a whole.
    let before = x.checked_sub(1).filter(|&before| {
        let cell = buffer.cell((before, y));
        cell.is_some_and(|cell| display_width(cell.symbol().as_bytes()) > 1)
    });
    for x in before.into_iter().chain([x]) {
        if let Some(cell) = buffer.cell_mut((x, y)) {
            cell.reset();
            cell.set_style(over);
        }
    }
    put(buffer, x, y, "…", 1, over.patch(theme.style(Role::Dim)));
}

/// Draws a border with some words in it, each with whether they are about what is shown.
pub fn bordered(buffer: &mut Buffer, area: Area, titles: &[(String, bool)], focused: bool, theme: &Theme) {
    let style = theme.style(if focused { Role::BorderFocused } else { Role::Border });
    // The focused one is told by its lines as well as by its colour.
    let set = if focused { border::THICK } else { border::ROUNDED };
    Block::bordered().border_set(set).border_style(style).render(rect(area, buffer), buffer);
    let mut x = area.x + 1;
    for (words, current) in titles {
        let role = if *current { Role::Title } else { Role::Dim };
        let room = usize::from((area.x + area.width).saturating_sub(x + 1));
        x = put(buffer, x, area.y, words, room, style.patch(theme.style(role)));
    }
}

/// Draws a row of words, and its note at the right edge where there is room, with a style over it.
pub fn words_of(buffer: &mut Buffer, area: Area, row: &Row, over: Style, theme: &Theme) {
    let end = area.x + area.width;
    if over != Style::new() {
        buffer.set_style(rect(area, buffer), over);
    }
    let style = |role| in_row(over, theme.style(role));
    let x = pieces(buffer, (area.x, area.y), end, &row.lead, style);
    if end > area.x && is_cut(&row.lead, usize::from(area.width)) {
        sign_of_cut(buffer, (end - 1, area.y), over, theme);
    }
    let start = end.saturating_sub(width(&row.note) as u16);
    if start > x {
        pieces(buffer, (start, area.y), end, &row.note, style);
    }
}

/// Draws rows one below the other, as many as there is room for.
pub struct RowWriter<'a> {
    buffer: &'a mut Buffer,
    area: Area,
    next: u16,
    theme: &'a Theme,
}

impl<'a> RowWriter<'a> {
    /// Begins at the first row of an area.
    pub fn new(buffer: &'a mut Buffer, area: Area, theme: &'a Theme) -> Self {
        Self { buffer, area, next: 0, theme }
    }

    /// Draws a row in the next row of the area.
    pub fn put(&mut self, row: &Row) {
        self.put_styled(row, Style::new());
    }

    /// Draws a row of a list, which may be the selected one.
    pub fn put_selectable(&mut self, row: &Row, selected: bool) {
        self.put_styled(row, selection_style(selected, true, self.theme));
    }

    /// Draws a text in as many rows as it needs, indented by a column.
    pub fn put_wrapped(&mut self, text: &Piece) {
        let width = usize::from(self.area.width).saturating_sub(2).max(1);
        for line in wrapped(text.text.trim_start(), width) {
            self.put(&Row::plain(format!(" {line}"), text.role));
        }
    }

    fn put_styled(&mut self, row: &Row, over: Style) {
        if self.next < self.area.height {
            let line = Area { y: self.area.y + self.next, height: 1, ..self.area };
            words_of(self.buffer, line, row, over, self.theme);
            self.next += 1;
        }
    }
}

/// The style of a whole row that is selected, if it is.
pub fn selection_style(selected: bool, focused: bool, theme: &Theme) -> Style {
    match (selected, focused) {
        (false, _) => Style::new(),
        (true, true) => theme.style(Role::Selection),
        (true, false) => theme.style(Role::SelectionUnfocused),
    }
}
