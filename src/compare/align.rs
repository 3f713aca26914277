//! Which call of one side is which of the other.
//!
//! Both sides keep their order. What is the same in name, id and parameters is paired first, by a longest common
//! subsequence; what then lies between two pairs is paired by less and less. This module knows calls only as numbers.

use std::collections::HashMap;
use std::ops::Range;

use crate::text::{common_prefix, common_suffix};

/// What a call is recognised by, as hashes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Keys {
    /// Its name.
    pub name: u64,
    /// Its id, where one is written.
    pub id: Option<u64>,
    /// Its parameters.
    pub parameters: u64,
}

/// A call of each side, or of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// Number of the call on the left.
    pub left: Option<usize>,
    /// Number of the call on the right.
    pub right: Option<usize>,
}

/// Largest table of a longest common subsequence, in cells: two times a thousand calls that have nothing in common
/// at their ends. Where there are more, calls that are like no other on their side divide them.
const MAX_CELLS: usize = 1 << 20;

/// Calls that are passed over in search of one with the same key, where there are too many for a table.
const REACH: usize = 64;

/// A key to pair by; calls without one are not paired by it.
type Key = (u64, u64, u64);

/// By what calls are paired, the strictest first.
const ROUNDS: [fn(&Keys) -> Option<Key>; 6] = [
    |keys| Some((keys.name, keys.id.unwrap_or(0), keys.parameters)),
    |keys| keys.id.map(|id| (keys.name, id, 0)),
    |keys| Some((keys.name, 0, keys.parameters)),
    |keys| Some((keys.name, 0, 0)),
    |keys| keys.id.map(|id| (0, id, 0)),
    |keys| Some((0, 0, keys.parameters)),
];

/// Calls that lie between two pairs.
#[derive(Clone)]
struct Gap {
    left: Range<usize>,
    right: Range<usize>,
}

/// Pairs the calls of two sides. Every call is in one pair, and in both columns they are in their order.
pub fn align(left: &[Keys], right: &[Keys]) -> Vec<Pair> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    for round in ROUNDS {
        let mut new = Vec::new();
        for gap in gaps(&found, left.len(), right.len()) {
            let of = |calls: &[Keys], range: Range<usize>| calls[range].iter().map(round).collect::<Vec<_>>();
            let pairs = common(&of(left, gap.left.clone()), &of(right, gap.right.clone()));
            new.extend(pairs.into_iter().map(|(one, other)| (gap.left.start + one, gap.right.start + other)));
        }
        found.extend(new);
        found.sort_unstable();
    }
    let mut pairs = Vec::new();
    let ends = found.iter().copied().map(Some).chain([None]);
    for (gap, end) in all_gaps(&found, left.len(), right.len()).zip(ends) {
        pairs.extend(gap.left.map(|call| Pair { left: Some(call), right: None }));
        pairs.extend(gap.right.map(|call| Pair { left: None, right: Some(call) }));
        pairs.extend(end.map(|(one, other)| Pair { left: Some(one), right: Some(other) }));
    }
    pairs
}

/// What lies before, between and behind the pairs, empty or not.
fn all_gaps(pairs: &[(usize, usize)], left: usize, right: usize) -> impl Iterator<Item = Gap> + '_ {
    let starts = [(0, 0)].into_iter().chain(pairs.iter().map(|&(one, other)| (one + 1, other + 1)));
    let ends = pairs.iter().copied().chain([(left, right)]);
    starts.zip(ends).map(|(start, end)| Gap { left: start.0..end.0, right: start.1..end.1 })
}

/// Those in which both sides have something.
fn gaps(pairs: &[(usize, usize)], left: usize, right: usize) -> Vec<Gap> {
    all_gaps(pairs, left, right).filter(|gap| !gap.left.is_empty() && !gap.right.is_empty()).collect()
}

/// Pairs of equal keys, in order on both sides: as many as there can be, unless there are too many to find that out.
fn common(left: &[Option<Key>], right: &[Option<Key>]) -> Vec<(usize, usize)> {
    let anchors = if area(left, right) <= MAX_CELLS { Vec::new() } else { anchors(left, right) };
    let mut found = Vec::new();
    for gap in gaps(&anchors, left.len(), right.len()) {
        let (start, other) = (gap.left.start, gap.right.start);
        let pairs = between(&left[gap.left], &right[gap.right]);
        found.extend(pairs.into_iter().map(|(one, two)| (start + one, other + two)));
    }
    found.extend(anchors);
    found.sort_unstable();
    found
}

fn area(left: &[Option<Key>], right: &[Option<Key>]) -> usize {
    left.len().saturating_mul(right.len())
}

/// The same between two anchors: what the ends have in common, then by a table, or else by looking ahead.
fn between(left: &[Option<Key>], right: &[Option<Key>]) -> Vec<(usize, usize)> {
    let alike = |one: &Option<Key>, other: &Option<Key>| one.is_some() && one == other;
    let head = common_prefix(left, right, alike);
    let (rest_left, rest_right) = (&left[head..], &right[head..]);
    let tail = common_suffix(rest_left, rest_right, alike);
    let (middle_left, middle_right) = (&rest_left[..rest_left.len() - tail], &rest_right[..rest_right.len() - tail]);
    let middle = if area(middle_left, middle_right) <= MAX_CELLS {
        by_table(middle_left, middle_right)
    } else {
        by_looking_ahead(middle_left, middle_right)
    };
    let mut found: Vec<(usize, usize)> = (0..head).map(|at| (at, at)).collect();
    found.extend(middle.into_iter().map(|(one, other)| (head + one, head + other)));
    found.extend((0..tail).map(|at| (left.len() - tail + at, right.len() - tail + at)));
    found
}

/// A longest common subsequence.
fn by_table(left: &[Option<Key>], right: &[Option<Key>]) -> Vec<(usize, usize)> {
    let width = right.len() + 1;
    // Row `i`, column `j`: the length for what follows left call `i` and right call `j`, at most that of the shorter side.
    let mut table = vec![0_u32; (left.len() + 1) * width];
    for (i, one) in left.iter().enumerate().rev() {
        for (j, other) in right.iter().enumerate().rev() {
            table[i * width + j] = if one.is_some() && one == other {
                table[(i + 1) * width + j + 1] + 1
            } else {
                table[(i + 1) * width + j].max(table[i * width + j + 1])
            };
        }
    }
    let mut found = Vec::new();
    let (mut i, mut j) = (0, 0);
    while i < left.len() && j < right.len() {
        if left[i].is_some() && left[i] == right[j] {
            found.push((i, j));
            (i, j) = (i + 1, j + 1);
        } else if table[(i + 1) * width + j] >= table[i * width + j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    found
}

/// Each call with the next one that is equal, if it is near.
fn by_looking_ahead(left: &[Option<Key>], right: &[Option<Key>]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut from = 0;
    for (at, key) in left.iter().enumerate().filter(|(_, key)| key.is_some()) {
        let ahead = right[from..].iter().take(REACH).position(|other| other == key);
        if let Some(ahead) = ahead {
            found.push((at, from + ahead));
            from += ahead + 1;
        }
    }
    found
}

/// Pairs of calls whose key nobody else on their side has, as many as keep their order (patience diff).
fn anchors(left: &[Option<Key>], right: &[Option<Key>]) -> Vec<(usize, usize)> {
    let (of_left, of_right) = (unique(left), unique(right));
    let mut pairs: Vec<(usize, usize)> =
        of_left.iter().filter_map(|(key, &at)| of_right.get(key).map(|&other| (at, other))).collect();
    pairs.sort_unstable();
    // The longest run in which the right side rises: of each length, the run with the lowest end.
    let mut ends: Vec<usize> = Vec::new();
    let mut before = vec![None; pairs.len()];
    for (number, &(_, other)) in pairs.iter().enumerate() {
        let length = ends.partition_point(|&end| pairs[end].1 < other);
        before[number] = length.checked_sub(1).map(|length| ends[length]);
        if length == ends.len() {
            ends.push(number);
        } else {
            ends[length] = number;
        }
    }
    let mut found = Vec::new();
    let mut at = ends.last().copied();
    while let Some(number) = at {
        found.push(pairs[number]);
        at = before[number];
    }
    found.reverse();
    found
}

/// The keys that occur once, each with its place.
fn unique(keys: &[Option<Key>]) -> HashMap<Key, usize> {
    let mut places: HashMap<Key, Option<usize>> = HashMap::new();
    for (at, key) in keys.iter().enumerate() {
        if let Some(key) = key {
            places.entry(*key).and_modify(|place| *place = None).or_insert(Some(at));
        }
    }
    places.into_iter().filter_map(|(key, place)| place.map(|at| (key, at))).collect()
}
