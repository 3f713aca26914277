//! Texts that models of many families write, and the calls that all tested runtimes of the dialect deliver.
//!
//! A file below `tests/vectors/wild` has the name of its dialect, and a text on each line; `schema` maps tools to the
//! schemas of their parameters, for one line or, on a separate first line, for all lines without one. Files of dialects
//! that are not in the registry are skipped. Independent of where the runtimes disagree.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use transcope::container::Container;
use transcope::dialect::{DialectInfo, Options, named};
use transcope::document::Item;
use transcope::session::Session;
use transcope::value::schema::Schemas;
use transcope::value::tree_json::to_json;

use super::vectors::alike;

/// Least percentage of texts of a dialect that are read like their runtimes read them.
const LEAST: usize = 98;

/// Texts on which the tested runtimes agree because of a rule of theirs that is not part of the syntax: here they are
/// read as written.
const RULES_OF_RUNTIMES: [(&str, &str, &str); 5] = [
    ("beam", "crlf", "a carriage return in front of a line feed makes a parameter vanish"),
    ("iquest-q1", "no-schema-for-args", "what the schema does not name is read as JSON"),
    ("kimi-k3", "two-with-prose-between", "what follows the first section is text"),
    ("kimi-k3", "whole-call-in-a-value", "a value with a whole call in it is dropped"),
    ("ling3", "unknown-then-known", "a call of a tool that the request does not have is dropped"),
];

/// Fewest files.
const FILES: usize = 60;

#[test]
#[expect(clippy::print_stdout, reason = "how far each dialect is, for `cargo test -- --nocapture`")]
fn each_dialect_reads_what_all_of_its_runtimes_read() {
    let mut table = vec![format!("{:20} {:>4} {:>4}", "dialect", "read", "of")];
    let (mut faults, mut low, mut skipped) = (Vec::new(), Vec::new(), Vec::new());
    let files = files();
    assert!(files.len() >= FILES, "only {} files", files.len());
    for path in &files {
        let name = path.file_stem().expect("a file has a name").to_string_lossy();
        let lines = fs::read_to_string(path).expect("a file can be read");
        let Some(dialect) = named(&name) else {
            skipped.push(name.into_owned());
            continue;
        };
        let (read, of) = check(dialect, &lines, &mut faults);
        table.push(format!("{name:20} {read:4} {of:4}"));
        if of == 0 || read * 100 < of * LEAST {
            low.push(name.into_owned());
        }
    }
    table.push(format!("{} files are of dialects that are not in the registry: {}", skipped.len(), skipped.join(", ")));
    println!("{}\n{}", table.join("\n"), faults.join("\n"));
    assert!(low.is_empty(), "less than {LEAST} % are read of {}:\n{}", low.join(", "), faults.join("\n"));
    assert!(skipped.len() < files.len(), "no file is of a dialect in the registry");
}

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors/wild");
    let entries = fs::read_dir(folder).expect("the folder exists");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("readable").path()).collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "jsonl"));
    files.sort();
    files
}

/// Number of texts that are read correctly, and of all texts; reports the others in `faults`.
fn check(dialect: &'static DialectInfo, lines: &str, faults: &mut Vec<String>) -> (usize, usize) {
    let (mut read, mut of, mut common) = (0, 0, Value::Null);
    for line in lines.lines() {
        let line: Value = serde_json::from_str(line).expect("each line is a JSON object");
        let Some(text) = line["text"].as_str() else {
            common = line["schema"].clone();
            continue;
        };
        let (expected, found) = (&line["calls"], calls(dialect, text, line.get("schema").unwrap_or(&common)));
        assert!(
            expected.as_array().is_some_and(|calls| !calls.is_empty()),
            "a text without calls shows nothing: {text}"
        );
        let is_rule = RULES_OF_RUNTIMES.iter().any(|(name, case, _)| *name == dialect.name && line["id"] == *case);
        if is_rule {
            assert!(!alike(expected, &found), "{} {}: no rule of its runtimes any more", dialect.name, line["id"]);
            continue;
        }
        of += 1;
        if alike(expected, &found) {
            read += 1;
        } else {
            let id = &line["id"];
            faults
                .push(format!("{} {id}\n  text     {text:?}\n  expected {expected}\n  found    {found}", dialect.name));
        }
    }
    (read, of)
}

/// The names and arguments of the calls of a text, as the dialect's runtime delivers them with this schema, if any.
fn calls(dialect: &'static DialectInfo, text: &str, schema: &Value) -> Value {
    let schemas = schema.is_object().then(|| {
        let schemas = Schemas::parse("tools.json", schema.to_string().as_bytes());
        schemas.expect("the schemas are fine").into()
    });
    let mut session = Session::new(Container::plain(), &Options { only: vec![dialect], schemas, ..Options::default() });
    session.push(text.as_bytes());
    session.finish();
    let items = session.document().items().iter().enumerate();
    let calls = items.filter_map(|(number, item)| {
        let Item::Call(call) = item else { return None };
        let tree = session.dissect(number).expect("a call can be taken apart").tree;
        Some(json!({ "name": call.name(session.text()), "arguments": to_json(&tree, session.text()) }))
    });
    Value::Array(calls.collect())
}
