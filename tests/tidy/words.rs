//! What public items are called and how they are described: no type has the name of another, and no doc comment says
//! nothing.

use std::collections::BTreeMap;

use super::source::sources;

/// Names that several public types share, each with the reason why nobody takes one for another: they are always
/// written with their module in front.
const SHARED: &[(&str, &str)] = &[(
    "Graph",
    "a pane has the name of what it shows; the pane is written `graph::Graph`, in the table of panes alone",
)];

/// Fewest words of a doc comment: with fewer it says no more than the name.
const FEWEST_WORDS: usize = 5;

#[test]
fn no_two_public_types_share_a_name() {
    let mut places: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for source in sources().values() {
        for name in &source.types {
            places.entry(name).or_default().push(&source.name);
        }
    }
    places.retain(|_, places| places.len() > 1);
    for (name, _) in SHARED {
        assert!(places.remove(name).is_some(), "{name} is not shared: take it out of the table");
    }
    let faults: Vec<String> = places.iter().map(|(name, places)| format!("{name}: {}", places.join(", "))).collect();
    super::none(&faults);
}

#[test]
fn no_doc_comment_is_shorter_than_what_it_has_to_say() {
    let mut faults = Vec::new();
    // Those of the command line are its help texts.
    for source in sources().values().filter(|source| !source.is_in("cli")) {
        for (item, doc) in &source.short_docs {
            if doc.split_whitespace().count() < FEWEST_WORDS {
                faults.push(format!("{}: {item}: {doc}", source.name));
            }
        }
    }
    super::none(&faults);
}
