//! The options of `export`: a report to share.
//!
//! This module does not know how a report looks.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{CommonArgs, FilterArgs};

/// Arguments and options of `transcope export`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  transcope export --to html -o report.html session.jsonl
  transcope export --to markdown --redact session.jsonl > ticket.md
  transcope export --to markdown --filter failed session.jsonl
  transcope export --to html --interactive -o report.html session.jsonl

The HTML page is self-contained and loads nothing. It runs no script; with --interactive it has one, to filter,
fold and select. An existing file is never overwritten.

--redact replaces, the same thing by the same word everywhere:
  secrets         [secret:github-token#1]  known by their format, by what precedes them (password=,
                  Authorization:, ://user:) or by the name of their parameter; also escaped, in
                  base64 or with percent signs
  mail addresses  [email#1]  except addresses at example.com, and noreply@
  hosts           [host#1]   of private domains (.local, .internal, .corp, .lan) and addresses, and
                  the machine in a shell's prompt; public hosts stay
  user names      [user#1]   in paths and prompts, except shared accounts (root, runner, ubuntu); then
                  wherever such a name of 4 letters or more is a word
  your patterns   [ticket#1] in config.yaml: redact: { patterns: { ticket: \"ACME-[0-9]+\" } };
                  redact: { keep: [acme.org] } lists texts and domains that stay
It says by kind how much it found, and cannot find everything: review the report before sharing it.
Without --redact, export warns if it finds secrets.")]
pub struct ExportArgs {
    /// Transcript; - is standard input
    pub path: PathBuf,
    /// Report format
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub to: ExportFormat,
    /// Output file, which must not exist [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// HTML that can be filtered and folded, with a script
    #[arg(long)]
    pub interactive: bool,
    /// Replace secrets, mail addresses, private hosts and names of users
    #[arg(long)]
    pub redact: bool,
    /// Which items the report shows; all of them without an expression.
    #[command(flatten)]
    pub filter: FilterArgs,
    /// How to read and show it.
    #[command(flatten)]
    pub common: CommonArgs,
}

/// Report formats of `transcope export`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// Self-contained web page
    Html,
    /// Markdown, for a ticket
    Markdown,
    /// The same JSON as parse
    Json,
}
