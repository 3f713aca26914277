//! A gadget call under way: from behind its header to whatever ends it.
//!
//! Looks at each byte once, for where the call and its arguments begin and end. This module does not know how headers
//! are written, or what arguments become.

use std::sync::Arc;

use super::{Format, Marker, Match};
use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::expected::key_line;
use crate::dialect::markdown_context::Placement;
use crate::dialect::prefilter::{FENCE, Who};
use crate::dialect::{
    CallParser, Closing, Expected, MarkdownContext, OpenPart, ParseEvent, Progress, Status, Terminator,
};
use crate::text::{Span, Text};

#[derive(Clone)]
pub(super) struct GadgetParser {
    format: Arc<Format>,
    start: usize,
    body: usize,
    at: usize,
    /// Whether the current line is looked at when it is complete, and why.
    noted: Who,
    /// Beginning of the line that was judged last.
    judged: Option<usize>,
    /// Behind the marker of the argument that is open.
    argument: Option<usize>,
    /// Whether the call began in a quotation, so that its other markers are quoted too.
    quoted: bool,
}

impl GadgetParser {
    pub(super) fn new(format: Arc<Format>, start: usize, body: usize, quoted: bool) -> Self {
        Self { format, start, body, at: body, noted: 0, judged: None, argument: None, quoted }
    }

    /// A marker that acts, though it stands behind other text.
    fn judge_placement(&self, marker: Marker, text: &Text, markdown: &MarkdownContext, out: &mut Vec<ParseEvent>) {
        let expected = if self.quoted { Placement::Quotation } else { Placement::LineStart };
        let line = markdown.line_start().max(self.body);
        let before = text.read(Span::new(line.max(self.at.saturating_sub(4096)), self.at));
        let indented = before.iter().all(|byte| matches!(byte, b' ' | b'\t'));
        if indented
            || (expected == Placement::Quotation && before.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'>')))
        {
            return;
        }
        let span = Span::new(self.at, self.at + self.format.markers.text(marker).len());
        let effect = match marker {
            Marker::End => "ends the call all the same",
            Marker::Argument => "begins an argument all the same",
            Marker::Start => return,
        };
        let message = format!("the {} in the middle of a line {effect}", marker.word());
        out.push(ParseEvent::of_call(Diagnostic::new(Code::MarkerMidLine, span, message)));
    }

    /// A line of the body is complete, or interrupted by a marker: is it almost one?
    fn judge_line(&mut self, text: &Text, markdown: &MarkdownContext, out: &mut Vec<ParseEvent>) {
        let start = markdown.line_start();
        if self.noted & !FENCE == 0 || start < self.body || self.judged == Some(start) {
            return;
        }
        self.judged = Some(start);
        if let Some(near) = self.format.near.find(&markdown.head(text, self.at)) {
            out.push(ParseEvent::of_call(near.diagnostic(start, true)));
        }
    }

    /// Ends the call in front of `end_marker`, which is empty where there is none.
    fn close(&self, end_marker: usize, status: Status, out: &mut Vec<ParseEvent>) -> Progress {
        let end = self.at + end_marker;
        out.push(ParseEvent::Close(Closing { body_end: self.at, end, status }));
        Progress::Closed(end)
    }
}

impl CallParser for GadgetParser {
    fn advance(
        &mut self,
        text: &Text,
        finished: bool,
        markdown: &mut MarkdownContext,
        out: &mut Vec<ParseEvent>,
    ) -> Progress {
        if self.at == self.body && markdown.line_start() < self.body {
            // The line feed that ended the header.
            markdown.end_call_line(text, self.body - 1);
        }
        let Format { markers, marks, heads, .. } = &*Arc::clone(&self.format);
        let from = self.at;
        let bytes = text.since(from);
        let mut line = markdown.line_start();
        if from == line {
            self.noted = heads.lines(bytes);
        }
        for (stretch, places) in marks.stretches(bytes) {
            for place in places {
                let offset = stretch + place;
                let at = from + offset;
                let ahead = &bytes[offset..];
                if ahead[0] == b'\n' {
                    if self.noted != 0 {
                        markdown.pass_to(line);
                        self.at = at;
                        self.judge_line(text, markdown, out);
                        markdown.end_call_line(text, at);
                    }
                    line = at + 1;
                    self.noted = heads.lines(&ahead[1..]);
                    continue;
                }
                let within_argument = self.argument.is_some_and(|end| at < end);
                match markers.in_body(ahead, finished, within_argument) {
                    Match::None => {}
                    Match::Partial => {
                        markdown.pass_to(line);
                        self.at = at;
                        return Progress::Wait;
                    }
                    Match::Full(marker) => {
                        markdown.pass_to(line);
                        self.at = at;
                        if at == line {
                            // What begins with a marker is not almost one.
                            self.noted &= FENCE;
                        } else {
                            self.judge_line(text, markdown, out);
                            self.judge_placement(marker, text, markdown, out);
                        }
                        match marker {
                            Marker::End => return self.close(markers.end.len(), Status::Complete, out),
                            Marker::Start => return self.close(0, Status::Implicit, out),
                            Marker::Argument => {
                                // A call of more than 4 GiB: its later arguments stay part of the value before them.
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
        markdown.pass_to(line);
        self.at = text.len();
        if !finished {
            return Progress::Wait;
        }
        self.judge_line(text, markdown, out);
        self.close(0, Status::Unterminated, out)
    }

    fn decided(&self) -> usize {
        self.at
    }

    fn merged(&self) -> Option<usize> {
        None
    }

    fn expected(&self, text: &Text) -> Expected {
        let markers = &self.format.markers;
        let next = |inside| Expected::texts(inside, [markers.argument(), markers.end()]);
        let Some(argument) = self.argument else { return next(OpenPart::Call) };
        match key_line(&text.read(Span::new(argument, text.len().min(argument + 1024)))) {
            Some(key) => next(OpenPart::Value(Some(key))),
            None => Expected::one(OpenPart::Key, Terminator::Words("the end of the line")),
        }
    }
}
