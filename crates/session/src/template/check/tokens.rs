//! Problems that need the tokens of the model: markers that a parser never gets, answers that do not end, and texts of the input
//! that are read as control tokens.

use serde_json::{Map, Value, json};

use super::super::conversation::{Conversation, TemplateRuntime};
use super::super::fields::TemplateInput;
use super::super::probes::TemplateProbe;
use super::super::source::ChatTemplate;
use super::super::tokens::TokenFacts;
use super::super::{PromptText, RenderOptions, SpanOrigin, render};
use super::TemplateProblem;
use crate::diagnostic::{Code, Diagnostic};
use crate::lens::MessageText;
use crate::runtime::answer::skips_special_tokens;
use crate::runtime::{self, Outcome, ToolRequest, catalog};
use crate::session::Session;
use crate::text::Span;
use crate::value::tools::ToolSet;

/// The probe with one call, whose answer is read by parsers.
const CALL_PROBE: &str = "single";

/// The probe with an answer that is a text, and nothing after it.
const ANSWER_PROBE: &str = "plain";

/// The template and what it is rendered with.
struct TokenCheck<'a> {
    facts: &'a TokenFacts,
    template: &'a ChatTemplate,
    special_tokens: &'a Map<String, Value>,
    options: &'a RenderOptions,
}

/// The problems of a template with the tokens of its model.
pub(super) fn problems(
    facts: &TokenFacts,
    template: &ChatTemplate,
    special_tokens: &Map<String, Value>,
    options: &RenderOptions,
) -> Vec<TemplateProblem> {
    let check = TokenCheck { facts, template, special_tokens, options };
    let end = check.end_of_answer();
    let found = [check.skipped_marker(), end.as_ref().and_then(|end| check.unset_stop(end)), check.input_token(end)];
    found.into_iter().flatten().collect()
}

/// The token that a template writes after an answer.
struct AnswerEnd {
    token: String,
    /// The part of the template that writes it.
    place: Span,
}

impl TokenCheck<'_> {
    fn render(&self, conversation: Conversation, add_generation_prompt: bool) -> Option<PromptText> {
        let input = TemplateInput { conversation, special_tokens: self.special_tokens.clone() };
        let options =
            RenderOptions { add_generation_prompt, runtime: TemplateRuntime::Transformers, ..self.options.clone() };
        render(self.template, input, options).ok()
    }

    /// A marker of the call that is a special token, if the parsers of vLLM that read the call do not without it.
    fn skipped_marker(&self) -> Option<TemplateProblem> {
        let conversation = TemplateProbe::named(CALL_PROBE)?.conversation();
        let tools = ToolSet::from_list(conversation.tools.as_deref().unwrap_or_default());
        let expected = conversation.messages.last()?.pointer("/tool_calls/0/function").cloned()?;
        let question =
            Conversation { messages: conversation.messages[..1].to_vec(), tools: conversation.tools.clone() };
        let prompt = self.render(conversation, false)?;
        let before = self.render(question, true)?;
        let start = shared_length(&prompt.text, &before.text);
        let answer = self.without_end(&prompt.text[start..]);
        let (range, token) = self.facts.find(answer).into_iter().find(|(_, token)| token.is_special)?;
        let skipped = self.facts.without_special(answer);
        let request = ToolRequest::with(tools);
        let mut lost = Vec::new();
        let dialects = dialects_of(answer, &request);
        let profiles = dialects.into_iter().flat_map(catalog::of_dialect);
        for profile in profiles.filter(|profile| profile.runtime == "vllm") {
            let reads = |text: &str| is_read(&runtime::read(profile, text, &request).outcome, &expected);
            if !reads(answer) {
                continue;
            }
            let (skipping, others): (Vec<&str>, Vec<&str>) = profile
                .parsers
                .iter()
                .map(String::as_str)
                .partition(|parser| skips_special_tokens(&profile.runtime, parser));
            if !others.is_empty() || reads(&skipped) {
                return None;
            }
            lost.extend(skipping);
        }
        let parser = lost.first()?;
        let message = format!(
            "{} is a special token, which vLLM leaves out: its parser {parser} gets {:?}",
            token.content,
            shortened(&skipped)
        );
        let place = place(&prompt, start + range.start);
        Some(problem(Code::MarkerStripped, place, message, CALL_PROBE, &[TemplateRuntime::Vllm]))
    }

    /// An answer without the token that ends it, and the whitespace around that.
    fn without_end<'t>(&self, answer: &'t str) -> &'t str {
        let trimmed = answer.trim_end();
        let last = self.facts.find(trimmed).pop();
        let ends = |range: &std::ops::Range<usize>| range.end == trimmed.len();
        match last {
            Some((range, token)) if ends(&range) && self.facts.stops.contains(&token.content) => {
                trimmed[..range.start].trim_end()
            }
            _ => answer,
        }
    }

    /// The token that the template writes after the text of an answer, if only whitespace precedes it.
    fn end_of_answer(&self) -> Option<AnswerEnd> {
        let conversation = TemplateProbe::named(ANSWER_PROBE)?.conversation();
        let answer = conversation.messages.last()?.get("content")?.as_str()?.to_owned();
        let prompt = self.render(conversation, false)?;
        let end = prompt.text.rfind(&answer)? + answer.len();
        let rest = &prompt.text[end..];
        let (range, token) = self.facts.find(rest).into_iter().next()?;
        let follows = token.is_special && rest[..range.start].trim().is_empty();
        follows.then(|| AnswerEnd { token: token.content.clone(), place: place(&prompt, end + range.start) })
    }

    /// An end of the answer at which the model is not stopped.
    fn unset_stop(&self, end: &AnswerEnd) -> Option<TemplateProblem> {
        if !self.facts.has_all_stops || self.facts.stops.contains(&end.token) {
            return None;
        }
        let stops = match self.facts.stops.as_slice() {
            [] => "none is set".to_owned(),
            stops => format!("these are: {}", stops.join(", ")),
        };
        let message = format!("{} ends an answer and is not a stop token; {stops}", end.token);
        let runtimes = [TemplateRuntime::Transformers, TemplateRuntime::Vllm];
        Some(problem(Code::StopTokenUnset, end.place, message, ANSWER_PROBE, &runtimes))
    }

    /// A control token in the text of a user: the prompt has its bytes unchanged, and all runtimes read them as the token.
    fn input_token(&self, end: Option<AnswerEnd>) -> Option<TemplateProblem> {
        let special = || self.facts.added.values().find(|token| token.is_special).map(|token| token.content.clone());
        let token = end.map(|end| end.token).or_else(special)?;
        let messages = vec![json!({"role": "user", "content": format!("before {token} after")})];
        let tools = TemplateProbe::named(CALL_PROBE)?.conversation().tools;
        let prompt = self.render(Conversation { messages, tools }, true)?;
        let is_of_message = |at: usize| {
            let after = prompt.spans.partition_point(|span| span.range.end <= at);
            prompt.spans.get(after).is_some_and(|span| match &span.origin {
                SpanOrigin::Fields(fields) => {
                    fields.iter().all(|&field| prompt.fields[field].path.starts_with("messages"))
                }
                SpanOrigin::Template | SpanOrigin::Unknown => false,
            })
        };
        let found = self.facts.find(&prompt.text).into_iter();
        let (range, _) =
            found.filter(|(_, found)| found.content == token).find(|(range, _)| range.clone().all(is_of_message))?;
        let message = format!("{token} in the text of a user becomes the control token");
        Some(problem(
            Code::ControlTokenFromInput,
            place(&prompt, range.start),
            message,
            "inject",
            &TemplateRuntime::ALL,
        ))
    }
}

fn problem(code: Code, place: Span, message: String, probe: &str, runtimes: &[TemplateRuntime]) -> TemplateProblem {
    TemplateProblem {
        diagnostic: Diagnostic::new(code, place, message),
        probe: Some(probe.to_owned()),
        runtimes: runtimes.to_vec(),
    }
}

/// The dialects whose parsers read an answer: other parsers may read what is left of it, and no one uses them for this model.
fn dialects_of(answer: &str, request: &ToolRequest) -> Vec<&'static str> {
    let found = Session::from_bytes(answer.as_bytes()).document().dialects_seen().collect();
    MessageText::new(answer.as_bytes(), Span::new(0, answer.len()), found).dialects(request, false, || false).detected
}

/// True if a parser delivers the one call that was rendered.
fn is_read(outcome: &Outcome, expected: &Value) -> bool {
    let [call] = outcome.calls.as_slice() else { return false };
    call.name.as_deref() == expected["name"].as_str() && call.arguments.to_json() == expected["arguments"]
}

/// The part of the template that wrote a byte of a prompt.
fn place(prompt: &PromptText, at: usize) -> Span {
    let after = prompt.spans.partition_point(|span| span.range.end <= at);
    let Some(span) = prompt.spans.get(after) else { return Span::new(0, 0) };
    let ahead = if span.is_literal { at.saturating_sub(span.range.start) } else { 0 };
    Span::new(span.source.start + ahead, span.source.end)
}

/// Bytes that two texts have in common at their beginnings, up to a boundary of characters.
fn shared_length(left: &str, right: &str) -> usize {
    let pairs = left.chars().zip(right.chars());
    pairs.take_while(|(left, right)| left == right).map(|(left, _)| left.len_utf8()).sum()
}

/// The beginning of a text for a message.
fn shortened(text: &str) -> String {
    const LENGTH: usize = 40;
    let text = text.trim();
    if text.chars().count() <= LENGTH {
        return text.to_owned();
    }
    text.chars().take(LENGTH - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::super::super::source::TemplateSet;
    use super::super::super::tokens::TokenFiles;
    use super::super::check_set;
    use super::*;

    /// Problems that concern tokens, with the line, the runtimes and the message.
    fn found(source: &str, tokens: &Value, generation: Option<&Value>) -> Vec<String> {
        let files = TokenFiles {
            tokenizer: Some(json!({ "added_tokens": tokens }).to_string().into_bytes()),
            tokenizer_config: None,
            generation_config: generation.map(|settings| settings.to_string().into_bytes()),
        };
        let set = TemplateSet {
            templates: vec![ChatTemplate::new("default", "t", source)],
            tokens: files.facts().expect("they are JSON"),
            ..TemplateSet::default()
        };
        let problems = check_set(&set, Vec::new(), &RenderOptions::default()).problems;
        let text = |problem: &TemplateProblem| {
            let names: Vec<&str> = problem.runtimes.iter().map(|runtime| runtime.name()).collect();
            let line = 1 + source[..problem.diagnostic.span.start].matches('\n').count();
            format!("{line} {}: {}", names.join("+"), problem.diagnostic.message)
        };
        problems.iter().filter(|problem| problem.diagnostic.code >= Code::MarkerStripped).map(text).collect()
    }

    #[test]
    fn a_marker_is_lost_if_it_is_special_and_no_parser_keeps_it() {
        let call = |open: &str, between: &str, close: &str| {
            format!(
                "{{% for m in messages %}}<|{{{{ m.role }}}}|>{{{{ m.content }}}}\n\
                 {{% for c in m.tool_calls or [] %}}{open}{{{{ c.function.name }}}}{between}\
                 {{{{ c.function.arguments|tojson }}}}{close}{{% endfor %}}\n<end>\n{{% endfor %}}"
            )
        };
        let deepseek = call(
            "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>",
            "<｜tool▁sep｜>",
            "<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
        );
        let token = |content: &str, special: bool| json!([{"id": 1, "content": content, "special": special}]);
        let lost = "2 vllm: <｜tool▁sep｜> is a special token, which vLLM leaves out: its parser deepseek_v31 gets";
        let rows = [
            (deepseek.clone(), token("<｜tool▁sep｜>", true), vec![lost]),
            (deepseek.clone(), token("<｜tool▁sep｜>", false), vec![]),
            (deepseek, token("<｜tool▁sep｜>x", true), vec![]),
            // The parser hermes keeps it.
            (
                call("<tool_call>\n{\"name\": \"", "\", \"arguments\": ", "}\n</tool_call>"),
                token("<tool_call>", true),
                vec![],
            ),
            // No parser of vLLM reads it.
            (call("<my_call>", "<tool_sep>", "</my_call>"), token("<my_call>", true), vec![]),
        ];
        for (source, tokens, expected) in rows {
            let mut found = found(&source, &tokens, None);
            found.retain(|problem| !problem.contains("becomes the control token"));
            let is_as_expected = found.len() == expected.len()
                && found.iter().zip(&expected).all(|(found, expected)| found.starts_with(expected));
            assert!(is_as_expected, "{source}: {found:?}");
        }
    }

    #[test]
    fn a_stop_token_and_a_token_in_the_input_are_those_that_the_template_writes() {
        let tokens =
            json!([{"id": 1, "content": "<end>", "special": true}, {"id": 2, "content": "</s>", "special": true}]);
        let template = |content: &str| {
            format!("{{% for m in messages %}}\n<{{{{ m.role }}}}>{{{{ {content} }}}}\n<end>{{% endfor %}}")
        };
        let unset = "3 transformers+vllm: <end> ends an answer and is not a stop token; these are: </s>";
        let typed = "2 transformers+vllm+llama.cpp: <end> in the text of a user becomes the control token";
        let rows = [
            ("m.content", Some(json!({"eos_token_id": [2]})), vec![typed, unset]),
            ("m.content", Some(json!({"eos_token_id": [2, 1]})), vec![typed]),
            ("m.content", None, vec![typed]),
            ("m.content|replace('<', '&lt;')", Some(json!({"eos_token_id": 1})), vec![]),
        ];
        for (content, generation, expected) in rows {
            assert_eq!(found(&template(content), &tokens, generation.as_ref()), expected, "{content} {generation:?}");
        }
    }
}
