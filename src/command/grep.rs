//! `grep`: prints the items of transcripts that match a filter.
//!
//! A file is printed as soon as it is read, and then dropped.

use std::io::Write;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::folders::read_each;
use super::options::CommonArgs;
use super::outcome::ExitStatus;
use super::part::PartArgs;
use super::transcript::{filter_of, setup};
use crate::export::matches::{MatchFormat, MatchWriter};
use crate::filter::Selection;
use crate::source::workers::usual_workers;
use crate::text::output::Output;
use crate::wording;

/// Find the items that a filter selects; exit with 1 if there is none
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  transcope grep 'failed tool:Bash' ~/.claude/projects
  transcope grep 'arg:file_path~src/ and not failed' session.jsonl
  transcope grep --format csv 'has:error' logs > errors.csv
  transcope grep --turns 1-3 failed session.jsonl

Terms:
  failed             calls whose result is an error, and those results
  rejected           calls that the runtime rejects
  skipped            calls that would not run: a dependency is missing, circular or fails
  open               calls without a result, or still arriving
  tool:NAME          calls of this tool; * stands for anything
  id:ID              the call with this id; * stands for anything
  arg:POINTER        calls with this parameter; items/0/name is a nested one
  arg:POINTER=TEXT   its value is TEXT
  arg:POINTER~TEXT   its value, or one in it, contains TEXT
  code:CODE          items with this problem; * stands for anything
  has:WHAT           problem, error, warning, hint, result or note
  is:KIND            call, result, text, reasoning or envelope; turn (the prompt of a turn),
                     subagent (its messages and the call that started it), compaction
  role:ROLE          messages with this role: user, assistant, tool or system
  dialect:NAME       calls in this dialect
  dep>2              calls by the number of their dependencies: > >= = <= <
  turn:N             items of this turn; turn:2..5 of several, turn:last of the last one
  took>10s           calls by how long they took, in ms, s, m or h: > >= = <= <
  after:TIME         items since then: 2026-01-31, 2026-01-31T10:00 in UTC, 5m from the first time
  before:TIME        items before then
  agent:NAME         messages of this sub-agent and its call, by kind, id or description
  /REGEX/            a line of the text matches; in lower case it finds any case, and so does /REGEX/i
  word, \"a text\"     the text contains it; in lower case it finds any case
  not, !, and, or, ( )   join terms; and may be left out

  A call and its result belong together: what is true of the call selects the result, except for is:.
  What is in quotation marks is never a keyword, an operator or a wildcard.

Columns of csv, and keys of ndjson:
  path, line, column   where the item begins in the file
  item, type           its number from 0, and its kind as in is:
  role                 who speaks, where the file states it
  tool, id, dialect    of the call; an id only where one is written
  outcome              failed, rejected, skipped, open, withdrawn, or nothing
  summary              how its parameters or its text begin, on one line

Exit status:
  0  something was found
  1  nothing was found
  2  some input could not be read, or the expression is invalid")]
pub struct GrepArgs {
    /// What to look for
    filter: String,
    /// Transcripts or directories of them; - is standard input
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    format: GrepFormat,
    /// Number of threads that read and search [default: one for each processor]
    #[arg(short = 'j', long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
    #[command(flatten)]
    part: PartArgs,
    #[command(flatten)]
    pub(super) common: CommonArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum GrepFormat {
    /// Place and summary, one line for each item
    Text,
    /// One JSON object per line for each item
    Ndjson,
    /// Comma-separated values with a header line
    Csv,
}

/// Runs `transcope grep` on all files. The status tells if anything was found.
pub fn run<W: Write>(args: &GrepArgs, out: &mut Output<W>) -> anyhow::Result<ExitStatus> {
    let setup = setup(&args.common)?;
    let filter = args.part.joined(Some(&args.filter))?;
    let filter = filter_of(filter.as_deref().unwrap_or(&args.filter), &setup)?;
    let writer = MatchWriter::new(match args.format {
        GrepFormat::Text => MatchFormat::Text,
        GrepFormat::Ndjson => MatchFormat::Ndjson,
        GrepFormat::Csv => MatchFormat::Csv,
    });
    writer.begin(out)?;
    let (mut files, mut with_matches, mut matches) = (0, 0, 0);
    let threads = args.jobs.map_or_else(usual_workers, NonZeroUsize::get);
    let unread = read_each(&setup, &args.paths, args.jobs, out, |out, name, session| {
        args.part.check(&name, &session)?;
        let selection = Selection::on_threads(&filter, &session, threads);
        let found = writer.write(out, &name, &session, &selection, threads)?;
        out.flush()?;
        files += 1;
        matches += found;
        with_matches += usize::from(found > 0);
        Ok(())
    })?;
    let found = match matches {
        0 => format!("no matches in {}", wording::count(files, "file")),
        1 => format!("1 match in {with_matches} of {}", wording::count(files, "file")),
        matches => format!("{matches} matches in {with_matches} of {}", wording::count(files, "file")),
    };
    let slip = filter.misspelled_term().filter(|_| matches == 0);
    let slip = slip.map(|(word, near)| format!("; {word} is searched for as text: did you mean {near}?"));
    let slip = slip.or_else(|| filter.other_term().filter(|_| matches == 0).map(|words| format!("; {words}")));
    writeln!(Output::stderr(), "{found}{}", slip.unwrap_or_default())?;
    Ok(match matches {
        _ if !unread.is_empty() => ExitStatus::Failure,
        0 => ExitStatus::Findings,
        _ => ExitStatus::Success,
    })
}
