//! `template check`: reports the problems of chat templates; several templates as a table.

use std::io::Write;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde_json::{Map, Value, json};

use super::super::check::{CheckFormat, CheckedText, Unread, report};
use super::super::outcome::{ExitStatus, describe, print_to_stderr};
use super::input::{InputArgs, template_set};
use crate::config::{ColorChoice, templates};
use crate::diagnostic::{Diagnostic, Severity};
use crate::export::baseline::ProblemDetails;
use crate::session::Session;
use crate::template::check::{TemplateFindings, TemplateProblem, check_set};
use crate::text::output::Output;
use crate::text::sanitize::visible_str;
use crate::wording::count;

/// Arguments and options of `transcope template check`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  transcope template check chat.jinja
  transcope template check --all model/
  transcope template check models/*/chat_template.jinja
  transcope template check --tokenizer tokenizer.json chat.jinja
  transcope template check --messages talk.json --format sarif chat.jinja > template.sarif

Small conversations (probes) are rendered as transformers, vLLM and llama.cpp prepare them. An error is a call or a
result that is lost, or that no parser can read; a warning is wrong in a runtime that is named; hints are reported with
--all only. A runtime with ~ is not compared with its own prompts. transcope explain CODE explains a problem.
Exits with 1 if there is an error.")]
pub struct TemplateCheckArgs {
    /// Templates: .jinja, JSON of a tokenizer, GGUF, or a model's directory
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    input: InputArgs,
    /// Report hints, too: results by order, dates, trimmed texts
    #[arg(long)]
    all: bool,
    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    format: TemplateCheckFormat,
    /// Colour the output [default: if it is a terminal]
    #[arg(long, value_enum)]
    color: Option<ColorChoice>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum TemplateCheckFormat {
    /// Each problem with its lines of the template; several templates as a table
    #[value(alias = "human")]
    Text,
    /// One JSON object
    Json,
    /// SARIF 2.1.0
    Sarif,
    /// GitHub workflow annotations
    Github,
}

/// Runs `transcope template check`. The status is `Findings` if there is an error.
pub fn run<W: Write>(args: &TemplateCheckArgs, out: &mut Output<W>) -> anyhow::Result<ExitStatus> {
    let conversations = args.input.conversations()?;
    let options = args.input.options()?;
    let (mut checked, mut unread) = (Vec::new(), false);
    for path in &args.paths {
        let Some(mut set) = template_set(path)? else {
            unread = true;
            continue;
        };
        let given = args.input.tokenizer();
        match templates::read_tokens(given.unwrap_or(path)) {
            Ok(Some(tokens)) if given.is_some() => set.use_tokens(tokens),
            Ok(tokens) => set.tokens = tokens,
            Err(error) => {
                print_to_stderr(&format!("error: {}", describe(&error)))?;
                unread = true;
            }
        }
        let mut findings = check_set(&set, conversations.clone(), &options);
        if !args.all {
            findings.problems.retain(|problem| problem.diagnostic.severity > Severity::Hint);
        }
        checked.push((path.display().to_string(), findings));
    }
    let has_errors = checked.iter().any(|(_, findings)| findings.has(Severity::Error));
    if args.format == TemplateCheckFormat::Text && checked.len() > 1 {
        table(out, &checked)?;
        let status = if has_errors { ExitStatus::Findings } else { ExitStatus::Success };
        return Ok(if unread { ExitStatus::Failure } else { status });
    }
    let format = match args.format {
        TemplateCheckFormat::Text => CheckFormat::Human,
        TemplateCheckFormat::Json => CheckFormat::Json,
        TemplateCheckFormat::Sarif => CheckFormat::Sarif,
        TemplateCheckFormat::Github => CheckFormat::Github,
    };
    let texts = checked.into_iter().map(|(name, findings)| text(name, &findings)).collect();
    let status = report(out, texts, &Vec::<Unread>::new(), format, args.color.unwrap_or_default())?;
    Ok(if unread { ExitStatus::Failure } else { status })
}

/// The template as a text with problems.
fn text(name: String, findings: &TemplateFindings) -> CheckedText {
    let mut details = ProblemDetails::new();
    let mut problems: Vec<Diagnostic> = Vec::new();
    for problem in &findings.problems {
        let diagnostic = with_circumstances(problem);
        details.insert(diagnostic.clone(), members(problem));
        problems.push(diagnostic);
    }
    let session = Session::with_problems(findings.source.as_bytes(), &problems);
    CheckedText { name, session, remark: None, details }
}

/// The problem with its probe and its runtimes in the message.
fn with_circumstances(problem: &TemplateProblem) -> Diagnostic {
    let mut diagnostic = problem.diagnostic.clone();
    let mut circumstances: Vec<String> = problem.probe.iter().map(|probe| format!("probe {probe}")).collect();
    circumstances.push(problem.runtime_names());
    diagnostic.message = format!("{} ({})", diagnostic.message, circumstances.join("; "));
    diagnostic
}

fn members(problem: &TemplateProblem) -> Map<String, Value> {
    let runtimes = problem.runtimes.iter().map(|runtime| {
        json!({
            "runtime": runtime.name(),
            "verified": runtime.is_verified(),
        })
    });
    let mut members = Map::new();
    members.insert("probe".to_owned(), json!(problem.probe));
    members.insert("runtimes".to_owned(), runtimes.collect());
    members
}

/// Writes a line for each template: its errors, its warnings and their codes. The directory that all are in is left out.
fn table<W: Write>(out: &mut Output<W>, checked: &[(String, TemplateFindings)]) -> anyhow::Result<()> {
    let shared = shared_directory(checked);
    let names: Vec<String> = checked.iter().map(|(name, _)| visible_str(&name[shared..]).into_owned()).collect();
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or_default().max("template".len());
    writeln!(out, "{:width$}  errors  warnings  problems", "template")?;
    for (name, (_, findings)) in names.iter().zip(checked) {
        let of = |severity| findings.problems.iter().filter(move |problem| problem.diagnostic.severity == severity);
        let counts = [Severity::Error, Severity::Warning].map(|severity| of(severity).count());
        let codes: Vec<&str> =
            Severity::ALL.into_iter().flat_map(of).map(|problem| problem.diagnostic.code.name()).collect();
        let line = format!("{name:width$}  {:6}  {:8}  {}", counts[0], counts[1], codes.join(", "));
        writeln!(out, "{}", line.trim_end())?;
    }
    let with_errors = checked.iter().filter(|(_, findings)| findings.has(Severity::Error)).count();
    writeln!(out, "\n{with_errors} of {} with errors", count(checked.len(), "template"))?;
    Ok(())
}

/// Length of the directory that the paths begin with, with its separator.
fn shared_directory(checked: &[(String, TemplateFindings)]) -> usize {
    let Some((first, _)) = checked.first() else { return 0 };
    let shared = |path: &str| first.bytes().zip(path.bytes()).take_while(|(one, other)| one == other).count();
    let shared = checked.iter().map(|(path, _)| shared(path)).min().unwrap_or_default();
    let text = &first.as_bytes()[..shared];
    text.iter().rposition(|&byte| byte == b'/').map_or(0, |at| at + 1)
}
