//! What the operating system does for every part of the program: files, the clock, and signals that end the process.
//!
//! It knows neither transcripts nor words for people: what fails is an `io::Error`, and whoever asked names the thing.

pub mod clock;
pub mod disk;
pub mod library_panic;
pub mod made_folder;
pub mod signal;
pub mod small_file;
pub mod whole_file;
