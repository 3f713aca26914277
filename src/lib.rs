//! transcope opens or follows the transcript of a language-model agent and shows how a runtime reads it: prose,
//! tool calls, parameter trees, dependencies and problems, each with its bytes.
//!
//! The layers, each of which imports only from those above it in this list:
//!
//! - [`system`]: files written completely or not at all, the clock, signals
//! - [`text`], [`diagnostic`]: bytes, spans, lines, problems as data
//! - [`container`], [`dialect`], [`value`]: file formats of transcripts, syntaxes of calls, values
//! - [`document`], [`notes`]: the parsed items, and queries about them; the user's notes on them
//! - [`session`], [`filter`]: bytes in, document out; selections of its items
//! - [`repair`], [`compare`], [`convert`], [`cost`]: corrections, differences, calls in other dialects, costs
//! - [`highlight`], [`graph_layout`]: syntax highlighting, drawings of dependencies
//! - [`snippet`], [`wording`], [`export`], [`source`], [`config`]: problems with their lines, texts shared by screen
//!   and reports, output formats, sources of bytes, settings
//! - [`cases`]: texts with their expected results
//! - [`command`], [`tui`], [`cli`]: the commands, the terminal UI, the command line

pub mod cases;
pub mod cli;
pub mod command;
pub mod compare;
pub mod config;
pub mod container;
pub mod convert;
pub mod corpus;
pub mod cost;
pub mod diagnostic;
pub mod dialect;
pub mod document;
pub mod export;
pub mod filter;
pub mod graph_layout;
pub mod highlight;
pub mod lens;
pub mod location;
pub mod notes;
pub mod prices;
pub mod proposal;
pub mod redact;
pub mod repair;
pub mod runtime;
pub mod session;
pub mod snippet;
pub mod source;
pub mod system;
pub mod text;
pub mod tui;
pub mod value;
pub mod wording;

#[cfg(test)]
#[path = "../tests/shared/figures.rs"]
mod figures;
