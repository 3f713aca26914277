//! The part of a prompt that is the model's turn.
//!
//! It follows the generation prompt, and precedes what follows the text of a plain answer.

use serde_json::{Map, Value, json};

use super::super::conversation::{Conversation, PrintedForms, TemplateRuntime};
use super::super::engine::Engine;
use super::super::failure::TemplateFailure;
use super::super::fields::TemplateInput;
use super::super::probes::TemplateProbe;
use super::super::{RenderOptions, variables};
use super::boundary::common_prefix;

/// Text of a plain answer.
const PLAIN: &str = "SENTINEL-TEXT";

/// Renders turns of the model without their provenance.
pub(super) struct TurnRenderer<'a> {
    engine: &'a Engine,
    special_tokens: &'a Map<String, Value>,
    options: &'a RenderOptions,
    /// True if the template wants the arguments of calls as JSON texts.
    wants_texts: bool,
}

impl<'a> TurnRenderer<'a> {
    /// A renderer that gives arguments as objects, or as texts if the template refuses objects.
    pub(super) fn new(engine: &'a Engine, special_tokens: &'a Map<String, Value>, options: &'a RenderOptions) -> Self {
        let mut renderer = Self { engine, special_tokens, options, wants_texts: false };
        if let Some(probe) = TemplateProbe::named("single")
            && renderer.prompt(&probe.conversation(), false).is_err()
        {
            renderer.wants_texts = true;
        }
        renderer
    }

    /// The prompt of a conversation, as text.
    pub(super) fn prompt(
        &self,
        conversation: &Conversation,
        add_generation_prompt: bool,
    ) -> Result<String, TemplateFailure> {
        let options = RenderOptions { add_generation_prompt, ..self.options.clone() };
        let forms = || PrintedForms { objects: !self.wants_texts, parts_only: false };
        let prepared = conversation.prepared(TemplateRuntime::LlamaCpp, forms).unwrap_or_default();
        let input = TemplateInput { conversation: prepared, special_tokens: self.special_tokens.clone() };
        Ok(self.engine.render(&variables(&input, &options, false))?.text)
    }

    /// The model's turn at the end of a conversation.
    pub(super) fn turn(&self, conversation: &Conversation) -> Result<String, TemplateFailure> {
        let whole = self.prompt(conversation, false)?;
        let start = self.start(conversation, &whole);
        let mut plain = conversation.clone();
        if let Some(last) = plain.messages.last_mut() {
            *last = json!({"role": "assistant", "content": PLAIN});
        }
        let plain = self.prompt(&plain, false).unwrap_or_default();
        let suffix = plain.rfind(PLAIN).map_or("", |at| &plain[at + PLAIN.len()..]);
        let turn = &whole[start..];
        Ok(turn.strip_suffix(suffix).or_else(|| turn.strip_suffix(suffix.trim())).unwrap_or(turn).to_owned())
    }

    /// Offset at which the turn begins in a prompt that ends with it.
    fn start(&self, conversation: &Conversation, whole: &str) -> usize {
        let mut earlier = conversation.clone();
        earlier.messages.pop();
        let asked = self.prompt(&earlier, true).unwrap_or_default();
        if whole.starts_with(&asked) {
            return asked.len();
        }
        let shared = common_prefix(whole, &asked);
        // No marker is cut in two.
        let boundary = whole[..shared].rfind(['\n', '>', ']']).map_or(0, |at| at + 1);
        let content = earlier.messages.last().and_then(|message| message["content"].as_str()).unwrap_or_default();
        let after_content = whole.rfind(content).map_or(0, |at| at + content.len());
        if content.is_empty() { boundary } else { boundary.max(after_content.min(whole.len())) }
    }
}
