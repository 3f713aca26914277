//! A program on a model of a screen, and the time at which something appears there. Independent of the program.

use std::ffi::OsStr;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use crate::inputs::{PROGRAM, Setting};
use crate::process::{self, limit};
use crate::terminal::Terminal;

/// Columns and rows.
pub const SIZE: (u16, u16) = (200, 60);

/// UTF-8, and no history file.
const ENVIRONMENT: [(&str, &str); 2] = [("LANG", "C.UTF-8"), ("LESSHISTFILE", "-")];

/// Queries for the colours of a terminal, and the answers of a dark one.
const QUESTIONS: [(&str, &str); 3] = [
    ("\x1b]10;?", "\x1b]10;rgb:d0d0/d0d0/d0d0\x1b\\"),
    ("\x1b]11;?", "\x1b]11;rgb:1010/1010/1010\x1b\\"),
    ("\x1b[c", "\x1b[?62;22c"),
];

/// How a terminal answers such queries.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Answers {
    Nothing,
    AtOnce,
}

/// A program on a screen.
pub struct View {
    pub terminal: Terminal,
    /// The time of its start.
    pub begun: Instant,
    answers: Answers,
    /// Number of written bytes that have been searched for queries.
    looked: usize,
}

impl View {
    /// Our program, with a fixed theme.
    pub fn ours(setting: &Setting, arguments: &[&OsStr]) -> Self {
        let arguments: Vec<&OsStr> =
            [OsStr::new("--theme"), OsStr::new("dark")].iter().chain(arguments).copied().collect();
        Self::of(setting, PROGRAM, &arguments, Answers::Nothing)
    }

    /// Any program.
    pub fn of(setting: &Setting, program: &str, arguments: &[&OsStr], answers: Answers) -> Self {
        let begun = Instant::now();
        let terminal = Terminal::sized(SIZE, program, arguments, &ENVIRONMENT, setting.home.path());
        Self { terminal, begun, answers, looked: 0 }
    }

    /// Milliseconds from the start until a text is on the screen.
    pub fn first(&mut self, words: &str) -> Result<f64> {
        self.shows(self.begun, words)
    }

    /// Milliseconds from `begun` until a text is on the screen.
    pub fn shows(&mut self, begun: Instant, words: &str) -> Result<f64> {
        self.waits(begun, words, |terminal| terminal.screen().contains(words))
    }

    /// Milliseconds from `begun` until a condition holds.
    pub fn waits(&mut self, begun: Instant, what: &str, holds: impl Fn(&Terminal) -> bool) -> Result<f64> {
        let deadline = begun + limit();
        while !holds(&self.terminal) {
            if !self.next(deadline) {
                let screen = self.terminal.screen();
                let top = screen.lines().next().unwrap_or_default().trim();
                bail!("{what:?} is not to be seen in {} s; on top is {top:?}", limit().as_secs());
            }
        }
        Ok(process::milliseconds(self.terminal.seen.saturating_duration_since(begun)))
    }

    /// Types keys. Returns the time.
    pub fn types(&mut self, keys: &str) -> Instant {
        let begun = Instant::now();
        self.terminal.types(keys);
        begun
    }

    pub fn pid(&self) -> i32 {
        self.terminal.pid.as_raw_nonzero().get()
    }

    /// Waits until the program is idle. Returns its peak private memory in bytes.
    pub fn settles(&mut self) -> Result<u64> {
        /// It is idle when it was busy for less than a hundredth of this many windows in a row.
        const WINDOWS: usize = 4;
        const WINDOW: Duration = Duration::from_millis(100);
        let deadline = Instant::now() + limit();
        let (mut most, mut idle) = (0, 0);
        let mut busy = process::busy(self.pid())?;
        while idle < WINDOWS {
            let end = Instant::now() + WINDOW;
            while Instant::now() < end {
                self.next((Instant::now() + Duration::from_millis(5)).min(end));
                most = most.max(process::own(self.pid())?);
            }
            let now = process::busy(self.pid())?;
            // A thread that ends takes its time with it.
            idle = if now.abs_diff(busy) < WINDOW / 100 { idle + 1 } else { 0 };
            busy = now;
            if end > deadline {
                bail!("still busy after {} s", limit().as_secs());
            }
        }
        Ok(most)
    }

    /// Processes output for a while.
    pub fn rests(&mut self, time: Duration) {
        let end = Instant::now() + time;
        while self.next(end) {}
    }

    /// Processes the next output, and answers queries in it.
    fn next(&mut self, deadline: Instant) -> bool {
        let came = self.terminal.takes_next(deadline);
        if self.answers == Answers::AtOnce {
            while let Some((end, answer)) = question(&self.terminal.written[self.looked..]) {
                self.looked += end;
                self.terminal.types(answer);
            }
        }
        came
    }
}

/// The first query in some output: its end offset, and the answer.
fn question(written: &[u8]) -> Option<(usize, &'static str)> {
    let end = |question: &str| {
        let at = written.windows(question.len()).position(|window| window == question.as_bytes())?;
        Some(at + question.len())
    };
    QUESTIONS.iter().filter_map(|(question, answer)| Some((end(question)?, *answer))).min()
}
