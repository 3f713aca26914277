//! The effect of a call on the text of a file.

/// The effect of a call on one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextChange {
    /// The text is shown and stays the same.
    Read {
        /// True if all lines are read.
        whole: bool,
    },
    /// The whole text of the file, whatever it was before.
    Write(String),
    /// This is added at its end.
    Append(String),
    /// Parts are replaced, in this order.
    Replace(Vec<Replacement>),
    /// Text is inserted after this many lines.
    Insert(usize, String),
    /// The file is removed, with its text.
    Delete,
    /// The file gets this path, after replacements.
    Move(String, Vec<Replacement>),
    /// An edit whose arguments do not have the new text, such as an abridged one.
    Unclear,
}

/// A part of a file that is replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replacement {
    /// The text before; empty if lines are added at the end of the file.
    pub old: String,
    /// The text that takes its place.
    pub new: String,
    /// The places of the old text that are meant.
    pub scope: ReplacementScope,
}

/// Places that a [`Replacement`] applies to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplacementScope {
    /// The first place with the old text.
    First,
    /// Every place with the old text; without one the edit fails.
    All,
    /// The first lines that are the old ones, perhaps with other white space at their ends; after the lines of the
    /// replacement before it.
    Lines,
}
