//! Goes through many items on several threads, a chunk at a time, and hands on what comes of each chunk in their order.

use std::ops::Range;
use std::sync::mpsc;
use std::thread;

/// Items of a chunk: a thread works on them for longer than it takes to hand on what came of them.
pub const CHUNK: usize = 256;

/// Chunks from which on other threads are started.
const WORTH_IT: usize = 4;

/// Chunks of each thread that wait to be taken.
const WAITING: usize = 8;

/// Goes through items from 0 to `count` on so many threads. Each of them has a `begin` made, which it gives its chunks in
/// their order; what comes of all chunks is handed to `take` in their order, on this thread.
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
                // Nobody takes any more where an error has ended the work.
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
                    // The thread has panicked, and this one does when it leaves the scope.
                    Err(_) => break,
                },
                // There could be no thread for them.
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

    /// Numbers of the items that are taken, up to the first one that is `bad`.
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
