//! A comparison of two readings: their calls side by side, aligned, with the differences in each pair.
//!
//! It is made on another thread ([`job`]). A row of the screen is a line of both columns; the rows of a pair are made
//! on demand. Two prompts of a conversation are compared by [`prompt`].

mod fold;
pub mod job;
mod mark;
pub mod pending;
pub mod prompt;
mod rows;
mod screen;
pub mod settings;
mod turns;
mod update;
mod values;

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::rc::Rc;

use crate::compare::{Comparison, RowKind};

use crate::tui::geometry::Area;
use crate::tui::keymap::ScreenId;
use crate::tui::list::{ListScreen, ListState, UnitRows, VisibleRows};
use crate::tui::screen::chrome::Chrome;
use crate::tui::viewport::Units;
use job::{Compared, ComparedSide};
use mark::RowPair;

/// How much of a pair of calls is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fold {
    /// One row per call.
    Closed,
    /// The differences, and the number of equal values.
    Differences,
    /// Everything, including equal values.
    Whole,
}

/// The comparison screen.
pub struct ComparisonScreen {
    /// The two readings, left and right.
    pub sides: [ComparedSide; 2],
    /// The differences between the readings.
    pub comparison: Comparison,
    /// The chrome around the two columns.
    pub chrome: Chrome,
    /// The current column: 0 or 1.
    pub side: usize,
    /// True if calls without differences are left out.
    pub only_differences: bool,
    /// The chosen row and the first visible one, shared by both columns.
    pub list: ListState,
    folds: HashMap<usize, Fold>,
    /// Indexes of the pairs of turns that are folded to their headings.
    folded_turns: HashSet<usize>,
    /// True until the size of the screen is known, which decides whether equal turns are folded.
    is_new: bool,
    /// Numbers of the problems that only one side of a pair has, by unit.
    problems: Vec<[Vec<usize>; 2]>,
    made: UnitRows<RowPair>,
}

impl ComparisonScreen {
    /// Shows a comparison, starting at the first difference.
    pub fn new(compared: Compared) -> Self {
        let Compared { sides, comparison } = compared;
        let mut screen = Self {
            sides,
            problems: vec![Default::default(); comparison.rows.len() + 1],
            comparison,
            chrome: Chrome::new(ScreenId::Comparison),
            side: 1,
            only_differences: false,
            list: ListState::default(),
            folds: HashMap::new(),
            folded_turns: HashSet::new(),
            is_new: true,
            made: UnitRows::default(),
        };
        screen.place_problems();
        let first = screen.next_difference(None, true).unwrap_or(0);
        screen.list.at = screen.call_row(first);
        screen
    }

    /// Assigns each problem to its pair of calls, or to the last unit if it is outside of calls.
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
                self.problems[*unit.unwrap_or(&rows.len())][side].push(number);
            }
        }
    }

    /// True if the calls are aligned by turns.
    pub fn is_by_turn(&self) -> bool {
        !self.comparison.turns.is_empty()
    }

    /// The indexes of the pairs of turns whose headings begin a unit: turns without calls precede the next call, or the last
    /// unit.
    pub fn turns_at(&self, unit: usize) -> Range<usize> {
        let turns = &self.comparison.turns;
        let end = |unit: usize| turns.partition_point(|pair| pair.rows.start <= unit);
        let start = if unit == 0 { 0 } else { end(unit - 1) };
        start..if unit < self.comparison.rows.len() { end(unit) } else { turns.len() }
    }

    /// True if anything differs in a unit.
    pub fn differs(&self, unit: usize) -> bool {
        let is_other = self.comparison.rows.get(unit).is_some_and(|row| row.kind() != RowKind::Same)
            || self.comparison.turns[self.turns_at(unit)].iter().any(|pair| !pair.has_same_prompt);
        is_other || self.problems.get(unit).is_some_and(|sides| sides.iter().any(|side| !side.is_empty()))
    }

    /// The next unit after or before another one that has differences.
    pub fn next_difference(&self, from: Option<usize>, forward: bool) -> Option<usize> {
        let units = self.problems.len();
        if forward {
            (from.map_or(0, |from| from + 1)..units).find(|&unit| self.differs(unit))
        } else {
            (0..from.unwrap_or(units).min(units)).rev().find(|&unit| self.differs(unit))
        }
    }

    /// The rank of a unit among units with differences (`None` if it has none), and their number.
    pub fn place_among_differences(&self, unit: usize) -> (Option<usize>, usize) {
        let all = (0..self.problems.len()).filter(|&unit| self.differs(unit)).count();
        let place = self.differs(unit).then(|| (0..=unit).filter(|&unit| self.differs(unit)).count());
        (place, all)
    }

    /// The rows of a unit: a pair of calls, or, for the last unit, the differences outside of calls.
    pub fn lines(&self, unit: usize) -> Rc<Vec<RowPair>> {
        self.made.get(unit, || rows::rows(self, unit))
    }

    /// For a left-out unit, the number of consecutive left-out calls if it is the first of them, otherwise 0.
    pub fn left_out(&self, unit: usize) -> Option<usize> {
        let is_hidden = |unit: usize| unit < self.comparison.rows.len() && !self.differs(unit);
        if !self.only_differences || !is_hidden(unit) {
            return None;
        }
        let is_first = unit == 0 || !is_hidden(unit - 1);
        Some(if is_first { (unit..self.comparison.rows.len()).take_while(|&unit| is_hidden(unit)).count() } else { 0 })
    }

    /// Columns available for rows on each side.
    pub fn width(&self) -> usize {
        usize::from(self.columns()[0].inner().width).max(10)
    }

    /// The areas of the two columns, including borders.
    pub fn columns(&self) -> [Area; 2] {
        let body = self.chrome.body();
        let left = Area { width: body.width / 2, ..body };
        [left, Area { x: left.width, width: body.width - left.width, ..body }]
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

impl ListScreen for ComparisonScreen {
    fn list(&self) -> ListState {
        self.list
    }

    fn set_list(&mut self, list: ListState) {
        self.list = list;
    }

    fn room(&self) -> VisibleRows {
        VisibleRows { height: usize::from(self.columns()[0].inner().height), margin: 2 }
    }
}
