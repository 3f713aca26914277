//! `diff`: prints what differs between two transcripts, or between two readings of one.
//!
//! This module does not know how a difference is found, or how a format looks.

use std::io::Write;

use anyhow::ensure;

use super::{Setup, Verdict, name_of, source_of};
use crate::cli::{DiffArgs, DiffFormat};
use crate::compare::Comparison;
use crate::export::difference::{self, Sides};
use crate::source::{Follow, SourceSpec};

/// Runs the command.
pub fn run<W: Write>(args: &DiffArgs, out: &mut W) -> anyhow::Result<Verdict> {
    let (one, other) = (Setup::new(&args.common)?, Setup::new(&args.with.over(&args.common))?);
    let (spec, right_spec) = (source_of(Some(&args.left)), args.right.as_deref().map(|path| source_of(Some(path))));
    ensure!(
        !matches!((&spec, &right_spec), (SourceSpec::Stdin, Some(SourceSpec::Stdin))),
        "standard input can be read once"
    );
    let left = one.read(&spec, Follow::No)?;
    left.outcome()?;
    let left = left.session;
    let right = match &right_spec {
        Some(spec) => {
            let right = other.read(spec, Follow::No)?;
            right.outcome()?;
            right.session
        }
        // A pipe is not read twice.
        None => left.read_into(other.session()?),
    };
    let comparison = Comparison::of(&left, &right);
    let right_name = right_spec.as_ref().unwrap_or(&spec);
    let sides = Sides { left: (&name_of(&spec), &left), right: (&name_of(right_name), &right) };
    match args.format {
        DiffFormat::Text => difference::write_text(out, &sides, &comparison)?,
        DiffFormat::Json => difference::write_json(out, &sides, &comparison)?,
    }
    Ok(if comparison.is_equal() { Verdict::Same } else { Verdict::Differs })
}
