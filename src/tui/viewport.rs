//! Scrolling over units of which only the visible ones are ever laid out.
//!
//! A place is a unit (an item, a line) and a row in it, never a number of rows from the beginning, so nothing moves
//! when something is added or folded elsewhere. This module does not know what the units are.

/// Something that can be scrolled: units in order, each with a number of rows, which may be none.
pub trait Units {
    /// What names a unit.
    type Unit: Copy + Ord + std::fmt::Debug;
    /// The first unit.
    fn first(&self) -> Option<Self::Unit>;
    /// The last unit.
    fn last(&self) -> Option<Self::Unit>;
    /// The unit behind this one.
    fn next(&self, unit: Self::Unit) -> Option<Self::Unit>;
    /// The unit before this one.
    fn previous(&self, unit: Self::Unit) -> Option<Self::Unit>;
    /// The rows of a unit.
    fn height(&self, unit: Self::Unit) -> usize;
}

/// A row of a unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Anchor<U> {
    /// The unit that the row belongs to.
    pub unit: U,
    /// The row in it, from 0.
    pub row: usize,
}

/// The row `count` rows below, or the last one there is.
pub fn down<L: Units>(units: &L, from: Anchor<L::Unit>, mut count: usize) -> Anchor<L::Unit> {
    let mut at = from;
    loop {
        let below = units.height(at.unit).saturating_sub(at.row + 1);
        if count <= below {
            return Anchor { row: at.row + count, ..at };
        }
        let Some(unit) = next_filled(units, at.unit) else {
            return Anchor { row: at.row + below, ..at };
        };
        count -= below + 1;
        at = Anchor { unit, row: 0 };
    }
}

/// The row `count` rows above, or the first one there is.
pub fn up<L: Units>(units: &L, from: Anchor<L::Unit>, mut count: usize) -> Anchor<L::Unit> {
    let mut at = from;
    loop {
        if count <= at.row {
            return Anchor { row: at.row - count, ..at };
        }
        let Some(unit) = previous_filled(units, at.unit) else {
            return Anchor { row: 0, ..at };
        };
        count -= at.row + 1;
        at = Anchor { unit, row: units.height(unit) - 1 };
    }
}

/// The first row there is.
pub fn first<L: Units>(units: &L) -> Option<Anchor<L::Unit>> {
    let unit = units.first()?;
    let unit = if units.height(unit) > 0 { Some(unit) } else { next_filled(units, unit) };
    unit.map(|unit| Anchor { unit, row: 0 })
}

/// The last row there is.
pub fn last<L: Units>(units: &L) -> Option<Anchor<L::Unit>> {
    let unit = units.last()?;
    let unit = if units.height(unit) > 0 { Some(unit) } else { previous_filled(units, unit) };
    unit.map(|unit| Anchor { unit, row: units.height(unit) - 1 })
}

/// A row that exists: the same one, or the nearest one if its unit has changed.
pub fn settle<L: Units>(units: &L, at: Anchor<L::Unit>) -> Option<Anchor<L::Unit>> {
    let last_unit = units.last()?;
    let unit = at.unit.min(last_unit);
    match units.height(unit) {
        0 => next_filled(units, unit)
            .map(|unit| Anchor { unit, row: 0 })
            .or_else(|| previous_filled(units, unit).map(|unit| Anchor { unit, row: units.height(unit) - 1 })),
        height => Some(Anchor { unit, row: at.row.min(height - 1) }),
    }
}

/// The rows from `top` on, at most `height` of them.
pub fn window<L: Units>(units: &L, top: Anchor<L::Unit>, height: usize) -> Vec<Anchor<L::Unit>> {
    let mut rows = Vec::with_capacity(height);
    let Some(mut at) = settle(units, top) else { return rows };
    while rows.len() < height {
        rows.push(at);
        if at.row + 1 < units.height(at.unit) {
            at.row += 1;
        } else if let Some(unit) = next_filled(units, at.unit) {
            at = Anchor { unit, row: 0 };
        } else {
            break;
        }
    }
    rows
}

/// The top with which `cursor` is among the `height` rows shown, `margin` rows from the edges where that is possible,
/// with as little movement as possible, and in the middle if it was far away.
pub fn reveal<L: Units>(
    units: &L,
    top: Anchor<L::Unit>,
    cursor: Anchor<L::Unit>,
    height: usize,
    margin: usize,
) -> Anchor<L::Unit> {
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
pub fn end<L: Units>(units: &L, height: usize) -> Option<Anchor<L::Unit>> {
    last(units).map(|last| up(units, last, height.saturating_sub(1)))
}

/// The top after the wheel has scrolled by some rows, down (1) or up (-1); the last row stays at the bottom edge.
pub fn scrolled<L: Units>(
    units: &L,
    top: Anchor<L::Unit>,
    direction: i8,
    rows: usize,
    height: usize,
) -> Anchor<L::Unit> {
    let Some(top) = settle(units, top) else { return top };
    if direction < 0 {
        return up(units, top, rows);
    }
    let lowest = end(units, height).unwrap_or(top);
    down(units, top, rows).min(lowest.max(top))
}

fn next_filled<L: Units>(units: &L, from: L::Unit) -> Option<L::Unit> {
    let mut at = units.next(from)?;
    while units.height(at) == 0 {
        at = units.next(at)?;
    }
    Some(at)
}

fn previous_filled<L: Units>(units: &L, from: L::Unit) -> Option<L::Unit> {
    let mut at = units.previous(from)?;
    while units.height(at) == 0 {
        at = units.previous(at)?;
    }
    Some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Heights(Vec<usize>);

    impl Units for Heights {
        type Unit = usize;
        fn first(&self) -> Option<usize> {
            (!self.0.is_empty()).then_some(0)
        }
        fn last(&self) -> Option<usize> {
            self.0.len().checked_sub(1)
        }
        fn next(&self, unit: usize) -> Option<usize> {
            (unit + 1 < self.0.len()).then_some(unit + 1)
        }
        fn previous(&self, unit: usize) -> Option<usize> {
            unit.checked_sub(1)
        }
        fn height(&self, unit: usize) -> usize {
            self.0[unit]
        }
    }

    fn at(unit: usize, row: usize) -> Anchor<usize> {
        Anchor { unit, row }
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
