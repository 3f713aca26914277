//! Folding: how much of a pair of calls is shown, and turns that are shown by their headings alone.

use std::collections::HashSet;

use crate::compare::{CallRow, RowKind};

use crate::tui::list::ListScreen as _;
use crate::tui::screen::comparison::{ComparisonScreen, Fold, turns};
use crate::tui::viewport::{Anchor, Units as _};

impl ComparisonScreen {
    /// The fold state of a pair.
    pub fn fold(&self, unit: usize) -> Fold {
        let usual = || match self.comparison.rows.get(unit).map(CallRow::kind) {
            // Sessions are an overview first: results are long and differ often.
            Some(RowKind::Same | RowKind::Changed) if self.differs(unit) && !self.is_by_turn() => Fold::Differences,
            _ => Fold::Closed,
        };
        self.folds.get(&unit).copied().unwrap_or_else(usual)
    }

    /// The index of the pair of turns that the calls of a unit belong to.
    fn turn_of(&self, unit: usize) -> Option<usize> {
        let turns = &self.comparison.turns;
        let last = turns.partition_point(|pair| pair.rows.start <= unit).checked_sub(1)?;
        turns[last].rows.contains(&unit).then_some(last)
    }

    /// True if the calls of a unit are hidden in a folded turn.
    pub(super) fn is_in_folded_turn(&self, unit: usize) -> bool {
        self.turn_of(unit).is_some_and(|turn| self.folded_turns.contains(&turn))
    }

    /// True if the pair of turns at an index is folded; `None` without calls, which it could hide.
    pub(super) fn is_turn_folded(&self, turn: usize) -> Option<bool> {
        let pair = self.comparison.turns.get(turn)?;
        (!pair.rows.is_empty()).then(|| self.folded_turns.contains(&turn))
    }

    /// Number of differing calls in a pair of turns.
    pub(super) fn differing_calls(&self, turn: usize) -> usize {
        let rows = self.comparison.turns.get(turn).map_or(0..0, |pair| pair.rows.clone());
        rows.filter(|&unit| {
            self.comparison.rows[unit].kind() != RowKind::Same
                || self.problems[unit].iter().any(|side| !side.is_empty())
        })
        .count()
    }

    /// The header row of the pair of calls of a unit, after the headings of turns.
    pub(super) fn call_row(&self, unit: usize) -> Anchor {
        let row = if unit < self.comparison.rows.len() { turns::headings(self, unit).len() } else { 0 };
        Anchor { unit, row, ..Anchor::default() }
    }

    /// The index of the pair of turns whose heading a row belongs to.
    fn turn_at(&self, at: Anchor) -> Option<usize> {
        let begun = self.turns_at(at.unit);
        let totals = turns::headings(self, at.unit).len() - begun.len() * turns::HEADING;
        let index = at.row.checked_sub(totals)? / turns::HEADING;
        begun.clone().nth(index)
    }

    /// Sets the fold of the chosen turn or pair of calls, or else cycles it. A folded call is folded further with its turn.
    pub(super) fn fold_chosen(&mut self, asked: Option<Fold>) {
        let at = self.list.at;
        if let Some(turn) = self.turn_at(at).filter(|_| self.left_out(at.unit).is_none()) {
            return self.fold_turn(turn, asked);
        }
        let Some(row) = self.comparison.rows.get(at.unit).filter(|_| self.left_out(at.unit).is_none()) else { return };
        let has_both = matches!(row.kind(), RowKind::Same | RowKind::Changed);
        let fold = self.fold(at.unit);
        if asked == Some(Fold::Closed)
            && fold == Fold::Closed
            && let Some(turn) = self.turn_of(at.unit)
        {
            return self.fold_turn(turn, asked);
        }
        let next = match fold {
            Fold::Closed if has_both && self.differs(at.unit) => Fold::Differences,
            Fold::Closed | Fold::Differences => Fold::Whole,
            Fold::Whole => Fold::Closed,
        };
        self.folds.insert(at.unit, asked.unwrap_or(next));
        self.made.forget(at.unit);
        let row = self.call_row(at.unit);
        self.choose(row);
    }

    /// Folds or unfolds a turn, and selects its heading.
    fn fold_turn(&mut self, turn: usize, asked: Option<Fold>) {
        let Some(is_folded) = self.is_turn_folded(turn) else { return };
        let folds = asked.map_or(!is_folded, |fold| fold == Fold::Closed);
        if folds {
            self.folded_turns.insert(turn);
        } else {
            self.folded_turns.remove(&turn);
        }
        self.made.clear();
        let unit = self.comparison.turns[turn].rows.start;
        // The turn is the last one that begins with this unit.
        let row = turns::headings(self, unit).len().saturating_sub(turns::HEADING);
        self.choose(Anchor { unit, row, ..Anchor::default() });
    }

    /// Unfolds the turn of a unit.
    pub(super) fn show_turn_of(&mut self, unit: usize) {
        if self.turn_of(unit).is_some_and(|turn| self.folded_turns.remove(&turn)) {
            self.made.clear();
        }
    }

    /// Folds or unfolds all calls, and the turns with them.
    pub(super) fn fold_all(&mut self, fold: Fold) {
        for unit in 0..self.comparison.rows.len() {
            self.folds.insert(unit, fold);
        }
        self.folded_turns = match fold {
            Fold::Closed => {
                (0..self.comparison.turns.len()).filter(|&turn| self.is_turn_folded(turn).is_some()).collect()
            }
            Fold::Differences | Fold::Whole => HashSet::new(),
        };
        self.made.clear();
        let unit = self.list.at.unit;
        match self.turn_of(unit).filter(|_| fold == Fold::Closed) {
            Some(turn) => self.fold_turn(turn, Some(fold)),
            None => self.choose(Anchor { row: 0, ..self.list.at }),
        }
    }

    /// Folds the turns without a difference if the rows do not fit on the screen.
    pub(super) fn fold_equal_turns(&mut self) {
        let (mut rows, height) = (0, self.room().height);
        let is_long = self.numbers().any(|unit| {
            rows += self.height(unit, 0);
            rows > height
        });
        if !is_long {
            return;
        }
        let is_equal = |turn: &usize| self.comparison.turns[*turn].has_same_prompt && self.differing_calls(*turn) == 0;
        let equal = (0..self.comparison.turns.len()).filter(is_equal);
        self.folded_turns = equal.filter(|&turn| self.is_turn_folded(turn).is_some()).collect();
        self.made.clear();
    }
}
