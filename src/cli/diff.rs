//! The options of `diff`: two transcripts, or one under two settings.
//!
//! This module does not know what is compared.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{CommonArgs, ExamplesChoice};

/// Options of `diff`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  transcope diff before.md after.md
  transcope diff --screen before.md after.md
  transcope diff session.md --with-dialect gadget
  transcope diff session.md --with-examples prose --with-schema tools.json
  transcope diff --format json before.md after.md | jq '.rows[] | select(.kind != \"same\")'

Exit status:
  0 nothing differs, 1 something does, 2 a transcript could not be read")]
pub struct DiffArgs {
    /// The transcript on the left; - is standard input
    pub left: PathBuf,
    /// The one on the right [default: the left one, read with the --with settings]
    #[arg(required_unless_present = "with")]
    pub right: Option<PathBuf>,
    /// What to print
    #[arg(long, value_enum, default_value = "text")]
    pub format: DiffFormat,
    /// Show both side by side instead of printing
    #[arg(long, conflicts_with = "format")]
    pub screen: bool,
    /// What is other on the right.
    #[command(flatten)]
    pub with: WithArgs,
    /// How to read both.
    #[command(flatten)]
    pub common: CommonArgs,
}

/// What `diff` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DiffFormat {
    /// What a person reads
    Text,
    /// One JSON object
    Json,
}

/// Settings of the right side of `diff`, where they are not those of both.
#[derive(Clone, Debug, Default, Args)]
#[group(id = "with", multiple = true)]
pub struct WithArgs {
    /// Read only calls in this dialect on the right; repeatable
    #[arg(long, value_name = "NAME", help_heading = "Reading the right side")]
    pub with_dialect: Vec<String>,
    /// What the file on the right is around the text
    #[arg(long, value_name = "NAME", help_heading = "Reading the right side")]
    pub with_container: Option<String>,
    /// JSON file from tool names to the JSON Schemas of their parameters
    #[arg(long, value_name = "FILE", help_heading = "Reading the right side")]
    pub with_schema: Option<PathBuf>,
    /// What markers in code fences and quotations are
    #[arg(long, value_name = "WHAT", help_heading = "Reading the right side")]
    pub with_examples: Option<ExamplesChoice>,
    /// Start marker of gadget blocks
    #[arg(long, value_name = "S", help_heading = "Reading the right side", allow_hyphen_values = true)]
    pub with_start_prefix: Option<String>,
    /// End marker of gadget blocks
    #[arg(long, value_name = "S", help_heading = "Reading the right side", allow_hyphen_values = true)]
    pub with_end_prefix: Option<String>,
    /// Argument marker of gadget blocks
    #[arg(long, value_name = "S", help_heading = "Reading the right side", allow_hyphen_values = true)]
    pub with_arg_prefix: Option<String>,
    /// More than one triple-caret block in a message is an error
    #[arg(long, help_heading = "Reading the right side")]
    pub with_one_call_per_message: bool,
}

impl WithArgs {
    /// The settings of the right side: those of both, and what is other.
    pub fn over(&self, both: &CommonArgs) -> CommonArgs {
        let Self { with_dialect, with_container, with_schema, with_examples, .. } = self.clone();
        CommonArgs {
            dialects: if with_dialect.is_empty() { both.dialects.clone() } else { with_dialect },
            container: with_container.or_else(|| both.container.clone()),
            schema: with_schema.or_else(|| both.schema.clone()),
            examples: with_examples.or(both.examples),
            start_prefix: self.with_start_prefix.clone().or_else(|| both.start_prefix.clone()),
            end_prefix: self.with_end_prefix.clone().or_else(|| both.end_prefix.clone()),
            arg_prefix: self.with_arg_prefix.clone().or_else(|| both.arg_prefix.clone()),
            one_call_per_message: self.with_one_call_per_message || both.one_call_per_message,
            ..both.clone()
        }
    }
}
