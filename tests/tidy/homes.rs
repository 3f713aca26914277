//! The parts of the code that may use an outside crate, if not all of those whose manifest names it.

use std::collections::BTreeSet;

use super::source::{Source, read, root, sources};

/// For an outside crate, the files or folders below the `src` of our crates that may use it.
const HOMES: &[(&str, &[&str])] = &[
    // Errors with a chain are for the edges of the program.
    ("aho_corasick", &["dialect/embedded_markup", "redact"]),
    ("anyhow", &["cases", "command", "config", "corpus", "main", "notes/sidecar", "source", "tui"]),
    // Escapes everything that a template inserts.
    ("askama", &["export/html"]),
    // The hashes of a page's style and script, as its policy names them.
    ("base64", &["container/http_recording", "export/html"]),
    ("clap", &["cli", "command", "config", "main"]),
    ("clap_complete", &["command/completions"]),
    ("clap_mangen", &["command/man"]),
    ("crc32fast", &["corpus/format/parquet/checksum", "text"]),
    ("crossterm", &["tui"]),
    (
        "csv",
        &[
            "corpus/format/csv",
            "export/diff/folders",
            "export/matches",
            "export/matrix",
            "export/session_list",
            "export/statistics",
        ],
    ),
    ("encoding_rs", &["source/decoder"]),
    ("etcetera", &["config"]),
    ("flate2", &["container/http_recording", "corpus/format/gzip", "source/decoder"]),
    ("granit_parser", &["value/yaml"]),
    ("indicatif", &["command/corpus"]),
    // The user's local time, and times in files.
    (
        "jiff",
        &[
            "command/corpus",
            "command/template",
            "container",
            "corpus",
            "filter/facts",
            "filter/session_time",
            "proposal",
            "runtime/release",
            "system/clock",
            "template",
            "tui/age",
            "tui/corpus",
            "tui/view/events",
        ],
    ),
    // Validates against a schema, and fetches nothing.
    ("jsonschema", &["value/schema"]),
    // Renders chat templates.
    ("minijinja", &["template"]),
    ("minijinja_contrib", &["template/engine"]),
    ("notify", &["source"]),
    ("parquet", &["corpus/format/parquet"]),
    ("pulldown_cmark", &["guide/markdown", "tui/pane/reading/prose"]),
    ("ratatui", &["tui"]),
    ("ratatui_textarea", &["tui/playground"]),
    (
        "regex_automata",
        &["dialect/response_template", "filter/pattern", "redact", "runtime", "text/line_regex", "text/search"],
    ),
    ("regex_syntax", &["dialect/response_template", "filter/pattern", "text/line_regex", "text/search"]),
    // Works on the copy of a database only.
    ("rusqlite", &["source/database"]),
    // System calls that the standard library does not have.
    ("rustix", &["command/options", "source", "system", "tui/terminal"]),
    ("ruzstd", &["source/decoder"]),
    ("serde_yaml", &["config", "runtime", "template/probes", "tui/theme"]),
    ("sha2", &["command/bundle", "export/baseline", "export/html"]),
    ("signal_hook", &["source", "system", "tui/terminal"]),
    (
        "similar",
        &[
            "compare/align",
            "export/file_patch",
            "file_history/contents",
            "repair/patch",
            "tui/pane/reading/edit",
            "tui/screen/comparison/values",
        ],
    ),
    ("simdutf8", &["text/encoding"]),
    ("strsim", &["command", "value/schema", "text/typo"]),
    ("syntect", &["highlight"]),
    // Data that outgrows memory is in an unnamed file.
    (
        "tempfile",
        &["command/bundle", "redact/window", "source/database", "text/spool", "tui/clipboard", "tui/external_editor"],
    ),
    ("termprofile", &["tui/theme"]),
    ("nucleo_matcher", &["tui"]),
    ("shlex", &["tui"]),
    ("tui_input", &["tui"]),
    ("two_face", &["highlight"]),
    // Hashes the contents of files.
    ("twox_hash", &["corpus/reader"]),
    ("unicode_segmentation", &["text/sanitize", "tui/screen/comparison/values"]),
    ("unicode_width", &["text"]),
    // Compares many bytes at a time on processors that can, without `unsafe` here.
    ("wide", &["text/byte_set"]),
    ("zip", &["source/archive", "source/bundle", "source/eval_log"]),
];

#[test]
fn outside_crates_are_named_only_in_their_homes() {
    let manifest = read(&root().join("Cargo.toml"));
    let dependencies = manifest.split("[workspace.dependencies]").nth(1).and_then(|rest| rest.split("\n[").next());
    let named = dependencies.expect("there are dependencies").lines().filter(|line| !line.starts_with('#'));
    let named = named.filter_map(|line| line.split_once(" = ")).map(|(name, _)| name.replace('-', "_"));
    let named: BTreeSet<String> = named.collect();
    let mut faults = Vec::new();
    for (name, homes) in HOMES {
        if !named.contains(*name) {
            faults.push(format!("{name} is not a dependency"));
        }
        let path = format!("{name}::");
        let is_user = |source: &&Source| source.paths_below(&path).next().is_some();
        let users: Vec<&Source> = sources().values().filter(is_user).collect();
        for user in &users {
            if !homes.iter().any(|home| user.is_in(home)) {
                faults.push(format!("{}: {name} lives in {}", user.name, homes.join(", ")));
            }
        }
        for home in homes.iter().filter(|home| !users.iter().any(|user| user.is_in(home))) {
            faults.push(format!("{name}: nothing in its home {home} uses it"));
        }
    }
    super::none(&faults);
}
