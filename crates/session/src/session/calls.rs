//! Dissects the calls of a transcript: once when a call ends, for its problems, and again when it is displayed.
//!
//! A call in the records of the file arrives with its name and its id; its text is not searched for them. How calls are
//! found in a text is left to the scanner.

use super::{CallsSeen, Session, TextRegion};
use crate::container::{CallString, Container, NativeCall};
use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::{CallEnd, CallParts, Dialect, Header, Opening, ParseEvent, Status, Word, embedded_markup, native};
use crate::document::Call;
use crate::text::Span;
use crate::value::{Assembly, tree_builder::MAX_NODES};

/// Maximum size of a call that is dissected, in bytes; its tree and its outputs take several times as much memory.
/// Records have the same limit.
pub const MAX_CALL: usize = 64 * 1024 * 1024;

/// Maximum size in bytes of the part of a call that is dissected for display.
pub const MAX_DISSECTED: usize = 8 * 1024 * 1024;

/// Bytes before the end of a prefix that are searched for a better end.
const EDGE: usize = 64 * 1024;

/// A call in the records of the file, while its text arrives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RecordedCall {
    /// Offset of its first byte.
    pub(super) start: usize,
    call: NativeCall,
    /// True once the call is in the document.
    is_open: bool,
}

impl RecordedCall {
    pub(super) fn new(start: usize, call: NativeCall) -> Self {
        Self { start, call, is_open: false }
    }

    /// The header, available once its words are in the text.
    fn header(&self) -> Header {
        let word = |word: &CallString| Word {
            span: Span::new(self.start + word.span.start, self.start + word.span.end),
            decoded: word.decoded.clone(),
        };
        Header { name: word(&self.call.name), id: self.call.id.as_ref().map(word), dependencies: Vec::new() }
    }
}

impl Session {
    /// The arguments and the parameter tree of the call that is item number `item`. For a call larger than
    /// [`MAX_CALL`], or with more arguments than a JSON body may have values, only an error that states the limit.
    pub fn dissect(&self, item: usize) -> Option<Assembly> {
        self.dissect_and_check(item).map(|(assembly, _)| assembly)
    }

    /// True if the call that is item number `item` is too large to be dissected.
    pub(crate) fn is_too_large(&self, item: usize) -> bool {
        self.document.call(item).is_some_and(|call| too_large(&call).is_some())
    }

    /// Like [`Session::dissect`], for about the first `most` bytes of a call, and for at most as many arguments as a
    /// JSON body may have values, so that a call of any length can be displayed. Also returns the end of that prefix,
    /// if it is not the whole call. The prefix is treated as if nothing after it had arrived yet.
    pub fn dissect_prefix(&self, item: usize, most: usize) -> Option<(Assembly, Option<usize>)> {
        let call = self.document.call(item)?;
        let arguments = call.arguments();
        let place = |offset: u32| call.span.start + offset as usize;
        let further = arguments.get(MAX_NODES).map(|&offset| place(offset));
        if call.body.len() <= most && further.is_none() {
            return Some((self.dissect(item)?, None));
        }
        let mut end = further.unwrap_or(usize::MAX).min(call.body.start + most);
        let mut known = arguments.partition_point(|&offset| place(offset) < end);
        match arguments[..known].last().map(|&offset| place(offset)) {
            // The marker of the last argument may be incomplete.
            Some(last) if end - last < EDGE => (end, known) = (last, known - 1),
            _ => end = self.text.last_line_end(Span::new(call.body.start.max(end.saturating_sub(EDGE)), end)),
        }
        let parts = call.parts(self.document.text_start(call.span.start), &arguments[..known]);
        let parts = CallParts { body: Span::new(call.body.start, end), status: Status::Open, ..parts };
        Some((self.dissect_parts(call.dialect, parts)?, Some(end)))
    }

    /// The dialect with this name, if its calls are read here.
    pub fn dialect(&self, name: &str) -> Option<&dyn Dialect> {
        let native = || (name == self.native.info().name).then_some(&self.native as &dyn Dialect);
        self.scanner.dialect(name).or_else(native)
    }

    fn dissect_parts(&self, dialect: &str, parts: CallParts<'_>) -> Option<Assembly> {
        let native = || (dialect == self.native.info().name).then(|| self.native.dissect(&self.text, parts));
        self.scanner.dissect(dialect, &self.text, parts).or_else(native)
    }

    /// The arguments and the parameter tree of a call, and whether the runtime rejects it.
    fn dissect_and_check(&self, item: usize) -> Option<(Assembly, bool)> {
        let call = self.document.call(item)?;
        if let Some(words) = too_large(&call) {
            return Some((Assembly { error: Some(words), ..Assembly::default() }, false));
        }
        let dialect = self.dialect(call.dialect)?;
        let text_start = self.document.text_start(call.span.start);
        let mut assembly = self.dissect_parts(call.dialect, call.parts(text_start, call.arguments()))?;
        let violated = self.schemas.as_ref().filter(|_| call.status != Status::Open).is_some_and(|schemas| {
            let name = call.name.text(&self.text);
            schemas.apply(&name, dialect.info().typing, call.name.span, &mut assembly, &self.text)
        });
        let refused = violated || assembly.error.is_some();
        Some((assembly, refused))
    }

    /// Reports the problems of the call that has just ended, possibly one of the file's records. True if the runtime
    /// rejects it.
    pub(super) fn judge_last_call(&mut self, recorded: Option<&NativeCall>) -> bool {
        let Some(item) = self.document.last_call() else { return false };
        let Some(call) = self.document.call(item) else { return false };
        // The file has replaced the call, so its faults do not count.
        if recorded.is_some() && self.document.is_withdrawn(item) {
            return false;
        }
        if let Some(words) = too_large(&call) {
            let place = if call.name.span.is_empty() { call.marker } else { call.name.span };
            self.document.report(&Diagnostic::new(Code::CallTooLarge, place, words).item(Some(item)));
            self.await_answer(recorded);
            return false;
        }
        let embedded = embedded_markup::find(call.dialect, self.scanner.dialects(), &self.text, call.body);
        let parts = call.parts(self.document.text_start(call.span.start), call.arguments());
        let findings = match recorded {
            // Schemas are applied to the tree.
            _ if self.schemas.is_some() => None,
            Some(_) => Some(self.native.check(&self.text, parts)),
            None => self.scanner.check(call.dialect, &self.text, parts),
        };
        let (problems, refused) = match findings {
            Some(findings) => (findings.problems, findings.error.is_some()),
            None => {
                self.dissect_and_check(item).map(|(assembly, refused)| (assembly.problems, refused)).unwrap_or_default()
            }
        };
        if refused {
            self.document.refuse(item);
        }
        self.document.report_all(problems, Some(item));
        if let Some(problem) = embedded {
            self.document.report(&problem.item(Some(item)));
        }
        self.await_answer(recorded);
        refused
    }

    /// Marks the last call, possibly one of the file's records, as one that a record may answer.
    fn await_answer(&mut self, recorded: Option<&NativeCall>) {
        if self.choice.is_some_and(|choice| choice.about.name != Container::PLAIN) {
            let outcome = recorded.and_then(|call| call.outcome);
            self.document.await_answer(recorded.is_some(), outcome, &self.text);
        }
    }

    /// Updates a call in the records of the file after more of it has arrived.
    pub(super) fn continue_call(&mut self) {
        let TextRegion::Call(call) = &mut self.now else { return };
        if !call.is_open {
            let header = call.header();
            if self.text.len() < header.id.as_ref().map_or(0, |id| id.span.end).max(header.name.span.end) {
                return;
            }
            call.is_open = true;
            if self.calls_seen == CallsSeen::None {
                self.calls_seen = CallsSeen::Recorded;
            }
            let marker = Span::at(call.start);
            let opening = Opening { dialect: self.native.info(), marker, header, body: call.start, is_seen: true };
            self.document.apply(ParseEvent::open(opening), &self.text);
        }
        self.document.extend_open_call(self.text.len());
    }

    /// Ends a call in the records of the file. Whether it is cut off depends on its JSON text.
    pub(super) fn end_call(&mut self, call: &RecordedCall, end: usize) {
        if !call.is_open {
            return self.document.apply(ParseEvent::Text(Span::new(call.start, end)), &self.text);
        }
        let closing = CallEnd { body_end: end, end, status: Status::Complete };
        self.document.apply(ParseEvent::Close(closing), &self.text);
        let refused = self.judge_last_call(Some(&call.call));
        if refused && native::is_cut_off(&self.text.read(Span::new(call.start, end))) {
            self.document.apply(ParseEvent::Close(CallEnd { status: Status::Unterminated, ..closing }), &self.text);
        }
    }
}

/// The reason why a call is too large to be dissected, if it is.
fn too_large(call: &Call<'_>) -> Option<String> {
    let what = if call.body.len() > MAX_CALL {
        format!("it has {} bytes, and at most {MAX_CALL} are read", call.body.len())
    } else if call.arguments().len() > MAX_NODES {
        format!("it has more than {MAX_NODES} arguments")
    } else {
        return None;
    };
    Some(format!("call too large to parse: {what}"))
}
