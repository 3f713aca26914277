//! Flattens a JSON value into its plain values, each with its path.

use serde_json::Value;

/// The plain values and the empty containers in a value, each with its path. A path is unique: in a key, `/` is escaped
/// as `~1`, and `~` as `~0` (RFC 6901). The value itself has the empty path; if it is an empty object there are no
/// entries, as for a call without parameters.
pub fn flatten(value: &Value) -> Vec<(String, Value)> {
    let mut found = Vec::new();
    let mut stack = vec![(String::new(), value)];
    while let Some((path, value)) = stack.pop() {
        let below = |key: &str| match path.as_str() {
            "" => escaped(key),
            path => format!("{path}/{}", escaped(key)),
        };
        match value {
            Value::Object(members) if !members.is_empty() => {
                stack.extend(members.iter().rev().map(|(key, value)| (below(key), value)));
            }
            Value::Array(elements) if !elements.is_empty() => {
                stack.extend(elements.iter().enumerate().rev().map(|(at, value)| (below(&at.to_string()), value)));
            }
            Value::Object(_) if path.is_empty() => {}
            plain => found.push((path, plain.clone())),
        }
    }
    found
}

fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// True if two plain values are the same to a tool: `1` and `1.0` are one number.
pub fn same(left: &Value, right: &Value) -> bool {
    left == right || (left.is_number() && right.is_number() && left.as_f64() == right.as_f64())
}
