//! The reference implementation's outcome for each of its test vectors of `<tool:…>`, compared with ours.
//!
//! If the reference accepts a text, our calls have the same names, ids, places and parameters. If it rejects the whole
//! text, one of our calls has failed with the reference's message. Messages in the vectors have prefixes for the layer
//! that reported them; these are not compared.

use serde_json::Value;
use transcope::dialect::Options;
use transcope::document::Item;
use transcope::session::Session;
use transcope::value::schema::Schemas;
use transcope::value::tree_json::to_json;

use super::{Difference, compare};

/// Cases in which our outcome differs on purpose, and why.
const DIFFERENCES: [Difference; 1] =
    [("xml/read-then-write", "a tool that writes is not known to be one behind which a message is cut")];

/// The relevant parts of the schemas of the reference's tools.
const SCHEMAS: &str = r#"{
    "read_files": { "properties": {
        "project": { "type": "string" },
        "paths": { "type": "array", "items": { "type": "string" } },
        "prefix_line_numbers": { "type": "boolean" }
    } },
    "list_files": { "properties": { "max_depth": { "type": "integer" } } },
    "write_file": { "properties": { "path": { "type": "string" }, "content": { "type": "string" } } }
}"#;

#[test]
fn xml_vectors_have_the_reference_outcome() {
    compare(include_str!("../../vectors/xml.jsonl"), 30, &DIFFERENCES, |case| {
        let input = case["input"].as_str().expect("each case has an input");
        let schemas = Schemas::parse("", SCHEMAS.as_bytes()).expect("the schemas are fine");
        let options = Options {
            only: vec![transcope::dialect::named("xml").expect("a dialect")],
            schemas: Some(schemas.into()),
            ..Options::default()
        };
        let session = Session::read(input.as_bytes(), &options);
        let expected = &case["expected"];
        let fault = match expected["error"].as_str() {
            Some(words) => rejected(&session, words),
            None => accepted(&session, &expected["calls"]),
        };
        let fault = fault.map(|fault| format!("{input:?}\n  expected {expected}\n  {fault}"));
        (case["name"].as_str().expect("each case has a name").to_owned(), fault)
    });
}

/// The difference from a reference that accepts the text, if any.
fn accepted(session: &Session, expected: &Value) -> Option<String> {
    let text = session.text();
    let mut calls = Vec::new();
    for (number, item) in session.document().items().iter().enumerate() {
        let Item::Call(call) = item else { continue };
        let assembly = session.dissect(number).expect("a call can be taken apart");
        if let Some(error) = assembly.error {
            return Some(format!("rejected: {error}"));
        }
        calls.push(serde_json::json!({
            "id": call.id(text),
            "name": call.name(text),
            "input": to_json(&assembly.tree, text),
            "start": call.span.start,
            "end": call.span.end,
        }));
    }
    let found = Value::Array(calls);
    (found != *expected).then(|| format!("found    {found}"))
}

/// The difference from a reference that rejects the text, if any.
fn rejected(session: &Session, words: &str) -> Option<String> {
    let bare = words
        .trim_start_matches("Failed to parse tool parameters: ")
        .trim_start_matches("Error converting parameters to JSON: ");
    let mut errors = Vec::new();
    for number in session.document().calls() {
        let call = session.document().call(number).expect("it is a call");
        let error = session.dissect(number).expect("a call can be taken apart").error;
        assert_eq!(call.failed, error.is_some(), "a call has failed if it was rejected");
        errors.extend(error);
    }
    let shown = session.document().diagnostics().iter().any(|diagnostic| diagnostic.message == bare);
    (errors.iter().all(|error| error != bare) || !shown).then(|| format!("found    {errors:?}"))
}
