//! The order of the project itself: which module may know which, which outside crate lives where, how long a file is
//! and what things are named, and that nothing lies about that nobody uses.
//!
//! A table here says what is allowed and why. Where the code teaches better, change the table in the same commit.

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
