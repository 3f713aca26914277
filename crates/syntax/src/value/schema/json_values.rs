//! Conversion of text by runtimes that parse it as JSON according to the schema of each property.
//!
//! The types that a property allows are tried in the order of vLLM's parsers (null, integer, number, boolean, object,
//! array, string); text that fits none of them stays text, which is what these runtimes deliver. Nothing is validated
//! here.

use serde_json::Value as Json;

use crate::text::Text;
use crate::value::tools::{alternatives, named_types, resolve};
use crate::value::tree_json::read_into;
use crate::value::{Assembly, Node, NodeId, ROOT, Scalar, Value};

/// Converts each text parameter according to its property.
pub(super) fn coerce(assembly: &mut Assembly, schema: &Json, text: &Text) {
    let Some(Json::Object(properties)) = resolve(schema, schema).get("properties") else { return };
    let children = assembly.tree.node(ROOT).value.children().to_vec();
    for id in children {
        let node = assembly.tree.node(id);
        if !matches!(node.value, Value::Scalar(Scalar::String, _)) {
            continue;
        }
        let Some(property) = properties.get(&node.key) else { continue };
        let mut types = Vec::new();
        collect_types(schema, property, &mut types, 0);
        let words = assembly.tree.scalar_text(id, text).into_owned();
        if let Some(json) = as_json(words.trim(), &types) {
            replace(assembly, id, &json);
        }
    }
}

/// The JSON types that a property allows.
fn collect_types<'a>(root: &'a Json, property: &'a Json, types: &mut Vec<&'a str>, depth: usize) {
    /// Most levels of nested alternatives that are examined.
    const MAX_DEPTH: usize = 4;
    let property = resolve(root, property);
    types.extend(named_types(property));
    if property.get("nullable") == Some(&Json::Bool(true)) {
        types.push("null");
    }
    if depth < MAX_DEPTH {
        alternatives(property, &["anyOf", "oneOf"]).for_each(|other| collect_types(root, other, types, depth + 1));
    }
}

/// The text as JSON of one of these types, if it fits one.
fn as_json(words: &str, types: &[&str]) -> Option<String> {
    let allows = |name: &str| types.contains(&name);
    if allows("null") && matches!(words, "null" | "None") {
        return Some("null".into());
    }
    if allows("boolean") {
        match words.to_ascii_lowercase().as_str() {
            "true" | "1" => return Some("true".into()),
            "false" | "0" => return Some("false".into()),
            _ => {}
        }
    }
    let parsed: Json = serde_json::from_str(words).ok()?;
    let is_allowed = match &parsed {
        Json::Number(number) => {
            allows("number") || (allows("integer") && number.as_f64().is_some_and(|n| n.fract() == 0.0))
        }
        Json::Object(_) => allows("object"),
        Json::Array(_) => allows("array"),
        Json::Null | Json::Bool(_) | Json::String(_) => false,
    };
    is_allowed.then(|| words.to_owned())
}

/// Gives a node the value of this JSON.
fn replace(assembly: &mut Assembly, id: NodeId, json: &str) {
    let plain = Node { decoded: None, ..assembly.tree.node(id).clone() };
    let before = assembly.tree.node(ROOT).value.children().to_vec();
    let Ok(scalar) = read_into(&mut assembly.tree, ROOT, plain, json) else { return };
    // It was added last, and replaces the text.
    let Some(&added) = assembly.tree.node(ROOT).value.children().last() else { return };
    let children = before.into_iter().map(|child| if child == id { added } else { child }).collect();
    if let Value::Object(members) = &mut assembly.tree.node_mut(ROOT).value {
        *members = children;
    }
    let argument = assembly.tree.node(added).argument;
    if let Some(slot) = argument.and_then(|argument| assembly.scalars.get_mut(argument)) {
        *slot = scalar;
    }
}
