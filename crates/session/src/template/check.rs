//! Problems of a chat template: calls, results and texts that the prompt loses or changes, conversations that it refuses, and
//! what a cache or a parser cannot use.
//!
//! Conversations are rendered as each runtime prepares them (`renders`). Where a template raises, variants of the
//! conversation say why (`refusals`); where it renders, the fields of the messages are searched in the prompt (`omissions`);
//! `prompts` has what concerns the prompt as a whole, `parsers` what the parsers of runtimes make of its calls. Each problem is reported once, with the first probe that shows it.

mod omissions;
mod parsers;
mod prompts;
mod refusals;
mod renders;
mod search;
#[cfg(test)]
mod tests;
mod tokens;
mod variants;

use std::sync::mpsc;
use std::thread;

use serde_json::{Map, Value};

use super::conversation::{Conversation, TemplateRuntime};
use super::engine::STACK_BYTES;
use super::engine::rewrite::unify_newlines;
use super::failure::{FailureKind, TemplateFailure};
use super::probes::TemplateProbe;
use super::source::{ChatTemplate, TemplateSet};
use super::{MAX_TIME, RenderOptions};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::text::Span;
use renders::Renders;

/// A problem of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateProblem {
    /// Code, severity and message; the span is of [`TemplateFindings::source`].
    pub diagnostic: Diagnostic,
    /// Name of the first conversation that shows it; nothing if it concerns the files of the template.
    pub probe: Option<String>,
    /// Runtimes in which it happens.
    pub runtimes: Vec<TemplateRuntime>,
}

impl TemplateProblem {
    /// The runtimes in which it happens: `transformers, ~vllm`, or `all runtimes`.
    #[must_use]
    pub fn runtime_names(&self) -> String {
        if self.runtimes.len() == TemplateRuntime::ALL.len() {
            return "all runtimes".to_owned();
        }
        let names: Vec<String> = self.runtimes.iter().map(|runtime| runtime.marked_name()).collect();
        names.join(", ")
    }
}

/// The problems of a template, and the text that their places refer to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TemplateFindings {
    /// The template's source with `\n` as ends of lines.
    pub source: String,
    /// Sorted by place, then by code.
    pub problems: Vec<TemplateProblem>,
}

impl TemplateFindings {
    /// True if a problem is at least as severe.
    #[must_use]
    pub fn has(&self, severity: Severity) -> bool {
        self.problems.iter().any(|problem| problem.diagnostic.severity >= severity)
    }
}

/// A conversation to render, with its name for messages.
#[derive(Debug, Clone)]
pub struct ProbedConversation {
    /// Name of the probe or the file.
    pub name: String,
    /// Messages and tools; tools are absent if the probe has none.
    pub conversation: Conversation,
    /// True if the prompt ends where the model writes.
    pub generation_prompt: bool,
}

impl From<&TemplateProbe> for ProbedConversation {
    fn from(probe: &TemplateProbe) -> Self {
        Self {
            name: probe.name.clone(),
            conversation: probe.conversation(),
            generation_prompt: probe.generation_prompt,
        }
    }
}

/// Checks the template of a set that is used for the conversations (another one may be for tools), with the tokens of its
/// model if they are known, and whether the files of the set agree.
#[must_use]
pub fn check_set(set: &TemplateSet, probes: Vec<ProbedConversation>, options: &RenderOptions) -> TemplateFindings {
    let has_tools = probes.iter().any(|probe| probe.conversation.tools.is_some());
    let Some(template) = set.chosen(has_tools) else { return TemplateFindings::default() };
    let mut findings = check(template, &set.usual_tokens(), probes, options);
    if let Some(other) = &set.differing_file {
        let message = format!("{other} has another template: transformers and vLLM use {}", template.file);
        let diagnostic = Diagnostic::new(Code::TemplateSourcesDiffer, Span::new(0, 0), message);
        let problem = TemplateProblem { diagnostic, probe: None, runtimes: TemplateRuntime::ALL.to_vec() };
        findings.problems.insert(0, problem);
    }
    if let Some(facts) = &set.tokens {
        findings.problems.extend(tokens::problems(facts, template, &set.usual_tokens(), options));
        findings.problems.sort_by_key(|problem| (problem.diagnostic.span.start, problem.diagnostic.code));
    }
    findings
}

/// Checks a template with conversations. Of the options, the variables and the clock count.
///
/// Gives up after [`MAX_TIME`], and says so as a problem.
#[must_use]
pub fn check(
    template: &ChatTemplate,
    special_tokens: &Map<String, Value>,
    probes: Vec<ProbedConversation>,
    options: &RenderOptions,
) -> TemplateFindings {
    let (sender, outcome) = mpsc::channel();
    let work = {
        let (template, tokens, options) = (template.clone(), special_tokens.clone(), options.clone());
        move || {
            // If this fails, the check took too long, and its outcome is no longer wanted.
            _ = sender.send(check_here(&template, tokens, &probes, &options));
        }
    };
    let started = thread::Builder::new().name("template".into()).stack_size(STACK_BYTES).spawn(work);
    let limit = |message: String| {
        let diagnostic = Diagnostic::new(Code::TemplateNotChecked, Span::new(0, 0), message);
        let problem = TemplateProblem { diagnostic, probe: None, runtimes: TemplateRuntime::ALL.to_vec() };
        TemplateFindings { source: unify_newlines(&template.source), problems: vec![problem] }
    };
    if let Err(error) = started {
        return limit(format!("could not start a thread to render it: {error}"));
    }
    match outcome.recv_timeout(MAX_TIME) {
        Ok(findings) => findings,
        Err(mpsc::RecvTimeoutError::Timeout) => limit(format!("the check takes more than {} s", MAX_TIME.as_secs())),
        Err(mpsc::RecvTimeoutError::Disconnected) => limit("the engine failed".to_owned()),
    }
}

fn check_here(
    template: &ChatTemplate,
    special_tokens: Map<String, Value>,
    probes: &[ProbedConversation],
    options: &RenderOptions,
) -> TemplateFindings {
    let renders = match Renders::new(template, special_tokens, options) {
        Ok(renders) => renders,
        Err(failure) => {
            let source = unify_newlines(&template.source);
            let problems = vec![invalid(&failure, &source)];
            return TemplateFindings { source, problems };
        }
    };
    let mut found = Problems { writes_reasoning: renders.writes_reasoning(probes), ..Problems::default() };
    for probe in probes {
        for runtime in TemplateRuntime::ALL {
            match renders.render(probe, runtime) {
                Ok(rendered) => omissions::find(&renders, probe, runtime, &rendered, &mut found),
                Err(failure) if matches!(failure.kind, FailureKind::Syntax | FailureKind::Limit) => {
                    found.list.push(invalid(&failure, renders.source()));
                    return found.into_findings(renders.source());
                }
                Err(failure) => refusals::find(&renders, probe, runtime, &failure, &mut found),
            }
        }
    }
    prompts::find(&renders, template, probes, &mut found);
    parsers::find(&renders, template, probes, &mut found);
    found.into_findings(renders.source())
}

/// The problem of a source that is not a template, or one that exceeds a limit.
fn invalid(failure: &TemplateFailure, source: &str) -> TemplateProblem {
    let mut diagnostic =
        Diagnostic::new(Code::InvalidTemplate, line_span(source, failure.line), failure.message.clone());
    if let Some(help) = &failure.help {
        diagnostic = diagnostic.help(help);
    }
    TemplateProblem { diagnostic, probe: None, runtimes: TemplateRuntime::ALL.to_vec() }
}

/// The text of a line of the template, without its indentation; the beginning if the line is not known.
fn line_span(source: &str, line: Option<usize>) -> Span {
    let Some(line) = line else { return Span::new(0, 0) };
    let start = source.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum::<usize>();
    let text = source[start..].split('\n').next().unwrap_or_default();
    let indentation = text.len() - text.trim_start().len();
    Span::new(start + indentation, start + text.trim_end().len().max(indentation))
}

/// Problems while they are found: one for each code. An error that some runtimes do not have is a warning.
#[derive(Default)]
struct Problems {
    list: Vec<TemplateProblem>,
    /// True if the template writes the reasoning of some message.
    writes_reasoning: bool,
}

impl Problems {
    /// Adds a problem in one runtime. The first probe that shows a code is kept, and further ones are ignored.
    fn add(&mut self, probe: &ProbedConversation, runtime: TemplateRuntime, diagnostic: Diagnostic) {
        let known = self.list.iter_mut().find(|problem| problem.diagnostic.code == diagnostic.code);
        let Some(known) = known else {
            let probe = Some(probe.name.clone());
            self.list.push(TemplateProblem { diagnostic, probe, runtimes: vec![runtime] });
            return;
        };
        if known.probe.as_ref() == Some(&probe.name) && !known.runtimes.contains(&runtime) {
            known.runtimes.push(runtime);
        }
    }

    /// As [`Self::add`], in all runtimes.
    fn add_everywhere(&mut self, probe: &ProbedConversation, diagnostic: &Diagnostic) {
        for runtime in TemplateRuntime::ALL {
            self.add(probe, runtime, diagnostic.clone());
        }
    }

    fn into_findings(mut self, source: &str) -> TemplateFindings {
        for problem in &mut self.list {
            let is_partial = problem.runtimes.len() < TemplateRuntime::ALL.len();
            if is_partial && problem.diagnostic.severity == Severity::Error {
                problem.diagnostic.severity = Severity::Warning;
            }
        }
        self.list.sort_by_key(|problem| (problem.diagnostic.span.start, problem.diagnostic.code));
        TemplateFindings { source: source.to_owned(), problems: self.list }
    }
}
