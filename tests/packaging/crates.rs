//! The crates that are published have what they need, and no tests.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;

use super::{cargo, root, run};

/// The crates in the order in which they are published: each needs the ones before it.
const CRATES: [&str; 5] = ["transcope-text", "transcope-syntax", "transcope-session", "transcope-output", "transcope"];

fn files_of(package: &str) -> BTreeSet<String> {
    let list = run(cargo().args(["package", "--list", "--allow-dirty", "--offline", "--locked", "-p", package]));
    list.lines().map(|line| line.replace('\\', "/")).collect()
}

/// The paths of pictures in the text of a page.
fn pictures(page: &str) -> impl Iterator<Item = &str> {
    let quoted = page.split('"').skip(1).step_by(2);
    quoted.filter(|text| !text.contains("://") && [".svg", ".png", ".gif"].iter().any(|end| text.ends_with(end)))
}

#[test]
fn a_package_has_its_licences_and_pictures_and_no_tests() {
    for package in CRATES {
        let files = files_of(package);
        assert!(files.contains("LICENSE") && files.contains("Cargo.lock"), "{package}");
        let is_test = |path: &&String| {
            Path::new(path).extension() == Some("snap".as_ref())
                || path.starts_with("tests/")
                || path.contains("/tests/")
                || path.ends_with("/tests.rs")
        };
        assert_eq!(files.iter().find(is_test), None, "{package}");
    }
    let files = files_of("transcope-session");
    for example in ["check", "prompt", "totals"] {
        assert!(files.contains(&format!("examples/{example}.rs")), "{example}");
    }
    let files = files_of("transcope");
    let readme = fs::read_to_string(root().join("README.md")).expect("the README");
    let mut count = 0;
    for picture in pictures(&readme) {
        assert!(files.contains(picture), "the README shows {picture}");
        count += 1;
    }
    assert!(count > 0, "the README shows pictures");
    for needed in ["THIRD-PARTY.txt", "docs/commands.md", "themes/dark.yaml", "samples/demo.txt", "build.rs"] {
        assert!(files.contains(needed), "{needed}");
    }
    let source =
        |path: &&String| path.starts_with("examples/") || path.starts_with("crates/") || path.starts_with("fuzz/");
    assert_eq!(files.iter().find(source), None);
}

#[test]
fn each_crate_names_its_licence_and_authors_and_needs_only_earlier_ones() {
    let metadata = run(cargo().args(["metadata", "--format-version=1", "--no-deps", "--offline", "--locked"]));
    let metadata: Value = serde_json::from_str(&metadata).expect("it is JSON");
    let packages = metadata["packages"].as_array().expect("a list");
    let published = packages.iter().filter(|package| package["publish"].is_null());
    let names: BTreeSet<&str> = published.clone().filter_map(|package| package["name"].as_str()).collect();
    assert_eq!(names, CRATES.into_iter().collect());
    for package in published {
        let name = package["name"].as_str().expect("a name");
        assert_eq!(package["license"], "MIT", "{name}");
        assert_eq!(package["authors"][0], "The transcope authors", "{name}");
        assert!(package["description"].as_str().is_some_and(|words| words.len() > 20), "{name}");
        // An address that does not exist must not be published.
        for address in ["repository", "homepage", "documentation"] {
            let page = fs::read_to_string(root().join("docs/release.md")).expect("the page");
            assert!(
                package[address].is_null() || !page.contains("There is no public address yet"),
                "{name}: {address}"
            );
        }
        let place = CRATES.iter().position(|known| *known == name).expect("it is in the list");
        for dependency in package["dependencies"].as_array().into_iter().flatten() {
            let of = dependency["name"].as_str().unwrap_or_default();
            if let Some(other) = CRATES.iter().position(|known| *known == of) {
                assert!(other < place || dependency["kind"] == "dev", "{name} needs {of}");
                assert_eq!(dependency["req"], format!("={}", package["version"].as_str().unwrap_or_default()));
            }
        }
    }
    let page = fs::read_to_string(root().join("docs/release.md")).expect("the page");
    let order: Vec<&str> = page.lines().filter_map(|line| line.trim().strip_prefix("cargo publish -p ")).collect();
    assert_eq!(order, CRATES, "docs/release.md publishes them in order");
}
