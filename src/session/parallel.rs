//! A long plain text read on several threads: what comes of it is the same, byte for byte, as if it were read on one.
//!
//! The text is cut where most likely nothing is open. The pieces are read at the same time and put together in their
//! order; one that was begun in another state than it turns out to have is read again (`stretch`). Threads are started
//! when a text turns out to be long.

pub mod items;

use std::collections::VecDeque;
use std::panic::{self, AssertUnwindSafe};
use std::sync::mpsc::{self, Receiver, SendError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use super::Session;
use super::stretch::{Beginning, Seed, Stretch, end_in};
use crate::text::Span;

/// Bytes of a stretch, about: no thread waits long for another one, and what is read stays in the processor's cache.
pub const STRETCH: usize = 1024 * 1024;

/// How many stretches at the most are read on one thread after one that had to be read twice though it was begun with a
/// run-up, before two are read at once again. It is one at first, and twice as many each time.
const MOST_PAUSED: usize = 64;

/// Reads a session's text on several threads, as far as it comes in large pieces.
pub struct ParallelReader {
    /// Bytes from which on what has come is handed out as a stretch.
    length: usize,
    threads: usize,
    /// Where stretches are read, once there are any.
    jobs: Option<Sender<Job>>,
    /// What the next stretches are begun with.
    seed: Option<Arc<Seed>>,
    /// What has come and is not being read, and how many bytes that is.
    pieces: Vec<Vec<u8>>,
    waiting: usize,
    /// What stands in front of the stretch that is handed out next, as far as dialects may look back: where that begins,
    /// which is the beginning of a page, and its bytes.
    before: (usize, Vec<u8>),
    /// Stretches that are being read, in the order of the text.
    reading: VecDeque<Reading>,
    /// How many stretches are still to be read on one thread, and how many it will be the next time.
    pause: (usize, usize),
    outcome: StretchOutcomes,
}

/// What came of the stretches that were read apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StretchOutcomes {
    /// Those that were put behind one another.
    pub joined: usize,
    /// Those that were read again.
    pub read_again: usize,
}

/// A stretch that is to be read.
struct Job {
    seed: Arc<Seed>,
    beginning: Beginning,
    before: (usize, Vec<u8>),
    pieces: Vec<Vec<u8>>,
    /// Leads to the thread that puts stretches together, and carries a panic there as well.
    reply: Sender<thread::Result<Stretch>>,
}

/// A stretch that is being read.
struct Reading {
    beginning: Beginning,
    stretch: Receiver<thread::Result<Stretch>>,
}

impl ParallelReader {
    /// A reader on so many threads, of stretches of so many bytes. With fewer than two threads it reads on its own.
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
            outcome: StretchOutcomes::default(),
        }
    }

    /// Takes in the bytes that follow. Of a large piece the session may learn later; see [`ParallelReader::catch_up`].
    pub fn push(&mut self, session: &mut Session, bytes: Vec<u8>) {
        if self.threads < 2 || bytes.len() < self.length / 8 || !session.may_be_read_apart() {
            self.catch_up(session);
            session.push(&bytes);
            return;
        }
        self.waiting += bytes.len();
        self.pieces.push(bytes);
        if self.waiting >= self.length {
            self.hand_out(session);
        }
    }

    /// What came of the stretches that were read apart so far.
    pub fn outcome(&self) -> StretchOutcomes {
        self.outcome
    }

    /// Reads everything that has come.
    pub fn catch_up(&mut self, session: &mut Session) {
        self.take_all(session);
        // It ends anywhere, perhaps within a line, where no stretch may begin: the next one is prepared anew.
        if !self.pieces.is_empty() {
            self.seed = None;
        }
        self.waiting = 0;
        for piece in self.pieces.drain(..) {
            session.push(&piece);
        }
    }

    /// Has what has come read, up to a place at which most likely nothing is open.
    fn hand_out(&mut self, session: &mut Session) {
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

    /// Has a stretch read on another thread.
    ///
    /// # Errors
    /// There is no other thread: the pieces.
    fn start(
        &mut self,
        seed: Arc<Seed>,
        before: (usize, Vec<u8>),
        pieces: Vec<Vec<u8>>,
    ) -> Result<Reading, Vec<Vec<u8>>> {
        let jobs = self.jobs.get_or_insert_with(|| threads(self.threads));
        let (reply, stretch) = mpsc::channel();
        // What was enough for all stretches so far is enough for the next one.
        let beginning = if self.outcome.read_again == 0 { Beginning::AsSeeded } else { Beginning::WithRunUp };
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

    /// Takes in the first of the stretches that are being read.
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
                // The next ones are begun in a better way.
                if beginning == Beginning::WithRunUp {
                    self.pause = (self.pause.1, (self.pause.1 * 2).min(MOST_PAUSED));
                }
            }
        }
    }
}

/// What stands in front of the stretch behind some pieces, by what stands in front of these.
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

/// Starts so many threads, or as many of them as there can be, which read stretches as long as there are any to come.
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
                // Nobody listens any more where reading has ended early.
                _ = reply.send(read);
            }
        };
        if thread::Builder::new().name(format!("reader {number}")).spawn(work).is_err() {
            break;
        }
    }
    jobs
}
