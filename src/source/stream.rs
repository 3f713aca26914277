//! Reading what comes once and in order: the standard input, and pipes.
//!
//! Nothing here can be read again, and a pipe ends when its last writer has closed it. Does not know about files.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use super::file::Kind;
use super::{CHUNK, Sink, SourceEvent, Stopped};

/// Reads the standard input to its end.
pub(super) fn read_stdin(sink: &mut Sink<'_>) -> Result<io::Result<()>, Stopped> {
    read_blocking(&io::stdin(), sink)
}

/// Reads what may block, to its end.
pub(super) fn read_blocking(descriptor: &impl AsFd, sink: &mut Sink<'_>) -> Result<io::Result<()>, Stopped> {
    Stream { descriptor: descriptor.as_fd(), waits: Waits::Blocking, caught_up: false }.read(sink)
}

/// Reads a pipe that was opened without blocking, until its last writer has closed it.
pub(super) fn read_pipe(file: &File, kind: Kind, sink: &mut Sink<'_>) -> Result<io::Result<()>, Stopped> {
    let waits = if kind == Kind::NamedPipe { Waits::ForWriter } else { Waits::Never };
    Stream { descriptor: file.as_fd(), waits, caught_up: false }.read(sink)
}

/// What a read does when there is nothing to read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Waits {
    /// It may block, so whether there is something is asked first. Somebody else's descriptor keeps its mode.
    Blocking,
    /// It gives no bytes, and that is not the end before a first writer has come.
    ForWriter,
    /// It says that there is nothing now; no bytes are the end.
    Never,
}

struct Stream<'a> {
    descriptor: BorrowedFd<'a>,
    waits: Waits,
    caught_up: bool,
}

impl Stream<'_> {
    fn read(mut self, sink: &mut Sink<'_>) -> Result<io::Result<()>, Stopped> {
        let mut buffer = vec![0; CHUNK];
        loop {
            if self.waits == Waits::Blocking
                && let Err(error) = self.wait(sink)?
            {
                return Ok(Err(error.into()));
            }
            match rustix::io::read(self.descriptor, &mut buffer) {
                Ok(0) if self.waits != Waits::ForWriter => return Ok(Ok(())),
                Ok(0) | Err(Errno::AGAIN) => {
                    if let Err(error) = self.wait(sink)? {
                        return Ok(Err(error.into()));
                    }
                    // Something happened: whoever wrote was there, even if nothing was written.
                    if self.waits == Waits::ForWriter {
                        self.waits = Waits::Never;
                    }
                }
                Ok(read) => {
                    sink.chunk(&buffer[..read])?;
                    self.caught_up = false;
                    if self.waits == Waits::ForWriter {
                        self.waits = Waits::Never;
                    }
                }
                Err(Errno::INTR) => {}
                Err(error) => return Ok(Err(error.into())),
            }
        }
    }

    /// Waits for bytes or the end, and says before that everything has been sent.
    fn wait(&mut self, sink: &mut Sink<'_>) -> Result<rustix::io::Result<()>, Stopped> {
        const AT_ONCE: Timespec = Timespec { tv_sec: 0, tv_nsec: 0 };
        let ready = match self.poll(Some(&AT_ONCE)) {
            Ok(ready) => ready,
            Err(error) => return Ok(Err(error)),
        };
        if ready {
            return Ok(Ok(()));
        }
        if !self.caught_up {
            self.caught_up = true;
            sink.send(SourceEvent::CaughtUp)?;
        }
        Ok(self.poll(None).map(drop))
    }

    fn poll(&self, timeout: Option<&Timespec>) -> rustix::io::Result<bool> {
        loop {
            match poll(&mut [PollFd::new(&self.descriptor, PollFlags::IN)], timeout) {
                Err(Errno::INTR) => {}
                outcome => return outcome.map(|ready| ready > 0),
            }
        }
    }
}
