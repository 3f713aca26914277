//! How a call is written as a callout, and what of that a tool fence shares: the words of the header, and the fields.

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

/// The name and the id of a callout or a fence.
pub fn header(call: &CallContent<'_>) -> String {
    call.id.map_or_else(|| call.name.to_owned(), |id| format!("{} {id}", call.name))
}

/// The fields of a callout or a fence: what another one carried, and at least a state.
pub fn fields(call: &CallContent<'_>) -> String {
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
