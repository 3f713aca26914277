//! Reads a message as the parser of a runtime does: delivered calls are calls, and problems say why others are not.
//!
//! A message is read when it has ended, since a parser may turn all of it into text. Bytes outside delivered calls are
//! prose, even if the runtime drops them, so that nothing is hidden.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use super::Scanner;
use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::{
    CallContent, CallEnd, CallParts, Closer, Dialect, DialectInfo, Expected, Header, MarkdownContext, Opening, Options,
    ParseEvent, Probe, ProbePoint, Status, Triggers, Word, make, named,
};
use crate::runtime::catalog::{self, ParserRelease};
use crate::runtime::places::Places;
use crate::runtime::{self, DeliveredArguments, DeliveredCall, RuntimeName, RuntimeReading, ToolRequest};
use crate::text::{Span, Text, in_place};
use crate::value::place::SourcePlace;
use crate::value::plain::{Placed, PlainValue};
use crate::value::pointer::MAX_DEPTH;
use crate::value::{Assembly, Node, NodeId, ParamTree, ROOT, Scalar, Value};

/// A message in which calls were delivered, from which their arguments can be read again.
#[derive(Clone, Copy)]
struct Message {
    span: Span,
    parser: ParserRelease,
}

/// The arguments delivered in the message whose calls were dissected last, by the offset at which each call begins.
///
/// Only a cache: a copy of the reader begins with an empty one.
#[derive(Default)]
struct LastMessage(Mutex<Option<(Span, HashMap<usize, DeliveredArguments>)>>);

impl Clone for LastMessage {
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// Reads messages as one runtime does.
#[derive(Clone)]
pub(crate) struct RuntimeReader {
    name: RuntimeName,
    /// Names of the requested dialects; if empty, the dialects found in each message.
    only: Vec<&'static str>,
    request: ToolRequest,
    /// Finds the dialects in which a message is written.
    usual: Box<Scanner>,
    /// Messages with calls, in the order of the text.
    messages: Vec<Message>,
    last: LastMessage,
}

impl RuntimeReader {
    /// A reader for these options with its dialects; `None` if they do not name a runtime.
    pub(crate) fn new(options: &Options) -> Option<(Self, Vec<Box<dyn Dialect>>)> {
        let name = options.runtime.clone()?;
        let usual = Options { runtime: None, ..options.clone() };
        let dialect = |name| Box::new(AsRuntime { name, options: usual.clone() }) as Box<dyn Dialect>;
        let dialects = catalog::dialects().map(dialect).collect();
        let request =
            usual.schemas.as_ref().map(|schemas| ToolRequest::with(schemas.tools().clone())).unwrap_or_default();
        let only = usual.only.iter().map(|dialect| dialect.name).collect();
        let usual = Box::new(Scanner::from_options(&usual));
        Some((Self { name, only, request, usual, messages: Vec::new(), last: LastMessage::default() }, dialects))
    }

    /// Begins another message, independent of the previous one.
    pub(crate) fn begin_message(&mut self) {
        self.usual.begin_message();
    }

    /// Reads the message that begins at `from` and ends with the text, and appends its events.
    pub(crate) fn read(&mut self, text: &Text, from: usize, out: &mut Vec<ParseEvent>) {
        let whole = Span::new(from, text.len());
        let message = in_place(&text.read(whole));
        let Some(parser) = self.parser(text, from, &message) else {
            out.push(ParseEvent::Text(whole));
            return;
        };
        let Some(about) = named(&parser.profile.dialect) else { return };
        let reading = runtime::read(parser.profile, &message, &self.request);
        let mut events: Vec<(usize, ParseEvent)> = Vec::new();
        let mut spans: Vec<Span> = Vec::new();
        for (places, call) in calls(&reading, from) {
            spans.push(open(about, &places, call, &mut events));
        }
        if !spans.is_empty() {
            self.messages.push(Message { span: whole, parser });
        }
        let parser = parser.name();
        let mut at = from;
        for span in &spans {
            if at < span.start {
                events.push((at, ParseEvent::Text(Span::new(at, span.start))));
            }
            at = at.max(span.end);
        }
        if at < whole.end {
            events.push((at, ParseEvent::Text(Span::new(at, whole.end))));
        }
        for reason in &reading.reasons {
            let span = Span::new(from + reason.span.start, from + reason.span.end);
            let of_call = spans.iter().any(|call| call.contains(span.start));
            let code = reason.code;
            let message = format!("{parser}: {}", code.info().title);
            let diagnostic = Box::new(Diagnostic::new(code, span, message));
            // A problem of a call follows the event that opens it.
            events.push((span.start, ParseEvent::Problem { diagnostic, of_call }));
        }
        let is_said = reading.reasons.iter().any(|reason| is_of_error(reason.code));
        if let Some(error) = reading.outcome.error.as_ref().filter(|_| !is_said) {
            let message = format!("{parser} delivers no message: {error}");
            events.push((from, ParseEvent::of_prose(Diagnostic::new(Code::ParserRaises, whole, message))));
        }
        events.sort_by_key(|(at, event)| (*at, matches!(event, ParseEvent::Problem { .. })));
        out.extend(events.into_iter().map(|(_, event)| event));
    }

    /// The delivered arguments of a call, as a tree; an empty tree if no call begins at that offset.
    ///
    /// Reads the call's message again, unless it is the one whose calls were dissected last.
    pub(crate) fn dissect(&self, text: &Text, parts: CallParts<'_>) -> Assembly {
        let following = self.messages.partition_point(|message| message.span.start <= parts.start);
        let message = following.checked_sub(1).map(|number| self.messages[number]);
        let Some(Message { span, parser }) = message.filter(|message| message.span.contains(parts.start)) else {
            return Assembly::default();
        };
        let mut last = self.last.0.lock().unwrap_or_else(PoisonError::into_inner);
        if last.as_ref().is_none_or(|(of, _)| *of != span) {
            let reading = runtime::read(parser.profile, &in_place(&text.read(span)), &self.request);
            let moved = |place: Span| Span::new(place.start + span.start, place.end + span.start);
            let arguments = calls(&reading, span.start).into_iter().map(|(places, call)| {
                let mut arguments = call.arguments.clone();
                arguments.relocate(&moved);
                (places.call.start, arguments)
            });
            *last = Some((span, arguments.collect()));
        }
        let arguments = last.as_ref().and_then(|(_, arguments)| arguments.get(&parts.start));
        arguments.map(|arguments| assemble(arguments, text, parts.body)).unwrap_or_default()
    }

    /// The parser for a message: of the requested dialect, of the first dialect with a call in the message, or the first
    /// one that delivers a call.
    fn parser(&mut self, text: &Text, from: usize, message: &str) -> Option<ParserRelease> {
        let name = std::slice::from_ref(&self.name);
        let of = |dialects: &[&'static str]| dialects.iter().find_map(|dialect| catalog::named(dialect, name).next());
        if !self.only.is_empty() {
            return of(&self.only);
        }
        let mut events = Vec::new();
        self.usual.begin_text(from);
        while self.usual.advance(text, true, &mut events) {}
        let mut found: Vec<&'static str> = Vec::new();
        for event in &events {
            if let ParseEvent::Open(opening) = event
                && !found.contains(&opening.dialect.name)
            {
                found.push(opening.dialect.name);
            }
        }
        let wanted = || catalog::dialects().flat_map(|dialect| catalog::named(dialect, name));
        let delivers =
            |parser: &ParserRelease| !runtime::read(parser.profile, message, &self.request).outcome.calls.is_empty();
        of(&found).or_else(|| wanted().find(delivers)).or_else(|| wanted().next())
    }
}

/// The calls of a message that begins at `from`, with their places in the text.
fn calls(reading: &RuntimeReading, from: usize) -> Vec<(Places, &DeliveredCall)> {
    let mut calls = reading.calls_with_places();
    for (Places { call, name, id, .. }, _) in &mut calls {
        for place in [call, name, id] {
            *place = Span::new(place.start + from, place.end + from);
        }
    }
    calls
}

/// Adds the events of a delivered call, and returns its bytes.
fn open(
    about: &'static DialectInfo,
    places: &Places,
    delivered: &DeliveredCall,
    events: &mut Vec<(usize, ParseEvent)>,
) -> Span {
    let Places { call, name, id, .. } = *places;
    let id = delivered.id.as_deref().map(|words| Word::decoded(id, words));
    let word = Word::decoded(name, delivered.name.as_deref().unwrap_or_default());
    let marker = Span::new(call.start, name.start.max(call.start));
    let header = Header { name: word, id, dependencies: Vec::new() };
    let body = name.end.max(call.start).min(call.end);
    let opening = Opening { dialect: about, marker, header, body, is_seen: true };
    let closing = CallEnd { body_end: call.end, end: call.end, status: Status::Complete };
    events.push((call.start, ParseEvent::open(opening)));
    events.push((call.start, ParseEvent::Close(closing)));
    call
}

/// True for a reason for an error in place of a message.
fn is_of_error(code: Code) -> bool {
    matches!(code, Code::MessageRejected | Code::UnknownToolRejected | Code::ParserRaises)
}

/// A dialect whose calls are read as a runtime reads them.
#[derive(Clone)]
struct AsRuntime {
    name: &'static str,
    options: Options,
}

impl AsRuntime {
    fn usual(&self) -> Option<Box<dyn Dialect>> {
        make(self.info(), &self.options)
    }
}

impl Dialect for AsRuntime {
    fn info(&self) -> &'static DialectInfo {
        named(self.name).expect("a dialect with profiles is declared")
    }

    fn name(&self) -> &'static str {
        self.name
    }

    fn triggers(&self) -> Triggers {
        Triggers::default()
    }

    fn begin_message(&mut self) {}

    fn probe(&mut self, _place: ProbePoint<'_>, _out: &mut Vec<ParseEvent>) -> Probe {
        Probe::Nothing
    }

    fn expected(&self, _ahead: &[u8]) -> Option<Expected> {
        None
    }

    fn prose_line(&mut self, _line: &[u8], _at: usize, _markdown: &MarkdownContext, _out: &mut Vec<ParseEvent>) {}

    /// Empty: only [`RuntimeReader::dissect`] knows the message of a call.
    fn dissect(&self, _text: &Text, _parts: CallParts<'_>) -> Assembly {
        Assembly::default()
    }

    fn write(&self, call: &CallContent<'_>) -> String {
        self.usual().map_or_else(String::new, |usual| usual.write(call))
    }

    fn closer(&self, marker: &str) -> Closer {
        self.usual().map_or(Closer::Json(None), |usual| usual.closer(marker))
    }
}

/// The delivered arguments of the call with this body, as a tree.
fn assemble(arguments: &DeliveredArguments, text: &Text, body: Span) -> Assembly {
    let mut tree = ParamTree::default();
    match arguments {
        DeliveredArguments::Text(_) | DeliveredArguments::Value(_) => {
            let mut root = Node::new("", Value::Scalar(Scalar::String, body), body);
            let words = match arguments {
                DeliveredArguments::Text(words) => words.clone(),
                other => other.to_json().to_string(),
            };
            root.decoded = Some(words.into());
            *tree.node_mut(ROOT) = root;
            return Assembly { tree, ..Assembly::default() };
        }
        DeliveredArguments::Object(members) => {
            tree.node_mut(ROOT).place = body;
            for member in members {
                let key_place = content_of(text, &member.key, &member.key_place, body.start);
                add(&mut tree, ROOT, &member.key, key_place, &member.value, text, 1);
            }
        }
    }
    tree.branch(ROOT, &[])
}

/// Adds a value to the tree; values nested deeper than [`MAX_DEPTH`] are omitted.
fn add(tree: &mut ParamTree, parent: NodeId, key: &str, key_place: Span, placed: &Placed, text: &Text, depth: usize) {
    if depth > MAX_DEPTH {
        return;
    }
    let all = placed.place.span().unwrap_or(Span::at(key_place.end));
    let node = |value| Node { key_place, ..Node::new(key, value, all.cover(key_place)) };
    let mut branch = |value| tree.add(parent, node(value));
    match &placed.value {
        PlainValue::Object(members) => {
            let id = branch(Value::Object(Vec::new()));
            for member in members {
                let key_place = content_of(text, &member.key, &member.key_place, all.start);
                add(tree, id, &member.key, key_place, &member.value, text, depth + 1);
            }
        }
        PlainValue::List(items) => {
            let id = branch(Value::Array(Vec::new()));
            for (number, item) in items.iter().enumerate() {
                let at = Span::at(item.place.span().unwrap_or(all).start);
                add(tree, id, &number.to_string(), at, item, text, depth + 1);
            }
        }
        PlainValue::Text(words) => {
            let content = content_of(text, words, &placed.place, key_place.end);
            let mut node = node(Value::Scalar(Scalar::String, content));
            node.decoded = (text.read_str(content) != words.as_str()).then(|| words.as_str().into());
            tree.add(parent, node);
        }
        plain => {
            let scalar = match plain {
                PlainValue::Bool(boolean) => Scalar::Boolean(*boolean),
                PlainValue::Int(digits) => digits.parse().map_or(Scalar::Null, Scalar::Number),
                PlainValue::Float(number) => Scalar::Number(*number),
                _ => Scalar::Null,
            };
            let mut node = node(Value::Scalar(scalar, all));
            let words = plain.dumps();
            node.decoded = (text.read_str(all) != words.as_str()).then(|| words.into());
            tree.add(parent, node);
        }
    }
}

/// The span of a text without the quotes of its token; the empty span at `otherwise` if it has no bytes in the message.
fn content_of(text: &Text, words: &str, place: &SourcePlace, otherwise: usize) -> Span {
    let Some(all) = place.span() else { return Span::at(otherwise) };
    let token = text.read_str(all);
    if *token == *words {
        return all;
    }
    let quoted = |quote: &str| token.len() >= 2 * quote.len() && token.starts_with(quote) && token.ends_with(quote);
    match ["\"", "'", "<|\"|>"].into_iter().find(|quote| quoted(quote)) {
        Some(quote) => Span::new(all.start + quote.len(), all.end - quote.len()),
        None => all,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_dialect_of_which_there_are_profiles_is_declared() {
        let missing: Vec<&str> = catalog::dialects().filter(|name| named(name).is_none()).collect();
        assert!(missing.is_empty(), "{missing:?}");
    }
}
