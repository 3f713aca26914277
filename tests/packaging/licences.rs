//! `THIRD-PARTY.txt` has the licences of all crates that a program contains.

#[path = "../../examples/licences/collect.rs"]
mod collect;

use std::collections::BTreeSet;
use std::fs;

use collect::{document, packages, platforms};

use super::root;

#[test]
fn the_licences_of_third_parties_are_up_to_date() {
    const RENEW: &str = "cargo run --example licences > THIRD-PARTY.txt renews it";
    let written = fs::read_to_string(root().join("THIRD-PARTY.txt")).expect("the file is there");
    let platforms = platforms(root()).expect("deny.toml lists them");
    assert!(platforms.len() > 1);
    if let Ok(packages) = packages(root(), &platforms, &["--offline"]) {
        let expected = document(&packages).expect("each crate has a licence");
        let first = expected.lines().zip(written.lines()).find(|(expected, written)| expected != written);
        assert!(expected == written, "THIRD-PARTY.txt is not up to date: {first:?}; {RENEW}");
        return;
    }
    // Crates of other systems are not on this machine: the ones of this system must be in the list.
    let host = env!("TRANSCOPE_BUILT_TARGET").to_owned();
    let packages = packages(root(), &[host], &["--offline"]).expect("the program was built from them");
    let listed: BTreeSet<&str> = written.lines().collect();
    let missing: Vec<String> =
        packages.iter().map(collect::Package::row).filter(|row| !listed.contains(row.as_str())).collect();
    assert!(missing.is_empty(), "THIRD-PARTY.txt lacks {missing:?}; {RENEW}");
}

#[test]
fn each_licence_is_one_that_is_allowed() {
    let rules = fs::read_to_string(root().join("deny.toml")).expect("the file is there");
    let written = fs::read_to_string(root().join("THIRD-PARTY.txt")).expect("the file is there");
    let list =
        written.split("\nCrates\n\n").nth(1).and_then(|rest| rest.split("\n\n").next()).expect("a list of crates");
    let mut count = 0;
    for row in list.lines() {
        let (name, licence) = row.trim().split_once(": ").expect("a row is a crate and its licence");
        let crate_name = name.split(' ').next().unwrap_or_default();
        let is_allowed = |part: &str| {
            let part = part.trim_matches(['(', ')', ' ']);
            rules.contains(&format!("\"{part}\","))
                || rules.contains(&format!("allow = [\"{part}\"], crate = \"{crate_name}\""))
        };
        let is_fine = licence.split(" AND ").all(|part| part.split(" OR ").any(is_allowed));
        assert!(is_fine, "{name} is under {licence}, which deny.toml does not allow");
        count += 1;
    }
    assert!(count > 200, "{count} crates");
    for needed in ["SQLite", "Syntax definitions: ", "Apache License", "Mozilla Public License"] {
        assert!(written.contains(needed), "{needed}");
    }
}
