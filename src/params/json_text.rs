//! JSON text as a parameter tree: every node with its place, and whatever is not quite JSON with a word about it.
//!
//! Models write almost-JSON: raw line feeds in strings, trailing commas, comments, single quotes, quotes that are not
//! escaped, ends that are missing. The tree holds everything up to the first fault after which nothing is certain, and
//! what comes after the others. JSON inside of a JSON string is read the same way, with places in the outer text. No
//! depth of nesting and no length overflows anything. This module does not know which members make a call.

pub mod lexer;
pub mod machine;
pub mod string;

mod faults;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use lexer::{Bracket, Kind, Token};
use machine::{FaultKind, Machine, Step};
use string::{Decoded, decode};

use super::pointer::MAX_DEPTH;
use super::{Node, NodeId, ParamTree, ROOT, Scalar, Value};
use crate::diagnostic::{Code, Diagnostic, Related};
use crate::text::Span;

/// Most nodes of one tree; what is beyond is not shown, so that a small file cannot fill the memory.
pub const MAX_NODES: usize = 100_000;

/// Most problems that are reported in one JSON text.
pub const MAX_PROBLEMS: usize = 64;

/// Where the bytes of a JSON text lie in the transcript.
#[derive(Clone, Copy, Debug)]
pub enum Places<'a> {
    /// As they are, from this offset on.
    At(usize),
    /// Inside of a JSON string whose content begins at this offset.
    Inside(usize, &'a Decoded),
}

impl Places<'_> {
    /// The place in the transcript of a stretch of the JSON text.
    pub fn span(&self, start: usize, end: usize) -> Span {
        match self {
            Places::At(base) => Span::new(base + start, base + end),
            Places::Inside(base, decoded) => Span::new(base + decoded.source_of(start), base + decoded.source_of(end)),
        }
    }
}

/// Whether the end of the text is the end of the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// More is still to come: an end that is missing is no problem.
    Open,
    /// Nothing more arrives.
    Whole,
}

/// What a JSON text says.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The tree; its root is the value itself.
    pub tree: ParamTree,
    /// The place of each node's key, by the node's number; empty for elements.
    pub keys: Vec<Span>,
    /// What is wrong.
    pub problems: Vec<Diagnostic>,
    /// What a strict reader says first; `None` when it accepts the text.
    pub error: Option<String>,
    /// Offset behind the value, in the JSON text.
    pub end: usize,
}

/// Reads the value that `bytes` begin with. What follows it is left alone.
pub fn parse(bytes: &[u8], places: Places<'_>, arrival: Arrival) -> Parsed {
    let mut builder = Builder::new(bytes, places);
    let mut machine = Machine::at(0);
    while let Some(step) = machine.next(bytes, true) {
        builder.take(step, arrival);
    }
    builder.finish(machine.offset())
}

/// Reads a text that should be one JSON value and nothing else.
pub fn parse_all(bytes: &[u8], places: Places<'_>, arrival: Arrival) -> Parsed {
    let mut parsed = parse(bytes, places, arrival);
    let rest = crate::text::trim(&bytes[parsed.end..], parsed.end);
    if parsed.error.is_none() && !rest.is_empty() {
        let problem = faults::behind_the_value(bytes, rest, places);
        parsed.error = Some(problem.message.clone());
        parsed.problems.push(problem);
    }
    parsed
}

struct Builder<'a> {
    bytes: &'a [u8],
    places: Places<'a>,
    tree: ParamTree,
    keys: Vec<Span>,
    problems: Vec<Diagnostic>,
    error: Option<String>,
    /// The containers that are open.
    stack: Vec<NodeId>,
    /// Containers that are open and not shown, because they are too deep or too many.
    hidden: usize,
    /// Members by container and key: where among the members, and the place of the key.
    members: HashMap<(NodeId, String), (usize, Span)>,
    key: Option<(String, Span)>,
    /// Whether there is a value at all.
    rooted: bool,
    limited: bool,
    /// Faults that are reported once, and the number of the problem that does.
    habits: Vec<(FaultKind, usize)>,
}

impl<'a> Builder<'a> {
    fn new(bytes: &'a [u8], places: Places<'a>) -> Self {
        Self {
            bytes,
            places,
            tree: ParamTree::default(),
            keys: vec![places.span(0, 0)],
            problems: Vec::new(),
            error: None,
            stack: Vec::new(),
            hidden: 0,
            members: HashMap::new(),
            key: None,
            rooted: false,
            limited: false,
            habits: Vec::new(),
        }
    }

    fn take(&mut self, step: Step, arrival: Arrival) {
        match step {
            Step::Begin(bracket, start) => self.begin(bracket, start),
            Step::Key(token) => {
                let decoded = self.text(token);
                let span = self.content_place(token);
                let key = String::from_utf8_lossy(&decoded.bytes).into_owned();
                self.key = Some((key, span));
            }
            Step::Scalar(token) => self.scalar(token),
            Step::End(_) if self.hidden > 0 => self.hidden -= 1,
            Step::End(end) => {
                self.key = None;
                if let Some(id) = self.stack.pop() {
                    self.close(id, end);
                }
            }
            Step::Fault(fault) => {
                if arrival == Arrival::Open && fault.kind == FaultKind::Truncated {
                    return;
                }
                let problem = faults::describe(fault, self.bytes, self.places, &self.closers());
                self.again(fault.kind, problem);
            }
        }
    }

    fn finish(mut self, end: usize) -> Parsed {
        while let Some(id) = self.stack.pop() {
            self.close(id, end);
        }
        Parsed { tree: self.tree, keys: self.keys, problems: self.problems, error: self.error, end }
    }

    fn begin(&mut self, bracket: Bracket, start: usize) {
        if self.hidden > 0 {
            self.hidden += 1;
            return;
        }
        if self.stack.len() >= MAX_DEPTH {
            self.limit(start, format!("nested deeper than {MAX_DEPTH} levels; what is inside is not shown"));
            self.hidden = 1;
            self.key = None;
            return;
        }
        let value = match bracket {
            Bracket::Object => Value::Object(Vec::new()),
            Bracket::Array => Value::Array(Vec::new()),
        };
        match self.add(value, self.places.span(start, start + 1), None) {
            Some(id) => self.stack.push(id),
            None => self.hidden = 1,
        }
    }

    fn scalar(&mut self, token: Token) {
        if self.hidden > 0 {
            return;
        }
        let place = self.places.span(token.start, token.end);
        if token.kind == Kind::Text {
            let content = self.content_place(token);
            let decoded = self.text(token);
            let written = decoded.escaped || matches!(self.places, Places::Inside(..));
            let words = written.then(|| String::from_utf8_lossy(&decoded.bytes).into());
            self.add(Value::Scalar(Scalar::String, content), place, words);
            return;
        }
        let word = token.content(self.bytes);
        let scalar = if token.end == self.bytes.len() && !self.stack.is_empty() {
            // Cut off or still arriving: what is missing is said once, of the containers around it.
            Self::cut_word(word)
        } else {
            self.word(word, place)
        };
        self.add(Value::Scalar(scalar, place), place, None);
    }

    /// What a bare word becomes that may be the beginning of another one.
    fn cut_word(word: &[u8]) -> Scalar {
        match word {
            b"true" => Scalar::Boolean(true),
            b"false" => Scalar::Boolean(false),
            b"null" => Scalar::Null,
            _ if string::is_number(word) => {
                let number = String::from_utf8_lossy(word).parse().ok().filter(|number: &f64| number.is_finite());
                number.map_or(Scalar::String, Scalar::Number)
            }
            _ => Scalar::String,
        }
    }

    /// What a bare word becomes, with what is wrong about it.
    fn word(&mut self, word: &[u8], place: Span) -> Scalar {
        let text = String::from_utf8_lossy(word);
        match word {
            b"true" => return Scalar::Boolean(true),
            b"false" => return Scalar::Boolean(false),
            b"null" => return Scalar::Null,
            b"True" | b"False" | b"None" => {
                self.refuse(faults::python_literal(&text, place));
                return match word {
                    b"None" => Scalar::Null,
                    _ => Scalar::Boolean(word == b"True"),
                };
            }
            _ => {}
        }
        let number: Option<f64> = text.parse().ok().filter(|number: &f64| number.is_finite());
        if !string::is_number(word) {
            self.refuse(faults::bare_word(&text, place));
            let digits = word.iter().any(u8::is_ascii_digit);
            return number.filter(|_| digits).map_or(Scalar::String, Scalar::Number);
        }
        let Some(number) = number else {
            self.problem(faults::lossy_number(&text, "infinity".into(), place));
            return Scalar::String;
        };
        if !string::keeps_its_text(&text, number) {
            self.problem(faults::lossy_number(&text, super::coerce::number_text(number), place));
        }
        Scalar::Number(number)
    }

    /// A string, decoded, with what is wrong in it reported.
    fn text(&mut self, token: Token) -> Decoded {
        let content = token.content(self.bytes);
        if token.kind == Kind::Word {
            return Decoded::plain(content);
        }
        let decoded = decode(content);
        let start = token.start + 1;
        let said = if token.closed { content.len() } else { content.trim_ascii_end().len() };
        // A line feed at the end of a text that was cut off is none of the string's.
        for &(fault, from, to) in decoded.faults.iter().filter(|&&(_, from, _)| from < said) {
            let place = self.places.span(start + from, start + to);
            let written = String::from_utf8_lossy(&content[from..to]);
            let problem = faults::in_string(fault, &written, place);
            if fault == string::StringFault::Surrogate { self.problem(problem) } else { self.refuse(problem) }
        }
        decoded
    }

    fn content_place(&self, token: Token) -> Span {
        match token.kind {
            Kind::Text => self.places.span(token.start + 1, token.end - usize::from(token.closed)),
            _ => self.places.span(token.start, token.end),
        }
    }

    /// Adds a value where it belongs; `None` when there are too many.
    fn add(&mut self, value: Value, place: Span, decoded: Option<Box<str>>) -> Option<NodeId> {
        let Some(&parent) = self.stack.last() else {
            if !self.rooted {
                self.rooted = true;
                let root = self.tree.node_mut(ROOT);
                (root.value, root.place, root.decoded) = (value, place, decoded);
                self.keys[ROOT] = Span::at(place.start);
            }
            return Some(ROOT);
        };
        if self.tree.len() >= MAX_NODES {
            self.key = None;
            if !self.limited {
                self.limited = true;
                let message = format!("more than {MAX_NODES} values; those from here on are not shown");
                self.problem(Diagnostic::new(Code::JsonTooLarge, Span::new(place.start, place.start + 1), message));
            }
            return None;
        }
        let (key, key_place) = match self.key.take() {
            Some((key, key_place)) => (key, key_place),
            None => (self.tree.node(parent).value.children().len().to_string(), Span::at(place.start)),
        };
        let node = Node { decoded, ..Node::new(key.clone(), value, self.opening_quote(key_place).cover(place)) };
        let id = self.tree.add(parent, node);
        self.keys.push(key_place);
        if let Value::Object(children) = &mut self.tree.node_mut(parent).value {
            let index = children.len() - 1;
            match self.members.get(&(parent, key.clone())) {
                None => {
                    self.members.insert((parent, key), (index, key_place));
                }
                Some(&(first, first_place)) => {
                    children.pop();
                    children[first] = id;
                    let message = format!("the key {key:?} is given twice");
                    let problem = Diagnostic::new(Code::DuplicateKey, key_place, message);
                    self.problem(problem.related(first_place, "what stands here is lost"));
                }
            }
        }
        Some(id)
    }

    /// A key's place with the quote in front of it.
    fn opening_quote(&self, key: Span) -> Span {
        match self.places {
            Places::At(base) if key.start > base && matches!(self.bytes[key.start - base - 1], b'"' | b'\'') => {
                Span::new(key.start - 1, key.end)
            }
            _ => key,
        }
    }

    fn close(&mut self, id: NodeId, end: usize) {
        let end = self.places.span(end, end).end;
        let node = self.tree.node_mut(id);
        node.place.end = node.place.end.max(end);
    }

    fn limit(&mut self, start: usize, message: String) {
        let place = self.places.span(start, start + 1);
        self.problem(Diagnostic::new(Code::JsonTooLarge, place, message));
    }

    /// The brackets that are missing at the end.
    fn closers(&self) -> String {
        let closer = |&id: &NodeId| match self.tree.node(id).value {
            Value::Array(_) => ']',
            _ => '}',
        };
        self.stack.iter().rev().map(closer).collect()
    }

    /// A fault; a habit that shows everywhere is one problem.
    fn again(&mut self, kind: FaultKind, problem: Diagnostic) {
        let habit = matches!(kind, FaultKind::SingleQuotes | FaultKind::UnquotedKey);
        let first = self.habits.iter().find(|(known, _)| *known == kind).map(|(_, index)| *index);
        match first.and_then(|index| self.problems.get_mut(index)) {
            Some(first) if first.related.len() < MAX_PROBLEMS => {
                first.related.push(Related { span: problem.span, message: "here as well".into() });
            }
            Some(_) => {}
            None => {
                if habit {
                    self.habits.push((kind, self.problems.len()));
                }
                self.refuse(problem);
            }
        }
    }

    fn problem(&mut self, problem: Diagnostic) {
        if self.problems.len() < MAX_PROBLEMS {
            self.problems.push(problem);
        }
    }

    /// A strict reader stops here.
    fn refuse(&mut self, problem: Diagnostic) {
        if self.error.is_none() {
            self.error = Some(problem.message.clone());
        }
        self.problem(problem);
    }
}
