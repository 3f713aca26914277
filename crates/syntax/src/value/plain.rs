//! The values that runtimes read from text, with their source bytes, and Python's JSON for them.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt::Write as _;

use serde_json::{Map, Number, Value as Json};

use super::ContainerKind;
use super::place::SourcePlace;
use crate::text::{Span, steps};

/// A value as a runtime holds it before it is written into `arguments`.
#[derive(Clone, Debug, PartialEq)]
pub enum PlainValue {
    /// `null` or `None`.
    Null,
    /// `true` or `false`, `True` or `False`.
    Bool(bool),
    /// An integer of any size, in decimal digits.
    Int(String),
    /// A floating-point number; not always finite.
    Float(f64),
    /// A decoded string.
    Text(String),
    /// A list, or a tuple.
    List(Vec<Placed>),
    /// An object; each key once, in order of first mention.
    Object(Vec<Member>),
}

/// A value with its source bytes.
#[derive(Clone, Debug)]
pub struct Placed {
    /// The value.
    pub value: PlainValue,
    /// The token of a plain value, quotes included; for a list or an object, all bytes from bracket to bracket, or from
    /// tag to tag.
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

/// Positions are ignored.
impl PartialEq for Placed {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

/// Positions are ignored.
impl PartialEq for Member {
    fn eq(&self, other: &Self) -> bool {
        (&self.key, &self.value) == (&other.key, &other.value)
    }
}

impl Placed {
    /// A value whose source is `span`.
    pub(crate) fn at(value: PlainValue, span: Span) -> Self {
        Self { value, place: SourcePlace::At(span) }
    }

    /// A value made up by the parser.
    pub(crate) fn made_up(value: PlainValue) -> Self {
        Self { value, place: SourcePlace::MadeUp }
    }

    /// The bytes of a name or id in `message`, without quotes.
    pub(crate) fn word_place(&self, message: &str) -> SourcePlace {
        match self.value {
            PlainValue::Text(_) => self.place.without_quotes(message),
            _ => self.place.clone(),
        }
    }

    /// Replaces all spans, also in members and items.
    pub(crate) fn relocate(&mut self, to: &impl Fn(Span) -> Span) {
        self.place.relocate(to);
        self.value.relocate(to);
    }
}

impl Member {
    /// A member whose key has the source `key_span`.
    pub(crate) fn at(key: impl Into<String>, key_span: Span, value: Placed) -> Self {
        Self { key: key.into(), key_place: SourcePlace::At(key_span), value }
    }
}

impl PlainValue {
    /// The value of a member of an object.
    pub(crate) fn get(&self, key: &str) -> Option<&Placed> {
        match self {
            PlainValue::Object(members) => members.iter().find(|member| member.key == key).map(|member| &member.value),
            _ => None,
        }
    }

    /// Replaces the spans of all members and items.
    pub(crate) fn relocate(&mut self, to: &impl Fn(Span) -> Span) {
        match self {
            PlainValue::List(items) => items.iter_mut().for_each(|item| item.relocate(to)),
            PlainValue::Object(members) => {
                for member in members {
                    member.key_place.relocate(to);
                    member.value.relocate(to);
                }
            }
            _ => {}
        }
    }

    /// True if Python treats it as false.
    pub(crate) fn is_falsy(&self) -> bool {
        match self {
            PlainValue::Null | PlainValue::Bool(false) => true,
            PlainValue::Bool(true) => false,
            PlainValue::Int(digits) => digits == "0" || digits == "-0",
            PlainValue::Float(number) => *number == 0.0,
            PlainValue::Text(text) => text.is_empty(),
            PlainValue::List(items) => items.is_empty(),
            PlainValue::Object(members) => members.is_empty(),
        }
    }

    /// Converts all numbers to floating point, as Go's JSON does; a number without a fraction is written as an integer,
    /// unless it has 22 digits or more.
    pub(crate) fn make_numbers_float(&mut self) {
        const WRITTEN_OUT: f64 = 1e21;
        match self {
            Self::Int(digits) => {
                if let Ok(number) = digits.parse::<f64>() {
                    *self =
                        if number.abs() < WRITTEN_OUT { Self::Int(number.to_string()) } else { Self::Float(number) };
                }
            }
            Self::Float(number) if number.fract() == 0.0 && number.abs() < WRITTEN_OUT => {
                *self = Self::Int(number.to_string());
            }
            Self::List(items) => items.iter_mut().for_each(|item| item.value.make_numbers_float()),
            Self::Object(members) => members.iter_mut().for_each(|member| member.value.value.make_numbers_float()),
            _ => {}
        }
    }

    /// The value as JSON; `None` if JSON has no such number.
    pub fn to_json(&self) -> Option<Json> {
        Some(match self {
            PlainValue::Null => Json::Null,
            PlainValue::Bool(value) => Json::Bool(*value),
            PlainValue::Int(digits) => serde_json::from_str(digits).ok()?,
            PlainValue::Float(number) => Json::Number(Number::from_f64(*number)?),
            PlainValue::Text(text) => Json::String(text.clone()),
            PlainValue::List(items) => {
                Json::Array(items.iter().map(|item| item.value.to_json()).collect::<Option<_>>()?)
            }
            PlainValue::Object(members) => {
                let mut map = Map::new();
                for member in members {
                    map.insert(member.key.clone(), member.value.value.to_json()?);
                }
                Json::Object(map)
            }
        })
    }

    /// The value as Python's `json.dumps(…, ensure_ascii=False)` writes it.
    pub fn dumps(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }

    fn write(&self, out: &mut String) {
        match self {
            PlainValue::Null => out.push_str("null"),
            PlainValue::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            PlainValue::Int(digits) => out.push_str(digits),
            PlainValue::Float(number) => out.push_str(&float(*number)),
            PlainValue::Text(text) => out.push_str(&quoted(text)),
            PlainValue::List(items) => {
                out.push('[');
                for (number, item) in items.iter().enumerate() {
                    out.push_str(if number > 0 { ", " } else { "" });
                    item.value.write(out);
                }
                out.push(']');
            }
            PlainValue::Object(members) => {
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

/// A receiver of the values of a text, in text order. A span covers a token in the message, with its quotes or
/// brackets.
pub trait ValueSink {
    /// True if it keeps values, so that their nesting must be limited.
    const KEEPS_VALUES: bool;

    /// Begins a container at `start`.
    fn open(&mut self, holder: ContainerKind, start: usize);

    /// The key of the next value.
    fn key(&mut self, key: String, span: Span);

    /// Takes a plain value.
    fn scalar(&mut self, value: PlainValue, span: Span);

    /// Ends the innermost container at `end`; a key without a value is dropped.
    fn close(&mut self, end: usize);
}

/// For callers that need only faults.
impl ValueSink for () {
    const KEEPS_VALUES: bool = false;

    fn open(&mut self, _holder: ContainerKind, _start: usize) {}

    fn key(&mut self, _key: String, _span: Span) {}

    fn scalar(&mut self, _value: PlainValue, _span: Span) {}

    fn close(&mut self, _end: usize) {}
}

/// Builds a value.
#[derive(Default)]
pub(crate) struct PlainBuilder {
    open: Vec<OpenValue>,
    key: Option<(String, Span)>,
    root: Option<Placed>,
}

/// A list or an object that is not closed.
struct OpenValue {
    start: usize,
    /// Its key in the object around it.
    key: Option<(String, Span)>,
    content: Content,
}

enum Content {
    Object(Members),
    List(Vec<Placed>),
}

impl PlainBuilder {
    /// The outermost value, if any.
    pub(crate) fn finish(self) -> Option<Placed> {
        self.root
    }

    fn add(&mut self, value: Placed, key: Option<(String, Span)>) {
        match self.open.last_mut().map(|open| &mut open.content) {
            None => self.root = Some(value),
            Some(Content::List(items)) => items.push(value),
            Some(Content::Object(members)) => {
                if let Some((key, span)) = key {
                    members.insert(Member::at(key, span, value));
                }
            }
        }
    }
}

impl ValueSink for PlainBuilder {
    const KEEPS_VALUES: bool = true;

    fn open(&mut self, holder: ContainerKind, start: usize) {
        let content = match holder {
            ContainerKind::Object => Content::Object(Members::default()),
            ContainerKind::Array => Content::List(Vec::new()),
        };
        self.open.push(OpenValue { start, key: self.key.take(), content });
    }

    fn key(&mut self, key: String, span: Span) {
        self.key = Some((key, span));
    }

    fn scalar(&mut self, value: PlainValue, span: Span) {
        let key = self.key.take();
        self.add(Placed::at(value, span), key);
    }

    fn close(&mut self, end: usize) {
        self.key = None;
        let Some(OpenValue { start, key, content }) = self.open.pop() else { return };
        let value = match content {
            Content::Object(members) => members.into_object(),
            Content::List(items) => PlainValue::List(items),
        };
        self.add(Placed::at(value, Span::new(start, end)), key);
    }
}

/// The members of an object that is being read.
#[derive(Default)]
pub(crate) struct Members {
    all: Vec<Member>,
    /// Index of each member by its key.
    known: HashMap<String, usize>,
}

impl Members {
    /// Adds a member; if the key is already there, replaces the member in its position.
    pub(crate) fn insert(&mut self, member: Member) {
        steps::add(1);
        match self.known.entry(member.key.clone()) {
            Entry::Occupied(known) => self.all[*known.get()] = member,
            Entry::Vacant(known) => {
                known.insert(self.all.len());
                self.all.push(member);
            }
        }
    }

    /// The object with these members.
    pub(crate) fn into_object(self) -> PlainValue {
        PlainValue::Object(self.all)
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

/// True if all numbers in a value are finite.
pub fn is_finite(value: &PlainValue) -> bool {
    match value {
        PlainValue::Float(number) => number.is_finite(),
        PlainValue::List(items) => items.iter().all(|item| is_finite(&item.value)),
        PlainValue::Object(members) => members.iter().all(|member| is_finite(&member.value.value)),
        _ => true,
    }
}
