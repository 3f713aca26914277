//! Builds a tree of values step by step, enforces limits, and reports repeated keys.
//!
//! The problems do not depend on whether a tree is built.

use std::borrow::Cow;
use std::collections::HashMap;

use super::place::SpanMap;
use super::pointer::MAX_DEPTH;
use super::{Assembly, ContainerKind, Findings, Node, NodeId, ParamTree, ROOT, Scalar, Sink, Value};
use crate::diagnostic::{Code, Diagnostic, hidden_characters};
use crate::text::Span;

/// Most nodes of a tree; further ones are not shown, so that a small file cannot fill the memory.
pub const MAX_NODES: usize = 100_000;

/// Most problems reported for a text.
pub const MAX_PROBLEMS: usize = 64;

/// Most keys of an object that are compared one by one; a larger object is searched by hash.
const MOST_COMPARED: usize = 16;

/// The result of parsing arguments that are not JSON.
#[derive(Debug)]
pub struct ParsedArguments<S> {
    /// The receiver with all nodes; its root is an object.
    pub(crate) sink: S,
    /// Problems in text order; at most [`MAX_PROBLEMS`].
    pub(crate) problems: Vec<Diagnostic>,
    /// First message of a strict parser; `None` if it accepts the text.
    pub(crate) error: Option<String>,
}

impl ParsedArguments<ParamTree> {
    /// The arguments of a call: each plain value is one, in text order.
    pub fn into_assembly(self) -> Assembly {
        Assembly { problems: self.problems.into(), error: self.error, ..self.sink.branch(ROOT, &[]) }
    }
}

impl ParsedArguments<()> {
    /// Their problems, if no tree was built.
    pub fn into_findings(self) -> Findings {
        Findings { problems: self.problems.into(), error: self.error }
    }
}

/// An open container.
#[derive(Debug)]
struct Frame {
    id: NodeId,
    holder: ContainerKind,
    /// Number of children, not counting replaced ones.
    children: usize,
    /// Index of the first key of this object among the keys of all open objects.
    keys: usize,
    /// Index of its key in the object around it.
    entry: Option<usize>,
}

/// A key whose value follows.
#[derive(Clone, Debug)]
pub(super) struct Key<'a> {
    pub(super) words: Cow<'a, str>,
    /// The bytes of its text, without quotes.
    pub(super) place: Span,
    /// Offset of its first byte, including a quote.
    pub(super) start: usize,
    /// True if all its characters are printable ASCII.
    pub(super) is_plain: bool,
}

/// A key of an open object.
#[derive(Debug)]
struct OpenKey<'a> {
    key: Cow<'a, str>,
    place: Span,
    /// First node of its value, and the node after its last.
    nodes: (NodeId, NodeId),
    member: Option<usize>,
}

/// A node that was added.
#[derive(Clone, Copy, Debug)]
pub(super) struct Added {
    pub(super) id: NodeId,
    /// Index of its key among the keys of open objects; `None` for an element.
    pub(super) entry: Option<usize>,
}

/// A plain value to add.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plain {
    pub(super) scalar: Scalar,
    /// The bytes of its text, without quotes.
    pub(super) value: Span,
    pub(super) place: Span,
}

/// Receives the parts of one text; offsets are relative to `places`, and mapped only for nodes and problems.
#[derive(Debug)]
pub(super) struct TreeBuilder<'a, 'p, S> {
    pub(super) sink: S,
    places: SpanMap<'p>,
    pub(super) problems: Vec<Diagnostic>,
    /// The first fault that a strict parser rejects, with its offset.
    error: Option<(usize, String)>,
    /// Number of nodes so far.
    nodes: usize,
    frames: Vec<Frame>,
    /// Number of containers that stay open to the end: 1 if the root is given.
    given: usize,
    /// The keys of the open objects.
    entries: Vec<OpenKey<'a>>,
    /// Index in `entries` of each key of a large object.
    known: HashMap<(NodeId, Cow<'a, str>), usize>,
    /// Number of open containers that are too deep or too many to show.
    unseen: usize,
    key: Option<Key<'a>>,
    /// True after the report of too many nodes.
    limited: bool,
    /// Reports of keys with invisible characters, by node; a replaced node loses its report.
    hidden: Vec<(NodeId, Option<Diagnostic>)>,
}

impl<'a, 'p, S: Sink + Default> TreeBuilder<'a, 'p, S> {
    /// A builder whose root is the first value.
    pub(super) fn new(places: SpanMap<'p>) -> Self {
        let (problems, frames, entries, hidden) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self {
            sink: S::default(),
            places,
            problems,
            error: None,
            nodes: 1,
            frames,
            given: 0,
            entries,
            known: HashMap::new(),
            unseen: 0,
            key: None,
            limited: false,
            hidden,
        }
    }

    /// A builder whose root is an object with this span of the transcript.
    pub(super) fn with_root(place: Span) -> Self {
        let mut builder = Self::new(SpanMap::At(0));
        builder.add(place, |_| (Value::Object(Vec::new()), None));
        builder.frames.push(Frame { id: ROOT, holder: ContainerKind::Object, children: 0, keys: 0, entry: None });
        builder.given = 1;
        builder
    }

    /// Number of open containers, not counting hidden ones.
    pub(super) fn depth(&self) -> usize {
        self.frames.len()
    }

    /// True inside a hidden container, which is too deep or one too many.
    pub(super) fn is_unseen(&self) -> bool {
        self.unseen > 0
    }

    /// The closing brackets of the open containers, the innermost first.
    pub(super) fn closers(&self) -> String {
        self.frames.iter().rev().map(|frame| frame.holder.closer()).collect()
    }

    /// The innermost open container.
    pub(super) fn parent(&self) -> NodeId {
        self.frames.last().map_or(ROOT, |frame| frame.id)
    }

    /// A number stored with a key, which is kept if its value is replaced.
    pub(super) fn member(&mut self, entry: usize) -> &mut Option<usize> {
        &mut self.entries[entry].member
    }

    /// Sets the key of the next value; `place` is the span of its text, `start` the offset of its first byte.
    pub(super) fn key(&mut self, words: impl Into<Cow<'a, str>>, place: Span, start: usize) {
        let words = words.into();
        let is_plain = words.bytes().all(|byte| matches!(byte, b' '..=b'~'));
        self.set_key(Key { words, place, start, is_plain });
    }

    /// The same for a key whose characters have been classified.
    pub(super) fn set_key(&mut self, key: Key<'a>) {
        if self.unseen == 0 {
            self.key = Some(key);
        }
    }

    /// Drops the last key, which has no value.
    pub(super) fn drop_key(&mut self) {
        self.key = None;
    }

    /// Begins a container whose opening bracket is `bracket`; `None` if it is hidden.
    pub(super) fn begin(&mut self, holder: ContainerKind, bracket: Span) -> Option<Added> {
        if self.unseen > 0 {
            self.unseen += 1;
            return None;
        }
        if self.frames.len() >= MAX_DEPTH {
            let message = format!("nested more than {MAX_DEPTH} levels deep; its contents are not shown");
            self.problem(Diagnostic::new(Code::JsonTooLarge, self.places.of(bracket), message));
            (self.unseen, self.key) = (1, None);
            return None;
        }
        let added = self.add(bracket, |_| {
            let value = match holder {
                ContainerKind::Object => Value::Object(Vec::new()),
                ContainerKind::Array => Value::Array(Vec::new()),
            };
            (value, None)
        });
        match added {
            Some(Added { id, entry }) => {
                self.frames.push(Frame { id, holder, children: 0, keys: self.entries.len(), entry });
            }
            None => self.unseen = 1,
        }
        added
    }

    /// Ends the innermost container before `end`.
    pub(super) fn end(&mut self, end: usize) {
        self.key = None;
        if self.unseen > 0 {
            self.unseen -= 1;
        } else if self.frames.len() > self.given
            && let Some(frame) = self.frames.pop()
        {
            let places = self.places;
            self.sink.change(frame.id, |node| node.place.end = node.place.end.max(places.of(Span::at(end)).end));
            self.entries.truncate(frame.keys);
            if let Some(entry) = frame.entry {
                self.entries[entry].nodes.1 = self.nodes;
            }
        }
    }

    /// Adds a plain value; `decoded` is its text if that differs from the source.
    pub(super) fn plain(&mut self, plain: Plain, decoded: impl FnOnce() -> Option<Box<str>>) -> Option<Added> {
        if self.unseen > 0 {
            return None;
        }
        self.add(plain.place, |places| (Value::Scalar(plain.scalar, places.of(plain.value)), decoded()))
    }

    /// Reports something that a strict parser accepts.
    pub(super) fn problem(&mut self, problem: Diagnostic) {
        if self.problems.len() < MAX_PROBLEMS {
            self.problems.push(problem);
        }
    }

    /// Reports something that a strict parser rejects.
    pub(super) fn refuse(&mut self, problem: Diagnostic) {
        if self.error.as_ref().is_none_or(|(at, _)| problem.span.start < *at) {
            self.error = Some((problem.span.start, problem.message.clone()));
        }
        self.problem(problem);
    }

    /// Closes everything at `end`; adds the reports of invisible characters to the problems.
    pub(super) fn finish(mut self, end: usize) -> ParsedArguments<S> {
        let hidden = self.close_all(end);
        self.problems.extend(hidden);
        self.problems.sort_by_key(|problem| problem.span.start);
        self.problems.truncate(MAX_PROBLEMS);
        ParsedArguments { error: self.error(), sink: self.sink, problems: self.problems }
    }

    /// The first message of a strict parser.
    pub(super) fn error(&mut self) -> Option<String> {
        self.error.take().map(|(_, message)| message)
    }

    /// Closes everything at `end`; returns the reports of invisible characters in keys of the tree.
    pub(super) fn close_all(&mut self, end: usize) -> Vec<Diagnostic> {
        while self.unseen > 0 || self.frames.len() > self.given {
            self.end(end);
        }
        self.hidden.drain(..).filter_map(|(_, problem)| problem).collect()
    }

    /// Adds a value at the current position, the first one as the root; `None` if there are too many. `value` also
    /// returns its text if that differs from the source; it is called only if the node is kept.
    fn add(&mut self, place: Span, value: impl FnOnce(SpanMap<'p>) -> (Value, Option<Box<str>>)) -> Option<Added> {
        let places = self.places;
        let Some(frame) = self.frames.last_mut() else {
            self.sink.change(ROOT, |root| {
                (root.value, root.decoded) = value(places);
                root.place = places.of(place);
                root.key_place = Span::at(root.place.start);
            });
            return Some(Added { id: ROOT, entry: None });
        };
        let key = self.key.take().filter(|_| frame.holder == ContainerKind::Object);
        if self.nodes >= MAX_NODES {
            if !self.limited {
                self.limited = true;
                let message = format!("more than {MAX_NODES} values; further ones are not shown");
                let first = Span::new(place.start, place.start + usize::from(!place.is_empty()));
                self.problem(Diagnostic::new(Code::JsonTooLarge, places.of(first), message));
            }
            return None;
        }
        let (parent, index) = (frame.id, frame.children);
        let id = self.nodes;
        self.nodes += 1;
        self.sink.add(parent, || {
            let (value, decoded) = value(places);
            let Some(key) = &key else {
                return Node { decoded, ..Node::new(index.to_string(), value, places.of(place)) };
            };
            let all = places.of(Span::new(key.start, place.end).cover(place));
            Node { decoded, key_place: places.of(key.place), ..Node::new(key.words.clone().into_owned(), value, all) }
        });
        let Some(key) = key else {
            frame.children += 1;
            return Some(Added { id, entry: None });
        };
        if !key.is_plain
            && let Some(problem) = hidden_characters(&key.words, places.of(key.place), "the key")
        {
            self.hidden.push((id, Some(problem)));
        }
        Some(Added { id, entry: Some(self.enter(key, id, parent)) })
    }

    /// Records the key of a new node in the innermost object, where it replaces a node with the same key.
    fn enter(&mut self, Key { words: key, place, .. }: Key<'a>, id: NodeId, parent: NodeId) -> usize {
        let first = self.frames.last().map_or(0, |frame| frame.keys);
        let keys = &self.entries[first..];
        let known = if keys.len() <= MOST_COMPARED {
            keys.iter().position(|entry| entry.key == key).map(|index| first + index)
        } else {
            self.known.get(&(parent, key.clone())).copied()
        };
        let Some(number) = known else {
            self.entries.push(OpenKey { key, place, nodes: (id, id + 1), member: None });
            if let Some(frame) = self.frames.last_mut() {
                frame.children += 1;
            }
            let count = self.entries.len() - first;
            if count > MOST_COMPARED {
                let from = if count == MOST_COMPARED + 1 { first } else { self.entries.len() - 1 };
                let entries = self.entries.iter().enumerate().skip(from);
                self.known.extend(entries.map(|(number, entry)| ((parent, entry.key.clone()), number)));
            }
            return self.entries.len() - 1;
        };
        let entry = &mut self.entries[number];
        let lost = std::mem::replace(&mut entry.nodes, (id, id + 1));
        let (place, first_place) = (self.places.of(place), self.places.of(entry.place));
        self.sink.change(parent, |node| {
            if let Value::Object(children) = &mut node.value {
                children.pop();
                children[number - first] = id;
            }
        });
        let from = self.hidden.partition_point(|&(node, _)| node < lost.0);
        self.hidden[from..].iter_mut().take_while(|(node, _)| *node < lost.1).for_each(|(_, problem)| *problem = None);
        let problem = Diagnostic::new(Code::DuplicateKey, place, format!("duplicate key {key:?}"));
        self.problem(problem.related(first_place, "this part is lost"));
        number
    }
}
