//! The options of the commands about dialects: `dialects` and `dialect check`, `show`, `new`.
//!
//! This module does not know what a declaration is.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::{CheckFormat, CommonArgs};
use crate::config::{ColorChoice, ReadOptions};

/// Arguments and options of `transcope dialects`.
#[derive(Debug, Args)]
pub struct DialectsArgs {
    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    pub format: DialectsFormat,
    /// Print instead how well each parser of a runtime is known that lens asks: of how many recorded outcomes it
    /// reproduces how many
    #[arg(long)]
    pub conformance: bool,
    /// Dialects in addition to the program's.
    #[command(flatten)]
    pub declared: DeclaredArgs,
}

/// Output formats of `transcope dialects`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DialectsFormat {
    /// Plain text for people
    Text,
    /// One JSON object
    Json,
}

/// Dialects in addition to the program's.
#[derive(Clone, Debug, Default, Args)]
pub struct DeclaredArgs {
    /// Take in the dialect that this YAML file declares; repeatable
    #[arg(long = "dialect-file", value_name = "FILE")]
    pub dialect_files: Vec<PathBuf>,
}

impl DeclaredArgs {
    /// The options of a command that reads no transcript.
    pub fn common(&self, color: Option<ColorChoice>) -> CommonArgs {
        let read = ReadOptions { dialect_files: self.dialect_files.clone(), ..ReadOptions::default() };
        CommonArgs { read, color, ..CommonArgs::default() }
    }
}

/// Arguments and options of `transcope dialect`.
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
    /// What to do with a declaration.
    #[command(subcommand)]
    pub command: DialectCommand,
}

/// What is done with declarations.
#[derive(Debug, Subcommand)]
pub enum DialectCommand {
    /// Test declarations: their examples, and which other dialects read the same text
    Check(DialectCheckArgs),
    /// Print the declaration of a dialect
    Show(DialectShowArgs),
    /// Propose a declaration from a text that holds calls of an unknown syntax
    New(DialectNewArgs),
}

/// Arguments and options of `transcope dialect check`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  transcope dialect check mine.yaml
  transcope dialect check --format json mine.yaml

Each example is read whole, byte by byte and in random cuts, and its calls are written and read again.
Exits with 1 if there is an error; another dialect that reads the same text is a warning or a hint.")]
pub struct DialectCheckArgs {
    /// Declarations
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value = "human")]
    pub format: CheckFormat,
    /// When to use colour [default: auto]
    #[arg(long, value_name = "WHEN")]
    pub color: Option<ColorChoice>,
    /// Dialects in addition to the program's.
    #[command(flatten)]
    pub declared: DeclaredArgs,
}

/// Arguments and options of `transcope dialect show`.
#[derive(Debug, Args)]
pub struct DialectShowArgs {
    /// Name of a dialect, or another program and its parser, as in vllm:hermes
    pub name: String,
    /// Dialects in addition to the program's.
    #[command(flatten)]
    pub declared: DeclaredArgs,
}

/// Arguments and options of `transcope dialect new`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  transcope dialect new --from-text odd.log
  transcope dialect new --from-text odd.log -o mine.yaml

The text should hold two calls or more. What is proposed has been tried on it; it is a beginning, to be
completed by hand and tested with transcope dialect check.")]
pub struct DialectNewArgs {
    /// A text with some calls; - is standard input
    #[arg(long, value_name = "FILE")]
    pub from_text: PathBuf,
    /// Write the declaration to this new file instead of standard output
    #[arg(short = 'o', long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Name of the dialect
    #[arg(long, value_name = "NAME", default_value = "mine")]
    pub name: String,
}
