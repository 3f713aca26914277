//! How transformers' response templates make a value of a text: its content parsers, and its types by schema.
//!
//! It knows neither regions nor calls.

use serde_json::Value as Json;

use super::{python_float, python_int};
use crate::runtime::json::{self, Flavour, RuntimeValue};

/// JSON whose strings stand in single quotes and have no escapes, else the text without white space at its ends; a text
/// then becomes what the schema asks for.
pub fn single_quoted(text: &str, schema: Option<&Json>) -> RuntimeValue {
    let read = json::read_all(&double_quoted(text), Flavour::Python);
    by_schema(read.unwrap_or_else(|_| RuntimeValue::Text(text.trim().to_owned())), schema)
}

/// The text with JSON strings in the place of what stands between single quotes.
fn double_quoted(text: &str) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some((before, behind)) = rest.split_once('\'') {
        let Some((inner, after)) = behind.split_once('\'') else { break };
        out.push_str(before);
        out.push_str(&RuntimeValue::Text(inner.to_owned()).dumps());
        rest = after;
    }
    out + rest
}

/// A value that is a text as the first type of the schema that it can be; else the value.
pub fn by_schema(value: RuntimeValue, schema: Option<&Json>) -> RuntimeValue {
    let RuntimeValue::Text(text) = &value else { return value };
    let mut types = Vec::new();
    if let Some(schema) = schema {
        collect_types(schema, &mut types);
    }
    types.into_iter().find_map(|name| schema_type(text, name)).unwrap_or(value)
}

fn collect_types<'a>(schema: &'a Json, out: &mut Vec<&'a str>) {
    match schema.get("type") {
        Some(Json::String(name)) => out.push(name),
        Some(Json::Array(names)) => out.extend(names.iter().filter_map(Json::as_str)),
        _ => {}
    }
    for key in ["anyOf", "oneOf"] {
        for choice in schema.get(key).and_then(Json::as_array).into_iter().flatten() {
            collect_types(choice, out);
        }
    }
    if schema.get("nullable").and_then(Json::as_bool) == Some(true) && !out.contains(&"null") {
        out.push("null");
    }
}

fn schema_type(text: &str, name: &str) -> Option<RuntimeValue> {
    let whole = |number: &f64| number.is_finite() && number.fract() == 0.0;
    match name {
        "integer" => python_int(text)
            .or_else(|| python_float(text).filter(whole).map(|number| RuntimeValue::Int(format!("{number:.0}")))),
        "number" => {
            let number = python_float(text).filter(|number| number.is_finite())?;
            let is_whole = whole(&number) && !text.contains('.');
            Some(if is_whole { RuntimeValue::Int(format!("{number:.0}")) } else { RuntimeValue::Float(number) })
        }
        "boolean" => match text.trim().to_lowercase().as_str() {
            "true" | "1" => Some(RuntimeValue::Bool(true)),
            "false" | "0" => Some(RuntimeValue::Bool(false)),
            _ => None,
        },
        "null" => matches!(text.trim(), "null" | "None").then_some(RuntimeValue::Null),
        "object" | "array" => json::read_all(text, Flavour::Python).ok().filter(|value| match value {
            RuntimeValue::Object(_) => name == "object",
            RuntimeValue::List(_) => name == "array",
            _ => false,
        }),
        _ => None,
    }
}
