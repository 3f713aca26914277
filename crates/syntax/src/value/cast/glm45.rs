//! Conversion rules of the parsers for GLM's tags, and of parsers derived from them.
//!
//! They try JSON first, then JSON with escaped quotes; the schema decides the remaining cases. They differ in how they
//! read the schema.

use serde_json::Value as Json;

use super::schema_type::inferred;
use super::{
    json_or_literal, json_or_text, json_type, json_value, literal_value, python_float, python_int, whole_number,
};
use crate::value::json::flavour::{self, Flavour, PlainValue, float};
use crate::value::place::{DerivedText, SourceText};

/// SGLang's parser for GLM-4.5: if the schema asks for a string, Python's `str` of the JSON value.
pub(crate) fn sglang_45(text: SourceText<'_>, schema: Option<&Json>) -> PlainValue {
    let wanted = schema.and_then(|schema| inferred(schema, 0));
    let value = parsed(text, wanted.as_deref(), &["number"]);
    if wanted.as_deref() != Some("string") {
        return value;
    }
    PlainValue::Text(match value {
        PlainValue::Text(text) => text,
        other @ (PlainValue::List(_) | PlainValue::Object(_)) => other.dumps(),
        other => python_str(&other),
    })
}

/// SGLang's parser for GLM-4.7: if the schema asks for a string, the text as written, unless it is a JSON string.
pub(crate) fn sglang_47(text: SourceText<'_>, schema: Option<&Json>) -> PlainValue {
    let types = schema.and_then(|schema| allowed_types(schema, 0));
    let wanted = types.as_deref().and_then(single);
    let value = parsed(text, Some(wanted.unwrap_or("string")), &["number", "integer"]);
    match (wanted, value) {
        (_, PlainValue::Text(made)) => PlainValue::Text(made),
        (Some("string"), _) => PlainValue::Text(text.to_string()),
        (None, value) => {
            let forbidden = |types: &Vec<String>| {
                types.iter().any(|name| name == "string") && !types.iter().any(|name| name == json_type(&value))
            };
            if types.as_ref().is_some_and(forbidden) { PlainValue::Text(text.to_string()) } else { value }
        }
        (_, value) => value,
    }
}

/// IQuest's parser in SGLang: like GLM-4.7's, but if the schema asks for a string, always the text itself.
pub(crate) fn sglang_verbatim_strings(text: SourceText<'_>, schema: Option<&Json>) -> PlainValue {
    let types = schema.and_then(|schema| allowed_types(schema, 0));
    if types.as_deref().and_then(single) == Some("string") {
        return PlainValue::Text(text.to_string());
    }
    sglang_47(text, schema)
}

/// The type that a schema names directly, in lower case; `None` if it names several or none.
fn named_type(schema: Option<&Json>) -> Option<String> {
    schema?.get("type")?.as_str().map(str::to_lowercase)
}

/// SGLang's parser for Spark 2.5: by the only type that the schema names; `null` is null whatever the type.
pub(crate) fn spark(text: SourceText<'_>, schema: Option<&Json>) -> PlainValue {
    if text.eq_ignore_ascii_case("null") {
        return PlainValue::Null;
    }
    let made = match named_type(schema).as_deref().unwrap_or("string") {
        "string" | "str" | "text" => return PlainValue::Text(text.to_string()),
        "integer" | "int" => python_int(&text),
        "number" | "float" => python_float(&text).map(|number| match number {
            number if number.fract() == 0.0 => whole_number(number),
            number => PlainValue::Float(number),
        }),
        "boolean" | "bool" => match text.trim().to_lowercase().as_str() {
            "true" | "1" => Some(PlainValue::Bool(true)),
            "false" | "0" => Some(PlainValue::Bool(false)),
            _ => None,
        },
        _ => None,
    };
    made.unwrap_or_else(|| json_or_text(text, Flavour::Python))
}

/// vLLM's parser for Poolside's tags: text if the schema asks for a string, else JSON, a Python literal, or trimmed
/// text.
pub(crate) fn unless_string(text: SourceText<'_>, schema: Option<&Json>) -> PlainValue {
    let is_string = schema.and_then(|schema| schema.get("type")?.as_str()) == Some("string");
    if is_string { PlainValue::Text(text.to_string()) } else { json_or_literal(text.trimmed()) }
}

/// SGLang's parser for Poolside's tags: JSON; Python literals only if the schema names a type.
pub(crate) fn poolside(text: SourceText<'_>, schema: Option<&Json>) -> PlainValue {
    match named_type(schema).as_deref() {
        Some("string" | "str" | "text" | "enum") => PlainValue::Text(text.to_string()),
        // A list of types counts as a type other than string.
        None if schema.is_none_or(|schema| schema.get("type").is_none()) => json_or_text(text, Flavour::Python),
        _ => json_or_literal(text),
    }
}

/// SGLang's parser for K2 Horizon: text if the schema asks for a string, else JSON; unions do not count.
pub(crate) fn horizon(text: SourceText<'_>, schema: Option<&Json>) -> PlainValue {
    let is_union = |schema: &Json| {
        let several = schema.get("type").and_then(Json::as_array);
        let several = several.is_some_and(|names| names.iter().filter(|name| *name != "null").count() > 1);
        several || schema.get("anyOf").is_some() || schema.get("oneOf").is_some()
    };
    let wanted = schema.filter(|schema| !is_union(schema)).and_then(|schema| inferred(schema, 0));
    match wanted.as_deref() {
        Some("string" | "any") => PlainValue::Text(text.to_string()),
        _ => json_or_text(text, Flavour::Python),
    }
}

/// The value as JSON, as JSON with escaped quotes, or as Python; for `numeric` types, strings become numbers.
fn parsed(text: SourceText<'_>, wanted: Option<&str>, numeric: &[&str]) -> PlainValue {
    let unescaped = || {
        let mut wrapped = DerivedText::default();
        wrapped.add("{\"tmp\": \"");
        wrapped.copy(text);
        wrapped.add("\"}");
        let outer = flavour::read_all(SourceText::whole(&wrapped.text), Flavour::Python).ok()?;
        let inner = outer.value.get("tmp")?;
        let mut found = flavour::reread(inner, &wrapped.text, |text| json_value(text, Flavour::Python))?;
        found.relocate(&|span| wrapped.source_of(span));
        Some(found)
    };
    if let Some(value) = json_value(text, Flavour::Python).or_else(unescaped) {
        return match value {
            PlainValue::Text(inner) if wanted.is_some_and(|name| numeric.contains(&name)) => {
                number(SourceText::whole(&inner), wanted == Some("integer"))
            }
            other => other,
        };
    }
    if wanted == Some("string") {
        let mut chars = text.text().chars();
        let quotes = (chars.next(), chars.next_back());
        let inner = matches!(quotes, (Some('"'), Some('"')) | (Some('\''), Some('\''))).then(|| chars.as_str());
        return PlainValue::Text(inner.unwrap_or(&text).to_owned());
    }
    literal_value(text).unwrap_or_else(|| PlainValue::Text(text.to_string()))
}

/// The number in a text, else the text.
pub(crate) fn number(text: SourceText<'_>, whole: bool) -> PlainValue {
    let broken = text.contains(['.', 'e', 'E']);
    let made = if broken && !whole { python_float(&text).map(PlainValue::Float) } else { python_int(&text) };
    made.unwrap_or_else(|| PlainValue::Text(text.to_string()))
}

/// Python's `str` of a value that is neither a list nor an object.
fn python_str(value: &PlainValue) -> String {
    match value {
        PlainValue::Null => "None".to_owned(),
        PlainValue::Bool(true) => "True".to_owned(),
        PlainValue::Bool(false) => "False".to_owned(),
        PlainValue::Float(number) => float(*number).replace("Infinity", "inf").replace("NaN", "nan"),
        other => other.dumps(),
    }
}

/// The only remaining type; number and integer together are number.
fn single(types: &[String]) -> Option<&str> {
    match types {
        [only] => Some(only),
        [one, other] => {
            let both = (one.as_str(), other.as_str());
            matches!(both, ("number", "integer") | ("integer", "number")).then_some("number")
        }
        _ => None,
    }
}

/// The types that a schema allows; `None` if it does not restrict them.
fn allowed_types(schema: &Json, depth: usize) -> Option<Vec<String>> {
    if depth > 20 {
        return None;
    }
    let mut found: Option<Vec<String>> = None;
    let mut narrow = |types: Vec<String>| {
        let kept = match found.take() {
            Some(old) => old.into_iter().filter(|name| types.contains(name)).collect(),
            None => types,
        };
        found = Some(kept);
    };
    let named = match schema.get("type") {
        Some(Json::String(name)) => Some(vec![name.clone()]),
        Some(Json::Array(names)) => Some(names.iter().filter_map(|name| name.as_str().map(str::to_owned)).collect()),
        _ => None,
    };
    if let Some(mut names) = named {
        if names.iter().any(|name| name == "number") && !names.iter().any(|name| name == "integer") {
            names.push("integer".to_owned());
        }
        narrow(names);
    }
    let values = match (schema.get("const"), schema.get("enum")) {
        (Some(value), _) => Some(vec![value]),
        (None, Some(Json::Array(values))) => Some(values.iter().collect()),
        _ => None,
    };
    if let Some(values) = values {
        narrow(distinct(values.into_iter().map(|value| type_of(value).to_owned())));
    }
    for key in ["anyOf", "oneOf"] {
        let Some(choices) = schema.get(key).and_then(Json::as_array).filter(|choices| !choices.is_empty()) else {
            continue;
        };
        let all: Option<Vec<_>> = choices.iter().map(|choice| allowed_types(choice, depth + 1)).collect();
        if let Some(all) = all {
            narrow(distinct(all.into_iter().flatten()));
        }
    }
    for choice in schema.get("allOf").and_then(Json::as_array).into_iter().flatten() {
        if let Some(types) = allowed_types(choice, depth + 1) {
            narrow(types);
        }
    }
    found
}

fn distinct(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for name in names {
        if !out.contains(&name) {
            out.push(name);
        }
    }
    out
}

fn type_of(value: &Json) -> &'static str {
    match value {
        Json::Null => "null",
        Json::Bool(_) => "boolean",
        Json::Number(number) if number.is_f64() && number.as_f64().is_some_and(|number| number.fract() != 0.0) => {
            "number"
        }
        Json::Number(_) => "integer",
        Json::String(_) => "string",
        Json::Array(_) => "array",
        Json::Object(_) => "object",
    }
}
