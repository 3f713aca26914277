//! Texts that are cut, doubled and mixed at random, as every parser of their dialect reads them.
//!
//! What a parser makes of them is not known. That nothing breaks is, and that what is said of a text lies in it.

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use serde_json::Value;
use transcope::runtime::{Reason, RuntimeReading, ToolRequest, catalog, read, read_streamed};

/// Texts with the dialect and the tools that they were recorded with.
fn recorded() -> Vec<(String, String, ToolRequest)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors/runtimes");
    let mut out = Vec::new();
    for entry in fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("readable").path();
        let dialect = path.file_stem().expect("a file has a name").to_string_lossy().into_owned();
        let mut usual = None;
        for line in fs::read_to_string(&path).expect("a file can be read").lines() {
            let line: Value = serde_json::from_str(line).expect("a line is JSON");
            let tools = line.get("tools").cloned();
            let Some(text) = line.get("text").and_then(Value::as_str) else {
                usual = tools;
                continue;
            };
            let tools = tools.or_else(|| usual.clone());
            let request = ToolRequest::from_tools(tools.as_ref().and_then(Value::as_array).map(Vec::as_slice));
            out.push((dialect.clone(), text.to_owned(), request));
        }
    }
    assert!(out.len() > 1000, "only {} texts", out.len());
    out
}

/// What is done to a text: the text from one place to another is left out, doubled, or put at a third one.
fn altered(text: &str, [from, to, at]: [prop::sample::Index; 3], how: u8) -> String {
    let places: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    let [from, to, at] = [from, to, at].map(|index| places[index.index(places.len())]);
    let (from, to) = (from.min(to), from.max(to));
    let piece = &text[from..to];
    match how {
        0 => text[..from].to_owned(),
        1 => format!("{}{}", &text[..from], &text[to..]),
        2 => format!("{}{piece}{}", &text[..to], &text[to..]),
        3 => format!("{}{piece}{}", &text[..at], &text[at..]),
        _ => format!("{}\u{1F600}\r\n\0{}", &text[..at], &text[at..]),
    }
}

/// Whether everything that is said of a text lies in it, in order.
fn holds(text: &str, reading: &RuntimeReading) -> bool {
    let lies = |start: usize, end: usize| text.get(start..end).is_some();
    let in_order = reading.parts.windows(2).all(|pair| pair[0].span.start <= pair[1].span.start);
    in_order
        && reading.parts.iter().all(|part| lies(part.span.start, part.span.end))
        && reading.reasons.iter().all(|Reason { span, .. }| lies(span.start, span.end))
        && reading.call_places(text).iter().all(|places| lies(places.call.start, places.call.end))
}

proptest! {
    #[test]
    fn whatever_is_said_of_a_text_lies_in_it(
        alterations in prop::collection::vec((any::<[prop::sample::Index; 3]>(), 0..5u8), 1..3),
        sample in any::<prop::sample::Index>(),
    ) {
        let recorded = recorded();
        // Sixty-one is prime to the number of texts of a file, so that all dialects come.
        let first = sample.index(61);
        for (dialect, text, request) in recorded.iter().skip(first).step_by(61) {
            let text = alterations.iter().fold(text.clone(), |text, (places, how)| altered(&text, *places, *how));
            for profile in catalog::of_dialect(dialect) {
                let whole = read(profile, &text, request);
                prop_assert!(holds(&text, &whole), "{}:{} {text:?} {whole:#?}", profile.runtime, profile.parsers[0]);
                if let Some(pieces) = read_streamed(profile, &text, request) {
                    prop_assert!(holds(&text, &pieces), "{}:{} {text:?}", profile.runtime, profile.parsers[0]);
                }
            }
        }
    }
}
