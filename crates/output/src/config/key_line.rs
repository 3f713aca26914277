//! Finds the line of an error in a configuration file when the YAML reader does not report one.
//!
//! Keys are found in block style: one per line, indented below their parent. A key in braces gets the line of the
//! nearest key above it that is not in braces.

use anyhow::{Error, anyhow};
use serde::de::DeserializeOwned;
use serde_yaml::{Mapping, Value};

use crate::text::type_fault;
use crate::text::typo::nearest;

/// The 1-based line of the last key of a path that is found; `None` if not even the first one is.
pub(crate) fn line_of(text: &str, path: &[&str]) -> Option<usize> {
    let mut lines = text.lines().enumerate();
    let (mut found, mut parent) = (None, None);
    for key in path {
        let is_key = |line: &str| {
            let line = line.trim_start().trim_start_matches(['"', '\'']);
            let rest = line.strip_prefix(key).map(|rest| rest.trim_start_matches(['"', '\'']).trim_start());
            rest.is_some_and(|rest| rest.starts_with(':'))
        };
        let indent = |line: &str| line.len() - line.trim_start().len();
        let is_blank = |line: &str| line.trim_start().is_empty() || line.trim_start().starts_with('#');
        let mut within =
            lines.by_ref().take_while(|(_, line)| is_blank(line) || parent.is_none_or(|parent| indent(line) > parent));
        let Some((number, line)) = within.find(|(_, line)| (parent.is_some() || indent(line) == 0) && is_key(line))
        else {
            break;
        };
        found = Some(number + 1);
        parent = Some(indent(line));
    }
    found
}

/// Prefixes a message with the line of a key, if it is found.
pub(crate) fn with_line(text: &str, path: &[&str], words: &str) -> String {
    line_of(text, path).map_or_else(|| words.to_owned(), |line| format!("line {line}: {words}"))
}

/// The error of a text that is not a `T`, with its line; for an unknown key, with the one that was probably meant.
pub(crate) fn fault<T: DeserializeOwned>(text: &str, error: &serde_yaml::Error) -> Error {
    let words = type_fault::plain(&meant(&error.to_string()));
    // The reader's message does not always include a position.
    if words.contains(" at line ") || words.starts_with("line ") {
        return anyhow!(words);
    }
    // Each key is tried alone, since the reader does not report which one it stopped at.
    let entries: Mapping = serde_yaml::from_str(text).unwrap_or_default();
    let is_faulty = |(key, value): &(&Value, &Value)| {
        let alone = Mapping::from_iter([((*key).clone(), (*value).clone())]);
        serde_yaml::from_value::<T>(Value::Mapping(alone)).is_err()
    };
    let key = entries.iter().find(is_faulty).and_then(|(key, _)| key.as_str());
    anyhow!(key.map_or_else(|| words.clone(), |key| with_line(text, &[key], &words)))
}

/// Shortens the message about an unknown key: suggests a similar key, if there is one, instead of listing all.
fn meant(words: &str) -> String {
    let parts = words.split_once("unknown field `").and_then(|(before, rest)| {
        let (unknown, known) = rest.split_once('`')?;
        // Every second piece is between backticks.
        let near = nearest(unknown, known.split('`').skip(1).step_by(2))?;
        Some(format!("{before}unknown key {unknown:?}; did you mean {near}?"))
    });
    parts.unwrap_or_else(|| words.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_found_on_its_line_below_the_keys_that_it_belongs_to() {
        let text = "# a comment\ntheme: dark\nkeys:\n  # more\n  quit: [q]\n\n  list:\n    \"open\": o\nfilters: { x: y }\nopen: 1\n";
        for (path, line) in [
            (&["theme"][..], Some(2)),
            (&["keys", "quit"], Some(5)),
            (&["keys", "list", "open"], Some(8)),
            (&["keys", "theme"], Some(3)),
            (&["filters", "x"], Some(9)),
            (&["open"], Some(10)),
            (&["quit"], None),
            (&["them"], None),
        ] {
            assert_eq!(line_of(text, path), line, "{path:?}");
        }
    }
}
