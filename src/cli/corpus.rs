//! The options of commands that read whole folders: which of the transcripts are meant.
//!
//! This module does not know how folders are read.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;

use super::{CommonArgs, FilterArgs};

/// Which transcripts of a folder are meant, and how many of them are read at the same time.
#[derive(Clone, Debug, Args)]
#[command(mut_arg("container", |arg| arg.help("Only files in this container format [default: all]")))]
pub struct CorpusArgs {
    /// Transcripts, or folders that are searched to any depth
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Only sessions with messages since then: 2026-11-22, 2026-11-22T10:00, 7d, 36h
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,
    /// Which calls and problems count; all of them without an expression.
    #[command(flatten)]
    pub filter: FilterArgs,
    /// Number of files to read in parallel [default: one for each processor]
    #[arg(short = 'j', long, value_name = "N")]
    pub jobs: Option<NonZeroUsize>,
    /// How to read them.
    #[command(flatten)]
    pub common: CommonArgs,
}
