//! Word lists as data: a file with one word per line.

use std::collections::HashSet;
use std::sync::OnceLock;

/// The lines of a file as a set, which is built on first use.
pub struct WordSet {
    file: &'static str,
    words: OnceLock<HashSet<&'static str>>,
}

impl WordSet {
    /// A set of the words in `file`, the contents of a word list.
    pub const fn new(file: &'static str) -> Self {
        Self { file, words: OnceLock::new() }
    }

    /// True if the file has the word.
    pub fn contains(&self, word: &str) -> bool {
        self.words.get_or_init(|| self.file.lines().collect()).contains(word)
    }
}
