//! The structure of the project: allowed imports between modules, homes of outside crates, lengths of files, names, and
//! unused files.
//!
//! A table here states what is allowed and why. If the code suggests something better, change the table in the same
//! commit.

mod cycles;
mod data;
mod files;
mod glossary;
mod homes;
mod layers;
mod levels;
mod paths;
mod phrases;
mod recipes;
mod source;
mod words;

#[track_caller]
fn none(faults: &[String]) {
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}
