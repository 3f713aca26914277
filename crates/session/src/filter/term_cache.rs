//! What a filter has found out about the calls of a session, so that a call and its results cost one look; threads share it.

use std::sync::atomic::{AtomicU64, Ordering};

/// Terms of a filter about which something is remembered: the first ones.
const TERMS: usize = u64::BITS as usize;

/// For each call the terms of which it is known whether they hold, and those that do; a bit for each.
#[derive(Debug, Default)]
pub(super) struct TermCache(Vec<[AtomicU64; 2]>);

/// A copy finds everything out anew.
impl Clone for TermCache {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl TermCache {
    /// Makes room for so many calls; of others nothing is remembered.
    pub(super) fn resize(&mut self, calls: usize) {
        self.0.resize_with(calls, Default::default);
    }

    /// Whether a term holds of a call; `look` is asked where that is not known.
    pub(super) fn holds(&self, call: usize, term: usize, look: impl FnOnce() -> bool) -> bool {
        let Some([known, true_of]) = self.0.get(call).filter(|_| term < TERMS) else { return look() };
        let bit = 1 << term;
        if known.load(Ordering::Acquire) & bit != 0 {
            return true_of.load(Ordering::Relaxed) & bit != 0;
        }
        let holds = look();
        true_of.fetch_or(if holds { bit } else { 0 }, Ordering::Relaxed);
        // Whoever sees that it is known sees what was written before.
        known.fetch_or(bit, Ordering::Release);
        holds
    }
}
