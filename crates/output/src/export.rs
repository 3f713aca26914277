//! Output formats, one per file.
//!
//! The schemas are a promise to scripts, editors and CI; keys are only ever added. These modules write to any
//! [`std::io::Write`], independent of the source and destination. Text from a transcript is sanitized here: by
//! `json_text` for JSON, by [`crate::text::sanitize`] for everything else.
//!
//! To add a format: a file here, a value and a line in its command.

pub mod baseline;
pub mod cost;
pub mod diff;
pub mod dot;
pub mod events;
pub mod file_patch;
pub mod findings;
mod folds;
pub mod github;
pub mod html;
pub mod issue;
pub mod json;
pub mod json_text;
pub mod lens;
pub mod lens_stream;
pub mod linear;
pub mod markdown;
pub mod matches;
pub mod matrix;
pub mod mermaid;
pub mod ndjson;
mod notes;
pub mod page;
mod problem_queue;
pub mod prompt;
pub mod prompt_growth;
pub mod prompt_roundtrip;
pub mod record;
pub mod redaction;
pub mod sarif;
mod session_facts;
pub mod session_list;
pub mod statistics;
pub mod text;
pub mod waves;
