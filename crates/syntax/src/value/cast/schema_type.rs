//! Conversion by a single type in the schema: rules derived from the first parser of Qwen3-Coder.
//!
//! `null` is null whatever the type. Unions are not supported: one of several types is taken, or none.

use serde_json::Value as Json;

use super::{TypingFault, json_value, literal_value, python_float, python_int, whole_number};
use crate::value::json::flavour::{Flavour, PlainValue};
use crate::value::place::SourceText;
use crate::value::tools::type_of;

/// Deepest nesting at which a type is searched for in a schema.
const MAX_DEPTH: usize = 32;

/// Variants of the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SchemaTypeVariant {
    /// SGLang's for Qwen3-Coder: the type may be inferred, and a failed conversion leaves text.
    SglangQwen,
    /// SGLang's for `MiMo`: an infinite number raises.
    SglangMimo,
    /// vLLM's for Step 3.5: an infinite number raises, and a string that is `null` becomes empty.
    VllmStep,
    /// mlx-lm's: an invalid number makes the call unreadable, an infinite one raises.
    Mlx,
}

/// Converts a text.
///
/// # Errors
/// The variant's reaction to an invalid number.
pub(crate) fn value(
    text: SourceText<'_>,
    schema: Option<&Json>,
    variant: SchemaTypeVariant,
) -> Result<PlainValue, TypingFault> {
    if text.eq_ignore_ascii_case("null") {
        let named = schema.and_then(|schema| schema.get("type")?.as_str()).unwrap_or("string");
        let empty = variant == SchemaTypeVariant::VllmStep && named == "string";
        return Ok(if empty { PlainValue::Text(String::new()) } else { PlainValue::Null });
    }
    let plain = || Ok(PlainValue::Text(text.to_string()));
    let Some(schema) = schema else { return plain() };
    let name = match variant {
        SchemaTypeVariant::SglangQwen => inferred(schema, 0).unwrap_or_else(|| "string".to_owned()),
        SchemaTypeVariant::SglangMimo | SchemaTypeVariant::VllmStep => {
            schema.get("type").and_then(Json::as_str).unwrap_or("string").to_owned()
        }
        SchemaTypeVariant::Mlx => match schema.get("type") {
            Some(Json::String(name)) => name.clone(),
            Some(_) => "several".to_owned(),
            None if schema.as_object().is_none_or(serde_json::Map::is_empty) => return plain(),
            None => return Ok(container(text).unwrap_or_else(|| PlainValue::Text(text.to_string()))),
        },
    };
    let name = name.trim().to_lowercase();
    let starts = |words: &[&str]| words.iter().any(|word| name.starts_with(word));
    match name.as_str() {
        "string" | "str" | "text" | "varchar" | "char" | "enum" => plain(),
        "boolean" | "bool" | "binary" => Ok(PlainValue::Bool(text.eq_ignore_ascii_case("true"))),
        _ if starts(&["int", "uint", "long", "short", "unsigned"]) => integer(text, variant),
        _ if starts(&["num", "float"]) => number(text, variant),
        _ => {
            let flavour = if variant == SchemaTypeVariant::Mlx { Flavour::Lax } else { Flavour::Python };
            let is_json = matches!(name.as_str(), "object" | "array" | "arr") || starts(&["dict", "list"]);
            let found = if is_json { json_value(text, flavour) } else { None };
            Ok(found.or_else(|| literal_value(text)).unwrap_or_else(|| PlainValue::Text(text.to_string())))
        }
    }
}

fn container(text: SourceText<'_>) -> Option<PlainValue> {
    json_value(text, Flavour::Python).filter(|value| matches!(value, PlainValue::Object(_) | PlainValue::List(_)))
}

fn integer(text: SourceText<'_>, variant: SchemaTypeVariant) -> Result<PlainValue, TypingFault> {
    if variant != SchemaTypeVariant::Mlx {
        return Ok(python_int(&text).unwrap_or_else(|| PlainValue::Text(text.to_string())));
    }
    match python_float(&text) {
        Some(number) if number.is_infinite() => Err(TypingFault::Raise),
        Some(number) if number.fract() == 0.0 => Ok(PlainValue::Int(format!("{number:.0}"))),
        _ => Err(TypingFault::Bad),
    }
}

fn number(text: SourceText<'_>, variant: SchemaTypeVariant) -> Result<PlainValue, TypingFault> {
    let whole = |number: f64| if number.fract() == 0.0 { whole_number(number) } else { PlainValue::Float(number) };
    match (python_float(&text), variant) {
        (Some(number), SchemaTypeVariant::SglangQwen) => {
            let pointed = text.contains(['.', 'e', 'E']);
            Ok(if pointed { PlainValue::Float(number) } else { whole(number) })
        }
        (Some(number), _) if number.is_infinite() => Err(TypingFault::Raise),
        (Some(number), _) if !number.is_nan() => Ok(whole(number)),
        (_, SchemaTypeVariant::Mlx) => Err(TypingFault::Bad),
        (Some(number), SchemaTypeVariant::VllmStep) => Ok(PlainValue::Float(number)),
        _ => Ok(PlainValue::Text(text.to_string())),
    }
}

/// The type that a schema states or implies: a type other than null, the type of its alternatives or enumerated values,
/// or `string` if these differ.
pub(crate) fn inferred(schema: &Json, depth: usize) -> Option<String> {
    if depth > MAX_DEPTH {
        return None;
    }
    match schema.get("type") {
        Some(Json::String(name)) => return Some(name.clone()),
        Some(Json::Array(names)) if !names.is_empty() => {
            let name = names.iter().filter_map(Json::as_str).find(|name| *name != "null");
            return Some(name.unwrap_or("string").to_owned());
        }
        _ => {}
    }
    let list = |key: &str| schema.get(key).and_then(Json::as_array);
    let of_each = |all: &[Json]| -> Vec<String> { all.iter().filter_map(|one| inferred(one, depth + 1)).collect() };
    if let Some(choices) = list("anyOf").filter(|all| !all.is_empty()).or_else(|| list("oneOf")) {
        let names = of_each(choices);
        let first = names.iter().find(|name| *name != "null").or(names.first());
        if let Some(first) = first {
            let differ = names.iter().any(|name| name != first && name != "null");
            let text = differ && names.iter().any(|name| name == "string");
            return Some(if text { "string".to_owned() } else { first.clone() });
        }
    }
    if let Some(values) = list("enum") {
        let mut names: Vec<&str> = values.iter().map(type_of).collect();
        names.dedup();
        return Some(if names.len() == 1 { names[0] } else { "string" }.to_owned());
    }
    if let Some(all) = list("allOf") {
        let name = of_each(all).into_iter().find(|name| name != "string");
        return Some(name.unwrap_or_else(|| "string".to_owned()));
    }
    let known = |key: &str, name: &str| schema.get(key).map(|_| name.to_owned());
    known("properties", "object").or_else(|| known("items", "array"))
}
