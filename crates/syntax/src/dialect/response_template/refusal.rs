//! The reference's exceptions.

/// An exception that the reference raises when it reads a region.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    /// Its message, without the exception class and the quoted text.
    pub(super) words: String,
    /// True if the text should have been JSON but is not.
    pub(super) is_json: bool,
}

impl Refusal {
    pub(super) fn new(words: impl Into<String>) -> Self {
        Self { words: words.into(), is_json: false }
    }
}
