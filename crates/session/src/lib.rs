//! Transcripts of language-model agents as data: messages, tool calls, results and problems, each with its bytes; the outcome
//! that runtimes deliver for a message; prompts of chat templates. This is the library for other programs. It needs no terminal
//! and no network: bytes in, a document out.
//!
//! ```
//! use transcope_session::dialect::Options;
//! use transcope_session::session::Session;
//!
//! let text = b"!!!GADGET_START:Greet\n!!!ARG:name\nAda\n!!!ARG:name\nGrace\n!!!GADGET_END\n";
//! let session = Session::read(text, &Options::default());
//! let problem = session.document().sorted_diagnostics().next().expect("a pointer is given twice");
//! assert_eq!(problem.code.name(), "duplicate-pointer");
//! assert_eq!(session.position(problem.span.start).line, 4);
//! ```
//!
//! | module | for |
//! |---|---|
//! | [`session`] | reading: [`Session::read`](session::Session::read) for a whole text, `push` and `finish` for one that arrives |
//! | [`document`] | what was read: messages, items, calls, results, turns, requests, the graph of dependencies |
//! | [`diagnostic`] | problems: code, severity, span, expected and found text, remedy |
//! | [`lens`] | one message as the parsers of vLLM, SGLang, llama.cpp and others read it |
//! | [`template`] | the prompt that a chat template writes, and where its bytes come from |
//!
//! [`text`], [`value`], [`container`], [`dialect`] and [`runtime`] have the types that these take and return. The examples
//! `check` (calls, arguments, problems), `totals` (a recorded session) and `prompt` (a chat template and the lens) are complete
//! programs.
//!
//! # Promises
//!
//! The promise covers the modules of the table and the types that their functions take and return. Before 1.0, a new minor
//! version (0.2) may change them, and the changelog says how; a patch (0.1.1) only adds fields, variants and problem codes. So
//! build options with `..Default::default()`, and match enumerations with a `_` arm. Everything else is internal to transcope
//! and changes without notice, as do the crates below this one. The JSON that the program prints is promised more: keys are
//! only ever added, and `schema_version` rises when one changes its meaning or is removed.
//!
//! # Internal
//!
//! - [`notes`], [`filter`], [`location`]: notes of the user; selecting items; `file:line:column`
//! - [`file_history`]: the files that a session reads and changes
//! - [`repair`], [`compare`], [`convert`], [`cost`], [`proposal`]: corrections, differences, calls in other dialects
//!   and their tokens, dialects proposed from examples
//! - [`context_usage`]: the parts of a conversation that fill the context of a request
//! - [`timeline`]: when the model wrote its answers and when calls ran
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
pub mod timeline;

pub use transcope_syntax::{container, dialect, runtime, value};
pub use transcope_text::{diagnostic, text};

use transcope_syntax::prices;
use transcope_text::system;
