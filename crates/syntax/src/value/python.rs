//! Calls as Python writes them: `[get_weather(city='Paris', days=3)]`.
//!
//! [`PythonWalker`] finds the calls in a text that may still be arriving; [`parse`] builds a tree from the text
//! between the parentheses of one, with the position of every key and value. Values are Python's literals and JSON's
//! `true`, `false` and `null`. Anything else is kept as text and reported, because runtimes disagree about it.
//! Nothing recurses.

mod faults;
mod lexer;
mod literal;
pub mod literal_eval;
mod reader;
mod recovery;
mod string;
pub mod syntax;
#[cfg(test)]
mod tests;
mod tokens;
mod walk;
mod writer;

pub use walk::{PythonEvent, PythonWalker};
pub use writer::write;

use super::json::Arrival;
use super::tree_builder::ParsedArguments;
use super::{Assembly, Findings, ParamTree, Sink};

/// Most tokens of a call that are read; a tree of [`super::tree_builder::MAX_NODES`] values needs fewer.
pub const MAX_TOKENS: usize = 1_000_000;

/// Parses the text between the parentheses of a call; `bytes` are at `at` in the transcript.
pub fn parse<S: Sink + Default>(bytes: &[u8], at: usize, arrival: Arrival) -> ParsedArguments<S> {
    reader::read(bytes, at, arrival)
}

/// The arguments of a call as a tree, with their problems: see [`parse`].
pub fn assemble(bytes: &[u8], at: usize, arrival: Arrival) -> Assembly {
    parse::<ParamTree>(bytes, at, arrival).into_assembly()
}

/// The problems that [`assemble`] finds, without a tree.
pub fn check(bytes: &[u8], at: usize, arrival: Arrival) -> Findings {
    parse::<()>(bytes, at, arrival).into_findings()
}
