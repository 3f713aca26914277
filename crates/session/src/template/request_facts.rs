//! Facts that a chat template and the tokens of its model state about the answer to a request: whether the prompt opens
//! thinking, which tokens are special, and the dialects of the calls.

use std::cmp::Reverse;
use std::sync::Arc;

use super::RenderOptions;
use super::assistant::{REASONING_WORDS, assistant_turn};
use super::fields::TemplateInput;
use super::probes::TemplateProbe;
use super::roundtrip::{TurnParsers, read_turn};
use super::source::TemplateSet;
use crate::runtime::RequestSettings;

/// The probe whose answer has one call.
const PROBE: &str = "single";

/// The part of a request that the chat template of a model states.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TemplateRequest {
    /// True if the generation prompt opens thinking, false if it does not or closes it; `None` if the template cannot
    /// be rendered.
    pub thinking: Option<bool>,
    /// Texts of special tokens, longer ones first; `None` if the tokens are not known.
    pub special_tokens: Option<Arc<[String]>>,
    /// Dialects whose parsers read the calls that the template writes; empty if none does.
    pub dialects: Vec<&'static str>,
}

impl TemplateRequest {
    /// The facts of the template that is used for conversations with tools.
    #[must_use]
    pub fn new(set: &TemplateSet) -> Self {
        let special_tokens = set.tokens.as_ref().map(|tokens| {
            let special = tokens.added.values().filter(|token| token.is_special && !token.content.is_empty());
            let mut texts: Vec<String> = special.map(|token| token.content.clone()).collect();
            texts.sort_by_key(|text| Reverse(text.len()));
            texts.into()
        });
        let facts = Self { special_tokens, ..Self::default() };
        let Some((template, probe)) = set.chosen(true).zip(TemplateProbe::named(PROBE)) else { return facts };
        let mut conversation = probe.conversation();
        let last = conversation.messages.iter().rposition(|message| message["role"] == "assistant");
        conversation.messages.truncate(last.map_or(0, |last| last + 1));
        let input = TemplateInput { conversation: conversation.clone(), special_tokens: set.usual_tokens() };
        let Ok(turn) = assistant_turn(template, &input, &RenderOptions::default()) else { return facts };
        let thinking = Some(opens_thinking(&turn.generation_prompt));
        let dialects = read_turn(turn, &conversation, &TurnParsers::default()).dialects;
        Self { thinking, dialects, ..facts }
    }

    /// Settings of a request, completed by the template: stated ones take precedence.
    #[must_use]
    pub fn complete(&self, stated: RequestSettings) -> RequestSettings {
        RequestSettings {
            thinking: stated.thinking.or(self.thinking),
            special_tokens: stated.special_tokens.or_else(|| self.special_tokens.clone()),
            ..stated
        }
    }
}

/// True if the last marker of reasoning in a generation prompt opens it.
fn opens_thinking(generation_prompt: &str) -> bool {
    let mut markers = generation_prompt.split_inclusive(['>', ']']).filter_map(|part| {
        let marker = part.get(part.rfind(['<', '['])?..)?.to_lowercase();
        REASONING_WORDS.iter().any(|word| marker.contains(word)).then_some(marker)
    });
    markers.next_back().is_some_and(|marker| !marker.contains('/') && !marker.contains("end"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_marker_of_reasoning_decides() {
        for (prompt, expected) in [
            ("<|im_start|>assistant\n", false),
            ("<|im_start|>assistant\n<think>\n", true),
            ("<|im_start|>assistant\n<think>\n\n</think>\n\n", false),
            ("<｜Assistant｜></think>", false),
            ("<|CHATBOT_TOKEN|><|START_THINKING|>", true),
            ("<|CHATBOT_TOKEN|><|START_THINKING|><|END_THINKING|>", false),
            ("[THINK]", true),
        ] {
            assert_eq!(opens_thinking(prompt), expected, "{prompt}");
        }
    }

    #[test]
    fn a_template_states_thinking_tokens_and_dialect() {
        let source = "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content or '' }}{% for c in m.tool_calls or [] %}\
                      <tool_call>\n{\"name\": \"{{ c.function.name }}\", \"arguments\": {{ c.function.arguments | tojson }}}\n\
                      </tool_call>{% endfor %}<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n\
                      <think>\n{% endif %}";
        let mut set = TemplateSet::from_file("chat.jinja", source.as_bytes()).expect("a template");
        let facts = TemplateRequest::new(&set);
        assert_eq!((facts.thinking, facts.dialects.as_slice()), (Some(true), ["hermes"].as_slice()));
        assert_eq!(facts.special_tokens, None);
        let tokens = r#"{"added_tokens": [{"id": 1, "content": "<a>", "special": true}, {"id": 2, "content": "<abc>", "special": true},
            {"id": 3, "content": "<b>", "special": false}]}"#;
        let tokens = super::super::tokens::TokenFacts::from_file(tokens.as_bytes()).expect("tokens");
        set.use_tokens(tokens.expect("some tokens"));
        let special = TemplateRequest::new(&set).special_tokens.expect("tokens are known");
        assert_eq!(*special, ["<abc>".to_owned(), "<a>".to_owned()]);
    }
}
