//! `graph`: prints the dependency graph.

use std::io::Write;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::options::CommonArgs;
use super::outcome::ExitStatus;
use super::part::PartArgs;
use super::transcript::read_path;
use crate::export::{dot, json, mermaid, waves};

/// Print the dependency graph
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  transcope graph session.md
  transcope graph --turns last session.jsonl
  transcope graph --format dot session.md | dot -Tsvg > graph.svg")]
pub struct GraphArgs {
    /// Transcript; - is standard input
    path: Option<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    format: GraphFormat,
    #[command(flatten)]
    part: PartArgs,
    #[command(flatten)]
    pub(super) common: CommonArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum GraphFormat {
    /// Wave by wave, one call per line
    Text,
    /// Graphviz DOT
    Dot,
    /// Mermaid flowchart
    Mermaid,
    /// One JSON object
    Json,
}

/// Runs `transcope graph` on a whole transcript.
pub fn run<W: Write>(args: &GraphArgs, out: &mut W) -> anyhow::Result<ExitStatus> {
    let (_, name, whole) = read_path(&args.common, args.path.as_deref())?;
    let session = &whole.session;
    let part = args.part.of(&name, session)?;
    let part = part.as_ref();
    match args.format {
        GraphFormat::Text => waves::write(out, session, part)?,
        GraphFormat::Dot => dot::write(out, session, part)?,
        GraphFormat::Mermaid => mermaid::write(out, session, part)?,
        GraphFormat::Json => json::write_graph(out, session, &name, part)?,
    }
    whole.outcome()
}
