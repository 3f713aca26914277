//! Parser of an open gadget call, from the end of its header to the end of the call.
//!
//! Examines each byte once, for the boundaries of the call and its arguments.

use std::sync::Arc;

use super::{Format, Marker, Match};
use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::expected::key_line;
use crate::dialect::markdown_context::{LINE_HEAD, Placement};
use crate::dialect::{CallEnd, CallParser, Expected, OpenPart, ParseEvent, Progress, Status, Terminator};
use crate::text::byte_set::FEW;
use crate::text::{Span, Text};

#[derive(Clone)]
pub(super) struct GadgetParser {
    format: Arc<Format>,
    progress: BodyProgress,
}

/// State of scanning the body of a call.
#[derive(Clone)]
struct BodyProgress {
    /// Offset of the first byte of the call.
    start: usize,
    at: usize,
    /// Beginning of the current line.
    line: usize,
    /// True if the line must be checked for near misses when complete.
    noted: bool,
    /// Beginning of the line that was checked last.
    judged: Option<usize>,
    /// End of the marker of the open argument.
    argument: Option<usize>,
    /// True if the call began in a quotation, so that its other markers are quoted too.
    quoted: bool,
}

impl GadgetParser {
    pub(super) fn new(format: Arc<Format>, start: usize, body: usize, quoted: bool) -> Self {
        let progress = BodyProgress { start, at: body, line: body, noted: false, judged: None, argument: None, quoted };
        Self { format, progress }
    }
}

impl BodyProgress {
    /// Reports a marker that is effective although other text precedes it on its line.
    fn judge_placement(&self, marker: Marker, format: &Format, text: &Text, out: &mut Vec<ParseEvent>) {
        let expected = if self.quoted { Placement::Quotation } else { Placement::LineStart };
        let before = text.read(Span::new(self.line.max(self.at.saturating_sub(4096)), self.at));
        let marks = format.markers.marks_before(marker, &before);
        if marker != Marker::Start {
            let belong = if self.argument.is_some() { "is part of the value" } else { "is ignored" };
            out.extend(format.markers.marks_problem(marker, &before, self.at, belong).map(ParseEvent::of_call));
        }
        let before = &before[..before.len() - marks];
        let indented = before.iter().all(|byte| matches!(byte, b' ' | b'\t'));
        if indented
            || (expected == Placement::Quotation && before.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'>')))
        {
            return;
        }
        let span = Span::new(self.at, self.at + format.markers.text(marker).len());
        let effect = match marker {
            Marker::End => "ends the call anyway",
            Marker::Argument => "begins an argument anyway",
            Marker::Start => return,
        };
        let message = format!("the {marker} in the middle of a line {effect}");
        out.push(ParseEvent::of_call(Diagnostic::new(Code::MarkerMidLine, span, message)));
    }

    /// Checks a line of the body for a near miss when it is complete or interrupted by a marker.
    fn judge_line(&mut self, format: &Format, text: &Text, out: &mut Vec<ParseEvent>) {
        let head = Span::new(self.line, self.at.min(self.line + LINE_HEAD));
        if !self.noted || self.judged == Some(head.start) {
            return;
        }
        self.judged = Some(head.start);
        if let Some(near) = format.near.find(&text.read(head)) {
            out.push(ParseEvent::of_call(near.diagnostic(head.start, true)));
        }
    }

    /// Ends the call before an end marker of `end_marker` bytes, which is 0 if there is none.
    fn close(&self, end_marker: usize, status: Status, out: &mut Vec<ParseEvent>) -> Progress {
        let end = self.at + end_marker;
        out.push(ParseEvent::Close(CallEnd { body_end: self.at, end, status }));
        Progress::Closed(end)
    }

    /// Implements [`CallParser::skip_plain`].
    fn pass(&mut self, Format { marks, heads, .. }: &Format, text: &Text) -> bool {
        let bytes = text.since(self.at);
        if bytes.len() > FEW {
            return false;
        }
        let is_noted = |line: &[u8]| heads.lines(line).has_dialects();
        let (mut line, mut noted) = (self.line, self.noted);
        if self.at == line {
            noted = is_noted(bytes);
        }
        for place in marks.places(bytes) {
            if noted || bytes[place] != b'\n' {
                return false;
            }
            line = self.at + place + 1;
            noted = is_noted(&bytes[place + 1..]);
        }
        (self.line, self.noted, self.at) = (line, noted, text.len());
        true
    }

    /// Implements [`CallParser::advance`], with a borrowed format.
    fn advance(&mut self, format: &Format, text: &Text, finished: bool, out: &mut Vec<ParseEvent>) -> Progress {
        let Format { markers, marks, heads, .. } = format;
        let from = self.at;
        let bytes = text.since(from);
        let is_noted = |line: &[u8]| heads.lines(line).has_dialects();
        let mut line = self.line;
        if from == line {
            self.noted = is_noted(bytes);
        }
        for (stretch, places) in marks.matching_blocks(bytes) {
            for place in places {
                let offset = stretch + place;
                let at = from + offset;
                let ahead = &bytes[offset..];
                if ahead[0] == b'\n' {
                    if self.noted {
                        (self.line, self.at) = (line, at);
                        self.judge_line(format, text, out);
                    }
                    line = at + 1;
                    self.noted = is_noted(&ahead[1..]);
                    continue;
                }
                let within_argument = self.argument.is_some_and(|end| at < end);
                match markers.in_body(ahead, finished, within_argument) {
                    Match::None => {}
                    Match::Partial => {
                        (self.line, self.at) = (line, at);
                        return Progress::Wait;
                    }
                    Match::Full(marker) => {
                        (self.line, self.at) = (line, at);
                        if at == line {
                            // A line that begins with a marker is not a near miss.
                            self.noted = false;
                        } else {
                            self.judge_line(format, text, out);
                            self.judge_placement(marker, format, text, out);
                        }
                        match marker {
                            Marker::End => return self.close(markers.end.len(), Status::Complete, out),
                            Marker::Start => return self.close(0, Status::Implicit, out),
                            Marker::Argument => {
                                // In a call of more than 4 GiB, later arguments remain part of the preceding value.
                                if u32::try_from(self.at - self.start).is_ok() {
                                    out.push(ParseEvent::Argument(self.at));
                                }
                                self.argument = Some(self.at + markers.argument.len());
                            }
                        }
                    }
                }
            }
        }
        (self.line, self.at) = (line, text.len());
        if !finished {
            return Progress::Wait;
        }
        self.judge_line(format, text, out);
        self.close(0, Status::Unterminated, out)
    }
}

impl CallParser for GadgetParser {
    fn advance(&mut self, text: &Text, finished: bool, out: &mut Vec<ParseEvent>) -> Progress {
        self.progress.advance(&self.format, text, finished, out)
    }

    fn skip_plain(&mut self, text: &Text) -> bool {
        self.progress.pass(&self.format, text)
    }

    fn decided(&self) -> usize {
        self.progress.at
    }

    fn expected(&self, text: &Text) -> Expected {
        let markers = &self.format.markers;
        let next = |inside| Expected::texts(inside, [markers.text(Marker::Argument), markers.text(Marker::End)]);
        let Some(argument) = self.progress.argument else { return next(OpenPart::Call) };
        match key_line(&text.read(Span::new(argument, text.len().min(argument + 1024)))) {
            Some(key) => next(OpenPart::Value(Some(key))),
            None => Expected::one(OpenPart::Key, Terminator::Words("the end of the line")),
        }
    }
}
