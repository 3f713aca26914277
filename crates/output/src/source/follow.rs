//! Follows a file: reads what is appended, and notices what happens to the file and to its name.
//!
//! A round checks the name, reads the opened file to its end, and switches to another file if the name has one. There
//! is a round for every hint of a change, and at least every 250 milliseconds. Correctness depends only on what a round
//! finds; hints make it fast.

pub(super) mod database;
mod hints;

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use crate::system::disk::{Operation, attempt};
use crate::text::sanitize::io_error_text;
use crate::text::spool::read_at;

use super::file::{self, FileKind, OpenError, OpenedFile};
use super::intake::Intake;
use super::{CHUNK, FIRST_CHUNK, Follow, ReadStop, Sink, SourceEvent, SourceSpec};
pub(super) use hints::Hints;

/// Bytes at the start and at the end of the part already read that are compared again, to check that the file is still
/// the same: between two rounds it may be truncated and grow longer again.
const SAMPLE: usize = 1024;

pub(super) struct Follower {
    path: PathBuf,
    /// The path as text that is safe to show.
    name: String,
    follow: Follow,
    open: Option<Open>,
    hints: Hints,
    intake: Intake,
    buffer: Vec<u8>,
    /// True if bytes have been sent, so that another file means a restart.
    begun: bool,
    /// True if `CaughtUp` is due: the last event was a chunk or a restart, or there was none.
    caught_up_due: bool,
    /// The last notice about the name, while it is true.
    last_name_notice: Option<String>,
    /// The last notice about a failed read, until one succeeds.
    trouble: Option<String>,
    /// The reported damage of compressed data.
    damage: Option<String>,
}

impl Follower {
    pub(super) fn new(path: &Path, opened: Option<OpenedFile>, follow: Follow) -> Self {
        Self {
            path: path.to_owned(),
            name: SourceSpec::File(path.to_owned()).name(),
            follow,
            open: opened.map(Open::new),
            hints: Hints::default(),
            intake: Intake::file(),
            buffer: vec![0; CHUNK],
            begun: false,
            caught_up_due: true,
            last_name_notice: None,
            trouble: None,
            damage: None,
        }
    }

    /// Bytes of the file when it was opened; 0 if it does not exist yet.
    pub(super) fn len(&self) -> u64 {
        self.open.as_ref().map_or(0, |open| open.len)
    }

    /// Follows until the sink wants no more events.
    pub(super) fn run(mut self, sink: &mut Sink<'_>) -> Result<(), ReadStop> {
        self.watch(sink)?;
        loop {
            self.round(sink)?;
            self.hints.wait();
        }
    }

    fn round(&mut self, sink: &mut Sink<'_>) -> Result<(), ReadStop> {
        // The name comes first: anything written to the old file before it lost the name is read below.
        let at_name =
            attempt(Operation::Inspect, || fs::metadata(&self.path)).map(|metadata| file::identity(&metadata));
        self.drain(sink)?;
        match (&self.open, at_name) {
            (Some(open), Ok(identity)) if open.identity == identity => {
                if self.last_name_notice.take().is_some() {
                    sink.send(SourceEvent::Notice(format!("{} is back", self.name)))?;
                }
            }
            (Some(_), _) if self.follow == Follow::File => {
                let name = &self.name;
                let moved = format!("{name} was moved or replaced; still following the old file; -F follows the name");
                send_notice(&mut self.last_name_notice, moved, sink)?;
            }
            (Some(_), Err(error)) if error.kind() == io::ErrorKind::NotFound => self.say_gone(sink)?,
            (Some(_), Err(error)) => {
                let hidden = format!("could not check {}: {}; retrying", self.name, io_error_text(&error));
                send_notice(&mut self.last_name_notice, hidden, sink)?;
            }
            (None, Err(error)) if error.kind() == io::ErrorKind::NotFound => {
                let absent = format!("{} does not exist yet; waiting for it", self.name);
                send_notice(&mut self.last_name_notice, absent, sink)?;
            }
            (_, _) => self.reopen(sink)?,
        }
        if self.caught_up_due {
            self.caught_up_due = false;
            sink.send(SourceEvent::CaughtUp)?;
        }
        Ok(())
    }

    /// Reads the opened file to its end. A file that changes faster than it is read is restarted once per round.
    fn drain(&mut self, sink: &mut Sink<'_>) -> Result<(), ReadStop> {
        let Some(open) = &mut self.open else { return Ok(()) };
        let mut restarted = false;
        loop {
            let is_beginning = open.offset == 0;
            let room = if is_beginning { FIRST_CHUNK } else { CHUNK };
            let step = open.next(&mut self.buffer[..room]);
            if step.is_ok() {
                self.trouble = None;
            }
            match step {
                Ok(FollowStep::End) => return Ok(()),
                Ok(FollowStep::Bytes(read)) => {
                    self.begun = true;
                    self.caught_up_due = true;
                    if is_beginning {
                        self.intake.begin(file::backing(&open.file));
                    }
                    self.intake.push(&self.buffer[..read], sink)?;
                    if let Some(words) = self.intake.damage() {
                        let damaged = format!("could not read the rest of {}: {words}", self.name);
                        send_notice(&mut self.damage, damaged, sink)?;
                    }
                }
                Ok(FollowStep::Rewritten(how)) => {
                    self.caught_up_due = true;
                    self.damage = None;
                    sink.send(SourceEvent::Restarted(format!("{} {how}; reading it from the start", self.name)))?;
                    if std::mem::replace(&mut restarted, true) {
                        return Ok(());
                    }
                }
                Err(error) => {
                    let failed = format!("could not read {}: {}; retrying", self.name, io_error_text(&error));
                    return send_notice(&mut self.trouble, failed, sink);
                }
            }
        }
    }

    /// Switches to the file that has the name now, and reads it.
    fn reopen(&mut self, sink: &mut Sink<'_>) -> Result<(), ReadStop> {
        match file::open(&self.path) {
            Ok(opened) if opened.kind == FileKind::Regular => {
                self.open = Some(Open::new(opened));
                self.last_name_notice = None;
                self.damage = None;
                if self.begun {
                    self.caught_up_due = true;
                    sink.send(SourceEvent::Restarted(format!("{} was replaced; reading the new file", self.name)))?;
                }
                self.watch(sink)?;
                self.drain(sink)
            }
            Ok(_) => send_notice(
                &mut self.last_name_notice,
                format!("{} is now a pipe; waiting for a regular file", self.name),
                sink,
            ),
            Err(OpenError::Missing) => self.say_gone(sink),
            Err(refusal) => {
                send_notice(&mut self.last_name_notice, format!("could not open {}: {refusal}", self.name), sink)
            }
        }
    }

    fn say_gone(&mut self, sink: &mut Sink<'_>) -> Result<(), ReadStop> {
        send_notice(
            &mut self.last_name_notice,
            format!("{} was deleted or moved; waiting for it to reappear", self.name),
            sink,
        )
    }

    fn watch(&mut self, sink: &mut Sink<'_>) -> Result<(), ReadStop> {
        if let Some(reason) = self.hints.watch(&self.path) {
            sink.send(SourceEvent::Notice(format!("{} is polled every 250 ms: {reason}", self.name)))?;
        }
        Ok(())
    }
}

/// Sends a notice unless it repeats the last one of its kind.
fn send_notice(last: &mut Option<String>, message: String, sink: &mut Sink<'_>) -> Result<(), ReadStop> {
    if last.as_ref() == Some(&message) {
        return Ok(());
    }
    *last = Some(message.clone());
    sink.send(SourceEvent::Notice(message))
}

/// An opened file, and the offset up to which it was read.
struct Open {
    file: File,
    identity: (u64, u64),
    len: u64,
    offset: u64,
    /// The first bytes that were read, up to [`SAMPLE`].
    head: Vec<u8>,
    /// The last bytes that were read, up to [`SAMPLE`].
    tail: Vec<u8>,
}

enum FollowStep {
    /// This many bytes are in the buffer.
    Bytes(usize),
    End,
    /// The bytes that were read have changed, for this reason; reading starts again.
    Rewritten(&'static str),
}

impl Open {
    fn new(opened: OpenedFile) -> Self {
        let identity = file::identity(&opened.metadata);
        Self { len: opened.len(), file: opened.file, identity, offset: 0, head: Vec::new(), tail: Vec::new() }
    }

    /// Reads the next bytes. The earlier ones are checked afterwards, so that bytes written after a truncation are
    /// never taken for a continuation.
    fn next(&mut self, buffer: &mut [u8]) -> io::Result<FollowStep> {
        let read = read_at(&self.file, buffer, self.offset)?;
        if !self.is_intact()? {
            let how = if attempt(Operation::Inspect, || self.file.metadata())?.len() < self.offset {
                "was truncated"
            } else {
                "was rewritten"
            };
            self.offset = 0;
            self.head.clear();
            self.tail.clear();
            return Ok(FollowStep::Rewritten(how));
        }
        if read == 0 {
            return Ok(FollowStep::End);
        }
        let bytes = &buffer[..read];
        self.offset += read as u64;
        self.head.extend_from_slice(&bytes[..read.min(SAMPLE - self.head.len())]);
        self.tail.extend_from_slice(&bytes[read.saturating_sub(SAMPLE)..]);
        self.tail.drain(..self.tail.len().saturating_sub(SAMPLE));
        Ok(FollowStep::Bytes(read))
    }

    /// True if the file still has the bytes that were read, judging by samples.
    ///
    /// The length is not checked, because files like those in /proc do not know theirs.
    fn is_intact(&self) -> io::Result<bool> {
        let mut there = [0; SAMPLE];
        let tail_start = self.offset - self.tail.len() as u64;
        for (sample, start) in [(&self.head, 0), (&self.tail, tail_start)] {
            let read = read_at(&self.file, &mut there[..sample.len()], start)?;
            if there[..read] != sample[..] {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests;
