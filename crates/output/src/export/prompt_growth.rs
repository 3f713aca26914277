//! Prompts of conversations that grow, as text and JSON: how much of each prompt the next one keeps, and why not all.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::json_text::ObjectWriter;
use super::prompt::failure_record;
use super::record::SCHEMA_VERSION;
use crate::template::prefix::{GrowthStep, PrefixChange, PrefixReason, PromptGrowth};
use crate::text::sanitize::visible_str;

/// A template with the prompts that it writes for a conversation.
#[derive(Debug)]
pub struct TemplateGrowth {
    /// The path that was given.
    pub path: String,
    /// The file in it that has the template.
    pub file: String,
    /// The prompts of its requests, the shortest first.
    pub growth: PromptGrowth,
}

impl TemplateGrowth {
    /// True if every prompt could be rendered and continues the one before it.
    #[must_use]
    pub fn is_kept(&self) -> bool {
        let is_kept = |step: &GrowthStep| {
            step.length.is_ok() && step.comparison.as_ref().is_none_or(|comparison| comparison.change.is_none())
        };
        self.growth.steps.iter().all(is_kept)
    }
}

/// Writes a line for each prompt, below a heading for each template.
pub fn write_text<W: Write>(out: &mut W, templates: &[TemplateGrowth]) -> io::Result<()> {
    for template in templates {
        writeln!(out, "{}", visible_str(&template.path))?;
        for step in &template.growth.steps {
            let noun = if step.messages == 1 { "message" } else { "messages" };
            writeln!(out, "  {:>3} {noun:<8}  {}", step.messages, outcome(step))?;
        }
        if template.growth.steps.is_empty() {
            writeln!(out, "  the conversation asks the model nothing")?;
        }
        if let Some(offset) = template.growth.date {
            writeln!(
                out,
                "  note: the date is printed at byte {offset}; on the next day a cache has nothing after it"
            )?;
        }
    }
    Ok(())
}

/// The outcome of a step; a reason is on a separate line.
fn outcome(step: &GrowthStep) -> String {
    let length = match &step.length {
        Ok(length) => *length,
        Err(failure) => return visible_str(&format!("error: {}", failure.with_help())).into_owned(),
    };
    match &step.comparison {
        None => format!("{length} bytes"),
        Some(comparison) => match &comparison.change {
            None => format!("{length} bytes, continues the prompt before"),
            Some(change) => format!(
                "{length} bytes, differs from byte {} of {} ({:.0} % lost)\n{:16}{}",
                comparison.kept,
                comparison.before,
                100.0 * comparison.lost(),
                "",
                visible_str(&reason(change))
            ),
        },
    }
}

/// The reason as a phrase, with the line of the template.
fn reason(change: &PrefixChange) -> String {
    let field = change.field.as_deref().unwrap_or("a field");
    let words = match change.reason {
        PrefixReason::ReasoningDropped => format!("{field} is left out"),
        PrefixReason::ToolsMoved => "the tools are at another place".to_owned(),
        PrefixReason::ResultsReopened => "the end of the tool results depends on what follows them".to_owned(),
        PrefixReason::GenerationPrompt => "the answer does not begin with the generation prompt".to_owned(),
        PrefixReason::FieldChanged => format!("{field} is written in another way"),
        PrefixReason::TextChanged => "the template writes another text".to_owned(),
    };
    let line = change.line.map(|line| format!("; line {line} of the template")).unwrap_or_default();
    format!("{words}{line}")
}

fn code(reason: PrefixReason) -> &'static str {
    match reason {
        PrefixReason::ReasoningDropped => "reasoning-dropped",
        PrefixReason::ToolsMoved => "tools-moved",
        PrefixReason::ResultsReopened => "results-reopened",
        PrefixReason::GenerationPrompt => "generation-prompt",
        PrefixReason::FieldChanged => "field-changed",
        PrefixReason::TextChanged => "text-changed",
    }
}

/// Writes one JSON object with all templates.
pub fn write_json<W: Write>(out: &mut W, templates: &[TemplateGrowth]) -> io::Result<()> {
    let records = templates.iter().map(|template| {
        json!({
            "path": template.path,
            "file": template.file,
            "date": template.growth.date,
            "prompts": template.growth.steps.iter().map(record).collect::<Vec<_>>(),
        })
    });
    ObjectWriter::new(out).member("schema_version", &SCHEMA_VERSION)?.list("templates", records)?.end()
}

fn record(step: &GrowthStep) -> Value {
    let comparison = step.comparison.as_ref();
    let change = comparison.and_then(|comparison| comparison.change.as_ref());
    json!({
        "messages": step.messages,
        "bytes": step.length.as_ref().ok(),
        "error": step.length.as_ref().err().map(failure_record),
        "before": comparison.map(|comparison| comparison.before),
        "kept": comparison.map(|comparison| comparison.kept),
        "reason": change.map(|change| code(change.reason)),
        "field": change.and_then(|change| change.field.as_deref()),
        "line": change.and_then(|change| change.line),
    })
}
