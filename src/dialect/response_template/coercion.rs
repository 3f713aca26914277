//! Arguments that are text, cast to what the schema of the tool declares, as the reference does it on close.

use std::collections::HashMap;

use serde_json::{Map, Value as Json};

use super::value::{float, integer};
use crate::params::json::read_into;
use crate::params::{Node, NodeId, ParamTree, ROOT, Scalar, Value};
use crate::text::Text;

/// The declared properties of the tools, by the name of the tool.
#[derive(Clone, Debug, Default)]
pub struct ToolTypes(HashMap<String, Map<String, Json>>);

impl ToolTypes {
    /// Of a list of tools as a request has them, or of the functions alone; what is none is passed over.
    pub fn new(tools: &[Json]) -> Self {
        let mut types = HashMap::new();
        for tool in tools {
            let function = tool.get("function").unwrap_or(tool);
            let Some(name) = function.get("name").and_then(Json::as_str) else { continue };
            let properties = function.get("parameters").and_then(|parameters| parameters.get("properties"));
            types.insert(name.to_owned(), properties.and_then(Json::as_object).cloned().unwrap_or_default());
        }
        Self(types)
    }

    /// Casts the arguments of the calls that a value is, or that it lists.
    pub(super) fn cast(&self, tree: &mut ParamTree, text: &Text) {
        if self.0.is_empty() {
            return;
        }
        let mut stack = vec![ROOT];
        while let Some(id) = stack.pop() {
            match &tree.node(id).value {
                Value::Array(elements) => stack.extend(elements.iter().copied()),
                Value::Object(_) => self.cast_call(tree, id, text),
                Value::Scalar(..) => {}
            }
        }
    }

    fn cast_call(&self, tree: &mut ParamTree, call: NodeId, text: &Text) {
        let Some(function) = member(tree, call, "function") else { return };
        let (Some(name), Some(arguments)) = (member(tree, function, "name"), member(tree, function, "arguments"))
        else {
            return;
        };
        let is_text = matches!(tree.node(name).value, Value::Scalar(Scalar::String, _));
        let Some(properties) = self.0.get(&*tree.words(name, text)).filter(|_| is_text) else { return };
        if !matches!(tree.node(arguments).value, Value::Object(_)) {
            return;
        }
        for argument in tree.node(arguments).value.children().to_vec() {
            let types = properties.get(&tree.node(argument).key).map(schema_types).unwrap_or_default();
            if types.is_empty() {
                continue;
            }
            match &tree.node(argument).value {
                Value::Scalar(Scalar::String, _) => cast_text(tree, argument, &types, text),
                // Values that were collected because their key was given again.
                Value::Array(elements) if !types.contains(&"array") => {
                    for element in elements.clone() {
                        if matches!(tree.node(element).value, Value::Scalar(Scalar::String, _)) {
                            cast_text(tree, element, &types, text);
                        }
                    }
                }
                _ => {}
            }
        }
    }
}

/// The member of an object with this key.
pub(super) fn member(tree: &ParamTree, id: NodeId, key: &str) -> Option<NodeId> {
    let Value::Object(children) = &tree.node(id).value else { return None };
    children.iter().copied().find(|&child| tree.node(child).key == key)
}

/// The types that a schema allows, in the order in which they are tried.
fn schema_types(schema: &Json) -> Vec<&str> {
    let mut types = Vec::new();
    let mut stack = vec![schema];
    while let Some(schema) = stack.pop() {
        match schema.get("type") {
            Some(Json::String(name)) => types.push(name.as_str()),
            Some(Json::Array(names)) => types.extend(names.iter().filter_map(Json::as_str)),
            _ => {}
        }
        let choices = ["anyOf", "oneOf"].into_iter().filter_map(|key| schema.get(key).and_then(Json::as_array));
        let choices: Vec<&Json> = choices.flatten().collect();
        stack.extend(choices.into_iter().rev());
        if schema.get("nullable") == Some(&Json::Bool(true)) && !types.contains(&"null") {
            types.push("null");
        }
    }
    types
}

/// Casts a text to the first type that takes it; to none if it stays text.
fn cast_text(tree: &mut ParamTree, id: NodeId, types: &[&str], text: &Text) {
    let words = tree.words(id, text).into_owned();
    for name in types {
        let scalar = match *name {
            "integer" => integer(&words).or_else(|| float(&words).filter(|number| number.fract() == 0.0)),
            "number" => float(&words).filter(|number| number.is_finite()),
            "boolean" => match words.trim().to_lowercase().as_str() {
                "true" | "1" => return write(tree, id, Scalar::Boolean(true)),
                "false" | "0" => return write(tree, id, Scalar::Boolean(false)),
                _ => None,
            },
            "null" if matches!(words.trim(), "null" | "None") => return write(tree, id, Scalar::Null),
            "object" | "array" => {
                if cast_container(tree, id, &words, name) {
                    return;
                }
                None
            }
            _ => None,
        };
        if let Some(number) = scalar {
            return write(tree, id, Scalar::Number(number));
        }
    }
}

fn write(tree: &mut ParamTree, id: NodeId, scalar: Scalar) {
    let node = tree.node_mut(id);
    if let Value::Scalar(old, _) = &mut node.value {
        *old = scalar;
    }
}

/// Makes of a text the object or the array that it is as JSON; false where it is none.
fn cast_container(tree: &mut ParamTree, id: NodeId, words: &str, kind: &str) -> bool {
    let first = words.trim_start().as_bytes().first();
    if first != Some(if kind == "object" { &b'{' } else { &b'[' }) {
        return false;
    }
    let mut made = ParamTree::default();
    let node = tree.node(id).clone();
    if read_into(&mut made, ROOT, Node { key: String::new(), ..node }, words).is_err() {
        return false;
    }
    let Some(&from) = made.node(ROOT).value.children().first() else { return false };
    tree.node_mut(id).value = if kind == "object" { Value::Object(Vec::new()) } else { Value::Array(Vec::new()) };
    tree.node_mut(id).decoded = None;
    for &child in made.node(from).value.children() {
        let key = made.node(child).key.clone();
        super::shape::copy(&made, child, tree, Some(id), &key);
    }
    true
}
