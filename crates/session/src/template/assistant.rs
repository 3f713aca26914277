//! The part of a prompt that is the model's turn.
//!
//! A conversation that ends with an answer is rendered four times: with the answer, with a plain text in its place, and without
//! it, with and without the generation prompt. The turn follows the generation prompt, and precedes the text that follows a
//! plain answer. A template that writes the answer without all of the generation prompt (`<think>` is left out) begins the turn
//! where the two differ; one that moves the tools begins it where its text differs from a plain answer.

use std::ops::Range;

use serde_json::{Map, Value, json};

use super::conversation::Conversation;
use super::engine::Engine;
use super::failure::TemplateFailure;
use super::fields::TemplateInput;
use super::source::ChatTemplate;
use super::{RenderOptions, on_large_stack, prepared, variables};

/// Text of a plain answer.
const PLAIN: &str = "SENTINEL-TEXT";

/// Tokens at which runtimes stop, so that no parser gets them. Llama ends a message with calls with the first one, if a tool
/// runs code (`special_eog_ids` of llama.cpp).
const END_OF_MESSAGE: [&str; 4] = ["<|eom_id|>", "<|eot_id|>", "<|im_end|>", "<|end_of_text|>"];

/// Words in the names of markers that open reasoning.
pub(super) const REASONING_WORDS: [&str; 3] = ["think", "thought", "reason"];

/// Most texts of [`AssistantTurn::openings`].
const MAX_OPENINGS: usize = 8;

/// The model's turn at the end of a prompt.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AssistantTurn {
    /// The prompt of the whole conversation.
    pub prompt: String,
    /// Byte range of the turn in the prompt, without the text that ends every turn.
    pub range: Range<usize>,
    /// The generation prompt: the text that is added where the model writes. Empty if the template adds none.
    pub generation_prompt: String,
    /// The end of the generation prompt that is part of the model's turn, such as `<think>`; empty if there is none.
    pub opening: String,
}

impl AssistantTurn {
    /// Text of the turn; empty if its range is not one of the prompt's.
    #[must_use]
    pub fn text(&self) -> &str {
        self.prompt.get(self.range.clone()).unwrap_or_default()
    }

    /// Ends of the generation prompt that may belong to the turn: first the opening, then the ends that begin with a marker,
    /// the shortest first. For gpt-oss, `<|start|>assistant` is one of them.
    #[must_use]
    pub fn openings(&self) -> Vec<&str> {
        let mut openings: Vec<&str> = Vec::new();
        let text = self.generation_prompt.as_str();
        let markers = text.char_indices().rev().filter(|(at, _)| is_start(text, *at)).map(|(at, _)| &text[at..]);
        for opening in [self.opening.as_str()].into_iter().chain(markers) {
            if !opening.trim().is_empty() && !openings.contains(&opening) {
                openings.push(opening);
            }
        }
        openings.truncate(MAX_OPENINGS);
        openings
    }
}

/// The model's turn at the end of a conversation, whose last message is its answer.
///
/// # Errors
///
/// The template raises for this conversation or exceeds a limit.
pub fn assistant_turn(
    template: &ChatTemplate,
    input: &TemplateInput,
    options: &RenderOptions,
) -> Result<AssistantTurn, TemplateFailure> {
    let (file, template, input, options) = (template.file.clone(), template.clone(), input.clone(), options.clone());
    on_large_stack(&file, move || {
        let engine = Engine::new(&template.file, &template.source, options.now)?;
        TurnRenderer::new(&engine, &input.special_tokens, &options).turn(&input.conversation)
    })
}

/// Renders turns of the model without their provenance.
pub(super) struct TurnRenderer<'a> {
    engine: &'a Engine,
    special_tokens: &'a Map<String, Value>,
    options: &'a RenderOptions,
}

impl<'a> TurnRenderer<'a> {
    pub(super) fn new(engine: &'a Engine, special_tokens: &'a Map<String, Value>, options: &'a RenderOptions) -> Self {
        Self { engine, special_tokens, options }
    }

    /// The prompt of a conversation.
    pub(super) fn prompt(
        &self,
        conversation: &Conversation,
        add_generation_prompt: bool,
    ) -> Result<String, TemplateFailure> {
        let options = RenderOptions { add_generation_prompt, ..self.options.clone() };
        let input = TemplateInput { conversation: conversation.clone(), special_tokens: self.special_tokens.clone() };
        let input = prepared(self.engine, &input, &options)?;
        Ok(self.engine.render(&variables(&input, &options, false))?.text)
    }

    /// The model's turn at the end of a conversation.
    pub(super) fn turn(&self, conversation: &Conversation) -> Result<AssistantTurn, TemplateFailure> {
        let prompt = self.prompt(conversation, false)?;
        let mut earlier = conversation.clone();
        earlier.messages.pop();
        let answered = |more: &[Value]| {
            let mut conversation = earlier.clone();
            conversation.messages.push(json!({"role": "assistant", "content": PLAIN}));
            conversation.messages.extend_from_slice(more);
            self.prompt(&conversation, false).unwrap_or_default()
        };
        let asked = self.prompt(&earlier, true).unwrap_or_default();
        let bare = self.prompt(&earlier, false).unwrap_or_default();
        let generation_prompt = asked.strip_prefix(bare.as_str()).unwrap_or_default().to_owned();
        let plain = answered(&[]);
        let (before, after) = match plain.rfind(PLAIN) {
            Some(at) => (&plain[..at], &plain[at + PLAIN.len()..]),
            None => ("", ""),
        };
        let shared = boundary_before(&prompt, common_prefix(&prompt, &asked));
        let start = if prompt.starts_with(&asked) {
            asked.len()
        } else if asked.starts_with(&bare) && shared > bare.len() {
            // The answer is written without the end of the generation prompt.
            shared
        } else {
            shared.max(boundary_before(&prompt, common_prefix(&prompt, before)))
        };
        let end = prompt.len() - ending(&prompt[start..], after);
        // A message with calls may end with another token than an answer.
        let turn = prompt[start..end].trim_end();
        let before_token = END_OF_MESSAGE.iter().find_map(|token| turn.strip_suffix(token));
        let end = before_token.map_or(end, |turn| start + turn.len());
        let earlier_answer = answered(&[json!({"role": "user", "content": "Go on."})]);
        let header = earlier_answer.find(PLAIN).map_or("", |at| &earlier_answer[..at]);
        let opening = opening(&bare, &generation_prompt, header);
        Ok(AssistantTurn { prompt, range: start..end, generation_prompt, opening })
    }
}

/// The part of the generation prompt that an earlier answer does not begin with, or that opens reasoning. `header` is the prompt
/// before such an answer.
fn opening(bare: &str, generation_prompt: &str, header: &str) -> String {
    if let Some(header) = header.strip_prefix(bare) {
        let shared = common_prefix(generation_prompt, header);
        let shared = if shared == header.len() { shared } else { boundary_before(generation_prompt, shared) };
        let rest = &generation_prompt[shared..];
        if !rest.trim().is_empty() {
            return rest.to_owned();
        }
    }
    let starts = generation_prompt.char_indices().map(|(at, _)| at).filter(|at| is_start(generation_prompt, *at));
    let opens_reasoning = |at: &usize| {
        let marker = generation_prompt[*at..].split_inclusive(['>', ']']).next().unwrap_or_default().to_lowercase();
        !marker.contains('/') && REASONING_WORDS.iter().any(|word| marker.contains(word))
    };
    let last = starts.rev().find(opens_reasoning);
    last.map_or_else(String::new, |at| generation_prompt[at..].to_owned())
}

/// Length in bytes of what a turn shares with the text that follows a plain answer, from a marker in it to the end.
fn ending(turn: &str, after: &str) -> usize {
    let (end, marker) = (turn.trim_end(), after.trim());
    if !turn.ends_with(after) && !marker.is_empty() && end.ends_with(marker) {
        return turn.len() - end.len() + marker.len();
    }
    let pairs = turn.chars().rev().zip(after.chars().rev());
    let shared: usize = pairs.take_while(|(left, right)| left == right).map(|(c, _)| c.len_utf8()).sum();
    let first = after.len() - shared;
    // No marker is cut in two.
    let starts = (first..after.len()).filter(|&at| after.is_char_boundary(at));
    let mut starts =
        starts.filter(|&at| at == 0 || is_start(after, at) || after[at..].starts_with(char::is_whitespace));
    starts.next().map_or(0, |at| after.len() - at)
}

/// True if a marker may begin at an offset.
fn is_start(text: &str, at: usize) -> bool {
    text[at..].starts_with(['<', '[', ']']) && !text[..at].ends_with(['<', '[', '|'])
}

/// The last offset up to `limit` at which a marker or a line ends.
fn boundary_before(text: &str, limit: usize) -> usize {
    if limit == text.len() {
        return limit;
    }
    text[..limit].rfind(['\n', '>', ']']).map_or(0, |at| at + 1)
}

/// Length in bytes of what two texts share at their beginnings.
fn common_prefix(left: &str, right: &str) -> usize {
    let pairs = left.char_indices().zip(right.chars());
    let shared = pairs.take_while(|((_, left), right)| left == right);
    shared.last().map_or(0, |((at, c), _)| at + c.len_utf8())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::template::probes::TemplateProbe;

    const CALLS: &str = "{% for c in m.tool_calls or [] %}[CALL]{{ c.function.name }}[/CALL]{% endfor %}";

    #[test]
    fn the_turn_follows_the_generation_prompt_and_precedes_its_end() {
        let plain = format!(
            "{{% for m in messages %}}<|{{{{ m.role }}}}|>{{{{ m.content }}}}{CALLS}<|end|>\n{{% endfor %}}\
             {{% if add_generation_prompt %}}<|assistant|>{{% endif %}}"
        );
        let thinking = plain.replace("<|assistant|>{%", "<|assistant|><think>\n{%");
        let unasked = plain.replace("{% if add_generation_prompt %}", "{% if true %}");
        let moved = format!(
            "{{% for m in messages %}}{{% if loop.last and m.role == 'user' %}}[TOOLS][/TOOLS]{{% endif %}}\
             <|{{{{ m.role }}}}|>{{{{ m.content }}}}{CALLS}{{% if m.role == 'assistant' %}}</s>{{% endif %}}{{% endfor %}}"
        );
        let eom = format!(
            "{{% for m in messages %}}<|{{{{ m.role }}}}|>{{{{ m.content }}}}{CALLS}\
             {{{{ '<|eom_id|>' if m.tool_calls else '<|eot_id|>' }}}}{{% endfor %}}\
             {{% if add_generation_prompt %}}<|assistant|>{{% endif %}}"
        );
        let role = format!(
            "{{% for m in messages %}}<|start|>{{{{ m.role }}}}{{% if m.tool_calls %}} to=x{{% endif %}}<|message|>\
             {{{{ m.content }}}}{CALLS}<|end|>{{% endfor %}}{{% if add_generation_prompt %}}<|start|>assistant{{% endif %}}"
        );
        let rows = [
            (&plain, "[CALL]get_weather[/CALL]", "", 1),
            (&thinking, "[CALL]get_weather[/CALL]", "<think>\n", 2),
            (&unasked, "[CALL]get_weather[/CALL]", "", 0),
            (&moved, "[CALL]get_weather[/CALL]", "", 0),
            (&eom, "[CALL]get_weather[/CALL]", "", 1),
            (&role, " to=x<|message|>[CALL]get_weather[/CALL]", "", 1),
        ];
        let conversation = TemplateProbe::named("single").expect("it exists").conversation();
        for (source, text, opening, openings) in rows {
            let template = ChatTemplate::new("default", "t", source);
            let input = TemplateInput { conversation: conversation.clone(), special_tokens: Map::new() };
            let turn = assistant_turn(&template, &input, &RenderOptions::default()).expect("it renders");
            assert_eq!((turn.text(), turn.opening.as_str()), (text, opening), "{source}");
            assert_eq!(turn.openings().len(), openings, "{source}: {:?}", turn.openings());
        }
    }
}
