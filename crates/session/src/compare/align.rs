//! Alignment of the calls of two sides.
//!
//! Both sides keep their order. Calls that agree in name, id and parameters are paired first, by Myers' diff algorithm;
//! the gaps between pairs are then aligned by weaker keys. `similar` bounds the search on difficult input like Git
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

/// A key to align by; calls without a key are skipped.
type Key = (u64, u64, u64);

/// The keys to align by, strictest first.
const ROUNDS: [fn(&CallKeys) -> Option<Key>; 6] = [
    |keys| Some((keys.name, keys.id.unwrap_or(0), keys.parameters)),
    |keys| keys.id.map(|id| (keys.name, id, 0)),
    |keys| Some((keys.name, 0, keys.parameters)),
    |keys| Some((keys.name, 0, 0)),
    |keys| keys.id.map(|id| (0, id, 0)),
    |keys| Some((0, 0, keys.parameters)),
];

/// Aligns the calls of two sides. Returns pairs of call numbers, left and right, one of which may be `None`. Every call
/// is in exactly one pair, and both columns are ascending.
pub(crate) fn align(left: &[CallKeys], right: &[CallKeys]) -> Vec<(Option<usize>, Option<usize>)> {
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

/// The ranges of calls before, between and after the pairs, possibly empty: one more than there are pairs.
fn gaps(
    pairs: &[(usize, usize)],
    left: usize,
    right: usize,
) -> impl Iterator<Item = (Range<usize>, Range<usize>)> + use<'_> {
    let starts = [(0, 0)].into_iter().chain(pairs.iter().map(|&(one, other)| (one + 1, other + 1)));
    let ends = pairs.iter().copied().chain([(left, right)]);
    starts.zip(ends).map(|(start, end)| (start.0..end.0, start.1..end.1))
}
