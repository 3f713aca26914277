//! What the events of a JSON text make: nodes for a sink, the outermost members, and what is wrong with each.

use std::borrow::Cow;
use std::collections::HashMap;

use memchr::memchr;

use super::lexer::{Token, TokenKind};
use super::machine::{FaultKind, JsonEvent};
use super::string::{self, StringFault};
use super::{Arrival, Held, JsonMember, JsonPlaces, MAX_NODES, MAX_PROBLEMS, Parsed, faults, words};
use crate::diagnostic::{Code, Diagnostic, Related, hidden_characters};
use crate::params::coerce::number_text;
use crate::params::pointer::MAX_DEPTH;
use crate::params::{Holder, Node, NodeId, ROOT, Scalar, Sink, Value};
use crate::text::Span;

/// Keys of an object that are compared one by one; those of a larger one are found by their hashes.
const MOST_COMPARED: usize = 16;

/// A container that is open.
#[derive(Debug)]
struct Frame {
    id: NodeId,
    bracket: Holder,
    /// Number of children, without those that are replaced.
    children: usize,
    /// Where the keys of the object begin among all.
    keys: usize,
    /// The key in the object around it that leads to it.
    entry: Option<usize>,
    /// The member that it is, where it is one of the outermost two objects.
    member: Option<usize>,
}

/// A key that waits for its value.
struct Key<'a> {
    words: Cow<'a, str>,
    token: Token,
    /// Whether it is written as it reads, in characters that can all be seen.
    is_plain: bool,
}

/// A key of an object that is open.
#[derive(Debug)]
struct Entry<'a> {
    key: Cow<'a, str>,
    token: Token,
    /// The numbers of the nodes at and below it, as far as they are known.
    nodes: (NodeId, NodeId),
    member: Option<usize>,
}

/// A node that has been added.
struct Added {
    id: NodeId,
    /// Its key among those that are noted.
    entry: Option<usize>,
    member: Option<usize>,
}

/// Takes the events of one text.
pub(super) struct Builder<'a, 'p, S> {
    bytes: &'a [u8],
    places: JsonPlaces<'p>,
    out: Parsed<'a, S>,
    /// Number of nodes so far.
    nodes: usize,
    stack: Vec<Frame>,
    /// The keys of the objects that are open.
    entries: Vec<Entry<'a>>,
    /// Where among them a key of a large object is.
    known: HashMap<(NodeId, Cow<'a, str>), usize>,
    /// Containers that are open and not shown, because they are too deep or too many.
    unseen: usize,
    key: Option<Key<'a>>,
    /// Whether it was said that there are too many nodes.
    limited: bool,
    /// Nodes whose keys hold characters that cannot be seen, in the order of their numbers; nothing is said of those that
    /// are lost.
    hidden: Vec<(NodeId, Option<Diagnostic>)>,
    /// Faults that are reported once, and the number of the problem that does.
    habits: Vec<(FaultKind, usize)>,
}

impl<'a, 'p, S: Sink + Default> Builder<'a, 'p, S> {
    pub(super) fn new(bytes: &'a [u8], places: JsonPlaces<'p>) -> Self {
        let (members, problems, hidden) = (Vec::new(), Vec::new(), Vec::new());
        Self {
            bytes,
            places,
            out: Parsed { sink: S::default(), root: None, members, problems, hidden, error: None, end: 0 },
            nodes: 1,
            stack: Vec::new(),
            entries: Vec::new(),
            known: HashMap::new(),
            unseen: 0,
            key: None,
            limited: false,
            hidden: Vec::new(),
            habits: Vec::new(),
        }
    }

    pub(super) fn take(&mut self, event: JsonEvent, arrival: Arrival) {
        match event {
            JsonEvent::Begin(bracket, start) => self.begin(bracket, start),
            JsonEvent::Key(token) => self.key(token),
            JsonEvent::Scalar(token) => self.scalar(token),
            JsonEvent::End(_) if self.unseen > 0 => self.unseen -= 1,
            JsonEvent::End(end) => {
                self.key = None;
                self.close(end);
            }
            JsonEvent::Fault(fault) => {
                if arrival == Arrival::Open && fault.kind == FaultKind::Truncated {
                    return;
                }
                let problem = faults::describe(fault, self.bytes, self.places, &self.closers());
                self.again(fault.kind, problem);
            }
        }
    }

    pub(super) fn finish(mut self, end: usize) -> Parsed<'a, S> {
        while !self.stack.is_empty() {
            self.close(end);
        }
        self.out.hidden.extend(self.hidden.drain(..).filter_map(|(_, problem)| problem));
        Parsed { end, ..self.out }
    }

    fn key(&mut self, token: Token) {
        let content = token.content(self.bytes);
        let is_plain = content.iter().all(|&byte| matches!(byte, b' '..=b'~') && byte != b'\\');
        if !is_plain {
            self.judge_string(token);
        }
        if self.unseen == 0 {
            self.key = Some(Key { words: words(token, self.bytes), token, is_plain });
        }
    }

    fn begin(&mut self, bracket: Holder, start: usize) {
        if self.unseen > 0 {
            self.unseen += 1;
            return;
        }
        if self.stack.len() >= MAX_DEPTH {
            let message = format!("nested deeper than {MAX_DEPTH} levels; what is inside is not shown");
            self.problem(Diagnostic::new(Code::JsonTooLarge, self.places.span(start, start + 1), message));
            self.unseen = 1;
            self.key = None;
            return;
        }
        let held = if bracket == Holder::Object { Held::Object } else { Held::Array };
        let value = Token { kind: TokenKind::Open(bracket), start, end: start + 1, closed: true };
        match self.add(held, value) {
            Some(Added { id, entry, member }) => {
                self.stack.push(Frame { id, bracket, children: 0, keys: self.entries.len(), entry, member });
            }
            None => self.unseen = 1,
        }
    }

    fn scalar(&mut self, token: Token) {
        if self.unseen > 0 {
            return;
        }
        if token.kind == TokenKind::Text {
            self.judge_string(token);
            self.add(Held::Text(token, self.bytes), token);
            return;
        }
        let word = token.content(self.bytes);
        let scalar = if token.end == self.bytes.len() && !self.stack.is_empty() {
            // Cut off or still arriving: what is missing is said once, of the containers around it.
            Self::cut_word(word)
        } else {
            self.word(word, token)
        };
        let held = if scalar == Scalar::String { Held::Text(token, self.bytes) } else { Held::Plain(scalar, word) };
        self.add(held, token);
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
    fn word(&mut self, word: &[u8], token: Token) -> Scalar {
        let text = words(token, self.bytes);
        match word {
            b"true" => return Scalar::Boolean(true),
            b"false" => return Scalar::Boolean(false),
            b"null" => return Scalar::Null,
            b"True" | b"False" | b"None" => {
                self.refuse(faults::python_literal(&text, self.places.span(token.start, token.end)));
                return match word {
                    b"None" => Scalar::Null,
                    _ => Scalar::Boolean(word == b"True"),
                };
            }
            _ => {}
        }
        let place = self.places.span(token.start, token.end);
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
            self.problem(faults::lossy_number(&text, number_text(number), place));
        }
        Scalar::Number(number)
    }

    /// What is wrong in a string.
    fn judge_string(&mut self, token: Token) {
        if token.kind == TokenKind::Word {
            return;
        }
        let content = token.content(self.bytes);
        let said = if token.closed { content.len() } else { content.trim_ascii_end().len() };
        // A line feed at the end of a text that was cut off is none of the string's.
        for (fault, from, to) in string::faults(content).into_iter().filter(|&(_, from, _)| from < said) {
            let place = self.places.span(token.start + 1 + from, token.start + 1 + to);
            let written = String::from_utf8_lossy(&content[from..to]);
            let problem = faults::in_string(fault, &written, place);
            if fault == StringFault::Surrogate { self.problem(problem) } else { self.refuse(problem) }
        }
    }

    /// Adds a value where it belongs, and as a member if it is in one of the outermost two objects; `None` when there are
    /// too many.
    fn add(&mut self, held: Held<'a>, token: Token) -> Option<Added> {
        let (places, bytes) = (self.places, self.bytes);
        let place = || places.span(token.start, token.end);
        let Some(parent) = self.stack.last() else {
            if self.out.root.is_none() {
                self.out.root = Some(held);
                self.out.sink.change(ROOT, |root| {
                    (root.value, root.decoded) = value(held, token, places);
                    (root.place, root.key_place) = (place(), Span::at(place().start));
                });
            }
            return Some(Added { id: ROOT, entry: None, member: None });
        };
        let (parent, bracket, index) = (parent.id, parent.bracket, parent.children);
        if self.nodes >= MAX_NODES {
            self.key = None;
            if !self.limited {
                self.limited = true;
                let message = format!("more than {MAX_NODES} values; further ones are not shown");
                let start = place().start;
                self.problem(Diagnostic::new(Code::JsonTooLarge, Span::new(start, start + 1), message));
            }
            return None;
        }
        let id = self.nodes;
        self.nodes += 1;
        let key = self.key.take();
        let key_place = || key.as_ref().map_or_else(|| Span::at(place().start), |key| places.content(key.token));
        let all = || places.opening_quote(key_place(), bytes).cover(place());
        self.out.sink.add(parent, || {
            let (value, decoded) = value(held, token, places);
            let key = key.as_ref().map_or_else(|| index.to_string(), |key| key.words.clone().into_owned());
            Node { decoded, key_place: key_place(), ..Node::new(key, value, all()) }
        });
        let Some(key) = key.as_ref().filter(|_| bracket == Holder::Object) else {
            self.count_child();
            return Some(Added { id, entry: None, member: None });
        };
        let entry = self.enter(key, id, parent);
        if !key.is_plain
            && let Some(problem) = hidden_characters(&key.words, key_place(), "the key")
        {
            self.hidden.push((id, Some(problem)));
        }
        if self.stack.len() <= 2 {
            let (value, key_place, place) = (places.content(token), key_place(), all());
            let member = JsonMember { id, parent, key: key.words.clone(), key_place, held, value, place };
            let known = &mut self.entries[entry].member;
            if let Some(number) = *known {
                self.out.members[number] = member;
            } else {
                *known = Some(self.out.members.len());
                self.out.members.push(member);
            }
        }
        Some(Added { id, entry: Some(entry), member: self.entries[entry].member })
    }

    fn count_child(&mut self) {
        if let Some(frame) = self.stack.last_mut() {
            frame.children += 1;
        }
    }

    /// Notes the key of a new node in the innermost object, where it takes the place of one with the same key.
    fn enter(&mut self, Key { words: key, token, .. }: &Key<'a>, id: NodeId, parent: NodeId) -> usize {
        let first = self.stack.last().map_or(0, |frame| frame.keys);
        let keys = &self.entries[first..];
        let known = if keys.len() <= MOST_COMPARED {
            keys.iter().position(|entry| entry.key == *key).map(|index| first + index)
        } else {
            self.known.get(&(parent, key.clone())).copied()
        };
        let Some(number) = known else {
            self.entries.push(Entry { key: key.clone(), token: *token, nodes: (id, id + 1), member: None });
            self.count_child();
            let count = self.entries.len() - first;
            if count > MOST_COMPARED {
                let from = if count == MOST_COMPARED + 1 { first } else { self.entries.len() - 1 };
                let entries = self.entries.iter().enumerate().skip(from);
                self.known.extend(entries.map(|(number, entry)| ((parent, entry.key.clone()), number)));
            }
            return self.entries.len() - 1;
        };
        let entry = &mut self.entries[number];
        let (lost, first_token) = (std::mem::replace(&mut entry.nodes, (id, id + 1)), entry.token);
        self.out.sink.change(parent, |node| {
            if let Value::Object(children) = &mut node.value {
                children.pop();
                children[number - first] = id;
            }
        });
        let from = self.hidden.partition_point(|&(node, _)| node < lost.0);
        self.hidden[from..].iter_mut().take_while(|(node, _)| *node < lost.1).for_each(|(_, problem)| *problem = None);
        let (place, first_place) = (self.places.content(*token), self.places.content(first_token));
        let problem = Diagnostic::new(Code::DuplicateKey, place, format!("the key {key:?} is given twice"));
        self.problem(problem.related(first_place, "this part is lost"));
        number
    }

    fn close(&mut self, end: usize) {
        let Some(frame) = self.stack.pop() else { return };
        let places = self.places;
        let widen = |place: &mut Span| place.end = place.end.max(places.span(end, end).end);
        self.out.sink.change(frame.id, |node| widen(&mut node.place));
        self.entries.truncate(frame.keys);
        if let Some(entry) = frame.entry {
            self.entries[entry].nodes.1 = self.nodes;
        }
        if let Some(member) = frame.member {
            widen(&mut self.out.members[member].place);
        }
    }

    /// The brackets that are missing at the end.
    fn closers(&self) -> String {
        let closer = |frame: &Frame| frame.bracket.closer();
        self.stack.iter().rev().map(closer).collect()
    }

    /// A fault; a habit that shows everywhere is one problem.
    fn again(&mut self, kind: FaultKind, problem: Diagnostic) {
        let habit = matches!(kind, FaultKind::SingleQuotes | FaultKind::UnquotedKey);
        let first = self.habits.iter().find(|(known, _)| *known == kind).map(|(_, index)| *index);
        match first.and_then(|index| self.out.problems.get_mut(index)) {
            Some(first) if first.related.len() < MAX_PROBLEMS => {
                first.related.push(Related { span: problem.span, message: "here as well".into() });
            }
            Some(_) => {}
            None => {
                if habit {
                    self.habits.push((kind, self.out.problems.len()));
                }
                self.refuse(problem);
            }
        }
    }

    fn problem(&mut self, problem: Diagnostic) {
        if self.out.problems.len() < MAX_PROBLEMS {
            self.out.problems.push(problem);
        }
    }

    /// A strict reader stops here.
    fn refuse(&mut self, problem: Diagnostic) {
        if self.out.error.is_none() {
            self.out.error = Some(problem.message.clone());
        }
        self.problem(problem);
    }
}

/// A plain value or an empty container, and its text where that is not written as it is.
fn value(held: Held<'_>, token: Token, places: JsonPlaces<'_>) -> (Value, Option<Box<str>>) {
    let span = places.content(token);
    match held {
        Held::Object => (Value::Object(Vec::new()), None),
        Held::Array => (Value::Array(Vec::new()), None),
        Held::Plain(scalar, _) => (Value::Scalar(scalar, span), None),
        Held::Text(token, bytes) => {
            let is_inside = matches!(places, JsonPlaces::Inside(..));
            let is_written =
                token.kind == TokenKind::Word || (!is_inside && memchr(b'\\', token.content(bytes)).is_none());
            (Value::Scalar(Scalar::String, span), (!is_written).then(|| words(token, bytes).into()))
        }
    }
}
