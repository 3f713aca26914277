//! The command palette: fuzzy search in the actions of a screen, by help text, name and synonyms.

use std::cmp::Reverse;

use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher};

use super::{Binding, Keymap, ScreenId, shown};
use crate::tui::action::Action;

/// An action in the palette.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaletteEntry {
    /// The action to run.
    pub action: Action,
    /// The heading of its keys and its help text: `Copy: parameters as JSON`.
    pub words: String,
    /// The name that runs it.
    pub name: &'static str,
    /// Its keys by their displayed names; empty if it has none.
    pub keys: String,
    /// Space-separated synonyms that are searched as well.
    synonyms: &'static str,
}

impl PaletteEntry {
    fn new(title: &str, binding: &Binding) -> Self {
        let keys = binding.keys.iter().map(|key| shown(key)).collect::<Vec<_>>().join("  ");
        let &Binding { action, name, help, synonyms, .. } = binding;
        Self { action, words: format!("{title}: {help}"), name, keys, synonyms }
    }
}

/// Minimum score per typed character of a match by scattered letters; a lower one is coincidence.
const LEAST: u32 = 17;

impl Keymap {
    /// The actions of a screen that match what is typed, the best first; all in the order of the help if nothing is
    /// typed. If all typed words are prefixes of an entry's words, only such entries match.
    pub fn palette(&self, keys: ScreenId, typed: &str) -> Vec<PaletteEntry> {
        let groups = self.groups(keys).iter();
        let all = groups.flat_map(|group| group.bindings.iter().map(|binding| PaletteEntry::new(group.title, binding)));
        let pattern = Pattern::parse(typed, CaseMatching::Ignore, Normalization::Smart);
        let mut config = Config::DEFAULT;
        config.prefer_prefix = true;
        let mut matcher = Matcher::new(config);
        // The name is matched as well as the help text.
        let searched: Vec<SearchedEntry> = all.map(SearchedEntry::new).collect();
        let words: Vec<String> = typed.to_lowercase().split_whitespace().map(str::to_owned).collect();
        let has_words = |entry: &SearchedEntry| words.iter().all(|word| entry.has_word(word));
        let (named, others): (Vec<_>, Vec<_>) = searched.into_iter().partition(has_words);
        if !named.is_empty() {
            let mut found = pattern.match_list(named.iter(), &mut matcher);
            // An action found only by a synonym follows those found by their own words.
            found.sort_by_key(|(entry, score)| (Reverse(words.iter().all(|word| entry.says(word))), Reverse(*score)));
            return found.into_iter().map(|(entry, _)| entry.entry.clone()).collect();
        }
        let letters = typed.chars().filter(|c| !c.is_whitespace()).count() as u32;
        let found = pattern.match_list(others, &mut matcher).into_iter();
        found.filter(|(_, score)| *score >= letters * LEAST).map(|(found, _)| found.entry).collect()
    }

    /// The action of a screen with exactly this name or short name.
    pub fn action_named(&self, keys: ScreenId, name: &str) -> Option<Action> {
        let is_short = |binding: &Binding| name.len() == 1 && binding.synonyms.split(' ').any(|word| word == name);
        self.bindings(keys).find(|binding| binding.name == name || is_short(binding)).map(|binding| binding.action)
    }
}

struct SearchedEntry {
    /// Name, help text, and synonyms.
    text: String,
    /// Length of `text` without the synonyms, in bytes.
    said: usize,
    entry: PaletteEntry,
}

impl SearchedEntry {
    fn new(entry: PaletteEntry) -> Self {
        let mut text = format!("{} {}", entry.name, entry.words);
        let said = text.len();
        text.push(' ');
        text.push_str(entry.synonyms);
        Self { text, said, entry }
    }

    /// True if a word begins with `letters`, synonyms included.
    fn has_word(&self, letters: &str) -> bool {
        begins_word(&self.text, letters)
    }

    /// True if a word begins with `letters`, synonyms excluded.
    fn says(&self, letters: &str) -> bool {
        begins_word(&self.text[..self.said], letters)
    }
}

fn begins_word(text: &str, letters: &str) -> bool {
    let text = text.to_lowercase();
    let is_start = |at: usize| !text[..at].ends_with(char::is_alphanumeric);
    text.match_indices(letters).any(|(at, _)| is_start(at))
}

impl AsRef<str> for SearchedEntry {
    fn as_ref(&self) -> &str {
        &self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actions_are_found_by_words_letters_and_names() {
        let map = Keymap::built_in();
        for (typed, expected) in [
            ("copy json", "Copy: parameters as JSON"),
            ("cpjson", "Copy: parameters as JSON"),
            ("next-error", "Go to: the next error or failed call"),
            ("quit", "Other: back to the list, or quit"),
            ("", "Move: down"),
        ] {
            let found = map.palette(ScreenId::Transcript, typed);
            assert_eq!(found.first().map(|entry| entry.words.as_str()), Some(expected), "{typed}");
        }
        assert_eq!(map.palette(ScreenId::Transcript, "zzzz"), []);
        assert_eq!(map.palette(ScreenId::Sessions, "").len(), map.bindings(ScreenId::Sessions).count());
    }

    #[test]
    fn other_words_find_an_action_and_letters_by_chance_none() {
        let map = Keymap::built_in();
        let found = |typed: &str| -> Vec<&'static str> {
            map.palette(ScreenId::Transcript, typed).iter().map(|entry| entry.name).collect()
        };
        assert_eq!(found("diff"), ["compare"]);
        assert_eq!(found("redact"), ["export"]);
        assert_eq!(found("token"), ["costs", "statistics"]);
        assert!(found("turn").contains(&"outline"), "{:?}", found("turn"));
        assert!(!found("turn").contains(&"quit"));
        for typed in ["xqz", "zebra", "invoice"] {
            assert!(found(typed).is_empty(), "{typed}: {:?}", found(typed));
        }
    }

    #[test]
    fn a_name_is_that_of_one_action_of_the_screen() {
        let map = Keymap::built_in();
        for (keys, name, expected) in [
            (ScreenId::Transcript, "copy-parameters", true),
            (ScreenId::Sessions, "copy-parameters", false),
            (ScreenId::Sessions, "q", true),
            (ScreenId::Sessions, "w", false),
            (ScreenId::Transcript, "cop", false),
        ] {
            assert_eq!(map.action_named(keys, name).is_some(), expected, "{name}");
        }
    }
}
