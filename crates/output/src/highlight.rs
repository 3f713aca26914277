//! Syntax highlighting: the language of a value, and the roles of the tokens in its lines.
//!
//! Highlighting is slow (the first TypeScript text takes a quarter of a second) and the grammars are many, so callers
//! should run it on a thread, or limit it to short texts. On any failure the text stays plain. Independent of colours
//! and threads.

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

/// Longer lines, in bytes, stay plain: a line made to be slow costs 24 µs a byte.
pub(crate) const MAX_LINE_BYTES: usize = 4 * 1024;

/// Lines beyond this many bytes of text stay plain.
pub const MAX_TEXT_BYTES: usize = 256 * 1024;

/// Lines beyond this number stay plain.
pub(crate) const MAX_LINES: usize = 5_000;

/// The role of a token in code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CodeRole {
    /// Text without another role.
    Plain,
    /// A keyword, or an operator written as a word.
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
    /// An added line of a diff.
    Inserted,
    /// A removed line of a diff.
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

/// A highlighted text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Highlighted {
    /// For each line, without its LF: the length in bytes and the role of each run; together they cover the line.
    ///
    /// A plain line has no runs, and plain lines at the end may be missing.
    pub lines: Vec<Vec<(usize, CodeRole)>>,
}
