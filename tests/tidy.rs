//! The order of the project itself: which module may know which, which outside crate lives where, how long a file is,
//! and that nothing lies about that nobody uses.
//!
//! A table here says what is allowed and why. Where the code teaches better, change the table in the same commit.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use transcope::tui::style::Role;
use transcope::tui::theme::Theme;

/// A module of the library, what it may import beside itself, and why where that is not plain.
struct Layer {
    module: &'static str,
    may_import: &'static [&'static str],
}

/// From the lowest to the highest. A module imports only from modules before it, with one exception that is noted.
const LAYERS: &[Layer] = &[
    // `text` and `diagnostic` are one layer: a problem has a span, and a text that is no UTF-8 has a problem.
    Layer { module: "text", may_import: &["diagnostic"] },
    Layer { module: "diagnostic", may_import: &["text"] },
    Layer { module: "params", may_import: &["text", "diagnostic"] },
    // Records are JSON, which is read as the JSON of calls is.
    Layer { module: "container", may_import: &["text", "diagnostic", "params"] },
    // A dialect knows how the values of its calls become a tree.
    Layer { module: "dialect", may_import: &["text", "diagnostic", "params"] },
    Layer { module: "document", may_import: &["text", "diagnostic", "container", "dialect", "params"] },
    Layer { module: "session", may_import: &["text", "diagnostic", "container", "dialect", "params", "document"] },
    Layer {
        module: "repair",
        may_import: &["text", "diagnostic", "container", "params", "dialect", "document", "session"],
    },
    Layer { module: "compare", may_import: &["text", "diagnostic", "dialect", "params", "document", "session"] },
    Layer {
        module: "convert",
        may_import: &["text", "container", "dialect", "params", "document", "session", "compare"],
    },
    Layer { module: "cost", may_import: &["dialect", "params", "session", "compare", "convert"] },
    Layer { module: "redact", may_import: &["document", "params", "session"] },
    Layer { module: "report", may_import: &["text", "diagnostic", "dialect", "params", "document", "session"] },
    Layer {
        module: "export",
        may_import: &[
            "text",
            "diagnostic",
            "container",
            "dialect",
            "params",
            "document",
            "session",
            "compare",
            "convert",
            "cost",
            "redact",
            "report",
        ],
    },
    // A source moves bytes and looks at none of them.
    Layer { module: "source", may_import: &["text"] },
    // Settings name dialects, markers and a file with schemas.
    Layer { module: "config", may_import: &["dialect", "params", "source"] },
    Layer {
        module: "cases",
        may_import: &["text", "container", "dialect", "document", "session", "compare", "export", "source", "config"],
    },
    // The options of the command line are parsed into values of the settings.
    Layer { module: "cli", may_import: &["config"] },
    Layer {
        module: "command",
        may_import: &[
            "text",
            "diagnostic",
            "container",
            "dialect",
            "params",
            "document",
            "session",
            "repair",
            "compare",
            "convert",
            "cost",
            "redact",
            "report",
            "export",
            "cases",
            "source",
            "config",
            "cli",
        ],
    },
    // The UI knows neither the command line nor the commands: `main` hands it what was asked for.
    Layer {
        module: "tui",
        may_import: &[
            "text",
            "diagnostic",
            "container",
            "dialect",
            "params",
            "document",
            "session",
            "repair",
            "compare",
            "convert",
            "cost",
            "report",
            "export",
            "cases",
            "source",
            "config",
        ],
    },
    Layer { module: "main", may_import: &["text", "source", "cli", "command", "tui"] },
];

/// The modules of the UI that know no terminal.
const HEADLESS: [&str; 23] = [
    "action",
    "cache",
    "comparing",
    "dialects",
    "events",
    "folds",
    "gauge",
    "graph_layout",
    "identity",
    "layout",
    "listing",
    "origin",
    "problems",
    "queue",
    "replay",
    "rows",
    "search",
    "settings",
    "state",
    "tabs",
    "track",
    "update",
    "viewport",
];

/// Where each outside crate may be named: files or folders below `src/`.
const HOMES: &[(&str, &[&str])] = &[
    // Errors with a chain are for the edges, where the outside world is.
    ("aho_corasick", &["dialect/foreign", "redact"]),
    ("anyhow", &["cases", "command", "config", "main", "source", "tui"]),
    // Escapes whatever a template puts in.
    ("askama", &["export/html"]),
    ("clap", &["cli", "command/manual", "main"]),
    ("clap_complete", &["cli", "command/manual"]),
    ("clap_mangen", &["command/manual"]),
    ("crc32fast", &["text"]),
    ("crossterm", &["tui"]),
    ("etcetera", &["config"]),
    ("flate2", &["source/compressed"]),
    ("granit_parser", &["params/yaml"]),
    // The time where the person is, and that which a file says.
    ("jiff", &["container", "tui/events", "tui/screen/sessions/age"]),
    // Validates against a schema, and fetches nothing.
    ("jsonschema", &["params/schema"]),
    ("memchr", &["container", "dialect", "export", "params", "repair", "report", "text", "tui"]),
    ("notify", &["source"]),
    ("petgraph", &["document/graph"]),
    ("pulldown_cmark", &["tui/rows/prose"]),
    ("ratatui", &["tui"]),
    ("ratatui_textarea", &["tui/playground"]),
    ("regex_automata", &["redact", "tui/search"]),
    ("regex_syntax", &["tui/search"]),
    // What the standard library does not ask the system.
    ("rustix", &["command/check", "source", "tui/terminal"]),
    ("ruzstd", &["source/compressed"]),
    (
        "serde",
        &["cases", "command", "config", "container", "diagnostic", "dialect", "document", "export", "text", "tui"],
    ),
    (
        "serde_json",
        &[
            "cases",
            "compare",
            "convert",
            "cost",
            "export",
            "params",
            "tui/screen/comparison",
            "tui/highlight",
            "tui/rows",
        ],
    ),
    ("serde_yaml", &["config", "tui/theme"]),
    ("signal_hook", &["source", "text/spool", "tui/terminal"]),
    ("similar", &["repair/patch", "tui/screen/comparison/values"]),
    ("simdutf8", &["text/encoding"]),
    ("strsim", &["command", "params/schema", "text/typo"]),
    ("syntect", &["tui/highlight"]),
    // What outgrows memory lies in a file that has no name.
    ("tempfile", &["command/export", "command/fix", "text/spool", "tui/external_editor", "tui/files"]),
    ("termprofile", &["tui/theme"]),
    ("tui_input", &["tui"]),
    ("two_face", &["tui/highlight"]),
    ("unicode_segmentation", &["text/sanitize"]),
    ("unicode_width", &["text"]),
    // Compares many bytes at once where the processor can, without `unsafe` here.
    ("wide", &["text/marks"]),
];

/// Most lines of a file.
const LONGEST: usize = 500;

/// A file of the source.
struct Source {
    /// Path below `src/`, without the ending: `tui/view/rows`.
    name: String,
    /// Its lines without its tests and comments.
    code: Vec<String>,
}

impl Source {
    fn module(&self) -> &str {
        self.name.split('/').next().expect("a path has a first part")
    }

    fn is_in(&self, place: &str) -> bool {
        self.name.strip_prefix(place).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The files below a folder, as paths below it.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(at) = folders.pop() {
        for entry in fs::read_dir(&at).unwrap_or_else(|error| panic!("{}: {error}", at.display())) {
            let path = entry.expect("readable").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.push(path.strip_prefix(folder).expect("below it").to_owned());
            }
        }
    }
    found.sort();
    found
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The source without the files that hold only tests.
fn sources() -> Vec<Source> {
    let folder = root().join("src");
    let mut sources = Vec::new();
    for path in files(&folder) {
        let name = path.with_extension("").to_str().expect("a plain name").to_owned();
        let text = read(&folder.join(&path));
        let lines: Vec<&str> = text.lines().collect();
        let tests = lines.iter().position(|line| line.starts_with("#[cfg(test)]")).unwrap_or(lines.len());
        let code = lines[..tests].iter().filter(|line| !line.trim_start().starts_with("//"));
        sources.push(Source { code: code.map(|&line| line.to_owned()).collect(), name });
    }
    sources.retain(|source| !source.name.ends_with("/tests"));
    assert!(sources.len() > 50, "only {} files were found", sources.len());
    sources
}

/// The words that follow `prefix` in a line where it is not part of a longer word: `crate::` gives modules.
fn words_behind<'a>(line: &'a str, prefix: &'a str) -> impl Iterator<Item = &'a str> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(prefix).filter(move |(at, _)| !line[..*at].ends_with(is_word)).flat_map(move |(at, _)| {
        let rest = &line[at + prefix.len()..];
        let rest = rest.strip_prefix('{').map_or(rest, |group| group.split('}').next().unwrap_or(group));
        let is_group = line[at + prefix.len()..].starts_with('{');
        let parts = if is_group { rest.split(',').collect() } else { vec![rest] };
        parts.into_iter().map(move |part| {
            let part = part.trim();
            &part[..part.find(|c| !is_word(c)).unwrap_or(part.len())]
        })
    })
}

#[track_caller]
fn none(faults: &[String]) {
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn a_module_imports_only_what_its_layer_may() {
    let mut faults = Vec::new();
    for source in sources() {
        let Some(layer) = LAYERS.iter().find(|layer| layer.module == source.module()) else {
            if source.name != "lib" {
                faults.push(format!("{}: {} has no layer", source.name, source.module()));
            }
            continue;
        };
        let root = if layer.module == "main" { "transcope::" } else { "crate::" };
        for line in &source.code {
            for word in words_behind(line, root) {
                let is_module = LAYERS.iter().any(|layer| layer.module == word);
                if is_module && word != layer.module && !layer.may_import.contains(&word) {
                    faults.push(format!("{}: {} may not know {word}: {}", source.name, layer.module, line.trim()));
                }
            }
            // A path that climbs to the root of the crate would get around the rule.
            let depth = source.name.split('/').count();
            if line.contains(&"super::".repeat(depth)) {
                faults.push(format!("{}: say crate:: instead of climbing: {}", source.name, line.trim()));
            }
        }
    }
    none(&faults);
}

#[test]
fn the_table_of_layers_has_no_ring_but_the_lowest() {
    for (index, layer) in LAYERS.iter().enumerate() {
        for module in layer.may_import {
            let at = LAYERS.iter().position(|other| other.module == *module);
            let is_below = at.is_some_and(|at| at < index) || (layer.module == "text" && *module == "diagnostic");
            assert!(is_below, "{} may not import {module}", layer.module);
        }
    }
}

#[test]
fn every_outside_crate_has_its_homes() {
    let manifest = read(&root().join("Cargo.toml"));
    let dependencies = manifest.split("[dependencies]").nth(1).and_then(|rest| rest.split("\n[").next());
    let named: BTreeSet<String> = dependencies
        .expect("there are dependencies")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once(" = "))
        .map(|(name, _)| name.replace('-', "_"))
        .collect();
    let tabled: BTreeSet<String> = HOMES.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(named, tabled, "the dependencies and the table of their homes");
    let mut faults = Vec::new();
    let sources = sources();
    for (name, homes) in HOMES {
        let path = format!("{name}::");
        let is_user = |source: &Source| source.code.iter().any(|line| words_behind(line, &path).next().is_some());
        let users: Vec<&Source> = sources.iter().filter(|source| is_user(source)).collect();
        for user in &users {
            if !homes.iter().any(|home| user.is_in(home)) {
                faults.push(format!("{}: {name} lives in {}", user.name, homes.join(", ")));
            }
        }
        for home in homes.iter().filter(|home| !users.iter().any(|user| user.is_in(home))) {
            faults.push(format!("{name}: nothing in its home {home} uses it"));
        }
    }
    none(&faults);
}

#[test]
fn what_the_screen_shows_is_decided_without_a_terminal() {
    let mut faults = Vec::new();
    let sources = sources();
    for module in HEADLESS {
        let place = format!("tui/{module}");
        assert!(sources.iter().any(|source| source.is_in(&place)), "{place} does not exist");
        for source in sources.iter().filter(|source| source.is_in(&place)) {
            for line in &source.code {
                if ["ratatui::", "crossterm::"].into_iter().any(|outside| words_behind(line, outside).next().is_some())
                {
                    faults.push(format!("{}: {}", source.name, line.trim()));
                }
            }
        }
    }
    none(&faults);
}

#[test]
fn every_file_says_what_it_is_and_is_short() {
    let mut faults = Vec::new();
    let folders = ["src", "tests", "benches"].map(|folder| root().join(folder));
    for folder in folders.into_iter().filter(|folder| folder.exists()) {
        for path in files(&folder).into_iter().filter(|path| path.extension() == Some("rs".as_ref())) {
            let is_of_tests = path.ends_with("tests.rs") && folder.ends_with("src");
            if !is_of_tests && !read(&folder.join(&path)).starts_with("//! ") {
                faults.push(format!("{}: does not begin with //!", path.display()));
            }
            let name = path.file_stem().and_then(|name| name.to_str()).expect("a plain name");
            if ["mod", "utils", "util", "helpers", "common", "misc", "manager"].contains(&name) {
                faults.push(format!("{}: is named after nothing", path.display()));
            }
        }
    }
    for folder in ["src", "tests", "benches"] {
        let folder = root().join(folder);
        for path in files(&folder).into_iter().filter(|path| path.extension().is_some_and(|ending| ending == "rs")) {
            let lines = read(&folder.join(&path)).lines().count();
            faults.extend((lines > LONGEST).then(|| format!("{}: {lines} lines", path.display())));
        }
    }
    none(&faults);
}

#[test]
fn every_sample_is_in_the_list_of_samples() {
    let folder = root().join("samples");
    let readme = read(&folder.join("README.md"));
    let mut section = String::new();
    let mut listed = BTreeSet::new();
    for line in readme.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            section = heading.split('`').nth(1).unwrap_or_default().to_owned();
        }
        if let Some(name) = line.strip_prefix("| `").and_then(|rest| rest.split('`').next()) {
            assert!(listed.insert(format!("{section}{name}")), "{name} is listed twice");
        }
    }
    let there = files(&folder).into_iter().map(|path| path.to_str().expect("a plain name").to_owned());
    let there: BTreeSet<String> = there.filter(|name| !name.ends_with("README.md")).collect();
    assert_eq!(there, listed, "the samples and samples/README.md");
}

#[test]
fn every_case_has_a_snapshot_and_every_snapshot_a_case() {
    let tests = root().join("tests");
    let programs: Vec<String> = files(&tests)
        .into_iter()
        .filter(|path| path.extension() == Some("rs".as_ref()))
        .map(|path| read(&tests.join(path)))
        .collect();
    let mut faults = Vec::new();
    let mut expected: BTreeSet<PathBuf> = BTreeSet::new();
    for path in files(&tests.join("data")) {
        let is_case = path.parent().is_some_and(|folder| folder.ends_with("ok") || folder.ends_with("err"));
        let name = path.file_name().and_then(|name| name.to_str()).expect("a plain name");
        if is_case {
            expected.insert(path.with_extension("snap"));
        } else if !programs.iter().any(|source| source.contains(name)) {
            faults.push(format!("data/{}: no test reads it", path.display()));
        }
    }
    for path in files(&root().join("samples")).into_iter().filter(|path| !path.ends_with("README.md")) {
        // Of a recorded file there is what the container gives, and what becomes of that.
        if let Ok(path) = path.strip_prefix("containers") {
            expected.insert(Path::new("sessions").join(path).with_extension("snap"));
        }
        expected.insert(Path::new("samples").join(path).with_extension("snap"));
    }
    for path in files(&tests.join("snapshots")).into_iter().filter(|path| path.extension() == Some("snap".as_ref())) {
        // Other snapshots are named by the test that makes them.
        let name = path.file_stem().and_then(|name| name.to_str()).expect("a plain name");
        let quoted = format!("\"{name}\"");
        if !expected.remove(&path) && !programs.iter().any(|source| source.contains(&quoted)) {
            faults.push(format!("{}: no test makes this snapshot", path.display()));
        }
    }
    faults.extend(expected.into_iter().map(|path| format!("{}: this snapshot is missing", path.display())));
    none(&faults);
}

/// A role as a theme writes it.
fn kebab(role: Role) -> String {
    let mut name = String::new();
    for c in format!("{role:?}").chars() {
        if c.is_uppercase() && !name.is_empty() {
            name.push('-');
        }
        name.extend(c.to_lowercase());
    }
    name
}

#[test]
fn every_theme_has_every_role() {
    let folder = root().join("themes");
    let wanted: BTreeSet<String> = Role::ALL.into_iter().map(kebab).collect();
    for path in files(&folder) {
        let shown = path.display();
        let theme: serde_yaml::Value =
            serde_yaml::from_str(&read(&folder.join(&path))).unwrap_or_else(|error| panic!("{shown}: {error}"));
        let roles = theme["roles"].as_mapping().unwrap_or_else(|| panic!("{shown} has no roles"));
        let found: BTreeSet<String> = roles.keys().filter_map(|key| key.as_str().map(str::to_owned)).collect();
        // One that extends another says what differs.
        let is_whole = theme.get("extends").is_none();
        assert!(found == wanted || (!is_whole && found.is_subset(&wanted)), "{shown}: {found:?}");
        let name = folder.join(&path);
        let theme = Theme::named(name.to_str().expect("a plain name")).unwrap_or_else(|error| panic!("{error:#}"));
        assert_eq!(Some(theme.name()), path.file_stem().and_then(|name| name.to_str()), "a theme is named as its file");
    }
}
