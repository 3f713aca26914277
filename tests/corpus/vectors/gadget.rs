//! The reference implementation's outcome for each of its test vectors, against ours.
//!
//! Compared as the vectors ask for it: parameters without regard to order, numbers by value, prose with blank-only
//! stretches dropped. Where the reference's outcome depends on how the text is cut, the outcome of feeding it byte by
//! byte is the truth.

use serde_json::Value;
use transcope::dialect::Options;
use transcope::dialect::gadget::Markers;
use transcope::document::Item;
use transcope::params::json::to_json;
use transcope::session::Session;

use super::{Difference, compare, rough_difference};

/// Cases in which our outcome differs on purpose, and why.
const DIFFERENCES: [Difference; 2] = [
    ("ptr-proto-inside-object", "a path through __proto__ is a plain path and pollutes nothing"),
    ("ptr-tostring-nested", "a path through an inherited function is a plain path"),
];

#[test]
fn gadget_vectors_have_the_reference_outcome() {
    compare(include_str!("../../vectors/gadget.jsonl"), 170, &DIFFERENCES, |case| {
        let expected = case.get("expected_chunk1").unwrap_or(&case["expected"]);
        (case["name"].as_str().expect("a name").to_owned(), rough_difference(expected, &run(case)))
    });
}

/// Our outcome in the reference's shape.
fn run(case: &Value) -> Value {
    let option = |name: &str| case["options"][name].as_str();
    let markers =
        Markers::custom(option("startPrefix"), option("endPrefix"), option("argPrefix")).expect("the markers are fine");
    let input = case["input"].as_str().expect("each case has an input");
    let options = Options { markers, ..Options::default() };
    let session = Session::read(input.as_bytes(), &options);
    let text = session.text();
    let mut events = Vec::new();
    for (number, item) in session.document().items().iter().enumerate() {
        match item {
            // Only files of records have these.
            Item::Result(_) | Item::Aside(_) => unreachable!("a vector is plain text"),
            Item::Text(span) => {
                let content = text.read_str(span);
                if !transcope::text::trim(content.as_bytes(), 0).is_empty() {
                    events.push(serde_json::json!({ "type": "text", "content": content }));
                }
            }
            Item::Call(call) => {
                let assembly = session.dissect(number).expect("a call can be taken apart");
                let raw = text.read(call.body);
                let raw = transcope::text::trim(&raw, call.body.start);
                let mut event = serde_json::json!({
                    "type": "gadget_call",
                    "gadgetName": call.name(text),
                    "invocationId": call.id(text),
                    "dependencies": call.dependencies(text),
                    "parametersRaw": text.read_str(raw),
                });
                match assembly.error {
                    Some(error) => event["parseError"] = error.into(),
                    None => event["parameters"] = to_json(&assembly.tree, text),
                }
                events.push(event);
            }
        }
    }
    Value::Array(events)
}
