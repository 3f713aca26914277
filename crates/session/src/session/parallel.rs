//! Reads a long plain text on several threads, with the same result, byte for byte, as on a single one.
//!
//! The text is cut into chunks where most likely nothing is open. The chunks are read in parallel and joined in order;
//! a chunk that was begun in another state than the true one is read again (`stretch`). Threads are started once a text
//! turns out to be long.

pub mod items;

use std::collections::VecDeque;
use std::panic::{self, AssertUnwindSafe};
use std::sync::mpsc::{self, Receiver, SendError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use super::Session;
use super::chunk::{ChunkStart, ParsedChunk, Seed, end_in};
use crate::text::Span;

/// Approximate length of a chunk in bytes: threads do not wait long for each other, and a chunk fits in the cache.
pub const STRETCH: usize = 1024 * 1024;

/// Maximum number of chunks that are read on one thread after a chunk with a run-up had to be read again, before chunks
/// are read in parallel again. It is 1 at first, and doubles each time.
const MOST_PAUSED: usize = 64;

/// Reads a session's text on several threads if it arrives in large pieces.
pub struct ParallelReader {
    /// Number of bytes from which the received text becomes a chunk.
    length: usize,
    threads: usize,
    /// The queue of the threads that read chunks, once they are started.
    jobs: Option<Sender<Job>>,
    /// The state with which the next chunks begin.
    seed: Option<Arc<Seed>>,
    /// Received pieces that are not being read yet, and their length in bytes.
    pieces: Vec<Vec<u8>>,
    waiting: usize,
    /// The text before the next chunk that dialects may look back at: its offset, which is the beginning of a page, and
    /// its bytes.
    before: (usize, Vec<u8>),
    /// Chunks that are being read, in text order.
    reading: VecDeque<Reading>,
    /// Number of chunks left to be read on one thread, and that number for the next time.
    pause: (usize, usize),
    outcome: ChunkCounts,
}

/// Number of chunks that could be joined or not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChunkCounts {
    /// Chunks that were joined with the text before them.
    pub joined: usize,
    /// Chunks that were read again.
    pub read_again: usize,
}

/// A chunk to read.
struct Job {
    seed: Arc<Seed>,
    beginning: ChunkStart,
    before: (usize, Vec<u8>),
    pieces: Vec<Vec<u8>>,
    /// Returns the chunk to the thread that joins chunks; passes on a panic as well.
    reply: Sender<thread::Result<ParsedChunk>>,
}

/// A chunk that is being read.
struct Reading {
    beginning: ChunkStart,
    stretch: Receiver<thread::Result<ParsedChunk>>,
}

impl ParallelReader {
    /// A reader with this many threads, for chunks of this many bytes. With fewer than two threads it reads on the
    /// caller's.
    pub fn new(threads: usize, length: usize) -> Self {
        Self {
            length,
            threads,
            jobs: None,
            seed: None,
            pieces: Vec::new(),
            waiting: 0,
            before: (0, Vec::new()),
            reading: VecDeque::new(),
            pause: (0, 1),
            outcome: ChunkCounts::default(),
        }
    }

    /// Takes in the next bytes. The session may receive a large piece later; see [`ParallelReader::catch_up`].
    pub fn push(&mut self, session: &mut Session, bytes: Vec<u8>) {
        if self.threads < 2 || bytes.len() < self.length / 8 || !session.may_be_read_apart() {
            self.catch_up(session);
            session.push(&bytes);
            return;
        }
        self.waiting += bytes.len();
        self.pieces.push(bytes);
        if self.waiting >= self.length {
            self.dispatch_chunk(session);
        }
    }

    /// Counts of the chunks so far.
    pub fn outcome(&self) -> ChunkCounts {
        self.outcome
    }

    /// Reads everything that has arrived.
    pub fn catch_up(&mut self, session: &mut Session) {
        self.take_all(session);
        // This may end within a line, where no chunk may begin, so the state for the next one must be taken again.
        if !self.pieces.is_empty() {
            self.seed = None;
        }
        self.waiting = 0;
        for piece in self.pieces.drain(..) {
            session.push(&piece);
        }
    }

    /// Passes the received text to a thread, up to an offset at which most likely nothing is open.
    fn dispatch_chunk(&mut self, session: &mut Session) {
        let last_line = self.seed.as_ref().map_or_else(|| session.last_line_of_call(), |seed| seed.last_line.clone());
        let Some(last) = self.pieces.last_mut() else { return };
        let Some(end) = end_in(last, last_line.as_deref()) else { return self.catch_up(session) };
        let rest = last.split_off(end);
        self.waiting = rest.len();
        let mut pieces = std::mem::replace(&mut self.pieces, vec![rest]);
        if self.pause.0 == 0
            && let Some(seed) = self.seed.clone()
        {
            if self.reading.is_empty() {
                let start = seed.look_back(session.text.len());
                self.before = (start, session.text.read(Span::new(start, session.text.len())).into_owned());
            }
            let behind = bytes_before(&self.before, &pieces, &seed);
            let before = std::mem::replace(&mut self.before, behind);
            match self.start(seed, before, pieces) {
                Ok(reading) => {
                    self.reading.push_back(reading);
                    if self.reading.len() > self.threads {
                        self.take(session);
                    }
                    return;
                }
                Err(given_back) => pieces = given_back,
            }
        }
        self.take_all(session);
        self.pause.0 = self.pause.0.saturating_sub(1);
        for piece in &pieces {
            session.push(piece);
        }
        self.seed = session.seed().map(Arc::new);
    }

    /// Has a chunk read on another thread.
    ///
    /// # Errors
    /// No other thread is running: returns the pieces.
    fn start(
        &mut self,
        seed: Arc<Seed>,
        before: (usize, Vec<u8>),
        pieces: Vec<Vec<u8>>,
    ) -> Result<Reading, Vec<Vec<u8>>> {
        let jobs = self.jobs.get_or_insert_with(|| threads(self.threads));
        let (reply, stretch) = mpsc::channel();
        // If this was enough for all chunks so far, it is probably enough for the next one.
        let beginning = if self.outcome.read_again == 0 { ChunkStart::AsSeeded } else { ChunkStart::WithRunUp };
        match jobs.send(Job { seed, beginning, before, pieces, reply }) {
            Ok(()) => Ok(Reading { beginning, stretch }),
            Err(SendError(job)) => {
                self.threads = 1;
                Err(job.pieces)
            }
        }
    }

    fn take_all(&mut self, session: &mut Session) {
        while !self.reading.is_empty() {
            self.take(session);
        }
    }

    /// Joins the first of the chunks that are being read.
    fn take(&mut self, session: &mut Session) {
        let Some(Reading { beginning, stretch }) = self.reading.pop_front() else { return };
        let stretch = match stretch.recv().expect("a thread answers whatever happens to it") {
            Ok(stretch) => stretch,
            Err(panicked) => panic::resume_unwind(panicked),
        };
        match session.append(stretch) {
            Ok(_) => {
                self.outcome.joined += 1;
                self.pause.1 = (self.pause.1 / 2).max(1);
            }
            Err(bytes) => {
                self.outcome.read_again += 1;
                session.push(&bytes);
                // The next chunks begin with a run-up.
                if beginning == ChunkStart::WithRunUp {
                    self.pause = (self.pause.1, (self.pause.1 * 2).min(MOST_PAUSED));
                }
            }
        }
    }
}

/// The bytes before the chunk that follows `pieces`, given the bytes before `pieces`.
fn bytes_before((start, before): &(usize, Vec<u8>), pieces: &[Vec<u8>], seed: &Seed) -> (usize, Vec<u8>) {
    let end = start + before.len() + pieces.iter().map(Vec::len).sum::<usize>();
    let begin = seed.look_back(end);
    let mut wanted = end - begin;
    let mut parts = Vec::new();
    for piece in pieces.iter().rev().chain([before]) {
        let part = &piece[piece.len().saturating_sub(wanted)..];
        wanted -= part.len();
        parts.push(part);
    }
    parts.reverse();
    (begin, parts.concat())
}

/// Starts `count` threads, or as many as possible, which read chunks until the queue is closed.
fn threads(count: usize) -> Sender<Job> {
    let (jobs, next) = mpsc::channel::<Job>();
    let next = Arc::new(Mutex::new(next));
    for number in 0..count {
        let next = Arc::clone(&next);
        let work = move || {
            loop {
                let job = next.lock().unwrap_or_else(PoisonError::into_inner).recv();
                let Ok(Job { seed, beginning, before, pieces, reply }) = job else { return };
                let read = panic::catch_unwind(AssertUnwindSafe(|| seed.read(beginning, &before, &pieces)));
                // Reading may have ended early, so that no one receives the chunk.
                _ = reply.send(read);
            }
        };
        if thread::Builder::new().name(format!("reader {number}")).spawn(work).is_err() {
            break;
        }
    }
    jobs
}
