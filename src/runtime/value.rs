//! The values that runtimes make of texts, and how Python writes them as JSON.
//!
//! It knows no notation that values are read from.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt::Write as _;

use serde_json::{Map, Number, Value as Json};

use crate::text::steps;

/// A value as a runtime holds it before it is written into `arguments`.
#[derive(Clone, Debug, PartialEq)]
pub enum RuntimeValue {
    /// `null` or `None`.
    Null,
    /// `true` or `false`, `True` or `False`.
    Bool(bool),
    /// An integer of any size, in decimal digits.
    Int(String),
    /// A floating-point number; not always finite.
    Float(f64),
    /// A string with its escapes undone.
    Text(String),
    /// A list; a tuple becomes one too.
    List(Vec<RuntimeValue>),
    /// An object, each key once, in the order in which they came first.
    Object(Vec<(String, RuntimeValue)>),
}

impl RuntimeValue {
    /// The value of a key of an object.
    pub fn get(&self, key: &str) -> Option<&RuntimeValue> {
        match self {
            RuntimeValue::Object(members) => members.iter().find(|(name, _)| name == key).map(|(_, value)| value),
            _ => None,
        }
    }

    /// Whether Python takes it for false.
    pub fn is_falsy(&self) -> bool {
        match self {
            RuntimeValue::Null | RuntimeValue::Bool(false) => true,
            RuntimeValue::Bool(true) => false,
            RuntimeValue::Int(digits) => digits == "0" || digits == "-0",
            RuntimeValue::Float(number) => *number == 0.0,
            RuntimeValue::Text(text) => text.is_empty(),
            RuntimeValue::List(items) => items.is_empty(),
            RuntimeValue::Object(members) => members.is_empty(),
        }
    }

    /// It as JSON; nothing where JSON has no such number.
    pub fn to_json(&self) -> Option<Json> {
        Some(match self {
            RuntimeValue::Null => Json::Null,
            RuntimeValue::Bool(value) => Json::Bool(*value),
            RuntimeValue::Int(digits) => serde_json::from_str(digits).ok()?,
            RuntimeValue::Float(number) => Json::Number(Number::from_f64(*number)?),
            RuntimeValue::Text(text) => Json::String(text.clone()),
            RuntimeValue::List(items) => Json::Array(items.iter().map(RuntimeValue::to_json).collect::<Option<_>>()?),
            RuntimeValue::Object(members) => {
                let mut map = Map::new();
                for (key, value) in members {
                    map.insert(key.clone(), value.to_json()?);
                }
                Json::Object(map)
            }
        })
    }

    /// It as Python's `json.dumps(…, ensure_ascii=False)` writes it.
    pub fn dumps(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }

    fn write(&self, out: &mut String) {
        match self {
            RuntimeValue::Null => out.push_str("null"),
            RuntimeValue::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            RuntimeValue::Int(digits) => out.push_str(digits),
            RuntimeValue::Float(number) => out.push_str(&float(*number)),
            RuntimeValue::Text(text) => out.push_str(&quoted(text)),
            RuntimeValue::List(items) => {
                out.push('[');
                for (number, item) in items.iter().enumerate() {
                    out.push_str(if number > 0 { ", " } else { "" });
                    item.write(out);
                }
                out.push(']');
            }
            RuntimeValue::Object(members) => {
                out.push('{');
                for (number, (key, value)) in members.iter().enumerate() {
                    let _ = write!(out, "{}{}: ", if number > 0 { ", " } else { "" }, quoted(key));
                    value.write(out);
                }
                out.push('}');
            }
        }
    }
}

/// The members of an object while it is read.
#[derive(Default)]
pub struct Members {
    all: Vec<(String, RuntimeValue)>,
    /// The index of each by its key.
    places: HashMap<String, usize>,
}

impl Members {
    /// Adds a member; one with this key already is overwritten in its place.
    pub fn insert(&mut self, key: String, value: RuntimeValue) {
        steps::add(1);
        match self.places.entry(key) {
            Entry::Occupied(place) => self.all[*place.get()].1 = value,
            Entry::Vacant(place) => {
                self.all.push((place.key().clone(), value));
                place.insert(self.all.len() - 1);
            }
        }
    }

    /// The object that has them.
    pub fn into_object(self) -> RuntimeValue {
        RuntimeValue::Object(self.all)
    }
}

fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}

/// A floating-point number as Python writes it in JSON.
pub fn float(number: f64) -> String {
    if number.is_nan() {
        return "NaN".to_owned();
    }
    if number.is_infinite() {
        return if number > 0.0 { "Infinity" } else { "-Infinity" }.to_owned();
    }
    let size = number.abs();
    if size != 0.0 && !(1e-4..1e16).contains(&size) {
        let text = format!("{number:e}");
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let (sign, digits) = exponent.strip_prefix('-').map_or(("+", exponent), |digits| ("-", digits));
        return format!("{mantissa}e{sign}{digits:0>2}");
    }
    if number.fract() == 0.0 { format!("{number:.1}") } else { format!("{number}") }
}

/// Whether all numbers in a value are finite.
pub fn is_finite(value: &RuntimeValue) -> bool {
    match value {
        RuntimeValue::Float(number) => number.is_finite(),
        RuntimeValue::List(items) => items.iter().all(is_finite),
        RuntimeValue::Object(members) => members.iter().all(|(_, value)| is_finite(value)),
        _ => true,
    }
}
