//! What has been seen so far: messages, texts, calls and problems, as compact records.
//!
//! A record holds spans; names, values and trees are read from the text when somebody looks. This layer does not know
//! files, screens or output formats.

pub mod graph;
mod problems;
pub mod query;

pub use problems::place;

use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::dialect::{About, Closing, Event, Header, Numbering, Opening, Parts, Status, Word};
use crate::text::{Span, Text};

use problems::Problems;

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Instructions to the model.
    System,
    /// A person.
    User,
    /// The model.
    Assistant,
    /// A tool's result.
    Tool,
}

/// A turn of the conversation.
#[derive(Clone, Copy, Debug)]
pub struct Message {
    /// Who speaks; `None` where the file does not say.
    pub role: Option<Role>,
    /// Offset of its first byte; it reaches to the next message.
    pub start: usize,
}

/// A stretch of the text.
#[derive(Clone, Debug)]
pub enum Item {
    /// Prose.
    Text(Span),
    /// A tool call.
    Call(Box<Call>),
}

impl Item {
    /// Its bytes.
    pub fn span(&self) -> Span {
        match self {
            Item::Text(span) => *span,
            Item::Call(call) => call.span,
        }
    }

    /// The call, if it is one.
    pub fn call(&self) -> Option<&Call> {
        match self {
            Item::Text(_) => None,
            Item::Call(call) => Some(call),
        }
    }
}

/// A tool call.
#[derive(Clone, Debug)]
pub struct Call {
    /// All its bytes, markers included.
    pub span: Span,
    /// Name of its dialect.
    pub dialect: &'static str,
    /// Its start marker.
    pub marker: Span,
    /// Name, id and dependencies.
    pub header: Header,
    /// The id that the runtime makes, where the header has none: what it begins with, and its number. It does not count
    /// where the body gives an id.
    pub made_id: Option<(&'static str, u32)>,
    /// The bytes between header and end.
    pub body: Span,
    /// Offsets of its argument markers, relative to its first byte.
    pub arguments: Vec<u32>,
    /// How far it has come.
    pub status: Status,
    /// Whether the runtime rejects it.
    pub failed: bool,
    /// The most severe problem about it.
    pub worst: Option<Severity>,
}

impl Call {
    /// Its name.
    pub fn name(&self, text: &Text) -> String {
        self.header.name.text(text).into_owned()
    }

    /// Its id, as written or as the runtime makes it.
    pub fn id(&self, text: &Text) -> String {
        match (&self.header.id, self.made_id) {
            (Some(id), _) => id.text(text).into_owned(),
            (None, Some((prefix, number))) => format!("{prefix}{number}"),
            (None, None) => String::new(),
        }
    }

    /// The ids that it waits for.
    pub fn dependencies(&self, text: &Text) -> Vec<String> {
        self.header.dependencies.iter().map(|word| word.text(text).into_owned()).collect()
    }

    /// What its dialect takes it apart by.
    pub fn parts(&self) -> Parts<'_> {
        Parts { start: self.span.start, body: self.body, arguments: &self.arguments, status: self.status }
    }
}

/// What an event changed, so that a reader need not look at everything again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Delta {
    /// Number of the first item that is new or has changed; the number of items if none.
    pub first_item: usize,
}

/// Everything that has been seen.
#[derive(Clone, Debug, Default)]
pub struct Document {
    messages: Vec<Message>,
    items: Vec<Item>,
    problems: Problems,
    calls: Vec<usize>,
    /// The dialects seen, each with the number of ids that its runtime would have made.
    numbers: Vec<(&'static str, u32)>,
}

impl Document {
    /// Turns of the conversation, in the order of the text.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// Texts and calls, in the order of the text, without a gap.
    pub fn items(&self) -> &[Item] {
        &self.items
    }

    /// The problems, in the order in which they were found.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        self.problems.found()
    }

    /// Numbers of the items that are calls.
    pub fn calls(&self) -> &[usize] {
        &self.calls
    }

    /// The call that is item number `item`.
    pub fn call(&self, item: usize) -> Option<&Call> {
        self.items.get(item).and_then(Item::call)
    }

    /// Names of the dialects in which there are calls, in the order of their first ones.
    pub fn dialects_seen(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.numbers.iter().map(|(name, _)| *name)
    }

    /// Number of errors.
    pub fn errors(&self) -> usize {
        self.problems.errors()
    }

    /// Number of warnings.
    pub fn warnings(&self) -> usize {
        self.problems.warnings()
    }

    /// Begins a message at `start`.
    pub fn begin_message(&mut self, role: Option<Role>, start: usize) {
        self.messages.push(Message { role, start });
    }

    /// Takes in what a dialect saw.
    pub fn apply(&mut self, event: Event) {
        match event {
            Event::Text(span) => self.add_text(span),
            Event::Open(opening) => self.open(opening),
            Event::Argument(offset) => {
                if let Some(call) = self.last_call_mut() {
                    let relative = offset - call.span.start;
                    call.arguments.push(u32::try_from(relative).unwrap_or(u32::MAX));
                    call.span.end = offset;
                    call.body.end = offset;
                }
            }
            Event::Named { name, id } => {
                if let Some(call) = self.last_call_mut() {
                    let header = &mut call.header;
                    header.name = name.unwrap_or_else(|| std::mem::take(&mut header.name));
                    header.id = id.or_else(|| header.id.take());
                }
            }
            Event::Close(closing) => self.close(closing),
            Event::Problem { diagnostic, of_call } => {
                let item = if of_call { self.calls.last().copied() } else { None };
                self.report(diagnostic.item(item));
            }
        }
    }

    /// Lets the open call, if there is one, reach to `end`: what has arrived of it.
    pub fn stretch(&mut self, end: usize) {
        if let Some(call) = self.last_call_mut().filter(|call| call.status == Status::Open) {
            call.span.end = end.max(call.body.start);
            call.body.end = call.span.end;
        }
    }

    /// The runtime refuses the call that is item number `item`.
    pub fn refuse(&mut self, item: usize) {
        if let Some(Item::Call(call)) = self.items.get_mut(item) {
            call.failed = true;
        }
    }

    /// Adds a problem.
    pub fn report(&mut self, diagnostic: Diagnostic) {
        if let Some(Item::Call(call)) = diagnostic.item.and_then(|item| self.items.get_mut(item)) {
            call.worst = call.worst.max(Some(diagnostic.severity));
        }
        self.problems.push(diagnostic);
    }

    /// Gives the problems that came since the last time their places in the order of the text.
    pub fn arrange(&mut self) {
        self.problems.arrange();
    }

    /// Nothing more arrives: reports what can only be said now.
    pub fn finish(&mut self, text: &Text) {
        for diagnostic in self.closing_problems(text) {
            self.report(diagnostic);
        }
        self.arrange();
    }

    /// What is wrong between the calls if nothing more arrives: ids and dependencies.
    pub fn closing_problems(&self, text: &Text) -> Vec<Diagnostic> {
        graph::Graph::new(self, text).problems(self, text)
    }

    /// The problems in the order of the text, as far as they have been arranged.
    pub fn sorted_diagnostics(&self) -> impl Iterator<Item = &Diagnostic> {
        self.order().iter().map(|&number| &self.diagnostics()[number as usize])
    }

    /// Numbers of the problems in the order of the text, as far as they have been arranged.
    pub fn order(&self) -> &[u32] {
        self.problems.order()
    }

    fn last_call_mut(&mut self) -> Option<&mut Call> {
        match self.items.last_mut() {
            Some(Item::Call(call)) => Some(call),
            _ => None,
        }
    }

    fn add_text(&mut self, span: Span) {
        match self.items.last_mut() {
            Some(Item::Text(last))
                if last.end == span.start && self.messages.last().is_none_or(|message| message.start != span.start) =>
            {
                last.end = span.end;
            }
            _ => self.items.push(Item::Text(span)),
        }
    }

    /// The id that the runtime makes for a call, unless it has one.
    fn make_id(&mut self, about: &'static About, given: bool) -> Option<(&'static str, u32)> {
        let known = self.numbers.iter().position(|(name, _)| *name == about.name);
        let slot = known.unwrap_or_else(|| {
            self.numbers.push((about.name, 0));
            self.numbers.len() - 1
        });
        if !given || about.numbering == Numbering::Every {
            self.numbers[slot].1 += 1;
        }
        (!given).then_some((about.id_prefix, self.numbers[slot].1))
    }

    fn open(&mut self, mut opening: Opening) {
        // A name that is not there has its place where the body begins.
        if opening.header.name == Word::default() {
            opening.header.name = Word::plain(Span::at(opening.body));
        }
        let made_id = self.make_id(opening.dialect, opening.header.id.is_some());
        self.calls.push(self.items.len());
        self.items.push(Item::Call(Box::new(Call {
            span: Span::new(opening.marker.start, opening.body),
            dialect: opening.dialect.name,
            marker: opening.marker,
            header: opening.header,
            made_id,
            body: Span::at(opening.body),
            arguments: Vec::new(),
            status: Status::Open,
            failed: false,
            worst: None,
        })));
    }

    fn close(&mut self, closing: Closing) {
        if let Some(call) = self.last_call_mut() {
            call.span.end = closing.end;
            call.body.end = closing.body_end;
            call.status = closing.status;
            call.arguments.shrink_to_fit();
        }
    }
}

/// Codes about what is between calls, which are reported at the end.
pub const CLOSING_CODES: [Code; 4] =
    [Code::DuplicateId, Code::UnknownDependency, Code::SelfDependency, Code::DependencyCycle];
