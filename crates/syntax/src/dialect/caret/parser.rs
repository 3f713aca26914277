//! Parser of an open block, from the end of its opening fence to the end of the block.
//!
//! A closing fence inside of a multi-line value belongs to the value if the value's end follows and no block opens
//! before it; otherwise it ends the block, as in the runtime. Such a fence is therefore undecided until the following
//! text arrives. Each byte is examined a bounded number of times.

use memchr::memchr;

use super::line::{Fence, ends_value, fence};
use super::walk::{Rules, Walker};
use super::{malformed, read};
use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::{CallEnd, CallParser, CallParts, Expected, OpenPart, ParseEvent, Progress, Status, Terminator};
use crate::text::{Span, Text};
use crate::value::{Assembly, Findings};

/// Maximum distance, in bytes, from a fence to the end of the value that contains it. A fence further from that end
/// closes the block, so that an unclosed value does not hold up a long transcript.
pub(super) const FENCE_REACH: usize = 64 * 1024;

#[derive(Clone, Debug)]
pub(super) struct CaretParser {
    start: usize,
    body: usize,
    /// True if the runtime sees the opening fence.
    seen: bool,
    walker: Walker,
    /// Beginning of the next line.
    at: usize,
    /// Offset up to which no line feed follows `at`.
    looked: usize,
    decided: usize,
    /// Fences before this offset are part of the open value.
    accepted: usize,
    /// True if the open value contains an opening fence.
    opened: bool,
    /// The lookahead from a fence in a value.
    ahead: Option<Ahead>,
    /// Offset of the first opening fence outside of values.
    merged: Option<usize>,
    /// Problems of the call, once it has ended.
    findings: Option<Findings>,
}

#[derive(Clone, Copy, Debug)]
struct Line {
    /// Without its line feed.
    span: Span,
    next: usize,
}

/// A lookahead: the fence, the next line, and the offset up to which its end was searched for.
#[derive(Clone, Copy, Debug)]
struct Ahead {
    fence: Line,
    at: usize,
    looked: usize,
}

/// Result of the lookahead from a fence in a value.
enum FenceLookahead {
    /// The fence is part of the value, which ends at this offset.
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

    fn look_ahead(&self, ahead: &mut Ahead, text: &Text, finished: bool) -> FenceLookahead {
        let Some(key) = self.walker.value_key() else { return FenceLookahead::End };
        loop {
            if ahead.at > ahead.fence.next + FENCE_REACH {
                return FenceLookahead::End;
            }
            let Some(line) = line_at(text, ahead.at, &mut ahead.looked, finished) else {
                return if finished { FenceLookahead::End } else { FenceLookahead::Wait };
            };
            let bytes = text.read(line.span);
            if ends_value(&bytes, key) {
                return FenceLookahead::Part(line.span.start);
            }
            if fence(&bytes).is_some_and(|fence| fence.name > 0) {
                return FenceLookahead::End;
            }
            ahead.at = line.next;
            ahead.looked = line.next;
        }
    }

    /// Marks the bytes of an incomplete line as decided if they can only be text of a value.
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
            problems.push(malformed::spaces_after(blanks, &text.read(blanks), "the block does not end"));
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
        out.push(ParseEvent::Close(CallEnd { body_end: parts.body.end, end: call_end, status }));
        Progress::Closed(call_end)
    }
}

impl CallParser for CaretParser {
    fn advance(&mut self, text: &Text, finished: bool, out: &mut Vec<ParseEvent>) -> Progress {
        loop {
            if let Some(mut ahead) = self.ahead.take() {
                match self.look_ahead(&mut ahead, text, finished) {
                    FenceLookahead::Part(end) => self.accepted = end,
                    FenceLookahead::End => return self.close(text, fence_of(text, ahead.fence), out),
                    FenceLookahead::Wait => {
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

/// The line at `at`, if its end has arrived; the search for the end starts at `looked`.
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
