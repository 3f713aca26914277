//! Pseudo-random numbers that are the same in every run.

/// A generator of 64-bit numbers (`SplitMix64`).
pub struct Chance(pub u64);

impl Chance {
    /// A number below `bound`, which is not 0.
    pub fn below(&mut self, bound: u16) -> u16 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        u16::try_from((mixed ^ (mixed >> 31)) % u64::from(bound)).expect("below a number of 16 bits")
    }

    /// One of some values.
    pub fn one_of<T: Copy>(&mut self, values: &[T]) -> T {
        values[usize::from(self.below(u16::try_from(values.len()).expect("a short list")))]
    }
}
