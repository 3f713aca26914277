//! Calls that end without an end marker of their own: a marker that is only mentioned opens one, and would swallow all
//! calls of other dialects behind it.
//!
//! Where several dialects are read, such a call gives way: it ends in front of the first complete call of another
//! dialect that begins a line in it. Whether it does is known at its end, so that a call that ends properly is whole,
//! whatever its values hold. Meanwhile a second scanner, without the open call's dialect, goes over the same bytes and
//! finds that place; what the call says of what lies behind it is held back, as nothing is ever taken back.
//! This module does not know any syntax.

use std::collections::VecDeque;

use super::super::{CallParser, Closing, DialectInfo, MarkdownContext, ParseEvent, Status};
use super::Scanner;
use crate::diagnostic::{Code, Diagnostic};
use crate::text::{Span, Text};

/// How far behind the end of a call another one may reach that began in it, in bytes.
const REACH: usize = 16 * 1024;

/// How far behind a call that surely has no end another one may begin to be found at once, in bytes.
pub(super) const NEAR: usize = 16 * 1024;

/// Bytes in front of a marker that are looked at for the beginning of its line.
const MAX_INDENT: usize = 256;

/// Calls that may reach the end of a text in vain, whatever that costs; each has what follows it read again.
const FREE_TRIES: usize = 4;

/// Bytes that may be read in vain before no further call gives way.
const MAX_VAIN: usize = 8 * 1024 * 1024;

/// What was read in vain in a text.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Vain {
    tries: usize,
    bytes: usize,
}

impl Vain {
    /// Whether another call may give way.
    pub(super) fn allows_more(self) -> bool {
        self.tries < FREE_TRIES || self.bytes < MAX_VAIN
    }

    /// So many bytes are read again.
    pub(super) fn add(&mut self, bytes: usize) {
        self.tries += usize::from(bytes > 0);
        self.bytes = self.bytes.saturating_add(bytes);
    }
}

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
    pub(super) scout: Scout,
    /// The call that was announced last.
    last: Announced,
    /// What the block has said that may be behind the place at which the call gives way.
    held: VecDeque<ParseEvent>,
}

/// What has been said of a call.
#[derive(Clone, Copy, Default)]
struct Announced {
    marker: Span,
    name: Span,
    body: usize,
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

/// A complete call of another dialect that begins a line.
#[derive(Clone)]
pub(super) struct Found {
    /// The beginning of its line.
    pub(super) at: usize,
    /// Those of its line.
    pub(super) markdown: MarkdownContext,
    about: &'static DialectInfo,
}

/// A call that gave way.
#[derive(Clone, Copy)]
pub(super) struct GaveWay {
    about: &'static DialectInfo,
    marker: Span,
}

impl OpenCall {
    /// A call that has begun with these events.
    pub(super) fn new(number: usize, parser: Box<dyn CallParser>, opening: &[ParseEvent]) -> Self {
        let (last, held) = (Announced::default(), VecDeque::new());
        let scout = Scout::default();
        let mut open = Self { number, parser, ended: None, waits: false, was_tried: false, scout, last, held };
        open.hear(opening);
        open
    }

    /// Takes note of what the block has said; whether it has announced a call.
    pub(super) fn hear(&mut self, events: &[ParseEvent]) -> bool {
        let mut announced = false;
        for event in events {
            match event {
                ParseEvent::Open(opening) => {
                    announced = true;
                    self.last = Announced {
                        marker: opening.marker,
                        name: opening.header.name.span,
                        body: opening.body,
                        is_first: self.last.body == 0,
                        ..Announced::default()
                    };
                }
                ParseEvent::Argument(at) => _ = self.last.argument.get_or_insert(*at),
                ParseEvent::Close(closing) => self.last.closed = Some((closing.status, closing.end)),
                ParseEvent::Text(_) | ParseEvent::Named(_) | ParseEvent::Problem { .. } => {}
            }
        }
        announced
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
        self.held.extend(out.drain(from..));
    }

    /// Whether anything is kept back.
    pub(super) fn holds(&self) -> bool {
        !self.held.is_empty()
    }

    /// Gives what was kept back, as far as it lies in front of `end`.
    pub(super) fn give(&mut self, end: usize, out: &mut Vec<ParseEvent>) {
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
    pub(super) fn give_way(mut self, about: &'static DialectInfo, found: &Found, out: &mut Vec<ParseEvent>) -> GaveWay {
        let opened = self.held.iter().rposition(|event| matches!(event, ParseEvent::Open(_))).unwrap_or(0);
        out.extend(self.held.drain(..opened));
        let is_kept = |event: &ParseEvent| !matches!(event, ParseEvent::Close(_)) && place(event) < found.at;
        out.extend(self.held.drain(..).filter(is_kept));
        let marker = self.marker();
        let message =
            format!("nothing ends this call: it gives way to the call of the {} dialect below", found.about.name);
        let problem = Diagnostic::new(Code::ForeignMarkup, marker, message);
        out.push(ParseEvent::of_call(problem.related(Span::at(found.at), "this call is complete")));
        out.push(ParseEvent::Close(Closing { body_end: found.at, end: found.at, status: Status::Unterminated }));
        GaveWay { about, marker }
    }
}

impl GaveWay {
    /// What is said at the call to which it gave way.
    pub(super) fn problem(self, call: &OpenCall) -> Diagnostic {
        let message = format!(
            "a call of the {} dialect above has no end: for its runtime, this is part of that call",
            self.about.name
        );
        Diagnostic::new(Code::ForeignMarkup, call.marker(), message).related(self.marker, "the call without an end")
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

/// Looks for the first complete call of another dialect in an open call.
#[derive(Clone, Default)]
pub(super) struct Scout {
    /// Of all dialects but that of the open call.
    pub(super) scanner: Option<Box<Scanner>>,
    pub(super) found: Option<Found>,
    /// Where it began, and where no call is looked for.
    from: usize,
    limit: usize,
    undecided: usize,
    /// The first call of the block that the scanner is in: its dialect, and where it begins.
    candidate: Option<(&'static DialectInfo, usize)>,
    /// Room for what the scanner says.
    events: Vec<ParseEvent>,
}

impl Scout {
    /// Sends a scanner that stands at `from` and looks for calls in front of `limit`.
    pub(super) fn send(&mut self, scanner: Box<Scanner>, from: usize, limit: usize) {
        *self = Self { scanner: Some(scanner), from, limit, ..Self::default() };
    }

    /// Whether it is on its way.
    pub(super) fn is_sent(&self) -> bool {
        self.scanner.is_some()
    }

    /// Whether it has come to its end in a call that was not complete.
    fn is_lost(&self) -> bool {
        self.found.is_none() && self.scanner.as_ref().is_some_and(|scanner| scanner.open.is_some())
    }

    /// Goes on to the first complete call. Whether it is known that there is one, or that there is none.
    pub(super) fn go_on(&mut self, text: &Text, finished: bool) -> bool {
        let is_known = self.look(text, finished);
        self.note(text);
        is_known
    }

    fn look(&mut self, text: &Text, finished: bool) -> bool {
        let (Some(scanner), limit) = (&mut self.scanner, self.limit) else { return true };
        loop {
            if self.found.is_some() || scanner.has_passed(limit) {
                return true;
            }
            let more = scanner.advance(text, finished, &mut self.events);
            for event in self.events.drain(..) {
                match event {
                    ParseEvent::Open(opening) if self.candidate.is_none() => {
                        self.candidate = Some((opening.dialect, opening.marker.start));
                    }
                    ParseEvent::Close(closing) if closing.status == Status::Complete => {
                        let begins = self.candidate.and_then(|(about, start)| Some((about, line_of(text, start)?)));
                        if let Some((about, at)) = begins.filter(|(_, at)| *at >= self.from && *at < limit) {
                            let markdown = scanner.call_markdown().clone();
                            self.found.get_or_insert(Found { at, markdown, about });
                        }
                    }
                    _ => {}
                }
            }
            if let Some(found) = scanner.take_found().filter(|found| found.at < limit) {
                self.found.get_or_insert(found);
            }
            if more {
                self.candidate = None;
            } else {
                return finished || self.found.is_some() || scanner.has_passed(limit);
            }
        }
    }

    /// Offset in front of which the call does not give way.
    pub(super) fn undecided(&self) -> usize {
        if self.is_sent() { self.undecided } else { usize::MAX }
    }

    /// Notes where a call may begin that is not complete yet.
    fn note(&mut self, text: &Text) {
        let prose = self.scanner.as_ref().and_then(|scanner| scanner.prose());
        let at = prose.or(self.candidate.map(|(_, start)| start)).unwrap_or(self.from);
        let found = self.found.as_ref().map(|found| found.at);
        self.undecided = found.unwrap_or_else(|| line_of(text, at).unwrap_or(at).max(self.from));
    }

    /// The lowest offset for which it will still ask [`Text::since`].
    pub(super) fn needed(&self) -> usize {
        let scanner = self.scanner.as_ref().filter(|_| self.found.is_none());
        scanner.map_or(usize::MAX, |scanner| scanner.needed())
    }
}

/// The beginning of the line that `at` is the first byte of, apart from blanks.
fn line_of(text: &Text, at: usize) -> Option<usize> {
    let from = at.saturating_sub(MAX_INDENT);
    let before = text.read(Span::new(from, at));
    let line = memchr::memrchr(b'\n', &before).map(|feed| feed + 1).or((from == 0).then_some(0))?;
    before[line..].iter().all(|byte| matches!(byte, b' ' | b'\t')).then_some(from + line)
}

impl Scanner {
    /// Whether an earlier call of its name has shown that no end marker follows.
    pub(super) fn is_endless(&self, open: &OpenCall, text: &Text) -> bool {
        let known = self.endless.get(open.number).and_then(Option::as_ref).filter(|(_, from)| open.body() >= *from);
        known.is_some_and(|(known, _)| open.name_of_mention(text, open.body()).is_some_and(|name| name == *known))
    }

    /// Looks for a call close behind one that surely has no end, so that not all of the text is read for each of many.
    pub(super) fn try_at_once(
        &mut self,
        open: &mut OpenCall,
        text: &Text,
        finished: bool,
        out: &mut Vec<ParseEvent>,
    ) -> Tried {
        let near = open.body() + NEAR;
        if !self.search(open, text, near, near, finished) {
            return Tried::Waits;
        }
        let Some(found) = open.scout.found.take() else {
            self.call_back(open);
            return Tried::InVain;
        };
        let start = self.call_markdown.line_start().min(open.body());
        let (mut parser, mut markdown, mut said) = (open.parser.clone(), self.markdown.clone(), Vec::new());
        parser.advance(&text.part(Span::new(start, found.at)), true, &mut markdown, &mut said);
        // It ends after all, or it is more than a mention.
        let is_call = |event: &ParseEvent| match event {
            ParseEvent::Close(closing) => closing.status == Status::Complete,
            ParseEvent::Argument(_) => true,
            _ => false,
        };
        if said.iter().any(is_call) {
            self.call_back(open);
            return Tried::InVain;
        }
        open.parser = parser;
        let from = out.len();
        out.append(&mut said);
        open.hear(&out[from..]);
        open.hold(out, from);
        Tried::Found(found)
    }

    /// Has the scanner that looks for calls in the open one read on.
    pub(super) fn look_for_others(&mut self, open: &mut OpenCall, text: &Text, finished: bool) {
        if !open.scout.is_sent() {
            self.send(open, text, usize::MAX);
        }
        open.scout.go_on(text, finished);
    }

    /// Looks for calls that begin in front of `limit` in one that ended at `end`; false when more must arrive to tell.
    pub(super) fn search(
        &mut self,
        open: &mut OpenCall,
        text: &Text,
        limit: usize,
        end: usize,
        finished: bool,
    ) -> bool {
        let body = open.body();
        let window = Span::new(self.call_markdown.line_start().min(body), text.len().min(end + REACH));
        let is_whole = finished || text.len() >= end + REACH;
        if limit <= body {
            self.call_back(open);
            return true;
        }
        if open.waits && !is_whole {
            return false;
        }
        let window = text.part(window);
        self.send(open, &window, limit);
        open.waits = !open.scout.go_on(&window, is_whole);
        if !open.waits && open.scout.is_lost() {
            self.vain.add(window.len() - body);
        }
        !open.waits
    }

    /// Sends a scanner into an open call, which looks for calls of other dialects that begin in front of `limit`.
    fn send(&mut self, open: &mut OpenCall, text: &Text, limit: usize) {
        self.call_back(open);
        let (body, number) = (open.body(), open.number);
        let own = self.dialects[number].about();
        let others = self.dialects.iter().filter(|other| {
            let other = other.about().name;
            other != own.name && own.body_like != Some(other)
        });
        let others = others.cloned().collect();
        // What an earlier one knew depends on how the text was cut.
        let mut scout = match self.scouts[number].take() {
            Some(scout) => Box::new(Self { dialects: others, ..*scout }),
            None => Box::new(Self::new(others, self.examples)),
        };
        let mut markdown = self.call_markdown.clone();
        if text.read(Span::new(body.saturating_sub(1), body)).first() == Some(&b'\n') {
            markdown.pass_to(body);
        }
        (scout.open, scout.found, scout.gave_way) = (None, None, None);
        scout.vain = Vain::default();
        scout.limit = limit;
        scout.begin_at(body, markdown);
        open.scout.send(scout, body, limit);
    }

    /// Takes back the scanner that was sent into a call.
    pub(super) fn call_back(&mut self, open: &mut OpenCall) {
        if let Some(scout) = std::mem::take(&mut open.scout).scanner {
            self.scouts[open.number] = Some(scout);
        }
    }

    /// Ends a call in front of what was found in it, and goes back to there.
    pub(super) fn give_way(&mut self, mut open: OpenCall, found: Found, out: &mut Vec<ParseEvent>) {
        self.call_back(&mut open);
        let number = open.number;
        self.vain.add(open.ended.map_or(0, |end| end.saturating_sub(found.at)));
        self.gave_way = Some(open.give_way(self.dialects[number].about(), &found, out));
        self.begin_at(found.at, found.markdown.clone());
        self.last_call = Some((found.at, number));
        self.found = Some(found);
    }
}

/// What came of looking for a call close behind one that has no end.
pub(super) enum Tried {
    /// More must arrive.
    Waits,
    /// There is one.
    Found(Found),
    /// There is none, or the call has an end after all.
    InVain,
}
