//! Counts the steps that work takes, so that a test of speed or of growth needs no clock.
//!
//! A step is something that takes about as long each time: a record, a token, a node, a problem that is looked at,
//! [`WALKED`] bytes that are looked at one by one, or [`COPIED`] that are copied or searched as a whole. Only builds
//! with debug assertions count.

use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes that are one step to whoever looks at each of them.
pub const WALKED: usize = 64;

/// Bytes that are one step to whoever copies them or searches them for a byte.
pub const COPIED: usize = 1024;

/// The steps of all threads.
static IN_PROCESS: AtomicUsize = AtomicUsize::new(0);

thread_local!(static TAKEN: Cell<usize> = const { Cell::new(0) });

/// Adds so many steps to those of this thread.
pub fn add(count: usize) {
    if cfg!(debug_assertions) {
        TAKEN.set(TAKEN.get().wrapping_add(count));
        IN_PROCESS.fetch_add(count, Ordering::Relaxed);
    }
}

/// Adds the steps of somebody who looks at so many bytes: at least one.
pub fn add_bytes(length: usize) {
    add(1 + length / WALKED);
}

/// Adds the steps of somebody who copies so many bytes or searches them for one: at least one.
pub fn add_copied(length: usize) {
    add(1 + length / COPIED);
}

/// How many steps `work` takes on this thread; 0 in a build that does not count.
pub fn of(work: impl FnOnce()) -> usize {
    let before = TAKEN.get();
    work();
    TAKEN.get().wrapping_sub(before)
}

/// How many steps all threads take while `work` runs; 0 in a build that does not count.
pub fn of_process(work: impl FnOnce()) -> usize {
    let before = IN_PROCESS.load(Ordering::Relaxed);
    work();
    IN_PROCESS.load(Ordering::Relaxed).wrapping_sub(before)
}
