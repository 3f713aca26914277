//! The modules of the crate that each module may import.

use super::cycles::imports;
use super::source::sources;

/// A module of the library, its allowed imports, and the reason if it is not obvious.
struct Layer {
    module: &'static str,
    may_import: &'static [&'static str],
}

/// From the lowest to the highest. A module imports only from modules before it, with one exception that is noted.
const LAYERS: &[Layer] = &[
    // Handles files and signals, independent of their contents.
    Layer { module: "system", may_import: &[] },
    // `text` and `diagnostic` are one layer: a problem has a span, and invalid UTF-8 in a text is a problem.
    Layer { module: "text", may_import: &["system", "diagnostic"] },
    Layer { module: "diagnostic", may_import: &["text"] },
    Layer { module: "value", may_import: &["text", "diagnostic"] },
    // Records are JSON, which is parsed like the JSON of calls.
    Layer { module: "container", may_import: &["text", "diagnostic", "value"] },
    Layer { module: "prices", may_import: &["container"] },
    // A runtime's values are parsed like values of calls; a reason for its outcome has a page, as problems have.
    Layer { module: "runtime", may_import: &["text", "diagnostic", "value"] },
    // A dialect knows how the values of its calls become a tree; a text may be read like a runtime reads it. The
    // options of reading contain a table of prices.
    Layer { module: "dialect", may_import: &["text", "diagnostic", "value", "runtime", "prices"] },
    Layer { module: "lens", may_import: &["text", "diagnostic", "value", "runtime"] },
    Layer { module: "document", may_import: &["text", "diagnostic", "container", "prices", "dialect", "value"] },
    // A user's notes are located in a document as it grows; their file is parsed like a model's YAML.
    Layer { module: "notes", may_import: &["system", "text", "value", "document"] },
    Layer {
        module: "session",
        may_import: &["text", "diagnostic", "container", "dialect", "value", "document", "notes", "lens"],
    },
    Layer {
        module: "filter",
        may_import: &["text", "diagnostic", "container", "value", "dialect", "document", "session"],
    },
    Layer { module: "location", may_import: &["text", "session"] },
    Layer {
        module: "repair",
        may_import: &["text", "diagnostic", "container", "value", "dialect", "document", "session"],
    },
    Layer { module: "compare", may_import: &["text", "diagnostic", "dialect", "value", "document", "session"] },
    Layer {
        module: "convert",
        may_import: &["text", "container", "dialect", "value", "document", "session", "compare"],
    },
    Layer { module: "cost", may_import: &["dialect", "value", "session", "compare", "convert"] },
    // Proposals are tried by reading.
    Layer { module: "proposal", may_import: &["container", "dialect", "document", "session", "compare"] },
    Layer { module: "highlight", may_import: &["text", "value"] },
    Layer { module: "graph_layout", may_import: &["text", "document"] },
    Layer { module: "redact", may_import: &["text", "document", "value", "session"] },
    Layer { module: "snippet", may_import: &["text", "diagnostic", "session"] },
    // A source moves bytes and examines none of them.
    Layer { module: "source", may_import: &["system", "text"] },
    // Settings name dialects, markers, filters, a file with schemas, and redaction patterns.
    Layer {
        module: "config",
        may_import: &[
            "system",
            "text",
            "container",
            "prices",
            "dialect",
            "value",
            "source",
            "filter",
            "redact",
            "notes",
        ],
    },
    // Reads files as others do, and stores rows instead of sessions.
    Layer {
        module: "corpus",
        may_import: &[
            "system",
            "text",
            "diagnostic",
            "container",
            "dialect",
            "document",
            "value",
            "notes",
            "session",
            "filter",
            "source",
            "config",
        ],
    },
    // Texts that the screen and reports share.
    Layer {
        module: "wording",
        may_import: &[
            "runtime",
            "text",
            "diagnostic",
            "container",
            "dialect",
            "value",
            "document",
            "session",
            "filter",
            "compare",
            "convert",
            "lens",
            "corpus",
        ],
    },
    Layer {
        module: "export",
        may_import: &[
            "text",
            "diagnostic",
            "container",
            "dialect",
            "value",
            "document",
            "notes",
            "session",
            "filter",
            "compare",
            "convert",
            "cost",
            "highlight",
            "graph_layout",
            "redact",
            "snippet",
            "wording",
            "lens",
            "runtime",
            "corpus",
        ],
    },
    Layer {
        module: "cases",
        may_import: &[
            "system",
            "text",
            "diagnostic",
            "container",
            "dialect",
            "document",
            "session",
            "compare",
            "convert",
            "export",
            "source",
            "config",
        ],
    },
    // Options are parsed into values of the settings, and of statistics.
    Layer {
        module: "command",
        may_import: &[
            "system",
            "text",
            "diagnostic",
            "container",
            "dialect",
            "value",
            "document",
            "notes",
            "corpus",
            "session",
            "filter",
            "repair",
            "compare",
            "convert",
            "cost",
            "prices",
            "proposal",
            "redact",
            "snippet",
            "wording",
            "export",
            "cases",
            "source",
            "config",
            "runtime",
            "lens",
            "location",
        ],
    },
    // The UI depends on neither the command line nor the commands: `main` passes it the request.
    Layer {
        module: "tui",
        may_import: &[
            "system",
            "text",
            "diagnostic",
            "container",
            "dialect",
            "value",
            "document",
            "notes",
            "corpus",
            "session",
            "filter",
            "location",
            "prices",
            "proposal",
            "repair",
            "compare",
            "convert",
            "cost",
            "highlight",
            "graph_layout",
            "redact",
            "snippet",
            "wording",
            "export",
            "cases",
            "source",
            "config",
            "lens",
            "runtime",
        ],
    },
    // Combines the commands and the options of the screen.
    Layer { module: "cli", may_import: &["command"] },
    Layer { module: "main", may_import: &["system", "text", "source", "cli", "command", "tui"] },
];

#[test]
fn a_module_imports_only_what_its_layer_may() {
    let imports = imports();
    let mut faults = Vec::new();
    for source in sources().values().filter(|source| source.name != "lib") {
        let Some(layer) = LAYERS.iter().find(|layer| layer.module == source.module()) else {
            faults.push(format!("{}: {} has no layer", source.name, source.module()));
            continue;
        };
        for (file, path) in &imports[source.name.as_str()] {
            let module = file.split('/').next().expect("a path has a first part");
            if module != layer.module && !layer.may_import.contains(&module) {
                faults.push(format!("{}: {} may not know {module}: {path}", source.name, layer.module));
            }
        }
        let climb = "super::".repeat(source.name.split('/').count());
        for path in source.paths.iter().filter(|path| path.starts_with(&climb)) {
            faults.push(format!("{}: say crate:: instead of climbing: {path}", source.name));
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

#[test]
fn the_table_of_layers_has_no_cycle_but_the_lowest() {
    for (index, layer) in LAYERS.iter().enumerate() {
        for module in layer.may_import {
            let at = LAYERS.iter().position(|other| other.module == *module);
            let is_below = at.is_some_and(|at| at < index) || (layer.module == "text" && *module == "diagnostic");
            assert!(is_below, "{} may not import {module}", layer.module);
        }
    }
}
