//! Sets of active dialects, by number.

use std::ops::{BitOr, BitOrAssign};

/// A set of dialects, by number, and of the code fences of Markdown: one bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DialectSet(u128);

/// Dialects with this number or a higher one share a bit, so that all of them are probed where one must be.
const SHARED: usize = 126;

impl DialectSet {
    /// No dialect, and no code fence.
    pub const EMPTY: Self = Self(0);

    /// All dialects, and the code fences.
    pub(crate) const ALL: Self = Self(u128::MAX);

    /// The code fences of Markdown, and no dialect.
    pub(crate) const FENCE: Self = Self(1 << 127);

    /// The dialect with this number; starting at 126, all dialects with such numbers.
    pub(crate) fn one(number: usize) -> Self {
        Self(1 << number.min(SHARED))
    }

    /// True for the empty set.
    #[inline]
    pub(crate) fn is_empty(self) -> bool {
        self == Self::EMPTY
    }

    /// True if the set contains a dialect.
    pub(crate) fn has_dialects(self) -> bool {
        self.0 & !Self::FENCE.0 != 0
    }

    /// The numbers of its dialects that are less than `count`, in ascending order.
    pub(crate) fn numbers(self, count: usize) -> impl Iterator<Item = usize> {
        let mut bits = self.0 & !(u128::MAX << count.min(SHARED));
        let own = std::iter::from_fn(move || {
            let number = bits.trailing_zeros() as usize;
            bits &= bits.wrapping_sub(1);
            (number < SHARED).then_some(number)
        });
        own.chain(if self.0 & Self::one(SHARED).0 == 0 { 0..0 } else { SHARED..count })
    }
}

impl BitOr for DialectSet {
    type Output = Self;

    #[inline]
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOrAssign for DialectSet {
    #[inline]
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_come_in_order_and_without_the_fences() {
        let cases = [
            (DialectSet::EMPTY, 9, vec![]),
            (DialectSet::one(0) | DialectSet::one(3) | DialectSet::one(125), 126, vec![0, 3, 125]),
            (DialectSet::one(5) | DialectSet::one(70), 70, vec![5]),
            (DialectSet::one(126), 126, vec![]),
            (DialectSet::one(2) | DialectSet::one(128), 130, vec![2, 126, 127, 128, 129]),
            (DialectSet::ALL, 3, vec![0, 1, 2]),
            (DialectSet::ALL, 200, (0..200).collect()),
            (DialectSet::FENCE, 200, vec![]),
        ];
        for (who, count, expected) in cases {
            assert_eq!(who.numbers(count).collect::<Vec<usize>>(), expected, "{who:?} below {count}");
        }
    }
}
