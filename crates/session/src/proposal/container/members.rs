//! Members of records: their paths, and what their values look like.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::container::moment_of;

/// Deepest member that is examined.
const MAX_DEPTH: usize = 3;

/// A member of several records, and its values other than null.
#[derive(Clone, Debug)]
pub(super) struct Member<'a> {
    /// Path in the language of declarations.
    pub(super) path: String,
    pub(super) values: Vec<&'a Value>,
}

/// A key as a step of a path; `None` if paths cannot name it.
pub(super) fn step(key: &str) -> Option<String> {
    let is_named = !key.is_empty() && key.trim() == key && !key.starts_with('@') && !matches!(key, "^" | "*");
    let is_plain = !key.contains(['|', '\'', '"', '\n', '\r', '\\']) && !key.chars().any(char::is_control);
    (is_named && is_plain).then(|| key.replace('.', "\\."))
}

/// The path of the value around the one at a path; empty for a member of the record itself.
pub(super) fn parent(path: &str) -> &str {
    let bytes = path.as_bytes();
    let point = (1..bytes.len()).rev().find(|&at| bytes[at] == b'.' && bytes[at - 1] != b'\\');
    point.map_or("", |at| &path[..at])
}

/// The last step of a path in lower case.
pub(super) fn last(path: &str) -> String {
    let parent = parent(path);
    path[parent.len()..].trim_start_matches('.').to_lowercase()
}

/// True if `outer` is the path of a value around the one at `inner`, or the same.
pub(super) fn is_around(outer: &str, inner: &str) -> bool {
    outer == inner || inner.strip_prefix(outer).is_some_and(|rest| rest.starts_with('.'))
}

/// All members of some records to the third level, in the order of the first occurrence.
pub(super) fn members<'a>(records: &[&'a Value]) -> Vec<Member<'a>> {
    let mut all: Vec<Member<'a>> = Vec::new();
    let mut index: BTreeMap<String, usize> = BTreeMap::new();
    for record in records {
        collect(record, "", 1, &mut |path, value| {
            let at = *index.entry(path.clone()).or_insert_with(|| {
                all.push(Member { path, values: Vec::new() });
                all.len() - 1
            });
            all[at].values.push(value);
        });
    }
    all
}

fn collect<'a>(value: &'a Value, at: &str, depth: usize, take: &mut dyn FnMut(String, &'a Value)) {
    let Value::Object(object) = value else { return };
    for (key, value) in object.iter().filter(|(_, value)| !value.is_null()) {
        let Some(step) = step(key) else { continue };
        let path = if at.is_empty() { step } else { format!("{at}.{step}") };
        take(path.clone(), value);
        if depth < MAX_DEPTH {
            collect(value, &path, depth + 1, take);
        }
    }
}

/// The value at a path of a record.
pub(super) fn value_at<'a>(record: &'a Value, path: &str) -> Option<&'a Value> {
    let above = parent(path);
    let holder = if above.is_empty() { record } else { value_at(record, above)? };
    let key = path[above.len()..].strip_prefix('.').unwrap_or(&path[above.len()..]);
    holder.get(key.replace("\\.", ".")).filter(|value| !value.is_null())
}

impl<'a> Member<'a> {
    /// True if its last step contains one of the words.
    pub(super) fn is_called(&self, words: &[&str]) -> bool {
        let last = last(&self.path);
        words.iter().any(|word| last.contains(word))
    }

    pub(super) fn all(&self, is: impl Fn(&'a Value) -> bool) -> bool {
        self.values.iter().all(|value| is(value))
    }

    pub(super) fn is_string(&self) -> bool {
        self.all(Value::is_string)
    }

    pub(super) fn is_flag(&self) -> bool {
        self.all(Value::is_boolean)
    }

    /// The values as text: strings and whole numbers.
    pub(super) fn words(&self) -> Vec<String> {
        self.values.iter().filter_map(|value| word(value)).collect()
    }

    pub(super) fn distinct(&self) -> BTreeSet<String> {
        self.words().into_iter().collect()
    }

    /// True if the values are short, without spaces, and each occurs once.
    pub(super) fn is_id(&self) -> bool {
        let is_short = |value: &Value| {
            word(value).is_some_and(|word| (1..=128).contains(&word.len()) && !word.contains(char::is_whitespace))
        };
        self.all(is_short) && self.distinct().len() == self.values.len()
    }

    /// True if the values are words of programs: `read_file`, `fs.read`.
    pub(super) fn is_identifier(&self) -> bool {
        let is = |value: &Value| {
            value.as_str().is_some_and(|word| {
                word.len() <= 64
                    && word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
                    && word.chars().all(|c| c.is_ascii_alphanumeric() || "_-.:/".contains(c))
            })
        };
        self.all(is)
    }

    /// True if the values are objects, or strings that are JSON objects.
    pub(super) fn is_object(&self) -> bool {
        let is = |value: &Value| match value {
            Value::Object(_) => true,
            Value::String(text) => text.starts_with('{') && serde_json::from_str::<Value>(text).is_ok(),
            _ => false,
        };
        self.all(is)
    }

    /// True if the values are times of the years 2015 to 2040.
    pub(super) fn is_time(&self) -> bool {
        const SECONDS: std::ops::Range<f64> = 1.42e9..2.21e9;
        self.all(|value| match value {
            Value::String(text) => text.contains('-') && text.contains(':') && moment_of(text).is_some(),
            Value::Number(number) => {
                number.as_f64().is_some_and(|it| SECONDS.contains(&it) || SECONDS.contains(&(it / 1000.0)))
            }
            _ => false,
        })
    }

    /// True if no value is less than the one before it.
    pub(super) fn is_ascending(&self) -> bool {
        let moments: Vec<_> = self
            .values
            .iter()
            .map(|value| match value {
                Value::String(text) => moment_of(text).map_or(0, jiff::Timestamp::as_millisecond),
                other => other.as_f64().unwrap_or_default() as i64,
            })
            .collect();
        moments.is_sorted()
    }

    /// The whole numbers, if all are.
    pub(super) fn integers(&self) -> Option<Vec<u64>> {
        self.values.iter().map(|value| value.as_u64()).collect()
    }

    /// Average number of bytes of the strings with a space; 0 if fewer than a fifth have one.
    pub(super) fn prose(&self) -> usize {
        let texts: Vec<&str> = self.values.iter().filter_map(|value| value.as_str()).collect();
        let spaced = texts.iter().filter(|text| text.trim().contains(char::is_whitespace)).count();
        let length: usize = texts.iter().map(|text| text.len()).sum();
        if spaced * 5 < texts.len().max(1) { 0 } else { length / texts.len().max(1) }
    }
}

fn word(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) if number.is_u64() => Some(number.to_string()),
        _ => None,
    }
}
