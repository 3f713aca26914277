//! Conditions on a value: paths with the values expected there.
//!
//! | expected | holds if |
//! |---|---|
//! | `word`, a number, `true` | the value is this string, number or truth value |
//! | a list | one of its elements holds, and none with `!` fails |
//! | `*` | there is a value other than null |
//! | `null` | there is no value, or null |
//! | `tool-*`, `*_call` | a string begins or ends like this |
//! | `<list>`, `<object>`, `<string>`, `<number>`, `<empty>` | the value is of this type |
//! | `<role>` | the value is the usual name of a role |
//! | `!word` | the value is not this one; a missing value holds unless other elements of the list need one |
//!
//! Of several values (`*` in a path) one must hold; in a path after `every `, all of them, and at least one.

use super::path::{Path, Scope};
use crate::container::MessageRole;
use crate::container::json::{JsonKind, JsonValue};
use crate::value::yaml::fields::{Entry, Fields, Item, Source, Word};

/// Conditions that must all hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Conditions(Vec<Condition>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Condition {
    path: Path,
    is_every: bool,
    /// Empty if there must be no value.
    expected: Vec<Expected>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Expected {
    is_negated: bool,
    pattern: Pattern,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Pattern {
    Present,
    Is(Box<str>),
    Begins(Box<str>),
    Ends(Box<str>),
    Type(&'static str),
}

const TYPES: [&str; 6] = ["<list>", "<object>", "<string>", "<number>", "<empty>", "<role>"];

impl Conditions {
    /// Reads the conditions in the member `name` of a mapping; none if it is missing.
    pub(super) fn read(source: &mut Source, fields: &mut Fields, name: &'static str) -> Self {
        let Some(map) = source.map(fields, name) else { return Self::default() };
        Self::from_map(source, &map)
    }

    /// Reads a mapping of paths to expected values.
    pub(super) fn from_map(source: &mut Source, map: &Fields) -> Self {
        let entries = source.entries(map);
        Self(entries.into_iter().map(|entry| condition(entry, source)).collect())
    }

    /// True if all hold in a scope.
    pub(super) fn hold(&self, scope: &Scope<'_, '_>) -> bool {
        self.0.iter().all(|condition| condition.holds(scope))
    }

    /// Keys that a record must have.
    #[cfg(test)]
    pub(super) fn keys(&self) -> Vec<&str> {
        let mut keys: Vec<&str> =
            self.0.iter().filter(|condition| condition.needs_value()).filter_map(|it| it.path.first_key()).collect();
        keys.dedup();
        keys
    }

    /// True if nothing is required.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The conditions as text: `type is session.start, data.sessionId`.
    pub(super) fn words(&self) -> String {
        let word = |condition: &Condition| {
            let path = &condition.path.text;
            match condition.expected.as_slice() {
                [] => format!("no {path}"),
                [Expected { is_negated: false, pattern: Pattern::Is(word) }] => format!("{path}: {word}"),
                _ => path.to_string(),
            }
        };
        self.0.iter().map(word).collect::<Vec<_>>().join(", ")
    }
}

fn condition(entry: Entry, source: &mut Source) -> Condition {
    let mut key = entry.key;
    let is_every =
        key.text.strip_prefix("every ").map(str::to_owned).inspect(|rest| key.text.clone_from(rest)).is_some();
    let path = Path::parse(&key, source);
    let expected = entry.values.iter().map(|word| expected(&word.text)).collect();
    Condition { path, is_every, expected }
}

fn expected(word: &str) -> Expected {
    let (is_negated, word) = word.strip_prefix('!').map_or((false, word), |rest| (true, rest));
    let pattern = match word {
        "*" => Pattern::Present,
        word if TYPES.contains(&word) => {
            Pattern::Type(TYPES.into_iter().find(|name| *name == word).unwrap_or_default())
        }
        word => match (word.strip_suffix('*'), word.strip_prefix('*')) {
            (Some(begin), _) => Pattern::Begins(begin.into()),
            (None, Some(end)) => Pattern::Ends(end.into()),
            (None, None) => Pattern::Is(word.into()),
        },
    };
    Expected { is_negated, pattern }
}

impl Condition {
    #[cfg(test)]
    fn needs_value(&self) -> bool {
        !self.expected.is_empty() && !self.is_every && self.expected.iter().any(|expected| !expected.is_negated)
    }

    fn holds(&self, scope: &Scope<'_, '_>) -> bool {
        if self.expected.is_empty() {
            return !self.path.each(scope, &mut |value| value.raw() != b"null");
        }
        let is_denial = self.expected.iter().all(|expected| expected.is_negated);
        let fits = |value: JsonValue<'_>| {
            let mut denied = self.expected.iter().filter(|expected| expected.is_negated);
            let mut wanted = self.expected.iter().filter(|expected| !expected.is_negated);
            !denied.any(|expected| expected.pattern.fits(value))
                && (is_denial || wanted.any(|expected| expected.pattern.fits(value)))
        };
        let mut any = false;
        if self.is_every || is_denial {
            let fails = self.path.each(scope, &mut |value| {
                any = true;
                !fits(value)
            });
            return !fails && (any || is_denial && !self.is_every);
        }
        self.path.each(scope, &mut |value| fits(value))
    }
}

impl Pattern {
    fn fits(&self, value: JsonValue<'_>) -> bool {
        match self {
            Pattern::Present => value.raw() != b"null",
            Pattern::Is(word) => match value.kind() {
                JsonKind::Text => value.text().is_some_and(|text| *text == **word),
                JsonKind::Word => value.raw() == word.as_bytes(),
                JsonKind::Object | JsonKind::Array => false,
            },
            Pattern::Begins(begin) => value.text().is_some_and(|text| text.starts_with(&**begin)),
            Pattern::Ends(end) => value.text().is_some_and(|text| text.ends_with(&**end)),
            Pattern::Type("<list>") => value.kind() == JsonKind::Array,
            Pattern::Type("<object>") => value.kind() == JsonKind::Object,
            Pattern::Type("<string>") => value.kind() == JsonKind::Text,
            Pattern::Type("<role>") => value.text().is_some_and(|word| MessageRole::named(&word).is_some()),
            Pattern::Type("<number>") => value.fraction().is_some(),
            Pattern::Type(_) => value.is_void(),
        }
    }
}

/// One of several values: the first whose conditions hold.
#[derive(Clone, Debug)]
pub(super) struct Choice<T>(Vec<(Conditions, T)>);

impl<T> Default for Choice<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Choice<T> {
    /// Reads a word, or a list of words and of `{when: conditions, is: word}`; `parse` turns a word into a value.
    pub(super) fn read(
        source: &mut Source,
        fields: &mut Fields,
        name: &'static str,
        mut parse: impl FnMut(&mut Source, &Word) -> Option<T>,
    ) -> Self {
        let mut all = Vec::new();
        for item in source.items(fields, name) {
            match item {
                Item::Word(word) => all.extend(parse(source, &word).map(|value| (Conditions::default(), value))),
                Item::Map(mut map) => {
                    let when = Conditions::read(source, &mut map, "when");
                    let word = source.required(&mut map, "is", "the value if the conditions hold");
                    source.finish(&map);
                    all.extend(word.and_then(|word| parse(source, &word)).map(|value| (when, value)));
                }
            }
        }
        Self(all)
    }

    /// The value in a scope.
    pub(super) fn pick(&self, scope: &Scope<'_, '_>) -> Option<&T> {
        self.0.iter().find(|(when, _)| when.hold(scope)).map(|(_, value)| value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::container::json::{Index, RecordPositions};

    #[test]
    fn conditions_hold_for_the_values_that_they_name() {
        let record = r#"{"type": "tool-x", "n": 7, "on": true, "none": null, "empty": [], "list": [{"k": "a"}, {"k": "b"}],
            "role": "assistant", "a.b": "dotted", "in": {"text": "Hi"}}"#;
        let index = Index::read(record.as_bytes()).expect("it is JSON");
        let value = index.root(record.as_bytes(), RecordPositions::At(0)).expect("there is a value");
        for (conditions, expected) in [
            ("{type: tool-x, n: 7, on: true}", true),
            ("{type: tool-*}", true),
            ("{type: '*-x'}", true),
            ("{type: '*'}", true),
            ("{none: '*'}", false),
            ("{none: null, missing: null}", true),
            ("{type: null}", false),
            ("{type: [a, tool-x]}", true),
            ("{type: '!tool-x'}", false),
            ("{type: ['*', '!tool-y']}", true),
            ("{missing: '!a'}", true),
            ("{missing: ['*', '!a']}", false),
            ("{list: <list>, in: <object>, type: <string>, n: <number>, empty: <empty>}", true),
            ("{list: <object>}", false),
            ("{role: <role>}", true),
            ("{type: <role>}", false),
            ("{list.*.k: b}", true),
            ("{list.*.k: c}", false),
            ("{every list.*.k: [a, b]}", true),
            ("{every list.*.k: a}", false),
            ("{every empty.*.k: a}", false),
            ("{list.1.k: b}", true),
            (r"{'a\.b': dotted}", true),
            ("{missing | in.text: Hi}", true),
            ("{.: <object>}", true),
        ] {
            let mut source = Source::read(format!("when: {conditions}").as_bytes());
            let mut root = source.root().expect("it is a mapping");
            let conditions_read = Conditions::read(&mut source, &mut root, "when");
            assert!(source.problems.is_empty(), "{conditions}: {:?}", source.problems);
            assert_eq!(conditions_read.hold(&Scope::record(value)), expected, "{conditions}");
        }
    }
}
