//! Chat templates: the prompt that a model is shown, rendered byte for byte as transformers 5.23.0 does it, and where each byte
//! of it comes from.
//!
//! - [`source`], [`gguf`]: templates and special tokens in the files that carry them
//! - [`conversation`], [`probes`]: messages and tools as a template gets them; conversations that show what it does
//! - [`engine`]: minijinja with the rules of Python and of transformers' sandbox; [`failure`]: what it refuses
//! - [`provenance`], [`fields`], [`marks`]: the part of the template and the field of the input that each byte is from
//! - [`tokens`]: control tokens and other added tokens of a model, without its vocabulary
//! - [`recorded`]: a recorded session as a conversation; [`parts`]: the size of a prompt's parts
//! - [`check`]: problems of a template, each with its place and the runtimes in which it happens
//! - [`learn`]: the declaration of a dialect that reads the calls that a template writes
//! - [`assistant`]: the model's turn in a prompt
//! - [`prefix`]: whether the prompts of a conversation that grows continue each other
//! - [`roundtrip`]: whether the parsers of runtimes read from a turn what was put into it
//!
//! [`render`] does all of it on a thread with a large stack, and gives up after [`MAX_TIME`]: templates are hostile until shown
//! otherwise. Nothing here reads a file.

pub mod assistant;
pub mod check;
pub mod conversation;
pub mod engine;
pub mod failure;
pub mod fields;
pub mod gguf;
pub mod learn;
pub mod marks;
pub mod parts;
pub mod prefix;
pub mod probes;
pub mod provenance;
pub mod recorded;
pub mod request_facts;
pub mod roundtrip;
pub mod source;
#[cfg(test)]
mod tests;
pub mod tokens;

use std::ops::Range;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use jiff::civil::DateTime;
use minijinja::value::Value as EngineValue;
use serde_json::{Map, Value};

use conversation::{Conversation, PrintedForms, TemplateRuntime, to_engine};
use engine::{Engine, RenderedText, STACK_BYTES};
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
    /// True if only the text is needed: then the prompt has no spans and is rendered once.
    pub is_text_only: bool,
}

/// A rendered prompt with the origin of its bytes.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct PromptText {
    /// The text that the model is shown.
    pub text: String,
    /// Parts of it, which cover it without a gap; none if only the text was wanted.
    pub spans: Vec<PromptSpan>,
    /// Fields of the input; the spans have indices of them. The last one is the clock.
    pub fields: Vec<InputField>,
}

/// Bytes of a prompt with one origin.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
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

/// A prompt that is rendered on another thread: first its text, then the origins of its bytes, which take longer.
#[derive(Debug)]
pub struct StagedPrompt(StagedWork<PromptText>);

impl StagedPrompt {
    /// Starts to render a template.
    #[must_use]
    pub fn new(template: &ChatTemplate, input: TemplateInput, options: RenderOptions) -> Self {
        let (name, template) = (template.file.clone(), template.clone());
        Self(StagedWork::new(&name, move |told| {
            let plain = PlainPrompt::new(&template, &input, &options)?;
            told(PromptText {
                text: plain.base.text.clone(),
                spans: provenance::unfollowed_spans(&plain.engine, &plain.base),
                fields: plain.fields(),
            });
            Ok(plain.with_origins(&options))
        }))
    }

    /// Waits for the text. Its spans have the part of the template that wrote them; what tags printed is of unknown origin.
    ///
    /// # Errors
    ///
    /// Those of [`render`].
    pub fn text(&self) -> Result<PromptText, TemplateFailure> {
        self.0.next()
    }

    /// Waits for the origins of all bytes, after the text.
    ///
    /// # Errors
    ///
    /// It takes too long.
    pub fn origins(&self) -> Result<PromptText, TemplateFailure> {
        self.0.next()
    }
}

/// Work on a thread with a large stack, which has outcomes one after another, for at most [`MAX_TIME`].
#[derive(Debug)]
struct StagedWork<T> {
    /// Name of the template, for messages.
    name: String,
    outcomes: mpsc::Receiver<Result<T, TemplateFailure>>,
    deadline: Instant,
}

impl<T: Send + 'static> StagedWork<T> {
    /// Starts the work, which tells what it has before its last outcome.
    fn new(name: &str, work: impl FnOnce(&dyn Fn(T)) -> Result<T, TemplateFailure> + Send + 'static) -> Self {
        let (sender, outcomes) = mpsc::channel();
        let to_caller = sender.clone();
        let work = move || {
            // If sending fails, the work took too long, and its outcome is no longer wanted.
            let outcome = work(&|early| _ = to_caller.send(Ok(early)));
            _ = to_caller.send(outcome);
        };
        let started = thread::Builder::new().name("template".into()).stack_size(STACK_BYTES).spawn(work);
        if let Err(error) = started {
            let message = format!("could not start a thread to render it: {error}");
            _ = sender.send(Err(TemplateFailure::new(name, FailureKind::Limit, message)));
        }
        Self { name: name.to_owned(), outcomes, deadline: Instant::now() + MAX_TIME }
    }

    /// Waits for the next outcome.
    fn next(&self) -> Result<T, TemplateFailure> {
        let limit = |message: &str| TemplateFailure::new(&self.name, FailureKind::Limit, message);
        match self.outcomes.recv_timeout(self.deadline.saturating_duration_since(Instant::now())) {
            Ok(outcome) => outcome,
            Err(mpsc::RecvTimeoutError::Timeout) => Err(limit(&format!("it takes more than {} s", MAX_TIME.as_secs()))),
            Err(mpsc::RecvTimeoutError::Disconnected) => Err(limit("the engine failed")),
        }
    }
}

/// Does `work` on a thread with a large stack, for at most [`MAX_TIME`]. The name of the template is for messages.
fn on_large_stack<T: Send + 'static>(
    name: &str,
    work: impl FnOnce() -> Result<T, TemplateFailure> + Send + 'static,
) -> Result<T, TemplateFailure> {
    StagedWork::new(name, |_| work()).next()
}

fn render_here(
    template: &ChatTemplate,
    input: &TemplateInput,
    options: &RenderOptions,
) -> Result<PromptText, TemplateFailure> {
    let plain = PlainPrompt::new(template, input, options)?;
    if options.is_text_only {
        return Ok(PromptText { text: plain.base.text, ..PromptText::default() });
    }
    Ok(plain.with_origins(options))
}

/// A rendered prompt with what its origins are found from.
struct PlainPrompt {
    engine: Engine,
    input: TemplateInput,
    base: RenderedText,
}

impl PlainPrompt {
    fn new(template: &ChatTemplate, input: &TemplateInput, options: &RenderOptions) -> Result<Self, TemplateFailure> {
        let engine = Engine::new(&template.file, &template.source, options.now)?;
        let input = prepared(&engine, input, options)?;
        let base = engine.render(&variables(&input, options, false))?;
        Ok(Self { engine, input, base })
    }

    /// The fields of the input; the last one is the clock.
    fn fields(&self) -> Vec<InputField> {
        let mut fields = self.input.fields();
        fields.push(InputField { path: provenance::CLOCK_PATH.to_owned(), is_key: false, value: Value::Bool(false) });
        fields
    }

    fn with_origins(self, options: &RenderOptions) -> PromptText {
        let fields = self.fields();
        let spans = provenance::spans(&self.engine, &self.input, options, &self.base, &fields);
        PromptText { text: self.base.text, spans, fields }
    }
}

/// The input after what the runtime does before it renders.
fn prepared(engine: &Engine, input: &TemplateInput, options: &RenderOptions) -> Result<TemplateInput, TemplateFailure> {
    let forms = || printed_forms(engine, &input.special_tokens, options);
    let prepared = input.conversation.prepared(options.runtime, forms);
    let conversation = prepared.map_err(|error| TemplateFailure::new(engine.name(), FailureKind::Operation, error))?;
    Ok(TemplateInput { conversation, special_tokens: input.special_tokens.clone() })
}

/// The variables of a template. `is_marked` while the input has marks.
fn variables(input: &TemplateInput, options: &RenderOptions, is_marked: bool) -> EngineValue {
    let list = |values: Vec<EngineValue>| EngineValue::from(values);
    let messages = input.conversation.messages_with_reasoning().map(|message| to_engine(&message)).collect();
    let tools = input.conversation.tools.as_ref().map(|tools| list(tools.iter().map(to_engine).collect()));
    // A later variable of the same name counts.
    let mut variables: Vec<(&str, EngineValue)> = vec![
        ("messages", list(messages)),
        ("tools", tools.unwrap_or_else(|| to_engine(&Value::Null))),
        ("documents", to_engine(&Value::Null)),
        ("add_generation_prompt", EngineValue::from(options.add_generation_prompt)),
    ];
    let further = input.special_tokens.iter().chain(&options.variables);
    variables.extend(further.map(|(name, value)| (name.as_str(), to_engine(value))));
    if is_marked {
        variables.push((marks::VARIABLE, EngineValue::from(true)));
    }
    EngineValue::from_pairs(variables)
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
