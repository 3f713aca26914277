//! A call that is open: what was said of it, and what of that is held back until it is known whether it gives way.
//!
//! Nothing is ever taken back, so what may lie behind the place at which the call gives way waits here. This module does
//! not know how that place is found.

use std::collections::VecDeque;

use super::super::{CallParser, CallParts, Closing, DialectInfo, ParseEvent, Status};
use super::lookahead::{FoundCall, Lookahead};
use crate::diagnostic::{Code, Diagnostic};
use crate::text::{Span, Text};
use crate::value::Findings;

/// A call that is open, or several that one block reads.
#[derive(Clone)]
pub(super) struct OpenCall {
    /// The number of its dialect.
    pub(super) number: usize,
    pub(super) parser: Box<dyn CallParser>,
    /// Where the block has ended, while it is not known whether the call gives way.
    pub(super) ended: Option<usize>,
    /// Whether more must arrive to know that.
    pub(super) waits: bool,
    /// Whether it was looked for a call close behind it, before its end was known.
    pub(super) was_tried: bool,
    /// Who looks for calls of other dialects in it.
    pub(super) lookahead: Lookahead,
    /// The call that was announced last.
    last: Announced,
    /// What the block has said that may be behind the place at which the call gives way.
    held: VecDeque<ParseEvent>,
}

/// What has been said of a call.
#[derive(Clone, Copy, Default)]
pub(super) struct Announced {
    pub(super) marker: Span,
    name: Span,
    pub(super) body: usize,
    /// Whether the block has announced no call before it.
    is_first: bool,
    /// Where its first argument begins.
    argument: Option<usize>,
    /// How it has ended, and where.
    closed: Option<(Status, usize)>,
}

/// How it stands with the end of a call.
pub(super) enum Ending {
    /// It does not give way.
    Whole,
    /// Something else than its own end marker has ended it: it gives way to a call that begins in front of this offset.
    Doubtful(usize),
    /// The end of the text has.
    Cut,
}

/// A call that gave way.
#[derive(Clone, Copy)]
pub(super) struct GaveWay {
    about: &'static DialectInfo,
    marker: Span,
}

/// What was found wrong with a call on the way to its end, so that nobody need take it apart once more: a third of the
/// time in callouts and fences.
#[derive(Clone)]
pub(super) struct JudgedCall {
    /// The number of its dialect.
    number: usize,
    /// Offset of the first byte of its body: of two calls of a block only this differs.
    body: usize,
    findings: Findings,
}

impl JudgedCall {
    /// What a parser has found wrong with the call that has ended, if it looked.
    pub(super) fn by(parser: &mut dyn CallParser, number: usize, body: usize) -> Option<Self> {
        parser.take_findings().map(|findings| Self { number, body, findings })
    }

    /// What was found, where it is about this call.
    pub(super) fn findings(self, number: usize, parts: CallParts<'_>) -> Option<Findings> {
        (self.number == number && self.body == parts.body.start).then_some(self.findings)
    }
}

impl Announced {
    /// The call that these events have announced.
    pub(super) fn of(opening: &[ParseEvent]) -> Self {
        let mut announced = Self::default();
        announced.note(opening);
        announced
    }

    /// Takes note of what was said; whether a call was announced.
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
    /// A call of the dialect with this number, which has begun.
    pub(super) fn new(number: usize, parser: Box<dyn CallParser>, last: Announced) -> Self {
        let (held, lookahead) = (VecDeque::new(), Lookahead::default());
        Self { number, parser, ended: None, waits: false, was_tried: false, lookahead, last, held }
    }

    /// Takes note of what the parser has said; whether it has announced a call.
    pub(super) fn note_events(&mut self, events: &[ParseEvent]) -> bool {
        self.last.note(events)
    }

    /// Passes what has arrived, where nothing of the call begins or ends in it, nor anything that it may give way to.
    pub(super) fn pass(&mut self, text: &Text) -> bool {
        self.ended.is_none() && !self.holds() && self.lookahead.pass(text) && self.parser.pass(text)
    }

    /// The marker of the call that was announced last.
    fn marker(&self) -> Span {
        self.last.marker
    }

    /// Where the body of that call begins.
    pub(super) fn body(&self) -> usize {
        self.last.body
    }

    /// Whether that call has not ended.
    pub(super) fn is_in_call(&self) -> bool {
        self.last.closed.is_none()
    }

    /// Whether that call has ended as its runtime has it; `next_ends` says that the start of the next call is such an
    /// end. What stands in front of the first argument is no value, and may be a call all the same.
    pub(super) fn ending(&self, next_ends: bool) -> Ending {
        match self.last.closed {
            Some((Status::Unterminated, _)) => Ending::Cut,
            Some((Status::Implicit, end)) if next_ends => Ending::Doubtful(self.last.argument.unwrap_or(end)),
            Some((Status::Implicit, end)) => Ending::Doubtful(end),
            Some((Status::Complete | Status::Open, _)) => self.parser.merged().map_or(Ending::Whole, Ending::Doubtful),
            None => Ending::Whole,
        }
    }

    /// The name in the marker of a call that has not one argument in front of `at`, as where its marker is only mentioned.
    pub(super) fn name_of_mention(&self, text: &Text, at: usize) -> Option<String> {
        let is_mention = self.last.is_first && self.last.argument.is_none_or(|argument| argument >= at);
        is_mention.then(|| text.read_str(self.last.name).into_owned())
    }

    /// Keeps back what was said from `from` on.
    pub(super) fn hold(&mut self, out: &mut Vec<ParseEvent>, from: usize) {
        if from < out.len() {
            self.held.extend(out.drain(from..));
        }
    }

    /// Whether anything is kept back.
    pub(super) fn holds(&self) -> bool {
        !self.held.is_empty()
    }

    /// Gives what was kept back, as far as it lies in front of `end`.
    pub(super) fn give(&mut self, end: usize, out: &mut Vec<ParseEvent>) {
        if !self.holds() {
            return;
        }
        let behind = self.held.iter().position(|event| place(event) >= end).unwrap_or(self.held.len());
        out.extend(self.held.drain(..behind));
    }

    /// Gives what was kept back, and behind it what was said from `from` on.
    pub(super) fn give_all(&mut self, out: &mut Vec<ParseEvent>, from: usize) {
        if self.holds() {
            self.hold(out, from);
            out.extend(self.held.drain(..));
        }
    }

    /// Ends the call, which is of the dialect `about`, in front of what was found; what was said of what lies behind that
    /// is dropped.
    pub(super) fn give_way(
        mut self,
        about: &'static DialectInfo,
        found: &FoundCall,
        out: &mut Vec<ParseEvent>,
    ) -> GaveWay {
        let opened = self.held.iter().rposition(|event| matches!(event, ParseEvent::Open(_))).unwrap_or(0);
        out.extend(self.held.drain(..opened));
        let is_kept = |event: &ParseEvent| !matches!(event, ParseEvent::Close(_)) && place(event) < found.at;
        out.extend(self.held.drain(..).filter(is_kept));
        let marker = self.marker();
        let message =
            format!("nothing ends this call: it yields to the call of the {} dialect below", found.about.name);
        let problem = Diagnostic::new(Code::ForeignMarkup, marker, message);
        out.push(ParseEvent::of_call(problem.related(Span::at(found.at), "this call is complete")));
        out.push(ParseEvent::Close(Closing { body_end: found.at, end: found.at, status: Status::Unterminated }));
        GaveWay { about, marker }
    }
}

impl GaveWay {
    /// What is said at the start marker `call` of the one to which it gave way.
    pub(super) fn problem(self, call: Span) -> Diagnostic {
        let message = format!(
            "a call of the {} dialect above has no end: for its runtime, this is part of that call",
            self.about.name
        );
        Diagnostic::new(Code::ForeignMarkup, call, message).related(self.marker, "the call without an end")
    }
}

/// The offset that an event is about.
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
