//! Works on files on several threads and passes on the results in file order, as if there were one thread.
//!
//! How far the threads run ahead of the consumer is bounded in two ways: by a number of files, and by the total size of
//! the files in memory, so that memory use does not grow with the number of files.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::mpsc::{self, Receiver};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use anyhow::Result;

/// Files in progress beyond the one whose results are consumed.
const AHEAD: usize = 64;

/// Results of a file that are queued.
const WAITING: usize = 2;

/// Total size of the files in progress, in bytes, unless a single one is larger. A session takes a seventh of its file
/// in memory, and as much as the file if every record has calls with problems.
const AT_ONCE: u64 = 128 << 20;

/// Size up to which any thread takes a file, in bytes.
const SMALL: u64 = AT_ONCE / 16;

/// Expansion of a compressed file that is planned for.
const UNFOLDS: u64 = 8;

/// The amount that a file contributes to the limit on files in progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Weight(u64);

impl Weight {
    /// The weight of a source of unknown size: it is worked on alone.
    pub const UNKNOWN: Self = Self(u64::MAX);

    /// The weight of a file with this size on disk, estimated for compressed ones.
    pub fn of(path: &Path, bytes: u64) -> Self {
        let path = path.to_string_lossy();
        let is_compressed = [".gz", ".zst", ".zip"].iter().any(|part| path.contains(part));
        Self(if is_compressed { bytes.saturating_mul(UNFOLDS) } else { bytes })
    }

    /// Number of threads that may take a file of this weight.
    fn threads(self) -> usize {
        match self.0 {
            0..=SMALL => usize::MAX,
            weight if weight <= AT_ONCE / 2 => 2,
            _ => 1,
        }
    }
}

/// The default number of threads: one per processor.
pub fn usual_workers() -> usize {
    thread::available_parallelism().map_or(1, NonZeroUsize::get)
}

/// Works on the file with a given index, and passes on the results for as long as the callback returns true.
pub(crate) type Work<'a, P> = dyn Fn(usize, &mut dyn FnMut(P) -> bool) + Sync + 'a;

/// Works on files of these weights on `workers` threads. The results are passed to `each` with the index of their file,
/// first all of the first file, then all of the second.
///
/// # Errors
/// The first error of `each`, which ends the work.
pub fn in_order<P: Send>(
    files: &[Weight],
    workers: usize,
    work: &Work<'_, P>,
    each: &mut dyn FnMut(usize, P) -> Result<()>,
) -> Result<()> {
    let turns = Turns::default();
    thread::scope(|scope| {
        let (announce, announced) = mpsc::channel();
        for number in 0..workers.clamp(1, files.len().max(1)) {
            let (announce, turns) = (announce.clone(), &turns);
            let works = move || {
                while let Some(next) = turns.next(files, number) {
                    let (sender, receiver) = mpsc::sync_channel(WAITING);
                    if announce.send((next, receiver)).is_err() {
                        break;
                    }
                    work(next, &mut |piece| sender.send(piece).is_ok());
                }
            };
            let spawned = thread::Builder::new().name(format!("reader {number}")).spawn_scoped(scope, works);
            if let Err(error) = spawned {
                // Fewer threads do as well.
                anyhow::ensure!(number > 0, "could not start a reader thread: {error}");
                break;
            }
        }
        drop(announce);
        let outcome = take_in_order(files, &announced, &turns, each);
        turns.stop();
        outcome
    })
}

fn take_in_order<P>(
    files: &[Weight],
    announced: &Receiver<(usize, Receiver<P>)>,
    turns: &Turns,
    each: &mut dyn FnMut(usize, P) -> Result<()>,
) -> Result<()> {
    let mut known = BTreeMap::new();
    for (number, &file) in files.iter().enumerate() {
        let pieces = loop {
            if let Some(pieces) = known.remove(&number) {
                break pieces;
            }
            match announced.recv() {
                Ok((number, pieces)) => known.insert(number, pieces),
                Err(_) => return Err(anyhow::anyhow!("the reader threads have ended")),
            };
        };
        for piece in pieces {
            each(number, piece)?;
        }
        turns.taken(file);
    }
    Ok(())
}

/// Schedules the files.
#[derive(Default)]
struct Turns {
    state: Mutex<TurnState>,
    changed: Condvar,
}

#[derive(Default)]
struct TurnState {
    /// Index of the next file.
    next: usize,
    /// Number of files whose results have all been consumed.
    taken: usize,
    /// Total weight of the files that were begun and not consumed.
    in_memory: u64,
    is_stopped: bool,
}

impl Turns {
    fn state(&self) -> MutexGuard<'_, TurnState> {
        // No foreign code runs under the mutex, so the state is consistent even after a panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The index of the next file, once there is room for it. Files are started in order, so that a thread that waits
    /// for room waits for earlier files, whose results are being consumed.
    ///
    /// A large file waits for one of the first threads: memory that a thread has freed is mostly reused by that thread.
    fn next(&self, files: &[Weight], thread: usize) -> Option<usize> {
        let waits = |state: &mut TurnState| {
            let Some(file) = files.get(state.next).filter(|_| !state.is_stopped) else { return false };
            let is_far = state.next >= state.taken + AHEAD;
            let is_heavy = state.in_memory > 0 && state.in_memory.saturating_add(file.0) > AT_ONCE;
            is_far || thread >= file.threads() || is_heavy
        };
        let mut state = self.changed.wait_while(self.state(), waits).unwrap_or_else(PoisonError::into_inner);
        let number = state.next;
        let file = files.get(number).filter(|_| !state.is_stopped)?;
        state.next += 1;
        state.in_memory = state.in_memory.saturating_add(file.0);
        drop(state);
        // There may be room for the next file as well.
        self.changed.notify_all();
        Some(number)
    }

    fn taken(&self, file: Weight) {
        let mut state = self.state();
        state.taken += 1;
        state.in_memory -= file.0;
        drop(state);
        self.changed.notify_all();
    }

    fn stop(&self) {
        self.state().is_stopped = true;
        self.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Weights of files: some small, some heavy and some unknown.
    fn weights(count: usize) -> Vec<Weight> {
        let weight = |number: usize| match number % 7 {
            3 => Weight(AT_ONCE / 3),
            5 => Weight::UNKNOWN,
            _ => Weight(number as u64),
        };
        (0..count).map(weight).collect()
    }

    #[test]
    fn pieces_come_in_order_and_no_thread_goes_far_ahead() {
        let files = weights(300);
        for workers in [1, 2, 5] {
            let (begun, mut taken) = (AtomicUsize::new(0), Vec::new());
            let work = |number: usize, send: &mut dyn FnMut(usize) -> bool| {
                begun.fetch_add(1, Ordering::Relaxed);
                assert!((0..number % 4).all(&mut *send));
            };
            let outcome = in_order(&files, workers, &work, &mut |number, piece| {
                assert!(begun.load(Ordering::Relaxed) <= number + AHEAD);
                taken.push((number, piece));
                Ok(())
            });
            outcome.expect("nothing fails");
            let expected: Vec<(usize, usize)> =
                (0..files.len()).flat_map(|number| (0..number % 4).map(move |piece| (number, piece))).collect();
            assert_eq!(taken, expected, "{workers}");
        }
    }

    #[test]
    fn heavy_files_wait_until_those_before_them_are_taken() {
        let files = weights(70);
        let in_memory = Mutex::new(0_u64);
        let work = |number: usize, send: &mut dyn FnMut(u64) -> bool| {
            let mut sum = in_memory.lock().expect("nothing panics");
            let weight = files[number].0;
            assert!(*sum == 0 || sum.saturating_add(weight) <= AT_ONCE, "{number}: {sum}");
            *sum += weight;
            drop(sum);
            send(weight);
        };
        let outcome = in_order(&files, 4, &work, &mut |_, weight| {
            *in_memory.lock().expect("nothing panics") -= weight;
            Ok(())
        });
        outcome.expect("nothing fails");
    }

    #[test]
    fn the_first_error_ends_the_work() {
        let files = weights(1000);
        let begun = AtomicUsize::new(0);
        let work = |number: usize, send: &mut dyn FnMut(usize) -> bool| {
            begun.fetch_add(1, Ordering::Relaxed);
            send(number);
        };
        let outcome = in_order(&files, 3, &work, &mut |number, _| {
            anyhow::ensure!(number < 10, "no more than {number}");
            Ok(())
        });
        assert_eq!(outcome.expect_err("it ends").to_string(), "no more than 10");
        assert!(begun.load(Ordering::Relaxed) <= 10 + AHEAD);
    }
}
