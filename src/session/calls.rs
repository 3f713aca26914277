//! The calls of a transcript, taken apart: each once when it ends, for its problems, and again for whoever looks at it.
//!
//! A call of the file's own records comes with its name and its id; its text is not searched for them. This module does
//! not know how calls are found in a text.

use super::{CallsSeen, Now, Session};
use crate::container::{CallWord, Container, NativeCall};
use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::{CallParts, Closing, Dialect, Header, Opening, ParseEvent, Status, Word, embedded_markup, native};
use crate::document::Call;
use crate::text::Span;
use crate::value::{Assembly, tree_builder::MAX_NODES};

/// Most bytes of a call that is taken apart; the tree of one and what is written of it take several times as many. A
/// record has the same limit.
pub const MAX_CALL: usize = 64 * 1024 * 1024;

/// Most bytes of a call that are taken apart for somebody who looks at it.
pub const MAX_DISSECTED: usize = 8 * 1024 * 1024;

/// Bytes in front of the end of a prefix in which a better place to end is looked for.
const EDGE: usize = 64 * 1024;

/// A call of the file's own, while its text arrives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RecordedCall {
    /// Offset of its first byte.
    pub(super) start: usize,
    call: NativeCall,
    /// Whether the document has it.
    is_open: bool,
}

impl RecordedCall {
    pub(super) fn new(start: usize, call: NativeCall) -> Self {
        Self { start, call, is_open: false }
    }

    /// The header, which is read as soon as all of its words are in the text.
    fn header(&self) -> Header {
        let word = |word: &CallWord| Word {
            span: Span::new(self.start + word.span.start, self.start + word.span.end),
            decoded: word.decoded.clone(),
        };
        Header { name: word(&self.call.name), id: self.call.id.as_ref().map(word), dependencies: Vec::new() }
    }
}

impl Session {
    /// The arguments and the parameter tree of the call that is item number `item`; of one beyond [`MAX_CALL`] or with
    /// more arguments than a JSON body may have values nothing but an error, which says so.
    pub fn dissect(&self, item: usize) -> Option<Assembly> {
        self.judge(item).map(|(assembly, _)| assembly)
    }

    /// Whether the call that is item number `item` is too large to be taken apart.
    pub fn is_too_large(&self, item: usize) -> bool {
        self.document.call(item).is_some_and(|call| too_large(&call).is_some())
    }

    /// The same of the first `most` bytes of a call or a little less, and of no more arguments than a JSON body may have
    /// values, so that one of any length can be looked at; and where they end, if that is not all of it. What is behind
    /// them is as if it had not arrived yet.
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
            // The marker of the last argument may not be all there.
            Some(last) if end - last < EDGE => (end, known) = (last, known - 1),
            _ => end = self.text.last_line_end(Span::new(call.body.start.max(end.saturating_sub(EDGE)), end)),
        }
        let parts = call.parts(self.document.text_start(call.span.start), &arguments[..known]);
        let parts = CallParts { body: Span::new(call.body.start, end), status: Status::Open, ..parts };
        Some((self.dissect_parts(call.dialect, parts)?, Some(end)))
    }

    /// The dialect with this name, if calls of it are read here.
    pub fn dialect(&self, name: &str) -> Option<&dyn Dialect> {
        let native = || (name == self.native.about().name).then_some(&self.native as &dyn Dialect);
        self.scanner.dialect(name).or_else(native)
    }

    fn dissect_parts(&self, dialect: &str, parts: CallParts<'_>) -> Option<Assembly> {
        let native = || (dialect == self.native.about().name).then(|| self.native.dissect(&self.text, parts));
        self.scanner.dissect(dialect, &self.text, parts).or_else(native)
    }

    /// The arguments and the parameter tree of a call, and whether the runtime refuses it.
    fn judge(&self, item: usize) -> Option<(Assembly, bool)> {
        let call = self.document.call(item)?;
        if let Some(words) = too_large(&call) {
            return Some((Assembly { error: Some(words), ..Assembly::default() }, false));
        }
        let dialect = self.dialect(call.dialect)?;
        let text_start = self.document.text_start(call.span.start);
        let mut assembly = self.dissect_parts(call.dialect, call.parts(text_start, call.arguments()))?;
        let violated = self.schemas.as_ref().filter(|_| call.status != Status::Open).is_some_and(|schemas| {
            let name = call.name.text(&self.text);
            schemas.apply(&name, dialect.about().typing, call.name.span, &mut assembly, &self.text)
        });
        let refused = violated || assembly.error.is_some();
        Some((assembly, refused))
    }

    /// A call has ended, perhaps one of the file's own: reports what is wrong in it. Whether the runtime refuses it.
    pub(super) fn judge_last_call(&mut self, recorded: Option<&NativeCall>) -> bool {
        let Some(item) = self.document.last_call() else { return false };
        let Some(call) = self.document.call(item) else { return false };
        // The file has given another call in its place, so that its faults are none.
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
            // A schema looks at the tree.
            _ if self.schemas.is_some() => None,
            Some(_) => Some(self.native.check(&self.text, parts)),
            None => self.scanner.check(call.dialect, &self.text, parts),
        };
        let (problems, refused) = match findings {
            Some(findings) => (findings.problems, findings.error.is_some()),
            None => self.judge(item).map(|(assembly, refused)| (assembly.problems, refused)).unwrap_or_default(),
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

    /// The last call, perhaps one of the file's own, may be answered by a record.
    fn await_answer(&mut self, recorded: Option<&NativeCall>) {
        if self.choice.is_some_and(|choice| choice.about.name != Container::PLAIN) {
            let outcome = recorded.and_then(|call| call.outcome);
            self.document.await_answer(recorded.is_some(), outcome, &self.text);
        }
    }

    /// More of a call of the file's own has come.
    pub(super) fn go_on_in_call(&mut self) {
        let Now::Call(call) = &mut self.now else { return };
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
            let opening = Opening { dialect: self.native.about(), marker, header, body: call.start, is_seen: true };
            self.document.apply(ParseEvent::open(opening), &self.text);
        }
        self.document.stretch(self.text.len());
    }

    /// A call of the file's own ends. It is cut off where its JSON text is.
    pub(super) fn end_call(&mut self, call: &RecordedCall, end: usize) {
        if !call.is_open {
            return self.document.apply(ParseEvent::Text(Span::new(call.start, end)), &self.text);
        }
        let closing = Closing { body_end: end, end, status: Status::Complete };
        self.document.apply(ParseEvent::Close(closing), &self.text);
        let refused = self.judge_last_call(Some(&call.call));
        if refused && native::is_cut_off(&self.text.read(Span::new(call.start, end))) {
            self.document.apply(ParseEvent::Close(Closing { status: Status::Unterminated, ..closing }), &self.text);
        }
    }
}

/// Why a call is not taken apart, if it is too large for that.
fn too_large(call: &Call<'_>) -> Option<String> {
    let what = if call.body.len() > MAX_CALL {
        format!("it has {} bytes, and at most {MAX_CALL} are read", call.body.len())
    } else if call.arguments().len() > MAX_NODES {
        format!("it has more than {MAX_NODES} arguments")
    } else {
        return None;
    };
    Some(format!("the call is not taken apart: {what}"))
}
