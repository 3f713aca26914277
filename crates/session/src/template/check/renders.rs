//! Renders of conversations and of their variants, as each runtime prepares them.

use std::cell::RefCell;
use std::collections::HashMap;

use jiff::civil::DateTime;
use serde_json::{Map, Value};

use super::super::conversation::{Conversation, PrintedForms, REASONING, TemplateRuntime};
use super::super::engine::{Engine, RenderedText};
use super::super::failure::{FailureKind, TemplateFailure};
use super::super::fields::TemplateInput;
use super::super::source::ChatTemplate;
use super::super::{RenderOptions, printed_forms, variables};
use super::ProbedConversation;
use crate::text::Span;

/// Another day than any clock shows: prompts that contain the date differ on it.
const OTHER_DAY: &str = "1999-10-08T07:06";

/// Outcome of a render: the prompt, or why the template refuses.
pub(super) type Rendered = Result<RenderedText, TemplateFailure>;

/// A template with its compiled form, and the prompts that were rendered with it.
pub(super) struct Renders {
    engine: Engine,
    /// The same with the clock on another day.
    on_other_day: Engine,
    special_tokens: Map<String, Value>,
    options: RenderOptions,
    forms: PrintedForms,
    /// By conversation and generation prompt.
    known: RefCell<HashMap<String, Rendered>>,
}

impl Renders {
    pub(super) fn new(
        template: &ChatTemplate,
        special_tokens: Map<String, Value>,
        options: &RenderOptions,
    ) -> Result<Self, TemplateFailure> {
        let other_day: Option<DateTime> = OTHER_DAY.parse().ok();
        let engine = Engine::new(&template.file, &template.source, options.now)?;
        let on_other_day = Engine::new(&template.file, &template.source, other_day)?;
        let forms = printed_forms(&engine, &special_tokens, options);
        let known = RefCell::default();
        Ok(Self { engine, on_other_day, special_tokens, options: options.clone(), forms, known })
    }

    /// The text that places refer to.
    pub(super) fn source(&self) -> &str {
        self.engine.source()
    }

    /// True if the template prints contents that are lists of parts, and none that are texts.
    pub(super) fn takes_parts_only(&self) -> bool {
        self.forms.parts_only
    }

    /// True if the template reads tools, calls or functions.
    pub(super) fn reads_tools(&self) -> bool {
        ["tool", "function"].iter().any(|word| self.source().contains(word))
    }

    /// True if a prompt of a conversation contains reasoning of its messages.
    pub(super) fn writes_reasoning(&self, probes: &[ProbedConversation]) -> bool {
        let is_written = |probe: &ProbedConversation| {
            let Ok(rendered) = self.render(probe, TemplateRuntime::Transformers) else { return false };
            probe.conversation.messages.iter().filter_map(reasoning_of).any(|text| rendered.text.contains(text))
        };
        probes.iter().any(is_written)
    }

    pub(super) fn options(&self) -> &RenderOptions {
        &self.options
    }

    pub(super) fn special_tokens(&self) -> &Map<String, Value> {
        &self.special_tokens
    }

    pub(super) fn render(&self, probe: &ProbedConversation, runtime: TemplateRuntime) -> Rendered {
        self.render_conversation(&probe.conversation, probe.generation_prompt, runtime)
    }

    /// The conversation as a runtime changes it before it renders.
    ///
    /// # Errors
    ///
    /// The runtime refuses it.
    pub(super) fn prepared(
        &self,
        conversation: &Conversation,
        runtime: TemplateRuntime,
    ) -> Result<Conversation, TemplateFailure> {
        let prepared = conversation.prepared(runtime, || self.forms);
        prepared.map_err(|error| TemplateFailure::new("", FailureKind::Operation, error))
    }

    pub(super) fn render_conversation(
        &self,
        conversation: &Conversation,
        generation_prompt: bool,
        runtime: TemplateRuntime,
    ) -> Rendered {
        let conversation = self.prepared(conversation, runtime)?;
        let tools = conversation.tools.as_ref().map_or(0, Vec::len);
        let is_without_tools = conversation.tools.is_none();
        let key =
            format!("{generation_prompt} {is_without_tools} {tools} {}", Value::Array(conversation.messages.clone()));
        if let Some(rendered) = self.known.borrow().get(&key) {
            return rendered.clone();
        }
        let rendered = self.render_with(&self.engine, conversation, generation_prompt);
        self.known.borrow_mut().insert(key, rendered.clone());
        rendered
    }

    /// The prompt on another day.
    pub(super) fn render_on_other_day(&self, probe: &ProbedConversation) -> Rendered {
        self.render_with(&self.on_other_day, probe.conversation.clone(), probe.generation_prompt)
    }

    fn render_with(&self, engine: &Engine, conversation: Conversation, add_generation_prompt: bool) -> Rendered {
        let input = TemplateInput { conversation, special_tokens: self.special_tokens.clone() };
        let options = RenderOptions { add_generation_prompt, ..self.options.clone() };
        engine.render(&variables(&input, &options, false))
    }

    /// The part of the template that wrote a byte of a prompt; after its end, the last part.
    pub(super) fn place(&self, rendered: &RenderedText, offset: usize) -> Span {
        let after = rendered.spans.partition_point(|span| span.output.end <= offset);
        let Some(span) = rendered.spans.get(after).or(rendered.spans.last()) else { return Span::new(0, 0) };
        let mut source = span.source.clone();
        if span.is_literal {
            // A literal is shown from its first line with text.
            let text = self.source().get(source.clone()).unwrap_or_default();
            source.start += text.len() - text.trim_start().len();
        }
        Span::new(source.start, source.end.max(source.start))
    }
}

/// The reasoning of a message, under any of its names.
pub(super) fn reasoning_of(message: &Value) -> Option<&str> {
    let mut texts = REASONING.iter().filter_map(|name| message.get(*name)?.as_str());
    texts.find(|text| !text.trim().is_empty())
}
