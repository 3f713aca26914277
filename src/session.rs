//! One transcript being read: its text, its parser and what they have found.
//!
//! Bytes go in as they come, and however they are cut the result is the same. This module does not know where the
//! bytes come from or who looks at the result.

use std::sync::Arc;

use crate::container::Container;
use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::foreign::Foreign;
use crate::dialect::scan::Scanner;
use crate::dialect::{self, Event, Options};
use crate::document::graph::{CallLabels, Graph};
use crate::document::{Delta, Document};
use crate::params::Assembly;
use crate::params::schema::Schemas;
use crate::text::encoding::EncodingWatch;
use crate::text::store::{Backing, Paging};
use crate::text::{Lines, Position, Span, Text, Walk};

/// A transcript that is being read.
pub struct Session {
    text: Text,
    lines: Lines,
    encoding: EncodingWatch,
    container: Container,
    scanner: Scanner,
    foreign: Foreign,
    schemas: Option<Arc<Schemas>>,
    document: Document,
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
        document.begin_message(None, 0);
        Ok(Self {
            text: Text::default(),
            lines: Lines::default(),
            encoding: EncodingWatch::default(),
            container,
            foreign: Foreign::new(&scanner.dialects().iter().map(|dialect| dialect.about().name).collect::<Vec<_>>()),
            scanner,
            schemas: options.schemas.clone(),
            document,
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
        self.text.back(backing);
    }

    /// Sets how much of the text stays in memory when it can be read again; before anything was taken in.
    pub fn set_paging(&mut self, paging: Paging) {
        self.text.set_paging(paging);
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
        if self.finished {
            return self.delta();
        }
        let delta = self.delta();
        self.text.push(bytes);
        self.lines.push(bytes);
        for problem in self.encoding.push(bytes) {
            self.document.report(&problem);
        }
        self.advance();
        delta
    }

    /// The same text, as far as it has come, read with other options.
    ///
    /// # Errors
    /// Names a dialect that does not exist.
    pub fn again(&self, options: &Options) -> Result<Self, String> {
        const SLICE: usize = 256 * 1024;
        let mut session = Self::new(self.container, options)?;
        session.text.set_paging(self.text.paging());
        if let Some(backing) = self.text.backing() {
            session.back(backing.clone());
        }
        for start in (0..self.text.len()).step_by(SLICE) {
            session.push(&self.text.read(Span::new(start, start + SLICE)));
        }
        if self.finished {
            session.finish();
        }
        Ok(session)
    }

    /// Nothing more arrives.
    pub fn finish(&mut self) -> Delta {
        let delta = self.delta();
        if !self.finished {
            self.finished = true;
            for problem in self.encoding.finish() {
                self.document.report(&problem);
            }
            self.advance();
            self.document.finish(&self.text);
        }
        delta
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

    /// What the file is.
    pub fn container(&self) -> Container {
        self.container
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
        Span::new(self.scanner.decided(), self.text.len())
    }

    /// The arguments and the parameter tree of the call that is item number `item`.
    pub fn dissect(&self, item: usize) -> Option<Assembly> {
        self.judge(item).map(|(assembly, _)| assembly)
    }

    /// The arguments and the parameter tree of a call, and whether the runtime refuses it.
    fn judge(&self, item: usize) -> Option<(Assembly, bool)> {
        let call = self.document.call(item)?;
        let dialect = self.scanner.dialect(call.dialect)?;
        let mut assembly = dialect.dissect(&self.text, call.parts(&call.arguments()));
        let violated = self.schemas.as_ref().filter(|_| call.status != dialect::Status::Open).is_some_and(|schemas| {
            let name = call.name.text(&self.text);
            schemas.apply(&name, dialect.typing(), call.name.span, &mut assembly, &self.text)
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

    /// The place of an offset as people write it.
    pub fn position(&self, offset: usize) -> Position {
        self.lines.position(&self.text, offset)
    }

    /// The place of an offset, counted on from the last one that `walk` was asked for.
    pub fn position_by(&self, walk: &mut Walk, offset: usize) -> Position {
        walk.position(&self.text, &self.lines, offset)
    }

    /// What everything from here on will have changed: the last item may still grow.
    fn delta(&self) -> Delta {
        let items = self.document.items();
        let last = items.iter().next_back();
        let open = last.is_some_and(|item| item.call().is_none_or(|call| call.status == dialect::Status::Open));
        Delta { first_item: items.len() - usize::from(open) }
    }

    /// A call has ended: what is wrong in it, and whether the runtime refuses it.
    fn judge_last_call(&mut self) {
        let Some(item) = self.document.last_call() else { return };
        let Some(call) = self.document.call(item) else { return };
        let foreign = self.foreign.find(call.dialect, &self.text, call.body);
        let arguments = call.arguments();
        let parts = call.parts(&arguments);
        let flawless = self.schemas.is_none() && self.scanner.is_flawless(call.dialect, &self.text, parts);
        let mut problems = Vec::new();
        if !flawless && let Some((assembly, refused)) = self.judge(item) {
            if refused {
                self.document.refuse(item);
            }
            problems = assembly.problems;
        }
        for problem in problems.into_iter().chain(foreign) {
            self.document.report(&problem.item(Some(item)));
        }
    }

    fn advance(&mut self) {
        let mut events: Vec<Event> = Vec::new();
        self.scanner.advance(&self.text, self.finished, &mut events);
        for event in events {
            let ended = matches!(event, Event::Close(_));
            self.document.apply(event, &self.text);
            if ended {
                self.judge_last_call();
            }
        }
        self.document.stretch(self.scanner.decided());
        self.document.arrange();
        self.text.release(self.scanner.needed());
    }
}
