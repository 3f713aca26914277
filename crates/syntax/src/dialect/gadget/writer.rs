//! Writes a call as a gadget block: an argument for each scalar, at its pointer.

use std::fmt::Write as _;

use serde_json::Value;

use super::{Marker, Markers};
use crate::dialect::CallContent;
use crate::dialect::writer::words;

pub(super) fn write(call: &CallContent<'_>, markers: &Markers) -> String {
    let mut out = format!("{}{}", markers.text(Marker::Start), call.name);
    if call.id.is_some() || !call.dependencies.is_empty() {
        _ = write!(out, ":{}", call.id.unwrap_or_default());
    }
    if !call.dependencies.is_empty() {
        _ = write!(out, ":{}", call.dependencies.join(","));
    }
    out.push('\n');
    let mut stack: Vec<(String, &Value)> = vec![(String::new(), call.parameters)];
    while let Some((path, value)) = stack.pop() {
        let below = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}/{key}") };
        match value {
            Value::Object(members) if !members.is_empty() => {
                stack.extend(members.iter().rev().map(|(key, value)| (below(key), value)));
            }
            Value::Array(list) if !list.is_empty() => {
                stack.extend(list.iter().enumerate().rev().map(|(at, value)| (below(&at.to_string()), value)));
            }
            Value::Object(_) | Value::Null if path.is_empty() => {}
            plain => _ = write!(out, "{}{path}\n{}\n", markers.text(Marker::Argument), words(plain)),
        }
    }
    out + markers.text(Marker::End) + "\n"
}
