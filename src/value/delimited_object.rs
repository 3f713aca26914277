//! Objects whose strings are between delimiters: `{city:<|"|>Paris<|"|>,days:3,opts:{tags:[1]}}`.
//!
//! Keys are bare, numbers and literals are JSON's, and nothing in a string is escaped. [`DelimitedBoundary`] finds the
//! end of an object that may still be arriving, [`parse`] makes a tree of it with the place of every key and value. A
//! bare word is text, as it is to the runtimes, with a hint. Nothing recurses.

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

/// Reads an object, braces included; `bytes` lie at `at` in the transcript, `delimiter` is in front of and behind each
/// string, and not empty.
pub fn parse<S: Sink + Default>(bytes: &[u8], at: usize, arrival: Arrival, delimiter: &str) -> ParsedArguments<S> {
    reader::read(bytes, at, arrival, delimiter.as_bytes())
}

/// The object as the arguments of a call, and what is wrong with them: see [`parse`].
pub fn assemble(bytes: &[u8], at: usize, arrival: Arrival, delimiter: &str) -> Assembly {
    parse::<ParamTree>(bytes, at, arrival, delimiter).into_assembly()
}

/// What [`assemble`] finds wrong, without a tree.
pub fn check(bytes: &[u8], at: usize, arrival: Arrival, delimiter: &str) -> Findings {
    parse::<()>(bytes, at, arrival, delimiter).into_findings()
}

/// Length of the string in double quotes that `rest` begins with, quotes included, as JSON writes it on one line; nothing
/// where it is not closed on its line. Such strings are no part of the syntax, but models write them.
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
