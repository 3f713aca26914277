//! Keeps bytes that arrive only once, so that they can be read again: a few in memory, more in a temporary file.
//!
//! The file never has a name, so that nothing is left of it however the process ends; it is in the folder that `TMPDIR`
//! names. If it cannot be written, the bytes are kept in memory.

use std::env;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::sanitize::{io_error_text, visible_str};
use super::store::{Backing, ReadAt};
use crate::system::disk::{Operation, attempt};

/// Numbers of bytes that are kept, by place.
#[derive(Clone, Copy, Debug)]
struct Limits {
    /// In memory, before there is a file.
    in_memory: usize,
    /// In memory, if no file can be written.
    without_file: usize,
    /// In memory and in the file together; the spool takes nothing after that.
    most: u64,
}

const IN_MEMORY: usize = 4 << 20;

/// Bytes that are kept in memory if the disk is full: enough for a session, and little enough for most machines.
const WITHOUT_FILE: usize = 128 << 20;

/// Total bytes that are kept: more than any session has, but less than a disk, which a few compressed bytes or a
/// program that never ends would fill otherwise.
pub const MOST_KEPT: u64 = 16 << 30;

/// Keeps bytes that arrive only once, in memory and then in a temporary file.
pub struct Spool {
    kept: Arc<Kept>,
    make: Make,
    limits: Limits,
    /// True if further writes to disk are pointless.
    full: bool,
    /// True once a limit is reached and new bytes are discarded.
    over: bool,
}

/// Reason why bytes cannot be kept, as text that is safe to show. Each is reported once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SpoolTrouble {
    /// The disk takes no more bytes; memory is used instead.
    NoDisk(String),
    /// Neither these bytes nor any later ones are kept: a limit is reached.
    Over(String),
}

/// Makes the storage for bytes that do not fit in memory.
type Make = fn() -> io::Result<Box<dyn SpoolStorage>>;

/// Storage that can be written and read again at any offset.
trait SpoolStorage: Send + Sync {
    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<usize>;
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize>;
}

impl SpoolStorage for File {
    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<usize> {
        attempt(Operation::Write, || FileExt::write_at(self, bytes, offset))
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        read_at(self, buffer, offset)
    }
}

/// The bytes: the first `written` are in the file, the others in memory.
#[derive(Default)]
struct Kept(Mutex<Places>);

#[derive(Default)]
struct Places {
    room: Option<Arc<dyn SpoolStorage>>,
    written: u64,
    memory: Vec<u8>,
}

impl Spool {
    /// A spool within `limits`, whose storage besides memory comes from `make`.
    fn with(limits: Limits, make: Make) -> Self {
        Self { kept: Arc::default(), make, limits, full: false, over: false }
    }

    /// A spool that keeps at most `most` bytes.
    pub fn of_at_most(most: u64) -> Self {
        let limits = Limits { in_memory: IN_MEMORY, without_file: WITHOUT_FILE, most };
        Self::with(limits, || {
            attempt(Operation::Open, tempfile::tempfile).map(|file| Box::new(file) as Box<dyn SpoolStorage>)
        })
    }

    /// A backing that reads the kept bytes again.
    pub fn backing(&self) -> Backing {
        Backing::new(Arc::clone(&self.kept))
    }

    /// Keeps the bytes, which follow those pushed before.
    ///
    /// # Errors
    /// Reports once that the disk takes no more bytes, and once that a limit is reached.
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
                    "it is longer than {}, the limit for input that can be read only once; save it to a file",
                    size(most)
                )
            } else {
                let (folder, memory) = (folder(), size(without_file as u64));
                format!(
                    "could not write to {folder}, and memory is limited to {memory}; set TMPDIR to a folder with space"
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

/// A limit in bytes as text, such as `16 GiB`.
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
        // Every change is complete before anything that may panic.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Places {
    /// Moves the bytes in memory to the file, as many as it accepts.
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
            // Frees the memory of the first bytes too.
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
        // Written bytes never change, so writers need not wait for the disk.
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

/// Fills `buffer` with the bytes of the file at `offset`; fewer bytes than fit only at the end of the file.
pub fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match attempt(Operation::Read, || FileExt::read_at(file, &mut buffer[filled..], offset + filled as u64)) {
            Ok(0) => break,
            Ok(read) => filled += read,
            // The bytes read so far are returned first; the next call meets the error again.
            Err(_) if filled > 0 => break,
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

#[cfg(test)]
mod tests;
