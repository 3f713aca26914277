//! The lines between ranks: the columns at which they leave and arrive, the row on which they run across, and their
//! cells.
//!
//! No two lines share a column of a gap, or a row where they would touch, so two lines can only cross.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::graph_layout::PieceKind;
use crate::graph_layout::canvas::Run;
use crate::graph_layout::cards::{Arrow, Card};
use crate::graph_layout::layers::{Content, Item, Layers, Segment};

/// Columns that lines keep from the corners of a box if possible.
const CORNER: usize = 3;

/// The lines of a group of boxes, and the rows that make room for them.
pub(super) struct Lines {
    pub(super) width: usize,
    pub(super) height: usize,
    /// The first row of the boxes of each rank.
    pub(super) row_of_rank: Vec<usize>,
    /// Cells by row and column.
    cells: BTreeMap<(usize, usize), char>,
}

/// Draws the lines of a group whose items are placed.
pub(super) fn draw(layers: &mut Layers) -> Lines {
    let mut lines = Lines { width: 0, height: 0, row_of_rank: vec![0], cells: BTreeMap::new() };
    for gap in 0..layers.gaps.len() {
        let mut routes = leave(layers, gap);
        arrive(layers, gap, &mut routes);
        let across = share_rows(&mut routes);
        let first = lines.row_of_rank[gap] + Card::HEIGHT;
        // Arrows that point up need a separate row above the lanes, as arrows that point down do below them.
        let lead = usize::from(routes.iter().any(|route| route.starts_with_arrow));
        let last = first + lead + across;
        for route in &routes {
            lines.route(route, first, first + lead, last);
        }
        lines.row_of_rank.push(last + 1);
        for item in layers.items.iter().filter(|item| item.rank == gap + 1 && item.content == Content::Passage) {
            for row in 0..Card::HEIGHT {
                lines.put(item.x, last + 1 + row, '│');
            }
        }
    }
    lines.width = layers.items.iter().map(|item| item.x + item.width).max().unwrap_or(0);
    lines.height = lines.row_of_rank[layers.gaps.len()] + Card::HEIGHT;
    lines
}

impl Lines {
    /// Runs of adjacent cells, with their rows.
    pub(super) fn runs(&self) -> impl Iterator<Item = (usize, Run)> {
        let mut cells = self.cells.iter().peekable();
        std::iter::from_fn(move || {
            let (&(row, x), &first) = cells.next()?;
            let mut text = String::from(first);
            let mut next = x + 1;
            while let Some((_, &cell)) = cells.next_if(|&(&place, _)| place == (row, next)) {
                text.push(cell);
                next += 1;
            }
            Some((row, Run::new(x, text, PieceKind::Edge)))
        })
    }

    /// Draws a line from row `first` to row `last`; its lane is counted from row `lanes`.
    fn route(&mut self, route: &Route, first: usize, lanes: usize, last: usize) {
        let (min, max) = route.reach;
        let lane = lanes + route.lane;
        if min < max {
            for row in first..lane {
                self.put(route.top, row, '│');
            }
            for x in min..=max {
                let down = route.bottoms.iter().any(|&(_, bottom, _)| bottom == x);
                self.put(x, lane, junction([x == route.top, down, x > min, x < max]));
            }
        }
        for &(_, x, end) in &route.bottoms {
            for row in if min < max { lane + 1 } else { first }..last {
                self.put(x, row, '│');
            }
            self.put(x, last, end);
        }
        if route.starts_with_arrow {
            self.cells.insert((first, route.top), '▲');
        }
    }

    /// Sets a cell. Where lines cross, the vertical one is on top.
    fn put(&mut self, x: usize, row: usize, cell: char) {
        let there = self.cells.entry((row, x)).or_insert(cell);
        if *there == '─' {
            *there = cell;
        }
    }
}

/// A line in a gap.
struct Route {
    segment: usize,
    /// The column at which it leaves the upper rank.
    top: usize,
    /// The items that it reaches, the columns at which it arrives, and the cells with which it ends.
    bottoms: Vec<(usize, usize, char)>,
    /// The leftmost and the rightmost of these columns.
    reach: (usize, usize),
    starts_with_arrow: bool,
    /// The row of its horizontal part, counted from the first lane.
    lane: usize,
}

impl Route {
    fn arrive(&mut self, bottom: usize, x: usize, end: char) {
        self.bottoms.push((bottom, x, end));
        self.reach = (self.reach.0.min(x), self.reach.1.max(x));
    }

    fn is_straight(&self) -> bool {
        self.reach.0 == self.reach.1
    }

    /// True if the horizontal parts cannot share a row.
    fn touches(&self, other: &Self) -> bool {
        let ((min, max), (other_min, other_max)) = (self.reach, other.reach);
        min <= other_max + 1 && other_min <= max + 1
    }

    /// Number of crossings if this one runs across above the other.
    fn crossings_above(&self, other: &Self) -> usize {
        let ((min, max), (other_min, other_max)) = (self.reach, other.reach);
        usize::from((min..=max).contains(&other.top))
            + self.bottoms.iter().filter(|&&(_, x, _)| (other_min..=other_max).contains(&x)).count()
    }
}

/// Chooses where the lines of a gap leave the rank above it: straight above their target if possible, else in the
/// middle of their box, or side by side around it.
fn leave(layers: &mut Layers, gap: usize) -> Vec<Route> {
    let mut routes = Vec::new();
    for &top in &layers.ranks[gap] {
        let segments = &layers.gaps[gap];
        let mut leaving: Vec<usize> = (0..segments.len()).filter(|&segment| segments[segment].top == top).collect();
        leaving.sort_by_key(|&segment| aim(&layers.items, &segments[segment]));
        let item = &layers.items[top];
        let is_card = item.content != Content::Passage;
        let wishes: Vec<(usize, usize)> = leaving
            .iter()
            .enumerate()
            .map(|(place, &segment)| {
                let middle = item.x + slot(item.width, place, leaving.len());
                match segments[segment].bottoms[..] {
                    [bottom] => nearest_above(item, &layers.items[bottom], middle).map_or((middle, 1), |x| (x, 4)),
                    _ => (middle, 1),
                }
            })
            .collect();
        let columns = if is_card { spread(&wishes, inside(item), 2, |_, _| Some(0)) } else { Some(vec![item.x]) };
        for (segment, column) in leaving.into_iter().zip(columns.unwrap_or_default()) {
            let is_up = segments[segment].arrow == Arrow::Up;
            if is_card && !is_up {
                let left = layers.items[top].x;
                layers.items[top].ports.push(column - left);
            }
            let starts_with_arrow = is_card && is_up;
            let reach = (column, column);
            routes.push(Route { segment, top: column, bottoms: Vec::new(), reach, starts_with_arrow, lane: 0 });
        }
    }
    routes
}

/// Columns at which lines may meet a box.
fn inside(item: &Item) -> Range<usize> {
    item.x + 1..item.x + item.width - 1
}

/// The column nearest to `middle` that an upper box and an item below it share.
fn nearest_above(upper: &Item, lower: &Item, middle: usize) -> Option<usize> {
    if upper.content == Content::Passage {
        return None;
    }
    let below = if lower.content == Content::Passage { lower.x..lower.x + 1 } else { inside(lower) };
    // A line that leaves close to a corner is harder to read than one that bends.
    let clear = upper.x + CORNER..(upper.x + upper.width).saturating_sub(CORNER);
    let (start, end) = (clear.start.max(below.start), clear.end.min(below.end));
    (start < end).then(|| middle.clamp(start, end - 1))
}

/// Twice the mean of the middle columns of the items that a line reaches.
fn aim(items: &[Item], segment: &Segment) -> usize {
    let middles = segment.bottoms.iter().map(|&bottom| 2 * items[bottom].x + items[bottom].width);
    middles.sum::<usize>() / segment.bottoms.len().max(1)
}

/// The column in an item of some width for one of `count` lines, evenly spaced around the middle.
fn slot(width: usize, number: usize, count: usize) -> usize {
    let step = (width.saturating_sub(3) / count.max(1)).clamp(2, 4);
    let spread = step * (count - 1);
    ((width - 1).saturating_sub(spread)) / 2 + number * step
}

/// Chooses where the lines of a gap arrive at the rank below it: straight below their start if possible, and never
/// below the start of another line.
fn arrive(layers: &mut Layers, gap: usize, routes: &mut [Route]) {
    let tops: BTreeMap<usize, usize> = routes.iter().enumerate().map(|(number, route)| (route.top, number)).collect();
    let is_other = |x: usize, number: usize| tops.get(&x).is_some_and(|&owner| owner != number);
    let is_free = |x: usize, number: usize| !is_other(x, number);
    let segments = &layers.gaps[gap];
    for &bottom in &layers.ranks[gap + 1] {
        let mut arriving: Vec<usize> =
            (0..routes.len()).filter(|&route| segments[routes[route].segment].bottoms.contains(&bottom)).collect();
        arriving.sort_by_key(|&route| routes[route].top);
        let item = &mut layers.items[bottom];
        if item.content == Content::Passage {
            let [number] = arriving[..] else { continue };
            let x = item.x;
            let near = [routes[number].top, x, x + 1, x.saturating_sub(1)];
            let near = near.into_iter().find(|&near| near.abs_diff(x) <= 1 && is_free(near, number));
            item.x = near.unwrap_or(x);
            routes[number].arrive(bottom, item.x, '│');
            continue;
        }
        let wishes: Vec<(usize, usize)> = arriving
            .iter()
            .enumerate()
            .map(|(place, &route)| {
                let top = routes[route].top;
                // A straight line is worth more than an even distance.
                let is_below = inside(item).contains(&top);
                if is_below { (top, 4) } else { (item.x + slot(item.width, place, arriving.len()), 1) }
            })
            .collect();
        let cost = |x: usize, place: usize| {
            let crowded = is_other(x + 1, arriving[place]) || is_other(x.saturating_sub(1), arriving[place]);
            is_free(x, arriving[place]).then_some(if crowded { 3 } else { 0 })
        };
        let columns = spread(&wishes, inside(item), 2, cost).or_else(|| spread(&wishes, inside(item), 1, cost));
        for (&route, x) in arriving.iter().zip(columns.unwrap_or_default()) {
            let end = if segments[routes[route].segment].arrow == Arrow::Up { '│' } else { '▼' };
            routes[route].arrive(bottom, x, end);
        }
    }
}

/// Columns for lines in their order, at least `distance` apart, as near as possible to the wanted ones. A wish is a
/// column and the cost of each column of deviation; `cost_of` is the extra cost of a column for a line, `None` if it is
/// taken.
fn spread(
    wishes: &[(usize, usize)],
    room: Range<usize>,
    distance: usize,
    cost_of: impl Fn(usize, usize) -> Option<usize>,
) -> Option<Vec<usize>> {
    // For each line and column: the least cost with the line at that column or further left, and the index of the
    // column that it has then.
    let mut best: Vec<Vec<Option<(usize, usize)>>> = Vec::with_capacity(wishes.len());
    for (line, &(wish, cost)) in wishes.iter().enumerate() {
        let mut row: Vec<Option<(usize, usize)>> = Vec::with_capacity(room.len());
        for (place, x) in room.clone().enumerate() {
            let before = match line.checked_sub(1) {
                None => Some(0),
                Some(last) => place.checked_sub(distance).and_then(|place| best[last][place]).map(|(cost, _)| cost),
            };
            let here = before.zip(cost_of(x, line));
            let here = here.map(|(before, extra)| (before + extra + cost * x.abs_diff(wish), place));
            let left = row.last().copied().flatten();
            row.push(match (left, here) {
                (Some(left), Some(here)) if left.0 <= here.0 => Some(left),
                (left, here) => here.or(left),
            });
        }
        best.push(row);
    }
    let mut columns = vec![0; wishes.len()];
    let Some(mut place) = room.len().checked_sub(1) else { return Some(columns) };
    for line in (0..wishes.len()).rev() {
        let (_, at) = best[line][place]?;
        columns[line] = room.start + at;
        if line > 0 {
            place = at.checked_sub(distance)?;
        }
    }
    Some(columns)
}

/// Assigns the lines of a gap to rows for their horizontal parts, so that few of them cross. Returns the number of
/// rows.
fn share_rows(routes: &mut [Route]) -> usize {
    let mut left: Vec<usize> = (0..routes.len()).filter(|&route| !routes[route].is_straight()).collect();
    let mut placed: Vec<usize> = Vec::new();
    let mut lanes = 0;
    while !left.is_empty() {
        let cost = |one: usize| -> isize {
            let others = left.iter().filter(|&&other| other != one && routes[one].touches(&routes[other]));
            others
                .map(|&other| {
                    let (above, below) =
                        (routes[one].crossings_above(&routes[other]), routes[other].crossings_above(&routes[one]));
                    above.cast_signed() - below.cast_signed()
                })
                .sum()
        };
        let place = (0..left.len()).min_by_key(|&place| (cost(left[place]), routes[left[place]].top)).unwrap_or(0);
        let next = left.swap_remove(place);
        let above = placed.iter().filter(|&&other| routes[other].touches(&routes[next]));
        let lane = above.map(|&other| routes[other].lane + 1).max().unwrap_or(0);
        routes[next].lane = lane;
        lanes = lanes.max(lane + 1);
        placed.push(next);
    }
    lanes
}

/// The box-drawing character that connects up, down, left and right as given.
fn junction(ways: [bool; 4]) -> char {
    match ways {
        [true, true, true, true] => '┼',
        [true, true, true, false] => '┤',
        [true, true, false, true] => '├',
        [true, false, true, true] => '┴',
        [false, true, true, true] => '┬',
        [true, false, true, false] => '╯',
        [true, false, false, true] => '╰',
        [false, true, true, false] => '╮',
        [false, true, false, true] => '╭',
        [_, _, false, false] => '│',
        [false, false, _, _] => '─',
    }
}
