//! Filters on the command line: the option that several commands have, and `grep`.
//!
//! This module does not know what an expression means.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::CommonArgs;

/// The option of commands that print a part of a transcript.
#[derive(Clone, Debug, Default, Args)]
pub struct FilterArgs {
    /// Only what this expression selects, such as failed or 'tool:Bash arg:command~test'; transcope grep --help has all
    #[arg(long, value_name = "EXPR")]
    pub filter: Option<String>,
}

/// Arguments and options of `transcope grep`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  transcope grep 'failed tool:Bash' ~/.claude/projects
  transcope grep 'arg:file_path~src/ and not failed' session.jsonl
  transcope grep --format csv 'has:error' logs > errors.csv

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
  is:KIND            call, result, text, reasoning or envelope
  role:ROLE          what this speaker said: user, assistant, tool or system
  dialect:NAME       calls in this dialect
  dep>2              calls by the number of their dependencies: > >= = <= <
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
    pub filter: String,
    /// Transcripts or directories of them; - is standard input
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    pub format: GrepFormat,
    /// Number of threads that read and search [default: one for each processor]
    #[arg(short = 'j', long, value_name = "N")]
    pub jobs: Option<NonZeroUsize>,
    /// How to read and show them.
    #[command(flatten)]
    pub common: CommonArgs,
}

/// Output formats of `transcope grep`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum GrepFormat {
    /// Place and summary, one line for each item
    Text,
    /// One JSON object per line for each item
    Ndjson,
    /// Comma-separated values with a header line
    Csv,
}
