//! How many recorded outcomes of the runtimes' parsers the profiles reproduce.
//!
//! A file below `tests/vectors/runtimes` has the name of its dialect. Its first line has the tools of all texts that have
//! none of their own; every other line is a text, with who delivered what of it (`outcomes`) and what was seen beside that
//! when it came in pieces (`streamed`). All outcomes were obtained by running the parsers. The counts are written into
//! `src/runtime/conformance.tsv`, which the program shows.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use transcope::runtime::{ToolRequest, catalog, read};

use super::recorded::is_same;

/// Of a hundred outcomes of a parser of these dialects, so many at least are reproduced.
const LEAST: usize = 95;

/// Dialects that are in wide use.
const PRINCIPAL: [&str; 17] = [
    "deepseek-v3",
    "deepseek-v31",
    "deepseek-v32",
    "gemma4",
    "glm45",
    "glm47",
    "harmony",
    "hermes",
    "kimi-k2",
    "lfm2",
    "llama3-json",
    "minimax-m2",
    "mistral-args",
    "mistral-array",
    "pythonic",
    "qwen3-coder",
    "trinity",
];

#[test]
fn the_table_of_conformance_says_what_is_reproduced() {
    let mut table = "dialect\truntime\tparser\treproduced\trecorded\n".to_owned();
    let mut low = Vec::new();
    for path in files() {
        let dialect = path.file_stem().expect("a file has a name").to_string_lossy().into_owned();
        let mut all = (0, 0);
        for ((runtime, parser), (same, of)) in count(&dialect, &path) {
            let _ = writeln!(table, "{dialect}\t{runtime}\t{parser}\t{same}\t{of}");
            all = (all.0 + same, all.1 + of);
        }
        if PRINCIPAL.contains(&dialect.as_str()) && all.0 * 100 < all.1 * LEAST {
            low.push(format!("{dialect}: {} of {}", all.0, all.1));
        }
    }
    assert!(low.is_empty(), "less than {LEAST} % of what was recorded is reproduced:\n{}", low.join("\n"));
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/runtime/conformance.tsv");
    if std::env::var_os("INSTA_UPDATE").is_some_and(|value| value == "always") {
        fs::write(&path, &table).expect("the table can be written");
    }
    let written = fs::read_to_string(&path).expect("the table is there");
    assert_eq!(written, table, "write the table anew: INSTA_UPDATE=always cargo test --test corpus conformance");
}

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors/runtimes");
    let entries = fs::read_dir(folder).expect("the folder is there");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("readable").path()).collect();
    files.sort();
    assert!(files.len() > 60, "only {} files", files.len());
    files
}

/// By runtime and parser, how many outcomes are reproduced, and how many were recorded.
fn count(dialect: &str, path: &Path) -> BTreeMap<(String, String), (usize, usize)> {
    let mut counts = BTreeMap::new();
    let mut usual = None;
    for line in fs::read_to_string(path).expect("a file can be read").lines() {
        let line: Value = serde_json::from_str(line).expect("a line is JSON");
        let Some(text) = line.get("text").and_then(Value::as_str) else {
            usual = line.get("tools").cloned();
            continue;
        };
        let tools = line.get("tools").or(usual.as_ref()).and_then(Value::as_array);
        let request = ToolRequest::from_tools(tools.map(Vec::as_slice));
        for outcome in line["outcomes"].as_array().into_iter().flatten() {
            for who in outcome["who"].as_array().into_iter().flatten().filter_map(Value::as_str) {
                let (runtime, parser) = who.split_once(':').expect("a runtime and a parser");
                let known = |name: &String| name == parser;
                let mut profiles = catalog::of_dialect(dialect).iter();
                let profile = profiles.find(|profile| profile.runtime == runtime && profile.parsers.iter().any(known));
                let expected = outcome.get("error").is_none().then(|| outcome.clone());
                let same =
                    profile.is_some_and(|profile| is_same(expected.as_ref(), &read(profile, text, &request).outcome));
                let count: &mut (usize, usize) = counts.entry((runtime.to_owned(), parser.to_owned())).or_default();
                *count = (count.0 + usize::from(same), count.1 + 1);
            }
        }
    }
    counts
}
