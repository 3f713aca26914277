//! The reference implementation's outcome for each of its test vectors, compared with ours.
//!
//! Compared as the vectors require: parameters in any order, numbers by value, prose without whitespace-only parts.
//! Where the reference's outcome depends on how the text is cut, the outcome of feeding it byte by byte counts.

use serde_json::Value;
use transcope::container::Container;
use transcope::diagnostic::Code;
use transcope::dialect::Options;
use transcope::dialect::gadget::Markers;
use transcope::document::Item;
use transcope::session::Session;
use transcope::value::tree_json::to_json;

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

/// Start, end and argument marker, a text, and the bytes and the message of each warning about overlapping markers.
type OverlapRow = (&'static str, &'static str, &'static str, &'static str, &'static [(&'static str, &'static str)]);

const OVERLAPS: [OverlapRow; 9] = [
    (
        "!!!",
        "/!/",
        "!!!!",
        "!!!!Ping:p\n/!/\n",
        &[("!!!!", "the start marker !!! is taken; the argument marker !!!! matches here, too")],
    ),
    (
        "!!!",
        "/!/",
        "@",
        "!!!!Ping:p\n/!/\n",
        &[("!!!!", "the start marker !!! is taken; the start marker !!! matches within it")],
    ),
    (
        "<",
        "#",
        "##",
        "<G:i\n##a\n1\n#\n",
        &[("##", "the end marker # is taken; the argument marker ## matches here, too")],
    ),
    (
        "[[",
        "[[/]]",
        "@",
        "[[G:i\n@a\n1\n[[/]]\n",
        &[("[[/]]", "the end marker [[/]] is taken; the start marker [[ matches here, too")],
    ),
    (
        "<call>",
        "<end>",
        "@@",
        "<call>G:i\n@@@a\n1\n<end>\n",
        &[("@@@", "the argument marker @@ is taken; the argument marker @@ matches within it")],
    ),
    ("!!!!", "/!/", "!!!", "!!!!G:i\n!!!a\n1\n/!/\n", &[]),
    ("##TOOL:", "#/", "#", "##TOOL:G:i\n#a\n1\n#/\n", &[]),
    ("!!!GADGET_START:", "!!!GADGET_END", "!!!ARG:", "!!!GADGET_START:G:i\n!!!ARG:a\n!\n!!!GADGET_END\n", &[]),
    (
        "===START:",
        "===END",
        "===ARG:",
        "======START:G:i\n===ARG:a\nx==\n====END\n",
        &[
            ("======START:", "the start marker ===START: is taken, and the === before it is prose"),
            ("====END", "the end marker ===END is taken, and the = before it is part of the value"),
        ],
    ),
];

#[test]
fn overlapping_markers_are_reported_with_the_one_that_is_taken() {
    for (start, end, argument, input, expected) in OVERLAPS {
        let markers = Markers::custom(Some(start), Some(end), Some(argument)).expect("the markers are fine");
        let options = Options { markers, ..Options::default() };
        for pieces in [input.len(), 1] {
            let mut session = Session::new(Container::plain(), &options);
            input.as_bytes().chunks(pieces).for_each(|piece| _ = session.push(piece));
            session.finish();
            let problems = session.document().diagnostics();
            let overlaps = problems.iter().filter(|problem| problem.code == Code::OverlappingMarkers);
            let found: Vec<(&str, String)> = overlaps
                .map(|problem| {
                    (&input[problem.span.start..problem.span.end], problem.message.replace("markers overlap: ", ""))
                })
                .collect();
            let expected: Vec<(&str, String)> = expected.iter().map(|&(span, text)| (span, text.to_owned())).collect();
            assert_eq!(found, expected, "{input:?} with {start:?}, {end:?} and {argument:?}");
        }
    }
}
