//! Chat templates: the prompt that a model is shown, rendered byte for byte as transformers 5.23.0 does it, and where each byte
//! of it comes from.
//!
//! - [`source`], [`gguf`]: templates and special tokens in the files that carry them
//! - [`conversation`], [`probes`]: messages and tools as a template gets them; conversations that show what it does
//! - [`engine`]: minijinja with the rules of Python and of transformers' sandbox; [`failure`]: what it refuses
//! - [`provenance`], [`fields`], [`marks`]: the part of the template and the field of the input that each byte is from
//! - [`check`]: problems of a template, each with its place and the runtimes in which it happens
//! - [`learn`]: the declaration of a dialect that reads the calls that a template writes
//! - [`prefix`]: whether the prompts of a conversation that grows continue each other
//!
//! [`render`] does all of it on a thread with a large stack, and gives up after [`MAX_TIME`]: templates are hostile until shown
//! otherwise. Nothing here reads a file.

pub mod check;
pub mod conversation;
pub mod engine;
pub mod failure;
pub mod fields;
pub mod gguf;
pub mod learn;
pub mod marks;
pub mod prefix;
pub mod probes;
pub mod provenance;
pub mod source;
#[cfg(test)]
mod tests;

use std::ops::Range;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use jiff::civil::DateTime;
use minijinja::value::Value as EngineValue;
use serde_json::{Map, Value};

use conversation::{Conversation, PrintedForms, TemplateRuntime, to_engine};
use engine::{Engine, STACK_BYTES};
use failure::{FailureKind, TemplateFailure};
use fields::{InputField, TemplateInput};
use source::ChatTemplate;

/// Time after which a render is abandoned.
pub const MAX_TIME: Duration = Duration::from_secs(20);

/// Variables, clock and runtime of a render.
#[derive(Debug, Clone, Default)]
pub struct RenderOptions {
    /// True if the prompt ends where the model writes.
    pub add_generation_prompt: bool,
    /// Further variables of the template: `enable_thinking`, `documents`, …
    pub variables: Map<String, Value>,
    /// The program whose rules for arguments apply.
    pub runtime: TemplateRuntime,
    /// Local time of `strftime_now`; nothing for the current one.
    pub now: Option<DateTime>,
}

/// A rendered prompt with the origin of its bytes.
#[derive(Debug, Clone, Default)]
pub struct PromptText {
    /// The text that the model is shown.
    pub text: String,
    /// Parts of it, which cover it without a gap.
    pub spans: Vec<PromptSpan>,
    /// Fields of the input; the spans have indices of them. The last one is the clock.
    pub fields: Vec<InputField>,
}

/// Bytes of a prompt with one origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptSpan {
    /// Byte range in the prompt.
    pub range: Range<usize>,
    /// Bytes of the template (with `\n` as ends of lines): the text itself, or the expression that printed it.
    pub source: Range<usize>,
    /// Line of the template, from 1.
    pub line: usize,
    /// True if the bytes are the template's own text, outside of its tags.
    pub is_literal: bool,
    /// The field that the bytes are from.
    pub origin: SpanOrigin,
}

/// The origin of a span's bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SpanOrigin {
    /// The template: its text, a literal in an expression, the notation of a value.
    Template,
    /// A field of the input. Several, if their texts are the same and any of them may be the one.
    Fields(Vec<usize>),
    /// Not known: a tag printed them, and not all that it prints could be followed.
    Unknown,
}

/// Renders a template with the provenance of each byte.
///
/// # Errors
///
/// The template is not valid, raises, does what Python refuses, or exceeds a limit; the runtime refuses the conversation.
pub fn render(
    template: &ChatTemplate,
    input: TemplateInput,
    options: RenderOptions,
) -> Result<PromptText, TemplateFailure> {
    let (name, template) = (template.file.clone(), template.clone());
    on_large_stack(&name, move || render_here(&template, &input, &options))
}

/// Does `work` on a thread with a large stack, for at most [`MAX_TIME`]. The name of the template is for messages.
fn on_large_stack<T: Send + 'static>(
    name: &str,
    work: impl FnOnce() -> Result<T, TemplateFailure> + Send + 'static,
) -> Result<T, TemplateFailure> {
    let (sender, outcome) = mpsc::channel();
    let work = move || {
        // If this fails, the work took too long, and its outcome is no longer wanted.
        _ = sender.send(work());
    };
    let limit = |message: &str| TemplateFailure::new(name, FailureKind::Limit, message);
    let started = thread::Builder::new().name("template".into()).stack_size(STACK_BYTES).spawn(work);
    if let Err(error) = started {
        return Err(limit(&format!("could not start a thread to render it: {error}")));
    }
    match outcome.recv_timeout(MAX_TIME) {
        Ok(outcome) => outcome,
        Err(mpsc::RecvTimeoutError::Timeout) => Err(limit(&format!("it takes more than {} s", MAX_TIME.as_secs()))),
        Err(mpsc::RecvTimeoutError::Disconnected) => Err(limit("the engine failed")),
    }
}

fn render_here(
    template: &ChatTemplate,
    input: &TemplateInput,
    options: &RenderOptions,
) -> Result<PromptText, TemplateFailure> {
    let engine = Engine::new(&template.file, &template.source, options.now)?;
    let forms = || printed_forms(&engine, &input.special_tokens, options);
    let prepared = input.conversation.prepared(options.runtime, forms);
    let conversation = prepared.map_err(|error| TemplateFailure::new(&template.file, FailureKind::Operation, error))?;
    let input = TemplateInput { conversation, special_tokens: input.special_tokens.clone() };
    let base = engine.render(&variables(&input, options, false))?;
    let mut fields = input.fields();
    fields.push(InputField { path: provenance::CLOCK_PATH.to_owned(), is_key: false, value: Value::Bool(false) });
    let spans = provenance::spans(&engine, &input, options, &base, &fields);
    Ok(PromptText { text: base.text, spans, fields })
}

/// The variables of a template. `is_marked` while the input has marks.
fn variables(input: &TemplateInput, options: &RenderOptions, is_marked: bool) -> EngineValue {
    let tools = input.conversation.tools.clone().map_or(Value::Null, Value::Array);
    let mut variables = Map::new();
    variables.insert("messages".to_owned(), Value::Array(input.conversation.messages_with_reasoning()));
    variables.insert("tools".to_owned(), tools);
    variables.insert("documents".to_owned(), Value::Null);
    variables.insert("add_generation_prompt".to_owned(), Value::Bool(options.add_generation_prompt));
    variables.extend(input.special_tokens.clone());
    variables.extend(options.variables.clone());
    if is_marked {
        variables.insert(marks::VARIABLE.to_owned(), Value::Bool(true));
    }
    to_engine(&Value::Object(variables))
}

/// The forms of arguments and contents that a template prints. It is tried without tools and with one, since some
/// templates fail without.
fn printed_forms(engine: &Engine, special_tokens: &Map<String, Value>, options: &RenderOptions) -> PrintedForms {
    let tool = serde_json::json!({"type": "function", "function": {
        "name": "probe", "description": "", "parameters": {"type": "object", "properties": {}},
    }});
    let prints = |messages: Value, text: &str| {
        let Value::Array(messages) = messages else { return false };
        [None, Some(vec![tool.clone()])].into_iter().any(|tools| {
            let conversation = Conversation { messages: messages.clone(), tools };
            let input = TemplateInput { conversation, special_tokens: special_tokens.clone() };
            let options = RenderOptions { add_generation_prompt: false, ..options.clone() };
            let rendered = engine.render(&variables(&input, &options, false));
            rendered.is_ok_and(|rendered| rendered.text.contains(text))
        })
    };
    let call = serde_json::json!([
        {"role": "user", "content": "a"},
        {"role": "assistant", "content": "", "tool_calls": [{
            "id": "call00001", "type": "function",
            "function": {"name": "probe", "arguments": {"probed_key": "probed_value"}},
        }]},
    ]);
    let text = serde_json::json!([{"role": "user", "content": "probed_text"}]);
    let parts = serde_json::json!([{"role": "user", "content": [{"type": "text", "text": "probed_text"}]}]);
    PrintedForms {
        objects: prints(call, "probed_value"),
        parts_only: !prints(text, "probed_text") && prints(parts, "probed_text"),
    }
}
