//! A message as read by the runtime parser that the first line names: all spans are in the message, in order.

use std::sync::LazyLock;

use transcope::runtime::{Profile, RuntimeReading, ToolRequest, catalog, read, read_streamed};
use transcope::text::in_place;
use transcope::value::tools::ToolSet;

/// Longest message that is read, in bytes.
const LONGEST: usize = 4 * 1024;

/// Tools in the format of a request.
const TOOLS: &str = r#"{"get_weather": {"type": "object", "properties": {"city": {"type": "string"}, "days": {"type":
    "integer"}, "exact": {"type": ["boolean", "null"]}, "places": {"type": "array", "items": {"type": "number"}}}},
    "f": {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "object"}}}}"#;

/// All parsers with their profiles, and a request with tools and one without.
struct Known {
    parsers: Vec<(String, &'static Profile)>,
    requests: [ToolRequest; 2],
}

static KNOWN: LazyLock<Known> = LazyLock::new(|| {
    let name = |profile: &'static Profile| (format!("{}:{}", profile.runtime, profile.parsers[0]), profile);
    let tools = ToolSet::parse(TOOLS.as_bytes()).map(ToolRequest::with).expect("it is a file of schemas");
    Known { parsers: catalog::all().map(name).collect(), requests: [tools, ToolRequest::default()] }
});

/// Reads the message with the parser that its first line names.
pub fn check(bytes: &[u8]) {
    let Known { parsers, requests } = &*KNOWN;
    let (number, message) = super::choose(bytes, parsers.len(), |number| parsers[number].0.as_str());
    let profile = parsers[number].1;
    let text = in_place(&message[..message.len().min(LONGEST)]);
    for request in requests {
        holds(&text, &read(profile, &text, request));
        if let Some(streamed) = read_streamed(profile, &text, request) {
            holds(&text, &streamed);
        }
    }
}

/// Checks that all spans of a reading are in the text, in order.
pub fn holds(text: &str, reading: &RuntimeReading) {
    let lies = |start: usize, end: usize| text.get(start..end).is_some();
    assert!(reading.parts.windows(2).all(|pair| pair[0].span.start <= pair[1].span.start), "{reading:#?}");
    assert!(reading.parts.iter().all(|part| lies(part.span.start, part.span.end)), "{reading:#?}");
    assert!(reading.reasons.iter().all(|reason| lies(reason.span.start, reason.span.end)), "{reading:#?}");
    assert!(reading.call_places().iter().all(|places| lies(places.call.start, places.call.end)), "{reading:#?}");
}
