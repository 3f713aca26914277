//! Parser of the calls in one block, from the opening marker to the end of the block.
//!
//! Usually that is one call; an array, or several consecutive values, are several.

use std::sync::Arc;

use super::JsonCalls;
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::dialect::declared::block_markers::Closed;
use crate::dialect::native::recovery::{Recovered, Recovery};
use crate::dialect::native::shape::RecognisedCall;
use crate::dialect::native::walk::{CallWalker, WalkEvent};
use crate::dialect::{
    CallEnd, CallParser, Expected, Header, OpenPart, Opening, ParseEvent, Progress, Status, Terminator,
};
use crate::text::{Span, Text};
use crate::value::json::describe;
use crate::value::place::SpanMap;

#[derive(Clone)]
pub(super) struct JsonCallsParser {
    shape: Arc<JsonCalls>,
    walker: CallWalker,
    state: JsonCallState,
    pub(super) tag: Span,
    /// Offset up to which everything is covered by events or precedes the block.
    given: usize,
    /// Offset up to which everything belongs to the open call.
    seen: usize,
    /// The end of the open call's object, once known.
    body_end: Option<usize>,
    /// True once a call has been announced.
    pub(super) found: bool,
    /// True if the last announced call has not ended.
    open: bool,
    /// Offset of the second or a later value of the block.
    second: Option<usize>,
}

#[derive(Clone, Debug)]
enum JsonCallState {
    /// In a value: before its first call, in a call, or between two.
    Value,
    Recovery(Recovery),
    /// After the value; the end marker should follow.
    Tail(usize),
}

#[derive(Clone, Copy)]
enum Stop {
    /// The closing marker, or the end of a call that needs none.
    Tag(Span),
    /// Other text, with its description.
    Before(&'static str),
    End,
}

enum Step {
    On,
    Opened,
    /// The block ends here.
    Closed(usize),
}

impl JsonCallsParser {
    /// A parser of the block with the opening marker `tag` and its value at `value`.
    pub(super) fn new(shape: Arc<JsonCalls>, tag: Span, value: usize) -> Self {
        let at = tag.start;
        Self {
            walker: shape.walker(value),
            shape,
            state: JsonCallState::Value,
            tag,
            given: at,
            seen: at,
            body_end: None,
            found: false,
            open: false,
            second: None,
        }
    }

    /// Reads up to the first call, or until it is certain that the block has none; `None` if more text is needed.
    pub(super) fn first(&mut self, text: &Text, finished: bool, out: &mut Vec<ParseEvent>) -> Option<()> {
        loop {
            match self.go_on(text, finished, out)? {
                Step::On => {}
                Step::Opened | Step::Closed(_) => return Some(()),
            }
        }
    }

    fn go_on(&mut self, text: &Text, finished: bool, out: &mut Vec<ParseEvent>) -> Option<Step> {
        match &mut self.state {
            JsonCallState::Value => match self.walker.next(text.since(self.walker.needed()), finished)? {
                WalkEvent::Call { start, call, .. } => {
                    self.end_call(self.body_end.unwrap_or(self.given), Status::Complete, out);
                    self.open(start, call, out);
                    return Some(Step::Opened);
                }
                WalkEvent::End(end) => self.body_end = Some(end),
                WalkEvent::Fault(fault) => {
                    let from = self.walker.needed();
                    let fault = fault.from(from - self.walker.base);
                    let problem = describe(fault, text.since(from), SpanMap::At(from), "]");
                    out.push(ParseEvent::of_call(problem));
                }
                WalkEvent::Done(end) => self.state = JsonCallState::Tail(end),
                WalkEvent::Broken(_) if !self.open => return Some(Step::Closed(self.given)),
                WalkEvent::Broken(at) => {
                    let depth = self.walker.depth.max(1);
                    self.state = JsonCallState::Recovery(Recovery::new(
                        at.max(self.walker.needed()),
                        depth,
                        self.shape.end_bytes(),
                    ));
                }
                WalkEvent::Nothing(_) if !self.found => return Some(Step::Closed(self.given)),
                WalkEvent::Nothing(_) => {}
                WalkEvent::Truncated => return Some(self.stop(text.len(), Stop::End, out)),
            },
            JsonCallState::Recovery(recovery) => match recovery.advance(text, finished) {
                Recovered::Wait => return None,
                Recovered::Even(end) => self.state = JsonCallState::Tail(end),
                Recovered::Stopped(end) => {
                    if matches!(self.shape.markers.closed(text.since(end), end, finished), Closed::By(_)) {
                        self.state = JsonCallState::Tail(end);
                    } else {
                        // The following text may not have arrived.
                        let line = text.since(end).iter().find(|byte| !matches!(byte, b' ' | b'\t' | b'\r'));
                        let found = if line == Some(&b'`') { "a code fence" } else { "a blank line" };
                        return Some(self.stop(end, Stop::Before(found), out));
                    }
                }
                Recovered::End => return Some(self.stop(text.len(), Stop::End, out)),
            },
            JsonCallState::Tail(end) => {
                let end = *end;
                return self.tail(end, text, finished, out);
            }
        }
        Some(Step::On)
    }

    /// Continues after the value, which ends at `end`.
    fn tail(&mut self, end: usize, text: &Text, finished: bool, out: &mut Vec<ParseEvent>) -> Option<Step> {
        let ahead = text.since(end);
        let blanks = ahead.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let rest = &ahead[blanks..];
        match self.shape.markers.closed(rest, end + blanks, finished) {
            Closed::By(tag) => return Some(self.stop(tag.end, Stop::Tag(tag), out)),
            Closed::Waits => return None,
            Closed::Not => {}
        }
        if !finished && (rest.is_empty() || self.shape.markers.may_open(rest)) {
            return None;
        }
        if self.open
            && let Some(separator) = self.shape.separator(rest)
        {
            let behind = &rest[separator..];
            let spaces_after = behind.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            match behind.get(spaces_after) {
                None if !finished => return None,
                Some(b'{' | b'[') => {
                    self.end_call(end, Status::Complete, out);
                    self.walker = self.shape.walker(end + blanks + separator + spaces_after);
                    self.state = JsonCallState::Value;
                    return Some(Step::On);
                }
                _ => {}
            }
        }
        if self.open && !self.shape.markers.is_close_required() {
            return Some(self.stop(end, Stop::Tag(Span::at(end)), out));
        }
        if !self.open {
            return Some(Step::Closed(self.given));
        }
        match rest.first() {
            Some(b'{' | b'[') => {
                self.end_call(end, Status::Complete, out);
                self.walker = self.shape.walker(end + blanks);
                self.second = Some(end + blanks);
                self.state = JsonCallState::Value;
                Some(Step::On)
            }
            // Superfluous characters belong to the call, since they break its JSON.
            Some(b'}' | b']' | b',' | b';' | b'`') => {
                let junk = end + blanks + 1;
                self.body_end = Some(junk);
                self.state = JsonCallState::Tail(junk);
                Some(Step::On)
            }
            Some(_) if finished && self.shape.markers.end.as_bytes().starts_with(rest) => {
                Some(self.stop(text.len(), Stop::End, out))
            }
            Some(_) => {
                let is_tag = self.shape.markers.opens(rest);
                let found = if is_tag { "the next start tag" } else { "other text" };
                Some(self.stop(end, Stop::Before(found), out))
            }
            None => Some(self.stop(end, Stop::End, out)),
        }
    }

    fn open(&mut self, start: usize, call: RecognisedCall, out: &mut Vec<ParseEvent>) {
        (self.found, self.open) = (true, true);
        self.body_end = None;
        let header = Header { name: call.name, id: call.id, dependencies: Vec::new() };
        let marker = Span::new(self.given, start);
        out.push(ParseEvent::open(Opening { dialect: self.shape.about, marker, header, body: start, is_seen: true }));
        let second = self.second.take();
        let is_second = second.is_some();
        if let Some(at) = second {
            let diagnostic =
                Diagnostic::new(Code::BrokenJson, Span::new(at, at + 1), "a second JSON value after the first one")
                    .contrast(&*self.shape.markers.end, "another value")
                    .help("put each call into its own tags");
            out.push(ParseEvent::of_call(diagnostic));
        }
        if self.shape.is_list && start == self.walker.base && !is_second {
            let diagnostic =
                Diagnostic::new(Code::BrokenJson, Span::new(start, start + 1), "the call is not in a list")
                    .contrast("[", "{")
                    .help("write [ before the calls and ] after them")
                    .with_severity(Severity::Warning);
            out.push(ParseEvent::of_call(diagnostic));
        }
        self.given = start;
    }

    /// Ends the open call at `end`.
    fn end_call(&mut self, end: usize, status: Status, out: &mut Vec<ParseEvent>) {
        if std::mem::take(&mut self.open) {
            let body_end = self.body_end.take().unwrap_or(end);
            out.push(ParseEvent::Close(CallEnd { body_end, end, status }));
            self.given = end;
        }
    }

    /// Ends the block at `end`, and with it any open call.
    fn stop(&mut self, end: usize, stop: Stop, out: &mut Vec<ParseEvent>) -> Step {
        if !self.open {
            return Step::Closed(self.given);
        }
        let tag_end = if let Stop::Tag(tag) = stop { tag.start } else { end };
        let closer = &*self.shape.markers.end;
        let body_end = self.body_end.unwrap_or(tag_end).min(tag_end);
        self.body_end = Some(body_end);
        let (status, code, found) = match stop {
            Stop::Tag(_) => (Status::Complete, None, ""),
            Stop::Before(found) => (Status::Implicit, Some(Code::ImplicitEnd), found),
            Stop::End => (Status::Unterminated, Some(Code::UnterminatedCall), "the end of the text"),
        };
        if let Some(code) = code {
            let diagnostic = if self.shape.markers.is_close_required() {
                let help =
                    format!("write {closer} after the JSON; a runtime that searches for it does not see this call");
                let message = format!("no {closer} after the call");
                Diagnostic::new(code, self.tag, message).contrast(closer, found).help(help)
            } else {
                let message = format!("the JSON of the call is not closed before {found}");
                Diagnostic::new(code, self.tag, message).contrast("the end of the JSON", found)
            };
            out.push(ParseEvent::of_call(diagnostic));
        }
        self.end_call(end, status, out);
        Step::Closed(end)
    }
}

impl CallParser for JsonCallsParser {
    fn advance(&mut self, text: &Text, finished: bool, out: &mut Vec<ParseEvent>) -> Progress {
        loop {
            match self.go_on(text, finished, out) {
                None => {
                    if matches!(self.state, JsonCallState::Value) {
                        let bytes = text.since(self.walker.needed());
                        self.seen = self.walker.decided(bytes).max(self.given);
                        self.walker.release(bytes);
                    }
                    return Progress::Wait;
                }
                Some(Step::Closed(end)) => return Progress::Closed(end),
                Some(Step::On | Step::Opened) => {}
            }
        }
    }

    fn decided(&self) -> usize {
        match &self.state {
            // Between two calls, nothing is decided.
            JsonCallState::Value if !self.open => self.given,
            JsonCallState::Value => self.body_end.unwrap_or(self.seen),
            JsonCallState::Recovery(recovery) => recovery.decided(),
            JsonCallState::Tail(end) => *end,
        }
    }

    fn expected(&self, text: &Text) -> Expected {
        match &self.state {
            JsonCallState::Value if self.open && self.body_end.is_none() => self.walker.expected(text),
            JsonCallState::Value => {
                Expected::one(OpenPart::Tail, Terminator::Words("the next call of the list, or its end"))
            }
            JsonCallState::Recovery(_) if self.shape.markers.close.is_empty() => {
                Expected::one(OpenPart::Call, Terminator::Words("the end of its JSON"))
            }
            JsonCallState::Tail(_) if self.shape.markers.close.is_empty() => {
                Expected::one(OpenPart::Tail, Terminator::Words("what follows it"))
            }
            JsonCallState::Recovery(_) => Expected::texts(OpenPart::Call, [&*self.shape.markers.end]),
            JsonCallState::Tail(_) => Expected::texts(OpenPart::Tail, [&*self.shape.markers.end]),
        }
    }

    fn needed(&self) -> usize {
        match &self.state {
            JsonCallState::Value if self.open && self.body_end.is_none() => self.walker.needed(),
            JsonCallState::Value => self.walker.needed().min(self.decided()),
            JsonCallState::Recovery(recovery) => recovery.decided(),
            JsonCallState::Tail(end) => *end,
        }
    }
}
