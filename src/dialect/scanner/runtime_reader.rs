//! A message read as the parser of a runtime reads it: what it delivers are calls, what it does not is said.
//!
//! The whole message is read when it has ended, since a parser may make text of all of it. Bytes that are no call are
//! prose, whatever becomes of them, so that nothing is hidden.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use serde_json::Value as Json;

use super::Scanner;
use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::{
    CallContent, CallParts, Closer, Closing, Dialect, DialectInfo, Expected, Header, MarkdownContext, Opening, Options,
    ParseEvent, Probe, ProbePoint, Status, Triggers, Word, make, named,
};
use crate::params::{Assembly, Node, ParamTree, ROOT, Scalar, Value, json};
use crate::runtime::catalog::{self, ParserRelease};
use crate::runtime::places::{Places, places};
use crate::runtime::{self, PartKind, RuntimeName, ToolRequest};
use crate::text::{Span, Text, in_place};

/// What was delivered, by the offset at which each call begins.
type Delivered = Arc<RwLock<HashMap<usize, Made>>>;

/// A call as it was delivered.
#[derive(Clone, Debug)]
struct Made {
    arguments: Json,
    places: Places,
}

/// Reads messages as a runtime does.
#[derive(Clone)]
pub struct RuntimeReader {
    name: RuntimeName,
    /// The dialects that were asked for; none means those that a message is written in.
    only: Vec<&'static str>,
    request: ToolRequest,
    /// Finds out which dialect a message is written in.
    usual: Box<Scanner>,
    delivered: Delivered,
}

impl RuntimeReader {
    /// A reader for these options and its dialects, or nothing where they name no runtime.
    pub fn new(options: &Options) -> Option<(Self, Vec<Box<dyn Dialect>>)> {
        let name = options.runtime.clone()?;
        let usual = Options { runtime: None, ..options.clone() };
        let delivered = Delivered::default();
        let dialects = catalog::dialects().map(|name| {
            let delivered = Arc::clone(&delivered);
            Box::new(AsRuntime { name, options: usual.clone(), delivered }) as Box<dyn Dialect>
        });
        let dialects = dialects.collect();
        let request =
            usual.schemas.as_ref().and_then(|tools| ToolRequest::from_file(tools.file()).ok()).unwrap_or_default();
        let only = usual.only.iter().map(|dialect| dialect.name).collect();
        let usual = Box::new(Scanner::from_options(&usual));
        Some((Self { name, only, request, usual, delivered }, dialects))
    }

    /// Another message begins, in which nothing of the one before counts.
    pub fn begin_message(&mut self) {
        self.usual.begin_message();
    }

    /// Reads the text from `from` on, which is a message, and gives its events.
    pub fn read(&mut self, text: &Text, from: usize, out: &mut Vec<ParseEvent>) {
        let whole = Span::new(from, text.len());
        let message = in_place(&text.read(whole));
        let Some(ParserRelease { profile, .. }) = self.parser(text, from, &message) else {
            out.push(ParseEvent::Text(whole));
            return;
        };
        let Some(about) = named(&profile.dialect) else { return };
        let reading = runtime::read(profile, &message, &self.request);
        let mut events: Vec<(usize, ParseEvent)> = Vec::new();
        let mut calls = reading.outcome.calls.iter();
        let mut spans: Vec<Span> = Vec::new();
        for part in &reading.parts {
            let PartKind::Calls(count) = part.kind else { continue };
            for (place, call) in places(&message, part.span, calls.by_ref().take(count)) {
                let moved = place.moved(from);
                self.open(about, &moved, call, &mut events);
                spans.push(moved.call);
            }
        }
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
            let message = format!("{}:{}: {}", profile.runtime, profile.parsers[0], code.info().title);
            let diagnostic = Box::new(Diagnostic::new(code, span, message));
            // A problem of a call follows the event that opens it.
            events.push((span.start, ParseEvent::Problem { diagnostic, of_call }));
        }
        let is_said = reading.reasons.iter().any(|reason| is_of_error(reason.code));
        if let Some(error) = reading.outcome.error.as_ref().filter(|_| !is_said) {
            let message = format!("{}:{} delivers no message: {error}", profile.runtime, profile.parsers[0]);
            events.push((from, ParseEvent::of_prose(Diagnostic::new(Code::ParserRaises, whole, message))));
        }
        events.sort_by_key(|(at, event)| (*at, matches!(event, ParseEvent::Problem { .. })));
        out.extend(events.into_iter().map(|(_, event)| event));
    }

    fn open(
        &self,
        about: &'static DialectInfo,
        place: &Places,
        call: &runtime::DeliveredCall,
        events: &mut Vec<(usize, ParseEvent)>,
    ) {
        let name = Word::decoded(place.name, call.name.as_deref().unwrap_or_default());
        let id = call.id.as_deref().map(|id| Word::decoded(Span::at(place.call.start), id));
        let marker = Span::new(place.call.start, place.name.start);
        let header = Header { name, id, dependencies: Vec::new() };
        let body = place.name.end.max(place.call.start).min(place.call.end);
        let opening = Opening { dialect: about, marker, header, body, is_seen: true };
        let end = place.call.end;
        let closing = Closing { body_end: end, end, status: Status::Complete };
        events.push((place.call.start, ParseEvent::open(opening)));
        events.push((place.call.start, ParseEvent::Close(closing)));
        let made = Made { arguments: call.arguments.clone(), places: place.clone() };
        self.delivered.write().unwrap_or_else(PoisonError::into_inner).insert(place.call.start, made);
    }

    /// The parser that reads a message: the requested dialect's, or else one of a dialect in which it has calls, or else the
    /// first that delivers one.
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

/// Whether a reason says that an error takes the place of the message.
fn is_of_error(code: Code) -> bool {
    matches!(code, Code::MessageRejected | Code::UnknownToolRejected | Code::ParserRaises)
}

/// A dialect of which calls are delivered by a runtime.
#[derive(Clone)]
struct AsRuntime {
    name: &'static str,
    options: Options,
    delivered: Delivered,
}

impl AsRuntime {
    fn usual(&self) -> Option<Box<dyn Dialect>> {
        make(self.about(), &self.options)
    }
}

impl Dialect for AsRuntime {
    fn about(&self) -> &'static DialectInfo {
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

    fn dissect(&self, _text: &Text, parts: CallParts<'_>) -> Assembly {
        let delivered = self.delivered.read().unwrap_or_else(PoisonError::into_inner);
        delivered.get(&parts.start).map(|made| assemble(made, parts.body)).unwrap_or_default()
    }

    fn write(&self, call: &CallContent<'_>) -> String {
        self.usual().map_or_else(String::new, |usual| usual.write(call))
    }

    fn closer(&self, marker: &str) -> Closer {
        self.usual().map_or(Closer::Json(None), |usual| usual.closer(marker))
    }
}

/// The tree of what was delivered. Values of which it is not known where they stand have the place of the call's body.
fn assemble(made: &Made, body: Span) -> Assembly {
    let mut tree = ParamTree::default();
    let node = |key: &str, span| Node::new(key, Value::Scalar(Scalar::String, span), span);
    let Json::Object(members) = &made.arguments else {
        let words = made.arguments.as_str().unwrap_or_default();
        let mut root = node("", body);
        root.decoded = Some(words.into());
        *tree.node_mut(ROOT) = root;
        return Assembly { tree, ..Assembly::default() };
    };
    tree.node_mut(ROOT).place = body;
    for (key, value) in members {
        let place = made.places.values.iter().find(|(known, ..)| known == key);
        let mut child = node(key, place.map_or(body, |(_, _, value)| *value));
        if let Some((_, at, _)) = place {
            child.key_place = *at;
            child.place = child.place.cover(*at);
        }
        // What nests too deep for a tree is not shown.
        let _ = json::read_into(&mut tree, ROOT, child, &value.to_string());
    }
    tree.branch(ROOT, &[])
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
