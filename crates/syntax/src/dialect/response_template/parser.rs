//! Parser of an open region of calls, up to its closing marker or the end of the text.

use super::call::{self, ID, NAME};
use super::haystack::Haystack;
use super::matcher::{Match, Scan, SearchResult};
use super::pattern::Pattern;
use super::{ResponseTemplate, overwritten, region_value, value};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::dialect::event::LateHeader;
use crate::dialect::{
    CallEnd, CallParser, CallParts, Expected, Header, OpenPart, Opening, ParseEvent, Progress, Status, Terminator,
};
use crate::text::{Span, Text};
use crate::value::json::Arrival;
use crate::value::{ROOT, Value};

/// Reads a call, or the calls of a list, up to the end of their region.
#[derive(Clone)]
pub(super) struct TemplateParser {
    dialect: ResponseTemplate,
    field: usize,
    origin: usize,
    marker: Span,
    /// True if the header has the name; true if it has the id.
    known: (bool, bool),
    body: usize,
    scan: Scan,
    /// Offset up to which everything belongs to the body.
    decided: usize,
    /// Remaining events of a list whose end is known.
    rest: Vec<ParseEvent>,
    /// The final event of the region, once all others have been emitted.
    ended: Option<CallEnd>,
    /// Prose before the call that is lost if more follows the call.
    lost: Option<Span>,
    /// Searches for delimiters directly after the region.
    behind: Vec<Scan>,
}

impl TemplateParser {
    /// A parser for an opened call; `lost` is the prose before it that prose after it would overwrite.
    pub(super) fn new(
        dialect: ResponseTemplate,
        field: usize,
        origin: usize,
        opener: &Match,
        lost: Option<Span>,
    ) -> Self {
        let declared = &dialect.template.fields[field];
        let is_captured = |places| call::captured(declared, opener, places).is_some();
        let known = (is_captured(NAME), is_captured(ID));
        let body = opener.span.end;
        let mut scan = Scan::default();
        scan.seek(body);
        let marker = opener.span;
        Self {
            dialect,
            field,
            origin,
            marker,
            known,
            body,
            scan,
            decided: body,
            rest: Vec::new(),
            ended: None,
            lost,
            behind: Vec::new(),
        }
    }

    /// A parser for the calls of a list, whose region ends with `close`; opens the first call in `out`. If the list is
    /// empty, returns the end of the region as the error.
    pub(super) fn of_list(
        dialect: ResponseTemplate,
        (field, origin): (usize, usize),
        opener: &Match,
        close: Option<Span>,
        text: &Text,
        out: &mut Vec<ParseEvent>,
        lost: Option<Span>,
    ) -> Result<Self, usize> {
        let template = std::sync::Arc::clone(&dialect.template);
        let declared = &template.fields[field];
        let about = dialect.about;
        let start = opener.span.start;
        let mut parser = Self::new(dialect, field, origin, opener, lost);
        let (body_end, end) = close.map_or((text.len(), text.len()), |close| (close.start, close.end));
        let body = Span::new(parser.body, body_end);
        let list = value::read(&declared.content, &text.read(body), body.start, Arrival::Whole);
        let spans: Vec<Span> = match &list.tree.node(ROOT).value {
            Value::Array(elements) if !elements.is_empty() || list.refusal.is_none() => {
                elements.iter().map(|&element| list.tree.node(element).place).collect()
            }
            // The list is rejected as a whole, and shown as a single call.
            _ => vec![body],
        };
        let refusal =
            list.refusal.or_else(|| region_value::value(declared, text, body, Some(opener), Arrival::Whole).refusal);
        let status = if close.is_some() || declared.close.is_none() { Status::Complete } else { Status::Unterminated };
        let Some(last) = spans.len().checked_sub(1) else { return Err(end) };
        let mut events = Vec::new();
        let mut given = start;
        for (index, item) in spans.into_iter().enumerate() {
            let parts = CallParts { start: given, text_start: given, body: item, arguments: &[], status };
            let reading = call::reading(&template, text, parts);
            let header = Header {
                name: call::word(&reading.tree, NAME, text).unwrap_or_default(),
                id: call::word(&reading.tree, ID, text),
                dependencies: Vec::new(),
            };
            let marker = Span::new(given, item.start);
            events.push(ParseEvent::open(Opening { dialect: about, marker, header, body: item.start, is_seen: true }));
            if let (Some(refusal), None) = (&refusal, &reading.refusal) {
                let message = format!("all calls of the list are lost: {}", refusal.words.replace('\n', " "));
                let problem = Diagnostic::new(Code::ArgumentsForm, item, message).with_severity(Severity::Error);
                events.push(ParseEvent::of_call(
                    problem.help("correct the list: one element that cannot be read loses all"),
                ));
            }
            if index < last {
                let closing = CallEnd { body_end: item.end, end: item.end, status: Status::Complete };
                events.push(ParseEvent::Close(closing));
            } else {
                parser.ended = Some(CallEnd { body_end: item.end, end, status });
            }
            given = item.end;
        }
        out.push(events.remove(0));
        parser.rest = events;
        parser.decided = end;
        Ok(parser)
    }

    /// Searches for the end of the region; returns false if it has not arrived.
    fn find_end(&mut self, text: &Text, finished: bool, out: &mut Vec<ParseEvent>) -> bool {
        let template = std::sync::Arc::clone(&self.dialect.template);
        let field = &template.fields[self.field];
        let found = match &field.close {
            None if finished => SearchResult::Nothing,
            None => SearchResult::Pending(text.len()),
            Some(close) => {
                let hay = Haystack::arrived(text, self.decided, self.origin, finished);
                self.scan.find(close, &hay)
            }
        };
        let (body_end, end, status) = match found {
            SearchResult::Pending(at) => {
                self.decided = self.decided.max(at);
                return false;
            }
            SearchResult::Match(found) => (found.span.start, found.span.end, Status::Complete),
            // Without a closing marker, the end of the text is the regular end.
            SearchResult::Nothing if field.close.is_none() => (text.len(), text.len(), Status::Complete),
            SearchResult::Nothing => (text.len(), text.len(), Status::Unterminated),
        };
        self.name(Span::new(self.body, body_end), status, text, out);
        if status == Status::Unterminated {
            let end = field.close.as_ref().map(Pattern::words).unwrap_or_default();
            let problem = Diagnostic::new(Code::UnterminatedCall, self.marker, format!("no {end} after the call"));
            let problem = problem.contrast(end, "the end of the text");
            out.push(ParseEvent::of_call(problem));
        }
        self.decided = end;
        self.ended = Some(CallEnd { body_end, end, status });
        true
    }

    /// Emits the parts of the header that are in the body, and reports a region that ended inside of a string.
    fn name(&self, body: Span, status: Status, text: &Text, out: &mut Vec<ParseEvent>) {
        let start = self.marker.start;
        let parts = CallParts { start, text_start: start, body, arguments: &[], status };
        let reading = call::reading(&self.dialect.template, text, parts);
        let name = call::word(&reading.tree, NAME, text).filter(|_| !self.known.0);
        let id = call::word(&reading.tree, ID, text).filter(|_| !self.known.1);
        if name.is_some() || id.is_some() {
            out.push(ParseEvent::Named(Box::new(LateHeader { name, id })));
        }
        let is_cut = reading.refusal.is_some_and(|refusal| refusal.words.contains("Unterminated string"));
        if is_cut && status == Status::Complete {
            let field = &self.dialect.template.fields[self.field];
            let end = field.close.as_ref().map(Pattern::words).unwrap_or_default();
            let span = Span::new(body.end, (body.end + end.len()).min(text.len()));
            let message = format!("{end} inside of a JSON string ends the call");
            let problem = Diagnostic::new(Code::EndTagInString, span, message);
            out.push(ParseEvent::of_call(problem.help("write its first character as an escape inside of the string")));
        }
    }

    /// True if text of the implicit field follows the region; `None` while undecided.
    fn is_followed(&mut self, end: usize, text: &Text, finished: bool) -> Option<bool> {
        if text.len() <= end {
            return finished.then_some(false);
        }
        let template = std::sync::Arc::clone(&self.dialect.template);
        let hay = Haystack::arrived(text, end, self.origin, finished);
        let close = template.implicit.and_then(|field| template.fields[field].close.as_ref());
        let opens = template.fields.iter().filter_map(|field| field.open.as_ref());
        // A pattern with a gate cannot be decided here, since its text comes later.
        let patterns: Vec<&Pattern> = opens.chain(close).filter(|pattern| pattern.gate.is_none()).collect();
        self.behind.resize_with(patterns.len(), || {
            let mut scan = Scan::default();
            scan.seek(end);
            scan
        });
        let found: Vec<SearchResult> =
            self.behind.iter_mut().zip(patterns).map(|(scan, pattern)| scan.find_here(pattern, &hay)).collect();
        let is_marker = |found: &SearchResult| matches!(found, SearchResult::Match(found) if !found.span.is_empty());
        let is_pending = found.iter().any(|found| matches!(found, SearchResult::Pending(_)));
        if is_pending && !finished { None } else { Some(!found.iter().any(is_marker)) }
    }
}

impl CallParser for TemplateParser {
    fn advance(&mut self, text: &Text, finished: bool, out: &mut Vec<ParseEvent>) -> Progress {
        out.append(&mut self.rest);
        if self.ended.is_none() && !self.find_end(text, finished, out) {
            return Progress::Wait;
        }
        let Some(closing) = self.ended else { return Progress::Wait };
        if let Some(lost) = self.lost {
            let Some(is_followed) = self.is_followed(closing.end, text, finished) else { return Progress::Wait };
            if let (true, Some(field)) = (is_followed, self.dialect.template.implicit) {
                let name = &self.dialect.template.fields[field].name;
                let by = Span::new(closing.end, closing.end + 1);
                out.push(ParseEvent::of_prose(overwritten(name, lost, by)));
            }
        }
        out.push(ParseEvent::Close(closing));
        Progress::Closed(closing.end)
    }

    fn decided(&self) -> usize {
        self.ended.map_or(self.decided, |closing| closing.end)
    }

    fn expected(&self, _text: &Text) -> Expected {
        if self.ended.is_some() {
            return Expected::one(OpenPart::Tail, Terminator::Words("what follows the call, or the end of the text"));
        }
        let field = &self.dialect.template.fields[self.field];
        match &field.close {
            Some(close) => Expected::texts(OpenPart::Call, [close.words()]),
            None => Expected::one(OpenPart::Call, Terminator::Words("the end of the text")),
        }
    }
}
