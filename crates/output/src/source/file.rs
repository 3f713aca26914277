//! Opens a path without blocking, whatever it is, and reads a regular file to its end.
//!
//! Waiting for more is left to `follow` for files and to `stream` for pipes.

use std::fmt;
use std::fs::{self, File, Metadata};
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

use rustix::fs::{Mode, OFlags};

use crate::system::disk::{Operation, attempt};
use crate::text::sanitize::io_error_text;
use crate::text::spool::read_at;
use crate::text::store::Backing;

use super::intake::Intake;
use super::{CHUNK, FIRST_CHUNK, ReadStop, Sink, decoder};

pub(super) struct OpenedFile {
    pub(super) file: File,
    pub(super) kind: FileKind,
    /// The metadata when it was opened.
    pub(super) metadata: Metadata,
}

impl OpenedFile {
    /// Bytes of text when it was opened; 0 for a pipe and for compressed data.
    pub(super) fn len(&self) -> u64 {
        let mut first = [0; decoder::MAGIC];
        match self.kind {
            FileKind::Regular if !read_at(&self.file, &mut first, 0).is_ok_and(|read| decoder::is(&first[..read])) => {
                self.metadata.len()
            }
            _ => 0,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FileKind {
    /// Can be read at any offset, and again.
    Regular,
    /// A pipe with a path, whose writer may not have opened it yet.
    NamedPipe,
    /// A pipe without a path, passed on by a shell: its writer exists or has existed.
    Pipe,
}

/// Reason why a path cannot be opened; displayed as the cause and a remedy.
#[derive(Debug)]
pub(super) enum OpenError {
    Missing,
    Forbidden,
    Directory,
    Device,
    Socket,
    System(io::Error),
}

impl fmt::Display for OpenError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Missing => "no such file; check the name",
            Self::Forbidden => "permission denied",
            Self::Directory => "it is a directory; name a file in it, or run transcope DIR to list its sessions",
            Self::Device => "it is a device; name a file, or pipe its output to standard input",
            Self::Socket => "it is a socket; name a file, or pipe its output to standard input",
            Self::System(error) => return out.write_str(&io_error_text(error)),
        })
    }
}

/// Opens a regular file or a pipe for reading.
///
/// Neither waits for the writer of a pipe nor acquires a controlling terminal. The kind of file is checked on the
/// opened descriptor, so that the file cannot be exchanged in between.
pub(super) fn open(path: &Path) -> Result<OpenedFile, OpenError> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let opened = attempt(Operation::Open, || Ok(rustix::fs::open(path, flags, Mode::empty())?));
    let file = match opened {
        Ok(descriptor) => File::from(descriptor),
        // Opening a socket in the file system fails with "no such device or address".
        Err(_) if fs::metadata(path).is_ok_and(|at_path| at_path.file_type().is_socket()) => {
            return Err(OpenError::Socket);
        }
        Err(error) => return Err(refusal(error)),
    };
    let metadata = attempt(Operation::Inspect, || file.metadata()).map_err(refusal)?;
    let kind = kind(&metadata, path)?;
    Ok(OpenedFile { file, kind, metadata })
}

/// Reads a regular file to its current end.
pub(super) fn read(file: &File, intake: &mut Intake, sink: &mut Sink<'_>) -> Result<(), ReadStop> {
    intake.expect_end();
    // Most files are small, and there may be many.
    let mut buffer = vec![0; FIRST_CHUNK];
    let mut offset = 0;
    while intake.damage().is_none() {
        let read = read_at(file, &mut buffer, offset)?;
        if read == 0 {
            break;
        }
        if offset == 0 {
            intake.begin(backing(file));
        }
        intake.push(&buffer[..read], sink)?;
        offset += read as u64;
        if read == FIRST_CHUNK {
            buffer.resize(CHUNK, 0);
        }
    }
    Ok(())
}

/// A backing that reads a regular file again. `None` for a file with a reported size of 0 from which something was
/// read: the kernel generates its contents each time.
pub(super) fn backing(file: &File) -> Option<Backing> {
    let is_empty = file.metadata().ok()?.len() == 0;
    if is_empty { None } else { file.try_clone().ok().map(Backing::new) }
}

fn kind(metadata: &Metadata, path: &Path) -> Result<FileKind, OpenError> {
    let kind = metadata.file_type();
    if kind.is_dir() {
        Err(OpenError::Directory)
    } else if kind.is_char_device() || kind.is_block_device() {
        Err(OpenError::Device)
    } else if kind.is_socket() {
        Err(OpenError::Socket)
    } else if kind.is_fifo() {
        // The links in /dev/fd point to a pipe but not to a path.
        Ok(if fs::canonicalize(path).is_ok() { FileKind::NamedPipe } else { FileKind::Pipe })
    } else {
        Ok(FileKind::Regular)
    }
}

/// Device and inode, which identify a file while it is open.
pub(super) fn identity(metadata: &Metadata) -> (u64, u64) {
    (metadata.dev(), metadata.ino())
}

pub(super) fn refusal(error: io::Error) -> OpenError {
    match error.kind() {
        io::ErrorKind::NotFound => OpenError::Missing,
        io::ErrorKind::PermissionDenied => OpenError::Forbidden,
        _ => OpenError::System(error),
    }
}
