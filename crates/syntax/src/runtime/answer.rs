//! Reads a message as the answer to a request: a parser's reading, and the effects of the request's settings on it.
//!
//! Each setting that matters for the outcome is reported, with its effect or as an assumption.

use super::catalog::{self, ParserRelease};
use super::erased_text::Erased;
use super::outcome::{DeliveredArguments, DeliveredCall, Outcome, PartKind, ReadingPart, RuntimeReading};
use super::reading::read;
use super::request::ToolRequest;
use super::request_rules::{
    NoneRule, NotJsonRule, ParallelRule, ReasoningSplit, RequestRules, RequiredRule, SpecialTokensRule,
};
use super::settings::{AppliedSetting, SettingEffect, SettingName, ToolChoice};
use crate::text::Span;
use crate::value::json::flavour::{self, Flavour};
use crate::value::place::{SourcePlace, SourceText};
use crate::value::plain::{Placed, PlainValue};
use crate::value::tools::ToolSet;

/// The reading of an answer, and the settings that it depends on.
#[derive(Clone, Debug)]
pub struct AnswerReading {
    /// The parser's reading with these settings.
    pub reading: RuntimeReading,
    /// The settings that matter for it, in the order of [`SettingName`].
    pub settings: Vec<AppliedSetting>,
    /// False if the effect of a setting was not read in the sources of this release.
    pub is_certain: bool,
}

/// Reads a message as the answer to a request.
pub fn read_answer(parser: &ParserRelease, text: &str, request: &ToolRequest) -> AnswerReading {
    let rules = catalog::runtime(&parser.profile.runtime).map(|runtime| &runtime.request);
    let usual = RequestRules::default();
    let reader = AnswerReader {
        parser,
        name: parser.parser.trim_start_matches("engine-"),
        rules: rules.unwrap_or(&usual),
        request,
        settings: Vec::new(),
    };
    reader.read(text)
}

/// True if a parser gets texts without special tokens, unless the request keeps them.
pub fn skips_special_tokens(runtime: &str, parser: &str) -> bool {
    let lists = |rules: &RequestRules| rules.skips.iter().any(|name| name == parser);
    catalog::runtime(runtime).is_some_and(|runtime| lists(&runtime.request))
}

struct AnswerReader<'a> {
    parser: &'a ParserRelease,
    /// The parser's name in the lists of its runtime.
    name: &'a str,
    rules: &'a RequestRules,
    request: &'a ToolRequest,
    settings: Vec<AppliedSetting>,
}

impl AnswerReader<'_> {
    fn note(&mut self, name: SettingName, value: impl Into<String>, effect: SettingEffect) {
        let is_read = !self.rules.read_in.is_empty();
        let effect = if effect == SettingEffect::Ignored && !is_read { SettingEffect::Unknown } else { effect };
        self.settings.push(AppliedSetting { name, value: value.into(), effect });
    }

    fn choice(&self) -> ToolChoice {
        self.request.settings.tool_choice.unwrap_or_default()
    }

    fn is_listed(&self, names: &[String]) -> bool {
        names.iter().any(|name| name == self.name)
    }

    fn read(mut self, text: &str) -> AnswerReading {
        let removed = self.removed_tokens(text);
        let mut reading = if removed.is_empty() {
            self.read_decoded(text)
        } else {
            let erased = Erased::new(text, &removed);
            let mut reading = self.read_decoded(&erased.text);
            erased.restore(&mut reading);
            reading
        };
        self.limit_calls(&mut reading);
        self.keep_reasoning(&mut reading, text);
        self.settings.sort_by_key(|setting| setting.name);
        let was_read = self.rules.read_in.contains(&self.parser.release.version);
        let is_known = |effect: SettingEffect| effect != SettingEffect::Unknown;
        let is_assumed = |effect: SettingEffect| effect == SettingEffect::Assumed;
        let is_certain = self.settings.iter().all(|one| is_assumed(one.effect) || (was_read && is_known(one.effect)));
        AnswerReading { reading, settings: self.settings, is_certain }
    }

    /// The special tokens in a text that decoding leaves out.
    fn removed_tokens(&mut self, text: &str) -> Vec<String> {
        let stated = self.request.settings.skip_special_tokens;
        let is_for_calls = !self.request.tools().is_empty() && self.choice() != ToolChoice::None;
        let is_skipping = self.is_listed(&self.rules.skips);
        // A parser that keeps them overrules the request.
        let (is_overruled, usual) = match self.rules.special_tokens {
            SpecialTokensRule::Ignored => (true, false),
            SpecialTokensRule::Parser => (is_for_calls && !is_skipping, true),
            SpecialTokensRule::WithoutTools => (is_for_calls, true),
            SpecialTokensRule::Caller => (false, false),
        };
        let tokens = self.request.settings.special_tokens.as_deref();
        let found: Vec<String> = tokens.into_iter().flatten().filter(|token| text.contains(*token)).cloned().collect();
        let skips = !is_overruled && stated.unwrap_or(usual);
        let name = SettingName::SkipSpecialTokens;
        let value = |is_on: bool| if is_on { "on" } else { "off" };
        match (skips, tokens) {
            (true, Some(_)) if found.is_empty() => Vec::new(),
            (true, Some(_)) => {
                self.note(name, value(true), SettingEffect::TokensRemoved);
                found
            }
            (true, None) if stated.is_some() => {
                self.note(name, value(true), SettingEffect::TokensUnknown);
                Vec::new()
            }
            // Special tokens of most models are written `<|…|>` or `<｜…｜>`.
            (true, None) if is_skipping && is_for_calls && ["<|", "<｜"].iter().any(|mark| text.contains(mark)) => {
                self.note(name, value(false), SettingEffect::Assumed);
                Vec::new()
            }
            (true, None) => Vec::new(),
            (false, _) => {
                if let Some(stated) = stated.filter(|_| is_overruled) {
                    let is_ignored = self.rules.special_tokens == SpecialTokensRule::Ignored;
                    let effect = if is_ignored { SettingEffect::Ignored } else { SettingEffect::TokensKept };
                    self.note(name, value(stated), effect);
                }
                Vec::new()
            }
        }
    }

    /// Reads a decoded text: splits its reasoning off, and looks for calls.
    fn read_decoded(&mut self, text: &str) -> RuntimeReading {
        let Some(split) = self.reasoning_split(text) else { return self.read_calls(text) };
        self.note(
            SettingName::ReasoningFormat,
            self.request.settings.reasoning_format.clone().unwrap_or_default(),
            SettingEffect::ReasoningSplit,
        );
        let mut reading = match text.get(split.content..) {
            Some(rest) if !rest.is_empty() => self.read_calls(rest),
            _ => RuntimeReading::default(),
        };
        reading.relocate(&|span| Span::new(span.start + split.content, span.end + split.content));
        let reasoning = &text[split.reasoning.start..split.reasoning.end];
        reading.outcome.reasoning = (!reasoning.is_empty()).then(|| reasoning.to_owned());
        if !split.reasoning.is_empty() {
            reading.parts.insert(0, ReadingPart { span: split.reasoning, kind: PartKind::Reasoning });
        }
        reading
    }

    /// The reasoning in a text according to the request's reasoning parser; `None` if the parser finds none.
    fn reasoning_split(&mut self, text: &str) -> Option<SplitText> {
        let name = SettingName::ReasoningFormat;
        let Some(stated) = self.request.settings.reasoning_format.clone() else {
            let has_tag = self.rules.reasoning_parsers.values().any(|parser| text.contains(parser.close.as_str()));
            if has_tag {
                self.note(name, "none", SettingEffect::Assumed);
            }
            return None;
        };
        if self.rules.reasoning_in_content || stated == "none" {
            return None;
        }
        let Some(parser) = self.rules.reasoning_parsers.get(&stated) else {
            // The runtime may have a parser of this name whose rules are not known here.
            let has_none = self.rules.reasoning_parsers.is_empty();
            self.note(name, stated, if has_none { SettingEffect::Ignored } else { SettingEffect::Unknown });
            return None;
        };
        split_text(parser, text, self.request.settings.thinking)
    }

    fn read_calls(&mut self, text: &str) -> RuntimeReading {
        let (choice, profile) = (self.choice(), self.parser.profile);
        let name = SettingName::ToolChoice;
        match choice {
            ToolChoice::None if self.is_listed(&self.rules.drops_calls) => {
                let mut reading = read(profile, text, self.request);
                drop_calls(&mut reading, 0);
                self.note(name, choice.name(), SettingEffect::CallsDropped);
                reading
            }
            ToolChoice::None if self.rules.none == NoneRule::Text => {
                self.note(name, choice.name(), SettingEffect::NotParsed);
                whole_text(text)
            }
            ToolChoice::None if self.rules.none == NoneRule::NoTools => {
                self.note(name, choice.name(), SettingEffect::NotParsed);
                let request = ToolRequest { tools: Some(ToolSet::default()), ..self.request.clone() };
                RuntimeReading { reasons: Vec::new(), ..read(profile, text, &request) }
            }
            ToolChoice::Required
                if self.rules.required == RequiredRule::Json && !self.is_listed(&self.rules.native) =>
            {
                let calls = json_calls(text, self.rules.not_json);
                let effect = if calls.is_some() { SettingEffect::JsonArray } else { SettingEffect::NotJson };
                self.note(name, choice.name(), effect);
                match (calls, self.rules.not_json) {
                    (Some(calls), _) => of_calls(calls, text),
                    (None, NotJsonRule::Text) => whole_text(text),
                    (None, NotJsonRule::Lose) => RuntimeReading {
                        parts: vec![ReadingPart { span: Span::new(0, text.len()), kind: PartKind::Lost }],
                        ..RuntimeReading::default()
                    },
                }
            }
            _ => {
                let reading = read(profile, text, self.request);
                let is_ignored = match choice {
                    ToolChoice::Auto => self.rules.none == NoneRule::Ignored,
                    ToolChoice::Required => self.rules.required == RequiredRule::Ignored,
                    ToolChoice::None => true,
                };
                match self.request.settings.tool_choice {
                    Some(ToolChoice::Auto) => {}
                    Some(_) if is_ignored => self.note(name, choice.name(), SettingEffect::Ignored),
                    Some(_) => self.note(name, choice.name(), SettingEffect::Sampler),
                    None if !is_ignored && !reading.outcome.calls.is_empty() => {
                        self.note(name, choice.name(), SettingEffect::Assumed);
                    }
                    None => {}
                }
                reading
            }
        }
    }

    /// Applies `parallel_tool_calls` to a reading with several calls.
    fn limit_calls(&mut self, reading: &mut RuntimeReading) {
        if reading.outcome.calls.len() < 2 {
            return;
        }
        let name = SettingName::ParallelToolCalls;
        match (self.request.settings.parallel_tool_calls, self.rules.parallel) {
            (None, ParallelRule::First | ParallelRule::Reject) => self.note(name, "on", SettingEffect::Assumed),
            (Some(true) | None, _) => {}
            (Some(false), ParallelRule::First) => {
                drop_calls(reading, 1);
                self.note(name, "off", SettingEffect::FirstCall);
            }
            (Some(false), ParallelRule::Reject) => {
                let error = self.parser.profile.whole.rules.error.clone();
                reading.outcome = Outcome { error: Some(error), ..Outcome::default() };
                reading.parts.iter_mut().for_each(|part| part.kind = PartKind::Lost);
                self.note(name, "off", SettingEffect::SecondCallRejected);
            }
            (Some(false), ParallelRule::Sampler) => self.note(name, "off", SettingEffect::Sampler),
            (Some(false), ParallelRule::Ignored) => self.note(name, "off", SettingEffect::Ignored),
        }
    }

    /// Applies llama.cpp's `reasoning_format: none`, whose parser has no rule for reasoning.
    fn keep_reasoning(&mut self, reading: &mut RuntimeReading, text: &str) {
        let has_reasoning = reading.outcome.reasoning.is_some();
        if !self.rules.reasoning_in_content || !has_reasoning {
            return;
        }
        let name = SettingName::ReasoningFormat;
        match self.request.settings.reasoning_format.as_deref() {
            None => self.note(name, "auto", SettingEffect::Assumed),
            Some("none") => {
                put_back_reasoning(reading, text);
                self.note(name, "none", SettingEffect::ReasoningInContent);
            }
            Some("auto" | "deepseek" | "deepseek-legacy") => {}
            Some(other) => self.note(name, other, SettingEffect::Ignored),
        }
    }
}

/// The parts of a text that a reasoning parser separates.
struct SplitText {
    reasoning: Span,
    /// Offset at which the content begins.
    content: usize,
}

/// Splits a text as vLLM's `BaseThinkingReasoningParser` and SGLang's `BaseReasoningFormatDetector` do.
fn split_text(parser: &ReasoningSplit, text: &str, thinking: Option<bool>) -> Option<SplitText> {
    let (open, close) = (parser.open.as_str(), parser.close.as_str());
    if !parser.forced && thinking != Some(true) && !text.contains(open) {
        return None;
    }
    let mut start = 0;
    if parser.loses_before {
        start = text.find(open).map_or(0, |at| at + open.len());
    } else {
        while text[start..].starts_with(open) {
            start += open.len();
        }
    }
    let rest = &text[start..];
    let call = || parser.call.as_deref().and_then(|call| rest.find(call));
    let (end, skipped) = match (rest.find(close), call()) {
        (Some(end), _) => (end, close.len()),
        (None, Some(call)) => (call, 0),
        (None, None) => (rest.len(), 0),
    };
    Some(SplitText { reasoning: Span::new(start, start + end), content: start + end + skipped })
}

/// The whole text as content.
fn whole_text(text: &str) -> RuntimeReading {
    RuntimeReading {
        outcome: Outcome { content: (!text.is_empty()).then(|| text.to_owned()), ..Outcome::default() },
        parts: vec![ReadingPart { span: Span::new(0, text.len()), kind: PartKind::Content }],
        ..RuntimeReading::default()
    }
}

/// Drops all calls but the first `kept` ones, whose text is lost then.
fn drop_calls(reading: &mut RuntimeReading, kept: usize) {
    reading.outcome.calls.truncate(kept);
    let mut left = kept;
    for part in &mut reading.parts {
        if let PartKind::Calls(count) = part.kind {
            let count = count.min(left);
            left -= count;
            part.kind = if count == 0 { PartKind::Lost } else { PartKind::Calls(count) };
        }
    }
}

/// The calls in a JSON array of objects with `name` and `parameters`, which may be missing. Where a text that is not JSON
/// is content, a single object counts as an array of one. `None` if the text is something else.
fn json_calls(text: &str, rule: NotJsonRule) -> Option<Vec<DeliveredCall>> {
    let all = flavour::read_all(SourceText::whole(text), Flavour::Strict).ok()?;
    let items = match all.value {
        PlainValue::List(items) => items,
        PlainValue::Object(_) if rule == NotJsonRule::Text => vec![all],
        _ => return None,
    };
    let call = |item: Placed| {
        let name = item.value.get("name")?;
        let PlainValue::Text(words) = &name.value else { return None };
        let parameters = item.value.get("parameters").map(|value| value.value.clone());
        let missing = || match rule {
            NotJsonRule::Text => DeliveredArguments::default(),
            NotJsonRule::Lose => DeliveredArguments::of_value(PlainValue::Null),
        };
        Some(DeliveredCall {
            name: Some(words.clone()),
            arguments: parameters.map_or_else(missing, DeliveredArguments::of_value),
            id: None,
            span: item.place.span()?,
            name_place: name.word_place(text),
            id_place: SourcePlace::MadeUp,
        })
    };
    items.into_iter().map(call).collect()
}

fn of_calls(calls: Vec<DeliveredCall>, text: &str) -> RuntimeReading {
    let parts = vec![ReadingPart { span: Span::new(0, text.len()), kind: PartKind::Calls(calls.len()) }];
    RuntimeReading { outcome: Outcome { calls, ..Outcome::default() }, parts, ..RuntimeReading::default() }
}

/// Makes reasoning a part of the content, with the tags around it.
fn put_back_reasoning(reading: &mut RuntimeReading, text: &str) {
    let Some(last) = reading.parts.iter().rposition(|part| part.kind == PartKind::Reasoning) else { return };
    let next = reading.parts.get(last + 1).map_or(text.len(), |part| part.span.start);
    let end = reading.parts[last].span.end;
    // The closing tag, and white space that the parser skips after it.
    let between = text.get(end..next).unwrap_or_default();
    let tag = between.find(['>', ']']).map_or(0, |at| at + 1);
    let has_content = reading.parts.get(last + 1).is_some_and(|part| part.kind == PartKind::Content);
    let to = if has_content { next } else { end + tag };
    let mut content = text.get(..to).unwrap_or_default().to_owned();
    content.push_str(reading.outcome.content.as_deref().unwrap_or_default());
    reading.outcome.reasoning = None;
    reading.outcome.content = (!content.is_empty()).then_some(content);
    for part in reading.parts.iter_mut().filter(|part| part.kind == PartKind::Reasoning) {
        part.kind = PartKind::Content;
    }
}
