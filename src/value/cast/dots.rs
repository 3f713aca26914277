//! Values by the one type that the schema gives, as the parsers of Dots make them.
//!
//! `null` is not a value whatever the type, and a boolean is false unless it says that it is true. It knows no references:
//! the schema that it gets is the one that names the type.

use serde_json::Value as Json;

use super::{json_value, python_float, python_int, whole_number};
use crate::value::json::flavour::{Flavour, PlainValue};
use crate::value::place::SourceText;

/// Makes a value of a text.
pub fn value(text: SourceText<'_>, schema: Option<&Json>) -> PlainValue {
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
