//! Conversion by all types in the schema: rules derived from the first parser of `MiniMax` M2.
//!
//! The types are tried from the narrowest to the widest, then JSON, then text; `null` is null whatever the type.

use serde_json::Value as Json;

use super::{TypingFault, json_value, literal_value, python_float, python_int, types, whole_number};
use crate::value::json::flavour::{Flavour, PlainValue};
use crate::value::place::SourceText;

/// Variants of the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SchemaTypesVariant {
    /// SGLang's: if the schema allows no value, there is none.
    Sglang,
    /// mlx-lm's: objects and lists may be Python literals.
    Mlx,
}

/// Converts a text.
///
/// # Errors
/// An infinite number raises.
pub(crate) fn value(
    text: SourceText<'_>,
    schema: Option<&Json>,
    variant: SchemaTypesVariant,
) -> Result<PlainValue, TypingFault> {
    let word = text.to_lowercase();
    if word == "null" {
        return Ok(PlainValue::Null);
    }
    let types: Vec<String> = types(schema).iter().map(|name| name.to_lowercase()).collect();
    let empty = matches!(word.as_str(), "none" | "nil");
    let nullable = types.iter().any(|name| name == "null");
    if (variant == SchemaTypesVariant::Sglang && (nullable || empty)) || (nullable && empty) {
        return Ok(PlainValue::Null);
    }
    let order = ["integer", "int", "number", "float", "boolean", "bool", "object", "array", "string", "str", "text"];
    for name in order.into_iter().filter(|name| types.iter().any(|known| known == name)) {
        let found = match name {
            "integer" | "int" => python_int(&text),
            "number" | "float" => match python_float(&text) {
                Some(number) if number.is_infinite() => return Err(TypingFault::Raise),
                Some(number) if number.is_nan() => None,
                Some(number) if number.fract() == 0.0 => Some(whole_number(number)),
                Some(number) => Some(PlainValue::Float(number)),
                None => None,
            },
            "boolean" | "bool" => match word.trim() {
                "true" | "1" | "yes" | "on" => Some(PlainValue::Bool(true)),
                "false" | "0" | "no" | "off" => Some(PlainValue::Bool(false)),
                _ => None,
            },
            "object" | "array" => match variant {
                SchemaTypesVariant::Sglang => json_value(text, Flavour::Python),
                SchemaTypesVariant::Mlx => json_value(text, Flavour::Lax).or_else(|| literal_value(text)),
            },
            _ => Some(PlainValue::Text(text.to_string())),
        };
        if let Some(found) = found {
            return Ok(found);
        }
    }
    Ok(json_value(text, Flavour::Python).unwrap_or_else(|| PlainValue::Text(text.to_string())))
}
