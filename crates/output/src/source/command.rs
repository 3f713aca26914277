//! Runs a command: its standard output is the transcript, its standard error a separate text.
//!
//! The command has its own process group, so that an interrupt from the keyboard reaches it only when it is forwarded.
//! It inherits standard input unless that is a terminal, since the UI reads the keys.

use std::ffi::OsString;
use std::io::{self, IsTerminal, PipeReader};
use std::os::fd::AsFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, ChildStderr, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use rustix::event::{PollFd, PollFlags};
use rustix::io::{Errno, retry_on_intr};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::system::{signal, whole_file};
use crate::text::sanitize::{io_error_text, visible_str};

use super::intake::Intake;
use super::{CHUNK, ReadStop, Sink, SourceEvent, stream};

/// The way in which a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Exited with this status.
    Status(u8),
    /// Was killed by the signal of this number.
    Signal(u8),
}

impl From<ExitStatus> for Exit {
    fn from(status: ExitStatus) -> Self {
        match (status.code(), status.signal()) {
            (_, Some(signal)) => Self::Signal(u8::try_from(signal).unwrap_or(u8::MAX)),
            (code, None) => Self::Status(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX)),
        }
    }
}

impl Exit {
    /// The exit code that a shell would give: 128 plus the number of a signal.
    pub fn code(self) -> u8 {
        match self {
            Self::Status(code) => code,
            Self::Signal(signal) => signal.saturating_add(128),
        }
    }

    /// True if the command exited with status 0.
    pub fn is_success(self) -> bool {
        self == Self::Status(0)
    }

    /// A description, such as `exited with status 3`.
    pub fn words(self) -> String {
        match self {
            Self::Status(code) => format!("exited with status {code}"),
            Self::Signal(number) => match Signal::from_named_raw(i32::from(number)) {
                Some(signal) => format!("was killed by signal {number} ({})", name_of(signal)),
                None => format!("was killed by signal {number}"),
            },
        }
    }
}

fn name_of(signal: Signal) -> &'static str {
    const NAMES: [(Signal, &str); 11] = [
        (Signal::HUP, "hangup"),
        (Signal::INT, "interrupt"),
        (Signal::QUIT, "quit"),
        (Signal::ILL, "illegal instruction"),
        (Signal::ABORT, "abort"),
        (Signal::BUS, "bus error"),
        (Signal::FPE, "arithmetic error"),
        (Signal::KILL, "kill"),
        (Signal::SEGV, "segmentation fault"),
        (Signal::PIPE, "broken pipe"),
        (Signal::TERM, "terminate"),
    ];
    NAMES.iter().find(|(known, _)| *known == signal).map_or("another signal", |(_, name)| name)
}

/// A handle of a command that was started.
#[derive(Clone, Debug)]
pub struct Running(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    group: Pid,
    exit: Mutex<Option<Exit>>,
    ended: Condvar,
}

impl PartialEq for Running {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Running {}

impl Running {
    /// The way in which the command ended, if it has.
    pub fn exit(&self) -> Option<Exit> {
        *self.0.exit()
    }

    /// Interrupts the command, like ctrl-c in a shell; false if it has ended.
    pub fn interrupt(&self) -> bool {
        self.0.signal(Signal::INT)
    }

    /// Terminates the command and waits for its end; kills it if it has not ended after `patience`.
    pub fn end(&self, patience: Duration) -> Exit {
        for signal in [Signal::TERM, Signal::KILL] {
            self.0.signal(signal);
            let exit = self.0.exit();
            let waited = self.0.ended.wait_timeout_while(exit, patience, |exit| exit.is_none());
            let (exit, _) = waited.unwrap_or_else(PoisonError::into_inner);
            if let Some(exit) = *exit {
                return exit;
            }
        }
        // A process that the system cannot end now will end when it can.
        Exit::Signal(9)
    }
}

impl Shared {
    fn exit(&self) -> MutexGuard<'_, Option<Exit>> {
        self.exit.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends a signal to the command's process group; false if the command has ended.
    fn signal(&self, signal: Signal) -> bool {
        // The lock is held during the call: until the process is reaped, its number is not given to another one.
        let exit = self.exit();
        exit.is_none() && kill_process_group(self.group, signal).is_ok()
    }
}

/// All commands that were started, for signals that end this program.
static STARTED: Mutex<Vec<Weak<Shared>>> = Mutex::new(Vec::new());

/// Forwards a signal to the running commands; false if there are none.
pub fn forward_signal(signal: i32) -> bool {
    let Some(signal) = Signal::from_named_raw(signal) else { return false };
    let started = STARTED.lock().unwrap_or_else(PoisonError::into_inner);
    let running = started.iter().filter_map(Weak::upgrade).filter(|command| command.signal(signal));
    running.count() > 0
}

/// Forwards signals that would end this program to the running commands, and waits for these. If no command is running,
/// and at the second signal, the program ends.
pub fn forward_signals() {
    let Ok(mut signals) = Signals::new([SIGINT, SIGTERM, SIGHUP]) else { return };
    signal::claim_handling();
    let act = move || {
        let mut passed = false;
        for signal in signals.forever() {
            if passed || !forward_signal(signal) {
                whole_file::remove_unfinished();
                signal::end_by(signal);
            }
            passed = true;
        }
    };
    // If no thread can be started, reading fails as well, and reports it.
    drop(thread::Builder::new().name("signals".into()).spawn(act));
}

/// A command that was started, before its output is read.
pub(super) struct Started {
    stdout: ChildStdout,
    stderr: ChildStderr,
    /// Reaches its end when the command has exited.
    end: PipeReader,
    pub(super) running: Running,
}

pub(super) fn start(words: &[OsString]) -> Result<Started> {
    let (program, arguments) = words.split_first().context("no command after --")?;
    let name = visible_str(&program.to_string_lossy()).into_owned();
    let stdin = if io::stdin().is_terminal() { Stdio::null() } else { Stdio::inherit() };
    let mut command = Command::new(program);
    command.args(arguments).stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let mut child = command.spawn().map_err(|error| anyhow!("could not run {name}: {}", io_error_text(&error)))?;
    let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw).context("a process has a number")?;
    let (Some(stdout), Some(stderr)) = (child.stdout.take(), child.stderr.take()) else {
        return Err(anyhow!("could not read from {name}"));
    };
    let shared = Arc::new(Shared { group, exit: Mutex::new(None), ended: Condvar::new() });
    STARTED.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::downgrade(&shared));
    let (end, closed_at_end) = io::pipe().with_context(|| format!("could not wait for {name}"))?;
    let waited = Arc::clone(&shared);
    thread::Builder::new()
        .name("command".into())
        .spawn(move || {
            wait(child, &waited);
            drop(closed_at_end);
        })
        .with_context(|| format!("could not wait for {name}"))?;
    Ok(Started { stdout, stderr, end, running: Running(shared) })
}

fn wait(mut child: Child, shared: &Shared) {
    // The process number stays reserved until the process is reaped, which the mutex keeps apart from signals.
    let ended = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    while waitid(WaitId::Pid(shared.group), ended).is_err_and(|error| error == Errno::INTR) {}
    let mut exit = shared.exit();
    let status = child.wait();
    *exit = Some(status.map_or(Exit::Status(u8::MAX), Exit::from));
    shared.ended.notify_all();
}

/// Reads both outputs to their ends, and reports how the command ended after all that it had written by then.
pub(super) fn read(started: &Started, intake: &mut Intake, sink: &mut Sink<'_>) -> Result<(), ReadStop> {
    let mut aside = Intake::stream(None);
    let mut buffer = vec![0; CHUNK];
    let (mut stdout, mut stderr, mut end) = (Some(&started.stdout), Some(&started.stderr), Some(&started.end));
    let mut caught_up = false;
    loop {
        let mut polled = Vec::with_capacity(3);
        let descriptors = [stdout.map(AsFd::as_fd), stderr.map(AsFd::as_fd), end.map(AsFd::as_fd)];
        for descriptor in descriptors.iter().flatten() {
            polled.push(PollFd::new(descriptor, PollFlags::IN));
        }
        if polled.is_empty() {
            return Ok(());
        }
        stream::wait(&mut polled, &mut caught_up, sink)?;
        let mut ready = polled.iter().map(|polled| !polled.revents().is_empty());
        let [out, err, over] = descriptors.map(|descriptor| descriptor.is_some() && ready.next() == Some(true));
        if out {
            caught_up = false;
            intake.push(take(&mut stdout, &mut buffer)?, sink)?;
        }
        if err {
            caught_up = false;
            match take(&mut stderr, &mut buffer)? {
                [] => send_as_stderr(sink, |sink| aside.finish(sink))?,
                bytes => send_as_stderr(sink, |sink| aside.push(bytes, sink))?,
            }
        }
        if over && !out && !err {
            end = None;
            if let Some(exit) = started.running.exit() {
                sink.send(SourceEvent::Exited(exit))?;
            }
        }
    }
}

/// Reads once; sets a stream that has ended to `None`.
fn take<'a>(stream: &mut Option<&impl AsFd>, buffer: &'a mut [u8]) -> io::Result<&'a [u8]> {
    let Some(open) = stream else { return Ok(&[]) };
    let read = retry_on_intr(|| rustix::io::read(open.as_fd(), &mut *buffer))?;
    if read == 0 {
        *stream = None;
    }
    Ok(&buffer[..read])
}

/// Sends the events of `tell` as standard error.
fn send_as_stderr(
    sink: &mut Sink<'_>,
    tell: impl FnOnce(&mut Sink<'_>) -> Result<(), ReadStop>,
) -> Result<(), ReadStop> {
    let mut wrap = |event| sink.send(SourceEvent::Stderr(Box::new(event))).is_ok();
    tell(&mut Sink(&mut wrap))
}

#[cfg(test)]
mod tests;
