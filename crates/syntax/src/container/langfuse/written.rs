//! Members and calls of messages, written as JSON with a map to the file.

use super::super::fragment::Fragment;
use super::super::json::{JsonKind, JsonValue};

/// Adds a member with the value's JSON text, after a comma.
pub(super) fn member(text: &mut Fragment, key: &str, value: JsonValue<'_>) {
    text.push_synthetic(&format!(",\"{key}\":"), value.source().start);
    text.push_verbatim(value);
}

/// Adds the member `tool_calls`. The page parses the arguments of calls, which are JSON text in chat completions.
pub(super) fn call_list(text: &mut Fragment, calls: JsonValue<'_>) {
    text.push_synthetic(",\"tool_calls\":[", calls.source().start);
    for (number, value) in calls.items().enumerate() {
        text.push_synthetic(if number == 0 { "" } else { "," }, value.source().start);
        match value.path(&["function", "arguments"]).filter(|arguments| arguments.kind() == JsonKind::Object) {
            Some(arguments) => call(text, value, value.get("id"), value.path(&["function", "name"]), Some(arguments)),
            None => text.push_verbatim(value),
        }
    }
    text.push_synthetic("]", calls.source().end);
}

/// Adds a call; its arguments are JSON text or an object.
pub(super) fn call(
    text: &mut Fragment,
    value: JsonValue<'_>,
    id: Option<JsonValue<'_>>,
    name: Option<JsonValue<'_>>,
    input: Option<JsonValue<'_>>,
) {
    let is_text = input.is_some_and(|input| input.kind() == JsonKind::Text);
    text.push_synthetic("{\"type\":\"function\"", value.source().start);
    if let Some(id) = id {
        member(text, "id", id);
    }
    if is_text {
        text.push_synthetic(",\"function\":{\"type\":\"function\"", value.source().start);
    }
    if let Some(name) = name {
        member(text, "name", name);
    }
    if let Some(input) = input {
        member(text, if is_text { "arguments" } else { "args" }, input);
    }
    text.push_synthetic(if is_text { "}}" } else { "}" }, value.source().end);
}

/// Adds a member whose string is not in the file and needs no escapes.
pub(super) fn made_member(text: &mut Fragment, key: &str, word: &str, at: usize) {
    made(text, &format!(",\"{key}\":\""), word, at);
}

/// Adds a string that is not in the file and needs no escapes, after `before`.
pub(super) fn made(text: &mut Fragment, before: &str, word: &str, at: usize) {
    text.push_synthetic(&format!("{before}{word}\""), at);
}
