//! Compares an outcome with the recorded outcome of a parser.

use serde_json::Value as Json;
use transcope::runtime::{DeliveredCall, Outcome};

/// True if an outcome has this content, these calls and this reasoning; `expected` is `None` if the parser raised.
pub fn is_same(expected: Option<&Json>, outcome: &Outcome) -> bool {
    let Some(expected) = expected else { return outcome.error.is_some() };
    if outcome.error.is_some() {
        return false;
    }
    let same = |key: &str, own: &Option<String>| {
        expected.get(key).and_then(Json::as_str).filter(|text| !text.is_empty()) == own.as_deref()
    };
    let none = Vec::new();
    let calls = expected.get("calls").and_then(Json::as_array).unwrap_or(&none);
    let is_same_call = |(recorded, own): (&Json, &DeliveredCall)| {
        let id = recorded.get("id").and_then(Json::as_str);
        recorded.get("name").and_then(Json::as_str) == own.name.as_deref()
            && recorded.get("arguments") == Some(&own.arguments.to_json())
            && id == own.id.as_deref()
    };
    same("content", &outcome.content)
        && same("reasoning", &outcome.reasoning)
        && calls.len() == outcome.calls.len()
        && calls.iter().zip(&outcome.calls).all(is_same_call)
}
