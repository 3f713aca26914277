//! Two readings side by side: the calls of both, aligned, and what differs in each pair.
//!
//! It is made on another thread ([`job`]). A row of the screen is a line of both columns; those of a pair of calls are made
//! when they are looked at.

pub mod draw;
pub mod job;
pub mod pending;
pub mod rows;
pub mod settings;
pub mod update;
mod values;

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::{ControlFlow, Range};
use std::rc::Rc;
use std::time::Duration;

use ratatui::Frame;

use crate::compare::{CallRow, Comparison, RowKind};

use crate::tui::geometry::Area;
use crate::tui::input::InputMode;
use crate::tui::keymap::COMPARISON_KEYS;
use crate::tui::message::{Effect, Msg, TabTitle};
use crate::tui::row::Piece;
use crate::tui::screen::Screen;
use crate::tui::screen::chrome::Chrome;
use crate::tui::style::Role;
use crate::tui::theme::Theme;
use crate::tui::viewport::{Anchor, Units};
use job::{Compared, ComparedSide};
use rows::RowPair;

/// Pairs whose rows are kept.
const KEPT: usize = 256;

/// How much of a pair of calls is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fold {
    /// A line for each call.
    Closed,
    /// What differs, and how much does not.
    Differences,
    /// Everything, what is the same as well.
    Whole,
}

/// Two readings side by side.
pub struct ComparisonScreen {
    /// The two readings, left and right.
    pub sides: [ComparedSide; 2],
    /// What differs between the two readings.
    pub comparison: Comparison,
    /// What is around the two columns.
    pub chrome: Chrome,
    /// The column that the keys are about: 0 or 1.
    pub side: usize,
    /// Whether calls of which nothing differs are left out.
    pub only_differences: bool,
    /// The chosen row, of both columns.
    pub at: Anchor,
    /// The first row that is shown.
    pub top: Anchor,
    folds: HashMap<usize, Fold>,
    problems: Vec<Problems>,
    made: RefCell<HashMap<usize, Rc<Vec<RowPair>>>>,
}

/// Numbers of the problems of a pair that only one side has.
#[derive(Clone, Debug, Default)]
struct Problems([Vec<usize>; 2]);

/// What stands at the left of the line at the top.
fn title() -> Vec<Piece> {
    vec![Piece::new(" transcope  ", Role::Title), Piece::new("comparison", Role::Strong)]
}

impl ComparisonScreen {
    /// Shows what was compared, from the first difference on.
    pub fn new(compared: Compared) -> Self {
        let Compared { sides, comparison } = compared;
        let mut screen = Self {
            sides,
            problems: vec![Problems::default(); comparison.rows.len() + 1],
            comparison,
            chrome: Chrome::new(&COMPARISON_KEYS),
            side: 1,
            only_differences: false,
            at: Anchor::default(),
            top: Anchor::default(),
            folds: HashMap::new(),
            made: RefCell::default(),
        };
        screen.place_problems();
        screen.at.unit = screen.next_difference(None, true).unwrap_or(0);
        screen
    }

    /// Finds for each problem the pair of calls that it is in; those outside of calls are behind the last one.
    fn place_problems(&mut self) {
        let rows = &self.comparison.rows;
        let numbers = [&self.comparison.gone, &self.comparison.came];
        for (side, numbers) in numbers.into_iter().enumerate() {
            let document = self.sides[side].session.document();
            let calls: HashMap<usize, usize> = rows
                .iter()
                .enumerate()
                .filter_map(|(unit, row)| Some((if side == 0 { row.left } else { row.right }?, unit)))
                .collect();
            for &number in numbers {
                let item = document.diagnostics().get(number).and_then(|problem| problem.item);
                let unit = item.and_then(|item| document.call_number(item)).and_then(|call| calls.get(&call));
                self.problems[*unit.unwrap_or(&rows.len())].0[side].push(number);
            }
        }
    }

    /// Whether anything differs in a unit.
    pub fn differs(&self, unit: usize) -> bool {
        let is_other = self.comparison.rows.get(unit).is_some_and(|row| row.kind() != RowKind::Same);
        is_other || self.problems.get(unit).is_some_and(|Problems(sides)| sides.iter().any(|side| !side.is_empty()))
    }

    /// The next unit behind or before another one in which something differs.
    pub fn next_difference(&self, from: Option<usize>, forward: bool) -> Option<usize> {
        let units = self.problems.len();
        if forward {
            (from.map_or(0, |from| from + 1)..units).find(|&unit| self.differs(unit))
        } else {
            (0..from.unwrap_or(units).min(units)).rev().find(|&unit| self.differs(unit))
        }
    }

    /// How many units differ, and which of them this one is, if it does.
    pub fn place_among_differences(&self, unit: usize) -> (Option<usize>, usize) {
        let all = (0..self.problems.len()).filter(|&unit| self.differs(unit)).count();
        let place = self.differs(unit).then(|| (0..=unit).filter(|&unit| self.differs(unit)).count());
        (place, all)
    }

    /// How much of a pair is shown.
    pub fn fold(&self, unit: usize) -> Fold {
        let usual = || match self.comparison.rows.get(unit).map(CallRow::kind) {
            Some(RowKind::Same | RowKind::Changed) if self.differs(unit) => Fold::Differences,
            _ => Fold::Closed,
        };
        self.folds.get(&unit).copied().unwrap_or_else(usual)
    }

    fn set_fold(&mut self, unit: usize, fold: Fold) {
        self.folds.insert(unit, fold);
        self.made.borrow_mut().remove(&unit);
    }

    /// The rows were made for something else.
    fn forget(&self) {
        self.made.borrow_mut().clear();
    }

    /// The rows of a unit: a pair of calls, or behind the last one what is outside of calls.
    pub fn lines(&self, unit: usize) -> Rc<Vec<RowPair>> {
        if let Some(known) = self.made.borrow().get(&unit) {
            return Rc::clone(known);
        }
        let lines = Rc::new(rows::rows(self, unit));
        let mut made = self.made.borrow_mut();
        if made.len() >= KEPT {
            made.clear();
        }
        made.insert(unit, Rc::clone(&lines));
        lines
    }

    /// How many calls in a row from this one on are left out, if it is the first of them.
    pub fn left_out(&self, unit: usize) -> Option<usize> {
        let is_hidden = |unit: usize| unit < self.comparison.rows.len() && !self.differs(unit);
        if !self.only_differences || !is_hidden(unit) {
            return None;
        }
        let is_first = unit == 0 || !is_hidden(unit - 1);
        Some(if is_first { (unit..self.comparison.rows.len()).take_while(|&unit| is_hidden(unit)).count() } else { 0 })
    }

    /// Columns of the rows of one side.
    pub fn width(&self) -> usize {
        usize::from(self.columns()[0].inner().width).max(10)
    }

    /// Rows that are shown at once.
    pub fn height(&self) -> usize {
        usize::from(self.columns()[0].inner().height)
    }

    /// Where the two columns are, with their borders.
    pub fn columns(&self) -> [Area; 2] {
        let body = self.chrome.areas().body;
        let left = Area { width: body.width / 2, ..body };
        [left, Area { x: left.width, width: body.width - left.width, ..body }]
    }
}

impl Screen for ComparisonScreen {
    fn input_mode(&self) -> InputMode {
        self.chrome.input_mode()
    }

    fn update(&mut self, msg: Msg) -> Option<Effect> {
        match self.chrome.update(msg) {
            ControlFlow::Break(effect) => return effect,
            ControlFlow::Continue(Msg::Action(action)) => return update::act(self, action),
            ControlFlow::Continue(Msg::Click(x, y)) => return update::click(self, x, y),
            ControlFlow::Continue(Msg::Wheel(_, _, direction)) => update::wheel(self, direction),
            ControlFlow::Continue(Msg::Resize(..)) => {
                self.forget();
                update::reveal(self);
            }
            // They are about texts.
            ControlFlow::Continue(_) => {}
        }
        None
    }

    fn prepare(&mut self, tab_bar: Vec<TabTitle>, _: Duration) -> Option<Effect> {
        self.chrome.tab_bar = tab_bar;
        update::settle(self);
        None
    }

    fn draw(&self, frame: &mut Frame, theme: &Theme) {
        draw::draw(frame, self, theme);
    }

    fn title(&self) -> TabTitle {
        TabTitle { name: "comparison".into(), ..TabTitle::default() }
    }
}

impl Units for ComparisonScreen {
    fn numbers(&self) -> Range<usize> {
        0..self.comparison.rows.len() + 1
    }

    fn height(&self, unit: usize, _: usize) -> usize {
        match self.left_out(unit) {
            Some(calls) => usize::from(calls > 0),
            None => self.lines(unit).len(),
        }
    }
}
