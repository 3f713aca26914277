//! Searching a list by typing: a key, words by their beginnings, synonyms, and scattered letters.

use std::cmp::Reverse;

use nucleo_matcher::pattern::{AtomKind, CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};

/// Minimum score per typed character of a match by scattered letters; a lower one is coincidence.
const LEAST: u32 = 17;

/// Words of a question that describe nothing; they are ignored unless nothing else is typed.
const FILLERS: &[&str] = &[
    "a", "an", "can", "do", "does", "did", "how", "i", "in", "is", "it", "me", "my", "of", "the", "this", "to", "was",
    "what", "where",
];

/// An entry of a list, with the text that is searched.
pub struct SearchedEntry<T> {
    entry: T,
    /// Its own words, followed by synonyms.
    text: String,
    /// Length in bytes of the words before the synonyms.
    own: usize,
    /// Keys or glyphs that find it only if they are typed exactly.
    keys: Vec<String>,
}

impl<T> SearchedEntry<T> {
    /// An entry with its own words, synonyms, and the keys or glyphs that mean it.
    pub fn new(entry: T, own: &str, synonyms: &str, keys: Vec<String>) -> Self {
        Self { entry, text: format!("{own} {synonyms}"), own: own.len(), keys }
    }

    fn has_key(&self, typed: &str) -> bool {
        self.keys.iter().any(|key| key == typed)
    }

    fn has_words(&self, words: &[String]) -> bool {
        words.iter().all(|word| begins_word(&self.text, word))
    }

    /// True if its own words have all typed ones.
    fn says(&self, words: &[String]) -> bool {
        words.iter().all(|word| begins_word(&self.text[..self.own], word))
    }

    /// How far back among the synonyms the typed words are, in bytes: the most usual synonyms are the first.
    fn rank(&self, words: &[String]) -> usize {
        let synonyms = &self.text[self.own..];
        words.iter().filter_map(|word| synonyms.find(word.as_str())).sum()
    }
}

/// Which entries match what is typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatchMode {
    /// Entries that have all typed words.
    Words,
    /// If there are none, entries that have the letters in this order.
    Letters,
}

/// The entries that match what is typed, the best first; all in their order if nothing is typed. An entry with
/// exactly this key is the first; entries that have the words only as synonyms follow the others.
pub fn matching<T>(entries: Vec<SearchedEntry<T>>, typed: &str, mode: MatchMode) -> Vec<T> {
    let typed = typed.trim();
    if typed.is_empty() {
        return entries.into_iter().map(|found| found.entry).collect();
    }
    let (keyed, others): (Vec<_>, Vec<_>) = entries.into_iter().partition(|entry| entry.has_key(typed));
    let mut found: Vec<T> = keyed.into_iter().map(|found| found.entry).collect();
    let words = words_of(typed);
    if words.is_empty() {
        return found;
    }
    let pattern = Pattern::new(&words.join(" "), CaseMatching::Ignore, Normalization::Smart, AtomKind::Fuzzy);
    let mut config = Config::DEFAULT;
    config.prefer_prefix = true;
    let mut matcher = Matcher::new(config);
    let (named, others): (Vec<_>, Vec<_>) = others.into_iter().partition(|entry| entry.has_words(&words));
    let letters = words.iter().map(|word| word.chars().count() as u32).sum::<u32>();
    let is_scattered = named.is_empty() && found.is_empty() && mode == MatchMode::Letters;
    let (rest, least) = if is_scattered { (others, letters * LEAST) } else { (named, 0) };
    let mut buffer = Vec::new();
    let mut scored: Vec<(bool, Reverse<usize>, u32, T)> = Vec::new();
    for entry in rest {
        let score = pattern.score(Utf32Str::new(&entry.text, &mut buffer), &mut matcher).unwrap_or_default();
        if score >= least {
            let says = entry.says(&words);
            let rank = if says { 0 } else { entry.rank(&words) };
            scored.push((says, Reverse(rank), score, entry.entry));
        }
    }
    scored.sort_by_key(|(says, rank, score, _)| Reverse((*says, *rank, *score)));
    found.extend(scored.into_iter().map(|(.., entry)| entry));
    found
}

/// The typed words in lower case, without fillers unless there is nothing else; signs alone do not count.
fn words_of(typed: &str) -> Vec<String> {
    let words = typed.to_lowercase();
    let words = words.split_whitespace().filter(|word| word.contains(char::is_alphanumeric));
    let all: Vec<String> = words.map(|word| word.trim_end_matches(['?', '.', '!']).to_owned()).collect();
    let telling: Vec<String> = all.iter().filter(|word| !FILLERS.contains(&word.as_str())).cloned().collect();
    if telling.is_empty() { all } else { telling }
}

/// True if a word of the text begins with `letters`, or with them without the `s` of a plural.
fn begins_word(text: &str, letters: &str) -> bool {
    let text = text.to_lowercase();
    let is_start = |at: usize| !text[..at].ends_with(char::is_alphanumeric);
    let begins = |letters: &str| text.match_indices(letters).any(|(at, _)| is_start(at));
    begins(letters) || letters.strip_suffix('s').filter(|one| one.len() > 2).is_some_and(begins)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_match_is_the_first() {
        let entries = || {
            vec![
                SearchedEntry::new("fold", "fold the call", "collapse hide", vec!["h".into(), "!".into()]),
                SearchedEntry::new("copy", "copy the call", "yank hold", vec!["y y".into()]),
                SearchedEntry::new("tool", "next call", "tool", vec!["c".into()]),
            ]
        };
        for (typed, expected) in [
            ("", &["fold", "copy", "tool"][..]),
            ("collapse", &["fold"]),
            ("how do I collapse it?", &["fold"]),
            ("tools", &["tool"]),
            ("call", &["copy", "fold", "tool"]),
            ("c", &["tool", "fold", "copy"]),
            ("y y", &["copy"]),
            ("!", &["fold"]),
            ("cpy", &["copy"]),
            ("?", &[]),
            ("^zebra", &[]),
        ] {
            let mut found = matching(entries(), typed, MatchMode::Letters);
            if typed == "call" {
                found.sort_unstable();
                assert_eq!(found, ["copy", "fold", "tool"]);
                continue;
            }
            assert_eq!(found, expected, "{typed:?}");
        }
    }
}
