//! The reference parser's outcome for each test vector of callouts and tool fences, compared with ours; and the results
//! of two YAML libraries for a body, compared with our reading.
//!
//! The calls (id, name, state, error text, input, output) and their events are compared. A missing input and a null one
//! are the empty object here. Version 2 of the reference reads callouts, the others read tool fences; none reads both.

use serde_json::{Map, Value, json};
use transcope::dialect::Options;
use transcope::export::events::EventWriter;
use transcope::session::Session;
use transcope::text::Text;
use transcope::value::ROOT;
use transcope::value::tree_json::to_json;
use transcope::value::yaml::{self, Library};

use super::{Difference, alike, compare, rough_difference};

/// Cases in which our outcome differs on purpose, and why.
const DIFFERENCES: [Difference; 13] = [
    ("v2/hdr-trailing-fold-plus", "a call whose body the runtime does not read is shown with it, and as rejected"),
    ("v2/body-comments", "a call whose body the runtime does not read is shown with it, and as rejected"),
    ("v2/crlf-body-only", "a call of whose body the runtime reads a part is shown with all of it, and as rejected"),
    ("v2/state-approval-responded", "the later states are shown, with a hint that this version drops them"),
    ("v2/yaml-floats", "numbers are those of YAML 1.2, with a hint where js-yaml has others"),
    ("v2/yaml-timestamps", "dates stay text as in YAML 1.2, with a hint that js-yaml makes dates of them"),
    ("v2/yaml-tag-binary", "the tag is dropped with a warning, and the text is shown as it is written"),
    ("v2/unicode-line-sep", "a line ends at a line feed alone, not at the Unicode line separators of JavaScript"),
    ("v2/hdr-multiline-bracket-parses", "a header ends with its line: one without a bracket is shown as rejected"),
    ("v2/hdr-unclosed-swallows-next", "a header ends with its line, and does not swallow the next callout"),
    ("v3/fence-toolbox", "a fence of another language that merely begins with tool is code"),
    ("v3/fence-tool-result", "a fence of another language that merely begins with tool is code"),
    ("v4/fence-v4-yaml11-directive", "the version in a directive does not change what a word means, as in js-yaml"),
];

/// Bodies that we read differently from both libraries, or from `yaml` 2.9.0 where they differ, and why.
const YAML_DIFFERENCES: [Difference; 6] = [
    ("%YAML 1.1\n---\ninput: yes", "the version in a directive does not change what a word means, as in js-yaml"),
    ("input: !!float 7", "7 is a number, and the tag says so; as in js-yaml"),
    ("input: !!set {a, b}", "the tag is dropped with a warning: a set is the object that it is written as"),
    ("input: !!omap [a: 1, b: 2]", "the tag is dropped with a warning: a list of objects stays one"),
    ("input: \u{feff}x", "the parser refuses a byte order mark in the midst of a text"),
    ("a: !!merge x", "the tag is dropped with a warning: the key keeps its value"),
];

#[test]
fn callout_vectors_have_the_reference_outcome() {
    compare(include_str!("../../vectors/callout.jsonl"), 140, &DIFFERENCES, |case| {
        let [version, name] = ["version", "name"].map(|key| case[key].as_str().expect("a text"));
        (format!("{version}/{name}"), rough_difference(&expected(case), &run(case)))
    });
}

/// The calls and their events, in the shape that is compared.
fn expected(case: &Value) -> Value {
    // The events of a value that contains itself cannot be written, and are missing.
    let list = |of: &str| case["expected"][of].as_array().into_iter().flatten();
    let calls: Vec<Value> = list("chunks").filter(|chunk| chunk["type"] == "tool").map(call).collect();
    let events: Vec<Value> = list("events").filter_map(event).collect();
    json!({ "calls": calls, "events": events })
}

fn call(chunk: &Value) -> Value {
    let mut call = Map::new();
    for key in ["toolCallId", "toolName", "state", "errorText", "output"] {
        if let Some(value) = chunk.get(key) {
            call.insert(key.into(), value.clone());
        }
    }
    let input = chunk.get("input").filter(|input| !input.is_null()).cloned();
    call.insert("input".into(), input.unwrap_or_else(|| json!({})));
    Value::Object(call)
}

/// An event about a call, in the terms of the versions before the last one.
fn event(event: &Value) -> Option<Value> {
    let id = event.get("toolCallId")?;
    Some(match event["type"].as_str()? {
        "tool-call" => {
            let input = event["input"].as_str().expect("a text");
            let input = serde_json::from_str(input).unwrap_or_else(|_| Value::String(input.into()));
            json!({ "type": "tool-input-available", "toolCallId": id, "toolName": event["toolName"], "input": input })
        }
        "tool-result" if event["isError"] == true => {
            json!({ "type": "tool-output-error", "toolCallId": id, "errorText": event["result"] })
        }
        "tool-result" => json!({ "type": "tool-output-available", "toolCallId": id, "output": event["result"] }),
        _ => event.clone(),
    })
}

/// Our outcome in the same shape, without calls that the runtime rejects.
fn run(case: &Value) -> Value {
    let input = case["input"].as_str().expect("each case has an input");
    let dialect = if case["version"] == "v2" { "callout" } else { "tool-fence" };
    let options = Options { only: vec![transcope::dialect::named(dialect).expect("a dialect")], ..Options::default() };
    let session = Session::read(input.as_bytes(), &options);
    let text = session.text();
    let mut calls = Vec::new();
    let mut rejected = Vec::new();
    for number in session.document().calls() {
        let found = session.document().call(number).expect("it is a call");
        let assembly = session.dissect(number).expect("a call can be taken apart");
        if assembly.error.is_some() {
            rejected.push(Value::String(found.id(text)));
            continue;
        }
        let outcome = assembly.outcome.map(|outcome| *outcome).unwrap_or_default();
        let mut call = json!({
            "toolCallId": found.id(text),
            "toolName": found.name(text),
            "input": to_json(&assembly.tree, text),
        });
        for (key, value) in [
            ("state", outcome.state.map(Value::String)),
            ("errorText", outcome.error_text.map(Value::String)),
            ("output", outcome.output.map(|tree| to_json(&tree, text))),
        ] {
            if let Some(value) = value {
                call[key] = value;
            }
        }
        calls.push(call);
    }
    let mut out = Vec::new();
    EventWriter::default().advance(&mut out, &session).expect("memory can be written");
    let events: Vec<Value> = String::from_utf8(out)
        .expect("events are text")
        .lines()
        .map(|line| serde_json::from_str(line).expect("each line is JSON"))
        .filter(|event: &Value| event.get("toolCallId").is_some_and(|id| !rejected.contains(id)))
        .collect();
    json!({ "calls": calls, "events": events })
}

#[test]
fn bodies_are_read_as_yaml_1_2() {
    compare(include_str!("../../vectors/callout-yaml.jsonl"), 60, &YAML_DIFFERENCES, |case| {
        let body = case["yaml"].as_str().expect("each case has a body");
        let expected = &case["yaml_2_9_0"];
        let mut text = Text::default();
        text.push(body.as_bytes());
        let outcome = yaml::parse(body.as_bytes(), 0, Library::Yaml);
        let found = to_json(&outcome.branch(ROOT).tree, &text);
        let same = match (&outcome.error, expected.get("ok")) {
            (None, Some(Value::Null)) if outcome.is_empty => true,
            (None, Some(ok)) => alike(ok, &found),
            (Some(_), None) => true,
            _ => false,
        };
        (body.to_owned(), (!same).then(|| format!("expected {expected}, found {:?} {found}", outcome.error)))
    });
}
