//! Writes a call so that the template reads it: markers that its patterns match, and content from which its transform
//! builds the call.

use serde_json::{Map, Value};

use super::CALLS;
use super::call::{ARGUMENTS, ID, NAME};
use super::field::{Content, Field};
use super::pattern::Pattern;
use super::template::Template;
use crate::dialect::CallContent;
use crate::dialect::writer::words;

/// Writes a call, ending in a line feed; empty if the template has no calls.
pub(super) fn write(template: &Template, call: &CallContent<'_>) -> String {
    let Some(field) = template.fields.iter().find(|field| field.name == CALLS) else { return String::new() };
    let name = Value::from(call.name);
    let mut given = vec![(NAME, &name, "name"), (ARGUMENTS, call.parameters, "arguments")];
    let id = call.id.map(Value::from);
    given.extend(id.as_ref().map(|id| (ID, id, "id")));
    let mut content = Value::Null;
    let mut groups: Map<String, Value> = Map::new();
    for (places, value, key) in given {
        put(field, places, value, key, &mut content, &mut groups);
    }
    let filled = |group: &str| groups.get(group).map(words).unwrap_or_default();
    let open = field.open.as_ref().map(|open| match &open.literals {
        Some(literals) => literals.first().cloned().unwrap_or_default(),
        None => open.fill(filled),
    });
    let body = content_text(&field.content, &if field.each { Value::Array(vec![content]) } else { content });
    format!("{}{body}{}\n", open.unwrap_or_default(), closer_of(field))
}

/// The closing marker that is missing from an unclosed call.
pub(super) fn closer(template: &Template) -> String {
    template.fields.iter().find(|field| field.name == CALLS).map(closer_of).unwrap_or_default()
}

fn closer_of(field: &Field) -> String {
    field.close.as_ref().map(Pattern::words).unwrap_or_default()
}

/// Puts a part of the call where the transform takes it from.
fn put(
    field: &Field,
    places: &[&[&str]],
    value: &Value,
    key: &str,
    content: &mut Value,
    groups: &mut Map<String, Value>,
) {
    let found = field.transform.as_ref().and_then(|shape| places.iter().find_map(|keys| shape.path_at(keys)));
    let whole = |keys: &[&str]| field.transform.as_ref().and_then(|shape| shape.path_at(keys));
    let path: Vec<String> = match found {
        Some(path) => path.to_vec(),
        // The content is the function itself.
        None => match whole(&["function"]).or(whole(&[])) {
            Some(path) => path.iter().cloned().chain([key.to_owned()]).collect(),
            None if field.transform.is_none() => vec!["content".to_owned(), key.to_owned()],
            None => return,
        },
    };
    let Some((first, keys)) = path.split_first() else { return };
    if first == "content" {
        set(content, keys, value);
    } else if field.each {
        set(content, &path, value);
    } else {
        groups.insert(first.clone(), value.clone());
    }
}

/// Sets the value at these keys.
fn set(at: &mut Value, keys: &[String], value: &Value) {
    let mut at = at;
    for key in keys {
        if !at.is_object() {
            *at = Value::Object(Map::new());
        }
        let Value::Object(members) = at else { return };
        at = members.entry(key.clone()).or_insert(Value::Null);
    }
    *at = value.clone();
}

/// A value as text for a content parser.
fn content_text(content: &Content, value: &Value) -> String {
    match content {
        Content::Json(_) => value.to_string(),
        Content::XmlInline { tag, value: inner, .. } => {
            let tags = value.as_object().into_iter().flatten().map(|(key, value)| {
                let group = |name: &str| match name {
                    "key" => key.clone(),
                    "value" => inner_text(inner.as_deref(), value),
                    _ => String::new(),
                };
                tag.fill(group)
            });
            tags.collect()
        }
        Content::KvLines { line, pair, value: inner, .. } => {
            let lines = value.as_object().into_iter().flatten();
            let lines = lines.map(|(key, value)| format!("{key}{pair} {}", inner_text(inner.as_deref(), value)));
            lines.collect::<Vec<_>>().join(line)
        }
        _ => words(value),
    }
}

/// A value in a tag or a line; strings that would be parsed as something else are written as JSON.
fn inner_text(content: Option<&Content>, value: &Value) -> String {
    match (content, value) {
        (Some(Content::Json(_)), Value::String(text)) if serde_json::from_str::<Value>(text).is_err() => text.clone(),
        (Some(Content::Json(_)), value) => value.to_string(),
        (_, value) => words(value),
    }
}
