//! Sessions: bytes in, a document out, and questions about it.
//!
//! - [`document`], [`notes`]: messages, calls, results, turns and their graph; the user's notes on them
//! - [`lens`]: one message as several runtimes read it
//! - [`session`], [`filter`], [`location`]: reading a text as it arrives; selecting items of it; `file:line:column`
//! - [`file_history`]: the files that a session reads and changes
//! - [`repair`], [`compare`], [`convert`], [`cost`], [`proposal`]: corrections, differences, calls in other dialects
//!   and their tokens, dialects proposed from examples
//! - [`template`]: the prompt that a model is shown, and where its bytes come from
//! - [`context_usage`]: the parts of a conversation that fill the context of a request
//! - [`redact`], [`snippet`]: secrets and private data; problems with their lines
//!
//! The modules of lower crates are imported here, so that `crate::text` is the same module in all crates.

pub mod compare;
pub mod context_usage;
pub mod convert;
pub mod cost;
pub mod document;
pub mod file_history;
pub mod filter;
pub mod lens;
pub mod location;
pub mod notes;
pub mod proposal;
pub mod redact;
pub mod repair;
pub mod session;
pub mod snippet;
pub mod template;

use transcope_syntax::{container, dialect, prices, runtime, value};
use transcope_text::{diagnostic, system, text};
