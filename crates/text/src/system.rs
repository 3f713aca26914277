//! Services of the operating system: files, the clock, and signals that end the process.
//!
//! Independent of transcripts and of messages to the user: a failure is an `io::Error`, and the caller adds the
//! context.

pub mod clock;
pub mod disk;
pub mod library_panic;
pub mod made_folder;
pub mod signal;
pub mod small_file;
pub mod whole_file;
