//! How each dialect writes a call.
//!
//! To add a dialect, add a line to [`WRITERS`]. A writer writes as a model is told to write, and does what it can;
//! whether that comes back as it was is for others to say. This module does not read.

use std::fmt::Write as _;

use serde_json::Value;

use super::yaml::Yaml;
use crate::compare::Facts;
use crate::dialect::gadget::Markers;
use crate::params::coerce::number_text;

/// What may be chosen about the words of a dialect.
#[derive(Clone, Debug, Default)]
pub struct Spelling {
    /// Markers of gadget blocks.
    pub markers: Markers,
}

/// How a dialect writes a call.
pub struct Writer {
    /// Name of the dialect.
    pub name: &'static str,
    /// Where a call may begin.
    begins: Begins,
    /// Writes a call with a line feed at its end.
    write: fn(&Facts, &Spelling) -> String,
}

/// Where a call may begin.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Begins {
    Anywhere,
    /// At the beginning of a line.
    Line,
    /// Behind an empty line.
    Paragraph,
}

/// In the order of [`crate::dialect::registry`].
pub const WRITERS: &[Writer] = &[
    Writer { name: "gadget", begins: Begins::Anywhere, write: gadget },
    Writer { name: "caret", begins: Begins::Line, write: caret },
    Writer { name: "callout", begins: Begins::Paragraph, write: callout },
    Writer { name: "tool-fence", begins: Begins::Line, write: tool_fence },
    Writer { name: "xml", begins: Begins::Anywhere, write: xml },
    Writer { name: "invoke", begins: Begins::Anywhere, write: invoke },
    Writer { name: "function", begins: Begins::Anywhere, write: function },
    Writer { name: "hermes", begins: Begins::Anywhere, write: hermes },
    Writer { name: "native", begins: Begins::Line, write: native },
];

impl Writer {
    /// The writer of the dialect with this name.
    ///
    /// # Errors
    /// Names an unknown dialect and lists the known ones.
    pub fn named(name: &str) -> Result<&'static Self, String> {
        WRITERS.iter().find(|writer| writer.name == name).ok_or_else(|| {
            let known: Vec<&str> = WRITERS.iter().map(|writer| writer.name).collect();
            format!("unknown dialect {name:?}; a call can be written as {}", known.join(", "))
        })
    }

    /// A call, with a line feed at its end.
    pub fn write(&self, call: &Facts, spelling: &Spelling) -> String {
        (self.write)(call, spelling)
    }

    /// Adds a call that is written to a text. Where it may not begin there, line feeds go before it; it ends with one
    /// only where the call it replaces did so, or something follows on its line.
    pub(super) fn place(&self, text: &mut Vec<u8>, call: &str, ended_line: bool, next: &[u8]) {
        if self.begins != Begins::Anywhere && !text.is_empty() && !text.ends_with(b"\n") {
            text.push(b'\n');
        }
        if self.begins == Begins::Paragraph && !text.is_empty() && !text.ends_with(b"\n\n") {
            text.push(b'\n');
        }
        let bare = call.strip_suffix('\n').unwrap_or(call);
        text.extend_from_slice(bare.as_bytes());
        let alone = self.begins != Begins::Anywhere && !next.is_empty() && next != b"\n" && next != b"\r";
        if ended_line || alone {
            text.push(b'\n');
        }
    }
}

/// A plain value as text; a container as JSON.
fn words(value: &Value) -> String {
    match value {
        Value::String(string) => string.clone(),
        Value::Number(number) => number.as_f64().map_or_else(|| number.to_string(), number_text),
        other => other.to_string(),
    }
}

/// The parameters in their order; none, if they are no object.
fn parameters(call: &Facts) -> impl Iterator<Item = (&String, &Value)> {
    call.parameters.as_object().into_iter().flatten()
}

/// Whether all values are plain, and there are at least `least`.
fn plain_list(value: &Value, least: usize) -> Option<&Vec<Value>> {
    let is_plain = |value: &Value| !value.is_array() && !value.is_object();
    value.as_array().filter(|list| list.len() >= least && list.iter().all(is_plain))
}

fn gadget(call: &Facts, Spelling { markers }: &Spelling) -> String {
    let mut out = format!("{}{}", markers.start(), call.name);
    if call.id.is_some() || !call.dependencies.is_empty() {
        _ = write!(out, ":{}", call.id.as_deref().unwrap_or_default());
    }
    if !call.dependencies.is_empty() {
        _ = write!(out, ":{}", call.dependencies.join(","));
    }
    out.push('\n');
    let mut stack: Vec<(String, &Value)> = vec![(String::new(), &call.parameters)];
    while let Some((path, value)) = stack.pop() {
        let below = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}/{key}") };
        match value {
            Value::Object(members) if !members.is_empty() => {
                stack.extend(members.iter().rev().map(|(key, value)| (below(key), value)));
            }
            Value::Array(list) if !list.is_empty() => {
                stack.extend(list.iter().enumerate().rev().map(|(at, value)| (below(&at.to_string()), value)));
            }
            Value::Object(_) | Value::Null if path.is_empty() => {}
            plain => _ = write!(out, "{}{path}\n{}\n", markers.argument(), words(plain)),
        }
    }
    out + markers.end() + "\n"
}

fn caret(call: &Facts, _: &Spelling) -> String {
    let mut out = format!("^^^{}\n", call.name);
    for (key, value) in parameters(call) {
        let text = words(value);
        match plain_list(value, 0) {
            Some(list) if list.iter().all(|value| is_line(&words(value))) => {
                _ = writeln!(out, "{key}: [");
                for item in list {
                    out += &(words(item) + "\n");
                }
                out += "]\n";
            }
            _ if is_line(&text) && !text.starts_with('[') => _ = writeln!(out, "{key}: {text}"),
            _ => _ = write!(out, "{key} ---\n{text}\n--- {key}\n"),
        }
    }
    out + "^^^\n"
}

/// Whether a value can stand behind its key: on one line, nothing at its ends that is cut off, and no marker.
fn is_line(text: &str) -> bool {
    const BLOCKS: [char; 3] = ['|', '>', '-'];
    !text.is_empty() && !text.contains(['\n', '\r']) && text.trim() == text && !text.starts_with(BLOCKS)
}

fn xml(call: &Facts, _: &Spelling) -> String {
    let mut out = format!("<tool:{}>\n", call.name);
    for (key, value) in parameters(call) {
        // One value alone is no list here.
        let values = plain_list(value, 2).map_or_else(|| vec![value], |list| list.iter().collect());
        for value in values {
            _ = writeln!(out, "<param:{key}>{}</param:{key}>", words(value));
        }
    }
    out + &format!("</tool:{}>\n", call.name)
}

fn invoke(call: &Facts, _: &Spelling) -> String {
    let mut out = format!("<function_calls>\n<invoke name=\"{}\">\n", call.name);
    for (key, value) in parameters(call) {
        _ = writeln!(out, "<parameter name=\"{key}\">{}</parameter>", words(value));
    }
    out + "</invoke>\n</function_calls>\n"
}

fn function(call: &Facts, _: &Spelling) -> String {
    let mut out = format!("<tool_call>\n<function={}>\n", call.name);
    for (key, value) in parameters(call) {
        _ = write!(out, "<parameter={key}>\n{}\n</parameter>\n", words(value));
    }
    out + "</function>\n</tool_call>\n"
}

fn hermes(call: &Facts, _: &Spelling) -> String {
    let (name, arguments) = (Value::from(call.name.as_str()), &call.parameters);
    format!("<tool_call>\n{{\"name\": {name}, \"arguments\": {arguments}}}\n</tool_call>\n")
}

fn native(call: &Facts, _: &Spelling) -> String {
    let (name, input) = (Value::from(call.name.as_str()), &call.parameters);
    let id = call.id.as_deref().map(|id| format!("\"id\": {}, ", Value::from(id))).unwrap_or_default();
    format!("{{\"type\": \"tool_use\", {id}\"name\": {name}, \"input\": {input}}}\n")
}

fn callout(call: &Facts, _: &Spelling) -> String {
    let mut out = format!("> [!tool {}]\n", header(call));
    for line in fields(call).lines() {
        out += format!("> {line}").trim_end_matches(' ');
        out.push('\n');
    }
    out
}

fn tool_fence(call: &Facts, _: &Spelling) -> String {
    format!("```tool {}\n{}```\n", header(call), fields(call))
}

/// The name and the id of a callout or a fence.
fn header(call: &Facts) -> String {
    call.id.as_ref().map_or_else(|| call.name.clone(), |id| format!("{} {id}", call.name))
}

/// The fields of a callout or a fence: what another one carried, and at least a state.
fn fields(call: &Facts) -> String {
    let outcome = |name: &str| call.outcome.iter().find(|(known, _)| known == name).map(|(_, value)| value);
    let waiting = Value::from("input-available");
    let mut out = Yaml::default();
    out.member("state", outcome("state").unwrap_or(&waiting));
    if call.parameters.as_object().is_some_and(|members| !members.is_empty()) {
        out.member("input", &call.parameters);
    }
    for (field, name) in [("output", "output"), ("errorText", "error_text")] {
        if let Some(value) = outcome(name) {
            out.member(field, value);
        }
    }
    for (key, value) in outcome("extra").and_then(Value::as_object).into_iter().flatten() {
        out.member(key, value);
    }
    out.text()
}
