//! The options of `lens`: what the runtimes make of a message.
//!
//! This module does not know which runtimes there are.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::CommonArgs;
use crate::location::Location;

/// Arguments and options of `transcope lens`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  transcope lens --schema tools.json answer.txt
  transcope lens --runtime vllm --dialect hermes answer.txt
  transcope lens --format json answer.txt | jq -r '.[] | select(.outcome.error) | .parser'

Each parser of the dialect reads the text as a whole message of the model; parsers that deliver the same are listed
together. --schema names the tools of the request: many parsers deliver nothing without them, or no tool that is
unknown to them. Of a recorded session the first message with a call is read; --at chooses another.
transcope dialects --conformance says how well each parser is known.")]
pub struct LensArgs {
    /// Texts or transcripts; - is standard input
    #[arg(value_name = "PATH", required = true)]
    pub paths: Vec<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    pub format: LensFormat,
    /// Read the message at LINE, LINE:COLUMN or +BYTE of the file, or with the call of this id
    #[arg(long, value_name = "PLACE")]
    pub at: Option<Location>,
    /// How to read it.
    #[command(flatten)]
    pub common: CommonArgs,
}

/// Output formats of `transcope lens`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LensFormat {
    /// Plain text for people
    Text,
    /// A JSON array for each file: what each parser delivers, and why
    Json,
    /// The same, one array a line
    Ndjson,
}
