//! Parser of a JSON text with calls in it, from the first call to the end of the text.
//!
//! A call includes the structure before it and the closing brackets after it; other text between calls is prose.

use std::task::Poll;

use super::ABOUT;
use super::recovery::{LONGEST_KEY, Recovered, Recovery};
use super::shape::RecognisedCall;
use super::walk::{CallWalker, Enclosure, WalkEvent};
use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::{
    CallEnd, CallParser, Expected, Header, OpenPart, Opening, ParseEvent, Progress, Status, Terminator,
};
use crate::text::{Span, Text};

#[derive(Clone)]
pub(super) struct NativeParser {
    walker: CallWalker,
    state: NativeState,
    /// Offset up to which everything is covered by events.
    given: usize,
    /// Offset up to which everything belongs to the open call.
    seen: usize,
    /// The first bytes of the call, at most [`LONGEST_KEY`], kept because the text may be released from memory.
    head: Vec<u8>,
    fenced: bool,
}

#[derive(Clone)]
enum NativeState {
    /// Inside of a call's object.
    Call,
    /// After a fault inside of a call's object.
    Recovery(Recovery),
    /// After a call's object; the brackets that close around it belong to the call.
    Closers {
        body_end: usize,
        end: usize,
    },
    Between,
    /// After a value that ended with a call; another value may follow immediately.
    Glued,
    /// In a value that immediately follows the previous one.
    Second,
}

enum Went {
    On,
    /// The block ends here.
    Closed(usize),
}

impl NativeParser {
    /// A parser of the text after a first call, which was announced by [`announce`].
    pub(super) fn new(walker: CallWalker, fenced: bool) -> Self {
        Self { walker, state: NativeState::Call, given: 0, seen: 0, head: Vec::new(), fenced }
    }

    fn close(&mut self, body_end: usize, end: usize, status: Status, out: &mut Vec<ParseEvent>) {
        out.push(ParseEvent::Close(CallEnd { body_end, end, status }));
        self.given = end;
    }

    fn prose(&mut self, end: usize, out: &mut Vec<ParseEvent>) {
        if self.given < end {
            out.push(ParseEvent::Text(Span::new(self.given, end)));
            self.given = end;
        }
    }

    /// Stores the first bytes of the open call, if they have arrived.
    fn remember_head(&mut self, text: &Text) {
        let room = LONGEST_KEY - self.head.len();
        if room > 0 {
            let arrived = text.since(self.given.max(self.walker.base) + self.head.len());
            self.head.extend_from_slice(&arrived[..arrived.len().min(room)]);
        }
    }

    /// Advances by one step; `None` if more text is needed.
    fn go_on(&mut self, text: &Text, finished: bool, out: &mut Vec<ParseEvent>) -> Option<Went> {
        match &mut self.state {
            NativeState::Call => match self.walker.next(text.since(self.walker.needed()), finished)? {
                WalkEvent::End(end) => self.state = NativeState::Closers { body_end: end, end },
                WalkEvent::Broken(at) => {
                    self.remember_head(text);
                    let start = self.given.max(self.walker.base);
                    let head = &self.head[..self.head.len().min(at - start)];
                    let at = at.max(self.walker.needed());
                    let recovery = Recovery::new(at, self.walker.depth_in_call(), [].into());
                    self.state = NativeState::Recovery(recovery.of_call(head));
                }
                WalkEvent::Truncated => {
                    self.close(text.len(), text.len(), Status::Unterminated, out);
                    return Some(Went::Closed(text.len()));
                }
                WalkEvent::Call { .. } | WalkEvent::Nothing(_) | WalkEvent::Done(_) | WalkEvent::Fault(_) => {}
            },
            NativeState::Recovery(recovery) => match recovery.advance(text, finished) {
                Recovered::Wait => return None,
                Recovered::Even(end) => {
                    self.walker.resume(end);
                    self.state = NativeState::Closers { body_end: end, end };
                }
                Recovered::Stopped(end) => {
                    self.close(end, end, Status::Implicit, out);
                    return Some(Went::Closed(end));
                }
                Recovered::End => {
                    self.close(text.len(), text.len(), Status::Unterminated, out);
                    return Some(Went::Closed(text.len()));
                }
            },
            NativeState::Closers { body_end, end } => {
                let (body_end, end) = (*body_end, *end);
                self.closers(text, body_end, end, finished, out)?;
            }
            NativeState::Between | NativeState::Second => {
                match self.walker.next(text.since(self.walker.needed()), finished)? {
                    WalkEvent::Call { start, call, leading } => {
                        let second = matches!(self.state, NativeState::Second);
                        if !leading {
                            self.prose(start, out);
                        }
                        let glued = second.then_some(start);
                        announce(self.given, start, call, self.fenced, glued, out);
                        self.given = start;
                        self.head.clear();
                        self.state = NativeState::Call;
                    }
                    WalkEvent::Nothing(end) if matches!(self.state, NativeState::Between) => self.prose(end, out),
                    WalkEvent::Done(end) if matches!(self.state, NativeState::Between) => {
                        self.prose(end, out);
                        return Some(Went::Closed(end));
                    }
                    _ => return Some(Went::Closed(self.given)),
                }
            }
            NativeState::Glued => {
                let Poll::Ready(value) = glued(text, self.given, finished) else { return None };
                let Some(at) = value else { return Some(Went::Closed(self.given)) };
                self.walker = CallWalker::new(at, Enclosure::None);
                self.state = NativeState::Second;
            }
        }
        Some(Went::On)
    }

    /// Consumes the brackets after a call's object; `None` if more text is needed to know whether there are more.
    fn closers(
        &mut self,
        text: &Text,
        body_end: usize,
        end: usize,
        finished: bool,
        out: &mut Vec<ParseEvent>,
    ) -> Option<()> {
        let ahead = text.since(end);
        let blanks = ahead.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n')).count();
        if self.walker.depth > 0 {
            match ahead.get(blanks) {
                None if !finished => return None,
                Some(b'}' | b']') => {
                    let closer = end + blanks + 1;
                    self.walker.skip_to(text.since(self.walker.needed()), closer);
                    self.state = NativeState::Closers { body_end, end: closer };
                    return Some(());
                }
                _ => {}
            }
        }
        self.close(body_end, end, Status::Complete, out);
        self.state = if self.walker.depth > 0 { NativeState::Between } else { NativeState::Glued };
        Some(())
    }
}

impl CallParser for NativeParser {
    fn advance(&mut self, text: &Text, finished: bool, out: &mut Vec<ParseEvent>) -> Progress {
        loop {
            match self.go_on(text, finished, out) {
                None => {
                    if matches!(self.state, NativeState::Call | NativeState::Between | NativeState::Second) {
                        if matches!(self.state, NativeState::Call) {
                            self.remember_head(text);
                        }
                        let bytes = text.since(self.walker.needed());
                        self.seen = self.walker.decided(bytes).max(self.given);
                        self.walker.release(bytes);
                    }
                    return Progress::Wait;
                }
                Some(Went::On) => {}
                Some(Went::Closed(end)) => return Progress::Closed(end),
            }
        }
    }

    fn decided(&self) -> usize {
        match &self.state {
            NativeState::Call => self.seen,
            NativeState::Recovery(recovery) => recovery.decided(),
            NativeState::Closers { end, .. } => *end,
            NativeState::Between | NativeState::Glued | NativeState::Second => self.given,
        }
    }

    fn expected(&self, text: &Text) -> Expected {
        let words = |inside, words| Expected::one(inside, Terminator::Words(words));
        match &self.state {
            NativeState::Call => self.walker.expected(text),
            NativeState::Recovery(_) => words(OpenPart::Call, "balanced brackets, or a blank line"),
            NativeState::Closers { .. } if self.walker.depth > 0 => words(OpenPart::Tail, "the brackets around it"),
            NativeState::Between => words(OpenPart::Tail, "the next call in the same JSON, or its end"),
            NativeState::Closers { .. } | NativeState::Glued | NativeState::Second => {
                words(OpenPart::Tail, "the end of the line, or another value on it")
            }
        }
    }

    fn needed(&self) -> usize {
        match &self.state {
            NativeState::Call => self.walker.needed(),
            NativeState::Recovery(recovery) => recovery.decided(),
            _ => self.walker.needed().min(self.decided()),
        }
    }
}

/// Opens a call whose object begins at `start`; the text from `from` to `start` is its marker.
pub(super) fn announce(
    from: usize,
    start: usize,
    call: RecognisedCall,
    fenced: bool,
    glued: Option<usize>,
    out: &mut Vec<ParseEvent>,
) {
    let marker = Span::new(from, start);
    let recorded = call.recorded;
    let header = Header { name: call.name, id: call.id, dependencies: Vec::new() };
    let mut problems = Vec::new();
    if fenced && recorded {
        let message = "a call in the form of a record inside code looks like an example";
        problems.push(
            Diagnostic::new(Code::MarkerInCode, header.name.span, message)
                .help("ignore this if it is an example; no runtime reads this form from text"),
        );
    }
    if let Some(at) = glued {
        let message = "a second JSON value after the first one";
        problems.push(
            Diagnostic::new(Code::BrokenJson, Span::new(at, at + 1), message)
                .contrast("the end of the line", "another value")
                .help("write each call on a separate line, or all of them in one array"),
        );
    }
    out.push(ParseEvent::open(Opening { dialect: &ABOUT, marker, header, body: start, is_seen: true }));
    out.extend(problems.into_iter().map(ParseEvent::of_call));
}

/// The offset of another value on the same line, if any.
fn glued(text: &Text, end: usize, finished: bool) -> Poll<Option<usize>> {
    let ahead = text.since(end);
    let gap = ahead.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b';' | b',')).count();
    match ahead.get(gap) {
        Some(b'{' | b'[') => Poll::Ready(Some(end + gap)),
        None if !finished => Poll::Pending,
        _ => Poll::Ready(None),
    }
}
