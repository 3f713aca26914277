//! The length of a file, its first line, and names that it must not have.

use super::source::{files, read, root, source_folders, sources};

/// Most lines of a file.
const LONGEST: usize = 500;

/// Highest median of the lengths of all source files, without their tests, in lines.
const MEDIAN: usize = 150;

#[test]
fn every_file_says_what_it_is_and_is_short() {
    let mut faults = Vec::new();
    let others = ["tests", "benches", "examples", "fuzz/src", "crates/session/tests", "crates/session/examples"]
        .map(str::to_owned);
    for folder in source_folders().into_iter().chain(others) {
        let place = root().join(&folder);
        for path in files(&place).into_iter().filter(|path| path.extension() == Some("rs".as_ref())) {
            let text = read(&place.join(&path));
            let shown = path.display();
            let is_of_tests = path.ends_with("tests.rs") && folder.ends_with("src");
            if !is_of_tests && !text.starts_with("//! ") {
                faults.push(format!("{folder}/{shown}: does not begin with //!"));
            }
            let lines = text.lines().count();
            if lines > LONGEST {
                faults.push(format!("{folder}/{shown}: {lines} lines"));
            }
            let name = path.file_stem().and_then(|name| name.to_str()).expect("a plain name");
            if ["mod", "utils", "util", "helpers", "common", "misc", "manager"].contains(&name) {
                faults.push(format!("{folder}/{shown}: is named after nothing"));
            }
        }
    }
    super::none(&faults);
}

#[test]
fn half_of_the_files_are_read_at_a_glance() {
    let mut lengths: Vec<usize> = sources().values().map(|source| source.lines).collect();
    lengths.sort_unstable();
    let median = lengths[lengths.len() / 2];
    assert!(median <= MEDIAN, "half of the files have {median} lines or more");
}
