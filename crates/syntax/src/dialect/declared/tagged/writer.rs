//! Writes a call between the tags of a shape.
//!
//! Escapes nothing unless the runtime unescapes.

use std::fmt::Write as _;

use serde_json::Value;

use super::{Body, Part, Repeats, Shape, Strip, Unescape, Values, body};
use crate::dialect::CallContent;
use crate::dialect::declared::marker::Slot;
use crate::dialect::writer::{plain_list, words};

/// The opening and the closing tag of a call, from the pair with a slot for the id if the call has one.
fn call_tags(shape: &Shape, call: &CallContent<'_>) -> (String, String) {
    let mut pairs = shape.pairs.iter().filter(|pair| pair.part == Part::Call);
    let with_id = pairs.clone().find(|pair| call.id.is_some() && pair.open.has(Slot::Id));
    let Some(pair) = with_id.or_else(|| pairs.next()) else { return Default::default() };
    let is_id_alone = pair.open.has(Slot::Id) && !pair.open.has(Slot::Name);
    let fill = |slot: Slot| match slot {
        Slot::Id if is_id_alone => Some(shape.name.write(call.name, call.id)),
        Slot::Id => call.id.map(ToOwned::to_owned),
        Slot::Type => None,
        _ => Some(call.name.to_owned()),
    };
    (pair.open.write(fill), pair.close.first().map(|close| close.write(fill)).unwrap_or_default())
}

/// The text of a value between its tags.
fn written(shape: &Shape, value: &Value) -> String {
    let plain = words(value);
    match (&shape.values, shape.unescape) {
        // A string that would be read as JSON must be quoted.
        (Values::JsonOrText, _) if value.is_string() && serde_json::from_str::<Value>(&plain).is_ok() => {
            value.to_string()
        }
        (_, Unescape::Xml) => plain.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;"),
        _ => plain,
    }
}

/// The opening and the closing tag of a part with a name.
fn tags(shape: &Shape, part: Part, name: &str, value: Option<&Value>) -> (String, String) {
    let Some(pair) = shape.pair(part) else { return Default::default() };
    let fill = |slot: Slot| match slot {
        Slot::Type => value.and_then(|value| shape.values.type_word(value)),
        _ => Some(name.to_owned()),
    };
    (pair.open.write(fill), pair.close.first().map(|close| close.write(fill)).unwrap_or_default())
}

pub(super) fn write(shape: &Shape, call: &CallContent<'_>) -> String {
    let (opening, closing) = call_tags(shape, call);
    let edge = if shape.strip == Strip::OneNewline { "\n" } else { "" };
    if shape.body != Body::Parameters {
        let body = body::write(&shape.body, shape.strip, call);
        let is_broken = body.ends_with('\n') || closing.starts_with('\n');
        let is_own_line = opening.ends_with('\n') && !closing.is_empty() && !is_broken;
        let end = if is_own_line { "\n" } else { "" };
        return wrapped(shape, format!("{opening}{body}{end}{closing}\n"));
    }
    let mut out = opening;
    if !out.ends_with('\n') {
        out.push('\n');
    }
    for (key, value) in call.members() {
        // A list of one value would be read as a scalar.
        let list = plain_list(value, 2).filter(|_| shape.repeats == Repeats::List);
        for value in list.unwrap_or(std::slice::from_ref(value)) {
            let (opening, closing) = tags(shape, Part::Parameter, key, Some(value));
            _ = writeln!(out, "{opening}{edge}{}{edge}{closing}", written(shape, value));
        }
    }
    out += &(closing + "\n");
    wrapped(shape, out)
}

/// Wraps a call in the markers of its section, if there are any.
fn wrapped(shape: &Shape, out: String) -> String {
    match shape.pair(Part::Wrapper) {
        Some(wrapper) => {
            let close = wrapper.close.first().map(|close| close.write(|_| None)).unwrap_or_default();
            format!("{}\n{out}{close}\n", wrapper.open.write(|_| None))
        }
        None => out,
    }
}
