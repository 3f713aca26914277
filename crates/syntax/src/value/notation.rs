//! Notations of arguments that need no settings, so that a declaration only names them.

pub mod pairs;

use serde_json::Value as Json;

use super::json::Arrival;
use super::{Assembly, ParamTree, python};

/// A notation of arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Notation {
    /// Keyword arguments, as in Python.
    Python,
    /// Keys and values with `=`, see [`pairs`].
    Pairs,
}

impl Notation {
    /// Every notation with its name in declarations.
    pub(crate) const WORDS: [(&str, Notation); 2] = [("python", Notation::Python), ("pairs", Notation::Pairs)];

    /// The arguments of a call as a tree; `bytes` are at `at` in the transcript.
    pub(crate) fn assemble(self, bytes: &[u8], at: usize, arrival: Arrival) -> Assembly {
        match self {
            Notation::Python => python::assemble(bytes, at, arrival),
            Notation::Pairs => pairs::parse::<ParamTree>(bytes, at, arrival).into_assembly(),
        }
    }

    /// Parameters in this notation; empty unless they are an object.
    pub fn write(self, parameters: &Json) -> String {
        match self {
            Notation::Python => python::write(parameters),
            Notation::Pairs => pairs::write(parameters),
        }
    }
}
