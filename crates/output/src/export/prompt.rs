//! Rendered prompts with the provenance of their bytes, as JSON.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::json_text::ObjectWriter;
use super::record::SCHEMA_VERSION;
use crate::template::failure::{FailureKind, TemplateFailure};
use crate::template::tokens::TokenFacts;
use crate::template::{PromptSpan, PromptText, SpanOrigin};

/// A template with the outcome of rendering it.
#[derive(Debug)]
pub struct RenderedPrompt {
    /// The path that was given.
    pub path: String,
    /// The file in it that has the template.
    pub file: String,
    /// Name of the template in the file: `default`, `tool_use`.
    pub name: String,
    /// Roles of the messages of the conversation.
    pub roles: Vec<String>,
    /// The tokens of the model, if they are known.
    pub tokens: Option<TokenFacts>,
    /// The prompt, or why there is none.
    pub outcome: Result<PromptText, TemplateFailure>,
}

/// Writes one JSON object with all of them.
pub fn write_json<W: Write>(out: &mut W, prompts: &[RenderedPrompt]) -> io::Result<()> {
    let records = prompts.iter().map(record);
    ObjectWriter::new(out).member("schema_version", &SCHEMA_VERSION)?.list("templates", records)?.end()
}

fn record(rendered: &RenderedPrompt) -> Value {
    let (text, spans, parts, error) = match &rendered.outcome {
        Ok(prompt) => {
            let spans = prompt.spans.iter().map(|span| span_record(prompt, span)).collect();
            (json!(prompt.text), Value::Array(spans), parts(prompt, &rendered.roles), Value::Null)
        }
        Err(failure) => (Value::Null, Value::Null, Value::Null, failure_record(failure)),
    };
    json!({
        "path": rendered.path,
        "file": rendered.file,
        "name": rendered.name,
        "text": text,
        "spans": spans,
        "parts": parts,
        "tokens": tokens(rendered),
        "error": error,
    })
}

/// The added tokens in the prompt, wherever their texts are from; null if the model's tokens are not known.
fn tokens(rendered: &RenderedPrompt) -> Value {
    let (Some(facts), Ok(prompt)) = (&rendered.tokens, &rendered.outcome) else { return Value::Null };
    let found = facts.find(&prompt.text).into_iter();
    let record = found.map(|(range, token)| {
        json!({ "span": [range.start, range.end], "text": token.content, "id": token.id, "special": token.is_special })
    });
    record.collect()
}

/// The size of each part in bytes.
fn parts(prompt: &PromptText, roles: &[String]) -> Value {
    let sizes = prompt.sizes(roles.len());
    let messages = roles.iter().zip(&sizes.messages);
    let messages: Vec<Value> = messages.map(|(role, bytes)| json!({ "role": role, "bytes": bytes })).collect();
    json!({
        "messages": messages,
        "tools": sizes.tools,
        "others": sizes.others,
        "template": sizes.template,
        "unknown": sizes.unknown,
    })
}

fn span_record(prompt: &PromptText, span: &PromptSpan) -> Value {
    let mut record = json!({
        "span": [span.range.start, span.range.end],
        "line": span.line,
        "source": [span.source.start, span.source.end],
        "kind": if span.is_literal { "text" } else { "expression" },
        "origin": match span.origin {
            SpanOrigin::Template => "template",
            SpanOrigin::Fields(_) => "input",
            SpanOrigin::Unknown => "unknown",
        },
    });
    if let SpanOrigin::Fields(indices) = &span.origin {
        let fields = indices.iter().filter_map(|&index| prompt.fields.get(index));
        let fields =
            fields.map(|field| json!({ "path": field.path, "part": if field.is_key { "key" } else { "value" } }));
        record["fields"] = fields.collect();
    }
    record
}

/// A failure as JSON: its kind, message, line and remedy.
pub(super) fn failure_record(failure: &TemplateFailure) -> Value {
    let kind = match failure.kind {
        FailureKind::Syntax => "syntax",
        FailureKind::Raised => "raised",
        FailureKind::Operation => "operation",
        FailureKind::Limit => "limit",
    };
    json!({ "kind": kind, "message": failure.message, "line": failure.line, "help": failure.help })
}
