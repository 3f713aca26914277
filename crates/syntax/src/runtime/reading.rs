//! Reads a message according to a profile.

use super::calls::CallMaker;
use super::erased_text::Erased;
use super::grammar::{CaptureLabel, SHORTEST_MARKER};
use super::grammar_fault::GrammarFault;
use super::matcher::{Capture, GrammarMatcher, Matched};
use super::outcome::{DeliveredCall, Outcome, PartKind, ReadingPart, Reason, RuntimeReading};
use super::profile::{
    Behaviour, CallFate, CountedCalls, Mismatch, Profile, Prose, ReasoningFate, Take, Trim, WithCalls, WithoutCalls,
    WithoutTools,
};
use super::request::ToolRequest;
use super::unread::{self, ExpectedThere, GrammarMismatch};
use crate::diagnostic::Code;
use crate::text::Span;

/// Reads a message as a profile's parser does when it gets the complete text.
pub fn read(profile: &Profile, text: &str, request: &ToolRequest) -> RuntimeReading {
    let mut reading = read_as(&profile.whole, text, request);
    unread::explain(&profile.whole.grammar, text, &mut reading);
    unread::explain_backtracking(profile.whole.rules.backtracks, text, &mut reading);
    reading
}

/// Reads a message as a profile's parser may do when the text arrives in pieces; `None` if the profile does not
/// describe that. The outcome can depend on how the text is cut.
pub fn read_streamed(profile: &Profile, text: &str, request: &ToolRequest) -> Option<RuntimeReading> {
    let behaviour = profile.streamed.as_ref()?;
    Some(read_as(behaviour, text, request))
}

/// Reads a message according to a behaviour.
pub(super) fn read_as(behaviour: &Behaviour, text: &str, request: &ToolRequest) -> RuntimeReading {
    let trim = behaviour.rules.trim;
    if behaviour.rules.erased.is_empty() {
        return MessageReader::new(behaviour, text, trim, request).read();
    }
    let erased = Erased::new(text, &behaviour.rules.erased);
    let mut reading = MessageReader::new(behaviour, &erased.text, trim, request).read();
    if reading.parts.iter().all(|part| part.kind == PartKind::Content) {
        return MessageReader::new(behaviour, text, Trim::None, request).read();
    }
    erased.restore(&mut reading);
    reading
}

/// A part of the message, in order.
#[derive(Clone, Debug)]
enum Element {
    Prose(Span),
    Reasoning(Span),
    Opened(Span),
    Lost(Span),
    Call(Vec<Capture>),
    NoCall(Span),
    Error(Span),
}

/// A match of the grammar; the text between items is prose.
#[derive(Debug)]
struct Item {
    span: Span,
    elements: Vec<Element>,
}

struct MessageReader<'a> {
    profile: &'a Behaviour,
    /// The text up to the offset where the reading ends.
    text: &'a str,
    start: usize,
    request: &'a ToolRequest,
    reasons: Vec<Reason>,
    stops: Vec<GrammarFault>,
}

impl<'a> MessageReader<'a> {
    fn new(profile: &'a Behaviour, text: &'a str, trim: Trim, request: &'a ToolRequest) -> Self {
        let span = trim.span(text);
        Self { profile, text: &text[..span.end], start: span.start, request, reasons: Vec::new(), stops: Vec::new() }
    }

    fn slice(&self, span: Span) -> &str {
        &self.text[span.start..span.end]
    }

    fn note(&mut self, code: Code, span: Span) {
        self.reasons.push(Reason { code, span });
    }

    fn read(&mut self) -> RuntimeReading {
        let rules = &self.profile.rules;
        let whole = Span::new(self.start, self.text.len());
        if rules.without_tools == WithoutTools::Text && self.request.tools().is_empty() {
            if unread::may_have_call(&self.profile.grammar, self.text) {
                self.note(Code::NoToolsInRequest, Span::new(0, 0));
            }
            return self.all_text();
        }
        let found = if rules.whole { self.match_whole() } else { self.search() };
        match found {
            Ok(items) => self.decide(items),
            Err(GrammarMismatch { expected: ExpectedThere::Unknown, .. }) => {
                // An error of transcope, neither of the runtime nor of the message.
                let error = Some("unknown: the message exceeds transcope's step limit".to_owned());
                let lost = ReadingPart { span: whole, kind: PartKind::Lost };
                self.finish(Outcome { error, ..Outcome::default() }, vec![lost])
            }
            Err(GrammarMismatch { at, expected }) => {
                let span = Span::new(at.min(whole.end), whole.end);
                match rules.mismatch {
                    Mismatch::Text => {
                        self.note(Code::MessageNotMatched, span);
                        self.all_text()
                    }
                    Mismatch::Raise if expected == ExpectedThere::Tool => self.raise(Code::UnknownToolRejected, span),
                    Mismatch::Raise => self.raise(Code::MessageRejected, span),
                    Mismatch::Lose => {
                        self.finish(Outcome::default(), vec![ReadingPart { span: whole, kind: PartKind::Lost }])
                    }
                }
            }
        }
    }

    fn finish(&mut self, outcome: Outcome, parts: Vec<ReadingPart>) -> RuntimeReading {
        let reasons = std::mem::take(&mut self.reasons).into_iter().map(|reason| reason.without_space(self.text));
        let (reasons, stops) = (reasons.collect(), std::mem::take(&mut self.stops));
        RuntimeReading { outcome, parts, reasons, stops }
    }

    fn all_text(&mut self) -> RuntimeReading {
        let whole = Span::new(self.start, self.text.len());
        let content = self.profile.rules.content.alone.apply(self.slice(whole));
        let content = self.profile.rules.content.trim.apply(content);
        let outcome = Outcome { content: not_empty(content.to_owned()), ..Outcome::default() };
        self.finish(outcome, vec![ReadingPart { span: whole, kind: PartKind::Content }])
    }

    fn raise(&mut self, code: Code, span: Span) -> RuntimeReading {
        self.note(code, span);
        let words = &self.profile.rules.error;
        let words = if words.is_empty() { "the parser raises an exception" } else { words };
        let outcome = Outcome { error: Some(words.to_owned()), ..Outcome::default() };
        let whole = Span::new(self.start, self.text.len());
        self.finish(outcome, vec![ReadingPart { span: whole, kind: PartKind::Lost }])
    }

    /// The items in the text, or the offset where it cannot be read.
    fn search(&mut self) -> Result<Vec<Item>, GrammarMismatch> {
        let grammar = &self.profile.grammar;
        let Some(rule) = grammar.number("item") else { return Ok(Vec::new()) };
        let first = grammar.first_bytes(rule);
        let mut matcher = GrammarMatcher::new(self.profile, self.text, self.request);
        let (mut items, mut at) = (Vec::new(), self.start);
        while at <= self.text.len() {
            if let Some(set) = &first {
                match self.text.as_bytes()[at..].iter().position(|byte| set[*byte as usize]) {
                    Some(ahead) => at += ahead,
                    None => break,
                }
            }
            matcher.captures.clear();
            matcher.stops.begin(at + SHORTEST_MARKER);
            let end = match matcher.rule(rule, at) {
                Matched::To(end) => end,
                Matched::Cut(_) => self.text.len(),
                Matched::No => at,
            };
            if matcher.is_exhausted() {
                return Err(GrammarMismatch { at, expected: ExpectedThere::Unknown });
            }
            if end > at {
                items.push(Item { span: Span::new(at, end), elements: elements(&matcher.captures) });
                if matcher.captures.iter().any(|capture| capture.label == CaptureLabel::Call) {
                    matcher.stops.forget();
                }
                at = end;
            } else {
                at += self.text[at..].chars().next().map_or(1, char::len_utf8);
            }
        }
        self.stops = matcher.stops.finish(self.text);
        Ok(items)
    }

    fn match_whole(&mut self) -> Result<Vec<Item>, GrammarMismatch> {
        let grammar = &self.profile.grammar;
        let Some(rule) = grammar.number("message") else {
            return Err(GrammarMismatch { at: self.start, expected: ExpectedThere::Other });
        };
        let mut matcher = GrammarMatcher::new(self.profile, self.text, self.request);
        let matched = matcher.rule(rule, self.start);
        let end = match matched {
            Matched::To(end) => end,
            Matched::Cut(_) => self.text.len(),
            Matched::No => 0,
        };
        let unread = matcher.unread(matcher.furthest.max(end));
        self.stops = matcher.stops.finish(self.text);
        if matched == Matched::No || (end < self.text.len() && self.profile.rules.mismatch != Mismatch::Lose) {
            return Err(unread);
        }
        // Each element is a separate item, so that the text between them is prose.
        let all = elements(&matcher.captures);
        let span = |element: &Element| match element {
            Element::Prose(span)
            | Element::Reasoning(span)
            | Element::Opened(span)
            | Element::Lost(span)
            | Element::NoCall(span)
            | Element::Error(span) => *span,
            Element::Call(captures) => captures[0].span,
        };
        Ok(all.into_iter().map(|element| Item { span: span(&element), elements: vec![element] }).collect())
    }

    /// Decides what is delivered of the items.
    fn decide(&mut self, items: Vec<Item>) -> RuntimeReading {
        let is_call = |element: &Element| matches!(element, Element::Call(_));
        if self.profile.rules.without_calls != WithoutCalls::AsFound
            && !items.iter().any(|item| item.elements.iter().any(is_call))
        {
            if let Some(item) = items.first() {
                self.note(Code::NoCallInMarkup, item.span);
            }
            return self.all_text();
        }
        let mut out = Assembly::default();
        let mut at = self.start;
        let is_whole = self.profile.rules.whole;
        for item in items {
            if !is_whole {
                out.prose(Span::new(at, item.span.start));
            }
            at = item.span.end;
            let mut stays_text = false;
            let mut parts = Vec::new();
            for element in item.elements {
                match element {
                    Element::Prose(span) => parts.push(Piece::Prose(span)),
                    Element::Reasoning(span) => parts.push(Piece::Reasoning(span)),
                    Element::Opened(span) => parts.push(Piece::Opened(span)),
                    Element::Lost(span) => parts.push(Piece::Lost(span)),
                    Element::NoCall(span) => parts.push(Piece::Calls(span, Vec::new())),
                    Element::Error(span) => return self.raise(Code::ParserRaises, span),
                    Element::Call(captures) => {
                        let span = captures[0].span;
                        let mut maker = CallMaker::new(self.profile, self.text, self.request);
                        let made = maker.make(&captures);
                        self.reasons.append(&mut maker.reasons);
                        let fate = match &made {
                            Ok(calls) => self.fate_of_known(calls),
                            Err(fault) if fault.raises => CallFate::Raise,
                            Err(fault) => {
                                let rules = &self.profile.rules;
                                rules.bad_shape.filter(|_| fault.is_of_shape()).unwrap_or(rules.bad_call)
                            }
                        };
                        if let Err(fault) = &made {
                            self.note(fault.code, fault.span);
                        }
                        match fate {
                            CallFate::Deliver => {
                                let calls = made.unwrap_or_default();
                                parts.push(Piece::Calls(span, calls));
                            }
                            CallFate::Drop => parts.push(Piece::Calls(span, self.known(made.unwrap_or_default()))),
                            CallFate::Text => stays_text = true,
                            CallFate::AllText => {
                                self.note(Code::OneCallSpoilsAll, span);
                                return self.all_text();
                            }
                            CallFate::Raise => return self.raise(Code::ParserRaises, span),
                        }
                    }
                }
            }
            if stays_text {
                out.prose(item.span);
            } else {
                out.pieces.extend(parts);
            }
        }
        if !is_whole {
            out.prose(Span::new(at.min(self.text.len()), self.text.len()));
        }
        self.assemble(out)
    }

    /// The fate of readable calls, according to their names.
    fn fate_of_known(&mut self, calls: &[DeliveredCall]) -> CallFate {
        let fate = self.profile.rules.unknown_tool;
        let unknown = |call: &&DeliveredCall| call.name.as_ref().is_none_or(|name| !self.request.has(name));
        let empty = self.profile.rules.empty_name;
        if let Some(nameless) = calls.iter().find(|call| call.name.as_deref().is_none_or(str::is_empty)) {
            let is_dropped = empty != CallFate::Deliver && nameless.name.is_some();
            // A grammar captures an empty name for markup without a call.
            let is_no_call = is_dropped && nameless.name_place.span().is_some_and(Span::is_empty);
            self.note(if is_no_call { Code::WrongShape } else { Code::NoName }, nameless.span);
            if is_dropped {
                return empty;
            }
        }
        if self.profile.rules.without_tools == WithoutTools::AnyName && self.request.tools().is_empty() {
            return CallFate::Deliver;
        }
        if self.profile.rules.without_tools == WithoutTools::DropCalls && self.request.tools().is_empty() {
            self.note(Code::NoToolsInRequest, Span::new(0, 0));
            return CallFate::Drop;
        }
        let Some(stranger) = calls.iter().find(unknown) else { return CallFate::Deliver };
        if fate == CallFate::Deliver || stranger.name.as_deref().is_none_or(str::is_empty) {
            return fate;
        }
        let code = match fate {
            CallFate::Raise => Code::UnknownToolRejected,
            CallFate::Text | CallFate::AllText => Code::UnknownToolShown,
            _ => Code::UnknownToolDropped,
        };
        self.note(code, stranger.name_place.span().unwrap_or(stranger.span));
        fate
    }

    fn known(&self, calls: Vec<DeliveredCall>) -> Vec<DeliveredCall> {
        calls.into_iter().filter(|call| call.name.as_ref().is_some_and(|name| self.request.has(name))).collect()
    }

    /// Content, reasoning and calls of the pieces.
    fn assemble(&mut self, assembly: Assembly) -> RuntimeReading {
        let rules = &self.profile.rules;
        let (prose, reasoning) = (rules.content, &rules.reasoning);
        let mut outcome = Outcome::default();
        let mut parts: Vec<ReadingPart> = Vec::new();
        let delivered = |piece: &Piece| matches!(piece, Piece::Calls(_, calls) if !calls.is_empty());
        let found = assembly.pieces.iter().any(|piece| matches!(piece, Piece::Calls(..)));
        let counts = prose.calls == CountedCalls::Found || assembly.pieces.iter().any(delivered);
        let calls_at = |piece: &Piece| counts && matches!(piece, Piece::Calls(..));
        let first = assembly.pieces.iter().position(calls_at);
        let last = assembly.pieces.iter().rposition(calls_at);
        let beside = prose.beside_calls.filter(|_| first.is_some());
        let mut content = Gathered::new(beside.unwrap_or(prose.take));
        let mut thoughts = Gathered::new(reasoning.take);
        let mut blocks = Gathered::new(rules.call_blocks);
        for (number, piece) in assembly.pieces.into_iter().enumerate() {
            let mut replaced = None;
            match piece {
                Piece::Prose(span) => {
                    let rule = match (first, last) {
                        (Some(first), _) if number < first => prose.before,
                        (_, Some(last)) if number > last => prose.after,
                        (Some(_), _) => prose.between,
                        _ => prose.alone,
                    };
                    let times = if rule == Prose::Twice { 2 } else { 1 };
                    let kept = rule.apply(self.slice(span)).repeat(times);
                    let blank = self.slice(span).trim().is_empty();
                    if rule == Prose::Lose && !blank {
                        self.note(Code::ProseLost, span);
                    } else if kept.len() < span.len() && !blank {
                        self.note(Code::ProseTrimmed, span);
                    }
                    if rule != Prose::Lose {
                        replaced = content.add(&kept, parts.len());
                    }
                    let kind = if rule == Prose::Lose { PartKind::Lost } else { PartKind::Content };
                    parts.push(ReadingPart { span, kind });
                }
                Piece::Reasoning(span) if reasoning.fate == ReasoningFate::Lose => {
                    if !self.slice(span).trim().is_empty() {
                        self.note(Code::ReasoningLost, span);
                    }
                    parts.push(ReadingPart { span, kind: PartKind::Lost });
                }
                Piece::Reasoning(span) => {
                    replaced = thoughts.add(reasoning.trim.apply(self.slice(span)), parts.len());
                    parts.push(ReadingPart { span, kind: PartKind::Reasoning });
                }
                Piece::Opened(span) => {
                    thoughts.add(&reasoning.opened, parts.len());
                    replaced = thoughts.add(reasoning.trim.apply(self.slice(span)), parts.len());
                    parts.push(ReadingPart { span, kind: PartKind::Reasoning });
                }
                Piece::Lost(span) => parts.push(ReadingPart { span, kind: PartKind::Lost }),
                Piece::Calls(span, calls) => {
                    let kind = if calls.is_empty() { PartKind::Lost } else { PartKind::Calls(calls.len()) };
                    replaced = blocks.add("", parts.len());
                    if replaced.is_some() {
                        outcome.calls.clear();
                    }
                    parts.push(ReadingPart { span, kind });
                    outcome.calls.extend(calls);
                }
            }
            if let Some(number) = replaced {
                parts[number].kind = PartKind::Lost;
                let span = parts[number].span;
                if !self.slice(span).trim().is_empty() {
                    self.note(Code::ReplacedByLater, span);
                }
            }
        }
        if outcome.calls.is_empty() && rules.without_calls == WithoutCalls::AllTextUnlessDelivered {
            return self.all_text();
        }
        let is_trimmed = prose.with_calls == WithCalls::Trim && !outcome.calls.is_empty();
        let text = match prose.with_calls {
            _ if is_trimmed => content.text.trim(),
            WithCalls::TrimIfFound if found => content.text.trim(),
            WithCalls::TrimStart if found => content.text.trim_start(),
            WithCalls::Keep | WithCalls::TrimIfFound | WithCalls::TrimStart => &content.text,
            _ if found && content.text.trim().is_empty() => "",
            WithCalls::TrimStartNewlines if found => content.text.trim_start_matches('\n'),
            _ => &content.text,
        };
        outcome.content = not_empty(prose.trim.apply(text).to_owned());
        let blank = reasoning.blank == Prose::Lose && thoughts.text.trim().is_empty();
        outcome.reasoning = not_empty(reasoning.together.apply(&thoughts.text).to_owned()).filter(|_| !blank);
        self.finish(outcome, parts)
    }
}

/// Spans of one kind that are joined to one text.
struct Gathered {
    rule: Take,
    text: String,
    last: Option<usize>,
}

impl Gathered {
    fn new(rule: Take) -> Self {
        Self { rule, text: String::new(), last: None }
    }

    /// Adds the text of a part of the message; returns the number of the part that it replaces, if any.
    fn add(&mut self, text: &str, part: usize) -> Option<usize> {
        let before = self.last.replace(part);
        if self.rule == Take::Last {
            self.text.clear();
        } else if !self.text.is_empty() && !text.is_empty() {
            self.text.push_str(self.rule.separator());
        }
        self.text.push_str(text);
        before.filter(|_| self.rule == Take::Last)
    }
}

/// A span of the message and how it is delivered.
enum Piece {
    Prose(Span),
    Reasoning(Span),
    Opened(Span),
    Lost(Span),
    Calls(Span, Vec<DeliveredCall>),
}

#[derive(Default)]
struct Assembly {
    pieces: Vec<Piece>,
}

impl Assembly {
    /// Adds prose; adjacent spans are merged.
    fn prose(&mut self, span: Span) {
        if span.is_empty() {
            return;
        }
        match self.pieces.last_mut() {
            Some(Piece::Prose(last)) if last.end == span.start => last.end = span.end,
            _ => self.pieces.push(Piece::Prose(span)),
        }
    }
}

fn not_empty(text: String) -> Option<String> {
    (!text.is_empty()).then_some(text)
}

/// The outermost labelled spans, in order.
fn elements(captures: &[Capture]) -> Vec<Element> {
    let (mut out, mut at) = (Vec::new(), 0);
    while let Some(capture) = captures.get(at) {
        match capture.label {
            CaptureLabel::Call => out.push(Element::Call(captures[at..capture.next].to_vec())),
            CaptureLabel::Reasoning => out.push(Element::Reasoning(capture.span)),
            CaptureLabel::Opened => out.push(Element::Opened(capture.span)),
            CaptureLabel::Lost => out.push(Element::Lost(capture.span)),
            CaptureLabel::NoCall => out.push(Element::NoCall(capture.span)),
            CaptureLabel::Error => out.push(Element::Error(capture.span)),
            _ => {
                out.push(Element::Prose(capture.span));
                // A call within content counts as a call as well.
                at += 1;
                continue;
            }
        }
        at = capture.next;
    }
    out
}
