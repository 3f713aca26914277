//! Writes a call as a callout; a tool fence shares the header words and the fields.

use serde_json::Value;

use super::yaml_writer::YamlWriter;
use crate::dialect::CallContent;

pub(super) fn write(call: &CallContent<'_>) -> String {
    let mut out = format!("> [!tool {}]\n", header(call));
    for line in fields(call).lines() {
        out += format!("> {line}").trim_end_matches(' ');
        out.push('\n');
    }
    out
}

/// The header words of a callout or a fence: name and id.
pub(crate) fn header(call: &CallContent<'_>) -> String {
    call.id.map_or_else(|| call.name.to_owned(), |id| format!("{} {id}", call.name))
}

/// The fields of a callout or a fence: at least a state, and any others that the call already had.
pub(crate) fn fields(call: &CallContent<'_>) -> String {
    let waiting = Value::from("input-available");
    let mut out = YamlWriter::default();
    out.member("state", call.outcome("state").unwrap_or(&waiting));
    if call.members().next().is_some() {
        out.member("input", call.parameters);
    }
    for (field, name) in [("output", "output"), ("errorText", "error_text")] {
        if let Some(value) = call.outcome(name) {
            out.member(field, value);
        }
    }
    for (key, value) in call.outcome("extra").and_then(Value::as_object).into_iter().flatten() {
        out.member(key, value);
    }
    out.text()
}
