//! Reads files on several threads and hands on what is in them in their order, as if they were read one after another.
//!
//! How far the threads go ahead of whoever takes the rows is bounded twice: by a number of files, and by the bytes that
//! are read at once, so that the memory does not grow with the corpus. This module does not know what rows are for.

use std::collections::BTreeMap;
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use anyhow::Result;

use super::reader::{FileOutcome, FileReader};
use super::rows::{FileFacts, RowBatch, Summary};

/// Files that are read ahead of the one whose rows are taken.
const AHEAD: usize = 64;

/// Batches of a file that wait to be taken.
const WAITING: usize = 2;

/// Bytes of files that are read at once, unless one alone has more. A session takes a seventh of its file, and as much as
/// the file where every record has calls with problems.
const AT_ONCE: u64 = 128 << 20;

/// Bytes of a file at the most that any thread takes.
const SMALL: u64 = AT_ONCE / 16;

/// How much larger than on the disk a file may be that is compressed, as far as it is planned for.
const UNFOLDS: u64 = 8;

/// What is in a file, piece by piece.
#[derive(Debug)]
pub enum FilePiece {
    /// Some of its rows, in the order of the file.
    Rows(RowBatch),
    /// The last piece of a file: what is left.
    End(Box<Summary>),
    /// The last piece of a file that is not meant.
    Passed,
}

/// Reads files on `workers` threads. Pieces are handed to `each` with the number of their file: those of the first file,
/// then those of the second.
///
/// # Errors
/// The first error of `each`, which ends the reading.
pub fn read_files(
    files: &[FileFacts],
    workers: usize,
    reader: &FileReader<'_>,
    each: &mut dyn FnMut(usize, FilePiece) -> Result<()>,
) -> Result<()> {
    let turns = Turns::default();
    thread::scope(|scope| {
        let (announce, announced) = mpsc::channel();
        for number in 0..workers.clamp(1, files.len().max(1)) {
            let (announce, turns) = (announce.clone(), &turns);
            let work = move || {
                while let Some(next) = turns.next(files, number) {
                    let (sender, receiver) = mpsc::sync_channel(WAITING);
                    if announce.send((next, receiver)).is_err() {
                        break;
                    }
                    read_one(&files[next], reader, &sender);
                    turns.done(&files[next]);
                }
            };
            let spawned = thread::Builder::new().name(format!("reader {number}")).spawn_scoped(scope, work);
            if let Err(error) = spawned {
                // Fewer threads read as well.
                anyhow::ensure!(number > 0, "could not start reading: {error}");
                break;
            }
        }
        drop(announce);
        let outcome = take_in_order(files.len(), &announced, &turns, each);
        turns.stop();
        outcome
    })
}

fn read_one(facts: &FileFacts, reader: &FileReader<'_>, sender: &SyncSender<FilePiece>) {
    let outcome = reader.read(facts, &mut |batch| sender.send(FilePiece::Rows(batch)).is_ok());
    // Whoever does not listen any more wants nothing.
    _ = match outcome {
        FileOutcome::Read(summary) => sender.send(FilePiece::End(summary)),
        FileOutcome::Passed => sender.send(FilePiece::Passed),
        FileOutcome::Stopped => Ok(()),
    };
}

fn take_in_order(
    files: usize,
    announced: &Receiver<(usize, Receiver<FilePiece>)>,
    turns: &Turns,
    each: &mut dyn FnMut(usize, FilePiece) -> Result<()>,
) -> Result<()> {
    let mut known = BTreeMap::new();
    for number in 0..files {
        let pieces = loop {
            if let Some(pieces) = known.remove(&number) {
                break pieces;
            }
            match announced.recv() {
                Ok((number, pieces)) => known.insert(number, pieces),
                Err(_) => return Err(anyhow::anyhow!("the threads that read files have ended")),
            };
        };
        for piece in pieces {
            each(number, piece)?;
        }
        turns.taken();
    }
    Ok(())
}

/// Whose turn it is to be read.
#[derive(Default)]
struct Turns {
    state: Mutex<TurnState>,
    changed: Condvar,
}

#[derive(Default)]
struct TurnState {
    /// Number of the next file.
    next: usize,
    /// Files whose rows have been taken.
    taken: usize,
    /// Weights of the files that are being read.
    reading: u64,
    is_stopped: bool,
}

impl Turns {
    fn state(&self) -> MutexGuard<'_, TurnState> {
        // No code of others runs under the mutex, so the state is whole even if a thread has panicked with it.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next file, once there is room for it. Files get their turn in their order, so that whoever waits for room
    /// waits for files in front of it, whose rows are being taken.
    ///
    /// A large file waits for one of the first threads: what a thread has freed is mostly kept for that thread.
    fn next(&self, files: &[FileFacts], thread: usize) -> Option<usize> {
        let waits = |state: &mut TurnState| {
            let Some(file) = files.get(state.next).filter(|_| !state.is_stopped) else { return false };
            let is_far = state.next >= state.taken + AHEAD;
            is_far || thread >= threads_for(file) || (state.reading > 0 && state.reading + weight(file) > AT_ONCE)
        };
        let mut state = self.changed.wait_while(self.state(), waits).unwrap_or_else(PoisonError::into_inner);
        let number = state.next;
        let file = files.get(number).filter(|_| !state.is_stopped)?;
        state.next += 1;
        state.reading += weight(file);
        drop(state);
        // The next one may have room as well.
        self.changed.notify_all();
        Some(number)
    }

    fn done(&self, file: &FileFacts) {
        self.state().reading -= weight(file);
        self.changed.notify_all();
    }

    fn taken(&self) {
        self.state().taken += 1;
        self.changed.notify_all();
    }

    fn stop(&self) {
        self.state().is_stopped = true;
        self.changed.notify_all();
    }
}

/// How many of the threads take such a file.
fn threads_for(file: &FileFacts) -> usize {
    match weight(file) {
        0..=SMALL => usize::MAX,
        weight if weight <= AT_ONCE / 2 => 2,
        _ => 1,
    }
}

/// What a file counts for among those that are read at once, in bytes.
fn weight(file: &FileFacts) -> u64 {
    let is_compressed = [".gz", ".zst", ".zip"].iter().any(|part| file.file.contains(part));
    if is_compressed { file.bytes.saturating_mul(UNFOLDS) } else { file.bytes }
}
