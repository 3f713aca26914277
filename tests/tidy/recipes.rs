//! The output of `cargo run --example new` fits the current files.

#[path = "../../examples/new/change.rs"]
mod change;
#[path = "../../examples/new/command.rs"]
mod command;
#[path = "../../examples/new/dialect.rs"]
mod dialect;
#[path = "../../examples/new/pane.rs"]
mod pane;
#[path = "../../examples/new/screen.rs"]
mod screen;

use std::collections::BTreeMap;
use std::path::Path;

use super::source::{read, root};
use change::{Name, Recipe};

#[test]
fn every_recipe_finds_the_places_that_it_changes() {
    let kinds: [(&str, Recipe, usize); 4] = [
        ("command", command::changes, 4),
        ("dialect", dialect::changes, 2),
        ("pane", pane::changes, 4),
        ("screen", screen::changes, 4),
    ];
    for (kind, changes, most_files) in kinds {
        // A name at each end of the alphabetical order of modules, and one with two words.
        for name in ["aa", "new-thing", "zz"] {
            let name = Name::parse(name).expect("a name");
            let mut texts: BTreeMap<String, String> = BTreeMap::new();
            for change in changes(&name) {
                let path = root().join(change.path());
                let old = texts.remove(change.path()).or_else(|| path.exists().then(|| read(&path)));
                let new =
                    change.applied(old.as_deref()).unwrap_or_else(|words| panic!("{kind}: {}: {words}", change.path()));
                texts.insert(change.path().to_owned(), new);
            }
            assert!(texts.len() <= most_files, "{kind} changes {:?}", texts.keys());
            for (path, text) in texts.iter().filter(|(path, _)| Path::new(path).extension() == Some("rs".as_ref())) {
                syn::parse_file(text).unwrap_or_else(|error| panic!("{kind}: {path}: {error}"));
            }
        }
    }
}

#[test]
fn a_name_is_words_joined_by_hyphens() {
    for (given, expected) in [("turn-list", Some("turn_list TurnList")), ("Turn", None), ("a--b", None), ("", None)] {
        let name = Name::parse(given).ok().map(|name| format!("{} {}", name.module(), name.pascal()));
        assert_eq!(name.as_deref(), expected, "{given}");
    }
}
