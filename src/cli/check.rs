//! The options of `check`.
//!
//! This module does not know which problems there are.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{CommonArgs, FilterArgs};

/// Arguments and options of `transcope check`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  transcope check session.md
  transcope check --deny warnings logs/*.txt
  transcope check --deny tool-failed session.jsonl
  transcope check --max near-miss-marker=0 --max odd-key=3 session.md
  transcope check --filter 'tool:WriteFile' session.md
  transcope check --format sarif --redact session.md > session.sarif
  transcope check --format json logs > known.json; transcope check --baseline known.json logs

With --baseline, what FILE has is known: it is not reported, and neither the exit status nor the
counts regard it. A problem is recognised by its code, the file's name, the tool and the text of its
line, wherever that stands. What is gone is listed; json marks each problem as known or not, and
SARIF has baselineState.")]
pub struct CheckArgs {
    /// Transcripts or directories of them; - is standard input
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value = "human")]
    pub format: CheckFormat,
    /// Exit with 1 for warnings, or for problems with this code, too; repeatable
    #[arg(long, value_name = "warnings|CODE")]
    pub deny: Vec<String>,
    /// Allow up to N problems with this code and exit with 1 if there are more; repeatable
    #[arg(long = "max", value_name = "CODE=N")]
    pub limits: Vec<String>,
    /// Report messages of which runtimes make different things [LIST: vllm,sglang:hermes; default: all that are known]
    ///
    /// Name the tools of the request with --schema: many parsers deliver nothing without them. Parsers that are known
    /// too little (dialects --conformance) are left out, unless they are named.
    #[arg(long, value_name = "LIST", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    pub portable: Option<String>,
    /// Report only what is new since FILE, an earlier output of --format json
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,
    /// Replace secrets, mail addresses, private hosts and names of users, in the lines that are shown by asterisks
    #[arg(long, conflicts_with = "baseline")]
    pub redact: bool,
    /// Whose problems to report; without an expression, all items.
    #[command(flatten)]
    pub filter: FilterArgs,
    /// Number of threads that read and check [default: one for each processor]
    #[arg(short = 'j', long, value_name = "N")]
    pub jobs: Option<NonZeroUsize>,
    /// How to read and show them.
    #[command(flatten)]
    pub common: CommonArgs,
}

/// Output formats of `transcope check`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CheckFormat {
    /// Each problem with the lines it concerns
    Human,
    /// One JSON object
    Json,
    /// SARIF 2.1.0
    Sarif,
    /// GitHub workflow annotations
    Github,
}
