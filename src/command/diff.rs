//! `diff`: prints what differs between two transcripts, or between two readings of one.
//!
//! This module does not know how a difference is found, or how a format looks.

use std::io::Write;

use anyhow::ensure;

use super::{ExitStatus, name_of, new_session, read, setup, source_of};
use crate::cli::{DiffArgs, DiffFormat};
use crate::compare::{ComparedText, Comparison};
use crate::config::Setup;
use crate::export::diff;
use crate::source::{Follow, SourceSpec};

/// Runs `transcope diff` and says whether anything differs.
pub fn run<W: Write>(args: DiffArgs, out: &mut W) -> anyhow::Result<ExitStatus> {
    let format = args.format;
    let sides = sides(args)?;
    let comparison = Comparison::new(&sides[0].session, &sides[1].session);
    match format {
        DiffFormat::Text => diff::write_text(out, &sides, &comparison)?,
        DiffFormat::Json => diff::write_json(out, &sides, &comparison)?,
    }
    Ok(if comparison.is_equal() { ExitStatus::Success } else { ExitStatus::Findings })
}

/// Reads what is compared: two transcripts, or one under two settings.
pub fn sides(args: DiffArgs) -> anyhow::Result<[ComparedText; 2]> {
    let (one, other) = (setup(&args.common)?, setup(&args.with.over(&args.common))?);
    let (spec, right_spec) = (source_of(Some(&args.left)), args.right.as_deref().map(|path| source_of(Some(path))));
    ensure!(
        !matches!((&spec, &right_spec), (SourceSpec::Stdin, Some(SourceSpec::Stdin))),
        "standard input can only be read once"
    );
    let whole = |setup: &Setup, spec: &SourceSpec| {
        let whole = read(setup, spec, Follow::No)?;
        whole.outcome().map(|()| whole.session)
    };
    let left = whole(&one, &spec)?;
    let right = match &right_spec {
        Some(spec) => whole(&other, spec)?,
        // A pipe is not read twice.
        None => left.read_into(new_session(&other)),
    };
    let right_name = name_of(right_spec.as_ref().unwrap_or(&spec));
    Ok([
        ComparedText { name: name_of(&spec), session: left, options: one.dialect },
        ComparedText { name: right_name, session: right, options: other.dialect },
    ])
}
