//! No two source files import each other, directly or indirectly.
//!
//! A file imports another one if a path refers to it, in a `use` or in code. Imports from the parent module do not
//! count: a child may use what its parent offers. A crate
//! imports the modules of lower crates at its root, so that `crate::text` is the same module in all of them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use petgraph::algo::tarjan_scc;
use petgraph::graph::DiGraph;

use super::source::{Source, is_in, sources};

/// From file to imported file, with the first path that refers to it.
pub type Imports<'a> = BTreeMap<&'a str, BTreeMap<&'a str, &'a str>>;

/// The imports of every file, without imports from its parent modules.
pub fn imports() -> Imports<'static> {
    let sources = sources();
    let mut imports = Imports::new();
    for source in sources.values() {
        let reached = imports.entry(&source.name).or_default();
        for path in &source.paths {
            if let Some(file) = file_of(path, source, sources).filter(|file| !is_in(&source.name, file)) {
                reached.entry(file).or_insert(path);
            }
        }
    }
    imports
}

/// The project's file that a path in a file refers to, if any.
fn file_of<'a>(path: &str, from: &Source, sources: &'a BTreeMap<String, Source>) -> Option<&'a str> {
    let mut place: Vec<&str> = match from.name.as_str() {
        "lib" | "main" => Vec::new(),
        name => name.split('/').collect(),
    };
    let mut words = path.split("::").peekable();
    match *words.peek()? {
        "crate" | "transcope" => {
            place.clear();
            words.next();
        }
        "self" => _ = words.next(),
        "super" => {
            while words.next_if_eq(&"super").is_some() {
                place.pop();
            }
        }
        // A child module, or an outside crate.
        first => {
            let child = place.iter().copied().chain([first]).collect::<Vec<_>>().join("/");
            sources.get_key_value(&child)?;
        }
    }
    let mut file = sources.get_key_value(&place.join("/"));
    for word in words {
        place.push(word);
        let Some(deeper) = sources.get_key_value(&place.join("/")) else { break };
        file = Some(deeper);
    }
    file.map(|(name, _)| name.as_str())
}

/// The sets of files that import each other, sorted by name.
fn cycles<'a>(imports: &Imports<'a>) -> Vec<BTreeSet<&'a str>> {
    let mut graph = DiGraph::new();
    let nodes: BTreeMap<&str, _> = imports.keys().map(|file| (*file, graph.add_node(*file))).collect();
    for (from, reached) in imports {
        for to in reached.keys() {
            graph.add_edge(nodes[from], nodes[to], ());
        }
    }
    let components = tarjan_scc(&graph).into_iter().filter(|component| component.len() > 1);
    components.map(|component| component.into_iter().map(|node| graph[node]).collect()).collect()
}

/// The imports that form a cycle.
fn shown(cycle: &BTreeSet<&str>, imports: &Imports<'_>) -> String {
    let mut shown = format!("{} files import each other: {cycle:?}", cycle.len());
    for from in cycle {
        for (to, path) in imports[from].iter().filter(|(to, _)| cycle.contains(*to)) {
            let _ = write!(shown, "\n    {from} -> {to}  by {path}");
        }
    }
    shown
}

#[test]
fn no_files_import_each_other() {
    let imports = imports();
    let faults: Vec<String> = cycles(&imports).iter().map(|cycle| shown(cycle, &imports)).collect();
    super::none(&faults);
}

#[test]
fn a_cycle_is_found_by_any_way_of_writing_an_import() {
    let file = |name: &str, text: &str| (name.to_owned(), Source::parse("src", name, text));
    let sources: BTreeMap<String, Source> = [
        file("a", "use crate::{b::{c::{self, Deep}, Other}, d};\nmod x;"),
        file("a/x", "use super::Own; fn f() { vec![crate::e::g()]; }"),
        file("b", "pub use c::Deep; mod c;"),
        file("b/c", "use super::super::a::x;\n#[cfg(test)] mod tests { use crate::d; }"),
        file("d", "/// [`crate::a`]\nfn f() -> super::b::Other { \"crate::a::b\"; }"),
        file("e", "fn g() { f::h() } mod f;"),
        file("e/f", "#[derive(crate::d::Derived)] struct S(self::self_only::T);"),
    ]
    .into();
    let reached = |name: &str| -> Vec<&str> {
        let source = &sources[name];
        let found = source.paths.iter().filter_map(|path| file_of(path, source, &sources));
        found.filter(|file| !is_in(name, file)).collect::<BTreeSet<_>>().into_iter().collect()
    };
    for (name, expected) in [
        ("a", &["b", "b/c", "d"] as &[&str]),
        ("a/x", &["e"]),
        ("b", &["b/c"]),
        ("b/c", &["a/x"]),
        ("d", &["b"]),
        ("e", &["e/f"]),
        ("e/f", &["d"]),
    ] {
        assert_eq!(reached(name), expected, "{name}");
    }
    let imports = sources.keys().map(|name| (name.as_str(), reached(name).into_iter().map(|to| (to, "")).collect()));
    let expected = BTreeSet::from(["a/x", "b", "b/c", "d", "e", "e/f"]);
    assert_eq!(cycles(&imports.collect()), [expected]);
}
