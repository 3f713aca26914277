//! The calls that transformers 5.23.0 reads with response templates, and its errors, compared with ours: in the chunks
//! of the vectors and in one piece.
//!
//! Content, reasoning, defaults and the events between are in the vectors but not compared: for us they are prose. A
//! prompt (`prefix`) is not passed to us. Errors of the reference are truncated in the vectors.

use std::sync::Arc;

use serde_json::{Value, json};
use transcope::container::Container;
use transcope::diagnostic::Code;
use transcope::dialect::{Options, declared};
use transcope::session::Session;
use transcope::value::schema::Schemas;
use transcope::value::tree_json::to_json;

use super::{Difference, compare, rough_difference};

/// Characters of an error that a vector has, after the class of the exception.
const QUOTED: usize = 200;

const DIFFERENCES: &[Difference] = &[
    // The schema of a tool casts a text that is JSON.
    ("hf-template/events/trl-qwen3_5-typed", "007 is an integer to Python, and stays a text here, with a problem"),
    // Fields other than calls are prose.
    ("hf-template/load/unknown-placeholder", "the transform of another field than tool_calls is not applied"),
    ("hf-template/load/optional-false", "a field that the message lacks is no fault of a call"),
];

#[test]
fn response_templates_have_the_reference_outcome() {
    compare(include_str!("../../vectors/hf-response-template.jsonl"), 55, DIFFERENCES, |case| {
        (case["id"].as_str().expect("each case has an id").to_owned(), check(case))
    });
}

/// The difference of a case, if any.
fn check(case: &Value) -> Option<String> {
    let words = |call: &Value| json!({ "name": call["function"]["name"], "arguments": call["function"]["arguments"] });
    let calls: Vec<Value> = case["message"]["tool_calls"].as_array().into_iter().flatten().map(words).collect();
    let expected = json!({ "calls": calls, "error": case["error"].as_str().map(without_class) });
    let whole = vec![case["text"].clone()];
    let pieces = case["chunks"].as_array().unwrap_or(&whole);
    [&whole, pieces].into_iter().find_map(|pieces| rough_difference(&expected, &outcome(case, pieces)))
}

/// Our outcome for a case whose text comes in these chunks. An error is a fault of the template, or loses the message.
fn outcome(case: &Value, pieces: &[Value]) -> Value {
    let declaration = match declared::read(&case["template"].to_string(), "template") {
        Ok(declaration) => Arc::new(declaration),
        Err(problems) => return json!({ "calls": [], "error": cut(&problems[0].message) }),
    };
    let schemas = case["schema"].as_array().map(|_| Schemas::parse("tools", case["schema"].to_string().as_bytes()));
    let options = Options {
        only: vec![declaration.info],
        declared: vec![declaration],
        schemas: schemas.map(|schemas| schemas.expect("tools").into()),
        ..Options::default()
    };
    let mut session = Session::new(Container::plain(), &options);
    for piece in pieces {
        session.push(piece.as_str().expect("a text").as_bytes());
    }
    session.finish();
    let (text, document) = (session.text(), session.document());
    let lost: Vec<usize> = document
        .diagnostics()
        .briefs()
        .filter(|problem| problem.code == Code::ValueReplaced)
        .map(|problem| problem.span.start)
        .collect();
    let (mut calls, mut error) = (Vec::new(), None);
    for (number, item) in document.items().iter().enumerate() {
        let Some(call) = item.call().filter(|_| !lost.contains(&item.span().start)) else { continue };
        let assembly = session.dissect(number).expect("a call can be taken apart");
        error = error.or_else(|| assembly.error.as_deref().map(cut));
        calls.push(json!({ "name": call.name(text), "arguments": to_json(&assembly.tree, text) }));
    }
    if error.is_some() {
        calls.clear();
    }
    json!({ "calls": calls, "error": error })
}

/// An error of a vector without its class and its quotation of the text: keys are printed like Python strings.
fn without_class(error: &str) -> String {
    let (class, words) = error.split_once(": ").expect("a class");
    let words = if class == "KeyError" { words.trim_matches('"') } else { words };
    words.lines().next().unwrap_or_default().to_owned()
}

fn cut(error: &str) -> String {
    error.lines().next().unwrap_or_default().chars().take(QUOTED).collect()
}
