//! Conversion rules of Ollama's parsers of tags, which are written in Go.

use serde_json::Value as Json;

use super::{literal_value, whole_number};
use crate::value::json::flavour::{self, Flavour, PlainValue};
use crate::value::place::SourceText;

/// The value of a text by the types in its schema, in the order boolean, integer, number, array, object. One line feed
/// at each end is removed, and `null` is null whatever the type.
pub(crate) fn value(text: SourceText<'_>, schema: Option<&Json>) -> PlainValue {
    let text = text.locate(text.text().strip_prefix('\n').unwrap_or(text.text()));
    let text = text.locate(text.text().strip_suffix('\n').unwrap_or(text.text()));
    if text.eq_ignore_ascii_case("null") {
        return PlainValue::Null;
    }
    let kinds = types(schema);
    let is = |kind: &str| kinds.contains(&kind);
    let read = |opener: char| {
        let found = flavour::read_all(text, Flavour::Go).ok().map(|found| found.value);
        found.filter(|_| text.trim_start().starts_with(opener))
    };
    let boolean = || match text.to_lowercase().as_str() {
        "true" => Some(PlainValue::Bool(true)),
        "false" => Some(PlainValue::Bool(false)),
        _ => (kinds.len() == 1).then_some(PlainValue::Bool(false)),
    };
    let integer = || text.parse::<i64>().ok().map(|number| PlainValue::Int(number.to_string()));
    let number = || text.parse().ok().filter(|number: &f64| number.is_finite()).map(whole);
    let made = (is("boolean").then(boolean).flatten())
        .or_else(|| is("integer").then(integer).flatten())
        .or_else(|| is("number").then(number).flatten())
        .or_else(|| is("array").then(|| read('[')).flatten())
        .or_else(|| is("object").then(|| read('{')).flatten());
    made.unwrap_or_else(|| PlainValue::Text(text.to_string()))
}

/// A number; without a fraction it becomes an integer.
fn whole(number: f64) -> PlainValue {
    if number.fract() == 0.0 { whole_number(number) } else { PlainValue::Float(number) }
}

/// The value of a literal between commas: constants and numbers, and lists and objects in JSON or Python; anything else
/// is text.
pub(crate) fn literal(text: SourceText<'_>) -> PlainValue {
    match text.text() {
        "true" | "True" => return PlainValue::Bool(true),
        "false" | "False" => return PlainValue::Bool(false),
        "null" | "None" => return PlainValue::Null,
        _ => {}
    }
    if let Ok(number) = text.parse::<i64>() {
        return PlainValue::Int(number.to_string());
    }
    if let Some(number) = text.parse().ok().filter(|number: &f64| number.is_finite()) {
        let mut number = PlainValue::Float(number);
        number.make_numbers_float();
        return number;
    }
    let in_brackets = text.starts_with(['[', '{']);
    let json = in_brackets.then(|| flavour::read_all(text, Flavour::Go).ok()).flatten().map(|found| found.value);
    let python = || in_brackets.then(|| literal_value(text)).flatten();
    json.or_else(python).unwrap_or_else(|| PlainValue::Text(text.to_string()))
}

/// The types that a schema names; if it has alternatives under `anyOf`, their types.
fn types(schema: Option<&Json>) -> Vec<&str> {
    let Some(schema) = schema else { return Vec::new() };
    let alternatives = schema.get("anyOf").and_then(Json::as_array).filter(|all| !all.is_empty());
    let schemas: Vec<&Json> = alternatives.map_or_else(|| vec![schema], |all| all.iter().collect());
    let named = schemas.into_iter().filter_map(|schema| schema.get("type"));
    named
        .flat_map(|kind| match kind {
            Json::Array(kinds) => kinds.iter().filter_map(Json::as_str).collect(),
            kind => kind.as_str().into_iter().collect::<Vec<_>>(),
        })
        .collect()
}
