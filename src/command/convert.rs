//! `convert`: prints a transcript with its calls in another dialect; `cost`: what each dialect would cost.
//!
//! The text goes to standard output and what is lost to standard error. A terminal gets pictures of what it would act
//! on, anything else the very bytes. This module does not know how a call is written.

use std::io::Write;

use super::read_path;
use anyhow::{Error, ensure};

use crate::cli::{ConvertArgs, CostArgs, CostFormat};
use crate::convert::Calls;
use crate::cost::DialectCosts;
use crate::export::cost;
use crate::export::diff::loss;
use crate::text::output::Output;

/// Most bytes of a text that is converted: it is made as a whole before the first byte is written.
const LARGEST: usize = 256 << 20;

/// Runs `transcope convert`; what is lost goes to standard error.
pub fn run<W: Write>(args: &ConvertArgs, out: &mut W) -> anyhow::Result<()> {
    let (setup, name, whole) = read_path(&args.common, args.path.as_deref())?;
    ensure!(
        whole.session.text().len() <= LARGEST,
        "could not convert {name}: it is larger than {} MiB; convert it in parts",
        LARGEST >> 20
    );
    let to = &args.to;
    let target = setup.dialect.find(to).map_err(Error::msg)?;
    let converted = Calls::in_their_text(&whole.session).convert(target, &setup.dialect);
    out.write_all(&converted.text)?;
    out.flush()?;
    let mut report = Output::stderr();
    for lost in &converted.losses {
        writeln!(report, "{}", loss(lost, to))?;
    }
    whole.outcome()
}

/// Runs `transcope cost` on the calls of a whole transcript.
pub fn cost<W: Write>(args: &CostArgs, out: &mut W) -> anyhow::Result<()> {
    let (setup, _, whole) = read_path(&args.common, args.path.as_deref())?;
    let calls = Calls::alone(&whole.session, whole.session.document().calls());
    let found = DialectCosts::new(&calls, &setup.dialect);
    match args.format {
        CostFormat::Text => cost::write_text(out, &found)?,
        CostFormat::Json => cost::write_json(out, &found)?,
    }
    whole.outcome()
}
