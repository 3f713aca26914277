//! Paths to values of a record.
//!
//! ```text
//! path  = steps (" | " steps)*        the first value that is neither missing, null nor empty
//! steps = "." | step ("." step)*      "." is the value itself
//! step  = key | "^" | "*" | "@key" | "@json"
//! ```
//!
//! `^` is the value around the current one, `*` any element or member, `@key` the key of the current value, and `@json` the
//! value in a string that is JSON text. A backslash makes the next character part of a key: `event\.name`.

use crate::container::fragment::Fragment;
use crate::container::json::{JsonKind, JsonValue};
use crate::value::yaml::fields::{Source, Word};

/// A path of keys from a value to others; see the module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Path {
    alternatives: Vec<Vec<Step>>,
    /// The path as the declaration writes it, for messages.
    pub(super) text: Box<str>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    Key(Box<str>),
    Around,
    Any,
    OwnKey,
    Json,
}

/// A value, and the values that contain it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scope<'s, 'a> {
    pub(super) value: JsonValue<'a>,
    /// Key of a member that arrived without the object that contains it; the scope is that object.
    pub(super) member: Option<&'s str>,
    around: Option<&'s Scope<'s, 'a>>,
}

impl<'s, 'a> Scope<'s, 'a> {
    /// The scope of a record, around which there is nothing.
    pub(super) fn record(value: JsonValue<'a>) -> Self {
        Self { value, member: None, around: None }
    }

    /// An object of which only this member has arrived.
    pub(super) fn of_member(key: &'s str, value: JsonValue<'a>) -> Self {
        Self { value, member: Some(key), around: None }
    }

    /// A value in this one.
    pub(super) fn inner(&'s self, value: JsonValue<'a>) -> Self {
        Self { value, member: None, around: Some(self) }
    }
}

impl Path {
    /// Parses a path; faults are added to the problems of the declaration.
    pub(super) fn parse(word: &Word, source: &mut Source) -> Self {
        let alternatives = word.text.split('|').map(|steps| parse_steps(steps.trim())).collect();
        if word.text.split('|').any(|steps| steps.trim().is_empty()) {
            source.fault(word.place, "a path is empty; . is the value itself");
        }
        Self { alternatives, text: word.text.as_str().into() }
    }

    /// The value in a scope. Steps that lead to several values (`*`) lead to the first one.
    pub(super) fn value<'a>(&self, scope: &Scope<'_, 'a>) -> Option<JsonValue<'a>> {
        let mut first = None;
        for steps in &self.alternatives {
            let mut found = None;
            walk(steps, scope, &mut |value| {
                found = Some(value);
                true
            });
            match found {
                Some(value) if self.alternatives.len() == 1 || !value.is_void() => return Some(value),
                other => first = first.or(other),
            }
        }
        first
    }

    /// Calls `take` for each value in a scope, until it returns true. Returns whether it did.
    pub(super) fn each<'a>(&self, scope: &Scope<'_, 'a>, take: &mut dyn FnMut(JsonValue<'a>) -> bool) -> bool {
        self.alternatives.iter().any(|steps| walk(steps, scope, take))
    }

    /// The text of a nonempty string, a number, a truth value, or a key (`@key`).
    pub(super) fn words(&self, scope: &Scope<'_, '_>) -> Option<Box<str>> {
        for steps in &self.alternatives {
            if let [before @ .., Step::OwnKey] = steps.as_slice() {
                let holder = if before.is_empty() { Some(scope.value) } else { first_of(before, scope) };
                let key = holder.map(|value| value.key().into_owned()).filter(|key| !key.is_empty());
                if let Some(key) = key {
                    return Some(key.into());
                }
            } else if let Some(words) = first_of(steps, scope).and_then(JsonValue::scalar_text) {
                return Some(words);
            }
        }
        None
    }

    /// True if the path leads through JSON text in strings.
    pub(super) fn decodes(&self) -> bool {
        self.alternatives.iter().flatten().any(|step| *step == Step::Json)
    }

    /// Calls `take` with the value in a scope, which may be in JSON text that is decoded for the call.
    pub(super) fn with_value(&self, scope: &Scope<'_, '_>, take: &mut dyn FnMut(JsonValue<'_>)) {
        if !self.decodes() {
            return self.value(scope).into_iter().for_each(take);
        }
        for steps in &self.alternatives {
            let mut done = false;
            decode(steps, scope, &mut |value| {
                done = true;
                take(value);
            });
            if done {
                return;
            }
        }
    }

    /// The first key of each alternative, if all begin with one; such keys must be present.
    pub(super) fn first_key(&self) -> Option<&str> {
        match self.alternatives.as_slice() {
            [steps] => match steps.first() {
                Some(Step::Key(key)) => Some(key),
                _ => None,
            },
            _ => None,
        }
    }

    /// The key, if the path is only one.
    pub(super) fn only_key(&self) -> Option<&str> {
        self.first_key().filter(|_| self.alternatives[0].len() == 1)
    }
}

fn parse_steps(text: &str) -> Vec<Step> {
    if text == "." {
        return Vec::new();
    }
    let mut steps = Vec::new();
    let (mut key, mut is_literal) = (String::new(), false);
    let mut characters = text.chars();
    let mut push = |key: &mut String, is_literal: &mut bool| {
        let step = match key.as_str() {
            "^" if !*is_literal => Step::Around,
            "*" if !*is_literal => Step::Any,
            "@key" if !*is_literal => Step::OwnKey,
            "@json" if !*is_literal => Step::Json,
            key => Step::Key(key.into()),
        };
        steps.push(step);
        key.clear();
        *is_literal = false;
    };
    while let Some(character) = characters.next() {
        match character {
            '\\' => {
                is_literal = true;
                key.extend(characters.next());
            }
            '.' => push(&mut key, &mut is_literal),
            _ => key.push(character),
        }
    }
    push(&mut key, &mut is_literal);
    steps
}

fn first_of<'a>(steps: &[Step], scope: &Scope<'_, 'a>) -> Option<JsonValue<'a>> {
    let mut found = None;
    walk(steps, scope, &mut |value| {
        found = Some(value);
        true
    });
    found
}

/// Calls `take` for each value until it returns true.
fn walk<'a>(steps: &[Step], scope: &Scope<'_, 'a>, take: &mut dyn FnMut(JsonValue<'a>) -> bool) -> bool {
    match steps.split_first() {
        Some((Step::Around, rest)) => scope.around.is_some_and(|around| walk(rest, around, take)),
        Some((Step::Key(key), rest)) if scope.member.is_some() => {
            scope.member == Some(key) && walk_value(rest, scope.value, take)
        }
        None if scope.member.is_some() => false,
        _ => walk_value(steps, scope.value, take),
    }
}

fn walk_value<'a>(steps: &[Step], value: JsonValue<'a>, take: &mut dyn FnMut(JsonValue<'a>) -> bool) -> bool {
    let Some((step, rest)) = steps.split_first() else { return take(value) };
    match step {
        Step::Key(key) => match value.get(key) {
            Some(inner) => walk_value(rest, inner, take),
            None => value
                .kind()
                .eq(&JsonKind::Array)
                .then(|| key.parse::<usize>().ok().and_then(|number| value.items().nth(number)))
                .flatten()
                .is_some_and(|inner| walk_value(rest, inner, take)),
        },
        Step::Any => value.items().any(|inner| walk_value(rest, inner, take)),
        Step::Around | Step::OwnKey | Step::Json => false,
    }
}

fn decode(steps: &[Step], scope: &Scope<'_, '_>, take: &mut dyn FnMut(JsonValue<'_>)) {
    let Some(at) = steps.iter().position(|step| *step == Step::Json) else {
        return first_of(steps, scope).into_iter().for_each(take);
    };
    let Some(value) = first_of(&steps[..at], scope) else { return };
    let rest = &steps[at + 1..];
    if value.kind() != JsonKind::Text {
        return decode(rest, &scope.inner(value), take);
    }
    let text = Fragment::from_value(value);
    let index = text.index();
    if let Some(inner) = index.as_ref().and_then(|index| text.root(index)) {
        decode(rest, &Scope::record(inner), take);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::container::json::{Index, RecordPositions};
    use crate::text::Span;

    #[test]
    fn a_path_leads_to_a_value_its_key_or_one_in_json_text() {
        let record =
            r#"{"id": "r", "calls": {"c1": {"out": "x"}}, "text": "{\"a\": {\"b\": [1, \"two\"]}}", "void": ""}"#;
        let index = Index::read(record.as_bytes()).expect("it is JSON");
        let value = index.root(record.as_bytes(), RecordPositions::At(0)).expect("there is a value");
        let root = Scope::record(value);
        let call = root.inner(value.path(&["calls", "c1"]).expect("a member"));
        let member = Scope::of_member("id", value.get("id").expect("a member"));
        for (path, scope, expected) in [
            ("id", &root, Some("r")),
            ("calls.c1.out", &root, Some("x")),
            ("calls.*.out", &root, Some("x")),
            ("void | id", &root, Some("r")),
            ("missing", &root, None),
            ("out", &call, Some("x")),
            ("^.id", &call, Some("r")),
            ("@key", &call, Some("c1")),
            ("calls.c1.@key", &root, Some("c1")),
            ("id", &member, Some("r")),
            ("text", &member, None),
        ] {
            let word = Word { text: path.to_owned(), place: Span::at(0) };
            let found = Path::parse(&word, &mut Source::read(b"a: b")).words(scope);
            assert_eq!(found.as_deref(), expected, "{path}");
        }
        let word = Word { text: "text.@json.a.b.1".to_owned(), place: Span::at(0) };
        let path = Path::parse(&word, &mut Source::read(b"a: b"));
        let mut found = None;
        path.with_value(&root, &mut |value| found = Some((value.scalar_text(), value.source())));
        let (text, source) = found.expect("there is a value");
        assert_eq!((text.as_deref(), &record[source.start..source.end]), (Some("two"), r#"\"two\""#));
    }
}
