//! Counts in tests how much is looked at, so that a test of speed needs no clock.
//!
//! Outside of tests nothing is counted. This file does not know what is counted.

/// So many nodes, rows or problems were looked at.
#[cfg(not(test))]
pub fn add(_: usize) {}

#[cfg(test)]
pub use in_tests::{add, work_of};

#[cfg(test)]
mod in_tests {
    use std::cell::Cell;

    thread_local!(static COUNT: Cell<usize> = const { Cell::new(0) });

    /// So many nodes, rows or problems were looked at.
    pub fn add(count: usize) {
        COUNT.set(COUNT.get() + count);
    }

    /// How many were looked at by `work` on this thread.
    pub fn work_of(work: impl FnOnce()) -> usize {
        let before = COUNT.get();
        work();
        COUNT.get() - before
    }
}
