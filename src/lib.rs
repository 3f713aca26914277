//! transcope opens or follows the transcript of a language-model agent and shows what a runtime makes of it: prose,
//! tool calls, parameter trees, dependencies and problems, each with its bytes.
//!
//! The layers, each of which imports only from those above it in this list:
//!
//! - [`system`]: files that are whole or not there, the clock, signals
//! - [`text`], [`diagnostic`]: bytes, spans, lines, problems as data
//! - [`container`], [`dialect`], [`value`]: files around a text, syntaxes of calls, values
//! - [`document`], [`notes`]: what was found, and questions about it; what a person noted on it
//! - [`session`], [`filter`]: bytes in, document out; which items of it are meant
//! - [`repair`], [`compare`], [`convert`], [`cost`]: what a text should have been, what differs, calls in other dialects
//! - [`highlight`], [`graph_layout`]: the colours of code, drawings of dependencies
//! - [`snippet`], [`wording`], [`export`], [`source`], [`config`]: problems with their lines, texts that the screen and reports
//!   share, formats, where bytes come from, settings
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
