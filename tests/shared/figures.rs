//! Counts of what the tests tried, for the table of promises in ARCHITECTURE.md.
//!
//! With `TRANSCOPE_FIGURES=FILE` each test that tries many things appends a line to the file; `cargo run --example
//! promises` adds them up.

use std::io::Write;

/// A promise of the program; its name is the one in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(dead_code, reason = "each test program tells of some of them")]
pub enum Promise {
    /// Nothing a file contains controls the terminal.
    Terminal,
    /// No input makes the program crash or hang.
    Inputs,
    /// How bytes are cut makes no difference.
    Cuts,
    /// Four times as much takes at most five times as many steps.
    Growth,
    /// Memory stays in its budget.
    Memory,
    /// Secrets are found, and nothing else is.
    Secrets,
    /// Whatever keys are pressed, the screen stays consistent.
    Keys,
    /// Failures around the program are reported, and lose nothing.
    Faults,
    /// A file is followed whatever happens to it.
    Following,
    /// A written file is complete or does not exist.
    Files,
}

/// The variable that names the file for the figures.
pub const VARIABLE: &str = "TRANSCOPE_FIGURES";

/// Records that `count` items were tried for a promise; `what` is a plural: `inputs`, `cuts`, `steps`.
#[allow(dead_code, reason = "who adds the figures up tells none")]
pub fn tell(promise: Promise, what: &str, count: usize) {
    let Some(path) = std::env::var_os(VARIABLE) else { return };
    let line = format!("{{\"promise\":\"{promise:?}\",\"what\":\"{what}\",\"count\":{count}}}\n");
    let file = std::fs::OpenOptions::new().append(true).create(true).open(path);
    file.and_then(|mut file| file.write_all(line.as_bytes())).expect("the variable names a file");
}
