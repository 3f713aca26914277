//! The options of `diff`: two transcripts, or one under two settings.
//!
//! This module does not know what is compared.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::CommonArgs;
use crate::config::ReadOptions;
use crate::dialect::{Examples, TextCalls};

/// Arguments and options of `transcope diff`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  transcope diff before.md after.md
  transcope diff --screen before.md after.md
  transcope diff session.md --with-dialect gadget
  transcope diff session.md --with-examples prose --with-schema tools.json
  transcope diff --format json before.md after.md | jq '.rows[] | select(.kind != \"same\")'

Exit status:
  0 no difference, 1 at least one, 2 a transcript could not be read")]
pub struct DiffArgs {
    /// Left transcript; - is standard input
    pub left: PathBuf,
    /// Right transcript [default: the left one, parsed with the --with options]
    #[arg(required_unless_present = "with")]
    pub right: Option<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    pub format: DiffFormat,
    /// Show both side by side in the terminal UI
    #[arg(long, conflicts_with = "format")]
    pub screen: bool,
    /// What is different on the right.
    #[command(flatten)]
    pub with: WithArgs,
    /// How to read and show both.
    #[command(flatten)]
    pub common: CommonArgs,
}

/// Output formats of `transcope diff`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DiffFormat {
    /// Plain text for people
    Text,
    /// One JSON object
    Json,
}

/// [`ReadOptions`] of the right side, where they differ from the shared ones.
#[derive(Clone, Debug, Default, Args)]
#[group(id = "with", multiple = true)]
pub struct WithArgs {
    /// Read only calls in this dialect; repeatable
    #[arg(long, value_name = "NAME", help_heading = "Parsing the right side")]
    pub with_dialect: Vec<String>,
    /// Read also calls in the dialect that this YAML file declares; repeatable
    #[arg(long, value_name = "FILE", help_heading = "Parsing the right side")]
    pub with_dialect_file: Vec<PathBuf>,
    /// Container format of the file
    #[arg(long, value_name = "NAME", help_heading = "Parsing the right side")]
    pub with_container: Option<String>,
    /// JSON file that maps tool names to the JSON Schemas of their parameters
    #[arg(long, value_name = "FILE", help_heading = "Parsing the right side")]
    pub with_schema: Option<PathBuf>,
    /// Read as this runtime does, or one of its parsers
    #[arg(long, value_name = "NAME", help_heading = "Parsing the right side")]
    pub with_runtime: Option<String>,
    /// What markers in code fences and quotations are
    #[arg(long, value_name = "WHAT", help_heading = "Parsing the right side")]
    pub with_examples: Option<Examples>,
    /// Whether to search the model's text for calls
    #[arg(long, value_name = "WHEN", help_heading = "Parsing the right side")]
    pub with_text_calls: Option<TextCalls>,
    /// Start marker of gadget blocks
    #[arg(long, value_name = "S", help_heading = "Parsing the right side", allow_hyphen_values = true)]
    pub with_start_prefix: Option<String>,
    /// End marker of gadget blocks
    #[arg(long, value_name = "S", help_heading = "Parsing the right side", allow_hyphen_values = true)]
    pub with_end_prefix: Option<String>,
    /// Argument marker of gadget blocks
    #[arg(long, value_name = "S", help_heading = "Parsing the right side", allow_hyphen_values = true)]
    pub with_arg_prefix: Option<String>,
    /// Report more than one triple-caret block in a message as an error
    #[arg(long, help_heading = "Parsing the right side")]
    pub with_one_call_per_message: bool,
}

impl WithArgs {
    /// The options of the right side: these, and otherwise the shared ones.
    pub fn over(self, both: &CommonArgs) -> CommonArgs {
        let read = ReadOptions {
            dialects: self.with_dialect,
            dialect_files: self.with_dialect_file,
            declarations: Vec::new(),
            container: self.with_container,
            schema: self.with_schema,
            runtime: self.with_runtime,
            examples: self.with_examples,
            text_calls: self.with_text_calls,
            start_prefix: self.with_start_prefix,
            end_prefix: self.with_end_prefix,
            arg_prefix: self.with_arg_prefix,
            one_call_per_message: self.with_one_call_per_message,
        };
        CommonArgs { read: read.or(both.read.clone()), ..both.clone() }
    }
}
