//! Words one behind the other, each known by a number of four bytes.
//!
//! Two vectors for all of them instead of an allocation for each.

use std::num::NonZeroU32;

/// Words in the order in which they came.
#[derive(Clone, Debug, Default)]
pub(super) struct WordList {
    text: String,
    /// Where each word ends in the text; it begins where the one before it ends.
    ends: Vec<usize>,
}

/// The number of a word in its list, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WordNumber(NonZeroU32);

impl WordNumber {
    /// The number of the same word in a list in which so many words are in front of it.
    pub(super) fn behind(self, words: u32) -> Self {
        Self(self.0.saturating_add(words))
    }
}

impl WordList {
    /// Adds a word; nothing beyond the 2^32 words that can be told apart.
    pub(super) fn push(&mut self, word: &str) -> Option<WordNumber> {
        let number = u32::try_from(self.ends.len() + 1).ok().and_then(NonZeroU32::new)?;
        self.text.push_str(word);
        self.ends.push(self.text.len());
        Some(WordNumber(number))
    }

    /// Adds the words of another list; what their numbers grow by.
    pub(super) fn append(&mut self, other: &Self) -> u32 {
        let (before, words) = (self.text.len(), self.ends.len() as u32);
        self.text.push_str(&other.text);
        self.ends.extend(other.ends.iter().map(|end| before + end));
        words
    }

    /// The word with this number.
    pub(super) fn get(&self, WordNumber(number): WordNumber) -> &str {
        let index = number.get() as usize - 1;
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text[start..self.ends[index]]
    }

    /// Number of words.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }
}
