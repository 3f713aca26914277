//! Input of the subcommands of `template`: the template in a path, the conversation, and how it is rendered.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow};
use clap::{Args, ValueEnum};
use jiff::civil::DateTime;
use serde_json::{Map, Value};

use super::super::outcome::{describe, print_to_stderr};
use crate::config::templates;
use crate::system::small_file;
use crate::template::RenderOptions;
use crate::template::conversation::{Conversation, TemplateRuntime};
use crate::template::probes::TemplateProbe;
use crate::template::source::ChatTemplate;

/// The conversation to render and the variables of the template.
#[derive(Debug, Args)]
pub struct InputArgs {
    /// JSON with a list of messages, or an object with messages and tools
    #[arg(long, value_name = "FILE", conflicts_with = "probe")]
    messages: Option<PathBuf>,
    /// Conversation of the program to render; an unknown name lists them
    #[arg(long, value_name = "NAME")]
    probe: Option<String>,
    /// JSON with a list of the tools' schemas
    #[arg(long, value_name = "FILE")]
    tools: Option<PathBuf>,
    /// JSON object with further variables of the template
    #[arg(long, value_name = "JSON")]
    kwargs: Option<String>,
    /// Convert arguments as this program does before it renders
    #[arg(long = "as", value_enum, value_name = "RUNTIME", default_value = "transformers")]
    runtime: RuntimeName,
    /// Local time for templates that print the date: 2026-11-23T12:00 [default: now]
    #[arg(long, value_name = "TIME")]
    now: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum RuntimeName {
    /// Leave arguments unchanged
    Transformers,
    /// Convert arguments that are a text to an object
    Vllm,
    /// Convert to an object if the template prints objects, else to a text
    #[value(name = "llama.cpp")]
    LlamaCpp,
}

impl InputArgs {
    /// The conversation, and whether its prompt ends where the model writes. Without options it is the probe `usual`.
    pub fn conversation(&self, usual: &str) -> anyhow::Result<(Conversation, bool)> {
        let (mut conversation, generation_prompt) = if let Some(path) = &self.messages {
            (read_json(path, "messages", Conversation::from_json)?, true)
        } else {
            let name = self.probe.as_deref().unwrap_or(usual);
            let unknown = || {
                let names: Vec<String> = TemplateProbe::all().into_iter().map(|probe| probe.name).collect();
                format!("unknown probe {name:?}; choose one of {}", names.join(", "))
            };
            let probe = TemplateProbe::named(name).with_context(unknown)?;
            (probe.conversation(), probe.generation_prompt)
        };
        if let Some(path) = &self.tools {
            conversation.tools = Some(read_json(path, "tools", Conversation::tools_from_json)?);
        }
        Ok((conversation, generation_prompt))
    }

    /// The options of a render; without a generation prompt.
    pub fn options(&self) -> anyhow::Result<RenderOptions> {
        Ok(RenderOptions {
            add_generation_prompt: false,
            variables: self.kwargs()?,
            runtime: match self.runtime {
                RuntimeName::Transformers => TemplateRuntime::Transformers,
                RuntimeName::Vllm => TemplateRuntime::Vllm,
                RuntimeName::LlamaCpp => TemplateRuntime::LlamaCpp,
            },
            now: self.now.as_deref().map(now).transpose()?,
        })
    }

    fn kwargs(&self) -> anyhow::Result<Map<String, Value>> {
        let Some(text) = &self.kwargs else { return Ok(Map::new()) };
        serde_json::from_str(text).context("--kwargs is not a JSON object")
    }
}

/// The template in a path that transformers takes (`tool_use`, if there are tools, else the first) and its special tokens.
/// If there is none, the reason is printed.
pub fn chosen_template(
    path: &Path,
    conversation: &Conversation,
) -> anyhow::Result<Option<(ChatTemplate, Map<String, Value>)>> {
    let set = match templates::read(path) {
        Ok(set) => set,
        Err(error) => {
            print_to_stderr(&format!("error: {}", describe(&error)))?;
            return Ok(None);
        }
    };
    if let Some(other) = &set.differing_file {
        let remark = "has another template, which a conversion to GGUF prefers";
        print_to_stderr(&format!("note: {}: {other} {remark}", path.display()))?;
    }
    let of_tools = |template: &&ChatTemplate| conversation.tools.is_some() && template.name == "tool_use";
    let template = set.templates.iter().find(of_tools).or(set.templates.first()).cloned();
    Ok(template.map(|template| (template, set.special_tokens)))
}

fn read_json<T>(path: &Path, what: &str, parse: impl Fn(Value) -> Result<T, String>) -> anyhow::Result<T> {
    let name = path.display();
    let bytes =
        small_file::read(path, templates::MAX_BYTES).with_context(|| format!("could not read the {what} {name}"))?;
    let value = serde_json::from_slice(&bytes).with_context(|| format!("could not use the {what} {name}"))?;
    parse(value).map_err(|error| anyhow!("could not use the {what} {name}: {error}"))
}

fn now(text: &str) -> anyhow::Result<DateTime> {
    text.parse().map_err(|_| anyhow!("--now {text:?}: write it as 2026-11-23T12:00"))
}
