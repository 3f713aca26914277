//! Counts the steps of a computation, so that tests of speed or growth do not need a clock.
//!
//! A step takes about the same time each: a record, a token, a node, an examined problem, `WALKED` bytes that are
//! examined one by one, or `COPIED` bytes that are copied or searched in bulk. Only builds with debug assertions
//! count.

use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes in a step of code that examines each of them.
pub(crate) const WALKED: usize = 64;

/// Bytes in a step of code that copies them or searches them for a byte.
pub(crate) const COPIED: usize = 1024;

/// The steps of all threads.
static IN_PROCESS: AtomicUsize = AtomicUsize::new(0);

thread_local!(static TAKEN: Cell<usize> = const { Cell::new(0) });

/// Adds `count` steps to this thread and to the process.
pub fn add(count: usize) {
    if cfg!(debug_assertions) {
        TAKEN.set(TAKEN.get().wrapping_add(count));
        IN_PROCESS.fetch_add(count, Ordering::Relaxed);
    }
}

/// Adds the steps of examining `length` bytes: at least one.
pub fn add_bytes(length: usize) {
    add(1 + length / WALKED);
}

/// Adds the steps of copying `length` bytes or searching them for a byte: at least one.
pub fn add_copied(length: usize) {
    add(1 + length / COPIED);
}

/// Number of steps that `work` takes on this thread; 0 in a build that does not count.
pub fn of(work: impl FnOnce()) -> usize {
    let before = TAKEN.get();
    work();
    TAKEN.get().wrapping_sub(before)
}

/// Number of steps that all threads take while `work` runs; 0 in a build that does not count.
pub fn of_process(work: impl FnOnce()) -> usize {
    let before = IN_PROCESS.load(Ordering::Relaxed);
    work();
    IN_PROCESS.load(Ordering::Relaxed).wrapping_sub(before)
}
