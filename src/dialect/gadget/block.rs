//! A gadget call under way: from behind its header to whatever ends it.
//!
//! Looks at each byte once, for where the call and its arguments begin and end. This module does not know how headers
//! are written, or what arguments become.

use super::{Marker, Markers, Match, near_miss::Detector};
use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::scan::Stops;
use crate::dialect::surroundings::Setting;
use crate::dialect::{Block, Closing, Event, Status, Step, Surroundings};
use crate::text::{Span, Text};

pub(super) struct GadgetBlock {
    markers: Markers,
    near: Detector,
    stops: Stops,
    start: usize,
    body: usize,
    at: usize,
    arguments: Vec<u32>,
    /// Beginning of the line that was judged last.
    judged: Option<usize>,
    /// Whether the call began in a quotation, so that its other markers are quoted too.
    quoted: bool,
}

impl GadgetBlock {
    pub(super) fn new(markers: Markers, start: usize, body: usize, quoted: bool) -> Self {
        let stops = Stops::new(markers.first_bytes());
        Self {
            near: Detector::new(&markers),
            markers,
            stops,
            start,
            body,
            at: body,
            arguments: Vec::new(),
            judged: None,
            quoted,
        }
    }

    /// A marker that acts, though it stands behind other text.
    fn judge_setting(&self, marker: Marker, text: &Text, surroundings: &Surroundings, out: &mut Vec<Event>) {
        let expected = if self.quoted { Setting::Quotation } else { Setting::LineStart };
        let line = surroundings.line_start().max(self.body);
        let before = text.read(Span::new(line.max(self.at.saturating_sub(4096)), self.at));
        let indented = before.iter().all(|byte| matches!(byte, b' ' | b'\t'));
        if indented || (expected == Setting::Quotation && before.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'>')))
        {
            return;
        }
        let span = Span::new(self.at, self.at + self.markers.text(marker).len());
        let effect = match marker {
            Marker::End => "ends the call all the same",
            Marker::Argument => "begins an argument all the same",
            Marker::Start => return,
        };
        let message = format!("the {} in the middle of a line {effect}", marker.word());
        out.push(Event::Problem { diagnostic: Diagnostic::new(Code::MarkerMidLine, span, message), of_call: true });
    }

    /// A line of the body is complete, or interrupted by a marker: is it almost one?
    fn judge_line(&mut self, text: &Text, surroundings: &Surroundings, out: &mut Vec<Event>) {
        let start = surroundings.line_start();
        if start < self.body || self.judged == Some(start) {
            return;
        }
        self.judged = Some(start);
        if let Some(near) = self.near.find(&surroundings.head(text, self.at)) {
            out.push(Event::Problem { diagnostic: near.diagnostic(start, true), of_call: true });
        }
    }

    /// Ends the call in front of `end_marker`, which is empty where there is none.
    fn close(&self, end_marker: usize, status: Status, out: &mut Vec<Event>) -> Step {
        let end = self.at + end_marker;
        out.push(Event::Close(Closing { body_end: self.at, end, status }));
        Step::Closed(end)
    }
}

impl Block for GadgetBlock {
    fn advance(&mut self, text: &Text, finished: bool, surroundings: &mut Surroundings, out: &mut Vec<Event>) -> Step {
        if self.at == self.body && surroundings.line_start() < self.body {
            // The line feed that ended the header.
            surroundings.end_call_line(text, self.body - 1);
        }
        loop {
            let ahead = text.since(self.at);
            let Some(stop) = self.stops.find(ahead) else {
                self.at = text.len();
                break;
            };
            self.at += stop;
            let ahead = &ahead[stop..];
            if ahead[0] == b'\n' {
                self.judge_line(text, surroundings, out);
                surroundings.end_call_line(text, self.at);
                self.at += 1;
                continue;
            }
            match self.markers.at(ahead, finished) {
                Match::None => self.at += 1,
                Match::Partial => return Step::Wait,
                Match::Full(marker) => {
                    self.judge_line(text, surroundings, out);
                    self.judge_setting(marker, text, surroundings, out);
                    match marker {
                        Marker::End => return self.close(self.markers.end.len(), Status::Complete, out),
                        Marker::Start => return self.close(0, Status::Implicit, out),
                        Marker::Argument => {
                            // A call of more than 4 GiB: its later arguments stay part of the value before them.
                            if let Ok(offset) = u32::try_from(self.at - self.start) {
                                self.arguments.push(offset);
                                out.push(Event::Argument(self.at));
                            }
                            self.at += self.markers.argument.len();
                        }
                    }
                }
            }
        }
        if !finished {
            return Step::Wait;
        }
        self.judge_line(text, surroundings, out);
        self.close(0, Status::Unterminated, out)
    }

    fn decided(&self) -> usize {
        self.at
    }
}
