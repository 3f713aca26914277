//! What a dialect is given to write a call, and what is known of a call that is written.

use serde_json::{Map, Value};

use crate::value::coerce::number_text;

/// What is to be said in a call.
#[derive(Clone, Copy, Debug)]
pub struct CallContent<'a> {
    /// The name of the tool.
    pub name: &'a str,
    /// The id, if the call is to have one of its own.
    pub id: Option<&'a str>,
    /// Ids of the calls that it waits for.
    pub dependencies: &'a [String],
    /// The parameters, an object as a rule.
    pub parameters: &'a Value,
    /// What it carries beside its parameters, by what the output calls it.
    pub outcome: &'a Map<String, Value>,
}

impl<'a> CallContent<'a> {
    /// The parameters in their order; none, if they are no object.
    pub fn members(&self) -> impl Iterator<Item = (&'a String, &'a Value)> + use<'a> {
        self.parameters.as_object().into_iter().flatten()
    }

    /// What it carries beside its parameters under this name.
    pub fn outcome(&self, name: &str) -> Option<&'a Value> {
        self.outcome.get(name)
    }
}

/// Where a call may begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// Wherever the text stands.
    Anywhere,
    /// At the beginning of a line.
    Line,
    /// Behind an empty line.
    Paragraph,
}

impl Start {
    /// Adds a call that is written to a text. Where it may not begin there, line feeds go before it; it ends with one
    /// only where the call it replaces did so, or something follows on its line.
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

/// What is put behind a call that lacks its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Closer {
    /// A marker that may follow a value on its line.
    Inline(String),
    /// A marker on a line of its own.
    Line(String),
    /// The brackets that its JSON lacks, and behind them a marker on a line of its own, if it has one.
    Json(Option<String>),
}

/// A plain value as text; a container as JSON.
pub fn words(value: &Value) -> String {
    match value {
        Value::String(string) => string.clone(),
        Value::Number(number) => number.as_f64().map_or_else(|| number.to_string(), number_text),
        other => other.to_string(),
    }
}

/// The elements of a list of at least `least` plain values.
pub fn plain_list(value: &Value, least: usize) -> Option<&[Value]> {
    let is_plain = |value: &Value| !value.is_array() && !value.is_object();
    value.as_array().filter(|list| list.len() >= least && list.iter().all(is_plain)).map(Vec::as_slice)
}
