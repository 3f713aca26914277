//! Input of the subcommands of `template`: the template in a path, the conversation, and how it is rendered.

use std::path::{Path, PathBuf};
use std::str::FromStr as _;

use anyhow::{Context as _, anyhow, bail};
use clap::{Args, ValueEnum};
use jiff::civil::DateTime;
use serde_json::{Map, Value};

use super::super::outcome::{describe, print_to_stderr};
use super::super::part::PartArgs;
use crate::config::templates;
use crate::location::Location;
use crate::session::Session;
use crate::system::small_file;
use crate::template::RenderOptions;
use crate::template::check::ProbedConversation;
use crate::template::conversation::{Conversation, TemplateRuntime};
use crate::template::probes::TemplateProbe;
use crate::template::recorded;
use crate::template::source::{ChatTemplate, TemplateSet};
use crate::template::tokens::TokenFacts;

/// Maximum size of a transcript in bytes: no prompt is longer.
const MAX_TRANSCRIPT: u64 = 64 << 20;

/// The conversation to render and the variables of the template.
#[derive(Clone, Debug, Args)]
#[command(
    mut_arg("turns", |arg| arg.requires("messages").help("Render only these turns of a transcript: 3, 3-7, 3-, -7, last")),
    mut_arg("range", |arg| arg.requires("messages"))
)]
pub struct InputArgs {
    /// JSON with messages and perhaps tools, or any transcript: a request, a session of an agent
    #[arg(long, value_name = "FILE", conflicts_with = "probe")]
    messages: Option<PathBuf>,
    /// Render the messages of a transcript up to this place: LINE, 'turn N', the id of a call
    #[arg(long, value_name = "LOCATION", requires = "messages", value_parser = Location::from_str)]
    at: Option<Location>,
    #[command(flatten)]
    part: PartArgs,
    /// Conversation of the program to render; an unknown name lists them
    #[arg(long, value_name = "NAME")]
    probe: Option<String>,
    /// YAML with probes to use instead of the built-in ones
    #[arg(long, value_name = "FILE", conflicts_with = "messages")]
    probes: Option<PathBuf>,
    /// JSON with a list of the tools' schemas
    #[arg(long, value_name = "FILE")]
    tools: Option<PathBuf>,
    /// JSON object with further variables of the template
    #[arg(long, value_name = "JSON")]
    kwargs: Option<String>,
    /// Convert arguments as this program does before it renders
    #[arg(long = "as", value_enum, value_name = "RUNTIME", default_value = "transformers")]
    runtime: RuntimeName,
    /// Tokenizer of the model: tokenizer.json, GGUF or a directory [default: PATH]
    #[arg(long, value_name = "FILE")]
    tokenizer: Option<PathBuf>,
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
        let first = self.selected(Some(usual))?.into_iter().next().context("there is no conversation")?;
        Ok((first.conversation, first.generation_prompt))
    }

    /// The conversations of the options, by default all probes. Tools of the options replace their own.
    pub fn conversations(&self) -> anyhow::Result<Vec<ProbedConversation>> {
        self.selected(None)
    }

    /// The conversations of the options, by default the probes of these names, in this order.
    pub fn conversations_or(&self, usual: &[&str]) -> anyhow::Result<Vec<ProbedConversation>> {
        let mut selected = self.selected(None)?;
        if self.messages.is_none() && self.probe.is_none() && self.probes.is_none() {
            let place = |probed: &ProbedConversation| usual.iter().position(|name| *name == probed.name);
            selected.retain(|probed| place(probed).is_some());
            selected.sort_by_key(place);
        }
        Ok(selected)
    }

    /// The conversations to choose from, all probes if one is named, and the name of the first one to show.
    pub fn choices(&self, usual: &str) -> anyhow::Result<(Vec<ProbedConversation>, String)> {
        let first = self.selected(Some(usual))?.into_iter().next().context("there is no conversation")?;
        let all = Self { probe: None, ..self.clone() }.selected(None)?;
        Ok((all, first.name))
    }

    fn selected(&self, usual: Option<&str>) -> anyhow::Result<Vec<ProbedConversation>> {
        let mut selected = if let Some(path) = &self.messages {
            let conversation = read_messages(path, self.at.as_ref(), &self.part)?;
            // Up to a message of the model, nothing is left to be answered.
            let generation_prompt = (self.at.is_none() && !self.part.cuts()) || !conversation.ends_with_answer();
            vec![ProbedConversation { name: path.display().to_string(), conversation, generation_prompt }]
        } else {
            let (probes, is_built_in) = match &self.probes {
                Some(path) => (read_probes(path)?, false),
                None => (TemplateProbe::all(), true),
            };
            let name = self.probe.as_deref().or(usual.filter(|_| is_built_in));
            let named = |probe: &&TemplateProbe| name.is_none_or(|name| probe.name == name);
            let found: Vec<ProbedConversation> = probes.iter().filter(named).map(ProbedConversation::from).collect();
            if found.is_empty() {
                let names: Vec<&str> = probes.iter().map(|probe| probe.name.as_str()).collect();
                bail!("unknown probe {:?}; choose one of {}", name.unwrap_or_default(), names.join(", "));
            }
            found
        };
        if let Some(path) = &self.tools {
            let tools = read_json(path, "tools", Conversation::tools_from_json)?;
            for probed in
                selected.iter_mut().filter(|probed| probed.conversation.tools.is_some() || self.messages.is_some())
            {
                probed.conversation.tools = Some(tools.clone());
            }
        }
        Ok(selected)
    }

    /// The file or directory of the tokenizer, if the options name one.
    pub fn tokenizer(&self) -> Option<&Path> {
        self.tokenizer.as_deref()
    }

    /// The tokens of the tokenizer that the options name.
    pub fn tokens(&self) -> anyhow::Result<Option<TokenFacts>> {
        Ok(self.tokenizer().map(templates::read_tokens).transpose()?.flatten())
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
            is_text_only: false,
        })
    }

    fn kwargs(&self) -> anyhow::Result<Map<String, Value>> {
        let Some(text) = &self.kwargs else { return Ok(Map::new()) };
        serde_json::from_str(text).context("--kwargs is not a JSON object")
    }
}

/// The template in a path that transformers takes (`tool_use`, if there are tools, else the first) and its special tokens.
/// Named tokens of a tokenizer that was given replace its own. If there is none, the reason is printed.
pub fn chosen_template(
    path: &Path,
    conversation: &Conversation,
    tokens: Option<&TokenFacts>,
) -> anyhow::Result<Option<(ChatTemplate, Map<String, Value>)>> {
    let Some(mut set) = template_set(path)? else { return Ok(None) };
    if let Some(tokens) = tokens {
        set.use_tokens(tokens.clone());
    }
    if let Some(other) = &set.differing_file {
        let remark = "has another template, which a conversion to GGUF prefers";
        print_to_stderr(&format!("note: {}: {other} {remark}", path.display()))?;
    }
    let template = set.chosen(conversation.tools.is_some()).cloned();
    Ok(template.map(|template| (template, set.special_tokens)))
}

/// The templates in a path. If there is none, the reason is printed.
pub fn template_set(path: &Path) -> anyhow::Result<Option<TemplateSet>> {
    match templates::read(path) {
        Ok(set) => Ok(Some(set)),
        Err(error) => {
            print_to_stderr(&format!("error: {}", describe(&error)))?;
            Ok(None)
        }
    }
}

/// The conversation in a file, or a part of it up to a place: messages in the form of the chat API of OpenAI unchanged, else a
/// transcript, whose notes are printed.
fn read_messages(path: &Path, at: Option<&Location>, part: &PartArgs) -> anyhow::Result<Conversation> {
    let name = path.display();
    let bytes =
        small_file::read(path, MAX_TRANSCRIPT).with_context(|| format!("could not read the messages {name}"))?;
    if at.is_none()
        && !part.cuts()
        && let Ok(value) = serde_json::from_slice::<Value>(&bytes)
        && value.get("system").is_none()
        && let Ok(conversation) = Conversation::from_json(value)
        && !conversation.is_of_another_api()
    {
        return Ok(conversation);
    }
    let session = Session::from_bytes(&bytes);
    let place = at.map(|at| {
        at.place(&session).with_context(|| {
            format!("no such place in {name}; --at takes LINE[:COLUMN], +BYTE, 'turn N' or the id of a call")
        })
    });
    let part = part.of(&name.to_string(), &session)?;
    let recorded = recorded::conversation_of_part(&session, place.transpose()?, part.as_ref());
    if recorded.conversation.messages.is_empty() {
        bail!("could not use the messages {name}: it has none; write a JSON list of messages");
    }
    for note in recorded.notes {
        print_to_stderr(&format!("note: {name}: {note}"))?;
    }
    Ok(recorded.conversation)
}

fn read_probes(path: &Path) -> anyhow::Result<Vec<TemplateProbe>> {
    let name = path.display();
    let bytes =
        small_file::read(path, templates::MAX_BYTES).with_context(|| format!("could not read the probes {name}"))?;
    let text = String::from_utf8(bytes).map_err(|_| anyhow!("could not use the probes {name}: not valid UTF-8"))?;
    TemplateProbe::from_yaml(&text).map_err(|error| anyhow!("could not use the probes {name}: {error}"))
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
