//! An open call, and its events that are held back until it is known whether it yields.
//!
//! Events are never retracted, so events that may be after the place where the call yields are queued here. How that
//! place is found is up to `unclosed`.

use std::collections::VecDeque;

use super::super::{CallEnd, CallParser, CallParts, DialectInfo, ParseEvent, Status};
use super::lookahead::{FoundCall, Lookahead};
use crate::diagnostic::{Code, Diagnostic};
use crate::text::{Span, Text};
use crate::value::Findings;

/// An open call, or several that one parser reads as a block.
#[derive(Clone)]
pub(super) struct OpenCall {
    /// Number of its dialect.
    pub(super) number: usize,
    pub(super) parser: Box<dyn CallParser>,
    /// Offset of the end of the block, while it is undecided whether the call yields.
    pub(super) ended: Option<usize>,
    /// True if that decision needs more text.
    pub(super) waits: bool,
    /// True if the search for a nearby call, made before the end is known, has been tried.
    pub(super) was_tried: bool,
    /// Search for calls of other dialects in it.
    pub(super) lookahead: Lookahead,
    /// The call that was announced last.
    last: HeaderFacts,
    /// Events that may be after the place where the call yields.
    held: VecDeque<ParseEvent>,
}

/// Facts about a call from its events so far.
#[derive(Clone, Copy, Default)]
pub(super) struct HeaderFacts {
    pub(super) marker: Span,
    name: Span,
    pub(super) body: usize,
    /// True if it is the first call of its block.
    is_first: bool,
    /// Offset of its first argument.
    argument: Option<usize>,
    /// Its final status, and the offset of its end.
    closed: Option<(Status, usize)>,
}

/// Whether a call that has ended yields to another one.
pub(super) enum Ending {
    /// It does not yield.
    Whole,
    /// It was ended by something else than its own end marker, and yields to a call that begins before this offset.
    Doubtful(usize),
    /// It was ended by the end of the text.
    Cut,
}

/// A call that has yielded.
#[derive(Clone, Copy)]
pub(super) struct YieldedCall {
    about: &'static DialectInfo,
    marker: Span,
}

/// Problems found in a call while searching for its end, kept so that the call is not dissected twice; saves a third
/// of the time in callouts and fences.
#[derive(Clone)]
pub(super) struct JudgedCall {
    /// Number of its dialect.
    number: usize,
    /// Offset of its body, which distinguishes the calls of a block.
    body: usize,
    findings: Findings,
}

impl JudgedCall {
    /// The parser's findings about the call that has ended, if it has any.
    pub(super) fn by(parser: &mut dyn CallParser, number: usize, body: usize) -> Option<Self> {
        parser.take_findings().map(|findings| Self { number, body, findings })
    }

    /// The findings, if they are about this call.
    pub(super) fn findings(self, number: usize, parts: CallParts<'_>) -> Option<Findings> {
        (self.number == number && self.body == parts.body.start).then_some(self.findings)
    }
}

impl HeaderFacts {
    /// The call that these events announce.
    pub(super) fn of(opening: &[ParseEvent]) -> Self {
        let mut announced = Self::default();
        announced.note(opening);
        announced
    }

    /// Records events; returns true if they announce a call.
    fn note(&mut self, events: &[ParseEvent]) -> bool {
        let mut is_announced = false;
        for event in events {
            match event {
                ParseEvent::Open(opening) => {
                    is_announced = true;
                    *self = Self {
                        marker: opening.marker,
                        name: opening.header.name.span,
                        body: opening.body,
                        is_first: self.body == 0,
                        ..Self::default()
                    };
                }
                ParseEvent::Argument(at) => _ = self.argument.get_or_insert(*at),
                ParseEvent::Close(closing) => self.closed = Some((closing.status, closing.end)),
                ParseEvent::Text(_) | ParseEvent::Named(_) | ParseEvent::Problem { .. } => {}
            }
        }
        is_announced
    }
}

impl OpenCall {
    /// A call of the dialect with this number that has begun.
    pub(super) fn new(number: usize, parser: Box<dyn CallParser>, last: HeaderFacts) -> Self {
        let (held, lookahead) = (VecDeque::new(), Lookahead::default());
        Self { number, parser, ended: None, waits: false, was_tried: false, lookahead, last, held }
    }

    /// Records events of the parser; returns true if they announce a call.
    pub(super) fn note_events(&mut self, events: &[ParseEvent]) -> bool {
        self.last.note(events)
    }

    /// Fast path: skips a piece in which nothing begins or ends, neither of the call nor of a call that it may yield
    /// to.
    pub(super) fn skip_plain(&mut self, text: &Text) -> bool {
        self.ended.is_none() && !self.holds() && self.lookahead.skip_plain(text) && self.parser.skip_plain(text)
    }

    /// The marker of the call that was announced last.
    fn marker(&self) -> Span {
        self.last.marker
    }

    /// Offset of that call's body.
    pub(super) fn body(&self) -> usize {
        self.last.body
    }

    /// True if that call has not ended.
    pub(super) fn is_in_call(&self) -> bool {
        self.last.closed.is_none()
    }

    /// How that call ended; `next_ends` says that the start of the next call is a regular end in its dialect. Text
    /// before the first argument is not a value, so it may still contain a call.
    pub(super) fn ending(&self, next_ends: bool) -> Ending {
        match self.last.closed {
            Some((Status::Unterminated, _)) => Ending::Cut,
            Some((Status::Implicit, end)) if next_ends => Ending::Doubtful(self.last.argument.unwrap_or(end)),
            Some((Status::Implicit, end)) => Ending::Doubtful(end),
            Some((Status::Complete | Status::Open, _)) => self.parser.merged().map_or(Ending::Whole, Ending::Doubtful),
            None => Ending::Whole,
        }
    }

    /// The name in the marker of a call that has no argument before `at`, as if the marker were only a mention.
    pub(super) fn name_of_mention(&self, text: &Text, at: usize) -> Option<String> {
        let is_mention = self.last.is_first && self.last.argument.is_none_or(|argument| argument >= at);
        is_mention.then(|| text.read_str(self.last.name).into_owned())
    }

    /// Holds back the events of `out` starting at index `from`.
    pub(super) fn hold(&mut self, out: &mut Vec<ParseEvent>, from: usize) {
        if from < out.len() {
            self.held.extend(out.drain(from..));
        }
    }

    /// True if any event is held back.
    pub(super) fn holds(&self) -> bool {
        !self.held.is_empty()
    }

    /// Emits the events held back that are before the offset `end`.
    pub(super) fn emit_before(&mut self, end: usize, out: &mut Vec<ParseEvent>) {
        if !self.holds() {
            return;
        }
        let behind = self.held.iter().position(|event| place(event) >= end).unwrap_or(self.held.len());
        out.extend(self.held.drain(..behind));
    }

    /// Emits all events held back, followed by the events of `out` starting at index `from`.
    pub(super) fn give_all(&mut self, out: &mut Vec<ParseEvent>, from: usize) {
        if self.holds() {
            self.hold(out, from);
            out.extend(self.held.drain(..));
        }
    }

    /// Ends the call, which is of the dialect `about`, before the found call; drops the events after that place.
    pub(super) fn yield_to(
        mut self,
        about: &'static DialectInfo,
        found: &FoundCall,
        out: &mut Vec<ParseEvent>,
    ) -> YieldedCall {
        let opened = self.held.iter().rposition(|event| matches!(event, ParseEvent::Open(_))).unwrap_or(0);
        out.extend(self.held.drain(..opened));
        let is_kept = |event: &ParseEvent| !matches!(event, ParseEvent::Close(_)) && place(event) < found.at;
        out.extend(self.held.drain(..).filter(is_kept));
        let marker = self.marker();
        let message =
            format!("nothing ends this call: it yields to the call of the {} dialect below", found.about.name);
        let problem = Diagnostic::new(Code::ForeignMarkup, marker, message);
        out.push(ParseEvent::of_call(problem.related(Span::at(found.at), "this call is complete")));
        out.push(ParseEvent::Close(CallEnd { body_end: found.at, end: found.at, status: Status::Unterminated }));
        YieldedCall { about, marker }
    }
}

impl YieldedCall {
    /// The problem reported at `call`, the start marker of the call that it yielded to.
    pub(super) fn problem(self, call: Span) -> Diagnostic {
        let message =
            format!("the {} call above is unclosed: its runtime reads this as part of that call", self.about.name);
        Diagnostic::new(Code::ForeignMarkup, call, message).related(self.marker, "the call without an end")
    }
}

/// The offset used to order an event.
fn place(event: &ParseEvent) -> usize {
    match event {
        ParseEvent::Text(span) => span.start,
        ParseEvent::Open(opening) => opening.marker.start,
        ParseEvent::Argument(at) => *at,
        ParseEvent::Named(named) => named.name.iter().chain(&named.id).map(|word| word.span.end).max().unwrap_or(0),
        ParseEvent::Close(closing) => closing.end,
        ParseEvent::Problem { diagnostic, .. } => diagnostic.span.start,
    }
}
