//! A list of rows one of which is chosen, for every screen that is one: its state, and what motions, clicks and the wheel
//! do to it.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use crate::tui::action::Motion;
use crate::tui::geometry::Area;
use crate::tui::viewport::{self, Anchor, Page, PageStep, Units};

/// Rows that a turn of the wheel scrolls.
pub const WHEEL: usize = 3;

/// Which row is chosen, and which is the first that is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ListState {
    /// The first row that is shown.
    pub top: Anchor,
    /// The row that is chosen.
    pub at: Anchor,
    /// The last page that was turned.
    paged: Option<PageStep>,
}

/// Rows that a list shows at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// Rows inside its border.
    pub height: usize,
    /// Rows kept between the chosen row and the edges.
    pub margin: usize,
}

impl ListState {
    /// A list whose first choice is this row.
    pub fn at(at: Anchor) -> Self {
        Self { at, ..Self::default() }
    }

    /// Chooses the row that a motion leads to.
    pub fn go(&mut self, units: &(impl Units + ?Sized), motion: Motion, room: Room) {
        let Room { height, margin } = room;
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

    /// Chooses a row and shows it.
    pub fn choose(&mut self, units: &(impl Units + ?Sized), at: Anchor, room: Room) {
        self.at = at;
        self.reveal(units, room);
    }

    /// Scrolls as little as is needed to show the chosen row.
    pub fn reveal(&mut self, units: &(impl Units + ?Sized), Room { height, margin }: Room) {
        self.top = viewport::reveal(units, self.top, self.at, height.max(1), margin);
    }

    /// Shows the chosen unit from its first row to its last, or the part that there is room for.
    pub fn show_unit(&mut self, units: &(impl Units + ?Sized), room: Room) {
        let last = units.height(self.at.unit, self.at.part).min(room.height).saturating_sub(1);
        let end = Anchor { row: last.max(self.at.row), ..self.at };
        self.top = viewport::reveal(units, self.top, end, room.height.max(1), 0);
        self.reveal(units, room);
    }

    /// Scrolls a turn of the wheel, down (1) or up (-1); the choice stays.
    pub fn wheel(&mut self, units: &(impl Units + ?Sized), direction: i8, room: Room) {
        self.top = viewport::scrolled(units, self.top, direction, WHEEL, room.height);
    }
}

/// A screen whose content is a list.
pub trait ListScreen: Units {
    /// Its choice and where it is scrolled to.
    fn list(&self) -> ListState;

    /// Takes another choice, or another place.
    fn set_list(&mut self, list: ListState);

    /// Rows that it shows at the same time.
    fn room(&self) -> Room;

    /// Changes its choice, or where it is scrolled to.
    fn scroll(&mut self, change: impl FnOnce(&mut ListState, &Self, Room)) {
        let mut list = self.list();
        change(&mut list, self, self.room());
        self.set_list(list);
    }

    /// Chooses the row that a motion leads to.
    fn go(&mut self, motion: Motion) {
        self.scroll(|list, units, room| list.go(units, motion, room));
    }

    /// Chooses a row and shows it.
    fn choose(&mut self, at: Anchor) {
        self.scroll(|list, units, room| list.choose(units, at, room));
    }

    /// Scrolls as little as is needed to show the chosen row.
    fn reveal(&mut self) {
        self.scroll(ListState::reveal);
    }

    /// Shows all of the chosen unit that there is room for.
    fn show_unit(&mut self) {
        self.scroll(ListState::show_unit);
    }

    /// Scrolls a turn of the wheel, down (1) or up (-1).
    fn wheel(&mut self, direction: i8) {
        self.scroll(|list, units, room| list.wheel(units, direction, room));
    }

    /// Before a frame: the chosen row is one that exists, and is shown if it had to change.
    fn settle_choice(&mut self) {
        let at = self.list().at;
        if let Some(settled) = viewport::settle(self, at).filter(|settled| *settled != at) {
            self.choose(settled);
        }
    }

    /// The row at a cell of the inside of its border, in which the list begins below `head` other rows.
    fn row_at(&self, inside: Area, head: usize, x: u16, y: u16) -> Option<Anchor> {
        let row = usize::from(y.checked_sub(inside.y)?).checked_sub(head)?;
        inside.contains(x, y).then(|| self.shown().get(row).copied()).flatten()
    }

    /// The rows that are shown, from the top down.
    fn shown(&self) -> Vec<Anchor> {
        viewport::window(self, self.list().top, self.room().height)
    }
}

/// Lines that come, go and change their order: the choice is a line by its key, not a row.
pub struct KeyedLines<L, K> {
    /// The lines, in order.
    pub lines: Vec<L>,
    /// The row that is chosen, and the first that is shown.
    pub list: ListState,
    /// The key of the chosen line; none while that is the first line, whichever it is.
    chosen: Option<K>,
}

impl<L, K> Default for KeyedLines<L, K> {
    fn default() -> Self {
        Self { lines: Vec::new(), list: ListState::default(), chosen: None }
    }
}

impl<L, K: PartialEq> KeyedLines<L, K> {
    /// The chosen line; the first one before any was chosen.
    pub fn chosen(&self) -> Option<&L> {
        self.lines.get(self.list.at.row)
    }

    /// True once a line was chosen, so that another one that comes first is not.
    pub fn has_choice(&self) -> bool {
        self.chosen.is_some()
    }

    /// Keeps the chosen line chosen while others come.
    pub fn keep_choice(&mut self, key_of: impl Fn(&L) -> K) {
        self.chosen = self.chosen().map(key_of);
    }

    /// The line of this key is the chosen one once the lines have been replaced.
    pub fn choose_key(&mut self, key: K) {
        self.chosen = Some(key);
    }

    /// Chooses the first line, whichever that becomes.
    pub fn choose_first(&mut self) {
        (self.list, self.chosen) = (ListState::default(), None);
    }

    /// Takes other lines. The chosen one stays in its row of the screen; if it is gone, its neighbour is chosen.
    pub fn replace(&mut self, lines: Vec<L>, key_of: impl Fn(&L) -> K) {
        let (before, row) = (self.list.at.row, self.list.at.row.saturating_sub(self.list.top.row));
        self.lines = lines;
        let last = self.lines.len().saturating_sub(1);
        let found = self.chosen.as_ref().map(|key| self.lines.iter().position(|line| key_of(line) == *key));
        self.list.at.row = found.map_or(0, |found| found.unwrap_or(before).min(last));
        self.list.top.row = self.list.at.row.saturating_sub(row);
    }

    /// Leaves no row empty below the last line while there are lines above the first that is shown.
    pub fn fill(&mut self, height: usize) {
        self.list.top.row = self.list.top.row.min(self.lines.len().saturating_sub(height));
    }
}

/// The rows of units, which are made when they are first needed.
pub struct UnitRows<R>(RefCell<HashMap<usize, Rc<Vec<R>>>>);

/// Units whose rows are kept.
const KEPT: usize = 256;

impl<R> Default for UnitRows<R> {
    fn default() -> Self {
        Self(RefCell::default())
    }
}

impl<R> UnitRows<R> {
    /// The rows of a unit, as they were made before if they were.
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

    /// The rows of a unit have changed.
    pub fn forget(&mut self, unit: usize) {
        self.0.get_mut().remove(&unit);
    }

    /// All rows have changed.
    pub fn clear(&mut self) {
        self.0.get_mut().clear();
    }
}
