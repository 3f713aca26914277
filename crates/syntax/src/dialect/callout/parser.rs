//! Parser of an open callout: reads line by line, up to the first line that is not part of it.
//!
//! Between two steps the position is the end of a line of the call, before the line feed. The contents of the lines
//! are interpreted at the end.

use memchr::memchr;

use super::{Match, begins};
use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::markdown_context::LINE_HEAD;
use crate::dialect::{
    CallEnd, CallParser, CallParts, Expected, LateHeader, OpenPart, ParseEvent, ProbePoint, Progress, Status,
    Terminator,
};
use crate::text::{Span, Text};
use crate::value::{Assembly, Findings};

#[derive(Clone)]
pub(super) struct CalloutParser {
    start: usize,
    /// Offset at which the containing text begins.
    text_start: usize,
    /// End of the header line.
    body: usize,
    /// End of the last complete line of the call.
    at: usize,
    /// Spaces before the header's `>`; the other lines may have as many.
    blanks: usize,
    /// Offset up to which the end of the next line has been searched for.
    looked: usize,
    /// Problems of the call, once it has ended.
    findings: Option<Findings>,
}

enum Next {
    Wait,
    Body,
    End,
    Header,
}

impl CalloutParser {
    pub(super) fn new(place: ProbePoint<'_>, body: usize, blanks: usize) -> Self {
        let ProbePoint { at: start, text_start, .. } = place;
        Self { start, text_start, body, at: body, blanks, looked: body, findings: None }
    }

    /// Classifies the line that `line` begins with.
    fn next(&self, line: &[u8], finished: bool) -> Next {
        let blanks = line.iter().take(self.blanks).take_while(|&&byte| byte == b' ').count();
        match line.get(blanks) {
            None if finished => Next::End,
            // A callout quoted as a value may have two spaces before it.
            Some(b'>') => match begins(&line[blanks..], 1, finished) {
                Match::Full { .. } => Next::Header,
                Match::Partial => Next::Wait,
                Match::None => Next::Body,
            },
            Some(b'\n') => Next::End,
            Some(_) if finished || line.len() >= LINE_HEAD || memchr(b'\n', line).is_some() => Next::End,
            None | Some(_) => Next::Wait,
        }
    }

    fn close(&mut self, text: &Text, status: Status, out: &mut Vec<ParseEvent>) -> Progress {
        let body = Span::new(self.body, self.at);
        let (start, text_start) = (self.start, self.text_start);
        let facts = super::read(text, CallParts { start, text_start, body, arguments: &[], status });
        self.findings = Some(close_with(facts, CallEnd { body_end: self.at, end: self.at, status }, out));
        Progress::Closed(self.at)
    }
}

/// Emits the name, id and arguments found in a body, and the end of the call; returns the problems.
pub(crate) fn close_with(facts: super::Fields, closing: CallEnd, out: &mut Vec<ParseEvent>) -> Findings {
    if facts.name.is_some() || facts.id.is_some() {
        out.push(ParseEvent::Named(Box::new(LateHeader { name: facts.name, id: facts.id })));
    }
    let Assembly { arguments, problems, error, .. } = facts.assembly;
    out.extend(arguments.iter().map(|argument| ParseEvent::Argument(argument.pointer.start)));
    out.push(ParseEvent::Close(closing));
    Findings { problems, error }
}

/// Reports a line that looks like a continuation of the body.
fn lazy_line(line: &[u8], at: usize) -> Option<Diagnostic> {
    let line = &line[..memchr(b'\n', line).unwrap_or(line.len()).min(LINE_HEAD)];
    let content = line.trim_ascii_start();
    let key = content.iter().take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')).count();
    let field = key > 0 && content.get(key) == Some(&b':') && matches!(content.get(key + 1), None | Some(b' ' | b'\r'));
    let indented = content.len() < line.len();
    let entry = content.starts_with(b"- ") || content.starts_with(b">") || field;
    if !entry || !(indented || field && content[0].is_ascii_lowercase()) {
        return None;
    }
    let span = Span::new(at + line.len() - content.len(), at + line.trim_ascii_end().len());
    let message = "the call ends before this line, which does not begin with >";
    Some(Diagnostic::new(Code::CalloutLazyLine, span, message).contrast(">", String::from_utf8_lossy(&line[..1])))
}

impl CallParser for CalloutParser {
    fn advance(&mut self, text: &Text, finished: bool, out: &mut Vec<ParseEvent>) -> Progress {
        loop {
            let Some((_, line)) = text.since(self.at).split_first() else {
                return if finished { self.close(text, Status::Complete, out) } else { Progress::Wait };
            };
            match self.next(line, finished) {
                Next::Wait => return Progress::Wait,
                Next::Header => return self.close(text, Status::Implicit, out),
                Next::End => {
                    let step = self.close(text, Status::Complete, out);
                    if let Some(problem) = lazy_line(line, self.at + 1).filter(|_| !line.is_empty()) {
                        // The line is after the call, in prose.
                        let diagnostic = problem.related(Span::new(self.start, self.body), "the call whose body ends");
                        out.push(ParseEvent::of_prose(diagnostic));
                    }
                    return step;
                }
                Next::Body => {
                    let start = self.at + 1;
                    let looked = self.looked.max(start) - start;
                    let end = match memchr(b'\n', &line[looked..]) {
                        Some(feed) => start + looked + feed,
                        None if finished => text.len(),
                        None => {
                            self.looked = text.len();
                            return Progress::Wait;
                        }
                    };
                    self.at = end;
                }
            }
        }
    }

    fn take_findings(&mut self) -> Option<Findings> {
        self.findings.take()
    }

    fn decided(&self) -> usize {
        self.at
    }

    fn expected(&self, _text: &Text) -> Expected {
        Expected::one(OpenPart::Call, Terminator::Words("a line that does not begin with >"))
    }
}
