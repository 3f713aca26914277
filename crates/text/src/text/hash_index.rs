//! Indexes words by their hashes, so that many of them take little memory.
//!
//! Hashes are 64 bits with a random key in each run, so that a file cannot be crafted to make two words collide.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, BuildHasherDefault, Hash, Hasher, RandomState};

/// Makes hashes that can be compared with one another.
#[derive(Clone, Debug, Default)]
pub struct WordHasher(RandomState);

impl WordHasher {
    /// The hash of a word.
    pub fn hash_word(&self, word: &str) -> WordHash {
        self.hash_in(0, word)
    }

    /// The hash of a word within one of several name spaces; the same word has another hash in each.
    #[inline]
    pub fn hash_in(&self, space: usize, word: &str) -> WordHash {
        let hash = self.0.hash_one((space, word));
        WordHash([hash as u32, (hash >> 32) as u32])
    }
}

/// The hash of a word, in two halves so that it needs no padding in a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WordHash([u32; 2]);

impl Hash for WordHash {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(u64::from(self.0[1]) << 32 | u64::from(self.0[0]));
    }
}

/// Uses a number that is already a hash unchanged.
#[derive(Clone, Copy, Debug, Default)]
pub struct PassThrough(u64);

impl Hasher for PassThrough {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = bytes.iter().fold(self.0, |hash, &byte| hash.rotate_left(8) ^ u64::from(byte));
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = number;
    }
}

/// Values indexed by the hashes of words; the words themselves are not stored.
pub type HashIndex<T> = HashMap<WordHash, T, BuildHasherDefault<PassThrough>>;

/// A set of words that can only be tested for membership.
pub type HashedWords = HashSet<WordHash, BuildHasherDefault<PassThrough>>;
