//! A pseudo-terminal with a screen model, and a program in it.
//!
//! Like some real ones, the terminal answers no query. Tests wait for conditions, with a deadline. Independent of the
//! program.

use std::ffi::OsStr;
use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::path::Path;
use std::sync::mpsc::{self, Receiver, TryRecvError};
use std::time::{Duration, Instant};

use portable_pty::{CommandBuilder, ExitStatus, MasterPty, PtyPair, PtySize, SlavePty, native_pty_system};
use rustix::io::ioctl_fionread;
use rustix::process::{Pid, Signal, kill_process};
use rustix::termios::{LocalModes, tcgetattr};

/// Longest wait for anything before a test fails.
const DEADLINE: Duration = Duration::from_secs(10);

/// Interval between two checks of the threads of a program.
const LOOK: Duration = Duration::from_millis(1);

/// Number of checks in which all threads sleep although there is input, before a test fails.
const LOOKS: usize = 10_000;

/// Ticks of processor time (hundredths of a second) that a program may use before it is idle; other programs' time does
/// not count.
const BUSY: u64 = 6000;

/// A terminal with a program in it. Dropping it ends the program.
pub struct Terminal {
    model: vt100::Parser,
    /// Everything that the program has written.
    pub written: Vec<u8>,
    /// The time of the last output.
    pub seen: Instant,
    output: Receiver<(Instant, Vec<u8>)>,
    exit: Receiver<ExitStatus>,
    input: Box<dyn Write + Send>,
    /// The program's process.
    pub pid: Pid,
    master: Box<dyn MasterPty + Send>,
    /// Kept open, so that the terminal's modes can be read after the program has ended.
    _slave: Box<dyn SlavePty + Send>,
}

impl Terminal {
    /// Starts a program in a terminal of 100 columns and 30 rows, in a folder that is also its home.
    pub fn start(program: &str, arguments: &[&OsStr], environment: &[(&str, &str)], home: &Path) -> Self {
        Self::sized((100, 30), program, arguments, environment, home)
    }

    /// As [`Terminal::start`], with columns and rows; if either is 0, the model has the usual size.
    pub fn sized(
        (cols, rows): (u16, u16),
        program: &str,
        arguments: &[&OsStr],
        environment: &[(&str, &str)],
        home: &Path,
    ) -> Self {
        let size = PtySize { rows, cols, pixel_width: 0, pixel_height: 0 };
        let PtyPair { slave, master } = native_pty_system().openpty(size).expect("a pseudo-terminal");
        let mut command = CommandBuilder::new(program);
        command.args(arguments);
        command.env_clear();
        command.env("TERM", "xterm-256color");
        command.env("PATH", "/usr/bin:/bin");
        command.env("HOME", home);
        command.cwd(home);
        for (name, value) in environment {
            command.env(name, value);
        }
        let mut child = slave.spawn_command(command).expect("the program can be started");
        let pid = child.process_id().and_then(|pid| Pid::from_raw(i32::try_from(pid).ok()?)).expect("a process");
        let mut reader = master.try_clone_reader().expect("the terminal can be read");
        let input = master.take_writer().expect("the terminal can be written to");
        let (send_output, output) = mpsc::channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(length @ 1..) = reader.read(&mut buffer) {
                if send_output.send((Instant::now(), buffer[..length].to_vec())).is_err() {
                    return;
                }
            }
        });
        let (send_exit, exit) = mpsc::channel();
        std::thread::spawn(move || drop(child.wait().map(|status| send_exit.send(status))));
        let or = |count, usual| NonZeroU16::new(count).unwrap_or(cells(usual));
        let model = vt100::Parser::new(or(size.rows, 24), or(size.cols, 80), 0);
        Self { model, written: Vec::new(), seen: Instant::now(), output, exit, input, pid, master, _slave: slave }
    }

    /// Sends bytes as from a keyboard.
    pub fn types(&mut self, bytes: &str) {
        self.input.write_all(bytes.as_bytes()).and_then(|()| self.input.flush()).expect("the terminal takes input");
    }

    /// Sends a signal to the program.
    pub fn signals(&self, signal: Signal) {
        kill_process(self.pid, signal).expect("the program runs");
    }

    /// Resizes the window.
    pub fn resizes(&mut self, columns: u16, rows: u16) {
        self.model.screen_mut().set_size(cells(rows), cells(columns));
        let size = PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 };
        self.master.resize(size).expect("a pseudo-terminal has any size");
    }

    /// The screen as text.
    pub fn screen(&self) -> String {
        self.model.screen().contents()
    }

    /// The state of the terminal.
    pub fn model(&self) -> &vt100::Screen {
        self.model.screen()
    }

    /// Waits until the screen shows a text.
    #[track_caller]
    pub fn shows(&mut self, words: &str) {
        self.waits_for(words, |terminal| terminal.screen().contains(words));
    }

    /// Waits until a condition holds; `what` describes it.
    #[track_caller]
    pub fn waits_for(&mut self, what: &str, holds: impl Fn(&Self) -> bool) {
        let deadline = Instant::now() + DEADLINE;
        while !holds(self) {
            let comes = self.takes_next(deadline);
            assert!(comes, "{what:?} does not come; for {:?} the screen is\n{}", self.seen.elapsed(), self.screen());
        }
    }

    /// Waits for output and processes it; false if the deadline passes first.
    pub fn takes_next(&mut self, deadline: Instant) -> bool {
        let Ok((seen, bytes)) = self.output.recv_timeout(deadline.saturating_duration_since(Instant::now())) else {
            return false;
        };
        self.seen = seen;
        self.model.process(&bytes);
        self.written.extend_from_slice(&bytes);
        true
    }

    /// Waits until the program has read its input and all its threads sleep, and processes its output.
    #[track_caller]
    pub fn rests(&mut self) {
        let (before, mut asleep) = (self.activity(), 0);
        loop {
            let now = self.activity();
            // It has ended, or is idle; without a report of the system nothing more can be known.
            if !now.is_alive || !now.runs && !self.has_input() {
                break;
            }
            asleep = if now.runs { 0 } else { asleep + 1 };
            let used = now.ticks.saturating_sub(before.ticks);
            let screen = || self.screen();
            assert!(used < BUSY, "it does not come to rest after {used} ticks; the screen is\n{}", screen());
            assert!(asleep < LOOKS, "it does not read what was typed; the screen is\n{}", screen());
            self.takes_next(Instant::now() + LOOK);
        }
        while self.takes_next(Instant::now()) {}
    }

    /// The state of the program's threads.
    fn activity(&self) -> Activity {
        let threads = std::fs::read_dir(format!("/proc/{}/task", self.pid.as_raw_nonzero()));
        let stats = threads.into_iter().flatten().flatten().map(|thread| thread.path().join("stat"));
        let mut activity = Activity::default();
        for stat in stats.filter_map(|stat| std::fs::read_to_string(stat).ok()) {
            // After the name: the state, and as fields 12 and 13 the ticks in user mode and in the kernel.
            let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
            let state = fields.first().copied().unwrap_or_default();
            activity.is_alive |= !matches!(state, "Z" | "X");
            activity.runs |= matches!(state, "R" | "D");
            activity.ticks += fields.iter().skip(11).take(2).filter_map(|ticks| ticks.parse::<u64>().ok()).sum::<u64>();
        }
        activity
    }

    /// True if some typed input has not been read yet.
    fn has_input(&self) -> bool {
        let name = self.master.tty_name().expect("a pseudo-terminal has a name");
        let device = std::fs::File::open(name).expect("the terminal is there");
        ioctl_fionread(&device).expect("a terminal has a queue") > 0
    }

    /// Waits for the end of the program, processes its last output, and returns its exit status.
    #[track_caller]
    pub fn ends(&mut self) -> ExitStatus {
        let Ok(status) = self.exit.recv_timeout(DEADLINE) else {
            panic!("the program does not end; the screen is\n{}", self.screen())
        };
        // Output before the end is in the terminal's buffer; a mark after it shows when everything has been read.
        let mark = "\u{1}end of output\u{1}";
        let name = self.master.tty_name().expect("a pseudo-terminal has a name");
        let mut device = std::fs::OpenOptions::new().write(true).open(name).expect("the terminal is there");
        device.write_all(mark.as_bytes()).expect("the terminal takes output");
        let place = |written: &[u8]| written.windows(mark.len()).position(|window| window == mark.as_bytes());
        self.waits_for("the mark", |terminal| place(&terminal.written).is_some());
        // The guardian of the terminal may write after the mark.
        if let Some(at) = place(&self.written) {
            self.written.drain(at..at + mark.len());
        }
        status
    }

    /// True if lines are edited and echoed, as a shell expects it.
    pub fn is_cooked(&self) -> bool {
        let name = self.master.tty_name().expect("a pseudo-terminal has a name");
        let device = std::fs::File::open(name).expect("the terminal is there");
        let modes = tcgetattr(&device).expect("a terminal has modes").local_modes;
        modes.contains(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG)
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // The process id of an ended program may belong to another one.
        if matches!(self.exit.try_recv(), Err(TryRecvError::Empty)) {
            let _ = kill_process(self.pid, Signal::KILL);
            drop(self.exit.recv_timeout(DEADLINE));
        }
    }
}

/// The state of a program's threads.
#[derive(Default)]
struct Activity {
    is_alive: bool,
    /// True if a thread is running or runnable.
    runs: bool,
    /// Processor time of all threads, in ticks.
    ticks: u64,
}

fn cells(count: u16) -> NonZeroU16 {
    NonZeroU16::new(count).expect("a size that is not empty")
}
