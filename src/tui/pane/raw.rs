//! The raw pane: the unchanged text, or the file that it was decoded from, with line numbers, highlighted markers and
//! underlined problems.
//!
//! Offsets in rows refer to the displayed bytes, targets to the text.

mod units;

use crate::text::Span;
use crate::tui::action::Action;
use crate::tui::geometry::Area;
use crate::tui::layout::Slot;
use crate::tui::pane::list::{self, List};
use crate::tui::pane::{Pane, Request, Response, ScrollAnchor};
use crate::tui::row::{Target, grouped};
use crate::tui::style::Role;
use crate::tui::view::View;
use crate::tui::view::origin::Phase;
use crate::tui::viewport::{self, Anchor, Units as _};
use crate::tui::widget::rows::Marking;
use units::RawUnits;

/// Minimum columns of the line numbers.
const GUTTER: usize = 3;

/// Minimum columns of the line numbers of a text that grows without a known final length.
const GUTTER_OF_GROWING: usize = 5;

/// Columns of a horizontal scroll step.
const SIDEWAYS: usize = 8;

/// The raw pane: its switches and scroll position.
#[derive(Clone)]
pub struct Raw {
    /// Line at the top and its part, both from 0.
    top: Anchor,
    /// First visible column if lines are not wrapped.
    column: usize,
    /// Columns of the line numbers; never shrinks within a text, so that the text does not move sideways.
    gutter: usize,
    /// True if long lines are wrapped.
    pub wrap: bool,
    /// True if chunk boundaries are marked: where the text continues elsewhere in the file.
    borders: bool,
}

impl Default for Raw {
    fn default() -> Self {
        Self { top: Anchor::default(), column: 0, gutter: GUTTER, wrap: true, borders: false }
    }
}

impl Raw {
    /// Restores the scroll position of another instance.
    pub fn return_to(&mut self, before: &Self) {
        (self.top, self.column) = (before.top, before.column);
    }

    /// Allows the gutter to become narrower.
    pub fn forget_gutter(&mut self) {
        self.gutter = 0;
    }

    /// Offset in the text of the first byte of the line at the top.
    pub fn top_of(&self, view: &View) -> usize {
        view.session.lines().span_of(view.session.text(), self.top.unit).start
    }

    fn units<'a>(&'a self, view: &'a View) -> RawUnits<'a> {
        RawUnits { pane: self, view }
    }

    /// Widens the gutter for the line numbers expected in the rest of the text, extrapolated from the size of the file.
    pub fn widen_gutter(&mut self, view: &View) {
        let whole = view.whole();
        let lines = whole.file_lines().count();
        let read = whole.file().len();
        let size = view.origin.size.map_or(read, |size| read.max(size as usize));
        let expected = (lines as u128 * size as u128).checked_div(read as u128).unwrap_or(0);
        let grows = view.origin.phase == Phase::Following || (view.is_live() && view.origin.size.is_none());
        let least = if grows { GUTTER_OF_GROWING } else { GUTTER };
        self.gutter = self.gutter.max(expected.to_string().len()).max(least);
    }

    fn flip_wrap(&mut self) -> Response {
        self.wrap = !self.wrap;
        self.column = 0;
        let words = if self.wrap { "long lines are wrapped" } else { "long lines are cut; h and l move sideways" };
        Response::Done(vec![Request::Reveal, Request::Tell(words.into(), Role::Dim)])
    }

    /// Toggles between the file and the text decoded from it.
    fn flip_file(&mut self, view: &View) -> Response {
        self.column = 0;
        self.gutter = 0;
        let words = if view.in_file { "raw: showing the decoded text" } else { "raw: showing the file itself" };
        Response::Done(vec![Request::InFile(!view.in_file), Request::Tell(words.into(), Role::Dim)])
    }

    /// Toggles the marks at chunk boundaries.
    fn flip_borders(&mut self) -> Response {
        self.borders = !self.borders;
        let are = if self.borders { "are" } else { "are not" };
        Response::message(format!("raw: chunk boundaries {are} marked"), Role::Dim)
    }
}

impl Pane for Raw {
    fn title(&self, view: &View) -> Option<String> {
        let is_file = view.in_file && view.session.is_decoded();
        let words = if view.editor.is_some() { Some("Text") } else { is_file.then_some("Raw: file") };
        words.map(ToOwned::to_owned)
    }

    fn subtitle(&self, view: &View) -> Option<String> {
        let session = &view.session;
        let lines = if view.editor.is_some() { self.units(view).numbers().end } else { session.file_lines().count() };
        // A pending value may begin after the last line.
        Some(match view.file_line(view.selection.offset) {
            Some(line) => format!("{}/{}", grouped(line.min(lines.max(1))), grouped(lines)),
            None => "line not known yet".into(),
        })
    }

    fn list<'a>(&'a self, view: &'a View) -> Option<(Box<dyn List + 'a>, Anchor)> {
        Some((Box::new(self.units(view)), self.top))
    }

    fn set_top(&mut self, top: Anchor) {
        self.top = top;
    }

    fn marking(&self, view: &View) -> Marking {
        Marking { problems: true, chosen: view.selected_span(), ..Marking::default() }
    }

    fn cursor(&self, view: &View, area: Area) -> Option<(u16, u16)> {
        if view.layout.focus != Slot::Raw || !(self.wrap || view.is_typed_in()) {
            return None;
        }
        let units = self.units(view);
        let offset = view.editor.as_ref().map_or(view.selection.offset, |editor| editor.offset());
        let (at, column) = units.cell_of(offset)?;
        let shown = viewport::window(&units, self.top, usize::from(area.height));
        let row = shown.iter().position(|row| *row == at)? as u16;
        let column = column.saturating_sub(self.column) as u16;
        Some((area.x + column.min(area.width.saturating_sub(1)), area.y + row))
    }

    fn act(&mut self, view: &View, action: Action) -> Response {
        match action {
            Action::Move(motion) => self.move_selection(view, motion),
            Action::Open | Action::Close if self.wrap => Response::select(neighbour(view, action == Action::Open)),
            Action::Open | Action::Close => {
                let left = self.column.saturating_sub(SIDEWAYS);
                self.column = if action == Action::Open { self.column + SIDEWAYS } else { left };
                Response::done()
            }
            _ => self.act_unfocused(view, action),
        }
    }

    fn act_unfocused(&mut self, view: &View, action: Action) -> Response {
        match action {
            Action::Wrap => self.flip_wrap(),
            Action::RawFile | Action::Borders if !view.session.is_decoded() => {
                let is = if action == Action::RawFile { "the file is the text" } else { "there are no chunks" };
                Response::message(format!("plain text: {is}"), Role::Dim)
            }
            Action::RawFile => self.flip_file(view),
            Action::Borders => self.flip_borders(),
            _ => Response::Ignored,
        }
    }

    fn raise(&mut self, view: &View) {
        self.scroll(view, &list::raised);
    }

    fn anchor(&self, view: &View) -> Option<ScrollAnchor> {
        self.units(view).offset_of(self.top).map(ScrollAnchor::Byte)
    }

    fn restore(&mut self, view: &View, anchor: ScrollAnchor, shift: usize) {
        if let ScrollAnchor::Byte(offset) = anchor {
            self.top = self.units(view).at(offset + shift).unwrap_or(self.top);
        }
    }

    fn prepare(&mut self, view: &View) {
        self.widen_gutter(view);
    }
}

/// The next or previous character of the text.
fn neighbour(view: &View, forward: bool) -> Option<Target> {
    let text = view.session.text();
    let here = view.selection.offset;
    let is_inside = |byte: &&u8| **byte & 0xc0 == 0x80;
    let offset = if forward {
        let ahead = text.read(Span::new(here + 1, here + 5));
        here + 1 + ahead.iter().take(3).take_while(is_inside).count()
    } else {
        let before = text.read(Span::new(here.saturating_sub(4), here));
        here - (1 + before.iter().rev().take(3).take_while(is_inside).count()).min(here)
    };
    (offset < text.len()).then(|| view.target_at(offset))
}
