//! Alignment of the calls, or of the turns, of two sides.
//!
//! Both sides keep their order. What agrees in the strictest key, such as calls in name, id and parameters, is paired
//! first, by Myers' diff algorithm; the gaps between pairs are then aligned by weaker keys. `similar` bounds the search on difficult input like Git
//! does, by the number of calls instead of time, so that comparisons take less than quadratic time and are
//! deterministic.

use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices};

/// Hashes that identify a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct CallKeys {
    /// Hash of the tool's name.
    pub(crate) name: u64,
    /// Hash of the id, if one is written.
    pub(crate) id: Option<u64>,
    /// Hash of the parameters, independent of their order.
    pub(crate) parameters: u64,
}

/// A key to align by.
pub(super) type Key = (u64, u64, u64);

/// The key that a call or a turn has in a round; without a key it is skipped.
pub(super) type Round<K> = fn(&K) -> Option<Key>;

/// The rounds that align calls by their ids, strictest first.
pub(super) const BY_ID: [Round<CallKeys>; 6] = [
    |keys| Some((keys.name, keys.id.unwrap_or(0), keys.parameters)),
    |keys| keys.id.map(|id| (keys.name, id, 0)),
    |keys| Some((keys.name, 0, keys.parameters)),
    |keys| Some((keys.name, 0, 0)),
    |keys| keys.id.map(|id| (0, id, 0)),
    |keys| Some((0, 0, keys.parameters)),
];

/// Aligns two sides by these rounds. Returns pairs of numbers, left and right, one of which may be `None`. Every number
/// is in exactly one pair, and both columns are ascending.
pub(super) fn align<K>(left: &[K], right: &[K], rounds: &[Round<K>]) -> Vec<(Option<usize>, Option<usize>)> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    for round in rounds {
        let mut new = Vec::new();
        for (of_left, of_right) in gaps(&found, left.len(), right.len()) {
            let keyed = |all: &[K], range: Range<usize>| -> (Vec<usize>, Vec<Key>) {
                range.filter_map(|number| Some((number, round(&all[number])?))).unzip()
            };
            let ((lefts, left_keys), (rights, right_keys)) = (keyed(left, of_left), keyed(right, of_right));
            for operation in capture_diff_slices(Algorithm::Myers, &left_keys, &right_keys) {
                if let DiffOp::Equal { old_index, new_index, len } = operation {
                    new.extend((0..len).map(|at| (lefts[old_index + at], rights[new_index + at])));
                }
            }
        }
        found.extend(new);
        found.sort_unstable();
    }
    let mut pairs = Vec::new();
    let ends = found.iter().copied().map(Some).chain([None]);
    for ((of_left, of_right), end) in gaps(&found, left.len(), right.len()).zip(ends) {
        pairs.extend(of_left.map(|number| (Some(number), None)));
        pairs.extend(of_right.map(|number| (None, Some(number))));
        pairs.extend(end.map(|(one, other)| (Some(one), Some(other))));
    }
    pairs
}

/// The ranges of numbers before, between and after the pairs, possibly empty: one more than there are pairs.
fn gaps(
    pairs: &[(usize, usize)],
    left: usize,
    right: usize,
) -> impl Iterator<Item = (Range<usize>, Range<usize>)> + use<'_> {
    let starts = [(0, 0)].into_iter().chain(pairs.iter().map(|&(one, other)| (one + 1, other + 1)));
    let ends = pairs.iter().copied().chain([(left, right)]);
    starts.zip(ends).map(|(start, end)| (start.0..end.0, start.1..end.1))
}
