//! Which module of a crate may import which. Cargo holds that a crate imports only from lower ones.

use super::cycles::imports;
use super::source::sources;

/// The modules of each crate, by the folder of its source, from the lowest to the highest: a module imports only from
/// those before it.
const CRATES: &[(&str, &[&str])] = &[
    // `text` and `diagnostic` import each other: a problem has a span, and a text that is not UTF-8 has a problem.
    ("crates/text/src", &["system", "diagnostic", "text"]),
    // A call of a file's own has values, whatever dialect others are in; a dialect may be read as a runtime reads it.
    ("crates/syntax/src", &["value", "container", "prices", "runtime", "dialect"]),
    (
        "crates/session/src",
        &[
            "document",
            "notes",
            "lens",
            "session",
            "timeline",
            "filter",
            "location",
            "file_history",
            "repair",
            "compare",
            "convert",
            "cost",
            "proposal",
            "redact",
            "snippet",
            "template",
            "context_usage",
        ],
    ),
    ("crates/output/src", &["highlight", "graph_layout", "source", "config", "corpus", "wording", "export", "cases"]),
    ("src", &["guide", "tui", "command", "cli", "main"]),
];

/// Modules of one crate that do not know each other although their order would allow it.
const STRANGERS: &[(&str, &str)] = &[
    // Both are shown what the user asked for by `main`.
    ("command", "tui"),
    ("cli", "tui"),
    // A source moves bytes, and a format of files has no calls in a text.
    ("source", "highlight"),
    ("dialect", "container"),
    ("runtime", "container"),
];

#[test]
fn a_module_imports_only_from_lower_ones() {
    let imports = imports();
    let place = |module: &str| {
        let mut of = CRATES.iter().enumerate();
        of.find_map(|(number, (_, modules))| Some((number, modules.iter().position(|name| *name == module)?)))
    };
    let mut faults = Vec::new();
    for source in sources().values().filter(|source| !source.name.ends_with("lib")) {
        let module = source.module();
        let Some((number, at)) = place(module) else {
            faults.push(format!("{}: {module} is not in the table of crates", source.name));
            continue;
        };
        if CRATES[number].0 != source.folder {
            faults.push(format!("{}: {module} is a module of {}", source.path(), CRATES[number].0));
        }
        for (file, path) in &imports[source.name.as_str()] {
            let other = file.split('/').next().expect("a path has a first part");
            let is_lower = place(other).is_some_and(|(of, below)| of != number || below < at);
            let is_lowest = (module, other) == ("diagnostic", "text");
            if other != module && (!(is_lower || is_lowest) || STRANGERS.contains(&(module, other))) {
                faults.push(format!("{}: {module} may not import {other}: {path}", source.name));
            }
        }
        let climb = "super::".repeat(source.name.split('/').count());
        for path in source.paths.iter().filter(|path| path.starts_with(&climb)) {
            faults.push(format!("{}: write crate:: in place of climbing: {path}", source.name));
        }
    }
    super::none(&faults);
}

#[test]
fn a_command_takes_nothing_from_the_table_of_commands() {
    let mut faults = Vec::new();
    for source in sources().values().filter(|source| source.name.starts_with("command/")) {
        let climb = "super::".repeat(source.name.split('/').count() - 1);
        let reached = source.paths.iter().filter_map(|path| {
            path.strip_prefix("crate::command::")
                .or(path.strip_prefix(&climb).filter(|rest| !rest.starts_with("super")))
        });
        for rest in reached {
            let first = rest.split("::").next().unwrap_or_default();
            if !sources().contains_key(&format!("command/{first}")) {
                faults.push(format!("{}: {first} is of command.rs", source.name));
            }
        }
    }
    super::none(&faults);
}
