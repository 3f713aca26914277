//! What transformers 5.23.0 makes of messages with their response templates, against what we make of them: the message,
//! the events for each piece of the text, and why a template is not read or a message raises.
//!
//! Errors of the reference are cut after so many characters in the vectors.

use std::sync::Arc;

use serde_json::{Value, json};
use transcope::dialect::response_template::{MessageError, MessageParser, Template, ToolTypes};

use super::{Difference, compare, rough_difference};

/// Characters of an error that a vector has, behind the class of the exception.
const QUOTED: usize = 200;

const DIFFERENCES: &[Difference] = &[];

#[test]
fn response_templates_have_the_reference_outcome() {
    compare(include_str!("../../vectors/hf-response-template.jsonl"), 55, DIFFERENCES, |case| {
        (case["id"].as_str().expect("each case has an id").to_owned(), check(case))
    });
}

/// What differs of a case.
fn check(case: &Value) -> Option<String> {
    let found = outcome(case);
    let mut expected = json!({ "message": case["message"], "error": case["error"] });
    if !case["events"].is_null() {
        expected["events"] = case["events"].clone();
    }
    let mut shown = found.clone();
    if case["events"].is_null() {
        shown.as_object_mut().expect("an object").remove("events");
    }
    rough_difference(&expected, &shown)
}

/// What we make of a case, in the shape of the vectors.
fn outcome(case: &Value) -> Value {
    let template = match Template::from_json(&case["template"].to_string()) {
        Ok(template) => Arc::new(template),
        Err(errors) => return json!({ "message": null, "error": cut(&class_of(&errors[0].message)), "events": null }),
    };
    let tools: Vec<Value> = case["schema"].as_array().cloned().unwrap_or_default();
    let parser = MessageParser::new(template, case["prefix"].as_str().unwrap_or_default(), ToolTypes::new(&tools));
    match parse(parser, case) {
        Ok((message, events)) => json!({ "message": message, "error": null, "events": events }),
        Err(MessageError(words)) => json!({ "message": null, "error": cut(&words), "events": null }),
    }
}

fn parse(mut parser: MessageParser, case: &Value) -> Result<(Value, Vec<Value>), MessageError> {
    let mut events = vec![json!(parser.initial_events())];
    let whole = [case["text"].clone()];
    for piece in case["chunks"].as_array().map_or(&whole[..], Vec::as_slice) {
        events.push(json!(parser.push(piece.as_str().expect("a text"))?));
    }
    let (message, last) = parser.finish()?;
    events.push(json!(last));
    Ok((Value::Object(message), events))
}

/// Faults of templates are all of one class.
fn class_of(message: &str) -> String {
    format!("ValueError: {message}")
}

fn cut(error: &str) -> String {
    let class = error.find(": ").map_or(0, |at| at + 2);
    error.chars().take(class + QUOTED).collect()
}
