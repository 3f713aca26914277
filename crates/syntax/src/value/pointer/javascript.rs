//! JavaScript's behavior if a path leads into a plain value or to an inherited member, with the messages of its engine
//! V8; and its parsing of an index.

use std::borrow::Cow;

use crate::text::trim_start;
use crate::value::Scalar;
use crate::value::coerce::number_text;

/// Most characters of a value quoted in the message of a problem. V8 itself quotes all of it.
const QUOTED: usize = 80;

/// Most digits of an index into a string that further keys follow; finding it takes that many steps.
const MAX_DIGITS: usize = 4;

/// True if every object inherits a member with this key.
pub(super) fn is_inherited(key: &[u8]) -> bool {
    matches!(
        key,
        b"__proto__"
            | b"constructor"
            | b"hasOwnProperty"
            | b"isPrototypeOf"
            | b"propertyIsEnumerable"
            | b"toLocaleString"
            | b"toString"
            | b"valueOf"
            | b"__defineGetter__"
            | b"__defineSetter__"
            | b"__lookupGetter__"
            | b"__lookupSetter__"
    )
}

/// Reason why something cannot be stored.
pub(super) struct Refusal<'a> {
    /// The engine's message up to the value.
    reason: String,
    value: Cow<'a, str>,
}

impl Refusal<'_> {
    /// The engine's message.
    pub(super) fn words(&self) -> String {
        format!("{} '{}'", self.reason, self.value)
    }

    /// The same, with a long value shortened.
    pub(super) fn shortened(&self) -> String {
        match self.value.char_indices().nth(QUOTED) {
            Some((end, _)) => format!("{} '{}…'", self.reason, &self.value[..end]),
            None => self.words(),
        }
    }
}

/// A plain value on the path.
enum Primitive<'a> {
    Text(Cow<'a, str>),
    Other(Scalar),
}

/// The result of storing something below a plain value with these bytes; `None` if it is lost silently.
pub(super) fn store_below<'a>(scalar: Scalar, bytes: &'a [u8], keys: &[Cow<'_, str>]) -> Option<Refusal<'a>> {
    let mut at = match scalar {
        Scalar::String => Primitive::Text(String::from_utf8_lossy(bytes)),
        other => Primitive::Other(other),
    };
    for (number, key) in keys.iter().enumerate() {
        let leaf = number + 1 == keys.len();
        if if leaf { key == "__proto__" } else { is_inherited(key.as_bytes()) } {
            return None;
        }
        let next = match &at {
            Primitive::Text(text) => member(text, key, leaf),
            Primitive::Other(_) => None,
        };
        match next {
            Some(next) if !leaf => at = next,
            next => {
                let action = if next.is_some() { "assign to read only" } else { "create" };
                let preposition = if next.is_some() { "of" } else { "on" };
                let (kind, value) = match at {
                    Primitive::Text(text) => ("string", text),
                    Primitive::Other(Scalar::Number(number)) => ("number", number_text(number).into()),
                    Primitive::Other(Scalar::Boolean(boolean)) => ("boolean", boolean.to_string().into()),
                    Primitive::Other(other) => (other.type_name(), other.type_name().into()),
                };
                let reason = format!("Cannot {action} property '{key}' {preposition} {kind}");
                return Some(Refusal { reason, value });
            }
        }
    }
    None
}

/// An own property of a string: its length, or the UTF-16 unit at an index.
fn member<'a>(text: &str, key: &str, leaf: bool) -> Option<Primitive<'a>> {
    if key == "length" {
        let length = text.chars().map(char::len_utf16).sum::<usize>();
        return Some(Primitive::Other(Scalar::Number(length as f64)));
    }
    let canonical =
        key == "0" || (key.starts_with(|c| matches!(c, '1'..='9')) && key.bytes().all(|b| b.is_ascii_digit()));
    if !canonical || (!leaf && key.len() > MAX_DIGITS) {
        return None;
    }
    let unit = text.encode_utf16().nth(key.parse().ok()?)?;
    Some(Primitive::Text(String::from_utf16_lossy(&[unit]).into()))
}

/// JavaScript's `parseInt` with radix 10, which stops at the first character that is not a digit; `None` if the result
/// is NaN.
pub(super) fn parse_int(bytes: &[u8]) -> Option<f64> {
    let text = &bytes[trim_start(bytes)..];
    let (negative, text) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    };
    let digits = text.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
    let number: f64 = std::str::from_utf8(&text[..digits]).ok()?.parse().ok()?;
    Some(if negative { -number } else { number })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_are_read_as_parse_int_reads_them() {
        let cases = [
            ("0", Some(0.0)),
            ("007", Some(7.0)),
            ("1abc", Some(1.0)),
            ("1.9", Some(1.0)),
            ("+1", Some(1.0)),
            (" 1", Some(1.0)),
            ("\u{a0}1", Some(1.0)),
            ("\u{85}1", None),
            ("0x1f", Some(0.0)),
            ("0x", Some(0.0)),
            ("1\u{85}", Some(1.0)),
            ("-0", Some(0.0)),
            ("-1", Some(-1.0)),
            ("99999999999999999999", Some(1e20)),
            ("", None),
            ("-", None),
            ("name", None),
            ("٠", None),
        ];
        for (input, expected) in cases {
            assert_eq!(parse_int(input.as_bytes()), expected, "{input:?}");
        }
    }

    #[test]
    fn what_cannot_be_stored_is_said_in_the_words_of_v8() {
        let cases: &[(Scalar, &str, &[&str], Option<&str>)] = &[
            (Scalar::String, "x", &["b"], Some("Cannot create property 'b' on string 'x'")),
            (Scalar::String, "", &["b"], Some("Cannot create property 'b' on string ''")),
            (Scalar::Number(-0.0), "-0", &["b", "c"], Some("Cannot create property 'b' on number '0'")),
            (Scalar::Boolean(true), "true", &["0"], Some("Cannot create property '0' on boolean 'true'")),
            (Scalar::String, "x", &["0"], Some("Cannot assign to read only property '0' of string 'x'")),
            (Scalar::String, "x", &["1"], Some("Cannot create property '1' on string 'x'")),
            (Scalar::String, "x", &["00"], Some("Cannot create property '00' on string 'x'")),
            (Scalar::String, "é🦀", &["2"], Some("Cannot assign to read only property '2' of string 'é🦀'")),
            (Scalar::String, "é🦀", &["0", "0"], Some("Cannot assign to read only property '0' of string 'é'")),
            (Scalar::String, "é🦀", &["length"], Some("Cannot assign to read only property 'length' of string 'é🦀'")),
            (Scalar::String, "é🦀", &["length", "q"], Some("Cannot create property 'q' on number '3'")),
            (Scalar::String, "x", &["toString"], Some("Cannot create property 'toString' on string 'x'")),
            (Scalar::String, "x", &["toString", "b"], None),
            (Scalar::Number(1.0), "1", &["__proto__"], None),
        ];
        for (scalar, value, keys, expected) in cases {
            let keys: Vec<Cow<'_, str>> = keys.iter().map(|&key| key.into()).collect();
            let words = store_below(*scalar, value.as_bytes(), &keys).map(|refusal| refusal.words());
            assert_eq!(words.as_deref(), *expected, "{value:?} {keys:?}");
        }
    }

    #[test]
    fn a_long_value_is_cut_in_the_problem_alone() {
        let value = "é".repeat(100);
        let refusal =
            store_below(Scalar::String, value.as_bytes(), &["b".into()]).expect("nothing can be stored there");
        assert_eq!(refusal.words(), format!("Cannot create property 'b' on string '{value}'"));
        assert_eq!(refusal.shortened(), format!("Cannot create property 'b' on string '{}…'", "é".repeat(80)));
    }
}
