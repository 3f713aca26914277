//! `stats`: prints failure rates of transcripts, grouped by properties of their calls and problems.
//!
//! They come from an index, or from the transcripts, each of which is dropped after counting.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Result, ensure};
use clap::{Args, ValueEnum};

use super::corpus::{CorpusSettings, FileBar, tell_copies, tell_missing};
use super::options::{CorpusArgs, TEXT_WIDTH};
use super::outcome::{ExitStatus, print_to_stderr};
use crate::corpus::counts::Dimension;
use crate::corpus::plan::Plan;
use crate::corpus::rows::FileKind;
use crate::corpus::statistics::{CorpusStatistics, StatisticsEvent};
use crate::corpus::store::Store;
use crate::export::statistics::{self, StatisticsReport};
use crate::source::folder::unread_message;
use crate::text::output::Output;
use crate::text::sanitize::visible_str;

/// Print failure rates by tool, dialect, model, day and kind of problem
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
    #[command(flatten)]
    pub(super) corpus: CorpusArgs,
    /// Group by tool, dialect, model, day, code or container; several, comma-separated, make one table of all combinations
    #[arg(long, value_name = "DIMENSIONS", value_delimiter = ',')]
    by: Vec<Dimension>,
    /// Most rows of a table [default: 10 of each without --by, else all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    top: Option<u32>,
    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    format: StatsFormat,
    /// Line width of the text format
    #[arg(long, value_name = "COLUMNS", default_value_t = TEXT_WIDTH)]
    width: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum StatsFormat {
    /// Tables with bars
    Text,
    /// One JSON object
    Json,
    /// Comma-separated values with a header line
    Csv,
}

/// Runs `transcope stats` on transcripts or an index. Files that could not be read are reported and counted.
///
/// # Errors
/// A setting, filter or path cannot be used, or the output is closed.
pub fn run<W: Write>(args: &StatsArgs, out: &mut Output<W>) -> Result<ExitStatus> {
    let settings = CorpusSettings::new(&args.corpus)?;
    let counted = match indexed(&args.corpus, &settings)? {
        Some(counted) => counted,
        None => read(&args.corpus, &settings)?,
    };
    tell_copies(counted.totals.copied_calls)?;
    let mut by = Vec::new();
    for dimension in &args.by {
        if !by.contains(dimension) {
            by.push(*dimension);
        }
    }
    let filter = args.corpus.filter.expression()?;
    let report = StatisticsReport {
        counts: &counted.counts,
        files: counted.totals.files,
        unread: counted.totals.unread,
        filter: filter.as_deref(),
        by: &by,
        top: args.top.map(|top| top as usize),
    };
    match args.format {
        StatsFormat::Text => statistics::write_text(out, &report, args.width)?,
        StatsFormat::Json => statistics::write_json(out, &report)?,
        StatsFormat::Csv => statistics::write_csv(out, &report)?,
    }
    Ok(ExitStatus::Success)
}

/// The statistics of the index that the path names, if it names one; reports the age of the index.
fn indexed(args: &CorpusArgs, settings: &CorpusSettings) -> Result<Option<CorpusStatistics>> {
    let [path] = &*args.paths else { return Ok(None) };
    let Some(store) = Store::open(path)? else { return Ok(None) };
    let name = visible_str(&path.to_string_lossy()).into_owned();
    ensure!(
        !settings.chooses(),
        "{name} is an index, which cannot be filtered or parsed with other options; name the transcripts"
    );
    match store.manifest.updated_at {
        Some(at) => print_to_stderr(&format!("index of {}", at.strftime("%Y-%m-%d %H:%M UTC")))?,
        None => print_to_stderr("the index is incomplete; run transcope index again to complete it")?,
    }
    CorpusStatistics::from_index(&store).map(Some)
}

fn read(args: &CorpusArgs, settings: &CorpusSettings) -> Result<CorpusStatistics> {
    let plan = Plan::new(&args.paths, &settings.choice)?;
    plan.unread.iter().try_for_each(|words| print_to_stderr(&format!("could not read {words}")))?;
    let (mut unread, mut missing) = (Vec::new(), Vec::new());
    let bar = FileBar::new();
    let counted = CorpusStatistics::from_files(&plan, &settings.reader(), settings.workers, &mut |event| {
        match event {
            StatisticsEvent::Rows(..) => {}
            StatisticsEvent::Unread(file, words) => unread.push(unread_message(Path::new(file), words)),
            StatisticsEvent::Missing(file, facts) => missing.push((Arc::from(*file), *facts)),
            StatisticsEvent::Progress(progress, _) => bar.show(*progress),
        }
        true
    })?;
    drop(bar);
    unread.iter().try_for_each(|words| print_to_stderr(&format!("could not read {words}")))?;
    tell_missing(&missing)?;
    if plan.files.iter().all(|file| file.kind == FileKind::Binary) {
        print_to_stderr("no transcripts found; check the name and --since")?;
    }
    Ok(counted.unwrap_or_default())
}
