//! What comes once, kept so that it can be read again: in memory while it is little, then in a temporary file.
//!
//! The file has no name from the beginning, so that nothing is left of it however the process ends; it lies where
//! `TMPDIR` says. Where it cannot be written, what comes is kept in memory. Does not know what the bytes are.

use std::env;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::sanitize::{io_error_text, visible_str};
use super::store::{Backing, ReadAt};
use crate::system::disk::{Operation, attempt};

/// How many bytes are kept where.
#[derive(Clone, Copy, Debug)]
struct Limits {
    /// In memory, before there is a file.
    in_memory: usize,
    /// In memory, where no file can be written.
    without_file: usize,
    /// In all, in memory and in the file; behind that the spool takes nothing more.
    most: u64,
}

/// Bytes that are kept in memory before there is a file.
const IN_MEMORY: usize = 4 << 20;

/// Bytes that are kept in memory where the disk takes no more: enough for a session, and what a machine can spare.
const WITHOUT_FILE: usize = 128 << 20;

/// Bytes that are kept in all: more than any session has, and less than a disk, which a few compressed bytes or a program
/// that never ends would fill.
pub const MOST_KEPT: u64 = 16 << 30;

/// Keeps what arrives only once, so that it can be read again: in memory, then in a temporary file.
pub struct Spool {
    kept: Arc<Kept>,
    make: Make,
    limits: Limits,
    /// Whether there is no use in writing any more.
    full: bool,
    /// Whether what comes is kept no more.
    over: bool,
}

/// What stands in the way of keeping bytes, in words that are safe to show. Each is told once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SpoolTrouble {
    /// The disk takes no more, and memory is used from now on.
    NoDisk(String),
    /// These bytes are not kept, nor any behind them: a limit is reached.
    Over(String),
}

/// How the place for what outgrows memory is made.
type Make = fn() -> io::Result<Box<dyn Room>>;

/// Where bytes can be put and read again.
trait Room: Send + Sync {
    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<usize>;
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize>;
}

impl Room for File {
    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<usize> {
        attempt(Operation::Write, || FileExt::write_at(self, bytes, offset))
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        read_at(self, buffer, offset)
    }
}

/// The bytes: the first `written` in the file, the others in memory.
#[derive(Default)]
struct Kept(Mutex<Places>);

#[derive(Default)]
struct Places {
    room: Option<Arc<dyn Room>>,
    written: u64,
    memory: Vec<u8>,
}

impl Spool {
    /// A spool that keeps up to `in_memory` bytes in memory, and the others where `make` makes room.
    fn with(limits: Limits, make: Make) -> Self {
        Self { kept: Arc::default(), make, limits, full: false, over: false }
    }

    /// A spool that keeps `most` bytes at most.
    pub fn of_at_most(most: u64) -> Self {
        let limits = Limits { in_memory: IN_MEMORY, without_file: WITHOUT_FILE, most };
        Self::with(limits, || attempt(Operation::Open, tempfile::tempfile).map(|file| Box::new(file) as Box<dyn Room>))
    }

    /// Where the bytes can be read again.
    pub fn backing(&self) -> Backing {
        Backing::new(Arc::clone(&self.kept))
    }

    /// Keeps the bytes that follow.
    ///
    /// # Errors
    /// Says once that the disk takes no more, and once that a limit is reached.
    pub fn push(&mut self, bytes: &[u8]) -> Result<(), SpoolTrouble> {
        if self.over {
            return Ok(());
        }
        let Limits { in_memory, without_file, most } = self.limits;
        let mut places = self.kept.places();
        let in_all = places.written + (places.memory.len() + bytes.len()) as u64;
        if in_all > most || (self.full && places.memory.len() + bytes.len() > without_file) {
            self.over = true;
            return Err(SpoolTrouble::Over(if in_all > most {
                format!(
                    "it is longer than {}, the most that is kept of what can be read once; save what matters of it to a file",
                    size(most)
                )
            } else {
                let (folder, memory) = (folder(), size(without_file as u64));
                format!(
                    "nothing can be written to {folder}, and {memory} are kept in memory; set TMPDIR to a folder with room"
                )
            }));
        }
        places.memory.extend_from_slice(bytes);
        if self.full || (places.room.is_none() && places.memory.len() <= in_memory) {
            return Ok(());
        }
        let moved = places.move_out(self.make);
        moved.map_err(|error| {
            self.full = true;
            let (folder, cause) = (folder(), io_error_text(&error));
            SpoolTrouble::NoDisk(format!("could not write to {folder}: {cause}; keeping further input in memory"))
        })
    }
}

/// The folder of temporary files, safe to show.
fn folder() -> String {
    visible_str(&env::temp_dir().to_string_lossy()).into_owned()
}

/// A number of bytes that is a limit, in words.
fn size(bytes: u64) -> String {
    if bytes >= 1 << 30 { format!("{} GiB", bytes >> 30) } else { format!("{} MiB", bytes >> 20) }
}

impl Default for Spool {
    fn default() -> Self {
        Self::of_at_most(MOST_KEPT)
    }
}

impl Kept {
    fn places(&self) -> MutexGuard<'_, Places> {
        // Each change is whole before the next thing that might panic.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Places {
    /// Moves what is in memory to the file, as much of it as there is room for.
    fn move_out(&mut self, make: Make) -> io::Result<()> {
        let room = match &self.room {
            Some(room) => Arc::clone(room),
            None => Arc::clone(self.room.insert(Arc::from(make()?))),
        };
        let mut done = 0;
        let outcome = loop {
            if done == self.memory.len() {
                break Ok(());
            }
            match room.write_at(&self.memory[done..], self.written + done as u64) {
                Ok(0) => break Err(io::ErrorKind::WriteZero.into()),
                Ok(count) => done += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => break Err(error),
            }
        };
        self.written += done as u64;
        if done == self.memory.len() {
            // The room of the first bytes is given back.
            self.memory = Vec::new();
        } else {
            self.memory.drain(..done);
        }
        outcome
    }
}

impl ReadAt for Arc<Kept> {
    fn size(&self) -> io::Result<u64> {
        let places = self.places();
        Ok(places.written + places.memory.len() as u64)
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let places = self.places();
        let in_file = usize::try_from(places.written.saturating_sub(offset)).unwrap_or(usize::MAX).min(buffer.len());
        let (head, tail) = buffer.split_at_mut(in_file);
        let at = usize::try_from((offset + head.len() as u64).saturating_sub(places.written)).unwrap_or(usize::MAX);
        let rest = places.memory.get(at..).unwrap_or_default();
        let from_memory = rest.len().min(tail.len());
        tail[..from_memory].copy_from_slice(&rest[..from_memory]);
        let room = places.room.clone();
        // What is written stays as it is: whoever adds more need not wait for the disk.
        drop(places);
        match room {
            Some(room) if !head.is_empty() => {
                let read = room.read_at(head, offset)?;
                Ok(if read == head.len() { read + from_memory } else { read })
            }
            _ => Ok(from_memory),
        }
    }
}

impl ReadAt for File {
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        read_at(self, buffer, offset)
    }

    fn size(&self) -> io::Result<u64> {
        self.metadata().map(|metadata| metadata.len())
    }
}

/// Fills as much of `buffer` as the file has bytes from `offset` on; less than all of it only at the end.
pub fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match attempt(Operation::Read, || FileExt::read_at(file, &mut buffer[filled..], offset + filled as u64)) {
            Ok(0) => break,
            Ok(read) => filled += read,
            // What was read is given first; the error comes again.
            Err(_) if filled > 0 => break,
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

#[cfg(test)]
mod tests;
