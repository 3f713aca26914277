//! Arguments as tags that nest: `<city>Paris</city><tags><item>red</item><item>blue</item></tags>`.
//!
//! The name of a tag is the key of its value. Tags within tags are members of an object; where all of them are called
//! `item` they are elements of an array, and so are other tags of the same name. Each tag has a prefix before it,
//! a literal that may be empty. Values are verbatim, apart from one rule for the white space around them. Nothing
//! recurses.

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

/// The key whose tags are the elements of an array, wherever they stand.
const ELEMENT_TAG: &str = "item";

/// How such arguments are written.
#[derive(Clone, Copy, Debug)]
pub struct TagSyntax<'a> {
    /// What stands in front of each `<`; may be empty.
    pub prefix: &'a str,
    /// What becomes of white space around values.
    pub strip: ValueStrip,
    /// What the text of a value becomes, if its tool has no schema.
    pub coerce: fn(&[u8]) -> Scalar,
}

/// What is taken away around a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueStrip {
    /// Nothing at all: values are verbatim.
    Nothing,
    /// One line feed in front and one behind, if they are there.
    OneNewline,
    /// All ASCII white space on both sides.
    Trim,
}

impl ValueStrip {
    /// The offsets of what is left of a value.
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

/// Reads what stands between the tags of a call; `bytes` lie at `at` in the transcript.
pub fn parse<S: Sink + Default>(
    bytes: &[u8],
    at: usize,
    arrival: Arrival,
    syntax: TagSyntax<'_>,
) -> ParsedArguments<S> {
    reader::read(bytes, at, arrival, syntax)
}

/// The arguments of a call as a tree, and what is wrong with them: see [`parse`].
pub fn assemble(bytes: &[u8], at: usize, arrival: Arrival, syntax: TagSyntax<'_>) -> Assembly {
    parse::<ParamTree>(bytes, at, arrival, syntax).into_assembly()
}

/// What [`assemble`] finds wrong, without a tree.
pub fn check(bytes: &[u8], at: usize, arrival: Arrival, syntax: TagSyntax<'_>) -> Findings {
    parse::<()>(bytes, at, arrival, syntax).into_findings()
}
