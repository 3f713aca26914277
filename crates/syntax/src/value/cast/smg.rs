//! Conversion rules of the parsers of SGLang's gateway (SMG), which are written in Rust.
//!
//! A single type in the schema decides first; a text that does not fit it is converted as if it had none.

use serde_json::Value as Json;

use crate::value::json::flavour::{self, Flavour, PlainValue};
use crate::value::place::SourceText;

/// The rules for a text whose type is unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Untyped {
    /// JSON, then Python's constants, then numbers that JSON does not allow, such as `+5`.
    JsonWordsNumbers,
    /// JSON, then Python's constants; other texts stay texts.
    JsonWords,
    /// Constants of JSON and Python, then numbers; lists and objects stay texts.
    WordsNumbers,
}

/// The value of a text by the type in its schema, else by `untyped`.
pub(crate) fn value(text: SourceText<'_>, schema: Option<&Json>, untyped: Untyped) -> PlainValue {
    typed(text, schema.and_then(|schema| schema.get("type")?.as_str()), Flavour::Strict)
        .unwrap_or_else(|| guessed(text, untyped))
}

/// The value of a text that has this type; `None` if the type is unknown or the text does not fit.
pub(crate) fn typed(text: SourceText<'_>, kind: Option<&str>, json: Flavour) -> Option<PlainValue> {
    let read = || flavour::read_all(text, json).ok().map(|found| found.value);
    match kind? {
        "string" => Some(match read() {
            Some(PlainValue::Text(inner)) => PlainValue::Text(inner),
            _ => PlainValue::Text(text.to_string()),
        }),
        "integer" => text.trim().parse::<i64>().ok().map(|number| PlainValue::Int(number.to_string())),
        "number" => read().filter(|value| matches!(value, PlainValue::Int(_) | PlainValue::Float(_))),
        "boolean" => match text.trim() {
            "true" | "True" => Some(PlainValue::Bool(true)),
            "false" | "False" => Some(PlainValue::Bool(false)),
            _ => None,
        },
        "object" | "array" => read(),
        _ => None,
    }
}

fn guessed(text: SourceText<'_>, untyped: Untyped) -> PlainValue {
    let plain = if untyped == Untyped::JsonWordsNumbers { text.trimmed() } else { text };
    if untyped != Untyped::WordsNumbers
        && let Ok(found) = flavour::read_all(plain, Flavour::Strict)
    {
        return found.value;
    }
    match plain.text() {
        "true" | "True" => return PlainValue::Bool(true),
        "false" | "False" => return PlainValue::Bool(false),
        "None" => return PlainValue::Null,
        "null" if untyped != Untyped::JsonWords => return PlainValue::Null,
        _ => {}
    }
    let number = if untyped == Untyped::JsonWords { None } else { number(&plain) };
    number.unwrap_or_else(|| PlainValue::Text(plain.to_string()))
}

/// A number as Rust's `parse` reads it: an integer of 64 bits, else a finite floating-point number.
fn number(text: &str) -> Option<PlainValue> {
    let integer = text.parse::<i64>().map(|number| PlainValue::Int(number.to_string()));
    let float = || text.parse().ok().filter(|number: &f64| number.is_finite()).map(PlainValue::Float);
    integer.ok().or_else(float)
}
