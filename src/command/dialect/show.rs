//! `dialect show`: prints the declaration of a dialect, or a summary of one that is written in Rust.

use std::io::Write;

use anyhow::Error;
use clap::Args;

use super::super::options::DeclaredArgs;
use super::super::outcome::ExitStatus;
use super::super::transcript::setup;
use crate::dialect::declared::index::embedded;
use crate::dialect::{self, Triggers};
use crate::text::sanitize::{visible, visible_str};

/// Arguments and options of `transcope dialect show`.
#[derive(Debug, Args)]
pub struct DialectShowArgs {
    /// Name of a dialect, or another program and its parser, as in vllm:hermes
    name: String,
    #[command(flatten)]
    declared: DeclaredArgs,
}

/// Runs `transcope dialect show` for the dialect with this name.
pub fn run<W: Write>(args: &DialectShowArgs, out: &mut W) -> anyhow::Result<ExitStatus> {
    let options = setup(&args.declared.common(None))?.dialect;
    let info = options.find(&args.name).map_err(Error::msg)?;
    if let Some(given) = options.given(info.name) {
        out.write_all(given.source.as_bytes())?;
        return Ok(ExitStatus::Success);
    }
    if let Some(embedded) = embedded(info.name) {
        out.write_all(embedded.yaml.as_bytes())?;
        return Ok(ExitStatus::Success);
    }
    let made = dialect::make(info, &options).map(|dialect| dialect.triggers()).unwrap_or_default();
    writeln!(out, "# {} is written in Rust and has no declaration.", info.name)?;
    writeln!(out, "# title: {}", visible_str(info.title))?;
    writeln!(out, "# recognised by: {}", visible_str(info.recognised_by))?;
    writeln!(out, "# an argument is found by its {}", info.key_term)?;
    let markers = markers(&made);
    if !markers.is_empty() {
        writeln!(out, "# markers: {}", markers.join(" "))?;
    }
    writeln!(out, "# an example:")?;
    for line in info.example.lines() {
        writeln!(out, "{}", visible(line.as_bytes()))?;
    }
    Ok(ExitStatus::Success)
}

/// The deduplicated, sorted markers that trigger a dialect.
fn markers(triggers: &Triggers) -> Vec<String> {
    let mut markers: Vec<String> = triggers.anywhere.iter().map(|marker| visible(marker)).collect();
    markers.sort_unstable();
    markers.dedup();
    markers
}
