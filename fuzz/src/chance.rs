//! Pseudo-random numbers that depend only on the input bytes.

/// A source of numbers.
pub struct Chance(u64);

impl Chance {
    /// Seeds the numbers with bytes.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        Self(
            bytes
                .iter()
                .fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)),
        )
    }

    /// The next number from 0 to `count`, exclusive; 0 if that is 0.
    pub fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % count.max(1)
    }

    /// Cuts bytes into chunks: all of one length, or of random lengths.
    pub fn cut<'a>(&mut self, mut rest: &'a [u8]) -> Vec<&'a [u8]> {
        let most = [1, 2, 7, 40, 300][self.below(5)];
        let mut pieces = Vec::new();
        while !rest.is_empty() {
            let (piece, behind) = rest.split_at((self.below(most) + 1).min(rest.len()));
            pieces.push(piece);
            rest = behind;
        }
        pieces
    }
}
