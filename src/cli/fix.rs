//! The options of `fix`.
//!
//! This module does not know what can be repaired.

use std::path::PathBuf;

use clap::Args;

use super::CommonArgs;

/// Options of `fix`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  transcope fix session.txt > repaired.txt
  transcope fix --diff session.txt
  transcope fix --in-place session.txt

What was repaired and what was not is reported on standard error, a line each. A repair is made only if it was tried: the
problem goes, no argument is lost, and no other problem comes. Exits with 1 if an error is left.")]
pub struct FixArgs {
    /// The transcript, a plain text; - is standard input
    pub path: PathBuf,
    /// Print what would change, as a unified diff
    #[arg(long, conflicts_with = "in_place")]
    pub diff: bool,
    /// Write the repaired text to the file; what it was is kept beside it as PATH.orig
    #[arg(long)]
    pub in_place: bool,
    /// How to read it.
    #[command(flatten)]
    pub common: CommonArgs,
}
