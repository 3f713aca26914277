//! The options of `fix`.
//!
//! This module does not know what can be repaired.

use std::path::PathBuf;

use clap::Args;

use super::CommonArgs;

/// Arguments and options of `transcope fix`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  transcope fix session.txt > repaired.txt
  transcope fix --diff session.txt
  transcope fix --in-place session.txt

Each repair and each remaining problem is reported on standard error, one line each. A repair is only made if it works: it
is tried on a copy first, where the problem must disappear, no argument may be lost and no new problem may appear.
Exits with 1 if an error remains.")]
pub struct FixArgs {
    /// Plain-text transcript; - is standard input
    pub path: PathBuf,
    /// Print the changes as a unified diff
    #[arg(long, conflicts_with = "in_place")]
    pub diff: bool,
    /// Repair the file itself and keep the original as PATH.orig
    #[arg(long)]
    pub in_place: bool,
    /// How to read and show it.
    #[command(flatten)]
    pub common: CommonArgs,
}
