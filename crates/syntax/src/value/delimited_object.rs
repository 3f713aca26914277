//! Objects with delimited strings: `{city:<|"|>Paris<|"|>,days:3,opts:{tags:[1]}}`.
//!
//! Keys are bare, numbers and literals are JSON's, and strings have no escapes. [`DelimitedBoundary`] finds the end
//! of an object that may still be arriving, [`parse`] builds a tree with the position of every key and value. A bare
//! word is text, as it is to the runtimes, with a hint. Nothing recurses.

mod boundary;
mod faults;
mod reader;
#[cfg(test)]
mod tests;
mod writer;

pub use boundary::{DelimitedBoundary, DelimitedEvent};
pub use writer::write;

use super::json::Arrival;
use super::tree_builder::ParsedArguments;
use super::{Assembly, Findings, ParamTree, Sink};

/// Parses an object, braces included; `bytes` are at `at` in the transcript, and the nonempty `delimiter` encloses each
/// string.
pub fn parse<S: Sink + Default>(bytes: &[u8], at: usize, arrival: Arrival, delimiter: &str) -> ParsedArguments<S> {
    reader::read(bytes, at, arrival, delimiter.as_bytes())
}

/// The object as the arguments of a call, with their problems: see [`parse`].
pub fn assemble(bytes: &[u8], at: usize, arrival: Arrival, delimiter: &str) -> Assembly {
    parse::<ParamTree>(bytes, at, arrival, delimiter).into_assembly()
}

/// The problems that [`assemble`] finds, without a tree.
pub fn check(bytes: &[u8], at: usize, arrival: Arrival, delimiter: &str) -> Findings {
    parse::<()>(bytes, at, arrival, delimiter).into_findings()
}

/// Length of the double-quoted string at the beginning of `rest`, quotes included, with JSON's escapes; `None` if it is
/// not closed on its line. Such strings are not part of the syntax, but models write them.
fn quoted_length(rest: &[u8]) -> Option<usize> {
    let mut at = 1;
    loop {
        at += memchr::memchr3(b'"', b'\\', b'\n', &rest[at.min(rest.len())..])?;
        match rest[at] {
            b'"' => return Some(at + 1),
            b'\n' => return None,
            _ => at += 2,
        }
    }
}
