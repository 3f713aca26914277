//! The end of a command: an exit status, or an error in one line.

use std::io::{self, Write};

use anyhow::Context;

use crate::diagnostic::Code;
use crate::filter::FilterError;
use crate::source::command::Exit;
use crate::text::output::{Output, OutputError};
use crate::text::sanitize::{io_error_text, visible, visible_str};

/// The exit status of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitStatus {
    /// Nothing to report.
    Success,
    /// An error, a difference or a case that fails.
    Findings,
    /// Some input could not be read.
    Failure,
    /// The status of the command after `--`.
    Command(Exit),
}

impl ExitStatus {
    /// The exit code of the process.
    pub fn code(self) -> u8 {
        match self {
            Self::Success => 0,
            Self::Findings => 1,
            Self::Failure => 2,
            Self::Command(exit) => exit.code(),
        }
    }
}

impl From<Option<Exit>> for ExitStatus {
    fn from(exit: Option<Exit>) -> Self {
        exit.map_or(Self::Success, Self::Command)
    }
}

/// For an invalid filter, the expression and a line with carets under the error.
pub fn marked(error: &anyhow::Error) -> Option<[String; 2]> {
    error.chain().find_map(|cause| cause.downcast_ref::<FilterError>()).map(FilterError::marked)
}

/// Writes a message to standard error, where it does not mix with the output.
pub(super) fn print_to_stderr(words: &str) -> io::Result<()> {
    writeln!(Output::stderr(), "{}", visible_str(words))
}

/// Describes an error and its causes in one line.
pub fn describe(error: &anyhow::Error) -> String {
    let mut line = String::new();
    for cause in error.chain() {
        // Messages of the operating system begin with a lower-case letter, like all others.
        let system = cause.downcast_ref::<io::Error>().filter(|error| error.raw_os_error().is_some());
        let words = system.map_or_else(|| without_numbers(&cause.to_string()), io_error_text);
        // Some errors already contain their cause.
        if !line.ends_with(&words) {
            if !line.is_empty() {
                line.push_str(": ");
            }
            line.push_str(words.trim());
        }
    }
    visible(line.split('\n').map(str::trim).collect::<Vec<_>>().join("; ").as_bytes())
}

/// Removes the system's error numbers from a message; libraries put them into their own messages as well.
pub(super) fn without_numbers(message: &str) -> String {
    const NUMBER: &str = " (os error ";
    let mut parts = message.split(NUMBER);
    let mut words = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once(')') {
            Some((number, rest)) if number.bytes().all(|byte| byte.is_ascii_digit()) => words.push_str(rest),
            _ => words.extend([NUMBER, part]),
        }
    }
    words
}

/// True if an error says that the output's reader is gone, which is not a failure of the command.
pub fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.chain().filter_map(|cause| cause.downcast_ref::<io::Error>()).any(OutputError::is_closed)
}

/// Returns the known words similar to `word`, the most similar first. Dissimilar words are left out.
pub fn nearest<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    const LIKE: f64 = 0.75;
    let word = word.to_lowercase();
    let mut near: Vec<(f64, &str)> = known
        .map(|name| (strsim::jaro_winkler(&word, name), name))
        .filter(|(likeness, name)| *likeness >= LIKE || (word.len() > 3 && name.contains(&word)))
        .collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0));
    near.into_iter().take(3).map(|(_, name)| name).collect()
}

/// Finds a code by its name.
///
/// # Errors
/// The code is unknown; the error suggests similar ones.
pub fn code_named(name: &str) -> anyhow::Result<Code> {
    Code::from_name(name).with_context(|| {
        let near = nearest(name, Code::ALL.into_iter().map(Code::name));
        let hint = match near.as_slice() {
            [] => "transcope explain lists them all".to_owned(),
            near => format!("did you mean {}?", near.join(" or ")),
        };
        format!("unknown code {name:?}; {hint}")
    })
}
