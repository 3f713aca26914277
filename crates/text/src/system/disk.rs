//! The operations on files that a disk can refuse, so that tests have each of them fail in its turn.

use std::fs::File;
use std::io::{self, ErrorKind, Seek, SeekFrom, Write};

#[cfg(any(test, feature = "testing"))]
pub mod faults;

/// What is asked of a disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// To open a file, or to make one.
    Open,
    /// To make a file that has no name.
    OpenUnnamed,
    /// To read bytes of a file.
    Read,
    /// To write bytes into a file.
    Write,
    /// To say what is known of a file: its size, its identity.
    Inspect,
    /// To set who may read and write a file.
    Permit,
    /// To have a file on the disk before it goes on.
    Sync,
    /// To give a file another name.
    Link,
    /// To put a file into the place of another one.
    Rename,
    /// To give a file another name that nothing has, in place of the one it has.
    RenameNew,
    /// To remove a file.
    Remove,
}

/// Does something that a disk may refuse, again where a signal interrupts it.
///
/// # Errors
/// Those of `work`; in a test, also that which is injected.
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

/// A file that is written.
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
