//! Writes parameters as Python's keyword arguments: `city='Paris', days=3, ok=True`.

use std::fmt::Write as _;

use serde_json::Value;

/// Writes the members of an object as keyword arguments; any other value gives an empty text.
///
/// A key that cannot be a keyword is written as an unpacked dictionary, `**{'a b': 1}`, which some runtimes read.
/// Values are at most [`crate::value::pointer::MAX_DEPTH`] deep.
pub fn write(parameters: &Value) -> String {
    let mut out = String::new();
    for (key, value) in parameters.as_object().into_iter().flatten() {
        if !out.is_empty() {
            out.push_str(", ");
        }
        if is_keyword(key) {
            out.push_str(key);
            out.push('=');
            literal(value, &mut out);
        } else {
            out.push_str("**{");
            string(key, &mut out);
            out.push_str(": ");
            literal(value, &mut out);
            out.push('}');
        }
    }
    out
}

/// True if a key can be a keyword; only ASCII, since Python does not accept every letter of other scripts.
fn is_keyword(key: &str) -> bool {
    const RESERVED: [&str; 35] = [
        "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del",
        "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal",
        "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
    ];
    let first = key.bytes().next();
    first.is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_')
        && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && !RESERVED.contains(&key)
}

fn literal(value: &Value, out: &mut String) {
    match value {
        Value::Null => out.push_str("None"),
        Value::Bool(true) => out.push_str("True"),
        Value::Bool(false) => out.push_str("False"),
        Value::Number(number) => out.push_str(&number.to_string()),
        Value::String(text) => string(text, out),
        Value::Array(elements) => {
            out.push('[');
            for (index, element) in elements.iter().enumerate() {
                out.push_str(if index > 0 { ", " } else { "" });
                literal(element, out);
            }
            out.push(']');
        }
        Value::Object(members) => {
            out.push('{');
            for (index, (key, member)) in members.iter().enumerate() {
                out.push_str(if index > 0 { ", " } else { "" });
                string(key, out);
                out.push_str(": ");
                literal(member, out);
            }
            out.push('}');
        }
    }
}

/// Writes a string like `repr`: in single quotes, unless it contains single and no double quotes.
fn string(text: &str, out: &mut String) {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    out.push(quote);
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            _ if c == quote => {
                out.push('\\');
                out.push(c);
            }
            _ if c.is_ascii_control() => {
                let _ = write!(out, "\\x{:02x}", u32::from(c));
            }
            _ => out.push(c),
        }
    }
    out.push(quote);
}
