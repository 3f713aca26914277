//! Injects disk failures: the n-th operation of a test fails, for every n, until a run has no failure.
//!
//! The state is local to the thread, so that tests can run in parallel.

use std::cell::Cell;
use std::io;

use rustix::io::Errno;
use tempfile::TempDir;

use super::Operation;

/// How an operation is made to fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// Once, with this error.
    Once(Errno),
    /// From this operation on: the disk is gone, or the process was killed.
    FromThenOn,
}

/// The failures to test: a broken and a full disk, too many open files, no permission, a closed pipe, an interruption,
/// and the end of the process.
pub const FAILURES: [Failure; 7] = [
    Failure::Once(Errno::IO),
    Failure::Once(Errno::NOSPC),
    Failure::Once(Errno::MFILE),
    Failure::Once(Errno::ACCESS),
    Failure::Once(Errno::PIPE),
    Failure::Once(Errno::INTR),
    Failure::FromThenOn,
];

#[derive(Clone, Copy)]
struct Plan {
    /// Number of operations that succeed before one fails.
    left: usize,
    failure: Failure,
    /// Operations that this disk does not support.
    lacks: &'static [Operation],
    /// The first operation that failed.
    failed: Option<Operation>,
}

thread_local! {
    static PLAN: Cell<Option<Plan>> = const { Cell::new(None) };
}

/// Fails if this operation is the one to fail.
pub(super) fn before(operation: Operation) -> io::Result<()> {
    let Some(mut plan) = PLAN.get() else { return Ok(()) };
    if plan.lacks.contains(&operation) {
        return Err(Errno::OPNOTSUPP.into());
    }
    let outcome = match (plan.failed, plan.failure) {
        (Some(_), Failure::FromThenOn) => Err(Errno::IO.into()),
        (Some(_), Failure::Once(_)) => Ok(()),
        (None, _) if plan.left > 0 => {
            plan.left -= 1;
            Ok(())
        }
        (None, failure) => {
            plan.failed = Some(operation);
            Err(if let Failure::Once(error) = failure { error } else { Errno::IO }.into())
        }
    };
    PLAN.set(Some(plan));
    outcome
}

/// A temporary folder, in memory if possible: real disks are slow.
pub fn folder() -> TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).expect("a folder can be made")
}

/// Runs `work` with a failure after `left` successful operations.
pub fn fail_once<T>(left: usize, error: Errno, work: impl FnOnce() -> T) -> T {
    PLAN.set(Some(Plan { left, failure: Failure::Once(error), lacks: &[], failed: None }));
    let outcome = work();
    PLAN.set(None);
    outcome
}

/// Runs `work` on a disk without some operations, first with its first operation failing, then with its second one, and
/// so on until none fails. `check` gets the operation that failed in each run. Returns the number of failures.
pub fn fail_each<T>(
    failure: Failure,
    lacks: &'static [Operation],
    mut work: impl FnMut() -> T,
    mut check: impl FnMut(Option<Operation>, T),
) -> usize {
    for left in 0.. {
        PLAN.set(Some(Plan { left, failure, lacks, failed: None }));
        let outcome = work();
        let failed = PLAN.take().and_then(|plan| plan.failed);
        check(failed, outcome);
        if failed.is_none() {
            return left;
        }
    }
    unreachable!("a test does not do endlessly many things")
}
