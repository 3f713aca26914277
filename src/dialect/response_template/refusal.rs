//! Why the reference raises where it reads a region: the class of its exception and its words.

use super::load::python_repr;

/// Why the reference raises where it reads a region.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    /// The class of its exception.
    pub(super) class: &'static str,
    /// Its words, without the text that it quotes.
    pub(super) words: String,
    /// What it quotes, as lines that follow the first one of its words.
    pub(super) quoted: String,
}

impl Refusal {
    pub(super) fn value_error(words: impl Into<String>) -> Self {
        Self { class: "ValueError", words: words.into(), quoted: String::new() }
    }

    /// All that it says, with the text that it quotes.
    pub(super) fn full(&self) -> String {
        let words = match self.words.split_once('\n') {
            Some((first, rest)) if !self.quoted.is_empty() => format!("{first}\n{}\n{rest}", self.quoted),
            _ => self.words.clone(),
        };
        format!("{}: {}", self.class, if self.class == "KeyError" { python_repr(&words) } else { words })
    }
}
