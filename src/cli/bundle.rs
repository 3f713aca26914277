//! The options of `bundle`: a transcript in an archive, to hand on.
//!
//! This module does not know what is in the archive.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::CommonArgs;

/// Arguments and options of `transcope bundle`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  transcope bundle session.jsonl
  transcope bundle --for issue session.jsonl > issue.md
  transcope session.transcope.zip      open it again; every other command reads it, too

A bundle is a zip file with the transcript, redacted as export --redact does it, the settings with which
it is read (dialects, markers, container, schemas), your notes on it, its problems as JSON, and a
manifest with versions and the SHA-256 of the original. It is read with these settings and not with
your own. What was replaced is listed before it is written; review it before sharing. The archive is
opened again first, and refused if anything that was found is still in it. An existing file is never
overwritten.")]
pub struct BundleArgs {
    /// Transcript; - is standard input
    pub path: PathBuf,
    /// Output file, which must not exist [default: NAME.transcope.zip]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Also print Markdown: what is wrong, and how to see it
    #[arg(long = "for", value_enum, value_name = "WHAT")]
    pub purpose: Option<Purpose>,
    /// Keep secrets, mail addresses, private hosts and names of users
    #[arg(long)]
    pub no_redact: bool,
    /// How to read it.
    #[command(flatten)]
    pub common: CommonArgs,
}

/// What a bundle is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Purpose {
    /// A ticket in an issue tracker
    Issue,
}
