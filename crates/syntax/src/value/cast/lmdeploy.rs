//! Conversion rules of `LMDeploy`'s parsers of tags: `_coerce_value` in
//! `lmdeploy/serve/parsers/tool_parser/xml_tool_parser.py`.

use serde_json::Value as Json;

use super::json_value;
use crate::value::json::flavour::{Flavour, PlainValue};
use crate::value::place::SourceText;

/// The value of a text by the type in its schema; of several types, the first one other than null. A text that does not
/// have that type is kept with the white space around it, and so is a string unless it is written in JSON.
pub(crate) fn value(text: SourceText<'_>, schema: Option<&Json>) -> PlainValue {
    let whole = || PlainValue::Text(text.to_string());
    let Some(schema) = schema.filter(|schema| schema.is_object()) else { return whole() };
    let trimmed = text.trimmed();
    let word = trimmed.to_lowercase();
    let json = || json_value(trimmed, Flavour::Python);
    let found = match type_name(schema) {
        None | Some("string") => json().filter(|value| matches!(value, PlainValue::Text(_))),
        Some("integer") => json().filter(|value| matches!(value, PlainValue::Int(_))),
        Some("number") => json().filter(|value| matches!(value, PlainValue::Int(_) | PlainValue::Float(_))),
        Some("boolean") => ["false", "true"].iter().position(|name| *name == word).map(|at| PlainValue::Bool(at == 1)),
        Some("null") => (word == "null").then_some(PlainValue::Null),
        Some("array") => json().filter(|value| matches!(value, PlainValue::List(_))),
        Some("object") => json().filter(|value| matches!(value, PlainValue::Object(_))),
        Some(_) => None,
    };
    found.unwrap_or_else(whole)
}

/// The type that a schema states.
fn type_name(schema: &Json) -> Option<&str> {
    match schema.get("type")? {
        Json::String(name) => Some(name),
        Json::Array(names) => {
            let mut names = names.iter().filter_map(Json::as_str);
            let first = names.next()?;
            Some(if first == "null" { names.find(|name| *name != "null").unwrap_or(first) } else { first })
        }
        _ => None,
    }
}
