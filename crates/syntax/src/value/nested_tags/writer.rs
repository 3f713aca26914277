//! Writes parameters as nested tags.

use serde_json::Value;

use super::{ELEMENT_TAG, TagSyntax, ValueStrip};

/// Writes the members of an object as consecutive tags; any other value gives an empty text.
///
/// Nothing is escaped: a value that contains its own closing tag ends there, and an empty container is empty
/// text. Values are at most [`crate::value::pointer::MAX_DEPTH`] deep.
pub fn write(parameters: &Value, syntax: TagSyntax<'_>) -> String {
    let mut out = String::new();
    for (key, value) in parameters.as_object().into_iter().flatten() {
        element(key, value, syntax, &mut out);
    }
    out
}

fn element(key: &str, value: &Value, syntax: TagSyntax<'_>, out: &mut String) {
    let prefix = syntax.prefix;
    out.extend([prefix, "<", key, ">"]);
    match value {
        Value::Object(members) => members.iter().for_each(|(key, member)| element(key, member, syntax, out)),
        Value::Array(elements) => elements.iter().for_each(|member| element(ELEMENT_TAG, member, syntax, out)),
        Value::String(text) => plain(text, syntax.strip, out),
        Value::Null | Value::Bool(_) | Value::Number(_) => out.push_str(&value.to_string()),
    }
    out.extend([prefix, "</", key, ">"]);
}

/// Writes text, with line feeds around it if the reader would strip its own.
fn plain(text: &str, strip: ValueStrip, out: &mut String) {
    let is_wrapped = strip == ValueStrip::OneNewline && (text.starts_with('\n') || text.ends_with('\n'));
    let feed = if is_wrapped { "\n" } else { "" };
    out.extend([feed, text, feed]);
}
