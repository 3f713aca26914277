//! Which call of one side is which of the other.
//!
//! Both sides keep their order. Calls that agree in name, id and parameters are paired first, by Myers' diff algorithm;
//! what then lies between two pairs is paired by less and less. `similar` bounds the search on difficult input as Git
//! does, by the length of the sides and not by the clock: no comparison takes quadratic time, and the same calls are
//! always paired in the same way. This module knows calls only as numbers.

use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices};

/// What a call is recognised by, as hashes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CallKeys {
    /// Hash of the name of its tool.
    pub name: u64,
    /// Its id, where one is written.
    pub id: Option<u64>,
    /// Hash of its parameters, whatever their order.
    pub parameters: u64,
}

/// A key to pair by; calls without one are not paired by it.
type Key = (u64, u64, u64);

/// By what calls are paired, the strictest first.
const ROUNDS: [fn(&CallKeys) -> Option<Key>; 6] = [
    |keys| Some((keys.name, keys.id.unwrap_or(0), keys.parameters)),
    |keys| keys.id.map(|id| (keys.name, id, 0)),
    |keys| Some((keys.name, 0, keys.parameters)),
    |keys| Some((keys.name, 0, 0)),
    |keys| keys.id.map(|id| (0, id, 0)),
    |keys| Some((0, 0, keys.parameters)),
];

/// Pairs the calls of two sides: the number of the call on the left, that on the right, or both. Every call is in one
/// pair, and in both columns they are in their order.
pub fn align(left: &[CallKeys], right: &[CallKeys]) -> Vec<(Option<usize>, Option<usize>)> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    for round in ROUNDS {
        let mut new = Vec::new();
        for (of_left, of_right) in gaps(&found, left.len(), right.len()) {
            let keyed = |calls: &[CallKeys], range: Range<usize>| -> (Vec<usize>, Vec<Key>) {
                range.filter_map(|call| Some((call, round(&calls[call])?))).unzip()
            };
            let ((left_calls, left_keys), (right_calls, right_keys)) = (keyed(left, of_left), keyed(right, of_right));
            for operation in capture_diff_slices(Algorithm::Myers, &left_keys, &right_keys) {
                if let DiffOp::Equal { old_index, new_index, len } = operation {
                    new.extend((0..len).map(|at| (left_calls[old_index + at], right_calls[new_index + at])));
                }
            }
        }
        found.extend(new);
        found.sort_unstable();
    }
    let mut pairs = Vec::new();
    let ends = found.iter().copied().map(Some).chain([None]);
    for ((of_left, of_right), end) in gaps(&found, left.len(), right.len()).zip(ends) {
        pairs.extend(of_left.map(|call| (Some(call), None)));
        pairs.extend(of_right.map(|call| (None, Some(call))));
        pairs.extend(end.map(|(one, other)| (Some(one), Some(other))));
    }
    pairs
}

/// The calls of both sides before, between and behind the pairs: one gap more than there are pairs, empty or not.
fn gaps(
    pairs: &[(usize, usize)],
    left: usize,
    right: usize,
) -> impl Iterator<Item = (Range<usize>, Range<usize>)> + use<'_> {
    let starts = [(0, 0)].into_iter().chain(pairs.iter().map(|&(one, other)| (one + 1, other + 1)));
    let ends = pairs.iter().copied().chain([(left, right)]);
    starts.zip(ends).map(|(start, end)| (start.0..end.0, start.1..end.1))
}
