//! transcope opens or follows the transcript of a language-model agent and shows how a runtime reads it: prose,
//! tool calls, parameter trees, dependencies and problems, each with its bytes.
//!
//! This crate is the surface: the commands ([`command`], [`cli`]) and the terminal UI ([`tui`]), and the [`guide`]. The rooms below it are in the
//! crates of `crates/`, from the lowest to the highest:
//!
//! - `transcope-text`: [`system`], [`text`], [`diagnostic`]
//! - `transcope-syntax`: [`value`], [`container`], [`prices`], [`runtime`], [`dialect`]
//! - `transcope-session`: [`document`], [`session`] and what is asked of them
//! - `transcope-output`: [`source`], [`config`], [`corpus`], [`export`] and what they share with the screen

pub mod cli;
pub mod command;
pub mod guide;
pub mod tui;

pub use transcope_output::{cases, config, corpus, export, graph_layout, highlight, source, wording};
pub use transcope_session::{
    compare, context_usage, convert, cost, document, file_history, filter, lens, location, notes, proposal, redact,
    repair, session, snippet, template, timeline,
};
pub use transcope_syntax::{container, dialect, prices, runtime, value};
pub use transcope_text::{diagnostic, system, text};

#[cfg(test)]
#[path = "../tests/shared/figures.rs"]
mod figures;
