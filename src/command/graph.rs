//! `graph`: prints the dependency graph.
//!
//! This module does not know how a format looks.

use std::io::Write;

use super::{name_of, read, setup, source_of};
use crate::cli::{GraphArgs, GraphFormat};
use crate::export::{dot, json, mermaid, waves};
use crate::source::Follow;

/// Runs `transcope graph` on a whole transcript.
pub fn run<W: Write>(args: &GraphArgs, out: &mut W) -> anyhow::Result<()> {
    let setup = setup(&args.common)?;
    let spec = source_of(args.path.as_deref());
    let whole = read(&setup, &spec, Follow::No)?;
    let session = &whole.session;
    match args.format {
        GraphFormat::Text => waves::write(out, session)?,
        GraphFormat::Dot => dot::write(out, session)?,
        GraphFormat::Mermaid => mermaid::write(out, session)?,
        GraphFormat::Json => json::write_graph(out, session, &name_of(&spec))?,
    }
    whole.outcome()
}
