//! Every key and value that a runtime delivers for the recorded texts has distinct bytes, which contain it.

use std::collections::{BTreeSet, HashSet};

use serde_json::Value as Json;
use transcope::runtime::{catalog, read};
use transcope::text::entity;
use transcope::value::place::{SourcePlace, SourceText};
use transcope::value::plain::PlainValue;
use transcope::value::python::literal_eval;

use crate::recorded::{self, RecordedText};

/// Keys that parsers make up: the one for `**{…}` in Python, and those for arguments that are unreadable or no object.
const MADE_UP: [&str; 3] = ["null", "raw", "value"];

/// Values produced by a parser's cast, which differ from their bytes.
const CAST: &[(&str, &str)] = &[
    ("1e400", "\"Infinity\""),
    // Any text of a nullable type is null.
    ("1", "null"),
    ("250", "null"),
    // Python's `str` of a JSON value.
    ("true", "\"True\""),
    ("null", "\"None\""),
    // A boolean is false unless it is written as true.
    ("fal", "false"),
    ("true", "false"),
];

#[derive(Default)]
struct Places {
    keys: usize,
    values: usize,
    faults: BTreeSet<String>,
}

#[test]
fn delivered_keys_and_values_have_bytes_that_say_them() {
    let mut places = Places::default();
    for (RecordedText { dialect, text, request }, _) in &recorded::texts() {
        let mut seen = HashSet::new();
        for parser in catalog::named(dialect, &[]) {
            if !seen.insert(std::ptr::from_ref(parser.profile)) {
                continue;
            }
            let name = parser.name();
            for call in &read(parser.profile, text, request).outcome.calls {
                call.arguments.walk(&mut |path, member, placed| {
                    if let Some(member) = member {
                        places.keys += 1;
                        let key = PlainValue::Text(member.key.clone());
                        if member.key_place != SourcePlace::MadeUp || !MADE_UP.contains(&member.key.as_str()) {
                            places.look(&format!("{name} key {path}"), text, &member.key_place, &key);
                        }
                    }
                    if !matches!(placed.value, PlainValue::List(_) | PlainValue::Object(_)) {
                        places.values += 1;
                        places.look(&format!("{name} {path}"), text, &placed.place, &placed.value);
                    }
                });
            }
        }
    }
    let Places { keys, values, faults } = places;
    assert!(keys > 25_000 && values > 23_000, "only {keys} keys and {values} values");
    let faults: Vec<String> = faults.into_iter().collect();
    assert!(faults.is_empty(), "{} bytes say something else:\n{}", faults.len(), faults.join("\n"));
}

impl Places {
    fn look(&mut self, whose: &str, text: &str, place: &SourcePlace, value: &PlainValue) {
        let spans = match place {
            SourcePlace::MadeUp => Vec::new(),
            SourcePlace::At(span) => vec![*span],
            SourcePlace::Parts(spans) => spans.clone(),
        };
        let tokens: Vec<&str> = spans.iter().map(|span| &text[span.start..span.end]).collect();
        if tokens.is_empty() || !(says(&tokens, value) || is_cast(&tokens, value)) {
            self.faults.insert(format!("{whose}: {tokens:?} becomes {}", value.dumps()));
        }
    }
}

fn is_cast(tokens: &[&str], value: &PlainValue) -> bool {
    CAST.iter().any(|(token, cast)| tokens == [*token] && value.dumps() == *cast)
}

/// True if tokens are this value, read as JSON or Python, or verbatim.
fn says(tokens: &[&str], value: &PlainValue) -> bool {
    let joined = tokens.concat();
    match value {
        PlainValue::Text(text) => {
            let parts: Option<String> = tokens.iter().map(|token| string(token)).collect();
            let own = [Some(joined.clone()), parts, Some(entity::decode(&joined)), marked(&joined)];
            own.into_iter().flatten().any(|own| own.trim() == text.trim())
                || inner(&joined).is_some_and(|token| token != joined && says(&[&token], value))
        }
        PlainValue::Int(_) | PlainValue::Float(_) => {
            let number = joined.trim_matches(['"', '\'', '<', '|', '>']).parse::<f64>();
            number.is_ok_and(|number| value.to_json().and_then(|value| value.as_f64()) == Some(number))
                || python(&joined).as_ref() == Some(value)
        }
        plain => {
            let word = marked(&joined).or_else(|| string(&joined)).unwrap_or(joined).to_lowercase();
            let names = match plain {
                PlainValue::Bool(true) => ["true", "1", "yes", "on"].as_slice(),
                PlainValue::Bool(false) => &["false", "0", "no", "off"],
                _ => &["null", "none", "nil", ""],
            };
            names.contains(&word.trim())
        }
    }
}

fn python(token: &str) -> Option<PlainValue> {
    literal_eval::read_all(SourceText::whole(token)).map(|found| found.value)
}

/// The text of a JSON or Python string; a truncated one has no closing quotation mark.
fn string(token: &str) -> Option<String> {
    if let Ok(text) = serde_json::from_str::<String>(token) {
        return Some(text);
    }
    match python(token) {
        Some(PlainValue::Text(text)) => Some(text),
        _ => serde_json::from_str(&format!("{token}\"")).ok(),
    }
}

/// The text between Gemma's quotes, the last of which may be cut off, or between single quotes without escapes.
fn marked(token: &str) -> Option<String> {
    let inner = token.strip_prefix("<|\"|>").map(|rest| rest.strip_suffix("<|\"|>").unwrap_or(rest));
    let inner = inner.or_else(|| token.strip_prefix('\'')?.strip_suffix('\''));
    inner.map(str::to_owned)
}

/// A JSON token within a JSON string, without the escapes of the outer string.
fn inner(token: &str) -> Option<String> {
    let text: Json = serde_json::from_str(&format!("\"{token}\"")).ok()?;
    text.as_str().map(str::to_owned)
}
