//! The text of a tool's result in a chat session of VS Code.
//!
//! A result is a list of values: strings, data such as images, and trees of a prompt. A leaf of a tree is
//! `{type: 2, text, lineBreakBefore}`, any other node has `children`. The tree is what the library prompt-tsx would
//! have put in the prompt, so a line break is added only where there is none.

use super::super::exit_code;
use super::super::fragment::Fragment;
use super::super::json::{JsonKind, JsonValue};
use super::super::messages::standing_in;
use super::super::{CallOutcome, ToolResult};

/// Most times that the inner part of a tree is indexed again because it is nested too deep; each time is good for some
/// seven levels of nodes.
const MOST_INDEXES: usize = 8;

/// Beginning of the result of a call that failed.
const FAILED: &str = "ERROR while calling tool";

/// Beginnings of results of calls that the user did not allow.
const REFUSALS: [&str; 2] = ["The user cancelled the tool call", "The user chose to skip the tool call"];

/// Tool that runs commands, and the last line of its results if the command failed.
const TERMINAL: (&str, &[u8]) = ("run_in_terminal", b"Command exited with code ");

/// The result of the call with this id of a tool with this name.
pub(super) fn result(id: &str, name: &str, value: JsonValue<'_>) -> (ToolResult, Fragment) {
    let mut text = Fragment::default();
    match value.get("content") {
        Some(content) if content.kind() == JsonKind::Array => {
            for part in content.items() {
                if text.bytes.last().is_some_and(|last| *last != b'\n') {
                    text.push_synthetic("\n", part.source().start);
                }
                add(part, &mut text);
            }
        }
        Some(content) => text.push_content(content),
        None => text.push_content(value),
    }
    let outcome = outcome(&text.bytes, name, value);
    (ToolResult { call: (!id.is_empty()).then(|| id.into()), outcome }, text)
}

fn outcome(text: &[u8], name: &str, value: JsonValue<'_>) -> CallOutcome {
    let begins = |word: &str| text.starts_with(word.as_bytes());
    if begins(FAILED) || value.truth_of("hasError") == Some(true) {
        CallOutcome::Failed
    } else if REFUSALS.iter().any(|refusal| begins(refusal)) {
        CallOutcome::Denied
    } else if name == TERMINAL.0 {
        exit_code::of_last_line(text, TERMINAL.1)
    } else {
        CallOutcome::Unknown
    }
}

/// Adds a value of a result.
fn add(part: JsonValue<'_>, text: &mut Fragment) {
    let value = part.get("value").unwrap_or(part);
    if let Some(node) = value.get("node") {
        return node_text(node, MOST_INDEXES, text);
    }
    match part.first_of(&["data", "mimeType"]) {
        Some(_) if value.kind() != JsonKind::Text => text.append(&standing_in(part, "data")),
        _ => text.push_content(value),
    }
}

/// Adds the text of a node of a tree; `indexes` is how often a part of it may be indexed again.
fn node_text(node: JsonValue<'_>, indexes: usize, text: &mut Fragment) {
    let is_deep = node.kind() != JsonKind::Text && node.items().next().is_none() && !node.is_void();
    if is_deep {
        return deep_text(node, indexes, text);
    }
    if let Some(words) = node.get("text") {
        let breaks = node.truth_of("lineBreakBefore") == Some(true);
        if breaks && text.bytes.last().is_some_and(|last| *last != b'\n') {
            text.push_synthetic("\n", node.source().start);
        }
        return text.push_content(words);
    }
    let Some(children) = node.get("children") else { return text.push_verbatim(node) };
    if children.items().next().is_none() && !children.is_void() {
        return deep_text(children, indexes, text);
    }
    if node.number_of("ctor") == Some(3) {
        return text.append(&standing_in(node, "image"));
    }
    children.items().for_each(|child| node_text(child, indexes, text));
}

/// Adds the text of a node, or of a list of nodes, that is nested too deep for the index of its record.
fn deep_text(value: JsonValue<'_>, indexes: usize, text: &mut Fragment) {
    let mut inner = Fragment::default();
    inner.push_verbatim(value);
    let index = if indexes > 0 { inner.index() } else { None };
    match index.as_ref().and_then(|index| inner.root(index)) {
        Some(list) if list.kind() == JsonKind::Array => {
            list.items().for_each(|child| node_text(child, indexes - 1, text));
        }
        Some(node) => node_text(node, indexes - 1, text),
        None => text.append(&inner),
    }
}
