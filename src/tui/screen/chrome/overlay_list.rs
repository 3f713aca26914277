//! A short list over the panes of a screen, from which one line is chosen.

use ratatui::buffer::Buffer;
use ratatui::widgets::{Clear, Widget as _};

use crate::text::wrap::{display_width, fit};
use crate::tui::action::Motion;
use crate::tui::geometry::Area;
use crate::tui::list::{ListState, VisibleRows};
use crate::tui::row::{Piece, Row, padded, width};
use crate::tui::style::Role;
use crate::tui::theme::Theme;
use crate::tui::viewport::{self, Anchor, Rows};
use crate::tui::widget::{RowWriter, bordered, rect};

/// Maximum columns of the names, which a longer one is cut to.
const NAMES: usize = 30;

/// A line of the list, in two columns.
pub struct OverlayLine {
    /// The left column.
    pub name: String,
    /// The right column.
    pub about: Vec<Piece>,
}

/// Where the list is in the area of the panes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OverlayPlace {
    /// In the middle.
    Middle,
    /// At the lower edge, which leaves the beginning of the content visible.
    Bottom,
}

/// The list while it is open.
pub struct OverlayList {
    /// The lines: at least one.
    pub lines: Vec<OverlayLine>,
    list: ListState,
    place: OverlayPlace,
}

impl OverlayList {
    /// A list with a chosen line, in the area of the panes.
    pub fn new(lines: Vec<OverlayLine>, row: usize, place: OverlayPlace, body: Area) -> Self {
        let mut new = Self { lines, list: ListState::at(Anchor { row, ..Anchor::default() }), place };
        let room = new.room(body);
        new.list.reveal(&Rows(new.lines.len()), room);
        new
    }

    /// Index of the chosen line.
    pub fn row(&self) -> usize {
        self.list.at.row
    }

    /// Chooses the line that a motion leads to.
    pub fn go(&mut self, motion: Motion, body: Area) {
        let room = self.room(body);
        self.list.go(&Rows(self.lines.len()), motion, room);
    }

    /// Index of the line at a cell.
    pub fn row_at(&self, body: Area, x: u16, y: u16) -> Option<usize> {
        let inner = self.area(body).inner();
        let row = usize::from(y.checked_sub(inner.y)?);
        inner.contains(x, y).then(|| self.rows(body).get(row).map(|(index, _)| *index)).flatten()
    }

    /// Draws the list over the panes, with its title in the border.
    pub fn draw(&self, buffer: &mut Buffer, body: Area, title: &str, theme: &Theme) {
        let area = self.area(body);
        Clear.render(rect(area, buffer), buffer);
        bordered(buffer, area, &[(title.to_owned(), true)], true, theme);
        let mut writer = RowWriter::new(buffer, area.inner(), theme);
        for (index, row) in self.rows(body) {
            writer.put_selectable(&row, index == self.row());
        }
    }

    fn area(&self, body: Area) -> Area {
        let fit = |wanted: usize, room: u16| u16::try_from(wanted + 2).unwrap_or(room).min(room);
        let columns = |line: &OverlayLine| self.names() + width(&line.about) + 4;
        let wanted = self.lines.iter().map(columns).max().unwrap_or(20);
        let (width, height) = (fit(wanted, body.width), fit(self.lines.len(), body.height));
        let free = body.height - height;
        let y = match self.place {
            OverlayPlace::Middle => body.y + free / 2,
            OverlayPlace::Bottom => body.y + free,
        };
        Area { x: body.x + (body.width - width) / 2, y, width, height }
    }

    fn names(&self) -> usize {
        self.lines.iter().map(|line| display_width(line.name.as_bytes())).max().unwrap_or_default().min(NAMES)
    }

    fn room(&self, body: Area) -> VisibleRows {
        VisibleRows { height: usize::from(self.area(body).inner().height), margin: 1 }
    }

    /// The visible rows with their indexes.
    fn rows(&self, body: Area) -> Vec<(usize, Row)> {
        let names = self.names();
        let shown = viewport::window(&Rows(self.lines.len()), self.list.top, self.room(body).height);
        let row = |at: Anchor| {
            let OverlayLine { name, about } = &self.lines[at.row];
            let name = Piece::new(format!(" {}  ", padded(&fit(name, names), names)), Role::Name);
            (at.row, Row::words([name].into_iter().chain(about.iter().cloned()).collect()))
        };
        shown.into_iter().map(row).collect()
    }
}
