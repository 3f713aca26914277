//! The options of `convert` and `cost`: calls in other dialects.
//!
//! This module does not know which dialects there are.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::CommonArgs;

/// Arguments and options of `transcope convert`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  transcope convert --to hermes session.md > session.hermes.txt
  transcope convert --to gadget --dialect xml session.md

Whatever the target dialect cannot express is reported on standard error, one line each. Text outside calls is left
unchanged; for a recorded session, the decoded text is printed.")]
pub struct ConvertArgs {
    /// Transcript; - is standard input
    pub path: Option<PathBuf>,
    /// Dialect to write the calls in
    #[arg(long, value_name = "DIALECT")]
    pub to: String,
    /// How to read and show it.
    #[command(flatten)]
    pub common: CommonArgs,
}

/// Arguments and options of `transcope cost`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  transcope cost session.md
  transcope cost --format json session.md | jq -r '.dialects[0].dialect'")]
pub struct CostArgs {
    /// Transcript; - is standard input
    pub path: Option<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    pub format: CostFormat,
    /// How to read and show it.
    #[command(flatten)]
    pub common: CommonArgs,
}

/// Output formats of `transcope cost`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CostFormat {
    /// A table
    Text,
    /// One JSON object
    Json,
}
