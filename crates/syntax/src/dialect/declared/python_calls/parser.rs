//! Parser of the Python calls of one block, from its opening marker to the end of the block.

use std::sync::Arc;

use super::PythonCalls;
use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::declared::block_markers::Closed;
use crate::dialect::{
    CallEnd, CallParser, Expected, Header, OpenPart, Opening, ParseEvent, Progress, Status, Terminator, Word,
};
use crate::text::{Span, Text};
use crate::value::json::lexer::Strings;
use crate::value::python::{PythonEvent, PythonWalker};

#[derive(Clone)]
pub(super) struct PythonCallsParser {
    shape: Arc<PythonCalls>,
    walker: PythonWalker,
    base: usize,
    pub(super) tag: Span,
    /// Offset up to which everything is covered by events or precedes the block.
    given: usize,
    /// Offset up to which everything belongs to the open call.
    seen: usize,
    /// The first call, not announced until more of it is known.
    first: Option<(Span, usize)>,
    /// The event after its parenthesis, while it is unclear whether it is a call.
    undecided: Option<PythonEvent>,
    /// End of the open call's body and of the call itself, once known.
    ended: Option<(usize, usize)>,
    /// True if the last announced call has not ended.
    open: bool,
    state: PythonCallState,
}

#[derive(Clone, Copy)]
enum PythonCallState {
    Calls,
    /// After the calls, which end here; the closing marker should follow.
    Tail(usize),
}

enum End {
    /// After its closing marker, or after its calls if it needs none.
    Whole(usize),
    /// Before other text where the closing marker should be.
    Before(usize),
    Text,
}

impl PythonCallsParser {
    /// A parser of the block with this opening marker.
    pub(super) fn new(shape: Arc<PythonCalls>, tag: Span) -> Self {
        let strings = if shape.markers.is_open_value { Strings::OneLine } else { Strings::Lines };
        let end = shape.markers.end.as_bytes();
        Self {
            walker: PythonWalker::new(tag.end).allow(strings).with_closer(end),
            base: tag.end,
            tag,
            given: tag.start,
            seen: tag.start,
            first: None,
            undecided: None,
            ended: None,
            open: false,
            state: PythonCallState::Calls,
            shape,
        }
    }

    /// Reads up to the first call; false if there is none, `None` if more text is needed.
    pub(super) fn first(&mut self, text: &Text, finished: bool, out: &mut Vec<ParseEvent>) -> Option<bool> {
        loop {
            let event = self.undecided.take().or_else(|| self.walker.next(text.since(self.base), finished));
            match (event, self.first) {
                (None, _) => return finished.then_some(false),
                (Some(PythonEvent::Call { name, body }), None) => {
                    if !self.shape.markers.is_open_value {
                        self.announce(name, body, out);
                        return Some(true);
                    }
                    self.first = Some((name, body));
                }
                (Some(event), Some((name, body))) => {
                    let is_call = match event {
                        PythonEvent::Argument(at) => text.read(Span::new(body, at)).iter().all(u8::is_ascii_whitespace),
                        PythonEvent::End { body_end, .. } => {
                            text.read(Span::new(body, body_end)).iter().all(u8::is_ascii_whitespace)
                        }
                        _ => false,
                    };
                    let is_listed = if is_call { self.is_listed(&event, text, finished) } else { Some(false) };
                    let Some(is_call) = is_listed else {
                        self.undecided = Some(event);
                        return None;
                    };
                    if is_call {
                        self.announce(name, body, out);
                        self.take(event, out);
                    }
                    return Some(is_call);
                }
                (Some(_), None) => return Some(false),
            }
        }
    }

    /// True if the first call, whose parenthesis `event` follows, is an element of a list and not a link text:
    /// `[f(a=1)]` is, and `[f() method]`, `[f(a=1)](url)` and `[f(a=1)]: url` are not. `None` while undecided.
    fn is_listed(&self, event: &PythonEvent, text: &Text, finished: bool) -> Option<bool> {
        /// Maximum length in bytes of a line that is examined for a link.
        const LINK: usize = 256;
        /// Maximum number of whitespace bytes that are examined.
        const BLANKS: usize = 64;
        if !(self.shape.is_list && self.shape.markers.is_open_value) {
            return Some(true);
        }
        let ahead = text.since(self.base);
        let line = &ahead[..ahead.len().min(LINK)];
        let feed = memchr::memchr(b'\n', line);
        let is_whole = finished || feed.is_some() || line.len() == LINK;
        let line = &line[..feed.unwrap_or(line.len())];
        if let PythonEvent::End { end, .. } = *event {
            let behind = text.since(end);
            let blank = behind.iter().take(BLANKS).take_while(|byte| byte.is_ascii_whitespace()).count();
            match behind.get(blank) {
                None => return finished.then_some(true),
                Some(b',' | b']') => {}
                Some(_) => return Some(false),
            }
        }
        let mut walker = self.walker.clone();
        if walker.offset() > self.base + line.len() {
            return Some(true);
        }
        loop {
            return match walker.next(line, is_whole) {
                Some(PythonEvent::Done(end)) => match text.since(end).first() {
                    Some(next) => Some(!b":([".contains(next)),
                    None => finished.then_some(true),
                },
                Some(PythonEvent::Broken(_) | PythonEvent::Truncated) => Some(true),
                Some(_) => continue,
                None => is_whole.then_some(true),
            };
        }
    }

    fn announce(&mut self, name: Span, body: usize, out: &mut Vec<ParseEvent>) {
        self.open = true;
        self.ended = None;
        let header = Header { name: Word::plain(name), id: None, dependencies: Vec::new() };
        let marker = Span::new(self.given, body);
        out.push(ParseEvent::open(Opening { dialect: self.shape.about, marker, header, body, is_seen: true }));
        (self.given, self.seen) = (body, body);
    }

    /// Handles an event of the walker in the open call.
    fn take(&mut self, event: PythonEvent, out: &mut Vec<ParseEvent>) {
        match event {
            PythonEvent::Argument(at) => out.push(ParseEvent::Argument(at)),
            PythonEvent::End { body_end, end } => {
                if body_end == end {
                    let message = "the arguments are not closed: no ) before this";
                    let problem = Diagnostic::new(Code::BrokenArguments, Span::at(end), message);
                    out.push(ParseEvent::of_call(problem.contrast(")", "the end of the list")));
                }
                self.ended = Some((body_end, end));
            }
            PythonEvent::Call { .. } | PythonEvent::Done(_) | PythonEvent::Broken(_) | PythonEvent::Truncated => {}
        }
    }

    fn go_on(&mut self, text: &Text, finished: bool, out: &mut Vec<ParseEvent>) -> Option<usize> {
        loop {
            if let PythonCallState::Tail(end) = self.state {
                return self.tail(end, text, finished, out);
            }
            let bytes = text.since(self.base);
            let Some(event) = self.walker.next(bytes, finished) else {
                self.seen = self.walker.decided(bytes).max(self.given);
                return finished.then(|| self.end_block(&End::Text, text, out));
            };
            match event {
                PythonEvent::Call { name, body } => {
                    let end = self.ended.map_or(self.given, |(_, end)| end);
                    self.end_call(end, Status::Complete, out);
                    self.announce(name, body, out);
                }
                PythonEvent::Done(end) => self.state = PythonCallState::Tail(end),
                PythonEvent::Broken(at) if self.ended.is_some() => self.state = PythonCallState::Tail(at),
                PythonEvent::Truncated => return Some(self.end_block(&End::Text, text, out)),
                event => self.take(event, out),
            }
        }
    }

    /// Continues after the calls, which end at `end`.
    fn tail(&mut self, end: usize, text: &Text, finished: bool, out: &mut Vec<ParseEvent>) -> Option<usize> {
        let markers = &self.shape.markers;
        if markers.close.is_empty() {
            return Some(self.end_block(&End::Whole(end), text, out));
        }
        let ahead = text.since(end);
        let blank = ahead.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        if blank == ahead.len() && !finished {
            return None;
        }
        match markers.closed(&ahead[blank..], end + blank, finished) {
            Closed::Waits => None,
            Closed::By(tag) => Some(self.end_block(&End::Whole(tag.end), text, out)),
            Closed::Not if !markers.is_close_required() => Some(self.end_block(&End::Whole(end), text, out)),
            Closed::Not if blank == ahead.len() => Some(self.end_block(&End::Text, text, out)),
            Closed::Not => Some(self.end_block(&End::Before(end), text, out)),
        }
    }

    /// Ends the block, and the call that is open in it.
    fn end_block(&mut self, end: &End, text: &Text, out: &mut Vec<ParseEvent>) -> usize {
        let closer = &*self.shape.markers.end;
        let (end, status, problem) = match *end {
            End::Whole(end) => (end, Status::Complete, None),
            End::Before(end) => (end, Status::Implicit, Some((Code::ImplicitEnd, "other text"))),
            End::Text => (text.len(), Status::Unterminated, Some((Code::UnterminatedCall, "the end of the text"))),
        };
        if let Some((code, found)) = problem {
            let expected = if closer.is_empty() { ")" } else { closer };
            let message = format!("no {expected} after the call");
            out.push(ParseEvent::of_call(Diagnostic::new(code, self.tag, message).contrast(expected, found)));
        }
        self.end_call(end, status, out);
        end
    }

    fn end_call(&mut self, end: usize, status: Status, out: &mut Vec<ParseEvent>) {
        if std::mem::take(&mut self.open) {
            let body_end = self.ended.take().map_or(end, |(body_end, _)| body_end);
            out.push(ParseEvent::Close(CallEnd { body_end, end, status }));
            self.given = end;
        }
    }
}

impl CallParser for PythonCallsParser {
    fn advance(&mut self, text: &Text, finished: bool, out: &mut Vec<ParseEvent>) -> Progress {
        self.go_on(text, finished, out).map_or(Progress::Wait, Progress::Closed)
    }

    fn decided(&self) -> usize {
        match (self.state, self.ended) {
            (PythonCallState::Tail(end), _) | (PythonCallState::Calls, Some((_, end))) => end,
            (PythonCallState::Calls, None) => self.seen,
        }
    }

    fn expected(&self, text: &Text) -> Expected {
        if let (PythonCallState::Calls, Some(quotes)) = (self.state, self.walker.open_quotes(text.since(self.base))) {
            return Expected::texts(OpenPart::Value(None), [quotes]);
        }
        match self.state {
            PythonCallState::Tail(_) => Expected::texts(OpenPart::Tail, [&*self.shape.markers.end]),
            PythonCallState::Calls if self.ended.is_some() => {
                Expected::one(OpenPart::Tail, Terminator::Words("the next call of the list, or its end"))
            }
            PythonCallState::Calls => Expected::texts(OpenPart::Call, [")"]),
        }
    }

    fn needed(&self) -> usize {
        self.base.min(self.decided())
    }
}
