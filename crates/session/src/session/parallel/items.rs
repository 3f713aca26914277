//! Processes many items on several threads, a chunk at a time, and passes on the results in order.

use std::ops::Range;
use std::sync::mpsc;
use std::thread;

/// Items in a chunk: enough work to outweigh the cost of passing on its result.
pub const CHUNK: usize = 256;

/// Number of chunks from which other threads are started.
const WORTH_IT: usize = 4;

/// Results of each thread that may be queued.
const WAITING: usize = 8;

/// Processes the items from 0 to `count` on this many threads. Each of them calls `begin` once, and the returned
/// function on its chunks in order; the results of all chunks are passed to `take` in order, on this thread.
///
/// # Errors
/// The first error of `take`, which ends the work.
pub fn in_order<T: Send, W: FnMut(Range<usize>) -> T, E>(
    count: usize,
    threads: usize,
    begin: impl Fn() -> W + Sync,
    mut take: impl FnMut(T) -> Result<(), E>,
) -> Result<(), E> {
    let chunks = count.div_ceil(CHUNK);
    let items = |chunk: usize| chunk * CHUNK..count.min((chunk + 1) * CHUNK);
    let threads = if chunks < WORTH_IT { 1 } else { threads.min(chunks) };
    let mut here = begin();
    if threads < 2 {
        return (0..chunks).try_for_each(|chunk| take(here(items(chunk))));
    }
    thread::scope(|scope| {
        let begin = &begin;
        let start = |number: usize| {
            let (sender, receiver) = mpsc::sync_channel(WAITING);
            let works = move || {
                let mut work = begin();
                // After an error no one receives any more.
                _ = (number..chunks).step_by(threads).try_for_each(|chunk| sender.send(work(items(chunk))));
            };
            let spawned = thread::Builder::new().name(format!("items {number}")).spawn_scoped(scope, works);
            spawned.is_ok().then_some(receiver)
        };
        let receivers: Vec<_> = (0..threads).map(start).collect();
        for chunk in 0..chunks {
            let done = match &receivers[chunk % threads] {
                Some(receiver) => match receiver.recv() {
                    Ok(done) => done,
                    // The thread has panicked, so this one panics when it leaves the scope.
                    Err(_) => break,
                },
                // The thread could not be started.
                None => here(items(chunk)),
            };
            take(done)?;
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Indices of the items that `take` receives, up to the first one that is `bad`.
    fn check(count: usize, threads: usize, bad: usize) -> (Vec<usize>, Result<(), usize>) {
        let mut taken = Vec::new();
        let outcome = in_order(
            count,
            threads,
            || |chunk: Range<usize>| chunk.collect::<Vec<_>>(),
            |chunk| {
                for item in chunk {
                    if item == bad {
                        return Err(item);
                    }
                    taken.push(item);
                }
                Ok(())
            },
        );
        (taken, outcome)
    }

    #[test]
    fn chunks_are_taken_in_their_order_until_an_error() {
        for count in [0, 1, CHUNK - 1, CHUNK * WORTH_IT, CHUNK * 9 + 1, CHUNK * 100] {
            for threads in [0, 1, 2, 5, 64] {
                assert_eq!(check(count, threads, usize::MAX), ((0..count).collect(), Ok(())), "{count} {threads}");
                let bad = count / 2;
                let outcome = if bad < count { Err(bad) } else { Ok(()) };
                assert_eq!(check(count, threads, bad), ((0..bad).collect(), outcome), "{count} {threads}");
            }
        }
    }

    #[test]
    #[should_panic(expected = "a scoped thread panicked")]
    fn a_thread_that_panics_ends_the_work() {
        let begin = || |chunk: Range<usize>| assert!(chunk.start != 3 * CHUNK, "it is tried");
        let outcome: Result<(), ()> = in_order(50 * CHUNK, 3, begin, Ok);
        assert_eq!(outcome, Ok(()));
    }
}
