//! `template prefix`: whether the prompts of a conversation that grows continue each other.

use std::io::Write;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::super::outcome::ExitStatus;
use super::input::{InputArgs, chosen_template};
use crate::export::prompt_growth::{self, TemplateGrowth};
use crate::template::fields::TemplateInput;
use crate::template::prefix::growth;
use crate::text::output::Output;

/// The probe that grows by two calls and a second prompt.
const USUAL_PROBE: &str = "step4";

/// Arguments and options of `transcope template prefix`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  transcope template prefix chat.jinja
  transcope template prefix --messages talk.json --format json chat.jinja

A server reuses what it computed for the beginning that a prompt shares with the one before it. The prompts are those
before each answer of the conversation. Exits with 1 if one does not continue the prompt before it.")]
pub struct TemplatePrefixArgs {
    /// Templates: .jinja, JSON of a tokenizer, GGUF, or a model's directory
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    input: InputArgs,
    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    format: PrefixFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum PrefixFormat {
    /// A line for each prompt, and the reason if it differs
    Text,
    /// One JSON object with the prompts of all templates
    Json,
}

/// Runs `transcope template prefix`. The status is `Findings` if a prompt does not continue the one before it.
pub fn run<W: Write>(args: &TemplatePrefixArgs, out: &mut Output<W>) -> anyhow::Result<ExitStatus> {
    let (conversation, _) = args.input.conversation(USUAL_PROBE)?;
    let (options, tokens) = (args.input.options()?, args.input.tokens()?);
    let (mut grown, mut status) = (Vec::new(), ExitStatus::Success);
    for path in &args.paths {
        let Some((template, special_tokens)) = chosen_template(path, &conversation, tokens.as_ref())? else {
            status = ExitStatus::Failure;
            continue;
        };
        let input = TemplateInput { conversation: conversation.clone(), special_tokens };
        grown.push(TemplateGrowth {
            path: path.display().to_string(),
            file: template.file.clone(),
            growth: growth(&template, &input, &options),
        });
    }
    if status == ExitStatus::Success && grown.iter().any(|template| !template.is_kept()) {
        status = ExitStatus::Findings;
    }
    match args.format {
        PrefixFormat::Json => prompt_growth::write_json(out, &grown)?,
        PrefixFormat::Text => prompt_growth::write_text(out, &grown)?,
    }
    Ok(status)
}
