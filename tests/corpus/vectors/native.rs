//! The reference implementation's outcome for its vectors of native calls, compared with ours.
//!
//! No outcome differs deliberately. A response in the vectors is the provider's content blocks, which are the
//! container's concern; here the blocks are JSON in a text, so only the calls are compared.

use serde_json::{Value, json};
use transcope::session::Session;
use transcope::value::tree_json::to_json;

use super::{compare, difference};

#[test]
fn native_vectors_have_the_reference_outcome() {
    compare(include_str!("../../vectors/native.jsonl"), 2, &[], |case| {
        let input = case["input"].as_str().expect("each case has an input");
        (case["name"].to_string(), difference(&case["expected"]["calls"], &calls(input)))
    });
}

/// The calls of the `native` dialect, in the reference's shape.
fn calls(input: &str) -> Value {
    let session = Session::from_bytes(input.as_bytes());
    let text = session.text();
    let items = session.document().items().iter().enumerate();
    let calls = items.filter_map(|(number, item)| {
        let call = item.call().filter(|call| call.dialect == "native")?;
        let assembly = session.dissect(number).expect("a call can be taken apart");
        Some(json!({ "id": call.id(text), "name": call.name(text), "input": to_json(&assembly.tree, text) }))
    });
    Value::Array(calls.collect())
}

/// However a text is cut off, the arguments of its calls are the beginning of the complete ones.
#[test]
fn a_call_that_is_cut_off_anywhere_keeps_what_has_arrived() {
    let input = r#"{"type": "tool_use", "id": "toolu_1", "name": "write", "input": {"path": "a.md", "lines": [1, 2], "deep": {"k": ["x", {"y": null}]}}}"#;
    let opened = input.find("\"write\"").expect("the name is there") + "\"write\"".len();
    for end in opened..=input.len() {
        let session = Session::from_bytes(&input.as_bytes()[..end]);
        let call = session.document().call(0).expect("the call is open");
        assert_eq!((call.name(session.text()).as_str(), call.id(session.text()).as_str()), ("write", "toolu_1"));
        assert_eq!(call.failed, end < input.len(), "{end}");
        let tree = to_json(&session.dissect(0).expect("a call can be taken apart").tree, session.text());
        if end > input.find(", \"deep\"").expect("it is there") {
            assert_eq!((&tree["path"], &tree["lines"]), (&json!("a.md"), &json!([1, 2])), "{end}");
        }
    }
}

/// A call is open, with the arguments that have arrived, long before its end.
#[test]
fn a_call_that_is_still_arriving_shows_what_has_arrived() {
    let mut session = Session::new(transcope::container::Container::default(), &transcope::dialect::Options::default());
    session.push(b"Writing.\n");
    session.push(br#"{"type": "tool_use", "id": "toolu_1", "name": "write", "input": {"path": "a.md", "text": "One"#);
    let call = session.document().call(1).expect("the call is open");
    assert_eq!(call.status, transcope::dialect::Status::Open);
    let assembly = session.dissect(1).expect("a call can be taken apart");
    assert_eq!(assembly.error, None);
    assert_eq!(to_json(&assembly.tree, session.text()), json!({ "path": "a.md", "text": "One" }));
}
