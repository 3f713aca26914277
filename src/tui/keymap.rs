//! Key bindings of all screens outside of prompts and edited texts. The help, the hints and the manual are generated
//! from them.
//!
//! Keys follow vim and less, and the arrows work; `config` applies the key bindings of the configuration.

mod config;
mod names;
pub mod palette;
pub mod search;
pub mod sequence;

use std::sync::{Arc, LazyLock};

pub use crate::tui::action::ScreenId;
pub use names::{key_event, key_name, shown};

use crate::tui::action::{Action, ActionLine, LETTER, TABLE, TableLine, synonyms_of};

/// An action with its keys.
#[derive(Clone, Debug)]
pub struct Binding {
    /// Names of keys such as `j`, `ctrl-d`, `Down` and `Tab`; the keys of a sequence are separated by spaces. Empty if
    /// the user has unbound the action.
    pub keys: Vec<String>,
    /// The bound action.
    pub action: Action,
    /// The name that runs it and that the configuration uses for its keys.
    pub name: &'static str,
    /// The help text.
    pub help: &'static str,
    /// Space-separated synonyms on this screen alone.
    pub synonyms: &'static str,
}

impl From<&ActionLine> for Binding {
    fn from(&ActionLine { keys, action, name, help, synonyms, .. }: &ActionLine) -> Self {
        Self { keys: keys.iter().map(|&key| key.to_owned()).collect(), action, name, help, synonyms }
    }
}

impl Binding {
    /// Its keys by their displayed names; empty if it has none.
    pub fn keys_shown(&self) -> String {
        self.keys.iter().map(|key| shown(key)).collect::<Vec<_>>().join("  ")
    }

    /// The words that people use for it, on this screen and on all.
    pub fn all_synonyms(&self) -> String {
        format!("{} {}", self.synonyms, synonyms_of(self.name))
    }
}

/// The key bindings of every screen.
#[derive(Clone, Debug)]
pub struct Keymap(Vec<Vec<KeyGroup>>);

/// Bindings under a heading of the help.
#[derive(Clone, Debug)]
pub struct KeyGroup {
    /// The heading, unique within the screen.
    pub title: &'static str,
    /// Its lines, in the order of the help.
    pub bindings: Vec<Binding>,
}

/// The meaning of a key sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// An action to run immediately.
    Action(Action),
    /// Incomplete: longer sequences begin with these keys.
    Prefix,
    /// Not bound, whatever follows.
    Nothing,
}

impl ScreenId {
    /// The bindings of the table under their headings.
    fn groups(self) -> Vec<KeyGroup> {
        let is_of_group = |_: &TableLine, line: &TableLine| matches!(line, TableLine::Action(_));
        let group = |lines: &[TableLine]| {
            let (TableLine::Title(title), lines) = lines.split_first()? else { return None };
            let here = lines.iter().filter_map(|line| match line {
                TableLine::Action(line) if line.on.has(self) => Some(Binding::from(line)),
                _ => None,
            });
            Some(KeyGroup { title, bindings: here.collect() }).filter(|group| !group.bindings.is_empty())
        };
        TABLE.chunk_by(is_of_group).filter_map(group).collect()
    }
}

impl Keymap {
    /// The bindings of the table.
    pub fn built_in() -> Arc<Self> {
        static TABLE_ALONE: LazyLock<Arc<Keymap>> =
            LazyLock::new(|| Arc::new(Keymap(ScreenId::ALL.iter().copied().map(ScreenId::groups).collect())));
        Arc::clone(&TABLE_ALONE)
    }

    /// The bindings of a screen under the headings of the help.
    pub fn groups(&self, keys: ScreenId) -> &[KeyGroup] {
        &self.0[keys as usize]
    }

    /// The bindings of a screen, in the order of the help.
    pub fn bindings(&self, keys: ScreenId) -> impl Iterator<Item = &Binding> {
        self.groups(keys).iter().flat_map(|group| &group.bindings)
    }

    /// The meaning of a key sequence on a screen; the names of its keys are separated by spaces.
    pub fn meaning(&self, keys: ScreenId, names: &str) -> Meaning {
        let find = |names: &str| self.bindings(keys).find(|binding| binding.keys.iter().any(|key| key == names));
        let lettered = || {
            let (first, letter) = names.rsplit_once(' ')?;
            let letter = letter.parse().ok().filter(char::is_ascii_alphabetic)?;
            Some(find(&format!("{first} {LETTER}"))?.action.with_letter(letter))
        };
        match find(names).map(|binding| binding.action).or_else(lettered) {
            Some(action) => Meaning::Action(action),
            None if self.continuations(keys, names).next().is_some() => Meaning::Prefix,
            None => Meaning::Nothing,
        }
    }

    /// The keys that complete the sequence `prefix` on a screen, each with its binding.
    pub fn continuations<'a>(
        &'a self,
        keys: ScreenId,
        prefix: &'a str,
    ) -> impl Iterator<Item = (&'a str, &'a Binding)> {
        let rest = move |key: &'a String| key.strip_prefix(prefix)?.strip_prefix(' ');
        self.bindings(keys)
            .flat_map(move |binding| binding.keys.iter().filter_map(rest).map(move |rest| (rest, binding)))
    }

    /// The first key of an action on a screen, by its displayed name; empty if the action has none.
    pub fn key_of(&self, keys: ScreenId, action: Action) -> &str {
        let binding = self.bindings(keys).find(|binding| binding.action == action);
        binding.and_then(|binding| binding.keys.first()).map_or("", |key| shown(key))
    }

    /// The key that now has the function of a key of the table; for several, such as `j/k`, each is replaced. A key
    /// that begins sequences, such as `y`, stays the same if it still begins some.
    pub fn in_place_of(&self, keys: ScreenId, key: &str) -> String {
        let built_in = Self::built_in();
        let parts: Vec<&str> = if key.len() > 1 { key.split('/').collect() } else { vec![key] };
        let now = parts.iter().map(|&part| {
            let waits = |map: &Self| map.continuations(keys, part).next().is_some();
            if waits(&built_in) {
                return if waits(self) { part } else { "" };
            }
            let binding = built_in.bindings(keys).find(|binding| binding.keys.iter().any(|key| key == part));
            binding.map_or(part, |binding| {
                let is_same = self.bindings(keys).any(|own| own.action == binding.action && own.keys == binding.keys);
                if is_same { part } else { self.key_of(keys, binding.action) }
            })
        });
        now.filter(|key| !key.is_empty()).collect::<Vec<_>>().join("/")
    }

    /// A line for each action of the table: its name, its keys and its help text, with the screen where that differs.
    pub fn manual(&self) -> Vec<[String; 3]> {
        let mut lines: Vec<[String; 3]> = Vec::new();
        for screen in ScreenId::ALL {
            for binding in self.bindings(*screen) {
                let line = [binding.name.to_owned(), binding.keys_shown(), binding.help.to_owned()];
                match lines.iter().find(|other| other[0] == line[0]) {
                    Some(other) if other[1..] == line[1..] => {}
                    Some(_) => {
                        let [name, keys, help] = line;
                        lines.push([name, keys, format!("{}: {help}", screen.name())]);
                    }
                    None => lines.push(line),
                }
            }
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::action::action_lines;

    /// Keys with different actions on different screens, and what these have in common.
    const RELATED: &[(&str, &str)] = &[
        ("c", "calls: the next one, the one that is compared, how many a large file has"),
        ("ctrl-z", "back: to the text before a change in a playground, and to the shell from all else"),
        ("e", "the next thing that is wrong or differs"),
        ("E", "the previous one"),
        ("n", "the next thing that was looked for: a match or a difference"),
        ("N", "the previous one"),
        ("#", "statistics: of a text, of all sessions that are listed"),
        ("*", "matches in texts: of the selection in its text, of what is typed in all sessions"),
        ("p", "a list to choose from: the problems of a text, the conversations of a template"),
        ("r", "what came of it: the result of a call, what has changed in the files"),
        (
            "s",
            "how things are shown: settings of a text, the order of a list, the tools of a request, the runtime of a template",
        ),
        ("T", "the end: following it, and what a prompt ends with"),
        ("Space", "on to what comes next: a page of a text; where one thing is compared with another, a mark on it"),
    ];

    #[test]
    fn a_key_means_the_same_everywhere_or_there_is_a_reason() {
        let map = Keymap::built_in();
        let all: Vec<_> = ScreenId::ALL
            .iter()
            .map(|&keys| {
                let of_binding = |binding| {
                    let Binding { keys, action, .. }: &Binding = binding;
                    keys.iter().map(|key| (key.as_str(), *action))
                };
                map.bindings(keys).flat_map(of_binding).collect::<Vec<_>>()
            })
            .collect();
        let others = |key: &str, action: Action| {
            all.iter().flatten().any(|(other, meaning)| *other == key && *meaning != action)
        };
        for (key, action) in all.iter().flatten() {
            let is_related = RELATED.iter().any(|(related, _)| related == key);
            assert!(is_related || !others(key, *action), "{key} means {action:?} here and something else there");
        }
        for (key, reason) in RELATED {
            assert!(all.iter().flatten().any(|(other, _)| other == key), "nothing has the key {key}: {reason}");
        }
    }

    #[test]
    fn the_name_of_every_key_leads_back_to_it() {
        for line in action_lines() {
            for name in line.keys.iter().flat_map(|keys| keys.split(' ')).filter(|name| *name != LETTER) {
                for written in [name, shown(name)] {
                    let key = key_event(written).unwrap_or_else(|| panic!("{written} is not the name of a key"));
                    assert_eq!(key_name(key), name, "{written}");
                }
            }
        }
    }

    #[test]
    fn no_key_is_bound_twice_and_every_line_has_help() {
        let map = Keymap::built_in();
        for keys in ScreenId::ALL {
            let mut seen = Vec::new();
            for binding in map.bindings(*keys) {
                let length = binding.help.chars().count();
                assert!((1..=31).contains(&length), "{:?}: {length} columns of help", binding.keys);
                for key in &binding.keys {
                    assert!(!seen.contains(&key), "{key} is bound twice");
                    seen.push(key);
                }
            }
        }
    }

    #[test]
    fn every_action_has_a_name_of_its_own_that_is_no_screen() {
        let mut names: Vec<(&str, Action)> = Vec::new();
        for line in action_lines() {
            let &ActionLine { keys, name, action, .. } = line;
            assert!(ScreenId::ALL.iter().all(|screen| screen.name() != name), "{name}");
            let other = names.iter().find(|(other, meant)| (*other == name) != (*meant == action));
            assert!(other.is_none(), "{keys:?}: {name} is {action:?} and {other:?}");
            names.push((name, action));
        }
    }
}
