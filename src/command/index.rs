//! `index`: writes tables of many transcripts, or updates them.

use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::Result;
use clap::{Args, ValueEnum};

use super::corpus::{CorpusSettings, FileBar, tell_copies, tell_missing};
use super::options::CorpusArgs;
use super::outcome::{ExitStatus, print_to_stderr};
use crate::config::places;
use crate::corpus::format::TableFormat;
use crate::corpus::registry;
use crate::corpus::update::{UpdateReport, UpdateRequest, update};
use crate::text::output::Output;
use crate::text::sanitize::visible_str;
use crate::wording::count;

/// Write the sessions, calls and problems of many transcripts as tables for query engines
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
    #[command(flatten)]
    pub(super) corpus: CorpusArgs,
    /// Folder of the tables: created if it does not exist, else brought up to date
    #[arg(short, long, value_name = "DIR")]
    out: PathBuf,
    /// Format of the tables
    #[arg(long, value_enum, default_value = "parquet")]
    format: IndexFormat,
}

/// Formats of the tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum IndexFormat {
    /// Apache Parquet, compressed with Snappy
    Parquet,
    /// One JSON object per line, in gzip
    Ndjson,
    /// Comma-separated values, in gzip
    Csv,
}

/// Runs `transcope index`. Files that could not be read are reported, and have a row.
pub fn run<W: Write>(args: &IndexArgs, out: &mut Output<W>) -> Result<ExitStatus> {
    let corpus = CorpusSettings::new(&args.corpus)?;
    let format = match args.format {
        IndexFormat::Parquet => TableFormat::Parquet,
        IndexFormat::Ndjson => TableFormat::Ndjson,
        IndexFormat::Csv => TableFormat::Csv,
    };
    let request = UpdateRequest {
        paths: &args.corpus.paths,
        out: &args.out,
        format,
        reader: corpus.reader(),
        workers: corpus.workers,
    };
    let bar = FileBar::new();
    let report = update(&request, &mut |progress| bar.show(progress))?;
    drop(bar);
    if report.totals.files == 0 {
        let without = match report.binary {
            0 => String::new(),
            files => format!("; {} without text", count(files, "file")),
        };
        print_to_stderr(&format!("no transcripts found{without}"))?;
    }
    report.unread.iter().try_for_each(|words| print_to_stderr(&format!("could not read {words}")))?;
    tell_missing(&report.missing)?;
    writeln!(out, "{}", summary(&report, args))?;
    tell_copies(report.totals.copied_calls)?;
    remember(args);
    Ok(ExitStatus::Success)
}

/// One line with the counts of the update and of the updated index.
fn summary(report: &UpdateReport, args: &IndexArgs) -> String {
    let UpdateReport { read, kept, gone, totals, .. } = report;
    let gone = if *gone > 0 { format!(", {gone} gone") } else { String::new() };
    let unread = if totals.unread > 0 { format!(", {} unreadable", totals.unread) } else { String::new() };
    format!(
        "{}: {} in {}, {}, {}; {read} read, {kept} unchanged{gone}{unread}",
        visible_str(&args.out.to_string_lossy()),
        count(totals.sessions, "session"),
        count(totals.files, "file"),
        count(totals.calls, "call"),
        count(totals.failures, "failure"),
    )
}

/// Registers the index, so that statistics of its folders use it. On failure they are counted from the transcripts.
fn remember(args: &IndexArgs) {
    let folders: io::Result<Vec<_>> = args.corpus.paths.iter().map(std::path::absolute).collect();
    if let (Some(registry), Ok(folders)) = (places::own_indexes(), folders) {
        let folders: Vec<String> = folders.iter().map(|folder| folder.to_string_lossy().into_owned()).collect();
        _ = registry::remember(&registry, &args.out, &folders);
    }
}
