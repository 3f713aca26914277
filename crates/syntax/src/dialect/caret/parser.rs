//! A block under way: from behind its opening fence to whatever ends it.
//!
//! A closing fence inside of a value of several lines belongs to the value if the value's end follows and no block
//! opens in it; else it ends the block, as it does for the runtime. So such a fence waits for what comes behind it.
//! Each byte is looked at a bounded number of times.

use memchr::memchr;

use super::line::{Fence, ends_value, fence};
use super::walk::{Rules, Walker};
use super::{malformed, read};
use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::{CallParser, CallParts, Closing, Expected, OpenPart, ParseEvent, Progress, Status, Terminator};
use crate::text::{Span, Text};
use crate::value::{Assembly, Findings};

/// How far behind a fence the end of its value may begin, in bytes. A fence further away from it ends the block, so
/// that a value without an end does not hold up a long transcript.
pub(super) const FENCE_REACH: usize = 64 * 1024;

#[derive(Clone, Debug)]
pub(super) struct CaretParser {
    start: usize,
    body: usize,
    /// Whether the runtime sees the opening fence.
    seen: bool,
    walker: Walker,
    /// Beginning of the line that is next.
    at: usize,
    /// No line feed stands between `at` and here.
    looked: usize,
    decided: usize,
    /// Fences in front of this offset are part of the value that is open.
    accepted: usize,
    /// Whether an opening fence stands in the value that is open.
    opened: bool,
    /// The look ahead from a fence in a value.
    ahead: Option<Ahead>,
    /// Where the first opening fence stands that is in no value.
    merged: Option<usize>,
    /// What is wrong with the call, when it has ended.
    findings: Option<Findings>,
}

#[derive(Clone, Copy, Debug)]
struct Line {
    /// Without its line feed.
    span: Span,
    next: usize,
}

/// A look ahead: the next line, and how far its end has been looked for.
#[derive(Clone, Copy, Debug)]
struct Ahead {
    fence: Line,
    at: usize,
    looked: usize,
}

/// What a fence in a value turns out to be.
enum Found {
    /// Part of the value, which ends at this offset.
    Part(usize),
    End,
    Wait,
}

impl CaretParser {
    pub(super) fn new(start: usize, body: usize, seen: bool) -> Self {
        Self {
            start,
            body,
            seen,
            walker: Walker::new(Rules::Either),
            at: body,
            looked: body,
            decided: body,
            accepted: body,
            opened: false,
            ahead: None,
            merged: None,
            findings: None,
        }
    }

    fn look_ahead(&self, ahead: &mut Ahead, text: &Text, finished: bool) -> Found {
        let Some(key) = self.walker.value_key() else { return Found::End };
        loop {
            if ahead.at > ahead.fence.next + FENCE_REACH {
                return Found::End;
            }
            let Some(line) = line_at(text, ahead.at, &mut ahead.looked, finished) else {
                return if finished { Found::End } else { Found::Wait };
            };
            let bytes = text.read(line.span);
            if ends_value(&bytes, key) {
                return Found::Part(line.span.start);
            }
            if fence(&bytes).is_some_and(|fence| fence.name > 0) {
                return Found::End;
            }
            ahead.at = line.next;
            ahead.looked = line.next;
        }
    }

    /// The bytes of a line that is not complete are decided when they can only be text of a value.
    fn decide(&mut self, text: &Text) {
        let tail = text.read(Span::new(self.at, self.at + 1));
        let plain = self.walker.is_opaque() && tail.first().is_some_and(|byte| !matches!(byte, b'^' | b'-'));
        self.decided = if plain { text.len() } else { self.at };
    }

    /// Ends the block, by the fence if there is one.
    fn close(&mut self, text: &Text, end: Option<(Line, Fence)>, out: &mut Vec<ParseEvent>) -> Progress {
        let (body_end, call_end, status) = match end {
            Some((line, _)) => (line.span.start, line.span.end, Status::Complete),
            None => (text.len(), text.len(), Status::Unterminated),
        };
        let parts = CallParts {
            start: self.start,
            text_start: self.start,
            body: Span::new(self.body, body_end.max(self.body)),
            arguments: &[],
            status,
        };
        let Assembly { arguments, problems: found, error, .. } = read::read(&text.read(parts.body), parts);
        self.findings = Some(Findings { problems: found, error });
        let mut problems = Vec::new();
        if let Some((line, fence)) = end.filter(|(_, fence)| self.seen && fence.blanks > 0) {
            let blanks = Span::new(line.span.end - fence.blanks, line.span.end);
            problems.push(malformed::blanks_behind(blanks, &text.read(blanks), "the block does not end"));
        }
        if status == Status::Unterminated {
            let span = Span::new(self.start, self.body);
            let span = crate::text::trim(&text.read(span), self.start);
            let within = self.walker.value_key().map_or(String::new(), |key| {
                format!(", in the middle of the value of {}", String::from_utf8_lossy(key))
            });
            let message = format!("no ^^^ before the end of the text{within}");
            problems
                .push(Diagnostic::new(Code::UnterminatedCall, span, message).contrast("^^^", "the end of the text"));
        }
        out.extend(arguments.iter().map(|argument| ParseEvent::Argument(argument.marker.start)));
        out.extend(problems.into_iter().map(ParseEvent::of_call));
        out.push(ParseEvent::Close(Closing { body_end: parts.body.end, end: call_end, status }));
        Progress::Closed(call_end)
    }
}

impl CallParser for CaretParser {
    fn advance(&mut self, text: &Text, finished: bool, out: &mut Vec<ParseEvent>) -> Progress {
        loop {
            if let Some(mut ahead) = self.ahead.take() {
                match self.look_ahead(&mut ahead, text, finished) {
                    Found::Part(end) => self.accepted = end,
                    Found::End => return self.close(text, fence_of(text, ahead.fence), out),
                    Found::Wait => {
                        self.ahead = Some(ahead);
                        return Progress::Wait;
                    }
                }
            }
            let Some(line) = line_at(text, self.at, &mut self.looked, finished) else {
                if finished {
                    return self.close(text, None, out);
                }
                self.decide(text);
                return Progress::Wait;
            };
            let bytes = text.read(line.span);
            let in_value = self.walker.value_key().is_some();
            match fence(&bytes).filter(|_| line.span.start >= self.accepted) {
                Some(fence) if fence.name > 0 && in_value => self.opened = true,
                Some(fence) if fence.name > 0 => _ = self.merged.get_or_insert(line.span.start),
                Some(_) if in_value && !self.opened => {
                    self.decided = line.span.start;
                    self.ahead = Some(Ahead { fence: line, at: line.next, looked: line.next });
                    continue;
                }
                Some(fence) => return self.close(text, Some((line, fence)), out),
                None => {}
            }
            let plain = if line.next > line.span.end { bytes.strip_suffix(b"\r").unwrap_or(&bytes) } else { &bytes };
            self.walker.line(line.span.start, plain);
            self.opened &= self.walker.value_key().is_some();
            self.at = line.next;
            self.looked = line.next;
        }
    }

    fn take_findings(&mut self) -> Option<Findings> {
        self.findings.take()
    }

    fn decided(&self) -> usize {
        self.decided
    }

    fn merged(&self) -> Option<usize> {
        self.merged
    }

    fn expected(&self, _text: &Text) -> Expected {
        let line = |inside, words: &str| Expected::one(inside, Terminator::Line(words.to_owned()));
        let key = |key: Option<&[u8]>| key.map(|key| String::from_utf8_lossy(key).into_owned());
        match (key(self.walker.value_key()), key(self.walker.list_key())) {
            (Some(key), _) => line(OpenPart::Value(Some(key.clone())), &format!("--- {key}")),
            (None, Some(key)) => line(OpenPart::Value(Some(key)), "]"),
            (None, None) => line(OpenPart::Call, "^^^"),
        }
    }
}

/// The line at `at`, if its end has arrived; `looked` is where to look for it.
fn line_at(text: &Text, at: usize, looked: &mut usize, finished: bool) -> Option<Line> {
    let from = (*looked).max(at);
    if let Some(feed) = memchr(b'\n', text.since(from)) {
        let end = from + feed;
        return Some(Line { span: Span::new(at, end), next: end + 1 });
    }
    *looked = text.len();
    (finished && at < text.len()).then(|| Line { span: Span::new(at, text.len()), next: text.len() })
}

fn fence_of(text: &Text, line: Line) -> Option<(Line, Fence)> {
    fence(&text.read(line.span)).map(|fence| (line, fence))
}
