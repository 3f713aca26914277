//! Parser of an open call between tags, from the end of its opening tag to the end of the call.
//!
//! A value ends at its own closing tag. The call's closing tag inside of a value is part of it, unless the tag is at
//! the end of its line and no call was opened in the value: then the value's closing tag is missing, and the call
//! ends.

use std::sync::Arc;

use super::body::Boundary;
use super::tag::{self, Read, Side, Tag};
use super::{BETWEEN, Body, Part, Shape, Wrapping, assemble, check};
use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::{self, CallEnd, CallParser, Expected, ParseEvent, Progress, Status, Terminator};
use crate::text::{Span, Text};

/// Maximum number of spaces after a closing tag that are skipped in search of the end of the line.
const BLANKS: usize = 64;

#[derive(Clone)]
pub(super) struct TagParser {
    shape: Arc<Shape>,
    start: usize,
    /// The opening tag of the wrapper around the call.
    wrapper: Option<Tag>,
    opening: Tag,
    at: usize,
    has_parameters: bool,
    inside: Inside,
    /// Offset of the text after the last tag.
    gap: usize,
    /// True if the body was complete without its closing marker.
    is_whole: bool,
    /// The closing tag of the call, after which the wrapper's may follow.
    ending: Option<Span>,
}

/// Construct at the current offset.
#[derive(Clone)]
enum Inside {
    Call,
    /// In the body, which ends where it is complete rather than at the next closing marker.
    Body(Boundary),
    Value {
        parameter: Tag,
        /// Number of calls that were opened in the value and not closed.
        depth: usize,
        /// True once a tag in the value has been reported.
        reported: bool,
    },
}

impl TagParser {
    pub(super) fn new(shape: Arc<Shape>, start: usize, wrapper: Option<Tag>, opening: Tag) -> Self {
        Self {
            start,
            wrapper,
            opening,
            at: opening.span.end,
            has_parameters: false,
            is_whole: false,
            inside: Boundary::new(&shape, opening.span.end).map_or(Inside::Call, Inside::Body),
            shape,
            gap: opening.span.end,
            ending: (opening.side == Side::Both).then_some(Span::at(opening.span.end)),
        }
    }

    /// Reports text before the current tag, outside of any value.
    fn judge_gap(&self, text: &Text, out: &mut Vec<ParseEvent>) {
        if self.shape.body != Body::Parameters {
            return;
        }
        let gap = Span::new(self.gap.min(self.at), self.at);
        out.extend(check::ignored(&self.shape, gap, !self.has_parameters, text).map(of_call));
    }

    /// Handles a tag between the parameters.
    fn in_call(&mut self, tag: Tag, text: &Text, out: &mut Vec<ParseEvent>) -> Option<Progress> {
        match (tag.part, tag.side) {
            (Part::Call, Side::Closing) => {
                self.judge_gap(text, out);
                let closers = |pair: usize| &self.shape.pairs[pair].close;
                if !self.shape.strict && closers(tag.pair) != closers(self.opening.pair) {
                    report(check::mismatched(&self.shape, self.opening, tag, text), out);
                }
                self.ending = Some(tag.span);
            }
            (Part::Call, _) | (Part::Wrapper, Side::Opening | Side::Both) => {
                if !self.shape.strict {
                    self.judge_gap(text, out);
                }
                return Some(self.close(tag.span.start, tag.span.start, Status::Implicit, text, out));
            }
            (Part::Wrapper, Side::Closing) => {
                self.judge_gap(text, out);
                return Some(self.close(tag.span.start, tag.span.end, Status::Implicit, text, out));
            }
            (Part::Parameter, Side::Closing) => {
                let written = text.read_str(tag.span);
                let message = format!("{written} ends nothing: a value before it ended too early");
                report(Diagnostic::new(Code::StrayEnd, tag.span, message), out);
                self.gap = tag.span.end;
            }
            (Part::Parameter, side) => {
                self.judge_gap(text, out);
                // In a call of more than 4 GiB, later parameters are ignored.
                if u32::try_from(tag.span.start - self.start).is_ok() {
                    self.has_parameters = true;
                    out.push(ParseEvent::Argument(tag.span.start));
                    if side == Side::Opening {
                        self.inside = Inside::Value { parameter: tag, depth: 0, reported: false };
                    }
                }
                self.gap = tag.span.end;
            }
        }
        self.at = tag.span.end;
        None
    }

    /// Handles a tag inside of a value; false while undecided.
    fn in_value(&mut self, tag: Tag, text: &Text, finished: bool, out: &mut Vec<ParseEvent>) -> bool {
        let Inside::Value { parameter, mut depth, mut reported } = self.inside else { return true };
        match (tag.part, tag.side) {
            (Part::Parameter, Side::Closing) => {
                if assemble::closes(&self.shape, text, parameter, tag) {
                    self.inside = Inside::Call;
                    self.gap = tag.span.end;
                    return true;
                }
            }
            (Part::Call, Side::Closing) if depth > 0 => depth -= 1,
            // Code fences are common in values.
            (Part::Call, Side::Closing) if text.read(tag.span).starts_with(b"```") => {}
            (Part::Call | Part::Wrapper, Side::Closing) => {
                let named = text.read_str(tag.name) == text.read_str(self.opening.name);
                let ours = if tag.part == Part::Wrapper {
                    self.wrapper.is_some() && depth == 0
                } else {
                    tag.name.is_empty() || named
                };
                if ours {
                    let Some(ends_line) = self.ends_line(tag, parameter, text, finished) else { return false };
                    if ends_line {
                        self.inside = Inside::Call;
                        self.gap = tag.span.start;
                        return true;
                    }
                }
            }
            (Part::Parameter, _) if self.shape.next_ends_value => {
                self.inside = Inside::Call;
                self.gap = tag.span.start;
                return true;
            }
            (Part::Call | Part::Parameter, _) => {
                if !self.shape.strict && !reported {
                    reported = true;
                    report(check::swallowed(&self.shape, parameter, tag, text), out);
                }
                depth += usize::from(tag.part == Part::Call && tag.side == Side::Opening);
            }
            (Part::Wrapper, _) => {}
        }
        self.inside = Inside::Value { parameter, depth, reported };
        true
    }

    /// True if the call's closing tag in a value is at the end of its line; `None` while undecided.
    fn ends_line(&self, tag: Tag, parameter: Tag, text: &Text, finished: bool) -> Option<bool> {
        let behind = text.since(tag.span.end);
        let blank = behind.iter().take(BLANKS).take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r')).count();
        match behind.get(blank) {
            None => finished.then_some(true),
            Some(b'\n') => Some(true),
            Some(&byte) if self.shape.may_begin(byte) => {
                let at = tag.span.end + blank;
                match tag::read(&self.shape, text.since(at), at, finished) {
                    Read::Partial => None,
                    Read::Tag(next) => Some(!assemble::closes(&self.shape, text, parameter, next)),
                    Read::None => Some(false),
                }
            }
            Some(_) => Some(false),
        }
    }

    /// Ends a call whose body is complete, after an optional closing marker.
    fn end_of_body(&self, text: &Text, finished: bool, out: &mut Vec<ParseEvent>) -> Progress {
        let behind = text.since(self.at);
        let blank = behind.iter().take(BETWEEN).take_while(|byte| byte.is_ascii_whitespace()).count();
        let at = self.at + blank;
        match behind.get(blank) {
            None if !finished && self.shape.pairs.iter().any(|pair| !pair.close.is_empty()) => Progress::Wait,
            Some(&byte) if self.shape.may_begin(byte) => match tag::read(&self.shape, text.since(at), at, finished) {
                Read::Partial => Progress::Wait,
                Read::Tag(tag) if tag.part == Part::Call && tag.side == Side::Closing => {
                    self.end(tag.span, text, finished, out)
                }
                Read::Tag(_) | Read::None => self.end(Span::at(self.at), text, finished, out),
            },
            _ => self.end(Span::at(self.at), text, finished, out),
        }
    }

    /// Ends a complete call, including the wrapper's closing tag if that immediately follows.
    fn end(&self, ending: Span, text: &Text, finished: bool, out: &mut Vec<ParseEvent>) -> Progress {
        let mut closer = None;
        let mut is_shared = false;
        if self.shape.pair(Part::Wrapper).is_some() {
            let behind = text.since(ending.end);
            let blank = behind.iter().take(BETWEEN).take_while(|byte| byte.is_ascii_whitespace()).count();
            match behind.get(blank) {
                None if !finished => return Progress::Wait,
                Some(&byte) if self.shape.may_begin(byte) => {
                    let at = ending.end + blank;
                    match tag::read(&self.shape, text.since(at), at, finished) {
                        Read::Partial => return Progress::Wait,
                        Read::Tag(tag) if tag.part == Part::Wrapper && tag.side == Side::Closing => closer = Some(tag),
                        Read::Tag(tag) => is_shared = tag.part == Part::Call && tag.side != Side::Closing,
                        Read::None => {}
                    }
                }
                _ => {}
            }
        }
        match (self.wrapper, closer) {
            _ if self.shape.wrapping == Wrapping::Group => {}
            (None, Some(closer)) => report(check::unopened_wrapper(closer, text), out),
            (Some(wrapper), None) if !is_shared => report(check::unclosed_wrapper(wrapper, text), out),
            _ => {}
        }
        let end = closer.map_or(ending.end, |tag| tag.span.end);
        self.close(ending.start, end, Status::Complete, text, out)
    }

    fn close(&self, body_end: usize, end: usize, status: Status, text: &Text, out: &mut Vec<ParseEvent>) -> Progress {
        if !self.shape.strict {
            out.extend(check::ending(&self.shape, self.opening, status, text).map(of_call));
        }
        if matches!(self.shape.body, Body::Json | Body::Object { .. }) {
            let body = Span::new(self.opening.span.end.min(body_end), body_end);
            out.extend(check::closers_inside(&self.shape, self.opening, body, text).into_iter().map(of_call));
        }
        out.push(ParseEvent::Close(CallEnd { body_end, end, status }));
        Progress::Closed(end)
    }
}

fn of_call(diagnostic: Diagnostic) -> ParseEvent {
    ParseEvent::of_call(diagnostic)
}

fn report(diagnostic: Diagnostic, out: &mut Vec<ParseEvent>) {
    out.push(of_call(diagnostic));
}

impl CallParser for TagParser {
    fn advance(&mut self, text: &Text, finished: bool, out: &mut Vec<ParseEvent>) -> Progress {
        loop {
            if let Some(ending) = self.ending {
                return self.end(ending, text, finished, out);
            }
            if let Inside::Body(boundary) = &mut self.inside {
                let Some(end) = boundary.advance(text, finished) else {
                    self.at = boundary.decided();
                    return Progress::Wait;
                };
                (self.at, self.gap) = (end.at, end.at);
                self.inside = Inside::Call;
                self.is_whole = end.is_whole;
            }
            if self.is_whole && self.shape.is_close_optional {
                return self.end_of_body(text, finished, out);
            }
            let Some(stop) = self.shape.next_place(text.since(self.at)) else { break };
            self.at += stop;
            let tag = match tag::read(&self.shape, text.since(self.at), self.at, finished) {
                Read::Partial => return Progress::Wait,
                Read::None => {
                    self.at += 1;
                    continue;
                }
                Read::Tag(tag) => tag,
            };
            if matches!(self.inside, Inside::Call) {
                if let Some(step) = self.in_call(tag, text, out) {
                    return step;
                }
                continue;
            }
            if !self.in_value(tag, text, finished, out) {
                return Progress::Wait;
            }
            // If the call's own tag ended the value, it is handled again.
            if !matches!(self.inside, Inside::Call) || self.gap == tag.span.end {
                self.at = tag.span.end;
            }
        }
        self.at = text.len();
        if !finished {
            return Progress::Wait;
        }
        self.close(self.at, self.at, Status::Unterminated, text, out)
    }

    fn decided(&self) -> usize {
        self.at
    }

    fn needed(&self) -> usize {
        match &self.inside {
            Inside::Body(boundary) => boundary.base().min(self.at),
            Inside::Call | Inside::Value { .. } => self.at,
        }
    }

    fn expected(&self, text: &Text) -> Expected {
        if self.ending.is_some() {
            return Expected::one(
                dialect::OpenPart::Tail,
                Terminator::Words("what may be the closing tag of its wrapper"),
            );
        }
        let closer = |tag: Tag| self.shape.closer(tag, text);
        match self.inside {
            Inside::Value { parameter, .. } => {
                let key = text.read_str(parameter.name).into_owned();
                Expected::texts(dialect::OpenPart::Value(Some(key)), [closer(parameter)])
            }
            Inside::Body(_) => Expected::one(dialect::OpenPart::Call, Terminator::Words("the end of its arguments")),
            Inside::Call => {
                let parameter = self.shape.pair(Part::Parameter);
                let parameter = parameter.map(|pair| String::from_utf8_lossy(pair.open.lead()).into_owned());
                Expected::texts(dialect::OpenPart::Call, parameter.into_iter().chain([closer(self.opening)]))
            }
        }
    }
}
