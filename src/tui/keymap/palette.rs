//! The command palette: fuzzy search in the actions of a screen, by help text, name and synonyms.

use super::search::{MatchMode, SearchedEntry, matching};
use super::{Binding, Keymap, ScreenId};
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
}

impl Keymap {
    /// The actions of a screen that match what is typed, the best first; all in the order of the help if nothing is
    /// typed.
    pub fn palette(&self, keys: ScreenId, typed: &str) -> Vec<PaletteEntry> {
        let entry = |title: &str, binding: &Binding| {
            let words = format!("{title}: {}", binding.help);
            let found = PaletteEntry { action: binding.action, words, name: binding.name, keys: binding.keys_shown() };
            let own = format!("{} {}", found.name, found.words);
            SearchedEntry::new(found, &own, &binding.all_synonyms(), Vec::new())
        };
        let groups = self.groups(keys).iter();
        let all = groups.flat_map(|group| group.bindings.iter().map(|binding| entry(group.title, binding)));
        matching(all.collect(), typed, MatchMode::Letters)
    }

    /// The action of a screen with exactly this name or short name.
    pub fn action_named(&self, keys: ScreenId, name: &str) -> Option<Action> {
        let is_short = |binding: &Binding| name.len() == 1 && binding.synonyms.split(' ').any(|word| word == name);
        self.bindings(keys).find(|binding| binding.name == name || is_short(binding)).map(|binding| binding.action)
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
        assert_eq!(found("token"), ["costs", "statistics", "context"]);
        for (typed, expected) in [
            ("collapse", "fold"),
            ("copy", "copy"),
            ("find", "search"),
            ("export html", "export"),
            ("dark", "themes"),
            ("what was the model shown", "raw-file"),
            ("tools", "settings"),
            ("vllm", "ask-runtimes"),
            ("fix", "repair"),
            ("why", "details"),
            ("bye", "quit"),
        ] {
            assert!(found(typed).contains(&expected), "{typed}: {:?}", found(typed));
        }
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
