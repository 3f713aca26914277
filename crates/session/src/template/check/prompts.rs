//! Problems of the prompt as a whole: tools, the text before the answer, the date, the beginnings that prompts share, and
//! indentation of the template's source.

use super::super::conversation::{Conversation, TemplateRuntime};
use super::super::engine::RenderedText;
use super::super::fields::TemplateInput;
use super::super::prefix::{PrefixReason, PromptGrowth, growth};
use super::super::source::ChatTemplate;
use super::renders::Renders;
use super::{ProbedConversation, Problems, line_span};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::text::Span;

/// Names of tags that open reasoning.
const REASONING_TAGS: [&str; 6] =
    ["<think>", "<thinking>", "<|START_THINKING|>", "[THINK]", "<seed:think>", "<|begin_of_thought|>"];

/// Spaces before a line of the prompt that are taken for an indentation of the source.
const MIN_INDENTATION: usize = 2;

pub(super) fn find(renders: &Renders, template: &ChatTemplate, probes: &[ProbedConversation], found: &mut Problems) {
    for probe in probes {
        let Ok(rendered) = renders.render(probe, TemplateRuntime::Transformers) else { continue };
        tools(renders, probe, &rendered, found);
        generation_prompt(renders, probe, &rendered, found);
        date(renders, probe, &rendered, found);
        indentation(renders, probe, &rendered, found);
    }
    for probe in probes {
        prefixes(renders, template, probe, found);
    }
}

/// Tools that the prompt lacks, or whose texts are escaped for HTML.
fn tools(renders: &Renders, probe: &ProbedConversation, rendered: &RenderedText, found: &mut Problems) {
    let Some(tools) = &probe.conversation.tools else { return };
    let function = |tool: &serde_json::Value, key: &str| {
        let member = tool.pointer(&format!("/function/{key}")).or_else(|| tool.get(key));
        member.and_then(serde_json::Value::as_str).map(str::to_owned)
    };
    let called: Vec<&str> = probe
        .conversation
        .messages
        .iter()
        .filter_map(|message| message.get("tool_calls")?.as_array())
        .flatten()
        .filter_map(|call| call.pointer("/function/name")?.as_str())
        .collect();
    let names = tools.iter().filter_map(|tool| function(tool, "name"));
    let lost = names.filter(|name| !called.contains(&name.as_str()) && !rendered.text.contains(name.as_str()));
    let lost: Vec<String> = lost.collect();
    if let Some(name) = lost.first() {
        let message = if renders.reads_tools() {
            format!("the tools are not in the prompt: {name} is missing")
        } else {
            "the template has no tools: neither their schemas nor calls are written".to_owned()
        };
        let span = mention(renders.source(), "tools");
        let diagnostic = Diagnostic::new(Code::ToolsNotShown, span, message);
        found.add_everywhere(probe, &diagnostic.hint_if(!renders.reads_tools()));
    }
    for description in tools.iter().filter_map(|tool| function(tool, "description")) {
        let escaped = description.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        let is_escaped = escaped != description && !rendered.text.contains(&description);
        if let Some(at) = rendered.text.find(&escaped).filter(|_| is_escaped) {
            let message = format!("the tools are escaped for HTML: {escaped}");
            let span = renders.place(rendered, at);
            found.add_everywhere(probe, &Diagnostic::new(Code::ToolsHtmlEscaped, span, message));
        }
    }
}

/// The text between the conversation and the answer.
fn generation_prompt(renders: &Renders, probe: &ProbedConversation, rendered: &RenderedText, found: &mut Problems) {
    let is_of_user = probe.conversation.messages.last().is_some_and(|message| message["role"] == "user");
    if !probe.generation_prompt || !is_of_user {
        return;
    }
    let without = renders.render_conversation(&probe.conversation, false, TemplateRuntime::Transformers);
    let Ok(without) = without else { return };
    let end = rendered.text.len().saturating_sub(1);
    let (text, plain) = (rendered.text.as_str(), without.text.as_str());
    if text == plain {
        let message = "add_generation_prompt changes nothing: the prompt is the same without it";
        let span = mention(renders.source(), "add_generation_prompt");
        found.add_everywhere(probe, &Diagnostic::new(Code::GenerationPromptIgnored, span, message));
    }
    let Some(opening) = text.strip_prefix(plain).or_else(|| text.get(shared(text, plain)..)) else { return };
    if let Some(tag) = open_reasoning(if text == plain { last_line(text) } else { opening }) {
        let message = format!("the prompt ends inside of reasoning: the answer has no {tag}");
        let span = renders.place(rendered, end);
        found.add_everywhere(probe, &Diagnostic::new(Code::ThinkingOpenedByPrompt, span, message));
    }
}

fn last_line(text: &str) -> &str {
    let trimmed = text.trim_end();
    &text[trimmed.rfind('\n').map_or(0, |at| at + 1)..]
}

/// The tag of reasoning that a text opens and does not close.
fn open_reasoning(text: &str) -> Option<&'static str> {
    let found = REASONING_TAGS.iter().filter_map(|&tag| Some((text.rfind(tag)?, tag)));
    let (at, tag) = found.max()?;
    let rest = &text[at + tag.len()..];
    let is_closed =
        rest.contains("</") || rest.contains("[/") || rest.contains("END_THINKING") || rest.contains("end_of_thought");
    (!is_closed).then_some(tag)
}

/// A prompt that differs on another day.
fn date(renders: &Renders, probe: &ProbedConversation, rendered: &RenderedText, found: &mut Problems) {
    let Ok(other) = renders.render_on_other_day(probe) else { return };
    if other.text != rendered.text {
        let at = shared(&other.text, &rendered.text);
        let lost = 100 * (rendered.text.len() - at) / rendered.text.len().max(1);
        let message =
            format!("the prompt contains the date: from byte {at}, {lost} % of it, it differs on another day");
        found.add_everywhere(probe, &Diagnostic::new(Code::DatedPrompt, renders.place(rendered, at), message));
    }
}

/// Spaces that a literal text of the template has at the beginning of a line, before a marker.
fn indentation(renders: &Renders, probe: &ProbedConversation, rendered: &RenderedText, found: &mut Problems) {
    for (number, span) in rendered.spans.iter().enumerate().filter(|(_, span)| span.is_literal) {
        let text = &rendered.text[span.output.clone()];
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            let spaces = line.len() - line.trim_start_matches([' ', '\t']).len();
            let rest = &line[spaces..];
            let start = span.source.start + at;
            let is_at_start =
                renders.source().get(..start).is_some_and(|before| before.is_empty() || before.ends_with('\n'));
            let next = rendered.spans.get(number + 1).map_or("", |next| &rendered.text[next.output.clone()]);
            let is_before_tag = rest.is_empty() && next.starts_with(['<', '[', '{']);
            let is_before_marker = rest.starts_with("<|") || rest.starts_with("<｜");
            if spaces >= MIN_INDENTATION && is_at_start && (is_before_tag || is_before_marker) {
                let following = if rest.is_empty() { next } else { rest };
                let message = format!(
                    "{spaces} spaces of the template's source precede {:?} in the prompt",
                    following.trim_end().chars().take(24).collect::<String>()
                );
                let diagnostic = Diagnostic::new(Code::IndentationInPrompt, Span::new(start, start + spaces), message);
                found.add_everywhere(probe, &diagnostic);
            }
            at += line.len();
        }
    }
}

/// The prompts of a conversation that grows, with the reason where one does not continue the prompt before it.
fn prefixes(renders: &Renders, template: &ChatTemplate, probe: &ProbedConversation, found: &mut Problems) {
    if is_kept(renders, probe) {
        return;
    }
    let conversation = probe.conversation.clone();
    let input = TemplateInput { conversation, special_tokens: renders.special_tokens().clone() };
    let PromptGrowth { steps, .. } = growth(template, &input, renders.options());
    for (number, step) in steps.iter().enumerate() {
        let Some(comparison) = &step.comparison else { continue };
        let Some(change) = &comparison.change else { continue };
        let lost = format!("{:.0} %", 100.0 * comparison.lost());
        let field = change.field.as_deref().unwrap_or("a field");
        let (code, reason) = match change.reason {
            PrefixReason::ReasoningDropped => (Code::ReasoningDroppedLater, format!("{field} is left out later")),
            PrefixReason::ToolsMoved => (Code::ToolsMove, "the tools move towards the end".to_owned()),
            PrefixReason::ResultsReopened => (
                Code::PromptNotAPrefix,
                "the end of the results is written in another way when more follows".to_owned(),
            ),
            PrefixReason::GenerationPrompt => (
                Code::PromptNotAPrefix,
                "the answer in the history does not begin with the text that precedes it in the prompt".to_owned(),
            ),
            PrefixReason::FieldChanged => {
                (Code::PromptNotAPrefix, format!("{field} is left out, changed or moved later"))
            }
            PrefixReason::TextChanged => (Code::PromptNotAPrefix, "the template's own text differs later".to_owned()),
        };
        let message = format!(
            "prompt {} does not continue prompt {number}: {reason}; {lost} of a cached prompt are lost",
            number + 1
        );
        let mut diagnostic = Diagnostic::new(code, line_span(renders.source(), change.line), message);
        if comparison.lost() > 0.5 && code == Code::PromptNotAPrefix {
            diagnostic = diagnostic.with_severity(Severity::Warning);
        }
        found.add_everywhere(probe, &diagnostic);
    }
}

/// True if each prompt of the conversation begins with the one before it, as their texts show.
fn is_kept(renders: &Renders, probe: &ProbedConversation) -> bool {
    let mut before: Option<String> = None;
    for count in super::super::prefix::requests(&probe.conversation) {
        let messages = probe.conversation.messages[..count].to_vec();
        let part = Conversation { messages, tools: probe.conversation.tools.clone() };
        let rendered = renders.render_conversation(&part, true, TemplateRuntime::Transformers);
        let text = rendered.ok().map(|rendered| rendered.text);
        let is_continued =
            before.as_ref().zip(text.as_ref()).is_none_or(|(before, text)| text.starts_with(before.as_str()));
        if !is_continued {
            return false;
        }
        before = text;
    }
    true
}

/// Place of the first mention of a variable in the source; the beginning if there is none.
fn mention(source: &str, name: &str) -> Span {
    source.find(name).map_or(Span::new(0, 0), |at| Span::new(at, at + name.len()))
}

fn shared(one: &str, other: &str) -> usize {
    let equal = one.bytes().zip(other.bytes()).take_while(|(one, other)| one == other).count();
    one.floor_char_boundary(equal)
}
