//! The options of `export`: a report to share.
//!
//! This module does not know how a report looks.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::CommonArgs;

/// Options of `export`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  transcope export --to html -o report.html session.jsonl
  transcope export --to markdown --redact session.jsonl > ticket.md

The page needs nothing beside itself and runs nothing. A file that exists is not written over. Secrets are found by
their form, by what stands in front of them, and by the names of parameters: look the report over all the same.")]
pub struct ExportArgs {
    /// The transcript; - is standard input
    pub path: PathBuf,
    /// What to write
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub to: ExportFormat,
    /// The file to write [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Take out secrets of known kinds: keys, tokens, passwords
    #[arg(long)]
    pub redact: bool,
    /// How to read it.
    #[command(flatten)]
    pub common: CommonArgs,
}

/// What `export` writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// A page for a browser
    Html,
    /// Text for a ticket
    Markdown,
    /// What parse prints
    Json,
}
