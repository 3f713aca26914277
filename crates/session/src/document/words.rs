//! A list of words that are identified by four-byte numbers.
//!
//! Takes two vectors for all words instead of an allocation for each.

use std::num::NonZeroU32;

/// Words in insertion order.
#[derive(Clone, Debug, Default)]
pub(super) struct WordList {
    text: String,
    /// End of each word in `text`; a word begins where the previous one ends.
    ends: Vec<usize>,
}

/// The number of a word in its list, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WordNumber(NonZeroU32);

impl WordNumber {
    /// The number of the same word in a list that has `words` words before it.
    pub(super) fn shifted_by(self, words: u32) -> Self {
        Self(self.0.saturating_add(words))
    }
}

impl WordList {
    /// Adds a word. Returns `None` beyond 2^32 words.
    pub(super) fn push(&mut self, word: &str) -> Option<WordNumber> {
        let number = u32::try_from(self.ends.len() + 1).ok().and_then(NonZeroU32::new)?;
        self.text.push_str(word);
        self.ends.push(self.text.len());
        Some(WordNumber(number))
    }

    /// Appends another list. Returns the amount to add to the numbers of its words.
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
