//! The selection and scroll position of a list, for all screens that are lists, and the effect of motions, clicks and
//! the wheel on them.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use crate::tui::action::Motion;
use crate::tui::geometry::Area;
use crate::tui::viewport::{self, Anchor, Page, PageStep, Units};

/// Rows scrolled per step of the wheel.
pub const WHEEL: usize = 3;

/// The selected row and the first visible row of a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ListState {
    /// The first visible row.
    pub top: Anchor,
    /// The selected row.
    pub at: Anchor,
    /// The last step by a page.
    paged: Option<PageStep>,
}

/// The size of the visible part of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VisibleRows {
    /// Rows inside its border.
    pub height: usize,
    /// Minimum number of rows between the selected row and the edges.
    pub margin: usize,
}

impl ListState {
    /// A list with this row selected.
    pub fn at(at: Anchor) -> Self {
        Self { at, ..Self::default() }
    }

    /// Selects the row that a motion leads to.
    pub fn go(&mut self, units: &(impl Units + ?Sized), motion: Motion, room: VisibleRows) {
        let VisibleRows { height, margin } = room;
        if let Some((direction, rows)) = motion.pages(height) {
            let page = Page { direction, rows, height, margin };
            if let Some(step) = page.turn(units, (self.top, Some(self.at)), self.paged, |_| true) {
                *self = Self { top: step.top, at: step.cursor.unwrap_or(self.at), paged: Some(step) };
            }
            return;
        }
        let to = match motion {
            Motion::Line(direction) if direction > 0 => Some(viewport::down(units, self.at, 1)),
            Motion::Line(_) => Some(viewport::up(units, self.at, 1)),
            Motion::Bottom => viewport::last(units),
            Motion::To(row) => viewport::first(units).map(|first| viewport::down(units, first, row.saturating_sub(1))),
            Motion::Top | Motion::Half(_) | Motion::Page(_) => viewport::first(units),
        };
        self.choose(units, to.unwrap_or(self.at), room);
    }

    /// Selects a row and scrolls it into view.
    pub fn choose(&mut self, units: &(impl Units + ?Sized), at: Anchor, room: VisibleRows) {
        self.at = at;
        self.reveal(units, room);
    }

    /// Scrolls as little as necessary to show the selected row.
    pub fn reveal(&mut self, units: &(impl Units + ?Sized), VisibleRows { height, margin }: VisibleRows) {
        self.top = viewport::reveal(units, self.top, self.at, height.max(1), margin);
    }

    /// Scrolls the selected unit into view, or as much of it as fits.
    pub fn show_unit(&mut self, units: &(impl Units + ?Sized), room: VisibleRows) {
        let last = units.height(self.at.unit, self.at.part).min(room.height).saturating_sub(1);
        let end = Anchor { row: last.max(self.at.row), ..self.at };
        self.top = viewport::reveal(units, self.top, end, room.height.max(1), 0);
        self.reveal(units, room);
    }

    /// Scrolls by a step of the wheel, down (1) or up (-1); the selection stays.
    pub fn wheel(&mut self, units: &(impl Units + ?Sized), direction: i8, room: VisibleRows) {
        self.top = viewport::scrolled(units, self.top, direction, WHEEL, room.height);
    }
}

/// A screen whose content is a list.
pub trait ListScreen: Units {
    /// The selection and scroll position.
    fn list(&self) -> ListState;

    /// Replaces the selection and scroll position.
    fn set_list(&mut self, list: ListState);

    /// The size of the visible part.
    fn room(&self) -> VisibleRows;

    /// Changes the selection or the scroll position.
    fn scroll(&mut self, change: impl FnOnce(&mut ListState, &Self, VisibleRows)) {
        let mut list = self.list();
        change(&mut list, self, self.room());
        self.set_list(list);
    }

    /// Selects the row that a motion leads to.
    fn go(&mut self, motion: Motion) {
        self.scroll(|list, units, room| list.go(units, motion, room));
    }

    /// Selects a row and scrolls it into view.
    fn choose(&mut self, at: Anchor) {
        self.scroll(|list, units, room| list.choose(units, at, room));
    }

    /// Scrolls as little as necessary to show the selected row.
    fn reveal(&mut self) {
        self.scroll(ListState::reveal);
    }

    /// Scrolls the selected unit into view, or as much of it as fits.
    fn show_unit(&mut self) {
        self.scroll(ListState::show_unit);
    }

    /// Scrolls by a step of the wheel, down (1) or up (-1).
    fn wheel(&mut self, direction: i8) {
        self.scroll(|list, units, room| list.wheel(units, direction, room));
    }

    /// Before a frame: replaces a selected row that no longer exists, and scrolls the new one into view.
    fn clamp_selection(&mut self) {
        let at = self.list().at;
        if let Some(settled) = viewport::clamp(self, at).filter(|settled| *settled != at) {
            self.choose(settled);
        }
    }

    /// The row at a cell inside the border, where the list begins below `head` header rows.
    fn row_at(&self, inside: Area, head: usize, x: u16, y: u16) -> Option<Anchor> {
        let row = usize::from(y.checked_sub(inside.y)?).checked_sub(head)?;
        inside.contains(x, y).then(|| self.shown().get(row).copied()).flatten()
    }

    /// The visible rows, from top to bottom.
    fn shown(&self) -> Vec<Anchor> {
        viewport::window(self, self.list().top, self.room().height)
    }
}

/// Lines that come, go and change their order: the selection follows a line by its key.
pub struct KeyedLines<L, K> {
    /// The lines, in order.
    pub lines: Vec<L>,
    /// The selected row and the first visible row.
    pub list: ListState,
    /// The key of the selected line; `None` while the selection stays on the first row.
    chosen: Option<K>,
}

impl<L, K> Default for KeyedLines<L, K> {
    fn default() -> Self {
        Self { lines: Vec::new(), list: ListState::default(), chosen: None }
    }
}

impl<L, K: PartialEq> KeyedLines<L, K> {
    /// The selected line; initially the first one.
    pub fn chosen(&self) -> Option<&L> {
        self.lines.get(self.list.at.row)
    }

    /// True once a line was selected explicitly; before, the selection stays on the first row.
    pub fn has_choice(&self) -> bool {
        self.chosen.is_some()
    }

    /// Keeps the selected line selected when lines are replaced.
    pub fn keep_choice(&mut self, key_of: impl Fn(&L) -> K) {
        self.chosen = self.chosen().map(key_of);
    }

    /// Selects the line with this key the next time the lines are replaced.
    pub fn choose_key(&mut self, key: K) {
        self.chosen = Some(key);
    }

    /// Selects the first row, and keeps the selection there.
    pub fn choose_first(&mut self) {
        (self.list, self.chosen) = (ListState::default(), None);
    }

    /// Replaces the lines. The selected one keeps its row on the screen; if it is gone, its neighbour is selected.
    pub fn replace(&mut self, lines: Vec<L>, key_of: impl Fn(&L) -> K) {
        let (before, row) = (self.list.at.row, self.list.at.row.saturating_sub(self.list.top.row));
        self.lines = lines;
        let last = self.lines.len().saturating_sub(1);
        let found = self.chosen.as_ref().map(|key| self.lines.iter().position(|line| key_of(line) == *key));
        self.list.at.row = found.map_or(0, |found| found.unwrap_or(before).min(last));
        self.list.top.row = self.list.at.row.saturating_sub(row);
    }

    /// Scrolls up if there are empty rows below the last line.
    pub fn fill(&mut self, height: usize) {
        self.list.top.row = self.list.top.row.min(self.lines.len().saturating_sub(height));
    }
}

/// A cache of the rows of units, which are made when first needed.
pub struct UnitRows<R>(RefCell<HashMap<usize, Rc<Vec<R>>>>);

/// Maximum number of units whose rows are cached.
const KEPT: usize = 256;

impl<R> Default for UnitRows<R> {
    fn default() -> Self {
        Self(RefCell::default())
    }
}

impl<R> UnitRows<R> {
    /// The rows of a unit, made if they are not cached.
    pub fn get(&self, unit: usize, make: impl FnOnce() -> Vec<R>) -> Rc<Vec<R>> {
        if let Some(known) = self.0.borrow().get(&unit) {
            return Rc::clone(known);
        }
        let rows = Rc::new(make());
        let mut made = self.0.borrow_mut();
        if made.len() >= KEPT {
            made.clear();
        }
        made.insert(unit, Rc::clone(&rows));
        rows
    }

    /// Drops the rows of a changed unit.
    pub fn forget(&mut self, unit: usize) {
        self.0.get_mut().remove(&unit);
    }

    /// Drops all rows.
    pub fn clear(&mut self) {
        self.0.get_mut().clear();
    }
}
