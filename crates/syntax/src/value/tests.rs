//! Values for tests of the notations.

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Map, Number, Value as Json};

/// Values nested up to six levels; `strings` and `keys` are regular expressions.
pub(super) fn any_value(strings: &'static str, keys: &'static str) -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::Bool),
        any::<i32>().prop_map(Json::from),
        any::<f64>().prop_filter_map("finite", |number| Number::from_f64(number).map(Json::Number)),
        strings.prop_map(Json::String),
    ];
    leaf.prop_recursive(6, 64, 8, move |inner| {
        prop_oneof![
            vec(inner.clone(), 0..8).prop_map(Json::Array),
            vec((keys, inner), 0..8).prop_map(|members| Json::Object(members.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

/// True if two values are equal, with numbers compared as 64-bit floats.
pub(super) fn alike(a: &Json, b: &Json) -> bool {
    match (a, b) {
        (Json::Number(a), Json::Number(b)) => a.as_f64() == b.as_f64(),
        (Json::Array(a), Json::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| alike(a, b)),
        (Json::Object(a), Json::Object(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|((k, a), (l, b))| k == l && alike(a, b))
        }
        _ => a == b,
    }
}
