//! `template`: shows chat templates, renders and checks them, compares the prompts of a conversation that grows, and lets
//! parsers read them.

mod check;
pub mod input;
mod prefix;
mod render;
mod roundtrip;

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::bail;
use clap::{Args, Subcommand};

use super::outcome::ExitStatus;
use crate::template::RenderOptions;
use crate::template::check::ProbedConversation;
use crate::template::probes::DEFAULT_PROBE;
use crate::text::output::Output;
use crate::text::typo::nearest;
use check::TemplateCheckArgs;
use input::InputArgs;
use prefix::TemplatePrefixArgs;
use render::TemplateRenderArgs;
use roundtrip::TemplateRoundTripArgs;

/// See the prompt that a chat template writes
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  transcope template chat.jinja
  transcope template render chat.jinja
  transcope template render --probe values --format json chat.jinja
  transcope template check chat.jinja
  transcope template prefix chat.jinja
  transcope template roundtrip chat.jinja

Without a subcommand, the terminal UI shows the template, its prompt and the conversation side by side.

A template is a .jinja file, a tokenizer_config.json, a GGUF file, or the directory of a model.")]
#[command(args_conflicts_with_subcommands = true)]
pub struct TemplateArgs {
    #[command(subcommand)]
    command: Option<TemplateCommand>,
    /// Templates to show: .jinja, JSON of a tokenizer, GGUF, or a model's directory
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    input: InputArgs,
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
        Some(TemplateCommand::Render(args)) => render::run(args, out),
        Some(TemplateCommand::Check(args)) => check::run(args, out),
        Some(TemplateCommand::Prefix(args)) => prefix::run(args, out),
        Some(TemplateCommand::RoundTrip(args)) => roundtrip::run(args, out),
        None if args.paths.is_empty() => bail!("name a template to show, or use template render, check or prefix"),
        None => args
            .check_paths()
            .and_then(|()| bail!("showing a template needs a terminal; use template render, check or prefix to print")),
    }
}

impl TemplateArgs {
    /// True if the terminal UI shows the templates.
    #[must_use]
    pub fn opens(&self) -> bool {
        self.command.is_none() && !self.paths.is_empty()
    }

    /// The templates to show, with the conversations to choose from and the name of the first one.
    ///
    /// # Errors
    ///
    /// An option or a file that it names cannot be used.
    pub fn shown(&self) -> anyhow::Result<ShownTemplates> {
        self.check_paths()?;
        let (probes, first) = self.input.choices(DEFAULT_PROBE)?;
        let tokenizer = self.input.tokenizer().map(Path::to_path_buf);
        Ok(ShownTemplates { paths: self.paths.clone(), probes, first, options: self.input.options()?, tokenizer })
    }

    /// A first path that does not exist may be a misspelled subcommand.
    fn check_paths(&self) -> anyhow::Result<()> {
        for (index, path) in self.paths.iter().enumerate() {
            if path.exists() {
                continue;
            }
            let word = path.to_str().filter(|_| index == 0).unwrap_or_default();
            let meant = nearest(word, ["render", "check", "prefix", "roundtrip"]);
            let hint = meant.map_or_else(String::new, |meant| format!("; did you mean transcope template {meant}?"));
            bail!("could not use the template {}: it does not exist{hint}", path.display());
        }
        Ok(())
    }
}

/// Templates to show in the terminal UI.
#[derive(Debug)]
pub struct ShownTemplates {
    /// Files or directories of models.
    pub paths: Vec<PathBuf>,
    /// Conversations to choose from; at least one.
    pub probes: Vec<ProbedConversation>,
    /// Name of the first one to render.
    pub first: String,
    /// Variables, runtime and clock.
    pub options: RenderOptions,
    /// File or directory of the tokenizer; nothing for the one in the template's directory.
    pub tokenizer: Option<PathBuf>,
}
