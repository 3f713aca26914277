//! Unclosed calls: a marker that is only a mention opens a call, which would swallow all following calls of other
//! dialects.
//!
//! If several dialects are read, such a call yields: it ends before the first complete call of another dialect that
//! begins a line in it. Whether it yields is decided at its end, so that a properly closed call stays whole regardless
//! of its values. Until then a second scanner, without the open call's dialect, reads the same bytes to find that
//! place, and events that may be after it are held back, since events are never retracted.

use std::sync::Arc;

use super::super::{CallParser, ParseEvent, Progress, Status};
use super::Scanner;
use super::lookahead::FoundCall;
use super::open_call::{Ending, HeaderFacts, JudgedCall, OpenCall};
use crate::text::steps;
use crate::text::{Span, Text};

/// Maximum distance, in bytes, that a call begun inside another may extend past the end of that call.
const REACH: usize = 16 * 1024;

/// Maximum distance, in bytes, from the start of a surely unclosed call at which another call ends it without reading
/// further.
const NEAR: usize = 16 * 1024;

/// Number of calls that may reach the end of a text in vain regardless of cost; the text after each is read again.
const FREE_TRIES: usize = 4;

/// Bytes that may be read in vain before calls stop yielding.
const MAX_VAIN: usize = 8 * 1024 * 1024;

/// Maximum nesting depth of scanners; each reads the same bytes again.
const MAX_DEPTH: usize = 8;

/// Number of rereads caused by calls that might have yielded, and their bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Rereads {
    tries: usize,
    bytes: usize,
}

impl Rereads {
    /// True if another call may yield.
    pub(super) fn allows_more(self) -> bool {
        self.tries < FREE_TRIES || self.bytes < MAX_VAIN
    }

    /// Adds the counts of a scanner that continued where this one stopped.
    pub(super) fn append(&mut self, next: Self) {
        self.tries += next.tries;
        self.bytes = self.bytes.saturating_add(next.bytes);
    }

    /// Counts one reread, unless it has no bytes.
    pub(super) fn add(&mut self, bytes: usize) {
        self.tries += usize::from(bytes > 0);
        self.bytes = self.bytes.saturating_add(bytes);
    }
}

impl Scanner {
    /// Starts reading after the header of a call; returns true if the call has ended. Most calls arrive whole, and
    /// need no `OpenCall`: saves 4 % of the time for calls of a few lines.
    pub(super) fn begin_call(
        &mut self,
        number: usize,
        mut parser: Box<dyn CallParser>,
        text: &Text,
        finished: bool,
        out: &mut Vec<ParseEvent>,
    ) -> bool {
        let begun = out.len();
        out.append(&mut self.opening);
        let last = HeaderFacts::of(&out[begun..]);
        out.extend(self.yielded.take().map(|gave_way| ParseEvent::of_call(gave_way.problem(last.marker))));
        if !self.endless.is_empty() {
            return self.advance_in_call(Box::new(OpenCall::new(number, parser, last)), text, finished, out);
        }
        let said = out.len();
        let ended = self.read_call(&mut *parser, text, finished, out);
        if let Some(end) = ended.filter(|_| is_complete(&out[said..]) && parser.merged().is_none()) {
            self.end_call(number, end, parser, last.body);
            return true;
        }
        let mut open = Box::new(OpenCall::new(number, parser, last));
        open.ended = ended;
        self.decide(open, said, text, finished, out)
    }

    /// Advances a parser in its call. Returns the offset of the call's end, once reached.
    fn read_call(
        &mut self,
        parser: &mut dyn CallParser,
        text: &Text,
        finished: bool,
        out: &mut Vec<ParseEvent>,
    ) -> Option<usize> {
        let ended = match parser.advance(text, finished, out) {
            Progress::Closed(end) => Some(end),
            Progress::Wait => None,
        };
        self.pass_in_call(text, ended.unwrap_or_else(|| parser.decided()));
        ended
    }

    /// Skips to `end`, up to which a call has been read.
    pub(super) fn pass_in_call(&mut self, text: &Text, end: usize) {
        let passed = Span::new(self.at, end.max(self.at));
        steps::add_bytes(passed.len());
        self.markdown.pass_call(text, passed);
        self.at = passed.end;
    }

    /// Records the end of a call that does not yield.
    fn end_call(&mut self, number: usize, end: usize, mut parser: Box<dyn CallParser>, body: usize) {
        self.judged = JudgedCall::by(&mut *parser, number, body);
        self.last_call = Some((end, number));
        (self.at, self.given) = (end, end);
    }

    /// Advances in the open call; returns true if it has ended.
    pub(super) fn advance_in_call(
        &mut self,
        mut open: Box<OpenCall>,
        text: &Text,
        finished: bool,
        out: &mut Vec<ParseEvent>,
    ) -> bool {
        let from = out.len();
        if !open.was_tried && self.is_endless(&open, text) {
            match self.search_nearby(&mut open, text, finished, out) {
                NearbySearch::Waits => {
                    self.open = Some(open);
                    return false;
                }
                NearbySearch::Found(found) => {
                    self.give_way(open, found, out);
                    return true;
                }
                NearbySearch::InVain => {
                    open.was_tried = true;
                    if let Some((_, from)) = &mut self.endless[open.number] {
                        *from = open.body() + NEAR / 2;
                    }
                }
            }
        }
        if open.ended.is_none() {
            open.ended = self.read_call(&mut *open.parser, text, finished, out);
        }
        self.decide(open, from, text, finished, out)
    }

    /// Decides, if possible, whether a call yields; its new events are in `out` starting at index `from`. Returns true
    /// if the call has ended.
    fn decide(
        &mut self,
        mut open: Box<OpenCall>,
        from: usize,
        text: &Text,
        finished: bool,
        out: &mut Vec<ParseEvent>,
    ) -> bool {
        let may_give_way = self.dialects.len() > 1 && self.depth < MAX_DEPTH && self.rereads.allows_more();
        if may_give_way && open.note_events(&out[from..]) {
            self.end_lookahead(&mut open);
        }
        if may_give_way {
            let is_known = match (open.ended, open.ending(self.dialects[open.number].info().next_ends)) {
                (None, _) if open.is_in_call() => {
                    self.look_ahead(&mut open, text, false);
                    false
                }
                (Some(_), Ending::Cut) => {
                    self.look_ahead(&mut open, text, finished);
                    if let Some(at) = open.lookahead.found.as_ref().map(|found| found.at)
                        && let Some(name) = open.name_of_mention(text, at)
                    {
                        self.endless.resize(self.dialects.len(), None);
                        self.endless[open.number] = Some((name, at));
                    }
                    true
                }
                (Some(end), Ending::Doubtful(limit)) => self.search(&mut open, text, limit, end, finished),
                _ => {
                    self.end_lookahead(&mut open);
                    true
                }
            };
            if !is_known {
                open.hold(out, from);
                open.emit_before(open.lookahead.undecided(), out);
                self.open = Some(open);
                return false;
            }
            if let Some(found) = open.lookahead.found.take() {
                open.hold(out, from);
                self.give_way(open, found, out);
                return true;
            }
        }
        open.give_all(out, from);
        let Some(end) = open.ended else {
            self.open = Some(open);
            return false;
        };
        self.end_lookahead(&mut open);
        let (number, body) = (open.number, open.body());
        self.end_call(number, end, open.parser, body);
        true
    }

    /// True if an earlier call with the same name has shown that no end marker follows.
    fn is_endless(&self, open: &OpenCall, text: &Text) -> bool {
        let known = self.endless.get(open.number).and_then(Option::as_ref).filter(|(_, from)| open.body() >= *from);
        known.is_some_and(|(known, _)| open.name_of_mention(text, open.body()).is_some_and(|name| name == *known))
    }

    /// Searches for a call close to the start of one that surely has no end, so that many such calls do not each read
    /// the whole text.
    fn search_nearby(
        &mut self,
        open: &mut OpenCall,
        text: &Text,
        finished: bool,
        out: &mut Vec<ParseEvent>,
    ) -> NearbySearch {
        let near = open.body() + NEAR;
        if !self.search(open, text, near, near, finished) {
            return NearbySearch::Waits;
        }
        let Some(found) = open.lookahead.found.take() else {
            self.end_lookahead(open);
            return NearbySearch::InVain;
        };
        let start = self.call_markdown.line_start().min(open.body());
        let (mut parser, mut said) = (open.parser.clone(), Vec::new());
        parser.advance(&text.part(Span::new(start, found.at)), true, &mut said);
        // The call has an end after all, or it is more than a mention.
        let is_call = |event: &ParseEvent| match event {
            ParseEvent::Close(closing) => closing.status == Status::Complete,
            ParseEvent::Argument(_) => true,
            _ => false,
        };
        if said.iter().any(is_call) {
            self.end_lookahead(open);
            return NearbySearch::InVain;
        }
        open.parser = parser;
        let from = out.len();
        out.append(&mut said);
        open.note_events(&out[from..]);
        open.hold(out, from);
        NearbySearch::Found(found)
    }

    /// Advances the scanner that searches the open call.
    fn look_ahead(&mut self, open: &mut OpenCall, text: &Text, finished: bool) {
        if !open.lookahead.is_under_way() {
            self.begin_lookahead(open, text, usize::MAX);
        }
        open.lookahead.advance(text, finished);
    }

    /// Searches a call that ended at `end` for calls that begin before `limit`; returns false if more text is needed.
    fn search(&mut self, open: &mut OpenCall, text: &Text, limit: usize, end: usize, finished: bool) -> bool {
        let body = open.body();
        let window = Span::new(self.call_markdown.line_start().min(body), text.len().min(end + REACH));
        let is_whole = finished || text.len() >= end + REACH;
        if limit <= body {
            self.end_lookahead(open);
            return true;
        }
        if open.waits && !is_whole {
            return false;
        }
        let window = text.part(window);
        self.begin_lookahead(open, &window, limit);
        open.waits = !open.lookahead.advance(&window, is_whole);
        if !open.waits && open.lookahead.is_lost() {
            self.rereads.add(window.len() - body);
        }
        !open.waits
    }

    /// Starts a scanner in an open call, for calls of other dialects that begin before `limit`.
    fn begin_lookahead(&mut self, open: &mut OpenCall, text: &Text, limit: usize) {
        self.end_lookahead(open);
        let (body, number) = (open.body(), open.number);
        let others = Arc::clone(&self.others);
        let others = others[number].get_or_init(|| self.others_than(number));
        let mut lookahead = self.lookaheads[number].take().unwrap_or_else(|| Box::new(others.scanner.clone()));
        // The state left by an earlier search depends on how the text was cut.
        for (known, &number) in lookahead.dialects.iter_mut().zip(&others.numbers) {
            known.follow(&self.dialects[number]);
        }
        let mut markdown = self.call_markdown.clone();
        if text.read(Span::new(body.saturating_sub(1), body)).first() == Some(&b'\n') {
            markdown.pass_to(body);
        }
        (lookahead.open, lookahead.found, lookahead.yielded) = (None, None, None);
        lookahead.depth = self.depth + 1;
        lookahead.rereads = Rereads::default();
        lookahead.endless.clear();
        lookahead.limit = limit;
        lookahead.begin_at(body, markdown);
        lookahead.text_start = self.text_start;
        open.lookahead.begin(lookahead, body, limit);
    }

    /// Recovers the scanner of a search that has ended, for reuse.
    fn end_lookahead(&mut self, open: &mut OpenCall) {
        if open.lookahead.is_under_way() {
            self.lookaheads[open.number] = std::mem::take(&mut open.lookahead).scanner;
        }
    }

    /// The dialects to search for in calls of the dialect with this number.
    fn others_than(&self, number: usize) -> Others {
        let own = self.dialects[number].info();
        let is_other = |other: &str| other != own.name && own.body_like != Some(other);
        let numbers: Vec<usize> =
            (0..self.dialects.len()).filter(|&other| is_other(self.dialects[other].name())).collect();
        let dialects = numbers.iter().map(|&other| self.dialects[other].clone()).collect();
        Others { scanner: Self::new(dialects, self.examples), numbers }
    }

    /// Ends a call before the one found in it, and moves back to that place.
    fn give_way(&mut self, mut open: Box<OpenCall>, found: FoundCall, out: &mut Vec<ParseEvent>) {
        self.end_lookahead(&mut open);
        let number = open.number;
        self.rereads.add(open.ended.map_or(0, |end| end.saturating_sub(found.at)));
        self.yielded = Some(open.yield_to(self.dialects[number].info(), &found, out));
        self.begin_at(found.at, found.markdown.clone());
        self.last_call = Some((found.at, number));
        self.found = Some(found);
    }
}

/// True if the events belong to a single call that ends with its own end marker.
fn is_complete(events: &[ParseEvent]) -> bool {
    let is_within = |event: &ParseEvent| !matches!(event, ParseEvent::Open(_) | ParseEvent::Close(_));
    events.split_last().is_some_and(|(last, within)| {
        matches!(last, ParseEvent::Close(closing) if closing.status == Status::Complete) && within.iter().all(is_within)
    })
}

/// The dialects that are searched for in the calls of another one.
#[derive(Clone)]
pub(super) struct Others {
    /// Their numbers among all dialects.
    numbers: Vec<usize>,
    /// A scanner of them that has read nothing.
    scanner: Scanner,
}

/// Result of searching for a call close to an unclosed one.
enum NearbySearch {
    /// More text is needed.
    Waits,
    /// A call was found.
    Found(FoundCall),
    /// None was found, or the call has an end after all.
    InVain,
}
