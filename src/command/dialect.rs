//! `dialect`: tests, shows and proposes declarations of dialects.

mod check;
mod proposal;
mod show;
mod template;

use std::io::Write;

use clap::{Args, Subcommand};

use super::outcome::ExitStatus;
use crate::text::output::Output;
use check::DialectCheckArgs;
use proposal::DialectNewArgs;
use show::DialectShowArgs;

/// Declare a dialect of your own: propose, test and show declarations
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  transcope dialect show hermes                            print a declaration to start from
  transcope dialect new --from-text odd.log -o mine.yaml
  transcope dialect check mine.yaml
  transcope --dialect-file mine.yaml odd.log

Files in $XDG_CONFIG_HOME/transcope/dialects and in .transcope/dialects of the working directory or the
nearest folder above it that has one, up to the repository's root or your home, are read without being
named. Of the same name the later one counts: the program's, yours, the project's, --dialect-file.")]
pub struct DialectArgs {
    /// The subcommand.
    #[command(subcommand)]
    command: DialectCommand,
}

/// Subcommands of `transcope dialect`.
#[derive(Debug, Subcommand)]
enum DialectCommand {
    /// Test declarations: their examples, and which other dialects read the same text
    Check(DialectCheckArgs),
    /// Print the declaration of a dialect
    Show(DialectShowArgs),
    /// Propose a declaration from a text that holds calls of an unknown syntax, or from a chat template
    New(DialectNewArgs),
}

/// Runs `transcope dialect`. The status is `Findings` if a declaration has an error.
pub fn run<W: Write>(args: &DialectArgs, out: &mut Output<W>) -> anyhow::Result<ExitStatus> {
    match &args.command {
        DialectCommand::Check(args) => check::run(args, out),
        DialectCommand::Show(args) => show::run(args, out),
        DialectCommand::New(args) => proposal::run(args, out),
    }
}
