//! `cost`: prints the cost of a transcript's calls in each dialect.

use std::io::Write;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::options::CommonArgs;
use super::outcome::ExitStatus;
use super::part::PartArgs;
use super::transcript::read_path;
use crate::convert::Calls;
use crate::cost::DialectCosts;
use crate::export::cost;

/// Compare what these calls would cost in each dialect, in bytes and estimated tokens
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  transcope cost session.md
  transcope cost --turns 1-3 session.jsonl
  transcope cost --format json session.md | jq -r '.dialects[0].dialect'")]
pub struct CostArgs {
    /// Transcript; - is standard input
    path: Option<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    format: CostFormat,
    #[command(flatten)]
    part: PartArgs,
    #[command(flatten)]
    pub(super) common: CommonArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum CostFormat {
    /// A table
    Text,
    /// One JSON object
    Json,
}

/// Runs `transcope cost` on the calls of a whole transcript.
pub fn run<W: Write>(args: &CostArgs, out: &mut W) -> anyhow::Result<ExitStatus> {
    let (setup, name, whole) = read_path(&args.common, args.path.as_deref())?;
    let part = args.part.of(&name, &whole.session)?;
    let is_in = |item: &usize| part.as_ref().is_none_or(|part| part.contains(*item));
    let calls = Calls::alone(&whole.session, whole.session.document().calls().filter(is_in));
    let found = DialectCosts::new(&calls, &setup.dialect);
    match args.format {
        CostFormat::Text => cost::write_text(out, &found)?,
        CostFormat::Json => cost::write_json(out, &found)?,
    }
    whole.outcome()
}
