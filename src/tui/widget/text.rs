//! A pane with text: its lines wrapped where they are visible, a gutter, and bytes in the styles of their roles.

use std::ops::Range;
use std::rc::Rc;

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use crate::text::sanitize::glyphs;
use crate::text::wrap::{self, wrap};
use crate::tui::geometry::Area;
use crate::tui::list::{ListState, UnitRows};
use crate::tui::row::SELECTED_BAR;
use crate::tui::style::Role;
use crate::tui::template::text_index::TextIndex;
use crate::tui::theme::{Theme, in_row};
use crate::tui::viewport::{Anchor, Units};
use crate::tui::widget::put;

/// The position in a text and the layout of its visible lines.
#[derive(Default)]
pub struct TextPane {
    /// The row with the cursor and the first visible row.
    pub list: ListState,
    /// Columns of the text, and of the number before it.
    size: (usize, usize),
    made: UnitRows<Range<usize>>,
}

/// A text with the layout of a pane.
pub struct TextUnits<'a> {
    text: &'a str,
    index: &'a TextIndex,
    pane: &'a TextPane,
}

/// A row of a pane: its bytes, their roles and the gutter.
pub struct TextRow {
    /// Its bytes in the text.
    pub bytes: Range<usize>,
    /// The number in the gutter; empty on a continued line.
    pub label: String,
    /// The role of the number.
    pub label_role: Role,
    /// True if it has selected bytes or the cursor.
    pub is_marked: bool,
    /// True if an end of line follows.
    pub is_ended: bool,
    /// Roles of ranges of the text; later ones count.
    pub roles: Vec<(Range<usize>, Role)>,
    /// Ranges with a style over that of their role.
    pub over: Vec<(Range<usize>, Style)>,
}

impl Default for TextRow {
    fn default() -> Self {
        Self {
            bytes: 0..0,
            label: String::new(),
            label_role: Role::Gutter,
            is_marked: false,
            is_ended: false,
            roles: Vec::new(),
            over: Vec::new(),
        }
    }
}

impl TextPane {
    /// Sets the columns of the text and of the number before it.
    pub fn resize(&mut self, size: (usize, usize)) {
        if self.size != size {
            self.size = size;
            self.made.clear();
        }
    }

    /// Columns that the text may use, without the gutter.
    pub fn columns(&self) -> usize {
        self.size.0
    }

    /// Column of the text in the pane, after the mark and the number.
    pub fn text_column(&self) -> usize {
        self.size.1 + 2
    }

    /// Drops the layout of another text.
    pub fn forget(&mut self) {
        self.made.clear();
    }

    /// A text in this pane.
    pub fn units<'a>(&'a self, text: &'a str, index: &'a TextIndex) -> TextUnits<'a> {
        TextUnits { text, index, pane: self }
    }

    /// Draws a row.
    pub fn draw(&self, buffer: &mut Buffer, area: Area, text: &str, row: &TextRow, theme: &Theme) {
        let end = area.x + area.width;
        let bar = if row.is_marked { SELECTED_BAR } else { " " };
        let x = put(buffer, area.x, area.y, bar, 1, theme.style(Role::Name));
        let room = |x: u16| usize::from(end.saturating_sub(x));
        let label = format!("{:>width$} ", row.label, width = self.size.1);
        let mut x = put(buffer, x, area.y, &label, room(x), theme.style(row.label_role));
        let bytes = text.get(row.bytes.clone()).unwrap_or_default().as_bytes();
        for glyph in wrap::expanded(glyphs(bytes), 0) {
            if room(x) < glyph.width {
                break;
            }
            let offset = row.bytes.start + glyph.offset;
            let style = style_at(row, offset, theme);
            let style = if glyph.pictured { in_row(style, theme.style(Role::Picture)) } else { style };
            x = put(buffer, x, area.y, &glyph.text, room(x), style);
        }
        if row.is_ended {
            let over = row.over.iter().filter(|(range, _)| range.contains(&row.bytes.end));
            let style = over.fold(Style::new(), |_, (_, style)| *style);
            put(buffer, x, area.y, "↵", room(x), in_row(style, theme.style(Role::Gutter)));
        }
    }
}

fn style_at(row: &TextRow, offset: usize, theme: &Theme) -> Style {
    let role = row.roles.iter().rev().find(|(range, _)| range.contains(&offset)).map_or(Role::Text, |(_, role)| *role);
    let over = row.over.iter().filter(|(range, _)| range.contains(&offset));
    in_row(over.fold(Style::new(), |style, (_, over)| style.patch(*over)), theme.style(role))
}

impl TextUnits<'_> {
    /// The byte ranges of the rows of a part.
    pub fn rows(&self, part: usize) -> Rc<Vec<Range<usize>>> {
        self.pane.made.get(part, || {
            let (bytes, _) = self.index.bytes(part);
            let line = self.text.get(bytes.clone()).unwrap_or_default();
            let rows = wrap(line.as_bytes(), self.pane.size.0.max(10));
            rows.into_iter().map(|row| bytes.start + row.start..bytes.start + row.end).collect()
        })
    }

    /// The byte range of a row; of the last row of a line with its end.
    pub fn bytes(&self, at: Anchor) -> Range<usize> {
        let rows = self.rows(at.unit);
        let Some(row) = rows.get(at.row) else { return 0..0 };
        let is_ended = at.row + 1 == rows.len() && self.index.bytes(at.unit).1;
        row.start..row.end + usize::from(is_ended)
    }

    /// True if an end of line follows a row.
    pub fn is_ended(&self, at: Anchor) -> bool {
        at.row + 1 == self.rows(at.unit).len() && self.index.bytes(at.unit).1
    }

    /// The row that has a byte.
    pub fn anchor(&self, offset: usize) -> Anchor {
        let unit = self.index.part_at(offset);
        let rows = self.rows(unit);
        let row = rows.partition_point(|row| row.end <= offset).min(rows.len().saturating_sub(1));
        Anchor { unit, row, ..Anchor::default() }
    }

    /// The byte at a column of a row.
    pub fn offset(&self, at: Anchor, column: usize) -> usize {
        let bytes = self.bytes(at);
        let line = self.text.get(bytes.clone()).unwrap_or_default();
        bytes.start + wrap::skip_columns(line.trim_end_matches('\n').as_bytes(), column)
    }
}

impl Units for TextUnits<'_> {
    fn numbers(&self) -> Range<usize> {
        0..self.index.len()
    }

    fn height(&self, unit: usize, _: usize) -> usize {
        self.rows(unit).len()
    }
}
