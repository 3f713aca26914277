//! `graph`: prints the dependency graph.
//!
//! This module does not know how a format looks.

use std::io::Write;

use super::read_path;
use crate::cli::{GraphArgs, GraphFormat};
use crate::export::{dot, json, mermaid, waves};

/// Runs `transcope graph` on a whole transcript.
pub fn run<W: Write>(args: &GraphArgs, out: &mut W) -> anyhow::Result<()> {
    let (_, name, whole) = read_path(&args.common, args.path.as_deref())?;
    let session = &whole.session;
    match args.format {
        GraphFormat::Text => waves::write(out, session)?,
        GraphFormat::Dot => dot::write(out, session)?,
        GraphFormat::Mermaid => mermaid::write(out, session)?,
        GraphFormat::Json => json::write_graph(out, session, &name)?,
    }
    whole.outcome()
}
