//! Scrolling over units, of which only the visible ones are laid out.
//!
//! A position is a unit (an item, a line), a part of it and a row in that part, never a number of rows from the
//! beginning. So nothing moves when something is added or folded elsewhere.

use std::ops::Range;

/// Scrollable content: units in order, each with parts that have a number of rows, which may be 0.
pub trait Units {
    /// The numbers of the existing units.
    fn numbers(&self) -> Range<usize>;
    /// Number of parts of a unit, at least 1.
    fn parts(&self, _unit: usize) -> usize {
        1
    }
    /// Number of rows of a part of a unit.
    fn height(&self, unit: usize, part: usize) -> usize;
    /// The next unit that may have rows, or the end of the numbers.
    fn after(&self, unit: usize) -> usize {
        unit + 1
    }
    /// The previous unit that may have rows.
    fn before(&self, unit: usize) -> Option<usize> {
        unit.checked_sub(1)
    }
}

/// A row of a unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Anchor {
    /// The number of the unit.
    pub unit: usize,
    /// The part of the unit, from 0.
    pub part: usize,
    /// The row in the part, from 0.
    pub row: usize,
}

/// The row `count` rows below, or the last row.
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

/// The row `count` rows above, or the first row.
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

/// The first row, if there is any.
pub fn first(units: &(impl Units + ?Sized)) -> Option<Anchor> {
    clamp(units, Anchor { unit: units.numbers().start, ..Anchor::default() })
}

/// The last row, if there is any.
pub fn last(units: &(impl Units + ?Sized)) -> Option<Anchor> {
    end_of_previous_part(units, Anchor { unit: units.numbers().end, ..Anchor::default() })
}

/// Clamps a position to an existing row: the same one, or the nearest one if its unit has changed.
pub fn clamp(units: &(impl Units + ?Sized), at: Anchor) -> Option<Anchor> {
    let numbers = units.numbers();
    let last_unit = numbers.end.checked_sub(1).filter(|last| numbers.contains(last))?;
    let unit = at.unit.clamp(numbers.start, last_unit);
    let last_part = units.parts(unit) - 1;
    // A position after the last unit or part is clamped to its end.
    let part = if at.unit > unit { last_part } else { at.part.min(last_part) };
    let row = at.row.min(units.height(unit, part).saturating_sub(1));
    let at = Anchor { unit, part, row };
    if units.height(unit, part) > 0 {
        return Some(at);
    }
    next_part(units, at).or_else(|| end_of_previous_part(units, at))
}

/// The rows starting at `top`, at most `height` of them.
pub fn window(units: &(impl Units + ?Sized), top: Anchor, height: usize) -> Vec<Anchor> {
    let mut rows = Vec::with_capacity(height);
    let Some(mut at) = clamp(units, top) else { return rows };
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

/// The top row with which `cursor` is visible in `height` rows, if possible `margin` rows from the edges. Scrolls as
/// little as possible, or centres a cursor that was far away. No row below the last one stays empty while there are
/// rows above.
pub fn reveal(units: &(impl Units + ?Sized), top: Anchor, cursor: Anchor, height: usize, margin: usize) -> Anchor {
    let margin = inner_margin(height, margin);
    let Some(top) = clamp(units, top) else { return top };
    let shown = window(units, top, height + height / 2);
    let revealed = match shown.iter().position(|row| *row == cursor) {
        Some(at) if at < margin => up(units, top, margin - at),
        Some(at) => down(units, top, at.saturating_sub(height.saturating_sub(margin + 1))),
        None if cursor < top && cursor >= up(units, top, height / 2) => up(units, cursor, margin),
        None => up(units, cursor, height / 3),
    };
    filled(units, revealed, height)
}

/// The margin, limited so that some rows remain between both margins.
fn inner_margin(height: usize, margin: usize) -> usize {
    margin.min(height.saturating_sub(1) / 2)
}

/// The same top row, or a higher one so that no row below the last one stays empty while there are rows above.
pub fn filled(units: &(impl Units + ?Sized), top: Anchor, height: usize) -> Anchor {
    let Some(top) = clamp(units, top) else { return top };
    if window(units, top, height).len() >= height {
        return top;
    }
    end(units, height).map_or(top, |lowest| lowest.min(top))
}

/// The top row with which the last row is at the bottom of `height` rows.
pub fn end(units: &(impl Units + ?Sized), height: usize) -> Option<Anchor> {
    last(units).map(|last| up(units, last, height.saturating_sub(1)))
}

/// The top row after scrolling down (1) or up (-1) by a number of rows, at most as many as are visible. Scrolling stops
/// when the last row is at the bottom.
pub fn scrolled(units: &(impl Units + ?Sized), top: Anchor, direction: i8, rows: usize, height: usize) -> Anchor {
    let rows = rows.min(height.max(1));
    let Some(top) = clamp(units, top) else { return top };
    if direction < 0 {
        return up(units, top, rows);
    }
    filled(units, down(units, top, rows), height).max(top)
}

/// The top row after a motion down (1) or up (-1), if the next selectable row is too far away or does not exist; `None`
/// if it can be revealed from here. `neighbour` returns the selectable row next to the selected one, by direction.
pub fn scroll_toward(
    units: &(impl Units + ?Sized),
    top: Anchor,
    cursor: Anchor,
    direction: i8,
    height: usize,
    neighbour: impl Fn(i8) -> Option<Anchor>,
) -> Option<Anchor> {
    let height = height.max(1);
    let shown = window(units, top, height);
    let (&first, &last) = shown.first().zip(shown.last())?;
    let half = (height / 2).max(1);
    let is_down = direction > 0;
    if (is_down && cursor > last) || (!is_down && cursor < first) {
        // If only unselectable rows were scrolled through since the last selection, scrolling continues; otherwise the
        // pane was scrolled elsewhere.
        let other = neighbour(-direction);
        let is_next_to = other.is_none_or(|other| if is_down { other < first } else { other > last });
        return is_next_to.then(|| scrolled(units, top, direction, half, height));
    }
    let next = neighbour(direction);
    let reached = if is_down { down(units, last, height / 2) } else { up(units, first, height / 2) };
    let is_near = next.is_some_and(|next| if is_down { next <= reached } else { next >= reached });
    let rows = if next.is_some() { half } else { 1 };
    (!is_near).then(|| scrolled(units, top, direction, rows, height))
}

/// The position before or after a step by a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PageStep {
    /// The row at the top.
    pub top: Anchor,
    /// The selected row, if any.
    pub cursor: Option<Anchor>,
    /// Row of the pane, from 0, near which the selection is kept.
    row: usize,
    /// Direction and length of the step that led here, if it was shortened at an end: the way back has the same length.
    shortened: Option<(i8, usize)>,
}

impl PageStep {
    /// A position not reached by a step.
    pub fn at(top: Anchor) -> Self {
        Self { top, ..Self::default() }
    }

    /// The same position with another selected row.
    #[must_use]
    pub fn choosing(self, cursor: Option<Anchor>) -> Self {
        Self { cursor, ..self }
    }
}

/// Size and direction of a step by pages.
#[derive(Clone, Copy, Debug)]
pub struct Page {
    /// Down (1) or up (-1).
    pub direction: i8,
    /// Number of rows, unless an end is nearer.
    pub rows: usize,
    /// Number of visible rows; 0 counts as 1.
    pub height: usize,
    /// Minimum number of rows between the selection and the edges.
    pub margin: usize,
}

impl Page {
    /// The position after the step; `None` if there are no rows. `from` counts as the last step only if its top and
    /// selection are still `top` and `cursor`. At an end the selection moves to the last row.
    pub fn turn(
        self,
        units: &(impl Units + ?Sized),
        (top, cursor): (Anchor, Option<Anchor>),
        from: Option<PageStep>,
        can_be_chosen: impl Fn(Anchor) -> bool,
    ) -> Option<PageStep> {
        let Self { direction, rows, height, margin } = self;
        let height = height.max(1);
        let top = clamp(units, top)?;
        let from = from.filter(|from| from.top == top && from.cursor == cursor);
        let shown = window(units, top, height);
        let row = from.map(|from| from.row).or_else(|| shown.iter().position(|at| Some(*at) == cursor));
        let row = row.unwrap_or(if direction > 0 { 0 } else { height - 1 });
        let shortened = from.and_then(|from| from.shortened);
        let rows = shortened.filter(|(before, _)| *before == -direction).map_or(rows, |(_, rows)| rows);
        let to = scrolled(units, top, direction, rows, height);
        if to == top {
            let mut edge: Vec<Anchor> = shown;
            if direction > 0 {
                edge.reverse();
            }
            let cursor = edge.into_iter().find(|at| can_be_chosen(*at)).or(cursor);
            return Some(PageStep { top, cursor, row, shortened });
        }
        let (above, below) = if direction > 0 { (top, to) } else { (to, top) };
        let moved = window(units, above, rows + 1).iter().position(|at| *at == below).unwrap_or(rows);
        let shown = window(units, to, height);
        let margin = inner_margin(height, margin);
        let lowest = shown.len().saturating_sub(1);
        let first_row = if first(units) == Some(to) { 0 } else { margin };
        let last_row = if shown.last().copied() == last(units) { lowest } else { lowest.saturating_sub(margin) };
        let wanted = row.clamp(first_row, last_row.max(first_row));
        let mut near: Vec<usize> = (0..shown.len()).collect();
        near.sort_by_key(|at| (!(first_row..=last_row).contains(at), at.abs_diff(wanted)));
        let cursor = near.into_iter().map(|at| shown[at]).find(|at| can_be_chosen(*at));
        Some(PageStep { top: to, cursor, row, shortened: (moved < rows).then_some((direction, moved)) })
    }
}

/// Rows of a single unit, for a plain list.
pub struct Rows(pub usize);

impl Units for Rows {
    fn numbers(&self) -> Range<usize> {
        0..1
    }

    fn height(&self, _: usize, _: usize) -> usize {
        self.0
    }
}

/// The first row after a part.
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

    /// Units with heights from 0 to 6 that depend on the seed.
    fn some_heights(seed: usize) -> Heights {
        let number = |index: usize| (index * 7919 + seed * 104_729 + (index * seed) % 31) % 7;
        Heights((0..3 + seed % 29).map(number).collect())
    }

    #[test]
    fn pages_show_every_row_in_both_directions_and_the_way_back_leads_to_the_same_places() {
        for seed in 0..200 {
            let units = some_heights(seed);
            let all = window(&units, at(0, 0), 1000);
            let Some(&last) = all.last() else { continue };
            for (height, motion_rows) in
                [1, 2, 3, 5, 8, 13].into_iter().flat_map(|h: usize| [(h, h.max(2) - 1), (h, (h / 2).max(1))])
            {
                let margin = 3.min(height / 4);
                let page = |direction: i8| Page { direction, rows: motion_rows, height, margin };
                let turn = |from: PageStep, direction: i8| {
                    let can = |at: Anchor| !(at.unit + at.row).is_multiple_of(3);
                    page(direction).turn(&units, (from.top, from.cursor), Some(from), can).expect("there are rows")
                };
                let shown = |step: &PageStep| window(&units, step.top, height);
                let mut places = vec![PageStep { top: all[0], ..PageStep::default() }];
                while shown(&places[places.len() - 1]).last() != Some(&last) {
                    let before = places[places.len() - 1];
                    let next = turn(before, 1);
                    let [before, next_rows] = [before, next].map(|step| shown(&step));
                    let overlap = before.iter().filter(|row| next_rows.contains(row)).count();
                    let is_last = next_rows.last() == Some(&last);
                    assert!(is_last || overlap == height - motion_rows, "{overlap} rows of {height} are kept");
                    assert!(next_rows[0] <= down(&units, before[before.len() - 1], 1), "rows are skipped");
                    assert!(next_rows[0] > before[0], "it moves");
                    places.push(next);
                }
                // At the end the selection moves to it, and the page stays.
                let end = turn(places[places.len() - 1], 1);
                assert_eq!(end.top, places[places.len() - 1].top);
                let mut here = end;
                for expected in places.iter().rev().skip(1) {
                    here = turn(here, -1);
                    assert_eq!(here.top, expected.top, "seed {seed}, {height} rows");
                    if *expected != places[0] {
                        assert_eq!(here.cursor, expected.cursor, "seed {seed}, {height} rows");
                    }
                }
            }
        }
    }

    #[test]
    fn row_by_row_every_row_is_shown_wherever_the_next_one_is_that_can_be_chosen() {
        for seed in 0..200 {
            let units = some_heights(seed);
            let all = window(&units, at(0, 0), 1000);
            for (height, rare) in [(1, 5), (2, 3), (5, 17), (8, 40)] {
                let can = |row: &Anchor| (row.unit * 5 + row.row * 3 + seed).is_multiple_of(rare);
                let Some(&first) = all.iter().find(|row| can(row)) else { continue };
                let (mut top, mut cursor) = (all[0], first);
                for direction in [1, -1] {
                    let mut shown = window(&units, top, height);
                    for _ in 0..3 * all.len() {
                        let neighbour = |direction: i8| match direction {
                            1 => all.iter().find(|row| can(row) && **row > cursor).copied(),
                            _ => all.iter().rev().find(|row| can(row) && **row < cursor).copied(),
                        };
                        let next = neighbour(direction);
                        match (scroll_toward(&units, top, cursor, direction, height, neighbour), next) {
                            (Some(further), _) => top = further,
                            (None, Some(next)) => {
                                cursor = next;
                                top = reveal(&units, top, cursor, height, 3.min(height / 4));
                            }
                            (None, None) => {}
                        }
                        let now = window(&units, top, height);
                        let is_near = now[0] <= down(&units, shown[shown.len() - 1], 1)
                            && now[now.len() - 1] >= up(&units, shown[0], 1);
                        assert!(is_near, "{now:?} follows {shown:?}");
                        shown = now;
                    }
                    let edge = if direction > 0 { all.last() } else { all.first() };
                    assert!(edge.is_some_and(|edge| shown.contains(edge)), "seed {seed}: {edge:?} is not in {shown:?}");
                }
            }
        }
    }

    #[test]
    fn no_row_stays_empty_below_the_last_one_while_there_are_rows_above() {
        for seed in 0..100 {
            let units = some_heights(seed);
            let all = window(&units, at(0, 0), 1000);
            for height in [1, 4, 9] {
                for &top in &all {
                    let filled = window(&units, filled(&units, top, height), height);
                    assert_eq!(filled.len(), height.min(all.len()));
                    let scrolled = window(&units, scrolled(&units, top, 1, 3, height), height);
                    assert!(scrolled.len() == height.min(all.len()) || scrolled[0] == top);
                }
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
