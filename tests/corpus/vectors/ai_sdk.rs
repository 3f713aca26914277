//! The AI SDK's outcomes for streams of events, compared with ours.
//!
//! The events that were read, the texts, and the calls with their input and result are compared, each in its place.
//! Other data of a message (metadata, steps, sources, titles) is not part of a transcript. If the reference stops with
//! an error, there is a problem of severity error at the same event.

use serde_json::{Map, Value, json};
use transcope::container::{
    Batch, CallOutcome, Container, ContainerEvent, Interpretation, MessagePart, ToolResult, read,
};
use transcope::diagnostic::Severity;
use transcope::session::Session;
use transcope::value::tree_json::to_json;

use super::{compare, difference};

#[test]
fn streams_have_the_reference_outcome() {
    compare(include_str!("../../vectors/ai-sdk-stream.jsonl"), 30, &[], |case| {
        let found = run(case["input"].as_str().expect("an input"));
        (case["name"].as_str().expect("a name").to_owned(), difference(&expected(&case["expected"]), &found))
    });
}

/// The reference's outcome in the shape that is compared.
fn expected(outcome: &Value) -> Value {
    let message = &outcome["message"];
    let parts = message["parts"].as_array().expect("a message has parts");
    let parts: Vec<Value> = parts.iter().filter_map(part).collect();
    let id = message["id"].as_str().filter(|id| !id.is_empty());
    json!({ "chunks": outcome["chunks"], "id": id, "parts": parts, "error": outcome.get("error").is_some() })
}

/// Generated streams: withdrawn steps, preliminary outputs and outputs without a call, approvals, errors. A repeated
/// call keeps its first place in a message, but has its last place in a transcript, so calls are compared separately
/// from texts.
#[test]
fn generated_streams_have_the_reference_outcome() {
    compare(include_str!("../../vectors/ai-sdk-generated.jsonl"), 1, &[], |case| {
        let input = case["input"].as_str().expect("an input");
        let [expected, found] = [expected(&case["expected"]), run(input)].map(|mut outcome| {
            outcome["chunks"] = Value::Null;
            let parts = outcome["parts"].as_array_mut().expect("parts");
            parts.sort_by_key(|part| part["toolCallId"].as_str().map(str::to_owned));
            outcome
        });
        (input.to_owned(), difference(&expected, &found))
    });
}

/// The deltas are truncated, or disagree with the input: the whole input counts, and faults of the deltas are not
/// faults of the call.
#[test]
fn the_input_counts_that_is_given_as_a_whole() {
    let event = |event: Value| format!("data: {event}\n\n");
    for (delta, code) in [("{\"city\": \"Lisbo", Some("stream-mismatch")), ("{\"days\": 3}", None)] {
        let stream = [
            event(json!({"type": "start"})),
            event(json!({"type": "tool-input-start", "toolCallId": "c0", "toolName": "f"})),
            event(json!({"type": "tool-input-delta", "toolCallId": "c0", "inputTextDelta": delta})),
            event(json!({"type": "tool-input-available", "toolCallId": "c0", "toolName": "f", "input": {"days": 3}})),
            event(json!({"type": "tool-output-available", "toolCallId": "c0", "output": 1})),
            event(json!({"type": "finish"})),
        ];
        let session = Session::from_bytes(stream.concat().as_bytes());
        let document = session.document();
        let codes: Vec<&str> = document.sorted_diagnostics().map(|problem| problem.code.name()).collect();
        assert_eq!(codes, code.into_iter().collect::<Vec<_>>(), "{delta}");
        let item = document.calls().find(|&item| !document.is_withdrawn(item)).expect("one call counts");
        let assembly = session.dissect(item).expect("it is a call");
        assert_eq!(to_json(&assembly.tree, session.text()), json!({"days": 3}));
        assert!(document.answer_of(item).is_some(), "it is answered");
        assert_eq!(document.calls_that_count(), 1);
    }
}

fn part(part: &Value) -> Option<Value> {
    let kind = part["type"].as_str().expect("a part has a type");
    if kind == "text" {
        // An empty text is ignored.
        return part["text"].as_str().filter(|text| !text.is_empty()).map(|text| json!({ "text": text }));
    }
    let name = kind.strip_prefix("tool-").or_else(|| part["toolName"].as_str())?;
    let mut call = Map::new();
    call.insert("name".into(), name.into());
    for key in ["toolCallId", "input", "output", "errorText"] {
        if let Some(value) = part.get(key) {
            call.insert(key.into(), value.clone());
        }
    }
    call.insert("denied".into(), (part["state"] == "output-denied").into());
    Some(Value::Object(call))
}

/// Our outcome in the same shape.
fn run(input: &str) -> Value {
    let (batch, reader) = read(Container::default(), input.as_bytes());
    assert_eq!(reader.choice().expect("it is something").about.name, "ai-sdk-stream", "{input}");
    let mut chunks = Vec::new();
    let mut id = None;
    let mut parts: Vec<(usize, Value)> = Vec::new();
    let mut open: Option<(&MessagePart, usize)> = None;
    let mut error = false;
    let mut replaced = Vec::new();
    for event in &batch.events {
        match event {
            ContainerEvent::Record { source, .. } if !error && !source.is_empty() => {
                // In the file, each line of multi-line data begins with the field name.
                let chunk = input[source.start..source.end].replace("\ndata: ", "\n");
                // Half a surrogate pair is valid JSON too, but cannot be read into a value here.
                let half = |error| if chunk.contains("\\ud") { Value::Null } else { panic!("{error}: {chunk}") };
                chunks.push(serde_json::from_str(&chunk).unwrap_or_else(half));
            }
            ContainerEvent::Message(message) => id = message.id.clone().or(id),
            ContainerEvent::Begin { part: piece, start } => open = Some((piece, *start)),
            ContainerEvent::End { end } => {
                let (piece, start) = open.take().expect("a piece was begun");
                if !replaced.contains(&start) {
                    said(piece, start, &batch.text[start..*end], &mut parts, error);
                }
            }
            ContainerEvent::Withdrawn(span) => parts.retain(|(start, _)| !span.contains(*start)),
            ContainerEvent::Replaced { start, is_result: false, .. } => {
                // It may still be open.
                replaced.push(*start);
                parts.retain(|(known, _)| known != start);
            }
            ContainerEvent::Problem { diagnostic, .. } if diagnostic.severity == Severity::Error => {
                // The reader has not read the event that it stops at, unless it is a delta.
                if !error && diagnostic.code.name() == "unknown-record" {
                    chunks.pop();
                }
                error = true;
            }
            _ => {}
        }
    }
    let parts: Vec<Value> = parts.into_iter().map(|(_, part)| part).collect();
    json!({ "chunks": Value::Array(chunks), "id": id, "parts": parts, "error": error })
}

fn said(piece: &MessagePart, start: usize, bytes: &[u8], parts: &mut Vec<(usize, Value)>, error: bool) {
    let text = String::from_utf8_lossy(bytes);
    match piece {
        // Events after the error, which the reader does not see.
        _ if error => {}
        MessagePart::Text(Interpretation::Parsed) if !text.is_empty() => parts.push((start, json!({ "text": text }))),
        MessagePart::Call { .. } => {
            // A call whose input is still arriving has the part that has arrived.
            let call: Value = serde_json::from_str(&text)
                .or_else(|_| serde_json::from_str(&format!("{text}\"}}")))
                .expect("a call is JSON");
            let mut part = json!({ "name": call["toolName"], "toolCallId": call["toolCallId"], "denied": false });
            if let Some(input) = call.get("input") {
                part["input"] = input.clone();
            }
            parts.push((start, part));
        }
        MessagePart::Result(ToolResult { call, outcome: verdict }) => {
            let id = call.as_deref();
            let part = parts.iter_mut().rev().find(|(_, part)| part["toolCallId"].as_str() == id && id.is_some());
            // The call that it belongs to may have been repeated by now.
            let Some((_, part)) = part else { return };
            part["denied"] = (*verdict == CallOutcome::Denied).into();
            match verdict {
                CallOutcome::Failed => {
                    if let Some(part) = part.as_object_mut() {
                        part.remove("output");
                    }
                    part["errorText"] = text.into();
                }
                CallOutcome::Denied => {}
                CallOutcome::Succeeded | CallOutcome::Unknown => {
                    if let Some(part) = part.as_object_mut() {
                        part.remove("errorText");
                    }
                    part["output"] = serde_json::from_str(&text).unwrap_or_else(|_| text.into());
                }
            }
        }
        _ => {}
    }
}

#[test]
fn deltas_and_the_whole_make_the_same_call() {
    let deltas = concat!(
        "data: {\"type\":\"start\"}\n\n",
        "data: {\"type\":\"tool-input-start\",\"toolCallId\":\"c\",\"toolName\":\"f\"}\n\n",
        "data: {\"type\":\"tool-input-delta\",\"toolCallId\":\"c\",\"inputTextDelta\":\"{\\\"a\\\":\"}\n\n",
        "data: {\"type\":\"tool-input-delta\",\"toolCallId\":\"c\",\"inputTextDelta\":\"\\\"\\\\u00e9\\\"}\"}\n\n",
        "data: {\"type\":\"tool-input-available\",\"toolCallId\":\"c\",\"toolName\":\"f\",\"input\":{\"a\": \"é\"}}\n\n",
    );
    let whole = concat!(
        "data: {\"type\":\"start\"}\n\n",
        "data: {\"type\":\"tool-input-available\",\"toolCallId\":\"c\",\"toolName\":\"f\",\"input\":{\"a\": \"é\"}}\n\n",
    );
    let call = |text: &str| {
        let Batch { text, events } = read(Container::default(), text.as_bytes()).0;
        let problems = events.iter().filter(|event| matches!(event, ContainerEvent::Problem { .. })).count();
        (serde_json::from_slice::<Value>(&text).expect("the call is all of the text"), problems)
    };
    assert_eq!(call(deltas), call(whole));
    assert_eq!(call(whole).1, 0);
}
