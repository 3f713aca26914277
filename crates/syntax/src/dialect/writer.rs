//! Input for writing a call, and facts about written calls.

use serde_json::{Map, Value};

use crate::value::coerce::number_text;

/// Content of a call to write.
#[derive(Clone, Copy, Debug)]
pub struct CallContent<'a> {
    /// The name of the tool.
    pub name: &'a str,
    /// The id, if the call needs an explicit one.
    pub id: Option<&'a str>,
    /// Ids of the calls that it depends on.
    pub dependencies: &'a [String],
    /// The parameters, usually an object.
    pub parameters: &'a Value,
    /// Results and other non-parameters, under the output's names for them: state, output, error text.
    pub outcome: &'a Map<String, Value>,
}

impl<'a> CallContent<'a> {
    /// The parameters in order; empty if they are not an object.
    pub(crate) fn members(&self) -> impl Iterator<Item = (&'a String, &'a Value)> + use<'a> {
        self.parameters.as_object().into_iter().flatten()
    }

    /// The non-parameter with this name.
    pub fn outcome(&self, name: &str) -> Option<&'a Value> {
        self.outcome.get(name)
    }
}

/// Where a call may begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// At any position.
    Anywhere,
    /// At the beginning of a line.
    Line,
    /// After an empty line.
    Paragraph,
}

impl Start {
    /// Appends a written call to a text. Inserts line feeds before the call where it may not begin otherwise. The call
    /// ends in a line feed only if the call that it replaces did, or if something follows on its line.
    pub fn place(self, text: &mut Vec<u8>, call: &str, ended_line: bool, next: &[u8]) {
        if self != Start::Anywhere && !text.is_empty() && !text.ends_with(b"\n") {
            text.push(b'\n');
        }
        if self == Start::Paragraph && !text.is_empty() && !text.ends_with(b"\n\n") {
            text.push(b'\n');
        }
        let bare = call.strip_suffix('\n').unwrap_or(call);
        text.extend_from_slice(bare.as_bytes());
        let alone = self != Start::Anywhere && !next.is_empty() && next != b"\n" && next != b"\r";
        if ended_line || alone {
            text.push(b'\n');
        }
    }
}

/// Text to append to a call that has no end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Closer {
    /// A marker that may follow a value on its line.
    Inline(String),
    /// A marker on a separate line.
    Line(String),
    /// The missing brackets of its JSON, then a marker on a separate line, if the dialect has one.
    Json(Option<String>),
}

/// A scalar as text; an array or object as JSON.
pub(crate) fn words(value: &Value) -> String {
    match value {
        Value::String(string) => string.clone(),
        Value::Number(number) => number.as_f64().map_or_else(|| number.to_string(), number_text),
        other => other.to_string(),
    }
}

/// The elements of a list of at least `least` scalars.
pub(crate) fn plain_list(value: &Value, least: usize) -> Option<&[Value]> {
    let is_plain = |value: &Value| !value.is_array() && !value.is_object();
    value.as_array().filter(|list| list.len() >= least && list.iter().all(is_plain)).map(Vec::as_slice)
}
