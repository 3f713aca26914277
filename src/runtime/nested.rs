//! Arguments as tags within tags, each behind a mark: an element is a member of an object or an item of a list.
//!
//! It follows SGLang's parser of `MiniMax` M3: the schema says what an element without text is and of what type a text is; where
//! it says nothing, elements named `item` make a list. [`read_leading`] follows vLLM's. It knows neither calls nor what is made of a text that it refuses.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::Value as Json;

use super::json::RuntimeValue;
use super::typing::{self, Typing, python_float, python_int, whole_number};

/// Deepest nesting that is read.
const MAX_DEPTH: usize = 200;

/// Deepest nesting that vLLM reads.
const MAX_LEADING_DEPTH: usize = 128;

/// An element that is open.
struct Frame<'a> {
    tag: &'a str,
    schema: Option<&'a Json>,
    value: RuntimeValue,
    /// Where the members of an object stand.
    places: HashMap<&'a str, usize>,
    list: ListBy,
}

/// Why a value is a list, if it is one.
#[derive(Clone, Copy, PartialEq)]
enum ListBy {
    Schema,
    ItsItems,
}

/// Reads the elements of a text; nothing where they do not close one another, or where one has both text and elements.
pub fn read(text: &str, mark: &str, schema: Option<&Json>) -> Option<RuntimeValue> {
    let chunks = || text.split(mark).map(str::trim).filter(|chunk| !chunk.is_empty());
    let items_first = chunks().next().is_some_and(|chunk| chunk.starts_with("<item>"));
    let root = if has_type(schema, &["array"]) && items_first {
        RuntimeValue::List(Vec::new())
    } else {
        RuntimeValue::Object(Vec::new())
    };
    let mut stack = vec![Frame { tag: "", schema, value: root, places: HashMap::new(), list: ListBy::Schema }];
    for chunk in chunks() {
        if let Some(closer) = chunk.strip_prefix("</") {
            let tag = closer.split('>').next().unwrap_or(closer).trim();
            let closed = stack.pop().filter(|frame| frame.tag == tag)?;
            stack.last_mut()?.take(closed.tag, closed.value)?;
        } else if let Some(opener) = chunk.strip_prefix('<') {
            let (tag, text) = opener.split_once('>')?;
            let tag = tag.trim();
            let parent = stack.last_mut()?;
            if is_untyped(parent.schema) {
                parent.infer_list(tag);
            }
            let schema = parent.child_schema(tag);
            let value = if text.is_empty() && !is_scalar(schema) {
                if has_type(schema, &["array"]) {
                    RuntimeValue::List(Vec::new())
                } else {
                    RuntimeValue::Object(Vec::new())
                }
            } else {
                leaf(text, schema)?
            };
            stack.push(Frame { tag, schema, value, places: HashMap::new(), list: ListBy::Schema });
            if stack.len() > MAX_DEPTH {
                return None;
            }
        }
    }
    Some(stack.swap_remove(0).value)
}

impl<'a> Frame<'a> {
    /// Puts an element into it; one that comes again makes a list.
    fn take(&mut self, tag: &'a str, value: RuntimeValue) -> Option<()> {
        match &mut self.value {
            RuntimeValue::List(items) => items.push(value),
            RuntimeValue::Object(members) => match self.places.get(tag).and_then(|place| members.get_mut(*place)) {
                Some((_, RuntimeValue::List(items))) => items.push(value),
                Some((_, first)) => {
                    let before = std::mem::replace(first, RuntimeValue::Null);
                    *first = RuntimeValue::List(vec![before, value]);
                }
                None => {
                    self.places.insert(tag, members.len());
                    members.push((tag.to_owned(), value));
                }
            },
            _ => return None,
        }
        Some(())
    }

    /// Without a schema, elements named `item` make a list, until one of another name comes.
    fn infer_list(&mut self, tag: &str) {
        match &mut self.value {
            RuntimeValue::Object(members) if tag == "item" && members.is_empty() => {
                self.value = RuntimeValue::List(Vec::new());
                self.list = ListBy::ItsItems;
            }
            RuntimeValue::List(items) if tag != "item" && self.list == ListBy::ItsItems => {
                let mut items = std::mem::take(items);
                let one = if items.len() == 1 {
                    items.pop().unwrap_or(RuntimeValue::Null)
                } else {
                    RuntimeValue::List(items)
                };
                self.value = RuntimeValue::Object(vec![("item".to_owned(), one)]);
                self.places.insert("item", 0);
                self.list = ListBy::Schema;
            }
            _ => {}
        }
    }

    fn child_schema(&self, tag: &str) -> Option<&'a Json> {
        let schema = self.schema?;
        if tag == "item" && has_type(self.schema, &["array"]) {
            let number = if let RuntimeValue::List(items) = &self.value { items.len() } else { 0 };
            let first = schema.get("prefixItems").and_then(Json::as_array);
            if let Some(own) = first.and_then(|first| first.get(number)) {
                return Some(own);
            }
            let rest =
                ["additionalItems", "items"].iter().find_map(|key| schema.get(key).filter(|rest| rest.is_object()));
            return rest.or_else(|| first?.last());
        }
        let own = property(schema, tag, 0);
        own.or_else(|| schema.get("additionalProperties")).filter(|schema| schema.is_object())
    }
}

/// The schema of a member: of the object's own properties, or, where it has none, of those of its alternatives.
fn property<'a>(schema: &'a Json, tag: &str, depth: usize) -> Option<&'a Json> {
    if let Some(properties) = schema.get("properties").filter(|properties| properties.is_object()) {
        return properties.get(tag);
    }
    if depth > MAX_DEPTH {
        return None;
    }
    let branches = ["anyOf", "oneOf", "allOf"].into_iter().filter_map(|key| schema.get(key)?.as_array()).flatten();
    branches.into_iter().find_map(|branch| property(branch, tag, depth + 1))
}

fn types(schema: Option<&Json>) -> Vec<String> {
    match schema.and_then(|schema| schema.get("type")) {
        Some(Json::String(name)) => vec![name.to_lowercase()],
        Some(Json::Array(names)) => names.iter().filter_map(|name| Some(name.as_str()?.to_lowercase())).collect(),
        _ => Vec::new(),
    }
}

fn has_type(schema: Option<&Json>, wanted: &[&str]) -> bool {
    types(schema).iter().any(|name| wanted.contains(&name.as_str()))
}

fn is_scalar(schema: Option<&Json>) -> bool {
    let scalars = ["string", "str", "integer", "int", "number", "float", "boolean", "bool", "null"];
    has_type(schema, &scalars) && !has_type(schema, &["object", "array"])
}

fn is_untyped(schema: Option<&Json>) -> bool {
    let shaped = |schema: &Json| ["properties", "items", "prefixItems"].iter().any(|key| schema.get(key).is_some());
    types(schema).is_empty() && !schema.is_some_and(shaped)
}

/// The value of an element with text; nothing where the parser raises.
fn leaf(text: &str, schema: Option<&Json>) -> Option<RuntimeValue> {
    let word = text.trim();
    let plain = RuntimeValue::Text(text.to_owned());
    if is_untyped(schema) {
        return Some(match word {
            "true" => RuntimeValue::Bool(true),
            "false" => RuntimeValue::Bool(false),
            "null" => RuntimeValue::Null,
            _ => plain,
        });
    }
    let nullable = has_type(schema, &["null"]);
    if nullable && matches!(text, "null" | "Null" | "NULL" | "") {
        return Some(RuntimeValue::Null);
    }
    if !nullable && has_type(schema, &["string", "str"]) {
        return Some(plain);
    }
    if has_type(schema, &["integer", "int"])
        && let Some(number) = python_int(text)
    {
        return Some(number);
    }
    if has_type(schema, &["number", "float"])
        && let Some(number) = python_float(text).filter(|number| !number.is_nan())
    {
        return match number {
            number if number.is_infinite() => None,
            number if number.fract() == 0.0 => Some(whole_number(number)),
            number => Some(RuntimeValue::Float(number)),
        };
    }
    if has_type(schema, &["boolean", "bool"]) {
        match word.to_lowercase().as_str() {
            "true" | "1" | "yes" | "on" => return Some(RuntimeValue::Bool(true)),
            "false" | "0" | "no" | "off" => return Some(RuntimeValue::Bool(false)),
            _ => {}
        }
    }
    Some(plain)
}

/// An element as vLLM reads it: its text, or its children in order.
enum Element<'a> {
    Text(String),
    Children(Vec<(Cow<'a, str>, Element<'a>)>),
}

/// Reads elements up to the first that is malformed or not closed, as vLLM does; `schema` is the arguments' schema.
pub fn read_leading(text: &str, mark: &str, schema: Option<&Json>) -> RuntimeValue {
    let (mut elements, mut rest) = (Vec::new(), text.trim_start());
    while let Some((name, element, len)) = leading(rest, mark, 1) {
        elements.push((Cow::Borrowed(name), element));
        rest = rest[len..].trim_start();
    }
    object(elements, schema)
}

/// The element at the beginning of a text: its name, and the bytes that it takes.
fn leading<'a>(text: &'a str, mark: &str, depth: usize) -> Option<(&'a str, Element<'a>, usize)> {
    let name = text.strip_prefix(mark)?.strip_prefix('<')?.split_once('>')?.0;
    if depth > MAX_LEADING_DEPTH || name.starts_with('/') || name.trim().is_empty() {
        return None;
    }
    let closer = format!("{mark}</{name}>");
    let (mut at, mut own, mut children) = (mark.len() + name.len() + 2, String::new(), Vec::new());
    loop {
        let len = text[at..].find(mark)?;
        own.push_str(&text[at..at + len]);
        at += len;
        if text[at..].starts_with(&closer) {
            break;
        }
        let (name, child, len) = leading(&text[at..], mark, depth + 1)?;
        children.push((Cow::Borrowed(name), child));
        at += len;
    }
    let end = at + closer.len();
    if children.is_empty() {
        return Some((name, Element::Text(own), end));
    }
    if !own.trim().is_empty() {
        let mut field = "$text".to_owned();
        while children.iter().any(|(name, _)| *name == field) {
            field.insert(0, '$');
        }
        children.push((Cow::Owned(field), Element::Text(own)));
    }
    Some((name, Element::Children(children), end))
}

/// The first list or object among the alternatives of a schema; whether it is a list.
fn container(schema: &Json) -> Option<(bool, &Json)> {
    let has = |key: &str| schema.get(key).is_some();
    if schema.get("type").is_none_or(Json::is_null) {
        if has("items") || has("properties") || has("additionalProperties") {
            return Some((has("items"), schema));
        }
    } else if let Some(name) = ["array", "object"].into_iter().find(|name| has_type(Some(schema), &[name])) {
        return Some((name == "array", schema));
    }
    let choices = |key: &str| schema.get(key).and_then(Json::as_array).into_iter().flatten();
    choices("anyOf").chain(choices("oneOf")).filter(|choice| choice.is_object()).find_map(container)
}

fn converted(element: Element, schema: Option<&Json>) -> RuntimeValue {
    let schema = schema.filter(|schema| schema.is_object());
    match (element, schema.and_then(container)) {
        (Element::Text(text), Some((is_list, _)))
            if text.trim().is_empty() && !typing::types(schema).iter().any(|name| name == "string") =>
        {
            if is_list {
                RuntimeValue::List(Vec::new())
            } else {
                RuntimeValue::Object(Vec::new())
            }
        }
        (Element::Text(text), _) if schema.is_none() => RuntimeValue::Text(text),
        (Element::Text(text), _) => typing::value(&text, schema, Typing::Vllm).unwrap_or(RuntimeValue::Text(text)),
        (Element::Children(children), Some((true, schema))) => {
            let items = children.into_iter().map(|(_, child)| converted(child, schema.get("items")));
            RuntimeValue::List(items.collect())
        }
        (Element::Children(children), found) => object(children, found.map(|(_, schema)| schema)),
    }
}

/// An object of elements; one that is repeated makes a list.
fn object(elements: Vec<(Cow<str>, Element)>, schema: Option<&Json>) -> RuntimeValue {
    let mut members: Vec<(String, RuntimeValue)> = Vec::new();
    let mut places: HashMap<String, (usize, bool)> = HashMap::new();
    for (name, element) in elements {
        let own = schema.and_then(|schema| schema.get("properties")?.get(&*name));
        let value = converted(element, own.or_else(|| schema?.get("additionalProperties")));
        if let Some((place, is_list)) = places.get_mut(&*name) {
            let before = &mut members[*place].1;
            match before {
                RuntimeValue::List(items) if *is_list => items.push(value),
                _ => *before = RuntimeValue::List(vec![std::mem::replace(before, RuntimeValue::Null), value]),
            }
            *is_list = true;
        } else {
            places.insert(name.clone().into_owned(), (members.len(), false));
            members.push((name.into_owned(), value));
        }
    }
    RuntimeValue::Object(members)
}
