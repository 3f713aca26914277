//! Builds the tree, the problems and the outermost members from the events of a JSON text.

use memchr::memchr;

use super::lexer::{Token, TokenKind};
use super::machine::{FaultKind, JsonEvent};
use super::string::{self, StringFault};
use super::{Arrival, Held, JsonMember, Parsed, faults, words};
use crate::diagnostic::{Diagnostic, Related};
use crate::text::Span;
use crate::value::coerce::number_text;
use crate::value::place::SpanMap;
use crate::value::tree_builder::{Added, Key, MAX_PROBLEMS, Plain, TreeBuilder};
use crate::value::{ContainerKind, NodeId, Scalar, Sink};

/// Depth of the objects whose members are recorded: the root and the objects in it.
const NOTED: usize = 2;

/// Receives the events of one text.
pub(super) struct Builder<'a, 'p, S> {
    bytes: &'a [u8],
    places: SpanMap<'p>,
    tree: TreeBuilder<'a, 'p, S>,
    root: Option<Held<'a>>,
    members: Vec<JsonMember<'a>>,
    /// For each open container, the index of the member whose value it is.
    open: Vec<Option<usize>>,
    /// The last key, until its value arrives.
    key: Option<Key<'a>>,
    /// Faults that are reported only once, with the index of their problem.
    habits: Vec<(FaultKind, usize)>,
}

impl<'a, 'p, S: Sink + Default> Builder<'a, 'p, S> {
    pub(super) fn new(bytes: &'a [u8], places: SpanMap<'p>) -> Self {
        let (members, open, habits) = (Vec::new(), Vec::new(), Vec::new());
        Self { bytes, places, tree: TreeBuilder::new(places), root: None, members, open, key: None, habits }
    }

    pub(super) fn take(&mut self, event: JsonEvent, arrival: Arrival) {
        match event {
            JsonEvent::Begin(holder, start) => self.begin(holder, start),
            JsonEvent::Key(token) => self.key(token),
            JsonEvent::Scalar(token) => self.scalar(token),
            JsonEvent::End(end) => self.end(end),
            JsonEvent::Fault(fault) => {
                if arrival == Arrival::Open && fault.kind == FaultKind::Truncated {
                    return;
                }
                let problem = faults::describe(fault, self.bytes, self.places, &self.tree.closers());
                self.again(fault.kind, problem);
            }
        }
    }

    pub(super) fn finish(mut self, end: usize) -> Parsed<'a, S> {
        while self.tree.depth() > 0 {
            self.end(end);
        }
        let hidden = self.tree.close_all(0);
        let error = self.tree.error();
        let TreeBuilder { sink, problems, .. } = self.tree;
        Parsed { sink, root: self.root, members: self.members, problems, hidden, error, end }
    }

    fn key(&mut self, token: Token) {
        let content = token.content(self.bytes);
        let is_plain = content.iter().all(|&byte| matches!(byte, b' '..=b'~') && byte != b'\\');
        if !is_plain {
            self.judge_string(token);
        }
        if !self.tree.is_unseen() {
            let place = token.content_span();
            let key = Key { words: words(token, self.bytes), place, start: token.start, is_plain };
            self.key = (self.tree.depth() <= NOTED).then(|| key.clone());
            self.tree.set_key(key);
        }
    }

    fn begin(&mut self, holder: ContainerKind, start: usize) {
        let held = if holder == ContainerKind::Object { Held::Object } else { Held::Array };
        let bracket = Span::new(start, start + 1);
        let parent = self.tree.parent();
        if let Some(added) = self.tree.begin(holder, bracket) {
            let member = self.note(held, bracket, bracket, added, parent);
            self.open.push(member);
        }
    }

    fn end(&mut self, end: usize) {
        self.key = None;
        let is_seen = !self.tree.is_unseen();
        self.tree.end(end);
        if let Some(member) = is_seen.then(|| self.open.pop()).flatten().flatten() {
            let place = &mut self.members[member].place;
            place.end = place.end.max(self.places.of(Span::at(end)).end);
        }
    }

    /// Records the root, or a member of an outer object: `value` without quotes, `place` with them. Returns the
    /// member's index.
    fn note(&mut self, held: Held<'a>, value: Span, place: Span, added: Added, parent: NodeId) -> Option<usize> {
        if self.root.is_none() {
            self.root = Some(held);
        }
        let (key, entry) = (self.key.take()?, added.entry?);
        let place = self.places.of(Span::new(key.start, place.end));
        let (key_place, value) = (self.places.of(key.place), self.places.of(value));
        let member = JsonMember { id: added.id, parent, key: key.words, key_place, held, value, place };
        let number = *self.tree.member(entry).get_or_insert(self.members.len());
        match self.members.get_mut(number) {
            Some(known) => *known = member,
            None => self.members.push(member),
        }
        Some(number)
    }

    fn scalar(&mut self, token: Token) {
        if self.tree.is_unseen() {
            return;
        }
        let (held, scalar) = if token.kind == TokenKind::Text {
            self.judge_string(token);
            (Held::Text(token, self.bytes), Scalar::String)
        } else {
            let word = token.content(self.bytes);
            let scalar = if token.end == self.bytes.len() && self.tree.depth() > 0 {
                // Cut off or still arriving: a missing end is reported once, for the containers around it.
                Self::cut_word(word)
            } else {
                self.word(word, token)
            };
            let is_text = scalar == Scalar::String;
            (if is_text { Held::Text(token, self.bytes) } else { Held::Plain(scalar, word) }, scalar)
        };
        let (bytes, places) = (self.bytes, self.places);
        let (value, place) = (token.content_span(), Span::new(token.start, token.end));
        if let Some(added) = self.tree.plain(Plain { scalar, value, place }, || decoded(held, places, bytes)) {
            let parent = self.tree.parent();
            self.note(held, value, place, added, parent);
        }
    }

    /// The value of a bare word that may be incomplete.
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

    /// The value of a bare word; reports its problems.
    fn word(&mut self, word: &[u8], token: Token) -> Scalar {
        let text = words(token, self.bytes);
        match word {
            b"true" => return Scalar::Boolean(true),
            b"false" => return Scalar::Boolean(false),
            b"null" => return Scalar::Null,
            b"True" | b"False" | b"None" => {
                self.tree.refuse(faults::python_literal(&text, self.places.of(Span::new(token.start, token.end))));
                return match word {
                    b"None" => Scalar::Null,
                    _ => Scalar::Boolean(word == b"True"),
                };
            }
            _ => {}
        }
        let place = self.places.of(Span::new(token.start, token.end));
        let number: Option<f64> = text.parse().ok().filter(|number: &f64| number.is_finite());
        if !string::is_number(word) {
            self.tree.refuse(faults::bare_word(&text, place));
            let digits = word.iter().any(u8::is_ascii_digit);
            return number.filter(|_| digits).map_or(Scalar::String, Scalar::Number);
        }
        let Some(number) = number else {
            self.tree.problem(faults::lossy_number(&text, "infinity".into(), place));
            return Scalar::String;
        };
        if !string::keeps_its_text(&text, number) {
            self.tree.problem(faults::lossy_number(&text, number_text(number), place));
        }
        Scalar::Number(number)
    }

    /// Reports the problems in a string.
    fn judge_string(&mut self, token: Token) {
        if token.kind == TokenKind::Word {
            return;
        }
        let content = token.content(self.bytes);
        let said = if token.closed { content.len() } else { content.trim_ascii_end().len() };
        // The final line feed of a text that was cut off is not part of the string.
        for (fault, from, to) in string::faults(content).into_iter().filter(|&(_, from, _)| from < said) {
            let place = self.places.of(Span::new(token.start + 1 + from, token.start + 1 + to));
            let written = String::from_utf8_lossy(&content[from..to]);
            let problem = faults::in_string(fault, &written, place);
            if fault == StringFault::Surrogate { self.tree.problem(problem) } else { self.tree.refuse(problem) }
        }
    }

    /// Reports a fault; one that recurs throughout is reported as a single problem.
    fn again(&mut self, kind: FaultKind, problem: Diagnostic) {
        let habit = matches!(kind, FaultKind::SingleQuotes | FaultKind::UnquotedKey);
        let first = self.habits.iter().find(|(known, _)| *known == kind).map(|(_, index)| *index);
        match first.and_then(|index| self.tree.problems.get_mut(index)) {
            Some(first) if first.related.len() < MAX_PROBLEMS => {
                first.related.push(Related { span: problem.span, message: "here as well".into() });
            }
            Some(_) => {}
            None => {
                if habit {
                    self.habits.push((kind, self.tree.problems.len()));
                }
                self.tree.refuse(problem);
            }
        }
    }
}

/// The text of a string, if it differs from its bytes.
fn decoded(held: Held<'_>, places: SpanMap<'_>, bytes: &[u8]) -> Option<Box<str>> {
    let Held::Text(token, _) = held else { return None };
    let is_inside = matches!(places, SpanMap::InString(..));
    let is_written = token.kind == TokenKind::Word || (!is_inside && memchr(b'\\', token.content(bytes)).is_none());
    (!is_written).then(|| words(token, bytes).into())
}
