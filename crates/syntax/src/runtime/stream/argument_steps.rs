//! The offsets in a message at which a parser can send the parts of a call.

use super::completion::completed;
use crate::runtime::outcome::{DeliveredArguments, DeliveredCall};
use crate::runtime::profile::{ArgumentSteps, HeldSpace, Sends};
use crate::runtime::request::ToolRequest;
use crate::text::Span;
use crate::value::json::flavour::{self, Flavour};
use crate::value::place::{SourcePlace, SourceText};
use crate::value::plain::{Member, PlainValue};

/// The offset of a part that is sent when the message has ended.
pub(super) const AT_END: usize = usize::MAX;

/// A part of a call's arguments that is sent together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step {
    /// Length in bytes of the arguments' text up to the end of this part.
    pub(super) length: usize,
    /// Length of the message that must have arrived.
    pub(super) at: usize,
}

/// The moments of a call.
#[derive(Debug)]
pub(super) struct CallSteps {
    /// Length of the message that must have arrived before the name is sent.
    pub(super) name: usize,
    /// The text of the arguments.
    pub(super) text: String,
    /// The lengths of its text up to which it is sent, and when.
    pub(super) steps: Vec<Step>,
}

/// The moments of a call, by the rules of its parser.
pub(super) fn of_call(call: &DeliveredCall, finder: &CallFinder<'_>) -> CallSteps {
    let CallFinder { message, sends, .. } = *finder;
    let name = call.name_place.span().unwrap_or(Span::at(call.span.start));
    let members = members(&call.arguments);
    let text = arguments_text(&call.arguments, sends, message, name.end);
    let places = finder.places(&members, name.end);
    let last = places.last().map_or(name.end, |place| place.value.end);
    let end = finder.end(call, last);
    let steps = match sends.arguments {
        ArgumentSteps::Whole => Vec::new(),
        ArgumentSteps::Written => finder.written(&text, name.end, end),
        ArgumentSteps::Completed => finder.completed(&text, name.end, end),
        _ => {
            let parameters = Parameters { tool: call.name.as_deref().unwrap_or_default(), members: &members, places };
            finder.parts(&text, &parameters, name.end, end)
        }
    };
    let name_at = finder.after(&sends.name, name.end).map_or(end, |at| at + sends.ahead);
    let mut out = CallSteps { name: name_at, steps, text };
    let mut latest = name_at;
    for step in &mut out.steps {
        latest = latest.max(step.at);
        step.at = latest;
    }
    if out.steps.last().is_none_or(|step| step.length < out.text.len()) {
        out.steps.push(Step { length: out.text.len(), at: latest.max(end) });
    }
    out
}

/// The text in which arguments are sent.
fn arguments_text(arguments: &DeliveredArguments, sends: &Sends, message: &str, from: usize) -> String {
    match arguments {
        DeliveredArguments::Text(text) => text.clone(),
        DeliveredArguments::Value(value) => value.dumps(),
        DeliveredArguments::Object(members) => {
            let written = || written_object(message, members, from);
            let own = (sends.arguments == ArgumentSteps::Written).then(written).flatten();
            own.map_or_else(|| PlainValue::Object(members.clone()).dumps(), str::to_owned)
        }
    }
}

/// The bytes of an object in the message, from brace to brace; `None` if they are not JSON there.
fn written_object<'a>(message: &'a str, members: &[Member], from: usize) -> Option<&'a str> {
    let start = match members.first().map(|member| member.key_place.span()) {
        Some(key) => message[..key?.start].rfind('{')?,
        None => from + message.get(from..)?.find('{')?,
    };
    let last = match members.last().map(|member| member.value.place.span()) {
        Some(value) => value?.end,
        None => start + 1,
    };
    let end = last + message.get(last..)?.find('}')? + 1;
    let text = &message[start..end];
    flavour::read_all(SourceText::whole(text), Flavour::Strict).ok().map(|_| text)
}

/// The members of arguments; of a text that is the beginning of an object, the members that it has.
fn members(arguments: &DeliveredArguments) -> Vec<Member> {
    let text = match arguments {
        DeliveredArguments::Object(members) => return members.clone(),
        DeliveredArguments::Value(_) => return Vec::new(),
        DeliveredArguments::Text(text) => text,
    };
    let read = completed(text).and_then(|text| flavour::read_all(SourceText::whole(&text), Flavour::Strict).ok());
    let Some(PlainValue::Object(mut members)) = read.map(|read| read.value) else { return Vec::new() };
    // Their places are in the text, not in the message.
    for member in &mut members {
        member.key_place = SourcePlace::default();
        member.value.place = SourcePlace::default();
    }
    members
}

/// The parameters of a call.
struct Parameters<'a> {
    tool: &'a str,
    members: &'a [Member],
    places: Vec<MemberPlace>,
}

/// A key and its value in the message.
#[derive(Clone, Copy, Debug)]
struct MemberPlace {
    key: Span,
    value: Span,
    /// Offset after the mark before the value.
    open: usize,
    /// Offset after the mark after the value.
    close: usize,
}

/// Finds the parts of a call in a message.
pub(super) struct CallFinder<'a> {
    pub(super) message: &'a str,
    pub(super) sends: &'a Sends,
    pub(super) request: &'a ToolRequest,
    /// The offset at which the next call begins, or the length of the message.
    pub(super) limit: usize,
    /// The ends of the pieces.
    pub(super) ends: &'a [usize],
}

impl CallFinder<'_> {
    /// The offset after the first mark at or after `from`.
    fn after(&self, marks: &[String], from: usize) -> Option<usize> {
        let rest = self.message.get(from..self.limit.max(from))?;
        let found = marks.iter().filter_map(|mark| Some((rest.find(mark.as_str())?, mark.len())));
        found.min_by_key(|(at, length)| (*at, usize::MAX - length)).map(|(at, length)| from + at + length)
    }

    /// The offset at which a call is over.
    fn end(&self, call: &DeliveredCall, last: usize) -> usize {
        if self.sends.end.is_empty() {
            return call.span.end + self.sends.end_ahead;
        }
        // A parser may wait for the end of a block of calls.
        let whole = CallFinder { limit: self.message.len(), ..*self };
        whole.after(&self.sends.end, last).map_or(AT_END, |at| at + self.sends.end_ahead)
    }

    /// The places of members; one that is not located is searched for.
    fn places(&self, members: &[Member], from: usize) -> Vec<MemberPlace> {
        let mut at = from;
        let find = |text: &str, from: usize| {
            let start = self.message.get(from..).and_then(|rest| rest.find(text)).map(|start| from + start);
            start.map(|start| Span::new(start, start + text.len()))
        };
        let mut out = Vec::new();
        for member in members {
            let key = member.key_place.span().or_else(|| find(&member.key, at)).unwrap_or(Span::at(at));
            let open = self.after(&self.sends.open, key.end).unwrap_or(AT_END);
            let from = if open == AT_END { key.end } else { open };
            let written = match &member.value.value {
                PlainValue::Text(text) => text.clone(),
                other => other.dumps(),
            };
            let found = || find(&written, from).map(|span| self.with_quote(span));
            let value = member.value.place.span().or_else(found).unwrap_or(Span::at(from));
            let close = self.after(&self.sends.close, value.end).unwrap_or(AT_END);
            at = value.end;
            out.push(MemberPlace { key, value, open, close });
        }
        out
    }

    /// The steps of arguments that are passed on as they arrive.
    fn written(&self, text: &str, from: usize, end: usize) -> Vec<Step> {
        let found = self.message.get(from..).and_then(|rest| rest.find(text)).filter(|_| !text.is_empty());
        let Some(start) = found.map(|at| from + at) else { return Vec::new() };
        let mut steps: Vec<Step> = Vec::new();
        let mut held = 0;
        for (at, c) in text.char_indices() {
            let length = at + c.len_utf8();
            if self.sends.space == HeldSpace::Held && c.is_whitespace() {
                held += 1;
                continue;
            }
            let is_last = length == text.len() && c == '}' && !self.sends.end.is_empty();
            steps.push(Step { length, at: if is_last { end } else { start + length } });
            held = 0;
        }
        if held > 0 {
            steps.push(Step { length: text.len(), at: AT_END });
        }
        steps
    }

    /// The steps of SGLang's base detector.
    fn completed(&self, text: &str, from: usize, end: usize) -> Vec<Step> {
        let Some(start) = self.message.get(from..).and_then(|rest| rest.find('{')).map(|at| from + at) else {
            return Vec::new();
        };
        let (mut before, mut sent, mut steps) = (None::<String>, 0, Vec::new());
        for &arrived in self.ends.iter().filter(|end| **end > start) {
            if arrived >= end {
                break;
            }
            let now = completed(self.message[start..arrived].trim_end());
            let now = now.and_then(|now| flavour::read_all(SourceText::whole(&now), Flavour::Python).ok());
            let Some(now) = now.map(|now| now.value) else { continue };
            let is_empty = now.is_falsy();
            let now = now.dumps();
            if let Some(before) = before.as_ref().filter(|before| **before != now) {
                let common = common_prefix(before, &now).min(text.len());
                if common > sent && text.is_char_boundary(common) {
                    sent = common;
                    steps.push(Step { length: common, at: arrived });
                }
            }
            before = (!is_empty).then_some(now);
        }
        // Arguments that are not JSON never count as complete.
        if flavour::read(SourceText::whole(&self.message[start..]), Flavour::Strict).is_err() {
            steps.push(Step { length: text.len(), at: AT_END });
        }
        steps
    }

    /// The steps of arguments that are put together from the parameters of a call.
    fn parts(&self, text: &str, parameters: &Parameters<'_>, from: usize, end: usize) -> Vec<Step> {
        let Parameters { tool, members, ref places } = *parameters;
        let kind = self.sends.arguments;
        let name_at = self.after(&self.sends.name, from).map_or(end, |at| at + self.sends.ahead);
        let mut out = Layout { text, steps: Vec::new(), length: 0 };
        let keys = self.key_offsets(members, places, end);
        for (number, (member, place)) in members.iter().zip(places).enumerate() {
            let (key_at, next) = (keys[number], keys.get(number + 1).copied().unwrap_or(end));
            let value = &member.value.value;
            let span = self.inside_quotes(place.value);
            let brace_at = if kind == ArgumentSteps::Marks { name_at } else { key_at };
            let brace_at = self.after(&self.sends.brace, from).unwrap_or(brace_at);
            let keyed = self.after(&self.sends.keyed, place.key.end).filter(|_| kind == ArgumentSteps::Marks);
            let keyed = keyed.unwrap_or(key_at);
            out.add(if number == 0 { "{" } else { ", " }, if number == 0 { brace_at } else { key_at });
            out.add(&PlainValue::Text(member.key.clone()).dumps(), keyed);
            out.add(":", keyed);
            out.add(" ", if kind == ArgumentSteps::Members { keyed + 1 } else { keyed });
            let value_end = match kind {
                ArgumentSteps::Values | ArgumentSteps::Members | ArgumentSteps::Python => next,
                _ => place.close,
            };
            let is_number = matches!(value, PlainValue::Int(_) | PlainValue::Float(_));
            let is_text = matches!(value, PlainValue::Text(_));
            match value {
                PlainValue::Text(text) if self.passes_on(text, place.value, (tool, &member.key)) => {
                    let opening = match kind {
                        ArgumentSteps::Marks => span.start + 1,
                        ArgumentSteps::Members | ArgumentSteps::Python => span.start,
                        _ => place.open,
                    };
                    out.add("\"", opening);
                    for (at, c) in text.char_indices() {
                        let quoted = PlainValue::Text(c.to_string()).dumps();
                        let is_at_mark = kind == ArgumentSteps::Values && !self.sends.close.is_empty();
                        let arrived = if is_at_mark { place.close } else { span.start + at + c.len_utf8() };
                        out.add(&quoted[1..quoted.len() - 1], arrived);
                    }
                    out.add("\"", value_end);
                }
                _ if kind == ArgumentSteps::Marks && !is_number && !is_text => {
                    out.add(&value.dumps(), place.value.end);
                }
                _ => out.add(&value.dumps(), value_end),
            }
        }
        if members.is_empty() {
            let brace_at = if kind == ArgumentSteps::Marks { name_at } else { end };
            out.add("{", self.after(&self.sends.brace, from).unwrap_or(brace_at));
        }
        out.add("}", end);
        out.steps
    }

    /// The offsets at which the keys are sent.
    fn key_offsets(&self, members: &[Member], places: &[MemberPlace], end: usize) -> Vec<usize> {
        let mut next = end;
        let offset = |(member, place): (&Member, &MemberPlace)| {
            let is_text = matches!(member.value.value, PlainValue::Text(_));
            match self.sends.arguments {
                ArgumentSteps::Values if !is_text && !self.sends.typed.is_empty() => {
                    self.after(&self.sends.typed, place.value.end).unwrap_or(end)
                }
                ArgumentSteps::Values | ArgumentSteps::Members => place.open,
                ArgumentSteps::Strings if is_text => place.open,
                ArgumentSteps::Marks => place.key.start,
                ArgumentSteps::Python => {
                    next = if is_text { self.inside_quotes(place.value).start } else { next };
                    next
                }
                _ => place.close,
            }
        };
        let mut offsets: Vec<usize> = members.iter().zip(places).rev().map(offset).collect();
        offsets.reverse();
        offsets
    }

    /// True if a string is sent as it arrives: its bytes in the message are its text.
    fn passes_on(&self, text: &str, place: Span, (tool, key): (&str, &str)) -> bool {
        let span = self.inside_quotes(place);
        match self.sends.arguments {
            // Without a schema, the type of a value is known at its end.
            ArgumentSteps::Values | ArgumentSteps::Strings | ArgumentSteps::Marks
                if self.request.is_string(tool, key) => {}
            ArgumentSteps::Members | ArgumentSteps::Python if span != place => {}
            _ => return false,
        }
        self.message.get(span.start..span.end) == Some(text)
    }

    /// The span of a string with the quote before it.
    fn with_quote(&self, span: Span) -> Span {
        let has_quote = self.message[..span.start].ends_with(['"', '\'']);
        let is_quoted = matches!(self.sends.arguments, ArgumentSteps::Members | ArgumentSteps::Python);
        Span::new(span.start - usize::from(has_quote && is_quoted), span.end)
    }

    /// The bytes of a string without its quotes, or without the marks around it; if it is cut off, there is no closing one.
    fn inside_quotes(&self, span: Span) -> Span {
        let text = self.message.get(span.start..span.end).unwrap_or_default();
        let is_quoted = matches!(self.sends.arguments, ArgumentSteps::Members | ArgumentSteps::Python);
        let quotes: &[&str] = if is_quoted { &["\"", "'"] } else { &[] };
        let quotes = self.sends.open.iter().map(String::as_str).chain(quotes.iter().copied());
        let Some(quote) = quotes.into_iter().find(|quote| text.starts_with(*quote)) else { return span };
        let inner = &text[quote.len()..];
        let inner = inner.strip_suffix(quote).unwrap_or(inner);
        Span::new(span.start + quote.len(), span.start + quote.len() + inner.len())
    }
}

/// The steps of a text that is put together from parts.
struct Layout<'a> {
    text: &'a str,
    steps: Vec<Step>,
    length: usize,
}

impl Layout<'_> {
    /// Adds a part; ignored where the text continues otherwise.
    fn add(&mut self, part: &str, at: usize) {
        if self.text.get(self.length..).is_some_and(|rest| rest.starts_with(part)) {
            self.length += part.len();
            self.steps.push(Step { length: self.length, at });
        }
    }
}

/// Length in bytes of the common beginning of two texts.
fn common_prefix(one: &str, other: &str) -> usize {
    one.chars().zip(other.chars()).take_while(|(a, b)| a == b).map(|(c, _)| c.len_utf8()).sum()
}
