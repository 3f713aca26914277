//! A tree of arguments that is made step by step, with what is wrong on the way: limits, keys that are given twice.
//!
//! What is said does not depend on whether a tree is made.

use std::borrow::Cow;
use std::collections::HashMap;

use super::json_text::{MAX_NODES, MAX_PROBLEMS};
use super::pointer::MAX_DEPTH;
use super::{Assembly, Findings, Holder, Node, NodeId, ParamTree, ROOT, Scalar, Sink, Value};
use crate::diagnostic::{Code, Diagnostic, hidden_characters};
use crate::text::Span;

/// Keys of an object that are compared one by one; those of a larger one are found by their hashes.
const MOST_COMPARED: usize = 16;

/// What the arguments of a call say, where they are no JSON.
#[derive(Debug)]
pub struct ParsedArguments<S> {
    /// What was made of them; the root is an object.
    pub sink: S,
    /// What is wrong, in the order of the text; at most [`MAX_PROBLEMS`].
    pub problems: Vec<Diagnostic>,
    /// What a strict reader says first; `None` when it accepts the text.
    pub error: Option<String>,
}

impl ParsedArguments<ParamTree> {
    /// The arguments of a call: each plain value is one, in the order of the text.
    pub fn into_assembly(self) -> Assembly {
        Assembly { problems: self.problems.into(), error: self.error, ..self.sink.branch(ROOT, &[]) }
    }
}

impl ParsedArguments<()> {
    /// What is wrong with them, where no tree was made.
    pub fn into_findings(self) -> Findings {
        Findings { problems: self.problems.into(), error: self.error }
    }
}

/// A container that is open.
#[derive(Debug)]
struct Frame<'a> {
    id: NodeId,
    holder: Holder,
    /// Number of children, without those that are replaced.
    children: usize,
    /// The keys of an object and their places, in the order of its children.
    keys: Vec<(Cow<'a, str>, Span)>,
    /// Where among them a key of a large object is.
    known: HashMap<Cow<'a, str>, usize>,
}

impl Frame<'_> {
    fn new(id: NodeId, holder: Holder) -> Self {
        Self { id, holder, children: 0, keys: Vec::new(), known: HashMap::new() }
    }
}

/// A key that waits for its value.
#[derive(Debug)]
struct Key<'a> {
    words: Cow<'a, str>,
    place: Span,
    /// Offset of its first byte, its quote included.
    start: usize,
}

/// A plain value that is to be added.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plain {
    pub(super) scalar: Scalar,
    /// The bytes of its text, without quotes.
    pub(super) value: Span,
    pub(super) place: Span,
}

/// Takes the steps of one text; all offsets are in the transcript.
#[derive(Debug)]
pub(super) struct TreeBuilder<'a, S> {
    sink: S,
    problems: Vec<Diagnostic>,
    /// What a strict reader says first, and where.
    error: Option<(usize, String)>,
    /// Number of nodes so far.
    nodes: usize,
    frames: Vec<Frame<'a>>,
    /// Containers that are open and not shown, because they are too deep or too many.
    unseen: usize,
    key: Option<Key<'a>>,
    /// Whether it was said that there are too many nodes.
    limited: bool,
}

impl<'a, S: Sink + Default> TreeBuilder<'a, S> {
    /// A builder whose root is an object, with `place` for all its bytes.
    pub(super) fn new(place: Span) -> Self {
        let mut sink = S::default();
        sink.change(ROOT, |root| (root.place, root.key_place) = (place, Span::at(place.start)));
        Self {
            sink,
            problems: Vec::new(),
            error: None,
            nodes: 1,
            frames: vec![Frame::new(ROOT, Holder::Object)],
            unseen: 0,
            key: None,
            limited: false,
        }
    }

    /// The key of the next value; `place` is that of its text, `start` the offset of its first byte.
    pub(super) fn key(&mut self, words: impl Into<Cow<'a, str>>, place: Span, start: usize) {
        if self.unseen == 0 {
            self.key = Some(Key { words: words.into(), place, start });
        }
    }

    /// No value follows the last key.
    pub(super) fn drop_key(&mut self) {
        self.key = None;
    }

    /// A container begins, whose opening bracket has this place.
    pub(super) fn begin(&mut self, holder: Holder, bracket: Span) {
        if self.unseen > 0 {
            self.unseen += 1;
            return;
        }
        if self.frames.len() >= MAX_DEPTH {
            let message = format!("nested deeper than {MAX_DEPTH} levels; what is inside is not shown");
            self.problem(Diagnostic::new(Code::JsonTooLarge, bracket, message));
            (self.unseen, self.key) = (1, None);
            return;
        }
        let value = match holder {
            Holder::Object => Value::Object(Vec::new()),
            Holder::Array => Value::Array(Vec::new()),
        };
        match self.add(value, bracket, || None) {
            Some(id) => self.frames.push(Frame::new(id, holder)),
            None => self.unseen = 1,
        }
    }

    /// The innermost container ends behind `end`.
    pub(super) fn end(&mut self, end: usize) {
        self.key = None;
        if self.unseen > 0 {
            self.unseen -= 1;
        } else if self.frames.len() > 1
            && let Some(frame) = self.frames.pop()
        {
            self.sink.change(frame.id, |node| node.place.end = node.place.end.max(end));
        }
    }

    /// Adds a plain value; `decoded` is its text where that is not written as it is.
    pub(super) fn plain(&mut self, plain: Plain, decoded: impl FnOnce() -> Option<Box<str>>) {
        if self.unseen == 0 {
            self.add(Value::Scalar(plain.scalar, plain.value), plain.place, decoded);
        }
    }

    /// Something that a strict reader accepts.
    pub(super) fn problem(&mut self, problem: Diagnostic) {
        if self.problems.len() < MAX_PROBLEMS {
            self.problems.push(problem);
        }
    }

    /// Something at which a strict reader stops.
    pub(super) fn refuse(&mut self, problem: Diagnostic) {
        if self.error.as_ref().is_none_or(|(at, _)| problem.span.start < *at) {
            self.error = Some((problem.span.start, problem.message.clone()));
        }
        self.problem(problem);
    }

    pub(super) fn finish(mut self, end: usize) -> ParsedArguments<S> {
        while self.unseen > 0 || self.frames.len() > 1 {
            self.end(end);
        }
        self.problems.sort_by_key(|problem| problem.span.start);
        ParsedArguments { sink: self.sink, problems: self.problems, error: self.error.map(|(_, message)| message) }
    }

    /// Adds a value where it belongs; `None` when there are too many.
    fn add(&mut self, value: Value, place: Span, decoded: impl FnOnce() -> Option<Box<str>>) -> Option<NodeId> {
        let key = self.key.take();
        if self.nodes >= MAX_NODES {
            if !self.limited {
                self.limited = true;
                let message = format!("more than {MAX_NODES} values; further ones are not shown");
                let first = Span::new(place.start, place.start + usize::from(!place.is_empty()));
                self.problem(Diagnostic::new(Code::JsonTooLarge, first, message));
            }
            return None;
        }
        let frame = self.frames.last_mut()?;
        let (parent, index) = (frame.id, frame.children);
        let key = key.filter(|_| frame.holder == Holder::Object).unwrap_or_else(|| Key {
            words: Cow::Owned(index.to_string()),
            place: Span::at(place.start),
            start: place.start,
        });
        let id = self.nodes;
        self.nodes += 1;
        self.sink.add(parent, || {
            let all = Span::new(key.start, place.end).cover(place);
            let node = Node::new(key.words.clone().into_owned(), value, all);
            Node { decoded: decoded(), key_place: key.place, ..node }
        });
        if frame.holder == Holder::Array {
            frame.children += 1;
        } else {
            if let Some(problem) = hidden_characters(&key.words, key.place, "the key") {
                self.problem(problem);
            }
            self.enter(key, id);
        }
        Some(id)
    }

    /// Notes the key of a new node in the innermost object, where it takes the place of one with the same key.
    fn enter(&mut self, key: Key<'a>, id: NodeId) {
        let Some(frame) = self.frames.last_mut() else { return };
        let known = if frame.keys.len() <= MOST_COMPARED {
            frame.keys.iter().position(|(words, _)| *words == key.words)
        } else {
            frame.known.get(&key.words).copied()
        };
        let Some(number) = known else {
            frame.keys.push((key.words, key.place));
            frame.children += 1;
            let count = frame.keys.len();
            if count > MOST_COMPARED {
                let from = if count == MOST_COMPARED + 1 { 0 } else { count - 1 };
                let keys = frame.keys.iter().enumerate().skip(from);
                frame.known.extend(keys.map(|(number, (words, _))| (words.clone(), number)));
            }
            return;
        };
        let first = frame.keys[number].1;
        self.sink.change(frame.id, |node| {
            if let Value::Object(children) = &mut node.value {
                children.pop();
                children[number] = id;
            }
        });
        let message = format!("the key {:?} is given twice", key.words);
        let problem = Diagnostic::new(Code::DuplicateKey, key.place, message);
        self.problem(problem.related(first, "this part is lost"));
    }
}
