//! Conversion by the only type in the schema, as the parsers of Dots do it.
//!
//! `null` is null whatever the type, and a boolean is false unless the text is `true`. References are not resolved
//! here: the given schema must be the one that names the type.

use serde_json::Value as Json;

use super::{json_value, python_float, python_int, whole_number};
use crate::value::json::flavour::{Flavour, PlainValue};
use crate::value::place::SourceText;

/// Converts a text.
pub(crate) fn value(text: SourceText<'_>, schema: Option<&Json>) -> PlainValue {
    if text.eq_ignore_ascii_case("null") {
        return PlainValue::Null;
    }
    let name = match schema.and_then(|schema| schema.get("type")) {
        Some(Json::String(name)) => name.to_lowercase(),
        Some(Json::Array(names)) => {
            let name = names.iter().filter_map(Json::as_str).find(|name| *name != "null");
            name.unwrap_or("string").to_lowercase()
        }
        _ => "string".to_owned(),
    };
    let found = match name.as_str() {
        "string" | "str" | "text" => None,
        "integer" | "int" => python_int(&text),
        "number" | "float" => python_float(&text)
            .map(|number| if number.fract() == 0.0 { whole_number(number) } else { PlainValue::Float(number) }),
        "boolean" | "bool" => Some(PlainValue::Bool(matches!(text.to_lowercase().as_str(), "true" | "1"))),
        _ => json_value(text, Flavour::Python),
    };
    found.unwrap_or_else(|| PlainValue::Text(text.to_string()))
}
