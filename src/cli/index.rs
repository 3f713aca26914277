//! The options of `index`: where tables are written, and in which format.
//!
//! This module does not know what a table is.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::CorpusArgs;

/// Arguments and options of `transcope index`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  transcope index ~/.claude/projects -o claude
  transcope index logs -o out --format ndjson --since 30d
  transcope stats out
  duckdb -c \"SELECT tool, count(*) FROM 'out/calls/*.parquet' WHERE is_failure GROUP BY tool\"

Each table is a folder of numbered files: sessions, calls, problems, and counts, which sums up the
other two. CORPUS.md describes the columns, and how to query them with DuckDB, ClickHouse and Spark.

Run it again to update the tables: unchanged files are not read, and an interrupted run resumes
where it stopped. Another filter, format or way of parsing rebuilds them. A file that cannot be read
is a row of sessions, with the reason in the column error.")]
pub struct IndexArgs {
    /// Which transcripts, and how many of them at the same time.
    #[command(flatten)]
    pub corpus: CorpusArgs,
    /// Folder of the tables: created if it does not exist, else brought up to date
    #[arg(short, long, value_name = "DIR")]
    pub out: PathBuf,
    /// Format of the tables
    #[arg(long, value_enum, default_value = "parquet")]
    pub format: IndexFormat,
}

/// Formats of the tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum IndexFormat {
    /// Apache Parquet, compressed with Snappy
    Parquet,
    /// One JSON object per line, in gzip
    Ndjson,
    /// Comma-separated values, in gzip
    Csv,
}
