//! Text of transcripts, problems in it, and files: what all other crates of transcope build on.
//!
//! - [`system`]: files that are complete or absent, the clock, signals
//! - [`text`]: bytes, spans, lines, offsets, and what is safe to show
//! - [`diagnostic`]: problems as data, with a page for each code

pub mod diagnostic;
pub mod system;
pub mod text;

#[cfg(test)]
#[path = "../../../tests/shared/figures.rs"]
mod figures;
