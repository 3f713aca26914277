//! The options of `test`: cases with their expected results.
//!
//! This module does not know how a case is read.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// Options of `test`.
#[derive(Debug, Args)]
#[command(after_help = "\
A case is a text NAME.txt and, beside it, what is expected of it: NAME.expected.json. Its member options may have
dialects, examples, start_prefix, end_prefix, arg_prefix, schema (a file beside it), one_call_per_message and container.
Each case is read whole, byte by byte and in random cuts. In the terminal UI, S saves what is shown as a case.

Examples:
  transcope test prompts/cases --update   write what is expected, to be read and committed
  transcope test prompts/cases
  transcope test --format json prompts/cases | jq '.cases[] | select(.passed | not)'

Exit status:
  0 all pass, 1 some fail, 2 there is no case, or one cannot be read")]
pub struct TestArgs {
    /// The folder with the cases
    pub folder: PathBuf,
    /// Write what is expected of cases that fail or are new, beside them and nowhere else
    #[arg(long)]
    pub update: bool,
    /// What to print
    #[arg(long, value_enum, default_value = "human")]
    pub format: TestFormat,
}

/// What `test` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TestFormat {
    /// A line for each case, what differs, and how many pass
    Human,
    /// One JSON object
    Json,
}
