//! Scrolling over units of which only the visible ones are ever laid out.
//!
//! A place is a unit (an item, a line), a part of it and a row in that, never a number of rows from the beginning, so
//! nothing moves when something is added or folded elsewhere. This module does not know what the units are.

use std::ops::Range;

/// Something that can be scrolled: units in order, each in parts, each of those with a number of rows, which may be 0.
pub trait Units {
    /// The numbers of the units that there are.
    fn numbers(&self) -> Range<usize>;
    /// Number of parts of a unit, at least 1.
    fn parts(&self, _unit: usize) -> usize {
        1
    }
    /// The rows of a part of a unit.
    fn height(&self, unit: usize, part: usize) -> usize;
    /// The unit behind this one that may have rows; the end of the numbers where there is none.
    fn after(&self, unit: usize) -> usize {
        unit + 1
    }
    /// The unit in front of this one that may have rows.
    fn before(&self, unit: usize) -> Option<usize> {
        unit.checked_sub(1)
    }
}

/// A row of a unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Anchor {
    /// The number of the unit that the row belongs to.
    pub unit: usize,
    /// The part of the unit, from 0.
    pub part: usize,
    /// The row in the part, from 0.
    pub row: usize,
}

/// The row `count` rows below, or the last one there is.
pub fn down(units: &(impl Units + ?Sized), from: Anchor, mut count: usize) -> Anchor {
    let mut at = from;
    loop {
        let below = units.height(at.unit, at.part).saturating_sub(at.row + 1);
        if count <= below {
            return Anchor { row: at.row + count, ..at };
        }
        let Some(next) = next_part(units, at) else {
            return Anchor { row: at.row + below, ..at };
        };
        count -= below + 1;
        at = next;
    }
}

/// The row `count` rows above, or the first one there is.
pub fn up(units: &(impl Units + ?Sized), from: Anchor, mut count: usize) -> Anchor {
    let mut at = from;
    loop {
        if count <= at.row {
            return Anchor { row: at.row - count, ..at };
        }
        let Some(previous) = end_of_previous_part(units, at) else {
            return Anchor { row: 0, ..at };
        };
        count -= at.row + 1;
        at = previous;
    }
}

/// The first row there is.
pub fn first(units: &(impl Units + ?Sized)) -> Option<Anchor> {
    settle(units, Anchor { unit: units.numbers().start, ..Anchor::default() })
}

/// The last row there is.
pub fn last(units: &(impl Units + ?Sized)) -> Option<Anchor> {
    end_of_previous_part(units, Anchor { unit: units.numbers().end, ..Anchor::default() })
}

/// A row that exists: the same one, or the nearest one if its unit has changed.
pub fn settle(units: &(impl Units + ?Sized), at: Anchor) -> Option<Anchor> {
    let numbers = units.numbers();
    let last_unit = numbers.end.checked_sub(1).filter(|last| numbers.contains(last))?;
    let unit = at.unit.clamp(numbers.start, last_unit);
    let last_part = units.parts(unit) - 1;
    // Behind the last unit or part there is its end.
    let part = if at.unit > unit { last_part } else { at.part.min(last_part) };
    let row = at.row.min(units.height(unit, part).saturating_sub(1));
    let at = Anchor { unit, part, row };
    if units.height(unit, part) > 0 {
        return Some(at);
    }
    next_part(units, at).or_else(|| end_of_previous_part(units, at))
}

/// The rows from `top` on, at most `height` of them.
pub fn window(units: &(impl Units + ?Sized), top: Anchor, height: usize) -> Vec<Anchor> {
    let mut rows = Vec::with_capacity(height);
    let Some(mut at) = settle(units, top) else { return rows };
    while rows.len() < height {
        rows.push(at);
        if at.row + 1 < units.height(at.unit, at.part) {
            at.row += 1;
        } else if let Some(next) = next_part(units, at) {
            at = next;
        } else {
            break;
        }
    }
    rows
}

/// The top with which `cursor` is among the `height` rows shown, `margin` rows from the edges where that is possible,
/// with as little movement as possible, and in the middle if it was far away.
pub fn reveal(units: &(impl Units + ?Sized), top: Anchor, cursor: Anchor, height: usize, margin: usize) -> Anchor {
    let margin = margin.min(height.saturating_sub(1) / 2);
    let Some(top) = settle(units, top) else { return top };
    let shown = window(units, top, height + height / 2);
    if let Some(at) = shown.iter().position(|row| *row == cursor) {
        if at < margin {
            return up(units, top, margin - at);
        }
        let lowest = height.saturating_sub(margin + 1);
        return if at > lowest { down(units, top, at - lowest) } else { top };
    }
    let above = up(units, top, height / 2);
    if cursor >= above && cursor < top {
        return up(units, cursor, margin);
    }
    up(units, cursor, height / 3)
}

/// The top with which the last row is the lowest of `height` rows.
pub fn end(units: &(impl Units + ?Sized), height: usize) -> Option<Anchor> {
    last(units).map(|last| up(units, last, height.saturating_sub(1)))
}

/// The top after a turn of the wheel by some rows, down (1) or up (-1); the last row stays at the bottom edge.
pub fn scrolled(units: &(impl Units + ?Sized), top: Anchor, direction: i8, rows: usize, height: usize) -> Anchor {
    let Some(top) = settle(units, top) else { return top };
    if direction < 0 {
        return up(units, top, rows);
    }
    let lowest = end(units, height).unwrap_or(top);
    down(units, top, rows).min(lowest.max(top))
}

/// The first row behind a part.
fn next_part(units: &(impl Units + ?Sized), from: Anchor) -> Option<Anchor> {
    let end = units.numbers().end;
    let mut at = Anchor { row: 0, ..from };
    loop {
        at.part += 1;
        if at.part >= units.parts(at.unit) {
            at = Anchor { unit: units.after(at.unit), ..Anchor::default() };
        }
        if at.unit >= end {
            return None;
        }
        if units.height(at.unit, at.part) > 0 {
            return Some(at);
        }
    }
}

/// The last row before a part.
fn end_of_previous_part(units: &(impl Units + ?Sized), from: Anchor) -> Option<Anchor> {
    let start = units.numbers().start;
    let Anchor { mut unit, mut part, .. } = from;
    loop {
        if let Some(before) = part.checked_sub(1) {
            part = before;
        } else {
            unit = units.before(unit).filter(|unit| *unit >= start)?;
            part = units.parts(unit) - 1;
        }
        if let Some(row) = units.height(unit, part).checked_sub(1) {
            return Some(Anchor { unit, part, row });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Heights(Vec<usize>);

    impl Units for Heights {
        fn numbers(&self) -> Range<usize> {
            0..self.0.len()
        }
        fn height(&self, unit: usize, _: usize) -> usize {
            self.0[unit]
        }
    }

    fn at(unit: usize, row: usize) -> Anchor {
        Anchor { unit, part: 0, row }
    }

    #[test]
    fn moving_down_and_up_skips_empty_units_and_stops_at_the_ends() {
        let units = Heights(vec![0, 2, 0, 3, 0]);
        let cases =
            [(at(1, 0), 1, at(1, 1)), (at(1, 0), 2, at(3, 0)), (at(1, 0), 4, at(3, 2)), (at(1, 0), 99, at(3, 2))];
        for (from, count, expected) in cases {
            assert_eq!(down(&units, from, count), expected, "{count} down from {from:?}");
            if count < 99 {
                assert_eq!(up(&units, expected, count), from, "{count} up from {expected:?}");
            }
        }
        assert_eq!(up(&units, at(3, 1), 99), at(1, 0));
        assert_eq!((first(&units), last(&units)), (Some(at(1, 0)), Some(at(3, 2))));
    }

    #[test]
    fn every_cursor_is_revealed_from_every_top() {
        let units = Heights(vec![3, 0, 1, 7, 0, 2, 20, 1]);
        let all = window(&units, at(0, 0), 100);
        assert_eq!(all.len(), 34);
        for &top in &all {
            for &cursor in &all {
                let new_top = reveal(&units, top, cursor, 8, 2);
                let shown = window(&units, new_top, 8);
                assert!(shown.contains(&cursor), "{cursor:?} from {top:?} gives {new_top:?}");
            }
        }
    }

    #[test]
    fn nothing_can_be_scrolled_where_nothing_is() {
        let units = Heights(vec![0, 0]);
        assert_eq!(first(&units), None);
        assert_eq!(end(&units, 5), None);
        assert!(window(&units, at(0, 0), 5).is_empty());
        assert!(window(&Heights(vec![]), at(0, 0), 5).is_empty());
    }
}
