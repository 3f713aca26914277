//! Where transcripts come from and where they go.
//!
//! - [`source`]: files, pipes, commands and archives, read or followed
//! - [`config`]: settings of the user and of a project
//! - [`corpus`]: tables of many sessions
//! - [`wording`], [`highlight`], [`graph_layout`]: texts, colours and drawings that the screen and reports share
//! - [`export`], [`cases`]: reports and formats; texts with their expected results
//!
//! The modules of lower crates are imported here, so that `crate::text` is the same module in all crates.

pub mod cases;
pub mod config;
pub mod corpus;
pub mod export;
pub mod graph_layout;
pub mod highlight;
pub mod source;
pub mod wording;

use transcope_session::{
    compare, context_usage, convert, cost, document, file_history, filter, lens, notes, redact, session, template,
    timeline,
};
use transcope_syntax::{container, dialect, prices, runtime, value};
use transcope_text::{diagnostic, system, text};

#[cfg(test)]
#[path = "../../../tests/shared/figures.rs"]
mod figures;
