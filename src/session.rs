//! One transcript being read: its text, its parser and what they have found.
//!
//! Bytes go in as they come, and however they are cut the result is the same. A file of plain text is its own text; of
//! any other the text is decoded, and its pieces are read as what they are. This module does not know where the bytes
//! come from or who looks at the result.

mod original;
mod pieces;
mod reading;

use std::sync::Arc;

use crate::container::{Choice, Container, Message};
use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::foreign::Foreign;
use crate::dialect::native::Native;
use crate::dialect::scan::Scanner;
use crate::dialect::{self, Awaiting, Dialect, Event, Examples, Options, Parts, Status};
use crate::document::graph::{CallLabels, Graph};
use crate::document::{Call, Delta, Document};
use crate::params::{Assembly, json_text::MAX_NODES, schema::Schemas};
use crate::text::encoding::EncodingWatch;
use crate::text::store::{Backing, Paging};
use crate::text::{Lines, Position, Span, Text, Walk};

use original::Original;
use pieces::Now;

/// Bytes of a call that are taken apart for somebody who looks at it.
pub const LOOKED_INTO: usize = 8 * 1024 * 1024;

/// Bytes in front of the end of what is looked into in which a better place to end is looked for.
const EDGE: usize = 64 * 1024;

/// A transcript that is being read.
pub struct Session {
    text: Text,
    lines: Lines,
    encoding: EncodingWatch,
    container: Container,
    choice: Option<Choice>,
    /// The file, where the text is decoded from it, or may be.
    original: Option<Box<Original>>,
    scanner: Scanner,
    /// Reads the calls of a file's own records.
    records: Scanner,
    now: Now,
    /// The first item before those that are new of which something has changed.
    touched: usize,
    notices: Vec<String>,
    foreign: Foreign,
    schemas: Option<Arc<Schemas>>,
    document: Document,
    /// Room for what the scanner says.
    events: Vec<Event>,
    /// What was reported as lost.
    lost: Vec<Span>,
    finished: bool,
}

impl Session {
    /// An empty transcript.
    ///
    /// # Errors
    /// Names a dialect that does not exist.
    pub fn new(container: Container, options: &Options) -> Result<Self, String> {
        let scanner = Scanner::new(dialect::registry(options)?, options.examples);
        let mut document = Document::default();
        let plain = container.is_plain();
        if plain {
            document.begin_message(Message::default());
        }
        Ok(Self {
            choice: None,
            original: (!plain).then(|| Box::new(Original::new(container))),
            records: Scanner::new(vec![Box::<Native>::default()], Examples::Calls),
            now: Now::Text,
            touched: usize::MAX,
            notices: Vec::new(),
            text: Text::default(),
            lines: Lines::default(),
            encoding: EncodingWatch::default(),
            container,
            foreign: Foreign::new(&scanner.dialects().iter().map(|dialect| dialect.about().name).collect::<Vec<_>>()),
            scanner,
            schemas: options.schemas.clone(),
            document,
            events: Vec::new(),
            lost: Vec::new(),
            finished: false,
        })
    }

    /// A whole transcript with the default options.
    pub fn of(bytes: &[u8]) -> Self {
        Self::read(bytes, &Options::default()).expect("the default options name no dialect")
    }

    /// A whole transcript.
    ///
    /// # Errors
    /// Names a dialect that does not exist.
    pub fn read(bytes: &[u8], options: &Options) -> Result<Self, String> {
        let mut session = Self::new(Container::default(), options)?;
        session.push(bytes);
        session.finish();
        Ok(session)
    }

    /// Lets bytes leave memory that can be read again from `backing`, the first one at offset 0.
    pub fn back(&mut self, backing: Backing) {
        match &mut self.original {
            Some(original) => original.text.back(backing),
            None => self.text.back(backing),
        }
    }

    /// The same session once more, to be read on in its own way; none where the text is decoded from a file.
    pub fn fork(&self) -> Option<Self> {
        let is_plain = self.original.is_none();
        is_plain.then(|| Self {
            text: self.text.fork(),
            lines: self.lines.clone(),
            encoding: self.encoding.clone(),
            container: self.container,
            choice: self.choice,
            original: None,
            scanner: self.scanner.clone(),
            records: self.records.clone(),
            now: self.now,
            touched: self.touched,
            notices: self.notices.clone(),
            foreign: self.foreign.clone(),
            schemas: self.schemas.clone(),
            document: self.document.clone(),
            events: Vec::new(),
            lost: self.lost.clone(),
            finished: self.finished,
        })
    }

    /// Sets how much of the text stays in memory when it can be read again; before anything was taken in.
    pub fn set_paging(&mut self, paging: Paging) {
        self.text.set_paging(paging);
        if let Some(original) = &mut self.original {
            original.text.set_paging(paging);
        }
    }

    /// Reports what turned out to be lost since this was last asked: bytes that left memory and cannot be read again.
    /// Whether there was any.
    pub fn report_losses(&mut self) -> bool {
        let lost = self.text.lost();
        let unknown: Vec<Span> = lost.iter().copied().filter(|span| !self.lost.contains(span)).collect();
        for &span in &unknown {
            let message = format!("{} bytes are lost: the file is not what it was when they were read", span.len());
            self.document.report(&Diagnostic::new(Code::LostText, span, message));
        }
        self.lost = lost;
        !unknown.is_empty()
    }

    /// Takes in the bytes that follow; none are taken after the end.
    pub fn push(&mut self, bytes: &[u8]) -> Delta {
        let delta = self.delta();
        if self.finished {
            return delta;
        }
        match self.original.take() {
            None => self.read_on(bytes),
            Some(mut original) => {
                let batch = original.push(bytes);
                self.settle(original, batch);
            }
        }
        self.changed(delta)
    }

    /// The same text, as far as it has come, read with other options.
    ///
    /// # Errors
    /// Names a dialect that does not exist.
    pub fn again(&self, options: &Options) -> Result<Self, String> {
        Ok(self.read_into(Self::new(self.container, options)?))
    }

    /// The same file, as far as it has come, read into a session into which nothing has been read.
    pub fn read_into(&self, mut session: Self) -> Self {
        self.begin_in(&mut session);
        while self.go_on_in(&mut session) {}
        session
    }

    /// Prepares a session into which nothing has been read for reading the same file.
    pub fn begin_in(&self, session: &mut Self) {
        session.set_paging(self.text.paging());
        if let Some(backing) = self.file().backing() {
            session.back(backing.clone());
        }
    }

    /// Reads the next bytes of the same file into a session that has read those before. Whether there is more; without
    /// more, that session has ended if this one has.
    pub fn go_on_in(&self, session: &mut Self) -> bool {
        const SLICE: usize = 256 * 1024;
        let (file, start) = (self.file(), session.file().len());
        if start < file.len() {
            session.push(&file.read(Span::new(start, start + SLICE)));
            return true;
        }
        if self.finished {
            session.finish();
        }
        false
    }

    /// Nothing more arrives.
    pub fn finish(&mut self) -> Delta {
        let delta = self.delta();
        if !self.finished {
            if let Some(mut original) = self.original.take() {
                let batch = original.finish();
                self.settle(original, batch);
            }
            self.finished = true;
            for problem in self.encoding.finish() {
                self.document.report(&problem);
            }
            self.advance(self.original.is_none());
            self.document.finish(&self.text);
        }
        self.changed(delta)
    }

    /// The transcript text so far.
    pub fn text(&self) -> &Text {
        &self.text
    }

    /// Its lines.
    pub fn lines(&self) -> &Lines {
        &self.lines
    }

    /// What was found so far.
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// What the file was said to be.
    pub fn container(&self) -> Container {
        self.container
    }

    /// What the file is, and why; `None` while that cannot be told, and where it was said to be plain text.
    pub fn choice(&self) -> Option<Choice> {
        self.choice
    }

    /// The bytes of the file: the text itself, unless that is decoded.
    pub fn file(&self) -> &Text {
        self.original.as_ref().map_or(&self.text, |original| &original.text)
    }

    /// The lines of the file.
    pub fn file_lines(&self) -> &Lines {
        self.original.as_ref().map_or(&self.lines, |original| &original.lines)
    }

    /// Whether the file is known to be its own text.
    pub fn is_plain(&self) -> bool {
        self.original.is_none()
    }

    /// Whether the text is decoded from the file, so that the two differ, or may be.
    pub fn is_decoded(&self) -> bool {
        self.original.is_some()
    }

    /// The bytes of the file that a stretch of the text stands for.
    pub fn source_of(&self, span: Span) -> Span {
        self.original.as_ref().map_or(span, |original| original.source_of(span))
    }

    /// The stretches of the file that a stretch of the text was decoded from, in the order of the text; neighbours are one.
    pub fn sources(&self, span: Span) -> Vec<Span> {
        self.original.as_ref().map_or_else(|| vec![span], |original| original.sources(span))
    }

    /// Offset in the text of the first byte that comes from the byte of the file at `source` or from one behind it; the
    /// end of the text if none does.
    pub fn decoded_at(&self, source: usize) -> usize {
        let Some(original) = &self.original else { return source };
        original.reader().map().decoded_at(source).unwrap_or(self.text.len())
    }

    /// Offsets in a stretch of the text at which it goes on elsewhere in the file: where a chunk of a stream ends.
    pub fn borders(&self, span: Span) -> Vec<usize> {
        self.original.as_ref().map_or_else(Vec::new, |original| original.reader().map().borders(span).collect())
    }

    /// The bytes at the end of the file that wait for the rest of their record.
    pub fn waiting(&self) -> Span {
        let end = self.file().len();
        self.original.as_ref().map_or(Span::at(end), |original| original.reader().pending())
    }

    /// What a person should know about the machine, safe to show; each is given once.
    pub fn take_notices(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notices)
    }

    /// Names of the active dialects.
    pub fn dialect_names(&self) -> Vec<&'static str> {
        self.scanner.dialects().iter().map(|dialect| dialect.about().name).collect()
    }

    /// Whether nothing more arrives.
    pub fn is_finished(&self) -> bool {
        self.finished
    }

    /// The bytes at the end that may still become a marker.
    pub fn pending(&self) -> Span {
        let end = self.text.len();
        Span::new(self.reading().map_or(end, Scanner::decided), end)
    }

    /// What the text waits for, and the dialects that do; nothing where nothing has begun, and at the end.
    pub fn awaits(&self) -> Option<(Vec<&'static str>, Awaiting)> {
        self.reading().filter(|_| !self.finished)?.awaits(&self.text)
    }

    /// The arguments and the parameter tree of the call that is item number `item`.
    pub fn dissect(&self, item: usize) -> Option<Assembly> {
        self.judge(item).map(|(assembly, _)| assembly)
    }

    /// The same of the first `most` bytes of a call or a little less, and of no more arguments than a JSON body may have
    /// values, so that one of any length can be looked at; and
    /// where they end, if that is not all of it. What is behind them is as if it had not arrived yet.
    pub fn look_into(&self, item: usize, most: usize) -> Option<(Assembly, Option<usize>)> {
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
        let parts = call.parts(&arguments[..known]);
        let parts = Parts { body: Span::new(call.body.start, end), status: Status::Open, ..parts };
        Some((self.dialect_of(&call)?.dissect(&self.text, parts), Some(end)))
    }

    fn dialect_of(&self, call: &Call<'_>) -> Option<&dyn Dialect> {
        self.scanner.dialect(call.dialect).or_else(|| self.records.dialect(call.dialect))
    }

    /// The arguments and the parameter tree of a call, and whether the runtime refuses it.
    fn judge(&self, item: usize) -> Option<(Assembly, bool)> {
        let call = self.document.call(item)?;
        let dialect = self.dialect_of(&call)?;
        let mut assembly = dialect.dissect(&self.text, call.parts(&call.arguments()));
        let violated = self.schemas.as_ref().filter(|_| call.status != Status::Open).is_some_and(|schemas| {
            let name = call.name.text(&self.text);
            schemas.apply(&name, dialect.coercion(), call.name.span, &mut assembly, &self.text)
        });
        let refused = violated || assembly.error.is_some();
        Some((assembly, refused))
    }

    /// The dependency graph of the calls so far.
    pub fn graph(&self) -> Graph {
        Graph::new(&self.document, &self.text)
    }

    /// The words of the graph's nodes.
    pub fn labels(&self) -> CallLabels<'_> {
        CallLabels { document: &self.document, text: &self.text }
    }

    /// The place in the file of an offset in the text, as people write it.
    pub fn position(&self, offset: usize) -> Position {
        self.file_lines().position(self.file(), self.source_of(Span::at(offset)).start)
    }

    /// The same, counted on from the last one that `walk` was asked for.
    pub fn position_by(&self, walk: &mut Walk, offset: usize) -> Position {
        walk.position(self.file(), self.file_lines(), self.source_of(Span::at(offset)).start)
    }

    /// Where a problem is in the file.
    pub fn source_of_problem(&self, problem: &Diagnostic) -> Span {
        problem.source.unwrap_or_else(|| self.source_of(problem.span))
    }

    /// The place in the file where a problem begins, counted on from the last one that `walk` was asked for.
    pub fn place_of_problem(&self, walk: &mut Walk, problem: &Diagnostic) -> Position {
        walk.position(self.file(), self.file_lines(), self.source_of_problem(problem).start)
    }

    /// What everything from here on will have changed: the last item may still grow.
    fn delta(&self) -> Delta {
        Delta { first_item: self.document.settled() }
    }

    /// The same with what has changed before that.
    fn changed(&mut self, delta: Delta) -> Delta {
        let touched = std::mem::replace(&mut self.touched, usize::MAX);
        Delta { first_item: delta.first_item.min(touched) }
    }

    /// A call has ended: what is wrong in it, and whether the runtime refuses it.
    fn judge_last_call(&mut self) {
        let Some(item) = self.document.last_call() else { return };
        let Some(call) = self.document.call(item) else { return };
        let foreign = self.foreign.find(call.dialect, &self.text, call.body);
        let arguments = call.arguments();
        let parts = call.parts(&arguments);
        let scanner = if let Now::Call { .. } = self.now { &mut self.records } else { &mut self.scanner };
        let findings = if self.schemas.is_none() { scanner.check(call.dialect, &self.text, parts) } else { None };
        let (problems, refused) = match findings {
            Some(findings) => (findings.problems, findings.error.is_some()),
            // A schema looks at the tree.
            None => self.judge(item).map(|(assembly, refused)| (assembly.problems, refused)).unwrap_or_default(),
        };
        if refused {
            self.document.refuse(item);
        }
        for problem in problems.into_iter().chain(foreign) {
            self.document.report(&problem.item(Some(item)));
        }
        if self.choice.is_some_and(|choice| choice.about.name != Container::PLAIN) {
            let failed = if let Now::Call { failed } = self.now { Some(failed) } else { None };
            self.document.await_answer(failed.is_some(), failed.flatten(), &self.text);
        }
    }

    /// Adds bytes to the text.
    fn add(&mut self, bytes: &[u8]) {
        self.text.push(bytes);
        self.lines.push(bytes);
        for problem in self.encoding.push(bytes) {
            self.document.report(&problem);
        }
    }

    /// Adds bytes of plain text and reads on.
    fn read_on(&mut self, bytes: &[u8]) {
        self.add(bytes);
        self.advance(false);
    }

    /// What reads the bytes that come now, if calls are looked for in them.
    fn reading(&self) -> Option<&Scanner> {
        match self.now {
            Now::Text => Some(&self.scanner),
            Now::Call { .. } => Some(&self.records),
            Now::Said | Now::Between => None,
        }
    }
}
