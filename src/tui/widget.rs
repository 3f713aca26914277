//! Drawing code that several places share: rows, text lines, borders, help.
//!
//! Drawing changes no state.

pub mod continuations;
pub mod help;
pub mod line;
pub mod overview;
pub mod palette;
pub mod prompt;
pub mod rows;
pub mod tab_bar;
pub mod text;

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

/// Draws a question, if there is one, over the bottom line.
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

/// Returns whether a screen is large enough to be drawn; draws a message if it is too small.
pub fn is_drawable(buffer: &mut Buffer, (width, height): (u16, u16), theme: &Theme) -> bool {
    if buffer.area.width < width || buffer.area.height < height {
        // The window shrank before the event loop was notified; the next frame has the new size.
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

/// Converts an area to a ratatui `Rect`, clipped to the buffer.
pub fn rect(area: Area, buffer: &Buffer) -> Rect {
    Rect::new(area.x, area.y, area.width, area.height).intersection(buffer.area)
}

/// Writes sanitised text starting at a cell, in at most `room` columns; returns the column after it.
///
/// Does the same as `Buffer::set_stringn`, which segments every text into graphemes, even plain ASCII.
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

/// Writes pieces next to each other, each in the style of its role, starting at a cell and ending before the column
/// `end`; returns the column after the text.
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

/// True if text other than spaces extends beyond a width in columns.
pub fn is_cut(pieces: &[Piece], mut room: usize) -> bool {
    pieces.iter().any(|piece| {
        let is_cut = piece.width() > room && display_width(piece.text.trim_end().as_bytes()) > room;
        room = room.saturating_sub(piece.width());
        is_cut
    })
}

/// Marks the last cell of a row that continues beyond the edge.
pub fn sign_of_cut(buffer: &mut Buffer, (x, y): (u16, u16), over: Style, theme: &Theme) {
    // A wide character that extends into the cell is removed entirely.
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

/// Draws a border with titles, each with a flag that marks it as current.
pub fn bordered(buffer: &mut Buffer, area: Area, titles: &[(String, bool)], focused: bool, theme: &Theme) {
    let style = theme.style(if focused { Role::BorderFocused } else { Role::Border });
    // Line style and colour both distinguish the focused one.
    let set = if focused { border::THICK } else { border::ROUNDED };
    Block::bordered().border_set(set).border_style(style).render(rect(area, buffer), buffer);
    let mut x = area.x + 1;
    for (words, current) in titles {
        let role = if *current { Role::Title } else { Role::Dim };
        let room = usize::from((area.x + area.width).saturating_sub(x + 1));
        x = put(buffer, x, area.y, words, room, style.patch(theme.style(role)));
    }
}

/// Draws a row of text with a style over it, and its note at the right edge if there is room.
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

/// Draws rows below each other while there is room.
pub struct RowWriter<'a> {
    buffer: &'a mut Buffer,
    area: Area,
    next: u16,
    theme: &'a Theme,
}

impl<'a> RowWriter<'a> {
    /// Starts at the first row of an area.
    pub fn new(buffer: &'a mut Buffer, area: Area, theme: &'a Theme) -> Self {
        Self { buffer, area, next: 0, theme }
    }

    /// Draws a row in the next row of the area.
    pub fn put(&mut self, row: &Row) {
        self.put_styled(row, Style::new());
    }

    /// Draws a row of a list, highlighted if selected.
    pub fn put_selectable(&mut self, row: &Row, selected: bool) {
        self.put_styled(row, selection_style(selected, true, self.theme));
    }

    /// Draws a text wrapped to the width, indented by a column.
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

/// Style of a whole list row.
pub fn selection_style(selected: bool, focused: bool, theme: &Theme) -> Style {
    match (selected, focused) {
        (false, _) => Style::new(),
        (true, true) => theme.style(Role::Selection),
        (true, false) => theme.style(Role::SelectionUnfocused),
    }
}
