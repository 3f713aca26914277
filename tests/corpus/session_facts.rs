//! Facts about sessions, compared with figures counted by hand: turns, requests and their tokens, durations,
//! compactions, sub-agents, and the session's title.
//!
//! `tests/data/facts/CONTAINER.yaml` has the rows, by the names of files in `samples/containers`. A key that a row
//! lacks is not compared; a value `null` means that the output must not have the key.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use transcope::dialect::Options;
use transcope::export::json;
use transcope::session::Session;

/// Members of `expected` that differ in `found`, as `path: expected, found`.
fn differences(path: &str, expected: &Value, found: Option<&Value>, out: &mut Vec<String>) {
    match (expected, found) {
        (Value::Null, None | Some(Value::Null)) => {}
        (Value::Object(members), Some(found @ Value::Object(_))) => {
            for (key, value) in members {
                differences(&format!("{path}.{key}"), value, found.get(key), out);
            }
        }
        (Value::Array(elements), Some(Value::Array(known))) => {
            if elements.len() != known.len() {
                out.push(format!("{path}: {} elements, found {}", elements.len(), known.len()));
            }
            for (number, (value, found)) in elements.iter().zip(known).enumerate() {
                differences(&format!("{path}[{number}]"), value, Some(found), out);
            }
        }
        (expected, Some(found)) if same(expected, found) => {}
        (expected, found) => {
            out.push(format!("{path}: {expected}, found {}", found.map_or("nothing".into(), Value::to_string)));
        }
    }
}

/// Equal, or numbers that differ by less than a millionth.
fn same(expected: &Value, found: &Value) -> bool {
    let close = || Some((expected.as_f64()? - found.as_f64()?).abs() < 1e-6);
    expected == found || close() == Some(true)
}

/// The facts found in a file of `samples/containers`.
fn found_in(path: &Path) -> Value {
    let bytes = fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let session = Session::read(&bytes, &Options::default());
    let mut output = Vec::new();
    json::write_transcript(&mut output, &session, "a sample", None, None).expect("a vector takes everything");
    serde_json::from_slice(&output).expect("the output is JSON")
}

/// Containers with a sample that has token counts.
const COUNTED: [&str; 36] = [
    "adk",
    "ai-sdk",
    "ai-sdk-stream",
    "aider",
    "anthropic",
    "anthropic-stream",
    "atif",
    "bedrock",
    "claude-code",
    "cline",
    "cline-ui",
    "codex",
    "copilot-cli",
    "gemini",
    "gemini-cli",
    "gemini-stream",
    "har",
    "inspect",
    "kimi",
    "kimi-code",
    "langchain",
    "langfuse",
    "ollama",
    "openai-chat",
    "openai-chat-stream",
    "openai-responses",
    "openai-responses-stream",
    "opencode",
    "opencode-storage",
    "openhands",
    "otel",
    "pi",
    "qwen-code",
    "swe-agent",
    "vcr-cassette",
    "vscode-chat",
];

/// Containers whose samples have no times.
const UNDATED: [&str; 11] = [
    "ai-sdk",
    "ai-sdk-stream",
    "anthropic",
    "anthropic-stream",
    "cursor-agent",
    "gemini",
    "gemini-stream",
    "grok-cli",
    "kimi",
    "llmist-request",
    "sharegpt",
];

#[test]
fn dated_sessions_begin_and_end_and_counted_ones_have_their_tokens() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/containers");
    let names = |folder: &Path| -> BTreeSet<PathBuf> {
        let entries = fs::read_dir(folder).expect("the samples are there");
        entries.map(|entry| entry.expect("the folder can be read").path()).collect()
    };
    let (mut wrong, mut undated, mut counted) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
    for folder in names(&root) {
        let container = folder.file_name().and_then(|name| name.to_str()).expect("a plain name").to_owned();
        undated.insert(container.clone());
        for path in names(&folder) {
            let found = found_in(&path);
            let session = &found["session"];
            let is_dated = session["start"].is_string() && session["end"].is_string();
            let has_times = |list: &str, key: &str| {
                found[list].as_array().into_iter().flatten().any(|element| element[key].is_string())
            };
            if !is_dated && (has_times("messages", "time") || has_times("requests", "end")) {
                wrong.push(format!("{}: no beginning or end", path.display()));
            }
            if is_dated {
                undated.remove(&container);
            }
            if session["usage"]["total"].is_number() {
                counted.insert(container.clone());
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    undated.remove("plain");
    assert_eq!(undated.iter().map(String::as_str).collect::<Vec<_>>(), UNDATED);
    assert_eq!(counted.iter().map(String::as_str).collect::<Vec<_>>(), COUNTED);
}

#[test]
fn facts_about_sessions_are_those_counted_by_hand() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut wrong = Vec::new();
    let mut rows = 0;
    let tables = fs::read_dir(root.join("tests/data/facts")).expect("the tables are there");
    for table in tables.map(|entry| entry.expect("the folder can be read").path()) {
        let container = table.file_stem().and_then(|stem| stem.to_str()).expect("a table is called as its container");
        let text = fs::read_to_string(&table).expect("the table can be read");
        let files: Value = serde_yaml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", table.display()));
        for (name, expected) in files.as_object().expect("a table has rows by the names of files") {
            let path = root.join("samples/containers").join(container).join(name);
            let found = found_in(&path);
            differences(&format!("{container}/{name} "), expected, Some(&found), &mut wrong);
            rows += 1;
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(rows > 0);
}
