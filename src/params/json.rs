//! A parameter tree as JSON, as the runtime would hand it to the tool.
//!
//! This module does not know how trees are built or drawn.

use serde_json::{Map, Number, Value as Json};

use super::{NodeId, ParamTree, ROOT, Scalar, Value};
use crate::text::Text;

/// The tree as JSON, as a rule an object.
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
            Scalar::String => Json::String(tree.words(id, text).into_owned()),
            Scalar::Boolean(boolean) => Json::Bool(*boolean),
            // As JSON.stringify writes infinity and NaN.
            Scalar::Number(number) if !number.is_finite() => Json::Null,
            Scalar::Number(number) => Json::Number(number_to_json(*number)),
            Scalar::Null => Json::Null,
        },
    }
}

/// A finite number as JSON; a whole one is written without a fraction.
fn number_to_json(number: f64) -> Number {
    const WHOLE: f64 = 1e18;
    if number.fract() == 0.0 && number.abs() < WHOLE {
        #[expect(clippy::cast_possible_truncation, reason = "it is whole and within the range of i64")]
        return Number::from(number as i64);
    }
    Number::from_f64(number).unwrap_or_else(|| Number::from(0))
}
