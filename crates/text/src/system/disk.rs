//! File operations that can fail, so that tests can make each of them fail in turn.

use std::fs::File;
use std::io::{self, ErrorKind, Seek, SeekFrom, Write};

#[cfg(any(test, feature = "testing"))]
pub mod faults;

/// A kind of file operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Open or create a file.
    Open,
    /// Create a file without a name.
    OpenUnnamed,
    /// Read from a file.
    Read,
    /// Write to a file.
    Write,
    /// Read the metadata of a file.
    Inspect,
    /// Set the permissions of a file.
    Permit,
    /// Flush a file to the disk.
    Sync,
    /// Give a file an additional name.
    Link,
    /// Rename a file, replacing any other one.
    Rename,
    /// Rename a file, unless the new name exists.
    RenameNew,
    /// Remove a file.
    Remove,
}

/// Runs a file operation, and retries it if a signal interrupts it.
///
/// # Errors
/// The errors of `work`; in a test, also an injected one.
#[inline]
pub fn attempt<T>(operation: Operation, mut work: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match faulty(operation).and_then(|()| work()) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            outcome => return outcome,
        }
    }
}

#[cfg(any(test, feature = "testing"))]
fn faulty(operation: Operation) -> io::Result<()> {
    faults::before(operation)
}

#[cfg(not(any(test, feature = "testing")))]
#[inline]
#[expect(clippy::unnecessary_wraps, reason = "tests have it fail")]
fn faulty(_: Operation) -> io::Result<()> {
    Ok(())
}

/// A file whose writes can be made to fail in tests.
#[derive(Debug)]
pub struct DiskFile<'a>(pub &'a File);

impl Write for DiskFile<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        attempt(Operation::Write, || self.0.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Seek for DiskFile<'_> {
    fn seek(&mut self, place: SeekFrom) -> io::Result<u64> {
        self.0.seek(place)
    }
}
