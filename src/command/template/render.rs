//! `template render`: prints the prompt for a conversation, with the origin of each byte as JSON.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow};
use clap::{Args, ValueEnum};
use jiff::civil::DateTime;
use serde_json::{Map, Value};

use super::super::outcome::{ExitStatus, describe, print_to_stderr};
use crate::config::templates;
use crate::export::prompt::{self, RenderedPrompt};
use crate::system::small_file;
use crate::template::conversation::{Conversation, TemplateRuntime};
use crate::template::fields::TemplateInput;
use crate::template::probes::{DEFAULT_PROBE, TemplateProbe};
use crate::template::source::{ChatTemplate, TemplateSet};
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
  transcope template render --kwargs '{\"enable_thinking\": false}' chat.jinja
  transcope template render --format json chat.jinja

The prompt is rendered as transformers 5.23.0 does it. With --format json, each span of it has the line of the
template and the field of the input that its bytes are from. Exits with 1 if a template raises.")]
pub struct TemplateRenderArgs {
    /// Templates: .jinja, JSON of a tokenizer, GGUF, or a model's directory
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// JSON with a list of messages, or an object with messages and tools
    #[arg(long, value_name = "FILE", conflicts_with = "probe")]
    messages: Option<PathBuf>,
    /// Conversation of the program to render; an unknown name lists them
    #[arg(long, value_name = "NAME", default_value = DEFAULT_PROBE)]
    probe: String,
    /// JSON with a list of the tools' schemas
    #[arg(long, value_name = "FILE")]
    tools: Option<PathBuf>,
    /// JSON object with further variables of the template
    #[arg(long, value_name = "JSON")]
    kwargs: Option<String>,
    /// Leave out what precedes the model's answer
    #[arg(long)]
    no_generation_prompt: bool,
    /// Convert arguments as this program does before it renders
    #[arg(long = "as", value_enum, value_name = "RUNTIME", default_value = "transformers")]
    runtime: RuntimeName,
    /// Local time for templates that print the date: 2026-11-23T12:00 [default: now]
    #[arg(long, value_name = "TIME")]
    now: Option<String>,
    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    format: PromptFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum PromptFormat {
    /// The prompt
    Text,
    /// One JSON object with the prompts and the origin of their bytes
    Json,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum RuntimeName {
    /// As they are given
    Transformers,
    /// Text to object
    Vllm,
    /// Text to object if the template prints objects, else object to text
    #[value(name = "llama.cpp")]
    LlamaCpp,
}

/// Runs `transcope template render`.
pub fn run<W: Write>(args: &TemplateRenderArgs, out: &mut Output<W>) -> anyhow::Result<ExitStatus> {
    let (conversation, generation_prompt) = conversation(args)?;
    let options = RenderOptions {
        add_generation_prompt: generation_prompt && !args.no_generation_prompt,
        variables: kwargs(args)?,
        runtime: match args.runtime {
            RuntimeName::Transformers => TemplateRuntime::Transformers,
            RuntimeName::Vllm => TemplateRuntime::Vllm,
            RuntimeName::LlamaCpp => TemplateRuntime::LlamaCpp,
        },
        now: args.now.as_deref().map(now).transpose()?,
    };
    let (mut prompts, mut status) = (Vec::new(), ExitStatus::Success);
    for path in &args.paths {
        match templates::read(path) {
            Ok(set) => {
                if let Some(other) = &set.differing_file {
                    let remark = "has another template, which a conversion to GGUF prefers";
                    print_to_stderr(&format!("note: {}: {other} {remark}", path.display()))?;
                }
                prompts.extend(render(path, set, &conversation, &options));
            }
            Err(error) => {
                print_to_stderr(&format!("error: {}", describe(&error)))?;
                status = ExitStatus::Failure;
            }
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

/// The conversation to render, and whether the prompt ends where the model writes.
fn conversation(args: &TemplateRenderArgs) -> anyhow::Result<(Conversation, bool)> {
    let (mut conversation, generation_prompt) = if let Some(path) = &args.messages {
        (read_json(path, "messages", Conversation::from_json)?, true)
    } else {
        let unknown = || {
            let names: Vec<String> = TemplateProbe::all().into_iter().map(|probe| probe.name).collect();
            format!("unknown probe {:?}; choose one of {}", args.probe, names.join(", "))
        };
        let probe = TemplateProbe::named(&args.probe).with_context(unknown)?;
        (probe.conversation(), probe.generation_prompt)
    };
    if let Some(path) = &args.tools {
        conversation.tools = Some(read_json(path, "tools", Conversation::tools_from_json)?);
    }
    Ok((conversation, generation_prompt))
}

fn read_json<T>(path: &Path, what: &str, parse: impl Fn(Value) -> Result<T, String>) -> anyhow::Result<T> {
    let name = path.display();
    let bytes =
        small_file::read(path, templates::MAX_BYTES).with_context(|| format!("could not read the {what} {name}"))?;
    let value = serde_json::from_slice(&bytes).with_context(|| format!("could not use the {what} {name}"))?;
    parse(value).map_err(|error| anyhow!("could not use the {what} {name}: {error}"))
}

fn kwargs(args: &TemplateRenderArgs) -> anyhow::Result<Map<String, Value>> {
    let Some(text) = &args.kwargs else { return Ok(Map::new()) };
    serde_json::from_str(text).context("--kwargs is not a JSON object")
}

fn now(text: &str) -> anyhow::Result<DateTime> {
    text.parse().map_err(|_| anyhow!("--now {text:?}: write it as 2026-11-23T12:00"))
}

/// Renders the template of a set that transformers takes: `tool_use`, if there are tools, else the first.
fn render(
    path: &Path,
    set: TemplateSet,
    conversation: &Conversation,
    options: &RenderOptions,
) -> Option<RenderedPrompt> {
    let of_tools = |template: &&ChatTemplate| conversation.tools.is_some() && template.name == "tool_use";
    let template = set.templates.iter().find(of_tools).or(set.templates.first())?;
    let input = TemplateInput { conversation: conversation.clone(), special_tokens: set.special_tokens };
    Some(RenderedPrompt {
        path: path.display().to_string(),
        file: template.file.clone(),
        name: template.name.clone(),
        outcome: template::render(template, input, options.clone()),
    })
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
                let help = failure.help.as_ref().map(|help| format!("; {help}")).unwrap_or_default();
                print_to_stderr(&format!("error: {failure}{help}"))?;
            }
        }
    }
    Ok(())
}
