//! Every action of a screen as a list to choose from by words: what it does, its name, its keys.
//!
//! This module does not know how the list is drawn.

use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher};

use super::{Binding, Keymap, Keys, shown};
use crate::tui::action::Action;

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

impl Keymap {
    /// The actions of a screen that fit what is typed, the best first; without words all, in the order of the help.
    pub fn palette(&self, keys: Keys, typed: &str) -> Vec<PaletteEntry> {
        let groups = self.groups(keys).iter();
        let all = groups.flat_map(|group| group.bindings.iter().map(|binding| PaletteEntry::new(group.title, binding)));
        let pattern = Pattern::parse(typed, CaseMatching::Ignore, Normalization::Smart);
        let mut config = Config::DEFAULT;
        config.prefer_prefix = true;
        let mut matcher = Matcher::new(config);
        // A name is matched as well as the words.
        let searched = all.map(|entry| {
            let text = format!("{} {}", entry.action.name(), entry.words);
            SearchedEntry { text, entry }
        });
        pattern.match_list(searched, &mut matcher).into_iter().map(|(found, _)| found.entry).collect()
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
    text: String,
    entry: PaletteEntry,
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
            let found = map.palette(Keys::Transcript, typed);
            assert_eq!(found.first().map(|entry| entry.words.as_str()), Some(expected), "{typed}");
        }
        assert_eq!(map.palette(Keys::Transcript, "zzzz"), []);
        assert_eq!(map.palette(Keys::Sessions, "").len(), map.bindings(Keys::Sessions).count());
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
