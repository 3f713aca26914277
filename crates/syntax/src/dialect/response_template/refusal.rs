//! Why the reference raises where it reads a region.

/// Why the reference raises where it reads a region.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    /// Its words, without the class of its exception and the text that it quotes.
    pub(super) words: String,
    /// True if the text should have been JSON and is none.
    pub(super) is_json: bool,
}

impl Refusal {
    pub(super) fn new(words: impl Into<String>) -> Self {
        Self { words: words.into(), is_json: false }
    }
}
