//! `template`: renders chat templates, compares the prompts of a conversation that grows, and lets parsers read them.

mod check;
pub mod input;
mod prefix;
mod render;
mod roundtrip;

use std::io::Write;

use clap::{Args, Subcommand};

use super::outcome::ExitStatus;
use crate::text::output::Output;
use check::TemplateCheckArgs;
use prefix::TemplatePrefixArgs;
use render::TemplateRenderArgs;
use roundtrip::TemplateRoundTripArgs;

/// See the prompt that a chat template writes
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  transcope template render chat.jinja
  transcope template render --probe values --format json chat.jinja
  transcope template check chat.jinja
  transcope template prefix chat.jinja
  transcope template roundtrip chat.jinja

A template is a .jinja file, a tokenizer_config.json, a GGUF file, or the directory of a model.")]
pub struct TemplateArgs {
    #[command(subcommand)]
    command: TemplateCommand,
}

#[derive(Debug, Subcommand)]
enum TemplateCommand {
    /// Print the prompt for a conversation, byte for byte as transformers does
    Render(TemplateRenderArgs),
    /// Report what a template loses, changes or refuses, and in which runtimes
    Check(TemplateCheckArgs),
    /// Find where the prompts of a growing conversation differ, so that a cache is lost
    Prefix(TemplatePrefixArgs),
    /// Let the parsers of runtimes read the calls that a template writes, and compare them with what was put in
    #[command(name = "roundtrip")]
    RoundTrip(TemplateRoundTripArgs),
}

/// Runs `transcope template`. The status is `Findings` if a template raises or does what Python refuses, if a
/// prompt does not continue the one before it, or if no parser reads the calls of a turn.
pub fn run<W: Write>(args: &TemplateArgs, out: &mut Output<W>) -> anyhow::Result<ExitStatus> {
    match &args.command {
        TemplateCommand::Render(args) => render::run(args, out),
        TemplateCommand::Check(args) => check::run(args, out),
        TemplateCommand::Prefix(args) => prefix::run(args, out),
        TemplateCommand::RoundTrip(args) => roundtrip::run(args, out),
    }
}
