//! Names of public types: no two types share one.

use std::collections::BTreeMap;

use super::source::sources;

/// Names that several public types share, each with the reason why they are not confused: they are always written with
/// their module.
const SHARED: &[(&str, &str)] = &[(
    "Graph",
    "a pane has the name of what it shows; the pane is written `graph::Graph`, in the table of panes alone",
)];

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
