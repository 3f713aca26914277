//! Words that are data: a file with a word on each line.

use std::collections::HashSet;
use std::sync::OnceLock;

/// The lines of a file as a set, which is made when it is first asked.
pub struct WordSet {
    file: &'static str,
    words: OnceLock<HashSet<&'static str>>,
}

impl WordSet {
    /// The words of a file with these contents.
    pub const fn new(file: &'static str) -> Self {
        Self { file, words: OnceLock::new() }
    }

    /// True if the file has the word.
    pub fn contains(&self, word: &str) -> bool {
        self.words.get_or_init(|| self.file.lines().collect()).contains(word)
    }
}
