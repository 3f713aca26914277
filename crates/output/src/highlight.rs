//! Colours for code: which language a value is written in, and the roles of the words of its lines.
//!
//! Highlighting is slow (a first look at TypeScript takes a quarter of a second) and its grammars are many, so whoever
//! asks does so beside what people wait for, or for little. Whatever goes wrong, the text stays plain. This module knows
//! no colours and no threads.

use crate::text::diff_lines::DiffLine;

pub use fence::fences;
pub use language::{Language, language_of};
pub use paint::Painter;
pub use value::{ResultCode, language_of_value};

mod diff;
mod fence;
mod language;
mod paint;
mod value;

/// Longer lines, in bytes, stay plain: the cost of a line made to be slow is 24 µs a byte.
pub const MAX_LINE_BYTES: usize = 4 * 1024;

/// Lines beyond this many bytes of text stay plain.
pub const MAX_TEXT_BYTES: usize = 256 * 1024;

/// Lines beyond this many stay plain.
pub const MAX_LINES: usize = 5_000;

/// The part that a word plays in code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CodeRole {
    /// Anything without a role of its own.
    Plain,
    /// A keyword, an operator written as a word.
    Keyword,
    /// A string.
    String,
    /// A comment.
    Comment,
    /// A number.
    Number,
    /// The name of a function.
    Function,
    /// The name of a type, a tag.
    Type,
    /// A constant, an escape sequence.
    Constant,
    /// A key, an attribute, a variable.
    Property,
    /// Brackets, separators, operators.
    Punctuation,
    /// A difference: an added line.
    Inserted,
    /// A difference: a removed line.
    Deleted,
}

impl From<DiffLine> for CodeRole {
    fn from(line: DiffLine) -> Self {
        match line {
            DiffLine::Heading => CodeRole::Type,
            DiffLine::Place => CodeRole::Function,
            DiffLine::Added => CodeRole::Inserted,
            DiffLine::Removed => CodeRole::Deleted,
            DiffLine::Context => CodeRole::Plain,
        }
    }
}

/// The runs of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Highlighted {
    /// For each line, without its LF: the bytes of each run and their role, which together make up the line.
    ///
    /// A plain line has no runs, and plain lines at the end may be missing.
    pub lines: Vec<Vec<(usize, CodeRole)>>,
}
