//! Recorded texts of `tests/vectors/runtimes`, each with the tools of its request.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use transcope::runtime::ToolRequest;
use transcope::value::tools::ToolSet;

/// A text that was given to the parsers of a dialect.
pub struct RecordedText {
    pub dialect: String,
    pub text: String,
    pub request: ToolRequest,
}

/// The files, one for each dialect.
fn files() -> Vec<PathBuf> {
    let entries = fs::read_dir(vectors().join("runtimes")).expect("the folder is there");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("readable").path()).collect();
    files.sort();
    assert!(files.len() > 60, "only {} files", files.len());
    files
}

fn vectors() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors")
}

/// All texts, each with its line of the file. The first line of a file has the default tools of its texts; a name
/// refers to a list in `runtime-tools.json`.
pub fn texts() -> Vec<(RecordedText, Value)> {
    let lists = fs::read_to_string(vectors().join("runtime-tools.json")).expect("the tools are there");
    let lists: Value = serde_json::from_str(&lists).expect("the tools are JSON");
    let mut out = Vec::new();
    for path in files() {
        let dialect = path.file_stem().expect("a file has a name").to_string_lossy().into_owned();
        let mut usual = Value::Null;
        for line in fs::read_to_string(&path).expect("a file can be read").lines() {
            let mut line: Value = serde_json::from_str(line).expect("a line is JSON");
            let Some(text) = line.get("text").and_then(Value::as_str).map(str::to_owned) else {
                usual = line["tools"].take();
                continue;
            };
            let tools = line.get("tools").unwrap_or(&usual);
            let tools = tools.as_str().map_or(tools, |name| &lists[name]).as_array();
            let request = tools.map(|tools| ToolRequest::with(ToolSet::from_list(tools))).unwrap_or_default();
            out.push((RecordedText { dialect: dialect.clone(), text, request }, line));
        }
    }
    assert!(out.len() > 1000, "only {} texts", out.len());
    out
}
