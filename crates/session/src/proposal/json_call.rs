//! JSON objects that hold name and arguments, with recurring text around them.

use std::collections::BTreeMap;

use serde_json::Value;

use super::marker::{escape, is_marker};
use super::writer::{ArgumentsDraft, Draft, DraftPlace};

/// Most positions at which JSON is tried.
const MAX_PLACES: usize = 400;

/// Longest JSON of a call, in bytes.
const LONGEST: usize = 16 * 1024;

const NAME_KEYS: [&str; 6] = ["name", "tool", "tool_name", "function", "action", "fn"];
const ARGUMENT_KEYS: [&str; 4] = ["arguments", "parameters", "args", "input"];

/// The text around a call, and the keys of its name and arguments.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Around {
    before: String,
    after: String,
    name_key: &'static str,
    arguments_key: &'static str,
    is_list: bool,
    is_at_line: bool,
}

/// Drafts for all JSON calls in the text, the most frequent form first.
pub(super) fn drafts(text: &str) -> Vec<Draft> {
    let mut found: BTreeMap<Around, usize> = BTreeMap::new();
    let mut at = 0;
    for _ in 0..MAX_PLACES {
        let Some(start) = text[at..].find('{').map(|found| at + found) else { break };
        at = start + 1;
        let Some((value, end)) = object(text, start) else { continue };
        at = end;
        let Some((name_key, arguments_key)) = keys(&value) else { continue };
        let before = text[..start].trim_end();
        let is_list = before.ends_with('[');
        let before = if is_list { before[..before.len() - 1].trim_end() } else { before };
        let after = text[end..].trim_start();
        let after = if is_list { after.strip_prefix(']').map_or("", str::trim_start) } else { after };
        let line = before.rsplit('\n').next().unwrap_or_default();
        // If there is prose before the marker on its line, the marker is the last word.
        let word = line.rsplit(char::is_whitespace).next().unwrap_or_default();
        for (marker, is_at_line) in [(line.trim_start(), true), (word, false)] {
            if !is_marker(marker) || (marker == line && !is_at_line) {
                continue;
            }
            let closing = after.split(char::is_whitespace).next().unwrap_or_default();
            for closing in [closing, ""] {
                let around = Around {
                    before: marker.to_owned(),
                    after: if is_marker(closing) { closing.to_owned() } else { String::new() },
                    name_key,
                    arguments_key,
                    is_list,
                    is_at_line,
                };
                *found.entry(around).or_default() += 1;
            }
        }
    }
    let mut found: Vec<(Around, usize)> = found.into_iter().collect();
    found.sort_by_key(|(around, count)| (std::cmp::Reverse(*count), around.after.is_empty()));
    let draft = |around: Around| Draft {
        open: escape(&around.before),
        followed_by: Vec::new(),
        close: (!around.after.is_empty()).then(|| escape(&around.after)),
        place: DraftPlace::from_line(around.is_at_line),
        is_open_value: false,
        section: None,
        at_start: None,
        arguments: ArgumentsDraft::JsonCalls {
            name_key: around.name_key.to_owned(),
            arguments_key: around.arguments_key.to_owned(),
            id_key: None,
            separator: None,
            is_list: around.is_list,
        },
    };
    found.into_iter().take(12).map(|(around, _)| draft(around)).collect()
}

/// The JSON object at an offset, and its end.
fn object(text: &str, start: usize) -> Option<(Value, usize)> {
    let mut end = text.len().min(start + LONGEST);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let mut values = serde_json::Deserializer::from_str(&text[start..end]).into_iter::<Value>();
    let value = values.next()?.ok()?;
    Some((value, start + values.byte_offset()))
}

/// The keys under which an object has the name of a tool and its arguments.
fn keys(value: &Value) -> Option<(&'static str, &'static str)> {
    let name = NAME_KEYS.into_iter().find(|key| value.get(key).is_some_and(Value::is_string))?;
    let arguments = ARGUMENT_KEYS.into_iter().find(|key| value.get(key).is_some_and(Value::is_object))?;
    Some((name, arguments))
}
