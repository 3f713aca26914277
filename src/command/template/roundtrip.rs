//! `template roundtrip`: whether the parsers of runtimes read the calls that a template writes.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, ValueEnum};

use super::super::outcome::{ExitStatus, describe, print_to_stderr};
use super::input::{InputArgs, template_set};
use crate::config::templates;
use crate::dialect::declared::Declaration;
use crate::export::prompt_roundtrip::{self, TemplateRoundTrip};
use crate::runtime::RuntimeName;
use crate::template::conversation::Conversation;
use crate::template::roundtrip::{ROUND_TRIP_PROBES, TurnParsers, round_trip};
use crate::text::output::Output;

/// Arguments and options of `transcope template roundtrip`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  transcope template roundtrip chat.jinja
  transcope template roundtrip --runtime vllm --probe parallel model/
  transcope template roundtrip models/*/chat_template.jinja
  transcope template roundtrip --messages talk.json --format json chat.jinja

The model's turn is taken from the prompt, and every parser of its dialect reads it, with the tools of the conversation.
The response_template of a model's directory is a parser, too. With --tokenizer, parsers of vLLM that get no special tokens
read the turn without them. A parser is exact if calls, text and reasoning are what
was put in, except for what the template leaves out. Exits with 1 if no parser reads the calls of a turn.")]
pub struct TemplateRoundTripArgs {
    /// Templates: .jinja, JSON of a tokenizer, GGUF, or a model's directory
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    input: InputArgs,
    /// Use the parsers of this runtime only: vllm, vllm:hermes, vllm@0.28:hermes
    #[arg(long = "runtime", value_name = "RUNTIME")]
    runtimes: Vec<String>,
    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    format: RoundTripFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum RoundTripFormat {
    /// A line for each conversation and what differs; several templates as a table
    Text,
    /// One JSON object with the readings of all parsers
    Json,
}

/// Runs `transcope template roundtrip`. The status is `Findings` if no parser reads the calls of a turn, or if a template is not
/// valid.
pub fn run<W: Write>(args: &TemplateRoundTripArgs, out: &mut Output<W>) -> anyhow::Result<ExitStatus> {
    let probes = args.input.conversations_or(&ROUND_TRIP_PROBES)?;
    let conversations: Vec<(String, Conversation)> =
        probes.into_iter().map(|probed| (probed.name, probed.conversation)).collect();
    let has_tools = conversations.iter().any(|(_, conversation)| conversation.tools.is_some());
    let (options, tokens) = (args.input.options()?, args.input.tokens()?);
    let names = args.runtimes.iter().map(|name| name.parse::<RuntimeName>().map_err(anyhow::Error::msg));
    let runtimes = names.collect::<anyhow::Result<Vec<_>>>()?;
    let (mut trips, mut status) = (Vec::new(), ExitStatus::Success);
    for path in &args.paths {
        let mut set = template_set(path)?;
        if let (Some(set), Some(tokens)) = (&mut set, &tokens) {
            set.use_tokens(tokens.clone());
        }
        let Some((set, template)) = set.as_ref().and_then(|set| Some((set, set.chosen(has_tools)?))) else {
            status = ExitStatus::Failure;
            continue;
        };
        let parsers = TurnParsers { runtimes: runtimes.clone(), declared: declared(path)?, tokens: tokens.clone() };
        trips.push(TemplateRoundTrip {
            path: path.display().to_string(),
            file: template.file.clone(),
            outcome: round_trip(template, &set.usual_tokens(), &options, &conversations, &parsers),
        });
    }
    if status == ExitStatus::Success && trips.iter().any(TemplateRoundTrip::has_findings) {
        status = ExitStatus::Findings;
    }
    match args.format {
        RoundTripFormat::Json => prompt_roundtrip::write_json(out, &trips)?,
        RoundTripFormat::Text if trips.len() > 1 => prompt_roundtrip::write_table(out, &trips)?,
        RoundTripFormat::Text => prompt_roundtrip::write_text(out, &trips)?,
    }
    Ok(status)
}

/// The parser that the tokenizer's settings declare. If it cannot be used, the reason is printed.
fn declared(path: &Path) -> anyhow::Result<Option<Arc<Declaration>>> {
    let config = match templates::tokenizer_config(path) {
        Ok(config) => config.unwrap_or_default(),
        Err(error) => {
            print_to_stderr(&format!("error: {}", describe(&error)))?;
            return Ok(None);
        }
    };
    match TurnParsers::declared_in(&config) {
        Ok(declared) => Ok(declared),
        Err(message) => {
            print_to_stderr(&format!("note: {}: its response_template is not used: {message}", path.display()))?;
            Ok(None)
        }
    }
}
