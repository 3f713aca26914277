//! Disks that fail: the n-th operation of a test, for every n, until a run passes without a failure.
//!
//! It is known of this thread alone, so that tests run side by side.

use std::cell::Cell;
use std::io;

use rustix::io::Errno;
use tempfile::TempDir;

use super::Operation;

/// In which way an operation is made to fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// Once, with this error.
    Once(Errno),
    /// This one and all that follow: the disk is gone, or the process, after whose end nothing is done any more.
    FromThenOn,
}

/// The ways in which everything is tried to fail: a broken and a full disk, too many open files, no permission, a
/// reader that is gone, an interruption, the end.
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
    /// Operations that succeed before one fails.
    left: usize,
    failure: Failure,
    /// What this disk can never do.
    lacks: &'static [Operation],
    /// The first operation that failed.
    failed: Option<Operation>,
}

thread_local! {
    static PLAN: Cell<Option<Plan>> = const { Cell::new(None) };
}

/// Fails if it is the turn of this operation.
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

/// A folder in memory where the system has such a thing: real disks are slow, and these here fail when they are to.
pub fn folder() -> TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).expect("a folder can be made")
}

/// Does `work` with the operation failing that comes after `left` others.
pub fn fail_once<T>(left: usize, error: Errno, work: impl FnOnce() -> T) -> T {
    PLAN.set(Some(Plan { left, failure: Failure::Once(error), lacks: &[], failed: None }));
    let outcome = work();
    PLAN.set(None);
    outcome
}

/// Does `work` on a disk that lacks some operations, with its first operation failing, then with its second one, and
/// so on until none fails; `check` is told each time which one failed. Gives the number of failures.
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
