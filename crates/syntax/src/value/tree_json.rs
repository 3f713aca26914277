//! Converts a parameter tree to JSON as the runtime would pass it to the tool, and adds JSON values to a tree.

use serde_json::{Map, Number, Value as Json};

use super::{Node, NodeId, ParamTree, ROOT, Scalar, Value, pointer::MAX_DEPTH};
use crate::text::{Span, Text};

/// The tree as JSON, normally an object.
pub fn to_json(tree: &ParamTree, text: &Text) -> Json {
    node_to_json(tree, ROOT, text)
}

/// One node as JSON. Trees are at most [`super::pointer::MAX_DEPTH`] deep.
pub fn node_to_json(tree: &ParamTree, id: NodeId, text: &Text) -> Json {
    match &tree.node(id).value {
        Value::Object(children) => {
            let members = children.iter().map(|&child| (tree.node(child).key.clone(), node_to_json(tree, child, text)));
            Json::Object(members.collect::<Map<_, _>>())
        }
        Value::Array(children) => Json::Array(children.iter().map(|&child| node_to_json(tree, child, text)).collect()),
        Value::Scalar(scalar, _) => match scalar {
            Scalar::String => Json::String(tree.scalar_text(id, text).into_owned()),
            Scalar::Boolean(boolean) => Json::Bool(*boolean),
            // Like JSON.stringify for infinity and NaN.
            Scalar::Number(number) if !number.is_finite() => Json::Null,
            Scalar::Number(number) => Json::Number(number_to_json(*number)),
            Scalar::Null => Json::Null,
        },
    }
}

/// A finite number as JSON; an integer is written without a fraction.
fn number_to_json(number: f64) -> Number {
    const WHOLE: f64 = 1e18;
    if number.fract() == 0.0 && number.abs() < WHOLE {
        #[expect(clippy::cast_possible_truncation, reason = "it is whole and within the range of i64")]
        return Number::from(number as i64);
    }
    Number::from_f64(number).unwrap_or_else(|| Number::from(0))
}

/// Adds the JSON text `words`, the value of `node`, to `parent`; returns the type of the outermost value.
///
/// Only the outermost value has a position in the text; nested ones have none.
///
/// # Errors
/// Says why the text is not JSON, or that it is nested too deeply.
pub(crate) fn read_into(tree: &mut ParamTree, parent: NodeId, node: Node, words: &str) -> Result<Scalar, String> {
    let json: Json = serde_json::from_str(words).map_err(|error| error.to_string())?;
    if depth(&json) >= MAX_DEPTH {
        return Err(format!("it nests more than {MAX_DEPTH} levels deep"));
    }
    let scalar = scalar(&json);
    add(tree, parent, node, &json, true);
    Ok(scalar)
}

/// Nesting depth, at most the limit of `serde_json` (128).
fn depth(json: &Json) -> usize {
    match json {
        Json::Array(elements) => 1 + elements.iter().map(depth).max().unwrap_or(0),
        Json::Object(members) => 1 + members.values().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}

/// The scalar of a plain JSON value; an array or an object is a string.
fn scalar(json: &Json) -> Scalar {
    match json {
        Json::Null => Scalar::Null,
        Json::Bool(boolean) => Scalar::Boolean(*boolean),
        Json::Number(number) => number.as_f64().map_or(Scalar::Null, Scalar::Number),
        Json::String(_) | Json::Array(_) | Json::Object(_) => Scalar::String,
    }
}

fn add(tree: &mut ParamTree, parent: NodeId, mut node: Node, json: &Json, outermost: bool) {
    let Value::Scalar(_, span) = node.value else { return };
    let child = |key: String| Node::new(key, Value::Scalar(Scalar::String, span), Span::at(span.start));
    match json {
        Json::Array(elements) => {
            node.value = Value::Array(Vec::new());
            let id = tree.add(parent, node);
            for (index, element) in elements.iter().enumerate() {
                add(tree, id, child(index.to_string()), element, false);
            }
        }
        Json::Object(members) => {
            node.value = Value::Object(Vec::new());
            let id = tree.add(parent, node);
            for (key, member) in members {
                add(tree, id, child(key.clone()), member, false);
            }
        }
        plain => {
            node.value = Value::Scalar(scalar(plain), span);
            node.decoded = match plain {
                Json::String(string) => Some(string.as_str().into()),
                _ => (!outermost).then(|| plain.to_string().into()),
            };
            tree.add(parent, node);
        }
    }
}
