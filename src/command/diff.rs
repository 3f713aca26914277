//! `diff`: prints what differs between two transcripts, or between two readings of one.
//!
//! This module does not know how a difference is found, or how a format looks.

use std::io::Write;

use anyhow::ensure;

use super::{ExitStatus, Setup, name_of, source_of};
use crate::cli::{DiffArgs, DiffFormat};
use crate::compare::Comparison;
use crate::dialect::Options;
use crate::export::diff;
use crate::session::Session;
use crate::source::{Follow, SourceSpec};

/// Two readings, each with its name and what it was read with.
pub type Sides = [(String, Session, Options); 2];

/// Runs the command.
pub fn run<W: Write>(args: &DiffArgs, out: &mut W) -> anyhow::Result<ExitStatus> {
    let [(left_name, left, _), (right_name, right, _)] = sides(args)?;
    let comparison = Comparison::new(&left, &right);
    let sides = diff::NamedSides { left: (&left_name, &left), right: (&right_name, &right) };
    match args.format {
        DiffFormat::Text => diff::write_text(out, &sides, &comparison)?,
        DiffFormat::Json => diff::write_json(out, &sides, &comparison)?,
    }
    Ok(if comparison.is_equal() { ExitStatus::Success } else { ExitStatus::Findings })
}

/// Reads what is compared.
///
/// # Errors
/// A transcript that cannot be read, or a setting that cannot be used.
pub fn sides(args: &DiffArgs) -> anyhow::Result<Sides> {
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
    let right_name = name_of(right_spec.as_ref().unwrap_or(&spec));
    Ok([(name_of(&spec), left, one.dialect), (right_name, right, other.dialect)])
}
