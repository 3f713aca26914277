//! `tojson` as transformers defines it: Python's `json.dumps(x, ensure_ascii, indent, separators, sort_keys)`.
//!
//! HTML is not escaped. Values that JSON has no form for (an undefined variable, a generator, a view of a dict, a macro) are
//! errors, as in Python.

use std::fmt::Write as _;

use minijinja::value::{Rest, Value, ValueKind, ValueOrKwargs};
use minijinja::{Error, ErrorKind, State};

use super::super::marks;
use super::arguments::Arguments;
use super::iterable::{DictView, is_generator};

/// Nested lists and dicts that are written; Python gives up at about a thousand.
const MAX_DEPTH: usize = 900;

/// The arguments of `json.dumps` that templates can set.
struct Style {
    ensure_ascii: bool,
    /// Text of one level of indentation.
    indent: Option<String>,
    item_separator: String,
    key_separator: String,
    sort_keys: bool,
    /// True if marks are written unchanged whatever `ensure_ascii` says.
    keeps_marks: bool,
}

/// The filter `tojson`, which transformers replaces by `json.dumps` without escapes for HTML.
///
/// # Errors
///
/// An argument that is unknown or of another type than Python accepts, or a value that JSON cannot express.
pub fn tojson(state: &State<'_, '_>, value: &Value, arguments: Rest<ValueOrKwargs>) -> Result<Value, Error> {
    let arguments = Arguments::new(&["ensure_ascii", "indent", "separators", "sort_keys"], arguments)?;
    let indent = arguments.get("indent")?.map(|indent| match indent.as_str() {
        Some(text) => text.to_owned(),
        None => " ".repeat(indent.as_usize().unwrap_or(0).min(64)),
    });
    let separators =
        arguments.get("separators")?.map(|pair| pair.try_iter().map(Iterator::collect::<Vec<_>>)).transpose()?;
    let (item, key) = match separators.as_deref() {
        Some([item, key]) => (item.to_string(), key.to_string()),
        Some(_) => return Err(Error::new(ErrorKind::InvalidOperation, "separators of tojson are a pair of texts")),
        None => (if indent.is_some() { "," } else { ", " }.to_owned(), ": ".to_owned()),
    };
    let style = Style {
        ensure_ascii: arguments.is_set("ensure_ascii")?,
        indent,
        item_separator: item,
        key_separator: key,
        sort_keys: arguments.is_set("sort_keys")?,
        keeps_marks: marks::are_set(state),
    };
    arguments.finish()?;
    let mut out = String::new();
    write(&mut out, value, &style, 0)?;
    Ok(Value::from(out))
}

fn write(out: &mut String, value: &Value, style: &Style, depth: usize) -> Result<(), Error> {
    if depth > MAX_DEPTH {
        return Err(Error::new(ErrorKind::BadSerialization, "value is nested too deeply for JSON"));
    }
    match value.kind() {
        ValueKind::None => out.push_str("null"),
        ValueKind::Bool => out.push_str(if value.is_true() { "true" } else { "false" }),
        ValueKind::Number => out.push_str(&number(value)),
        ValueKind::String => string(out, value.as_str().unwrap_or_default(), style),
        ValueKind::Map => return map(out, value, style, depth),
        // A slice of a list is an iterable of the engine, and a list in Python.
        ValueKind::Seq | ValueKind::Iterable
            if !is_generator(value) && value.downcast_object_ref::<DictView>().is_none() =>
        {
            return list(out, value, style, depth);
        }
        _ => return Err(unserializable(value)),
    }
    Ok(())
}

fn unserializable(value: &Value) -> Error {
    let kind = match value.kind() {
        ValueKind::Undefined => "Undefined",
        _ if is_generator(value) => "generator",
        ValueKind::Iterable => "dict_items",
        ValueKind::Bytes => "bytes",
        _ => "Macro",
    };
    Error::new(ErrorKind::BadSerialization, format!("Object of type {kind} is not JSON serializable"))
}

fn list(out: &mut String, value: &Value, style: &Style, depth: usize) -> Result<(), Error> {
    let mut empty = true;
    out.push('[');
    for item in value.try_iter()? {
        separate(out, style, depth + 1, empty);
        empty = false;
        write(out, &item, style, depth + 1)?;
    }
    close(out, style, depth, empty, ']');
    Ok(())
}

fn map(out: &mut String, value: &Value, style: &Style, depth: usize) -> Result<(), Error> {
    let mut keys: Vec<Value> = value.try_iter()?.collect();
    if style.sort_keys {
        keys.sort_by_cached_key(marks::sort_key);
    }
    let mut empty = true;
    out.push('{');
    for key in keys {
        separate(out, style, depth + 1, empty);
        empty = false;
        match key.kind() {
            ValueKind::String => string(out, key.as_str().unwrap_or_default(), style),
            ValueKind::None => out.push_str("\"null\""),
            ValueKind::Bool => out.push_str(if key.is_true() { "\"true\"" } else { "\"false\"" }),
            ValueKind::Number => {
                let _ = write!(out, "\"{}\"", number(&key));
            }
            _ => {
                return Err(Error::new(
                    ErrorKind::BadSerialization,
                    "keys must be str, int, float, bool or None, not tuple",
                ));
            }
        }
        out.push_str(&style.key_separator);
        write(out, &value.get_item(&key)?, style, depth + 1)?;
    }
    close(out, style, depth, empty, '}');
    Ok(())
}

fn separate(out: &mut String, style: &Style, depth: usize, is_first: bool) {
    if !is_first {
        out.push_str(&style.item_separator);
    }
    new_line(out, style, depth);
}

fn close(out: &mut String, style: &Style, depth: usize, is_empty: bool, bracket: char) {
    if !is_empty {
        new_line(out, style, depth);
    }
    out.push(bracket);
}

fn new_line(out: &mut String, style: &Style, depth: usize) {
    if let Some(indent) = &style.indent {
        out.push('\n');
        out.push_str(&indent.repeat(depth));
    }
}

/// A number as Python's `repr` writes it; of numbers that JSON lacks, the words that `json.dumps` writes.
pub(super) fn number(value: &Value) -> String {
    if value.is_integer() {
        return value.to_string();
    }
    match f64::try_from(value.clone()) {
        Ok(number) if number.is_nan() => "NaN".to_owned(),
        Ok(number) if number.is_infinite() => if number > 0.0 { "Infinity" } else { "-Infinity" }.to_owned(),
        Ok(number) => float(number),
        Err(_) => value.to_string(),
    }
}

/// A value as Python's `str` prints it; nothing of an undefined one.
pub(super) fn text(value: &Value) -> String {
    match value.kind() {
        ValueKind::Number if !value.is_integer() => printed_number(value),
        _ => value.to_string(),
    }
}

/// A number that is not an integer as Python's `str` writes it.
fn printed_number(value: &Value) -> String {
    match f64::try_from(value.clone()) {
        Ok(number) if number.is_nan() => "nan".to_owned(),
        Ok(number) if number.is_infinite() => if number > 0.0 { "inf" } else { "-inf" }.to_owned(),
        Ok(number) => float(number),
        Err(_) => value.to_string(),
    }
}

/// A finite float as Python writes it: exponents have a sign and two digits.
pub(super) fn float(number: f64) -> String {
    let text = format!("{number:?}");
    match text.split_once('e') {
        Some((digits, exponent)) => match exponent.strip_prefix('-') {
            Some(exponent) => format!("{digits}e-{exponent:0>2}"),
            None => format!("{digits}e+{exponent:0>2}"),
        },
        None => text,
    }
}

fn string(out: &mut String, text: &str, style: &Style) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            control if control < ' ' => {
                let _ = write!(out, "\\u{:04x}", u32::from(control));
            }
            other if style.keeps_marks && marks::mark(other).is_some() => out.push(other),
            other if style.ensure_ascii && !other.is_ascii() => {
                for unit in other.encode_utf16(&mut [0; 2]) {
                    let _ = write!(out, "\\u{unit:04x}");
                }
            }
            other => out.push(other),
        }
    }
    out.push('"');
}
