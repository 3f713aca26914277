//! Reads input that arrives once and in order: standard input, and pipes.
//!
//! A pipe ends when its last writer has closed it.

use std::io::ErrorKind;
use std::os::fd::AsFd;
use std::thread;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::retry_on_intr;

use crate::system::disk::{Operation, attempt};

use super::intake::Intake;
use super::{CHUNK, ReadStop, Sink, SourceEvent};

/// Behaviour of a read when there is nothing to read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum WaitMode {
    /// It may block, so `poll` is called first. The descriptor is shared with other processes and keeps its mode.
    Blocking,
    /// It returns no bytes, which is not the end before the first writer has come; `poll` waits for that.
    ForWriter,
    /// Like `ForWriter`, but `poll` returns immediately as long as there is no writer, so the read is repeated every
    /// [`WRITER_TICK`]. A writer that leaves without writing is not noticed.
    ForWriterByTrying,
    /// It fails with "would block"; no bytes mean the end.
    Never,
}

/// Pause between two checks for the first writer of a named pipe.
const WRITER_TICK: Duration = Duration::from_millis(50);

impl WaitMode {
    /// The mode for a named pipe: only Linux and FreeBSD wait for its first writer in `poll`.
    pub(super) fn for_writer() -> Self {
        let polls = cfg!(any(target_os = "linux", target_os = "android", target_os = "freebsd"));
        if polls { Self::ForWriter } else { Self::ForWriterByTrying }
    }
}

/// Reads to the end; a pipe ends when its last writer has closed it.
pub(super) fn read(
    descriptor: &impl AsFd,
    mut waits: WaitMode,
    intake: &mut Intake,
    sink: &mut Sink<'_>,
) -> Result<(), ReadStop> {
    let mut buffer = vec![0; CHUNK];
    let mut caught_up = false;
    while intake.damage().is_none() {
        let mut polled = [PollFd::new(descriptor, PollFlags::IN)];
        if waits == WaitMode::Blocking {
            wait(&mut polled, &mut caught_up, sink)?;
        }
        match attempt(Operation::Read, || Ok(rustix::io::read(descriptor, &mut buffer)?)) {
            Ok(0) if waits == WaitMode::ForWriterByTrying => {
                catch_up(&mut caught_up, sink)?;
                thread::sleep(WRITER_TICK);
                continue;
            }
            Ok(0) if waits != WaitMode::ForWriter => break,
            Ok(0) => wait(&mut polled, &mut caught_up, sink)?,
            Err(error) if error.kind() == ErrorKind::WouldBlock => wait(&mut polled, &mut caught_up, sink)?,
            Ok(read) => {
                intake.push(&buffer[..read], sink)?;
                caught_up = false;
            }
            Err(error) => return Err(error.into()),
        }
        // Something happened, so a writer exists or has existed, even if it wrote nothing.
        if waits != WaitMode::Blocking {
            waits = WaitMode::Never;
        }
    }
    Ok(())
}

/// Waits until one of the descriptors is ready, and first reports that everything available has been sent.
pub(super) fn wait(polled: &mut [PollFd<'_>], caught_up: &mut bool, sink: &mut Sink<'_>) -> Result<(), ReadStop> {
    const AT_ONCE: Timespec = Timespec { tv_sec: 0, tv_nsec: 0 };
    if retry_on_intr(|| poll(polled, Some(&AT_ONCE)))? > 0 {
        return Ok(());
    }
    catch_up(caught_up, sink)?;
    retry_on_intr(|| poll(polled, None))?;
    Ok(())
}

/// Reports once that everything available has been sent.
fn catch_up(caught_up: &mut bool, sink: &mut Sink<'_>) -> Result<(), ReadStop> {
    if std::mem::replace(caught_up, true) { Ok(()) } else { sink.send(SourceEvent::CaughtUp) }
}
