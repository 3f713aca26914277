//! What the tests tried, as figures for the table of promises in ARCHITECTURE.md.
//!
//! With `TRANSCOPE_FIGURES=FILE` each test that tries many things appends a line to the file, which `cargo run --example
//! promises` adds up. This file does not know what was tried.

use std::io::Write;

/// What the program promises of whatever it is given; the word is that of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(dead_code, reason = "each test program tells of some of them")]
pub enum Promise {
    /// Nothing a file contains controls the terminal.
    Terminal,
    /// No input ends or stops the program.
    Inputs,
    /// How bytes are cut makes no difference.
    Cuts,
    /// Four times as much takes at most five times as many steps.
    Growth,
    /// Memory stays in its budget.
    Memory,
    /// Secrets are found, and nothing else is.
    Secrets,
    /// Whatever keys are pressed, the screen stays in order.
    Keys,
    /// What fails around the program is said, and loses nothing.
    Faults,
    /// A file is followed whatever becomes of it.
    Following,
    /// What is written is whole or is not there.
    Files,
}

/// The variable that names the file for the figures.
pub const VARIABLE: &str = "TRANSCOPE_FIGURES";

/// So many `what` (a plural: `inputs`, `cuts`, `steps`) were tried for a promise.
#[allow(dead_code, reason = "who adds the figures up tells none")]
pub fn tell(promise: Promise, what: &str, count: usize) {
    let Some(path) = std::env::var_os(VARIABLE) else { return };
    let line = format!("{{\"promise\":\"{promise:?}\",\"what\":\"{what}\",\"count\":{count}}}\n");
    let file = std::fs::OpenOptions::new().append(true).create(true).open(path);
    file.and_then(|mut file| file.write_all(line.as_bytes())).expect("the variable names a file");
}
