//! Caches answers to the costly terms of a filter for each call, for its results too; shared between threads.

use std::sync::atomic::{AtomicU64, Ordering};

/// Number of terms with cached answers: the first ones of the filter.
const TERMS: usize = u64::BITS as usize;

/// Two bit sets for each call, with one bit for each term: terms with a known answer, and terms that hold.
#[derive(Debug, Default)]
pub(super) struct TermCache(Vec<[AtomicU64; 2]>);

/// A clone starts empty.
impl Clone for TermCache {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl TermCache {
    /// Makes room for a number of calls; nothing is cached for calls beyond.
    pub(super) fn resize(&mut self, calls: usize) {
        self.0.resize_with(calls, Default::default);
    }

    /// Returns the cached answer of a term for a call, else computes it with `look`.
    pub(super) fn holds(&self, call: usize, term: usize, look: impl FnOnce() -> bool) -> bool {
        let Some([known, true_of]) = self.0.get(call).filter(|_| term < TERMS) else { return look() };
        let bit = 1 << term;
        if known.load(Ordering::Acquire) & bit != 0 {
            return true_of.load(Ordering::Relaxed) & bit != 0;
        }
        let holds = look();
        true_of.fetch_or(if holds { bit } else { 0 }, Ordering::Relaxed);
        // Pairs with the `Acquire` load: a thread that sees the bit in `known` also sees the one in `true_of`.
        known.fetch_or(bit, Ordering::Release);
        holds
    }
}
