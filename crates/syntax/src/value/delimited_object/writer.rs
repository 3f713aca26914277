//! Writes parameters as an object with delimited strings.

use serde_json::Value;

/// Writes an object with delimited strings, with bare keys where possible; any other value gives `{}`.
///
/// Delimited strings have no escapes, so a string that contains a delimiter is written in double quotes, with JSON's
/// escapes, which some runtimes read. Values are at most [`crate::value::pointer::MAX_DEPTH`] deep.
pub fn write(parameters: &Value, delimiter: &str) -> String {
    let mut out = String::new();
    if parameters.is_object() {
        value(parameters, delimiter, &mut out);
    } else {
        out.push_str("{}");
    }
    out
}

fn value(parameter: &Value, delimiter: &str, out: &mut String) {
    match parameter {
        Value::Null | Value::Bool(_) | Value::Number(_) => out.push_str(&parameter.to_string()),
        Value::String(text) => string(text, delimiter, out),
        Value::Array(elements) => {
            out.push('[');
            for (index, element) in elements.iter().enumerate() {
                out.push_str(if index > 0 { "," } else { "" });
                value(element, delimiter, out);
            }
            out.push(']');
        }
        Value::Object(members) => {
            out.push('{');
            for (index, (key, member)) in members.iter().enumerate() {
                out.push_str(if index > 0 { "," } else { "" });
                let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
                if !key.is_empty() && key.bytes().all(is_name) {
                    out.push_str(key);
                } else {
                    string(key, delimiter, out);
                }
                out.push(':');
                value(member, delimiter, out);
            }
            out.push('}');
        }
    }
}

fn string(text: &str, delimiter: &str, out: &mut String) {
    // A text that ends with part of the delimiter would end the string too early, too.
    let is_safe = format!("{text}{delimiter}").find(delimiter) == Some(text.len());
    if is_safe {
        out.push_str(delimiter);
        out.push_str(text);
        out.push_str(delimiter);
    } else {
        out.push_str(&Value::from(text).to_string());
    }
}
