//! The options of `test`: cases with their expected results.
//!
//! This module does not know how a case is read.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// Arguments and options of `transcope test`.
#[derive(Debug, Args)]
#[command(after_help = "\
A case is a transcript NAME.txt with its expected result, NAME.expected.json, next to it. The member options of the latter
may set dialects, examples, start_prefix, end_prefix, arg_prefix, schema (a file next to it), one_call_per_message and
container. Each case is parsed as a whole, byte by byte and in random chunks. In the terminal UI, S saves the current
transcript as a case.

Examples:
  transcope test prompts/cases --update   write the expected results, to be reviewed and committed
  transcope test prompts/cases
  transcope test --format json prompts/cases | jq '.cases[] | select(.passed | not)'

Exit status:
  0 all cases pass, 1 a case fails, 2 there are no cases, or one could not be read")]
pub struct TestArgs {
    /// Folder with the cases
    pub folder: PathBuf,
    /// Write the expected results of new and failing cases
    #[arg(long)]
    pub update: bool,
    /// Output format
    #[arg(long, value_enum, default_value = "human")]
    pub format: TestFormat,
}

/// Output formats of `transcope test`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TestFormat {
    /// One line per case, its differences, and a summary
    Human,
    /// One JSON object
    Json,
}
