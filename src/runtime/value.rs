//! The values that runtimes make of texts, with the bytes that they were made of, and how Python writes them as JSON.
//!
//! It knows no notation that values are read from.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt::Write as _;

use serde_json::{Map, Number, Value as Json};

use super::place::SourcePlace;
use crate::text::{Span, steps};

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
    List(Vec<Placed>),
    /// An object, each key once, in the order in which they came first.
    Object(Vec<Member>),
}

/// A value and its bytes.
#[derive(Clone, Debug)]
pub struct Placed {
    /// The value.
    pub value: RuntimeValue,
    /// The token of a plain value, quotes included; of a list or an object, all bytes from bracket to bracket or from tag to
    /// tag.
    pub place: SourcePlace,
}

/// A member of an object.
#[derive(Clone, Debug)]
pub struct Member {
    /// Its key, decoded.
    pub key: String,
    /// The token of the key.
    pub key_place: SourcePlace,
    /// Its value.
    pub value: Placed,
}

/// Values are compared without their places.
impl PartialEq for Placed {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

/// Members are compared without their places.
impl PartialEq for Member {
    fn eq(&self, other: &Self) -> bool {
        (&self.key, &self.value) == (&other.key, &other.value)
    }
}

impl Placed {
    /// A value that is written as the bytes of `span`.
    pub fn at(value: RuntimeValue, span: Span) -> Self {
        Self { value, place: SourcePlace::At(span) }
    }

    /// A value that the parser makes up.
    pub fn made_up(value: RuntimeValue) -> Self {
        Self { value, place: SourcePlace::MadeUp }
    }

    /// The bytes of a name or id in `message`, without quotes.
    pub fn word_place(&self, message: &str) -> SourcePlace {
        match self.value {
            RuntimeValue::Text(_) => self.place.without_quotes(message),
            _ => self.place.clone(),
        }
    }

    /// Replaces all spans, also in members and items.
    pub fn relocate(&mut self, to: &impl Fn(Span) -> Span) {
        self.place.relocate(to);
        self.value.relocate(to);
    }
}

impl Member {
    /// A member whose key and value are written as the bytes of these spans.
    pub fn at(key: impl Into<String>, key_span: Span, value: Placed) -> Self {
        Self { key: key.into(), key_place: SourcePlace::At(key_span), value }
    }
}

impl RuntimeValue {
    /// The value of a key of an object.
    pub fn get(&self, key: &str) -> Option<&Placed> {
        match self {
            RuntimeValue::Object(members) => {
                members.iter().find(|member| member.key == key).map(|member| &member.value)
            }
            _ => None,
        }
    }

    /// Replaces the spans of all members and items.
    pub fn relocate(&mut self, to: &impl Fn(Span) -> Span) {
        match self {
            RuntimeValue::List(items) => items.iter_mut().for_each(|item| item.relocate(to)),
            RuntimeValue::Object(members) => {
                for member in members {
                    member.key_place.relocate(to);
                    member.value.relocate(to);
                }
            }
            _ => {}
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
            RuntimeValue::List(items) => {
                Json::Array(items.iter().map(|item| item.value.to_json()).collect::<Option<_>>()?)
            }
            RuntimeValue::Object(members) => {
                let mut map = Map::new();
                for member in members {
                    map.insert(member.key.clone(), member.value.value.to_json()?);
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
                    item.value.write(out);
                }
                out.push(']');
            }
            RuntimeValue::Object(members) => {
                out.push('{');
                for (number, member) in members.iter().enumerate() {
                    let _ = write!(out, "{}{}: ", if number > 0 { ", " } else { "" }, quoted(&member.key));
                    member.value.value.write(out);
                }
                out.push('}');
            }
        }
    }
}

/// The members of an object while it is read.
#[derive(Default)]
pub struct Members {
    all: Vec<Member>,
    /// The index of each by its key.
    known: HashMap<String, usize>,
}

impl Members {
    /// Adds a member; one with this key already is overwritten in its place.
    pub fn insert(&mut self, member: Member) {
        steps::add(1);
        match self.known.entry(member.key.clone()) {
            Entry::Occupied(known) => self.all[*known.get()] = member,
            Entry::Vacant(known) => {
                known.insert(self.all.len());
                self.all.push(member);
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
        RuntimeValue::List(items) => items.iter().all(|item| is_finite(&item.value)),
        RuntimeValue::Object(members) => members.iter().all(|member| is_finite(&member.value.value)),
        _ => true,
    }
}
