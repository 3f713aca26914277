//! Arguments as nested tags with a mark before each: an element is a member of an object or an item of a list.
//!
//! It follows SGLang's parser of `MiniMax` M3: the schema decides what an empty element is and to which type text is
//! converted; without a schema, elements named `item` make a list. [`read_leading`] follows vLLM's.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::Value as Json;

use crate::text::Span;
use crate::value::cast::{self, Typing, python_float, python_int, whole_number};
use crate::value::place::{DerivedText, SourcePlace, SourceText};
use crate::value::plain::{Member, Placed, PlainValue};
use crate::value::tools::{ALTERNATIVES, alternatives, named_types};

/// Deepest nesting that is read.
const MAX_DEPTH: usize = 200;

/// Deepest nesting that vLLM reads.
const MAX_LEADING_DEPTH: usize = 128;

/// An open element.
struct Frame<'a> {
    tag: SourceText<'a>,
    schema: Option<&'a Json>,
    value: PlainValue,
    /// Offset after its begin tag.
    start: usize,
    /// The tag of the first item, if it is a list because of its items.
    first_item: SourcePlace,
    /// Indices of the members of an object.
    places: HashMap<&'a str, usize>,
    list: ListBy,
}

/// Reason why a value is a list, if it is one.
#[derive(Clone, Copy, PartialEq)]
enum ListBy {
    Schema,
    ItsItems,
}

/// Reads the elements of a text; `None` if they are not closed properly, or if one has both text and elements.
pub(crate) fn read(text: SourceText<'_>, mark: &str, schema: Option<&Json>) -> Option<Placed> {
    let chunks = || text.text().split(mark).map(str::trim).filter(|chunk| !chunk.is_empty());
    let items_first = chunks().next().is_some_and(|chunk| chunk.starts_with("<item>"));
    let root = if has_type(schema, &["array"]) && items_first {
        PlainValue::List(Vec::new())
    } else {
        PlainValue::Object(Vec::new())
    };
    let frame = |tag, schema, value, start| Frame {
        tag,
        schema,
        value,
        start,
        first_item: SourcePlace::MadeUp,
        places: HashMap::new(),
        list: ListBy::Schema,
    };
    let mut stack = vec![frame(text.part(0, 0), schema, root, text.span().start)];
    for chunk in chunks() {
        let at = text.locate(chunk).span();
        if let Some(closer) = chunk.strip_prefix("</") {
            let tag = closer.split('>').next().unwrap_or(closer).trim();
            let closed = stack.pop().filter(|frame| *frame.tag == *tag)?;
            let end = at.start.saturating_sub(mark.len()).max(closed.start);
            let value = Placed::at(closed.value, Span::new(closed.start, end));
            stack.last_mut()?.take(closed.tag, value)?;
        } else if let Some(opener) = chunk.strip_prefix('<') {
            let (tag, inner) = opener.split_once('>')?;
            let (tag, inner) = (text.locate(tag.trim()), text.locate(inner));
            let parent = stack.last_mut()?;
            if is_untyped(parent.schema) {
                parent.infer_list(tag);
            }
            let schema = parent.child_schema(&tag);
            let value = if inner.is_empty() && !is_scalar(schema) {
                if has_type(schema, &["array"]) { PlainValue::List(Vec::new()) } else { PlainValue::Object(Vec::new()) }
            } else {
                leaf(inner, schema)?
            };
            stack.push(frame(tag, schema, value, inner.span().start));
            if stack.len() > MAX_DEPTH {
                return None;
            }
        }
    }
    Some(Placed::at(stack.swap_remove(0).value, text.span()))
}

impl<'a> Frame<'a> {
    /// Adds an element; a repeated one makes a list.
    fn take(&mut self, tag: SourceText<'a>, value: Placed) -> Option<()> {
        match &mut self.value {
            PlainValue::List(items) => items.push(value),
            PlainValue::Object(members) => {
                if let Some(member) = self.places.get(tag.text()).and_then(|place| members.get_mut(*place)) {
                    join(&mut member.value, value);
                } else {
                    self.places.insert(tag.text(), members.len());
                    members.push(Member::at(tag.text(), tag.span(), value));
                }
            }
            _ => return None,
        }
        Some(())
    }

    /// Without a schema, elements named `item` make a list, until one with another name follows.
    fn infer_list(&mut self, tag: SourceText<'_>) {
        let is_item = *tag == *"item";
        match &mut self.value {
            PlainValue::Object(members) if is_item && members.is_empty() => {
                self.first_item = SourcePlace::At(tag.span());
                self.value = PlainValue::List(Vec::new());
                self.list = ListBy::ItsItems;
            }
            PlainValue::List(items) if !is_item && self.list == ListBy::ItsItems => {
                let mut items = std::mem::take(items);
                let value = match items.pop() {
                    Some(only) if items.is_empty() => only,
                    last => {
                        items.extend(last);
                        list(items)
                    }
                };
                let key_place = std::mem::take(&mut self.first_item);
                self.value = PlainValue::Object(vec![Member { key: "item".to_owned(), key_place, value }]);
                self.places.insert("item", 0);
                self.list = ListBy::Schema;
            }
            _ => {}
        }
    }

    fn child_schema(&self, tag: &str) -> Option<&'a Json> {
        let schema = self.schema?;
        if tag == "item" && has_type(self.schema, &["array"]) {
            let number = if let PlainValue::List(items) = &self.value { items.len() } else { 0 };
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

/// The list that repeated elements make.
fn list(items: Vec<Placed>) -> Placed {
    let place = SourcePlace::Parts(items.iter().filter_map(|item| item.place.span()).collect());
    Placed { value: PlainValue::List(items), place }
}

/// Adds a value to a list, or makes a list of both.
fn join(before: &mut Placed, value: Placed) {
    if let PlainValue::List(items) = &mut before.value {
        items.push(value);
    } else {
        *before = list(vec![before.clone(), value]);
    }
}

/// The schema of a member: from the object's own properties or, if it has none, from its alternatives'.
fn property<'a>(schema: &'a Json, tag: &str, depth: usize) -> Option<&'a Json> {
    if let Some(properties) = schema.get("properties").filter(|properties| properties.is_object()) {
        return properties.get(tag);
    }
    if depth > MAX_DEPTH {
        return None;
    }
    alternatives(schema, &ALTERNATIVES).find_map(|branch| property(branch, tag, depth + 1))
}

fn types(schema: Option<&Json>) -> Vec<String> {
    schema.into_iter().flat_map(named_types).map(str::to_lowercase).collect()
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

/// The value of an element with text; `None` if the parser raises.
fn leaf(text: SourceText<'_>, schema: Option<&Json>) -> Option<PlainValue> {
    let word = text.trim();
    let plain = PlainValue::Text(text.to_string());
    if is_untyped(schema) {
        return Some(match word {
            "true" => PlainValue::Bool(true),
            "false" => PlainValue::Bool(false),
            "null" => PlainValue::Null,
            _ => plain,
        });
    }
    let nullable = has_type(schema, &["null"]);
    if nullable && matches!(text.text(), "null" | "Null" | "NULL" | "") {
        return Some(PlainValue::Null);
    }
    if !nullable && has_type(schema, &["string", "str"]) {
        return Some(plain);
    }
    if has_type(schema, &["integer", "int"])
        && let Some(number) = python_int(&text)
    {
        return Some(number);
    }
    if has_type(schema, &["number", "float"])
        && let Some(number) = python_float(&text).filter(|number| !number.is_nan())
    {
        return match number {
            number if number.is_infinite() => None,
            number if number.fract() == 0.0 => Some(whole_number(number)),
            number => Some(PlainValue::Float(number)),
        };
    }
    if has_type(schema, &["boolean", "bool"]) {
        match word.to_lowercase().as_str() {
            "true" | "1" | "yes" | "on" => return Some(PlainValue::Bool(true)),
            "false" | "0" | "no" | "off" => return Some(PlainValue::Bool(false)),
            _ => {}
        }
    }
    Some(plain)
}

/// An element as vLLM reads it: its text, or its children in order.
enum Element<'a> {
    Text(DerivedText),
    Children(Vec<Child<'a>>),
}

/// An element within another one.
struct Child<'a> {
    name: Cow<'a, str>,
    name_place: SourcePlace,
    element: Element<'a>,
    /// Bytes between its tags.
    inner: SourcePlace,
}

/// Reads elements up to the first malformed or unclosed one, as vLLM does; `schema` is the arguments' schema.
pub(crate) fn read_leading(text: SourceText<'_>, mark: &str, schema: Option<&Json>) -> Placed {
    let (mut elements, mut rest) = (Vec::new(), text.trimmed());
    while let Some((child, len)) = leading(rest, mark, 1) {
        elements.push(child);
        rest = rest.part(len, rest.len()).trimmed();
    }
    Placed::at(object(elements, schema), text.span())
}

/// The element at the beginning of a text, and its length in bytes.
fn leading<'a>(text: SourceText<'a>, mark: &str, depth: usize) -> Option<(Child<'a>, usize)> {
    let name = text.text().strip_prefix(mark)?.strip_prefix('<')?.split_once('>')?.0;
    if depth > MAX_LEADING_DEPTH || name.starts_with('/') || name.trim().is_empty() {
        return None;
    }
    let closer = format!("{mark}</{name}>");
    let start = mark.len() + name.len() + 2;
    let (mut at, mut own, mut children) = (start, DerivedText::default(), Vec::new());
    loop {
        let len = text[at..].find(mark)?;
        own.copy(text.part(at, at + len));
        at += len;
        if text[at..].starts_with(&closer) {
            break;
        }
        let (child, len) = leading(text.part(at, text.len()), mark, depth + 1)?;
        children.push(child);
        at += len;
    }
    let element = if children.is_empty() {
        Element::Text(own)
    } else {
        if !own.text.trim().is_empty() {
            let mut field = "$text".to_owned();
            while children.iter().any(|child| child.name == field) {
                field.insert(0, '$');
            }
            let inner = SourcePlace::At(own.source_of(Span::new(0, own.text.len())));
            let element = Element::Text(own);
            children.push(Child { name: Cow::Owned(field), name_place: SourcePlace::MadeUp, element, inner });
        }
        Element::Children(children)
    };
    let (name_place, inner) = (SourcePlace::At(text.locate(name).span()), SourcePlace::At(text.span_of(start, at)));
    Some((Child { name: Cow::Borrowed(name), name_place, element, inner }, at + closer.len()))
}

/// The first list or object among the alternatives of a schema; true for a list.
fn container(schema: &Json) -> Option<(bool, &Json)> {
    let has = |key: &str| schema.get(key).is_some();
    if schema.get("type").is_none_or(Json::is_null) {
        if has("items") || has("properties") || has("additionalProperties") {
            return Some((has("items"), schema));
        }
    } else if let Some(name) = ["array", "object"].into_iter().find(|name| has_type(Some(schema), &[name])) {
        return Some((name == "array", schema));
    }
    alternatives(schema, &["anyOf", "oneOf"]).filter(|choice| choice.is_object()).find_map(container)
}

fn converted(element: Element, schema: Option<&Json>) -> PlainValue {
    let schema = schema.filter(|schema| schema.is_object());
    match (element, schema.and_then(container)) {
        (Element::Text(own), Some((is_list, _)))
            if own.text.trim().is_empty() && !cast::types(schema).iter().any(|name| name == "string") =>
        {
            if is_list {
                PlainValue::List(Vec::new())
            } else {
                PlainValue::Object(Vec::new())
            }
        }
        (Element::Text(own), _) if schema.is_none() => PlainValue::Text(own.text),
        (Element::Text(own), _) => match cast::value(SourceText::whole(&own.text), schema, Typing::Vllm) {
            Ok(mut value) => {
                value.relocate(&|span| own.source_of(span));
                value
            }
            Err(_) => PlainValue::Text(own.text),
        },
        (Element::Children(children), Some((true, schema))) => {
            let item =
                |child: Child| Placed { value: converted(child.element, schema.get("items")), place: child.inner };
            PlainValue::List(children.into_iter().map(item).collect())
        }
        (Element::Children(children), found) => object(children, found.map(|(_, schema)| schema)),
    }
}

/// An object of elements; a repeated one makes a list.
fn object(elements: Vec<Child>, schema: Option<&Json>) -> PlainValue {
    let mut members: Vec<Member> = Vec::new();
    let mut places: HashMap<String, (usize, bool)> = HashMap::new();
    for Child { name, name_place, element, inner } in elements {
        let own = schema.and_then(|schema| schema.get("properties")?.get(&*name));
        let value = converted(element, own.or_else(|| schema?.get("additionalProperties")));
        let value = Placed { value, place: inner };
        if let Some((place, is_list)) = places.get_mut(&*name) {
            let before = &mut members[*place].value;
            if *is_list {
                join(before, value);
            } else {
                *before = list(vec![before.clone(), value]);
            }
            *is_list = true;
        } else {
            places.insert(name.clone().into_owned(), (members.len(), false));
            members.push(Member { key: name.into_owned(), key_place: name_place, value });
        }
    }
    PlainValue::Object(members)
}
