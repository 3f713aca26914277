//! The options of `stats`: failure rates of many transcripts.
//!
//! This module does not know what is counted.

use clap::{Args, ValueEnum};

use super::{CorpusArgs, TEXT_WIDTH};
use crate::corpus::counts::Dimension;

/// Arguments and options of `transcope stats`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  transcope stats ~/.claude/projects
  transcope stats --by tool,model logs
  transcope stats --by day --since 7d logs
  transcope stats --by tool --top 20 --filter 'not tool:Bash' session.jsonl
  transcope stats --format json logs | jq '.by.tool[] | select(.failure_rate > 0.1)'
  transcope stats --format csv logs > stats.csv

Failures are calls that failed (their result reports it), were denied (by a user or a rule) or were
rejected (the runtime cannot read them); the failure rate is their share of the calls. By code,
problems are counted, and the calls that have such a problem. A day is the day of the call, in UTC. Calls
that the file itself withdraws later are not counted.

Without --by there is one table each for tool, dialect, model, day and code: the first ten rows as
text, all rows as JSON and CSV. Rows are sorted by number of failures; days are in order, and --top
keeps the latest.

Columns of csv, and keys of json:
  dimension, value     of the row, without --by; with it, a column for each dimension
  severity, problems   by code: the most severe problem, and their number
  calls, failures      number of calls, and of failures among them
  failed, rejected     failures that failed or were denied, and that were rejected
  skipped, unanswered  calls that would not run, and calls without a result
  failure_rate         failures by calls, from 0 to 1

PATH may also be an index made by transcope index: its counts are printed unchanged, and no
transcript is read. A file that cannot be read is named, and included in the number of files.")]
pub struct StatsArgs {
    /// Which transcripts are read.
    #[command(flatten)]
    pub corpus: CorpusArgs,
    /// Group by tool, dialect, model, day, code or container; several, comma-separated, make one table of all combinations
    #[arg(long, value_name = "DIMENSIONS", value_delimiter = ',')]
    pub by: Vec<Dimension>,
    /// Most rows of a table [default: 10 of each without --by, else all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub top: Option<u32>,
    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    pub format: StatsFormat,
    /// Line width of the text format
    #[arg(long, value_name = "COLUMNS", default_value_t = TEXT_WIDTH)]
    pub width: usize,
}

/// Output formats of `transcope stats`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum StatsFormat {
    /// Tables with bars
    Text,
    /// One JSON object
    Json,
    /// Comma-separated values with a header line
    Csv,
}
