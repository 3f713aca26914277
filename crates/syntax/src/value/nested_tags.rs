//! Arguments as nested tags: `<city>Paris</city><tags><item>red</item><item>blue</item></tags>`.
//!
//! The name of a tag is the key of its value. Tags within tags are members of an object; if all of them are called
//! `item` they are elements of an array, and so are other tags with the same name. Each tag has a prefix, a literal
//! that may be empty. Values are verbatim, except for one rule about surrounding whitespace. Nothing recurses.

mod element;
mod faults;
mod reader;
#[cfg(test)]
mod tests;
mod writer;

pub use writer::write;

use super::coerce::Scalar;
use super::json::Arrival;
use super::tree_builder::ParsedArguments;
use super::{Assembly, Findings, ParamTree, Sink};

/// Longest name of a tag, in bytes; a longer one is text.
pub const MAX_TAG_NAME: usize = 256;

/// The tag of array elements.
const ELEMENT_TAG: &str = "item";

/// Syntax of such arguments.
#[derive(Clone, Copy, Debug)]
pub struct TagSyntax<'a> {
    /// Text before each `<`; may be empty.
    pub prefix: &'a str,
    /// Rule for whitespace around values.
    pub strip: ValueStrip,
    /// Conversion of a value's text, if its tool has no schema.
    pub coerce: fn(&[u8]) -> Scalar,
}

/// The whitespace removed around a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueStrip {
    /// None: values are verbatim.
    Nothing,
    /// One line feed before and one after it, if present.
    OneNewline,
    /// All ASCII whitespace on both sides.
    Trim,
}

impl ValueStrip {
    /// The offsets of the remaining value.
    fn strip(self, value: &[u8]) -> (usize, usize) {
        match self {
            ValueStrip::Nothing => (0, value.len()),
            ValueStrip::OneNewline => {
                let start = usize::from(value.starts_with(b"\n"));
                let end = value.len() - usize::from(value.len() > start && value.ends_with(b"\n"));
                (start, end)
            }
            ValueStrip::Trim => {
                let start = value.len() - value.trim_ascii_start().len();
                (start, start + value.trim_ascii().len())
            }
        }
    }
}

/// Parses the tags of a call; `bytes` are at `at` in the transcript.
pub fn parse<S: Sink + Default>(
    bytes: &[u8],
    at: usize,
    arrival: Arrival,
    syntax: TagSyntax<'_>,
) -> ParsedArguments<S> {
    reader::read(bytes, at, arrival, syntax)
}

/// The arguments of a call as a tree, with their problems: see [`parse`].
pub fn assemble(bytes: &[u8], at: usize, arrival: Arrival, syntax: TagSyntax<'_>) -> Assembly {
    parse::<ParamTree>(bytes, at, arrival, syntax).into_assembly()
}

/// The problems that [`assemble`] finds, without a tree.
pub fn check(bytes: &[u8], at: usize, arrival: Arrival, syntax: TagSyntax<'_>) -> Findings {
    parse::<()>(bytes, at, arrival, syntax).into_findings()
}
