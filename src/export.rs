//! What was found, written down: a file for each format.
//!
//! The shapes are a promise to scripts, editors and CI; keys are only ever added. These modules write to any
//! [`std::io::Write`] and do not know where the bytes come from or go to. What came from a transcript is made harmless here:
//! `json_text` for JSON, [`crate::text::sanitize`] for everything else.
//!
//! To add a format: a file here, a value and a line in its command.

pub mod baseline;
pub mod cost;
pub mod diff;
pub mod dot;
pub mod events;
mod folds;
pub mod github;
pub mod html;
pub mod issue;
pub mod json;
pub mod json_text;
pub mod lens;
pub mod linear;
pub mod markdown;
pub mod matches;
pub mod mermaid;
pub mod ndjson;
mod notes;
pub mod page;
mod problem_queue;
pub mod record;
pub mod sarif;
mod session_facts;
pub mod session_list;
pub mod statistics;
pub mod text;
pub mod waves;
