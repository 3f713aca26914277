//! Queries of a schema: the target of a reference, the type that the runtime of the block format expects at a pointer,
//! and the conversion of text there.
//!
//! The pointer's segments are followed through the schema, whatever has been built for them. A schema that allows null
//! or one other type expects that type; if several are allowed, nothing is expected.

use serde_json::Value as Json;

use crate::text::trim;
use crate::value::Scalar;
use crate::value::tools::{ALTERNATIVES, named_types, resolve};

/// Most wrappers that are removed one after another; a schema may refer to itself.
const MAX_WRAPPINGS: usize = 20;

/// A type to which text is converted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hint {
    String,
    Number,
    Boolean,
}

impl Hint {
    /// Converts the bytes of a value. A value with several lines stays text.
    pub(super) fn scalar(self, value: &[u8]) -> Scalar {
        let trimmed = trim(value, 0);
        let words = match memchr::memchr(b'\n', value) {
            None => std::str::from_utf8(&value[trimmed.start..trimmed.end]).unwrap_or_default(),
            Some(_) => return Scalar::String,
        };
        match (self, words) {
            (Hint::Boolean, "true") => Scalar::Boolean(true),
            (Hint::Boolean, "false") => Scalar::Boolean(false),
            (Hint::Number, words) => javascript_number(words).map_or(Scalar::String, Scalar::Number),
            _ => Scalar::String,
        }
    }
}

/// The type expected at a pointer; `None` if the text's form decides.
pub(super) fn at_pointer(root: &Json, pointer: &str) -> Option<Hint> {
    let mut at = unwrap(root, root);
    for segment in pointer.split('/') {
        at = unwrap(root, below(at, segment)?);
    }
    expected(at)
}

/// A schema without its wrappers: references, and the choice between it and null.
pub(super) fn unwrap<'a>(root: &'a Json, mut schema: &'a Json) -> &'a Json {
    for _ in 0..MAX_WRAPPINGS {
        schema = resolve(root, schema);
        let choice = ALTERNATIVES.iter().find_map(|key| schema.get(key)?.as_array());
        let mut others = choice.into_iter().flatten().filter(|choice| !is_null(choice));
        match (others.next(), others.next()) {
            (Some(only), None) if schema.get("type").is_none() => schema = only,
            _ => break,
        }
    }
    schema
}

fn is_null(schema: &Json) -> bool {
    schema.get("type").and_then(Json::as_str) == Some("null") || schema.get("const").is_some_and(Json::is_null)
}

/// The schema of a child. Members that an object does not name have none, even if `additionalProperties` gives one:
/// that one is used only if no member is named.
fn below<'a>(schema: &'a Json, segment: &str) -> Option<&'a Json> {
    if kind(schema) == Some("array") || schema.get("items").is_some() || schema.get("prefixItems").is_some() {
        if segment.is_empty() || !segment.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        return match schema.get("prefixItems").or_else(|| schema.get("items"))? {
            Json::Array(elements) => elements.get(segment.parse::<usize>().ok()?),
            every => Some(every),
        };
    }
    match schema.get("properties") {
        Some(properties) => properties.get(segment),
        None => schema.get("additionalProperties").filter(|schema| schema.is_object()),
    }
}

/// The only type that a schema allows in addition to null.
fn kind(schema: &Json) -> Option<&str> {
    let mut others = named_types(schema).filter(|&kind| kind != "null" || schema["type"].is_string());
    others.next().filter(|_| others.next().is_none())
}

fn expected(schema: &Json) -> Option<Hint> {
    let literal =
        || schema.get("const").or_else(|| schema.get("enum")?.as_array()?.iter().find(|value| !value.is_null()));
    match (kind(schema), schema.get("type")) {
        (Some("string"), _) => Some(Hint::String),
        (Some("number" | "integer"), _) => Some(Hint::Number),
        (Some("boolean"), _) => Some(Hint::Boolean),
        (None, None) => match literal()? {
            Json::String(_) => Some(Hint::String),
            Json::Number(_) => Some(Hint::Number),
            Json::Bool(_) => Some(Hint::Boolean),
            _ => None,
        },
        _ => None,
    }
}

/// JavaScript's `Number(text)` for text with a visible character; `None` if the result is not finite.
fn javascript_number(text: &str) -> Option<f64> {
    let radix = [("0x", 4), ("0X", 4), ("0o", 3), ("0O", 3), ("0b", 1), ("0B", 1)];
    let number = match radix.iter().find_map(|(prefix, bits)| Some((text.strip_prefix(prefix)?, *bits))) {
        Some((digits, bits)) => power_of_two_number(digits, bits),
        None if text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E')) => {
            text.parse().ok()
        }
        None => None,
    };
    number.filter(|number| number.is_finite())
}

/// The number in digits of this many bits each, rounded once.
fn power_of_two_number(digits: &str, bits: u32) -> Option<f64> {
    let (mut whole, mut exponent) = (0_u128, 0_i32);
    for c in digits.chars() {
        let digit = u128::from(c.to_digit(1 << bits)?);
        if whole >> 120 == 0 {
            whole = whole << bits | digit;
        } else {
            // Beyond the precision of a number, it only matters whether a digit is nonzero.
            exponent = exponent.saturating_add_unsigned(bits);
            whole |= u128::from(digit != 0);
        }
    }
    (!digits.is_empty()).then(|| whole as f64 * 2_f64.powi(exponent))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn numbers_are_read_as_javascript_reads_them() {
        let cases = [
            ("", None),
            ("1e5", Some(1e5)),
            ("+.5", Some(0.5)),
            ("5.", Some(5.0)),
            ("0x10", Some(16.0)),
            ("0b11", Some(3.0)),
            ("0O17", Some(15.0)),
            ("0x", None),
            ("0x+1", None),
            ("-0x10", None),
            ("0xFFFFFFFFFFFFFFFFFFFF", Some(1.208_925_819_614_629_2e24)),
            ("0x20000000000001", Some(9_007_199_254_740_992.0)),
            ("0x200000000000010000000000000000000000001", Some(1.141_798_154_164_768_2e46)),
            ("1e400", None),
            ("Infinity", None),
            ("NaN", None),
            ("1_000", None),
            ("true", None),
        ];
        for (text, expected) in cases {
            assert_eq!(javascript_number(text), expected, "{text:?}");
        }
        assert_eq!(javascript_number(&format!("0x{}", "f".repeat(2000))), None);
    }

    #[test]
    fn the_segments_of_a_pointer_lead_through_the_schema() {
        use Hint::{Boolean, Number, String};
        let schema = json!({
            "type": "object",
            "properties": {
                "text": { "type": "string" },
                "limit": { "type": ["integer", "null"] },
                "size": { "anyOf": [{ "type": "number" }, { "type": "null" }] },
                "width": { "type": "number", "nullable": true },
                "flag": { "oneOf": [{ "type": "null" }, { "$ref": "#/$defs/flag" }] },
                "any": { "anyOf": [{ "type": "string" }, { "type": "number" }] },
                "several": { "type": ["string", "number"] },
                "color": { "enum": ["red", "green", null] },
                "version": { "const": 2 },
                "yes": { "const": true },
                "list": { "type": ["array", "null"], "items": { "type": "string" } },
                "pair": { "type": "array", "prefixItems": [{ "type": "string" }, { "type": "number" }] },
                "map": { "type": "object", "additionalProperties": { "type": "string" } },
                "open": { "properties": { "a": { "type": "string" } }, "additionalProperties": { "type": "string" } },
                "deep": { "anyOf": [
                    { "type": "object", "properties": { "id": { "type": "string" } } }, { "type": "null" }
                ] },
                "wrapped": { "allOf": [{ "$ref": "#/$defs/flag" }], "default": false },
                "tree": { "$ref": "#/$defs/tree" }
            },
            "additionalProperties": { "type": "string" },
            "$defs": {
                "flag": { "type": "boolean" },
                "tree": { "type": "object", "properties": {
                    "name": { "type": "string" }, "children": { "type": "array", "items": { "$ref": "#/$defs/tree" } }
                } }
            }
        });
        let cases = [
            ("text", Some(String)),
            ("limit", Some(Number)),
            ("size", Some(Number)),
            ("width", Some(Number)),
            ("flag", Some(Boolean)),
            ("any", None),
            ("several", None),
            ("color", Some(String)),
            ("version", Some(Number)),
            ("yes", Some(Boolean)),
            ("list", None),
            ("list/0", Some(String)),
            ("list/00", Some(String)),
            ("list/x", None),
            ("list/1x", None),
            ("list/0/0", None),
            ("pair/0", Some(String)),
            ("pair/1", Some(Number)),
            ("pair/2", None),
            ("pair/99999999999999999999999999", None),
            ("map/a", Some(String)),
            ("map/0", Some(String)),
            ("open/a", Some(String)),
            ("open/b", None),
            ("deep/id", Some(String)),
            ("wrapped", Some(Boolean)),
            ("tree/children/3/children/0/name", Some(String)),
            ("tree/children/3/children/name", None),
            ("unknown", None),
            ("", None),
        ];
        for (pointer, expected) in cases {
            assert_eq!(at_pointer(&schema, pointer), expected, "{pointer}");
        }
        let record = json!({ "type": "object", "additionalProperties": { "type": "number" } });
        assert_eq!(at_pointer(&record, "a"), Some(Number));
        assert_eq!(at_pointer(&json!({ "$ref": "#" }), "a"), None);
    }

    #[test]
    fn only_a_value_on_one_line_is_coerced() {
        for (hint, value, expected) in [
            (Hint::Boolean, " true\r", Scalar::Boolean(true)),
            (Hint::Boolean, "true\n", Scalar::String),
            (Hint::Boolean, "1", Scalar::String),
            (Hint::Number, "5\n", Scalar::String),
            (Hint::Number, " 5 ", Scalar::Number(5.0)),
            (Hint::String, "007", Scalar::String),
        ] {
            assert_eq!(hint.scalar(value.as_bytes()), expected, "{hint:?} {value:?}");
        }
    }
}
