//! Prompts of a conversation that grows: whether each begins with the prompt before it.
//!
//! A server keeps what it computed for a prompt, and uses it again for the bytes at the beginning that the next prompt
//! shares. Templates that leave out the reasoning of earlier turns, move the tools or print the date lose that. There is
//! one prompt for each request: the messages before each answer, and all messages if the last is not an answer.

use jiff::Zoned;
use serde_json::Value;

use super::conversation::Conversation;
use super::failure::TemplateFailure;
use super::fields::TemplateInput;
use super::provenance::CLOCK_PATH;
use super::source::ChatTemplate;
use super::{PromptSpan, PromptText, RenderOptions, SpanOrigin, render};

/// The prompt of a request, compared with the one before it.
#[derive(Debug)]
pub struct GrowthStep {
    /// Number of messages in it.
    pub messages: usize,
    /// Length of the prompt in bytes, or why there is none.
    pub length: Result<usize, TemplateFailure>,
    /// The comparison; nothing for the first prompt, and next to one that could not be rendered.
    pub comparison: Option<PrefixComparison>,
}

/// How much of a prompt the next one repeats.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrefixComparison {
    /// Length of the prompt before it.
    pub before: usize,
    /// Number of bytes at the beginning of both that are equal.
    pub kept: usize,
    /// Why the rest is not; nothing if all of the prompt before is kept.
    pub change: Option<PrefixChange>,
}

impl PrefixComparison {
    /// The part of the prompt before that a cache cannot use again, from 0 to 1.
    #[must_use]
    pub fn lost(&self) -> f64 {
        if self.before == 0 { 0.0 } else { (self.before - self.kept) as f64 / self.before as f64 }
    }
}

/// The first difference between two prompts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrefixChange {
    /// The cause, derived from the fields at the difference.
    pub reason: PrefixReason,
    /// The field of the input that the reason is about.
    pub field: Option<String>,
    /// Line of the template that wrote the first differing byte of the prompt before.
    pub line: Option<usize>,
}

/// Why a prompt does not continue the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PrefixReason {
    /// Reasoning of an earlier message is left out.
    ReasoningDropped,
    /// The tools are at another place.
    ToolsMoved,
    /// The end of a group of results depends on the message after it.
    ResultsReopened,
    /// The answer is not written after the text that precedes it in the prompt.
    GenerationPrompt,
    /// A field is left out or written in another way.
    FieldChanged,
    /// The template's own text differs.
    TextChanged,
}

/// The prompts of a conversation that grows.
#[derive(Debug, Default)]
pub struct PromptGrowth {
    /// The prompts, each longer than the one before by an answer and what follows it.
    pub steps: Vec<GrowthStep>,
    /// Offset of the date in the first prompt that has it: the bytes after it are lost to a cache on the next day.
    pub date: Option<usize>,
}

/// Renders the prompts of a conversation that grows.
#[must_use]
pub fn growth(template: &ChatTemplate, input: &TemplateInput, options: &RenderOptions) -> PromptGrowth {
    let mut growth = PromptGrowth::default();
    // One time for all prompts: a template may print the seconds.
    let now = options.now.unwrap_or_else(|| Zoned::now().datetime());
    let options = &RenderOptions { now: Some(now), ..options.clone() };
    let mut before: Option<RenderedRequest<'_>> = None;
    for count in requests(&input.conversation) {
        let rendered = RenderedRequest::new(template, input, options, count);
        let comparison = before.as_ref().zip(rendered.as_ref().ok()).map(|(old, new)| old.compare(new));
        let length = rendered.as_ref().map(|request| request.prompt.text.len()).map_err(TemplateFailure::clone);
        growth.steps.push(GrowthStep { messages: count, length, comparison });
        before = rendered.ok();
        growth.date = growth.date.or_else(|| before.as_ref().and_then(RenderedRequest::date));
    }
    growth
}

/// For each request, the number of messages before it.
pub(super) fn requests(conversation: &Conversation) -> Vec<usize> {
    let messages = &conversation.messages;
    let is_answer = |message: &Value| message.get("role").and_then(Value::as_str) == Some("assistant");
    let mut counts: Vec<usize> =
        (1..messages.len()).filter(|&count| is_answer(&messages[count]) && !is_answer(&messages[count - 1])).collect();
    if messages.last().is_some_and(|last| !is_answer(last)) {
        counts.push(messages.len());
    }
    counts
}

/// The prompt of one request.
struct RenderedRequest<'a> {
    template: &'a ChatTemplate,
    options: &'a RenderOptions,
    input: TemplateInput,
    prompt: PromptText,
    /// Offset after the last message, if that is the result of a call.
    results_end: Option<usize>,
}

impl<'a> RenderedRequest<'a> {
    fn new(
        template: &'a ChatTemplate,
        input: &TemplateInput,
        options: &'a RenderOptions,
        count: usize,
    ) -> Result<Self, TemplateFailure> {
        let messages = input.conversation.messages[..count].to_vec();
        let is_result = messages[count - 1].get("role").and_then(Value::as_str) == Some("tool");
        let conversation = Conversation { messages, tools: input.conversation.tools.clone() };
        let input = TemplateInput { conversation, special_tokens: input.special_tokens.clone() };
        let with_end = RenderOptions { add_generation_prompt: true, ..options.clone() };
        let prompt = render(template, input.clone(), with_end)?;
        let last = format!("messages[{}].", count - 1);
        let of_last = |span: &&PromptSpan| field_of(&prompt, span).is_some_and(|path| path.starts_with(&last));
        let end = prompt.spans.iter().rfind(of_last).map(|span| span.range.end);
        Ok(Self { results_end: end.filter(|_| is_result), template, options, input, prompt })
    }

    /// Length of the prompt without the text that precedes the answer; all of it if the template raises without.
    fn generation_start(&self) -> usize {
        let without_end = RenderOptions { add_generation_prompt: false, ..self.options.clone() };
        let plain = render(self.template, self.input.clone(), without_end);
        plain.map_or(self.prompt.text.len(), |plain| shared(&plain, &self.prompt))
    }

    /// Offset of the date in the prompt.
    fn date(&self) -> Option<usize> {
        let is_clock = |span: &&PromptSpan| field_of(&self.prompt, span) == Some(CLOCK_PATH);
        self.prompt.spans.iter().find(is_clock).map(|span| span.range.start)
    }

    /// Compares the prompt with the next one.
    fn compare(&self, next: &Self) -> PrefixComparison {
        let (old, new) = (&self.prompt, &next.prompt);
        let (before, kept) = (old.text.len(), shared(old, new));
        let change = (kept < before).then(|| self.change(next, kept));
        PrefixComparison { before, kept, change }
    }

    fn change(&self, next: &Self, kept: usize) -> PrefixChange {
        let (old, new) = (&self.prompt, &next.prompt);
        let line = span_at(old, kept).map(|span| span.line);
        let change = |reason, field: Option<&str>| PrefixChange { reason, field: field.map(str::to_owned), line };
        let field = span_at(old, kept).and_then(|span| field_of(old, span));
        let (tools_before, tools_now) = (place_of_tools(old), place_of_tools(new));
        if tools_before != tools_now && [tools_before, tools_now].into_iter().flatten().any(|place| place >= kept) {
            return change(PrefixReason::ToolsMoved, None);
        }
        let written = |prompt: &PromptText, path: &str| {
            prompt.spans.iter().any(|span| field_of(prompt, span).is_some_and(|field| field == path))
        };
        let later = old.spans.iter().filter(|span| span.range.end > kept);
        let mut dropped = later.filter_map(|span| field_of(old, span)).filter(|path| !written(new, path));
        if let Some(path) = dropped.clone().find(|path| is_reasoning(path)) {
            return change(PrefixReason::ReasoningDropped, Some(path));
        }
        if kept >= self.generation_start() {
            return change(PrefixReason::GenerationPrompt, None);
        }
        if self.results_end.is_some_and(|end| kept >= end) {
            return change(PrefixReason::ResultsReopened, None);
        }
        match dropped.next().or(field) {
            Some(path) => change(PrefixReason::FieldChanged, Some(path)),
            None => change(PrefixReason::TextChanged, None),
        }
    }
}

fn is_reasoning(path: &str) -> bool {
    [".reasoning_content", ".reasoning", ".thinking"].iter().any(|end| path.ends_with(end))
}

/// Number of equal bytes at the beginning of two prompts.
fn shared(one: &PromptText, other: &PromptText) -> usize {
    let pairs = one.text.bytes().zip(other.text.bytes());
    pairs.take_while(|(one, other)| one == other).count()
}

fn span_at(prompt: &PromptText, offset: usize) -> Option<&PromptSpan> {
    prompt.spans.iter().find(|span| span.range.contains(&offset))
}

/// Path of the only field that the bytes of a span can be from, or of the first of several.
fn field_of<'a>(prompt: &'a PromptText, span: &PromptSpan) -> Option<&'a str> {
    let SpanOrigin::Fields(indices) = &span.origin else { return None };
    prompt.fields.get(*indices.first()?).map(|field| field.path.as_str())
}

/// Offset of the first byte that is from a tool's schema.
fn place_of_tools(prompt: &PromptText) -> Option<usize> {
    let is_tool = |span: &&PromptSpan| field_of(prompt, span).is_some_and(|path| path.starts_with("tools["));
    prompt.spans.iter().find(is_tool).map(|span| span.range.start)
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, json};

    use super::super::probes::TemplateProbe;
    use super::*;

    /// The steps of a template: bytes kept and lost, and the reason.
    fn steps(source: &str) -> Vec<String> {
        let conversation = TemplateProbe::named("step4").expect("it is a probe").conversation();
        let input = TemplateInput { conversation, special_tokens: Map::new() };
        let template = ChatTemplate::new("default", "t", source);
        let told = |step: GrowthStep| {
            let comparison = step.comparison?;
            let change = comparison.change.map_or_else(
                || "kept".to_owned(),
                |change| format!("{:?} {}", change.reason, change.field.unwrap_or_default()),
            );
            Some(format!("{} {}", step.messages, change.trim_end()))
        };
        growth(&template, &input, &RenderOptions::default()).steps.into_iter().filter_map(told).collect()
    }

    #[test]
    fn a_prompt_that_does_not_continue_the_one_before_says_why() {
        const MESSAGES: &str = "{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}";
        let after = |end: &str| format!("{MESSAGES}{end}");
        let rows = [
            (after("{% if add_generation_prompt %}<assistant>{% endif %}"), ["kept", "kept", "kept"]),
            (
                after("{% if add_generation_prompt %}<assistant><think>{% endif %}"),
                ["GenerationPrompt", "GenerationPrompt", "GenerationPrompt"],
            ),
            (after("{{ tools[0].function.name }}"), ["ToolsMoved", "ToolsMoved", "ToolsMoved"]),
            (
                "{% for m in messages %}<{{ m.role }}>{% if m.reasoning_content and messages[-1].role != 'user' %}{{ \
                 m.reasoning_content }}{% endif %}{{ m.content }}{% endfor %}"
                    .to_owned(),
                ["kept", "kept", "ReasoningDropped messages[1].reasoning_content"],
            ),
            (
                "{% for m in messages %}{% if m.role != 'tool' or loop.last %}<{{ m.role }}>{{ m.content }}{% endif \
                 %}{% endfor %}"
                    .to_owned(),
                ["kept", "FieldChanged messages[2].content", "FieldChanged messages[4].content"],
            ),
        ];
        for (source, expected) in rows {
            let expected: Vec<String> = [3, 5, 7].iter().zip(expected).map(|(n, word)| format!("{n} {word}")).collect();
            assert_eq!(steps(&source), expected, "{source}");
        }
    }

    #[test]
    fn the_model_is_asked_before_each_answer() {
        let roles = |roles: &[&str]| Conversation {
            messages: roles.iter().map(|role| json!({"role": role})).collect(),
            tools: None,
        };
        assert_eq!(requests(&roles(&["system", "user", "assistant", "tool", "assistant"])), [2, 4]);
        assert_eq!(requests(&roles(&["user", "assistant", "assistant", "user"])), [1, 4]);
        assert_eq!(requests(&roles(&["assistant"])), [0; 0]);
    }
}
