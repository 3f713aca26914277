//! How response templates make the texts of arguments what the schema asks for.
//!
//! It does not know where the texts stand.

use serde_json::Value as Json;

use super::{python_float, python_int};
use crate::runtime::json::{self, Flavour, Value};

/// The types of a schema in its order, with those of its alternatives; each alternative is asked once, however deep.
fn types(schema: &Json) -> Vec<String> {
    let (mut out, mut open) = (Vec::new(), vec![schema]);
    while let Some(schema) = open.pop() {
        match schema.get("type") {
            Some(Json::String(name)) => out.push(name.clone()),
            Some(Json::Array(names)) => out.extend(names.iter().filter_map(|name| name.as_str().map(str::to_owned))),
            _ => {}
        }
        let choices = ["oneOf", "anyOf"].into_iter().filter_map(|key| schema.get(key)?.as_array());
        open.extend(choices.flat_map(|choices| choices.iter().rev()));
        if schema.get("nullable").and_then(Json::as_bool) == Some(true) && !out.iter().any(|name| name == "null") {
            out.push("null".to_owned());
        }
    }
    out
}

/// A text as the first type of the schema that it can be; else the text itself.
pub fn cast(text: &str, schema: &Json) -> Value {
    let found = types(schema).iter().find_map(|name| cast_to(text, name));
    found.unwrap_or_else(|| Value::Text(text.to_owned()))
}

fn cast_to(text: &str, name: &str) -> Option<Value> {
    let finite = || python_float(text).filter(|number| number.is_finite());
    let whole = |number: f64| (number.fract() == 0.0).then(|| Value::Int(format!("{number:.0}")));
    match name {
        "integer" => python_int(text).or_else(|| whole(finite()?)),
        "number" => {
            let number = finite()?;
            let plain = if text.contains('.') { None } else { whole(number) };
            Some(plain.unwrap_or(Value::Float(number)))
        }
        "boolean" => match text.trim().to_lowercase().as_str() {
            "true" | "1" => Some(Value::Bool(true)),
            "false" | "0" => Some(Value::Bool(false)),
            _ => None,
        },
        "null" => matches!(text.trim(), "null" | "None").then_some(Value::Null),
        "object" | "array" => {
            let value = json::read_all(text, Flavour::Python).ok()?;
            let fits = match value {
                Value::Object(_) => name == "object",
                Value::List(_) => name == "array",
                _ => false,
            };
            fits.then_some(value)
        }
        "string" => Some(Value::Text(text.to_owned())),
        _ => None,
    }
}
