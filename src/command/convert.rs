//! `convert`: prints a transcript with its calls rewritten in another dialect.
//!
//! The text goes to standard output and losses to standard error. On a terminal, control characters are shown as
//! pictures; any other output receives the exact bytes.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Error, ensure};
use clap::Args;

use super::options::CommonArgs;
use super::outcome::ExitStatus;
use super::part::PartArgs;
use super::transcript::read_path;
use crate::convert::Calls;
use crate::text::output::Output;
use crate::wording::changes::loss;

/// Print a transcript with its calls rewritten in another dialect
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  transcope convert --to hermes session.md > session.hermes.txt
  transcope convert --to gadget --dialect xml session.md
  transcope convert --to hermes --turns last session.jsonl

Whatever the target dialect cannot express is reported on standard error, one line each. Text outside calls is left
unchanged; for a recorded session, the decoded text is printed.")]
pub struct ConvertArgs {
    /// Transcript; - is standard input
    path: Option<PathBuf>,
    /// Dialect to write the calls in
    #[arg(long, value_name = "DIALECT")]
    to: String,
    #[command(flatten)]
    part: PartArgs,
    #[command(flatten)]
    pub(super) common: CommonArgs,
}

/// Maximum size of a text to convert, in bytes: the result is built completely before the first byte is written.
const LARGEST: usize = 256 << 20;

/// Runs `transcope convert`; losses go to standard error.
pub fn run<W: Write>(args: &ConvertArgs, out: &mut W) -> anyhow::Result<ExitStatus> {
    let (setup, name, whole) = read_path(&args.common, args.path.as_deref())?;
    ensure!(
        whole.session.text().len() <= LARGEST,
        "could not convert {name}: it is larger than {} MiB; convert it in parts",
        LARGEST >> 20
    );
    let to = &args.to;
    let target = setup.dialect.find(to).map_err(Error::msg)?;
    let part = args.part.of(&name, &whole.session)?;
    let calls = match &part {
        Some(part) => Calls::among(&whole.session, part.items().iter().copied()),
        None => Calls::in_their_text(&whole.session),
    };
    let converted = calls.convert(target, &setup.dialect);
    out.write_all(&converted.text)?;
    out.flush()?;
    let mut report = Output::stderr();
    for lost in &converted.losses {
        writeln!(report, "{}", loss(lost, to))?;
    }
    whole.outcome()
}
