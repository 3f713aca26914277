//! Every action of a screen as a list to choose from by words: what it does, its name, its keys.
//!
//! This module does not know how the list is drawn.

use std::cmp::Reverse;

use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher};

use super::{Binding, Keymap, Keys, shown};
use crate::tui::action::{Action, CopyForm, Move, PaneId};

/// Short names that are known from vim.
const ALIASES: &[(&str, Action)] = &[("q", Action::Quit), ("w", Action::Save), ("h", Action::Help)];

/// An action that can be chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaletteEntry {
    /// What is done when it is chosen.
    pub action: Action,
    /// The heading of its keys and what it does, as the help says it: `Copy: parameters as JSON`.
    pub words: String,
    /// Its keys as they are shown; empty where it has none.
    pub keys: String,
}

impl PaletteEntry {
    fn new(title: &str, binding: &Binding) -> Self {
        let keys = binding.keys.iter().map(|key| shown(key)).collect::<Vec<_>>().join("  ");
        Self { action: binding.action, words: format!("{title}: {}", binding.help), keys }
    }
}

/// Other words for actions, by which they are found.
const SYNONYMS: &[(Action, &str)] = &[
    (Action::Compare, "diff difference"),
    (Action::Problem(1), "error warning hint diagnostic failure"),
    (Action::Problem(-1), "error warning hint diagnostic failure"),
    (Action::Error(1), "failure"),
    (Action::Call(1), "tool"),
    (Action::Call(-1), "tool"),
    (Action::Partner, "answer output"),
    (Action::Focus(PaneId::Outline), "turn turns toc"),
    (Action::Focus(PaneId::Dialects), "token tokens price"),
    (Action::Focus(PaneId::Statistics), "token tokens turn turns"),
    (Action::Focus(PaneId::Settings), "dialect dialects options schema"),
    (Action::Export, "redact share save redacted markdown"),
    (Action::SaveCase, "fixture"),
    (Action::Note, "comment annotate bookmark"),
    (Action::SetMark(None), "bookmark"),
    (Action::Play, "scratch"),
    (Action::Replay(Move::Play), "stream"),
    (Action::Examples, "quotation"),
    (Action::FollowEnd, "tail"),
    (Action::Zoom, "maximize fullscreen"),
    (Action::Themes, "colour color dark light"),
    (Action::Copy(CopyForm::Selection), "yank clipboard"),
    (Action::Suspend, "shell background"),
    (Action::CorpusStatistics, "token tokens"),
    (Action::Quit, "exit leave"),
];

/// The least score for each character of words that are found by their letters alone: less is chance.
const LEAST: u32 = 17;

impl Keymap {
    /// The actions of a screen that fit what is typed, the best first; without words all, in the order of the help. Where
    /// some have words that begin as all that were typed, others do not fit.
    pub fn palette(&self, keys: Keys, typed: &str) -> Vec<PaletteEntry> {
        let groups = self.groups(keys).iter();
        let all = groups.flat_map(|group| group.bindings.iter().map(|binding| PaletteEntry::new(group.title, binding)));
        let pattern = Pattern::parse(typed, CaseMatching::Ignore, Normalization::Smart);
        let mut config = Config::DEFAULT;
        config.prefer_prefix = true;
        let mut matcher = Matcher::new(config);
        // A name is matched as well as the words.
        let searched: Vec<SearchedEntry> = all.map(SearchedEntry::new).collect();
        let words: Vec<String> = typed.to_lowercase().split_whitespace().map(str::to_owned).collect();
        let has_words = |entry: &SearchedEntry| words.iter().all(|word| entry.has_word(word));
        let (named, others): (Vec<_>, Vec<_>) = searched.into_iter().partition(has_words);
        if !named.is_empty() {
            let mut found = pattern.match_list(named.iter(), &mut matcher);
            // An action that is found by a synonym alone follows those that say the word.
            found.sort_by_key(|(entry, score)| (Reverse(words.iter().all(|word| entry.says(word))), Reverse(*score)));
            return found.into_iter().map(|(entry, _)| entry.entry.clone()).collect();
        }
        let letters = typed.chars().filter(|c| !c.is_whitespace()).count() as u32;
        let found = pattern.match_list(others, &mut matcher).into_iter();
        found.filter(|(_, score)| *score >= letters * LEAST).map(|(found, _)| found.entry).collect()
    }

    /// The action of a screen with exactly this name.
    pub fn action_named(&self, keys: Keys, name: &str) -> Option<Action> {
        let alias = ALIASES.iter().find(|(alias, _)| *alias == name).map(|(_, action)| *action);
        self.bindings(keys)
            .map(|binding| binding.action)
            .find(|action| alias.map_or(action.name() == name, |alias| alias == *action))
    }
}

struct SearchedEntry {
    /// The name, what the help says, and synonyms.
    text: String,
    /// Bytes of that without the synonyms.
    said: usize,
    entry: PaletteEntry,
}

impl SearchedEntry {
    fn new(entry: PaletteEntry) -> Self {
        let mut text = format!("{} {}", entry.action.name(), entry.words);
        let said = text.len();
        for (_, words) in SYNONYMS.iter().filter(|(action, _)| *action == entry.action) {
            text.push(' ');
            text.push_str(words);
        }
        Self { text, said, entry }
    }

    /// Whether a word begins with these letters, synonyms included.
    fn has_word(&self, letters: &str) -> bool {
        begins_word(&self.text, letters)
    }

    /// True if a word of the text itself, synonyms left out, begins with `letters`.
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
    use super::super::ALL;
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
            let found = map.palette(Keys::Transcript, typed);
            assert_eq!(found.first().map(|entry| entry.words.as_str()), Some(expected), "{typed}");
        }
        assert_eq!(map.palette(Keys::Transcript, "zzzz"), []);
        assert_eq!(map.palette(Keys::Sessions, "").len(), map.bindings(Keys::Sessions).count());
    }

    #[test]
    fn other_words_find_an_action_and_letters_by_chance_none() {
        let map = Keymap::built_in();
        let found = |typed: &str| -> Vec<&'static str> {
            map.palette(Keys::Transcript, typed).iter().map(|entry| entry.action.name()).collect()
        };
        assert_eq!(found("diff"), ["compare"]);
        assert_eq!(found("redact"), ["export"]);
        assert_eq!(found("token"), ["costs", "statistics"]);
        assert!(found("turn").contains(&"outline"), "{:?}", found("turn"));
        assert!(!found("turn").contains(&"quit"));
        for typed in ["xqz", "zebra", "invoice"] {
            assert!(found(typed).is_empty(), "{typed}: {:?}", found(typed));
        }
        for (action, words) in SYNONYMS {
            assert!(ALL.iter().any(|keys| map.bindings(*keys).any(|binding| binding.action == *action)), "{words}");
        }
    }

    #[test]
    fn a_name_is_that_of_one_action_of_the_screen() {
        let map = Keymap::built_in();
        for (keys, name, expected) in [
            (Keys::Transcript, "copy-parameters", true),
            (Keys::Sessions, "copy-parameters", false),
            (Keys::Sessions, "q", true),
            (Keys::Sessions, "w", false),
            (Keys::Transcript, "cop", false),
        ] {
            assert_eq!(map.action_named(keys, name).is_some(), expected, "{name}");
        }
    }
}
