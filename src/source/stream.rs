//! Reading what comes once and in order: the standard input, and pipes.
//!
//! A pipe ends when its last writer has closed it. Does not know about files.

use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, retry_on_intr};

use super::file::FileKind;
use super::intake::Intake;
use super::{CHUNK, Halt, Sink, SourceEvent};

/// Reads what may block, to its end.
pub(super) fn read_blocking(descriptor: &impl AsFd, intake: &mut Intake, sink: &mut Sink<'_>) -> Result<(), Halt> {
    Stream { descriptor: descriptor.as_fd(), waits: Waits::Blocking, caught_up: false }.read(intake, sink)
}

/// Reads a pipe that was opened without blocking, until its last writer has closed it.
pub(super) fn read_pipe(file: &File, kind: FileKind, intake: &mut Intake, sink: &mut Sink<'_>) -> Result<(), Halt> {
    let waits = if kind == FileKind::NamedPipe { Waits::ForWriter } else { Waits::Never };
    Stream { descriptor: file.as_fd(), waits, caught_up: false }.read(intake, sink)
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
    fn read(mut self, intake: &mut Intake, sink: &mut Sink<'_>) -> Result<(), Halt> {
        let mut buffer = vec![0; CHUNK];
        while intake.damage().is_none() {
            if self.waits == Waits::Blocking {
                self.wait(sink)?;
            }
            match rustix::io::read(self.descriptor, &mut buffer) {
                Ok(0) if self.waits != Waits::ForWriter => break,
                Ok(0) | Err(Errno::AGAIN) => self.wait(sink)?,
                Ok(read) => {
                    intake.push(&buffer[..read], sink)?;
                    self.caught_up = false;
                }
                Err(Errno::INTR) => continue,
                Err(error) => return Err(error.into()),
            }
            // Something happened: whoever wrote was there, even if nothing was written.
            if self.waits == Waits::ForWriter {
                self.waits = Waits::Never;
            }
        }
        Ok(())
    }

    /// Waits for bytes or the end, and says before that everything has been sent.
    fn wait(&mut self, sink: &mut Sink<'_>) -> Result<(), Halt> {
        let mut polled = [PollFd::new(&self.descriptor, PollFlags::IN)];
        wait(&mut polled, &mut self.caught_up, sink)
    }
}

/// Waits until one of some descriptors has something, and says before that everything has been sent.
pub(super) fn wait(polled: &mut [PollFd<'_>], caught_up: &mut bool, sink: &mut Sink<'_>) -> Result<(), Halt> {
    const AT_ONCE: Timespec = Timespec { tv_sec: 0, tv_nsec: 0 };
    if retry_on_intr(|| poll(polled, Some(&AT_ONCE)))? > 0 {
        return Ok(());
    }
    if !*caught_up {
        *caught_up = true;
        sink.send(SourceEvent::CaughtUp)?;
    }
    retry_on_intr(|| poll(polled, None))?;
    Ok(())
}
