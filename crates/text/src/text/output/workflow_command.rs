//! Workflow commands: lines that a CI service acts on when they appear in the log of a step, such as `::error::…` of
//! GitHub, `##[…]` and `##vso[…]` of Azure, `##teamcity[…]`.
//!
//! A space breaks them up, which is visible and changes nothing else.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::os::fd::AsFd;

/// Environment variables that CI services set to announce themselves: GitHub and similar ones, Azure, `TeamCity`, and
/// `CI` for any service, since a container may not get any other.
const SERVICES: [&str; 4] = ["GITHUB_ACTIONS", "TF_BUILD", "TEAMCITY_VERSION", "CI"];

/// The kind of reader of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Destination {
    /// A terminal, which gets pictures.
    Terminal,
    /// The log of a workflow, or a pipe that may end in one: commands are broken up.
    Log,
    /// A file or a program, which gets the bytes unchanged.
    Bytes,
}

impl Destination {
    /// The kind of a stream: if a CI variable is set, anything but a terminal or a file counts as a log.
    pub fn of(stream: &(impl IsTerminal + AsFd)) -> Self {
        Self::detect(stream.is_terminal(), is_file(stream), |name| std::env::var_os(name))
    }

    fn detect(is_terminal: bool, is_file: bool, variable: impl Fn(&str) -> Option<OsString>) -> Self {
        let is_log =
            || SERVICES.iter().any(|name| variable(name).is_some_and(|value| !value.is_empty() && value != "false"));
        if is_terminal {
            Self::Terminal
        } else if !is_file && is_log() {
            Self::Log
        } else {
            Self::Bytes
        }
    }
}

/// True if a stream is a regular file, which a log never is.
fn is_file(stream: &impl AsFd) -> bool {
    let copy = stream.as_fd().try_clone_to_owned().map(File::from);
    copy.and_then(|file| file.metadata()).is_ok_and(|known| known.is_file())
}

/// Policy for lines that are workflow commands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum OwnCommands {
    /// No line is one of the program's own: all are broken up.
    #[default]
    None,
    /// Lines that begin with `::` are the program's own, and pass.
    Pass,
}

/// Progress within a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum LinePart {
    /// Only characters that a service may skip: white space, controls and non-ASCII.
    #[default]
    Indent,
    /// The first colon of a possible `::`.
    Colon,
    /// A command can no longer begin with `::`.
    Rest,
}

/// Progress within `##name[`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum HashPart {
    /// None of it.
    #[default]
    None,
    /// The first `#`.
    One,
    /// Both, and perhaps letters.
    Two,
}

/// Breaks up commands in written bytes, however these are cut.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CommandBreaker {
    pub(super) own: OwnCommands,
    line: LinePart,
    hashes: HashPart,
}

impl CommandBreaker {
    /// Writes bytes with a space inserted wherever a command would begin.
    pub(super) fn write(&mut self, inner: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
        let mut done = 0;
        for (at, &byte) in bytes.iter().enumerate() {
            if self.completes(byte) {
                inner.write_all(&bytes[done..at])?;
                inner.write_all(b" ")?;
                done = at;
            }
        }
        inner.write_all(&bytes[done..])
    }

    /// Takes one byte in; true if it would complete the beginning of a command.
    fn completes(&mut self, byte: u8) -> bool {
        let is_second_colon = self.line == LinePart::Colon && byte == b':' && self.own == OwnCommands::None;
        self.line = match (self.line, byte) {
            // Services take a carriage return for the end of a line.
            (_, b'\n' | b'\r') | (LinePart::Indent, ..=b' ' | b'\x7f'..) => LinePart::Indent,
            (LinePart::Indent, b':') => LinePart::Colon,
            _ => LinePart::Rest,
        };
        let is_bracket = self.hashes == HashPart::Two && byte == b'[';
        self.hashes = match (self.hashes, byte) {
            (HashPart::None, b'#') => HashPart::One,
            (HashPart::One | HashPart::Two, b'#') => HashPart::Two,
            (HashPart::Two, byte) if byte.is_ascii_alphabetic() => HashPart::Two,
            _ => HashPart::None,
        };
        is_second_colon || is_bracket
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_a_command_is_broken_up_however_it_is_cut() {
        for (input, expected, own) in [
            ("", "", OwnCommands::None),
            ("plain: a::b ## [c] #[d]\n", "plain: a::b ## [c] #[d]\n", OwnCommands::None),
            ("::error file=x::y::z\n", ": :error file=x::y::z\n", OwnCommands::None),
            (
                "a\n \t\u{a0}::add-mask::b\r::stop-commands::c",
                "a\n \t\u{a0}: :add-mask::b\r: :stop-commands::c",
                OwnCommands::None,
            ),
            (":::x\n:a:\n:\n:", ": ::x\n:a:\n:\n:", OwnCommands::None),
            (
                "a ##[error]b ###[x] ##vso[task] ##TeamCity[c] ##1[d]",
                "a ## [error]b ### [x] ##vso [task] ##TeamCity [c] ##1[d]",
                OwnCommands::None,
            ),
            ("::error::a ##[b]\n::warning::c\n", "::error::a ## [b]\n::warning::c\n", OwnCommands::Pass),
        ] {
            for cut in 0..=input.len() {
                let mut breaker = CommandBreaker { own, ..CommandBreaker::default() };
                let mut written = Vec::new();
                for part in [&input.as_bytes()[..cut], &input.as_bytes()[cut..]] {
                    breaker.write(&mut written, part).expect("a vector takes everything");
                }
                assert_eq!(String::from_utf8_lossy(&written), expected, "{input:?} cut at {cut}");
            }
        }
    }

    #[test]
    fn a_log_is_what_is_neither_terminal_nor_file_where_a_service_runs() {
        for (is_terminal, is_file, variable, expected) in [
            (true, false, "GITHUB_ACTIONS", Destination::Terminal),
            (false, true, "GITHUB_ACTIONS", Destination::Bytes),
            (false, false, "GITHUB_ACTIONS", Destination::Log),
            (false, false, "TF_BUILD", Destination::Log),
            (false, false, "TEAMCITY_VERSION", Destination::Log),
            (false, false, "CI", Destination::Log),
            (false, false, "TERM", Destination::Bytes),
        ] {
            let of = |value: &'static str| {
                Destination::detect(is_terminal, is_file, |name| (name == variable).then(|| value.into()))
            };
            assert_eq!(of("true"), expected, "{variable}");
            assert_ne!((of(""), of("false")), (Destination::Log, Destination::Log), "{variable}");
        }
    }
}
