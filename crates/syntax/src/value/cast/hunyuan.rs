//! Conversion by all types in the schema: the rules of the parsers of Hunyuan 3.
//!
//! They read alternatives one level deep, and ignore enumerated values.

use serde_json::Value as Json;

use super::{TypingFault, glm45, json_or_literal, json_value, python_int};
use crate::value::json::flavour::{Flavour, PlainValue};
use crate::value::place::SourceText;

/// The fallback for a text that matches none of the types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fallback {
    /// Only JSON, like SGLang.
    Json,
    /// JSON, then a Python literal, like vLLM.
    JsonOrLiteral,
}

/// Converts a text.
///
/// # Errors
/// SGLang's parser fails on a list of types.
pub(crate) fn value(
    text: SourceText<'_>,
    schema: Option<&Json>,
    fallback: Fallback,
) -> Result<PlainValue, TypingFault> {
    let is_list = schema.and_then(|schema| schema.get("type")).is_some_and(Json::is_array);
    if is_list && fallback == Fallback::Json {
        return Err(TypingFault::Bad);
    }
    Ok(any(text, schema, fallback))
}

fn any(text: SourceText<'_>, schema: Option<&Json>, fallback: Fallback) -> PlainValue {
    let types = types(schema);
    let has = |wanted: &str| types.iter().any(|name| name == wanted);
    let mut made = None;
    if has("boolean") {
        made = match text.to_lowercase().as_str() {
            "true" => Some(PlainValue::Bool(true)),
            "false" => Some(PlainValue::Bool(false)),
            _ => None,
        };
    }
    if made.is_none() && has("integer") {
        made = python_int(&text);
    }
    if made.is_none() && has("number") {
        made = Some(glm45::number(text, false)).filter(|made| !matches!(made, PlainValue::Text(_)));
    }
    let is_plain = |name: &String| matches!(name.as_str(), "string" | "boolean" | "integer" | "number");
    if made.is_none() && !types.iter().all(is_plain) {
        made = json_value(text, Flavour::Python);
    }
    made.unwrap_or_else(|| match fallback {
        _ if has("string") => PlainValue::Text(text.to_string()),
        Fallback::JsonOrLiteral => json_or_literal(text),
        Fallback::Json => json_value(text, Flavour::Python).unwrap_or_else(|| PlainValue::Text(text.to_string())),
    })
}

/// The types of a schema by their standard names, without `null`; `string` if it names none.
fn types(schema: Option<&Json>) -> Vec<String> {
    let string = || vec!["string".to_owned()];
    let Some(schema) = schema else { return string() };
    let one = |schema: &Json| plain_type(schema.get("type").and_then(Json::as_str).unwrap_or("string"));
    let choices = schema.get("anyOf").or_else(|| schema.get("oneOf")).and_then(Json::as_array);
    let mut names: Vec<String> = match (schema.get("type"), choices) {
        (Some(Json::String(name)), _) => vec![plain_type(name)],
        (Some(Json::Array(names)), _) => names.iter().filter_map(Json::as_str).map(plain_type).collect(),
        (_, Some(choices)) => choices.iter().map(one).collect(),
        _ => string(),
    };
    names.retain(|name| name != "null");
    names
}

fn plain_type(name: &str) -> String {
    let lower = name.to_lowercase();
    let starts = |words: &[&str]| words.iter().any(|word| lower.starts_with(word));
    match name {
        "str" | "text" | "varchar" | "char" | "enum" => "string",
        "bool" | "binary" => "boolean",
        "double" => "number",
        "list" => "array",
        "dict" | "map" => "object",
        _ if name != "float" && starts(&["int", "uint", "long", "short", "unsigned"]) => "integer",
        _ if starts(&["num", "float"]) => "number",
        other => other,
    }
    .to_owned()
}
