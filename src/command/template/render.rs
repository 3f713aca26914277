//! `template render`: prints the prompt for a conversation, with the origin of each byte as JSON.

use std::io::Write;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde_json::Value;

use super::super::outcome::{ExitStatus, print_to_stderr};
use super::input::{InputArgs, chosen_template};
use crate::export::prompt::{self, RenderedPrompt};
use crate::template::fields::TemplateInput;
use crate::template::probes::DEFAULT_PROBE;
use crate::template::{self, RenderOptions};
use crate::text::output::Output;
use crate::text::sanitize::visible_str;

/// Arguments and options of `transcope template render`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  transcope template render chat.jinja
  transcope template render --probe parallel_results chat.jinja
  transcope template render --messages talk.json --tools tools.json chat.jinja
  transcope template render --messages session.jsonl --format json chat.jinja | jq .templates[0].parts
  transcope template render --kwargs '{\"enable_thinking\": false}' chat.jinja
  transcope template render --format json --tokenizer tokenizer.json chat.jinja

The prompt is rendered as transformers 5.23.0 does it. With --format json, each span of it has the line of the
template and the field of the input that its bytes are from, and parts has the bytes of each message; with --tokenizer, tokens has its
added tokens in the prompt. Exits with 1 if a template raises.")]
pub struct TemplateRenderArgs {
    /// Templates: .jinja, JSON of a tokenizer, GGUF, or a model's directory
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    input: InputArgs,
    /// Leave out what precedes the model's answer
    #[arg(long)]
    no_generation_prompt: bool,
    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    format: PromptFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum PromptFormat {
    /// The prompt alone, byte for byte
    Text,
    /// One JSON object with the prompts and the origin of their bytes
    Json,
}

/// Runs `transcope template render`. The status is `Findings` if a template raises.
pub fn run<W: Write>(args: &TemplateRenderArgs, out: &mut Output<W>) -> anyhow::Result<ExitStatus> {
    let (conversation, generation_prompt) = args.input.conversation(DEFAULT_PROBE)?;
    let add_generation_prompt = generation_prompt && !args.no_generation_prompt;
    let is_text_only = args.format == PromptFormat::Text;
    let options = RenderOptions { add_generation_prompt, is_text_only, ..args.input.options()? };
    let tokens = args.input.tokens()?;
    let (mut prompts, mut status) = (Vec::new(), ExitStatus::Success);
    for path in &args.paths {
        match chosen_template(path, &conversation, tokens.as_ref())? {
            Some((template, special_tokens)) => {
                let role = |message: &Value| message["role"].as_str().unwrap_or_default().to_owned();
                let roles = conversation.messages.iter().map(role).collect();
                let input = TemplateInput { conversation: conversation.clone(), special_tokens };
                prompts.push(RenderedPrompt {
                    path: path.display().to_string(),
                    file: template.file.clone(),
                    name: template.name.clone(),
                    roles,
                    tokens: tokens.clone(),
                    outcome: template::render(&template, input, options.clone()),
                });
            }
            None => status = ExitStatus::Failure,
        }
    }
    if status == ExitStatus::Success && prompts.iter().any(|prompt| prompt.outcome.is_err()) {
        status = ExitStatus::Findings;
    }
    match args.format {
        PromptFormat::Json => prompt::write_json(out, &prompts)?,
        PromptFormat::Text => write_text(out, &prompts, args.paths.len() > 1)?,
    }
    Ok(status)
}

/// Writes the prompts, with a heading each if there are several.
fn write_text<W: Write>(out: &mut Output<W>, prompts: &[RenderedPrompt], has_headings: bool) -> anyhow::Result<()> {
    for (index, rendered) in prompts.iter().enumerate() {
        if has_headings {
            let gap = if index > 0 { "\n\n" } else { "" };
            writeln!(out, "{gap}==> {} <==", visible_str(&rendered.path))?;
        }
        match &rendered.outcome {
            Ok(prompt) => out.write_all(prompt.text.as_bytes())?,
            Err(failure) => {
                out.flush()?;
                print_to_stderr(&format!("error: {}", failure.with_help()))?;
            }
        }
    }
    Ok(())
}
