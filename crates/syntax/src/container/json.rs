//! The members of a JSON record with their source positions, from which a container picks the known ones.
//!
//! This is an index, not a tree of values: members that are not queried are never decoded. Values nested deeper than
//! `MAX_DEPTH` are not in the index, but their bytes are available.

use std::borrow::Cow;

use crate::text::steps;
use crate::text::{OffsetMap, Span};
use crate::value::ContainerKind;
use crate::value::json::lexer::{Strings, Token, TokenKind};
use crate::value::json::machine::{Fault, FaultKind, JsonEvent, JsonParser};
use crate::value::json::string::{decode, is_number};

/// Most levels of a record that are indexed.
pub(crate) const MAX_DEPTH: usize = 16;

/// Most values of a record; a larger record is not indexed at all.
pub(crate) const MAX_VALUES: usize = 1 << 18;

/// Types of JSON values, as containers distinguish them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonKind {
    /// Members with keys.
    Object,
    /// Elements.
    Array,
    /// A string, with its escapes.
    Text,
    /// A number, `true`, `false` or `null`.
    Word,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    kind: JsonKind,
    /// Its bytes, as offsets in the record.
    place: Span,
    /// Content of its key.
    key: Span,
    first: Option<u32>,
    last: Option<u32>,
    next: Option<u32>,
}

/// The reason why bytes are not a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// They end in the middle of it.
    CutOff,
    /// They break a rule of JSON.
    Broken,
    /// It has more values than are indexed.
    TooLarge,
}

/// The index of a record.
#[derive(Clone, Debug, Default)]
pub(crate) struct Index {
    nodes: Vec<Node>,
    open: Vec<u32>,
    /// Number of open containers that are too deep for the index.
    hidden: usize,
    key: Span,
    full: bool,
}

impl Index {
    /// Empties the index for another record.
    pub(crate) fn clear(&mut self) {
        self.nodes.clear();
        self.open.clear();
        self.hidden = 0;
        self.key = Span::default();
        self.full = false;
    }

    /// True if all values are in the index.
    pub(crate) fn is_whole(&self) -> bool {
        !self.full
    }

    /// Takes an event of the lexer; `start` is the offset of the record in the lexer's input.
    pub(crate) fn take(&mut self, step: JsonEvent, start: usize) -> Result<(), Fault> {
        match step {
            JsonEvent::Begin(..) if self.hidden > 0 => self.hidden += 1,
            JsonEvent::Begin(bracket, at) => {
                let kind = if bracket == ContainerKind::Object { JsonKind::Object } else { JsonKind::Array };
                match self.add(kind, Span::new(at - start, at - start + 1)) {
                    Some(id) if self.open.len() < MAX_DEPTH => self.open.push(id),
                    _ => self.hidden = 1,
                }
            }
            JsonEvent::End(end) => {
                if self.hidden > 0 {
                    self.hidden -= 1;
                    if self.hidden == 0
                        && let Some(last) = self.nodes.last_mut()
                    {
                        last.place.end = end - start;
                    }
                } else if let Some(id) = self.open.pop() {
                    self.nodes[id as usize].place.end = end - start;
                }
            }
            JsonEvent::Key(token) => self.key = Span::new(token.start + 1 - start, token.end - 1 - start),
            JsonEvent::Scalar(token) => {
                if self.hidden == 0 {
                    let kind = if token.kind == TokenKind::Text { JsonKind::Text } else { JsonKind::Word };
                    self.add(kind, Span::new(token.start - start, token.end - start));
                }
            }
            JsonEvent::Fault(fault) => return Err(fault),
        }
        Ok(())
    }

    fn add(&mut self, kind: JsonKind, place: Span) -> Option<u32> {
        if self.nodes.len() >= MAX_VALUES {
            self.full = true;
            return None;
        }
        let id = self.nodes.len() as u32;
        let key = std::mem::take(&mut self.key);
        self.nodes.push(Node { kind, place, key, first: None, last: None, next: None });
        if let Some(&parent) = self.open.last() {
            match self.nodes[parent as usize].last.replace(id) {
                Some(before) => self.nodes[before as usize].next = Some(id),
                None => self.nodes[parent as usize].first = Some(id),
            }
        }
        Some(id)
    }

    /// The root value, once it has begun.
    pub(crate) fn root<'a>(&'a self, bytes: &'a [u8], places: RecordPositions<'a>) -> Option<JsonValue<'a>> {
        (!self.nodes.is_empty()).then_some(JsonValue { index: self, bytes, places, id: 0 })
    }

    /// Indexes `bytes`, which must be one value and whitespace.
    ///
    /// # Errors
    /// Returns the flaw and its offset in `bytes`.
    pub(crate) fn read(bytes: &[u8]) -> Result<Index, (Flaw, usize)> {
        let (index, end) = Self::prefix(bytes, true);
        let end = end?;
        let rest = bytes[end..].iter().position(|byte| !byte.is_ascii_whitespace());
        rest.map_or(Ok(index), |rest| Err((Flaw::Broken, end + rest)))
    }

    /// Indexes the available part of the value at the start of `bytes`, and returns the value's end.
    pub(crate) fn prefix(bytes: &[u8], finished: bool) -> (Index, Result<usize, (Flaw, usize)>) {
        let mut prefix = PrefixIndex::default();
        let end = prefix.read_on(bytes, finished);
        (prefix.index, end)
    }
}

/// The index of the value at the beginning of a text, which can be extended as the text grows.
#[derive(Debug)]
pub(super) struct PrefixIndex {
    /// The index so far.
    pub(super) index: Index,
    machine: JsonParser,
    flaw: Option<(Flaw, usize)>,
}

impl Default for PrefixIndex {
    fn default() -> Self {
        let mut machine = JsonParser::at(0);
        machine.allow(Strings::OneLine);
        Self { index: Index::default(), machine, flaw: None }
    }
}

impl PrefixIndex {
    /// Continues with `bytes`, which extend the bytes of the last call. Returns the offset of the
    /// value's end.
    ///
    /// # Errors
    /// Returns the flaw and its offset in `bytes`; a value that is cut off may continue.
    pub(super) fn read_on(&mut self, bytes: &[u8], finished: bool) -> Result<usize, (Flaw, usize)> {
        let Self { index, machine, flaw: found } = self;
        while found.is_none()
            && let Some(step) = machine.next(bytes, finished)
        {
            if let Err(fault) = strict(step, bytes).and_then(|()| index.take(step, 0)) {
                *found = Some((flaw(fault), fault.start));
            }
        }
        match *found {
            Some(found) => Err(found),
            None if !index.is_whole() => Err((Flaw::TooLarge, 0)),
            None if machine.is_complete() => Ok(machine.offset()),
            None => Err((Flaw::CutOff, bytes.len())),
        }
    }
}

/// Converts a fault of the lexer.
pub(crate) fn flaw(fault: Fault) -> Flaw {
    if fault.kind == FaultKind::Truncated { Flaw::CutOff } else { Flaw::Broken }
}

/// Checks that an event is strict JSON; the lexer itself accepts any word as a value.
pub(crate) fn strict(step: JsonEvent, bytes: &[u8]) -> Result<(), Fault> {
    let wrong = |token: Token| Fault { kind: FaultKind::Unexpected("a value"), start: token.start, end: token.end };
    match step {
        JsonEvent::Scalar(token) if token.kind == TokenKind::Word => {
            let word = token.content(bytes);
            let known = matches!(word, b"true" | b"false" | b"null") || is_number(word);
            if known { Ok(()) } else { Err(wrong(token)) }
        }
        JsonEvent::Key(token) if token.kind != TokenKind::Text => Err(wrong(token)),
        JsonEvent::Fault(fault) => Err(fault),
        _ => Ok(()),
    }
}

/// Maps the bytes of a record to the file.
#[derive(Clone, Copy, Debug)]
pub enum RecordPositions<'a> {
    /// The record is in the file verbatim, starting at this offset.
    At(usize),
    /// The record is in a decoded text with this map.
    Through(&'a OffsetMap),
}

impl RecordPositions<'_> {
    /// The bytes of the file for a span of the record.
    pub(crate) fn source(&self, span: Span) -> Span {
        match self {
            RecordPositions::At(base) => Span::new(base + span.start, base + span.end),
            RecordPositions::Through(map) => map.source_of(span),
        }
    }
}

/// A value in a record.
#[derive(Clone, Copy, Debug)]
pub struct JsonValue<'a> {
    index: &'a Index,
    bytes: &'a [u8],
    places: RecordPositions<'a>,
    id: u32,
}

impl<'a> JsonValue<'a> {
    fn node(&self) -> &'a Node {
        &self.index.nodes[self.id as usize]
    }

    fn at(&self, id: u32) -> JsonValue<'a> {
        JsonValue { id, ..*self }
    }

    /// Type of the value.
    pub(crate) fn kind(&self) -> JsonKind {
        self.node().kind
    }

    /// Its JSON text, verbatim.
    pub(crate) fn raw(&self) -> &'a [u8] {
        &self.bytes[self.node().place.start..self.node().place.end]
    }

    /// Its span in the record.
    pub(crate) fn place(&self) -> Span {
        self.node().place
    }

    /// The span of a string's content, with escapes and without quotes; the whole span of any other value.
    pub(crate) fn content(&self) -> Span {
        let place = self.node().place;
        if self.kind() == JsonKind::Text { Span::new(place.start + 1, place.end - 1) } else { place }
    }

    /// The record that contains it: its bytes, and their positions in the file.
    pub(crate) fn record(&self) -> (&'a [u8], RecordPositions<'a>) {
        (self.bytes, self.places)
    }

    /// Its span in the file.
    pub(crate) fn source(&self) -> Span {
        self.places.source(self.node().place)
    }

    /// Its key, or an empty string for an element.
    pub(crate) fn key(&self) -> Cow<'a, str> {
        text(&self.bytes[self.node().key.start..self.node().key.end])
    }

    /// The members or elements; empty if they are too deep for the index.
    pub(crate) fn items(&self) -> impl Iterator<Item = JsonValue<'a>> + use<'a> {
        let value = *self;
        let mut next = self.node().first;
        std::iter::from_fn(move || {
            steps::add(1);
            let item = value.at(next?);
            next = item.node().next;
            Some(item)
        })
    }

    /// The member with this key; the last one of several, like most parsers.
    pub(crate) fn get(&self, key: &str) -> Option<JsonValue<'a>> {
        if self.kind() != JsonKind::Object {
            return None;
        }
        self.items().filter(|item| item.is_under(key)).last()
    }

    fn is_under(&self, key: &str) -> bool {
        let written = &self.bytes[self.node().key.start..self.node().key.end];
        // An escaped key is longer than the decoded one, and begins with the same byte or with a backslash.
        let may_be_escaped = || {
            written.len() > key.len()
                && (written[0] == b'\\' || key.as_bytes().first() == Some(&written[0]))
                && written.contains(&b'\\')
        };
        written == key.as_bytes() || (may_be_escaped() && text(written) == key)
    }

    /// The value at the end of a path of keys.
    pub(crate) fn path(&self, keys: &[&str]) -> Option<JsonValue<'a>> {
        keys.iter().try_fold(*self, |value, key| value.get(key))
    }

    /// The decoded string; `None` for other types.
    pub(crate) fn text(&self) -> Option<Cow<'a, str>> {
        let content = self.content();
        (self.kind() == JsonKind::Text).then(|| text(&self.bytes[content.start..content.end]))
    }

    /// The decoded string under `key`.
    pub(crate) fn text_of(&self, key: &str) -> Option<Cow<'a, str>> {
        self.get(key)?.text()
    }

    /// True if the string under `key` is `word`.
    pub(crate) fn is_string(&self, key: &str, word: &str) -> bool {
        self.text_of(key).is_some_and(|text| text == word)
    }

    /// The text of a nonempty string or of a number; `None` for anything else.
    pub(crate) fn scalar_text(self) -> Option<Box<str>> {
        match self.kind() {
            JsonKind::Text => self.text().filter(|text| !text.is_empty()).map(Box::from),
            JsonKind::Word if self.number().is_some() => Some(String::from_utf8_lossy(self.raw()).into()),
            _ => None,
        }
    }

    /// The first member found, by these keys in order.
    pub(crate) fn first_of(&self, keys: &[&str]) -> Option<JsonValue<'a>> {
        keys.iter().find_map(|key| self.get(key))
    }

    /// The first member found that is not void, by these keys in order.
    pub(crate) fn first_filled(&self, keys: &[&str]) -> Option<JsonValue<'a>> {
        keys.iter().find_map(|key| self.get(key).filter(|value| !value.is_void()))
    }

    /// [`JsonValue::scalar_text`] of the member with this key.
    pub(crate) fn words_of(&self, key: &str) -> Option<Box<str>> {
        self.get(key)?.scalar_text()
    }

    /// The member with this key, if it is a string.
    pub(crate) fn string_of(&self, key: &str) -> Option<JsonValue<'a>> {
        self.get(key).filter(|value| value.kind() == JsonKind::Text)
    }

    /// [`JsonValue::number`] of the member with this key.
    pub(crate) fn number_of(&self, key: &str) -> Option<u64> {
        self.get(key)?.number()
    }

    /// [`JsonValue::truth`] of the member with this key.
    pub(crate) fn truth_of(&self, key: &str) -> Option<bool> {
        self.get(key)?.truth()
    }

    /// The number, if it is a nonnegative integer.
    pub(crate) fn number(&self) -> Option<u64> {
        if self.kind() == JsonKind::Word { std::str::from_utf8(self.raw()).ok()?.parse().ok() } else { None }
    }

    /// The number, if it is finite; integers included.
    pub(crate) fn fraction(&self) -> Option<f64> {
        let number: f64 = if self.kind() == JsonKind::Word {
            std::str::from_utf8(self.raw()).ok()?.parse().ok()?
        } else {
            return None;
        };
        number.is_finite().then_some(number)
    }

    /// The value, if it is `true` or `false`.
    pub(crate) fn truth(&self) -> Option<bool> {
        match self.raw() {
            b"true" => Some(true),
            b"false" => Some(false),
            _ => None,
        }
    }

    /// True if another value is equal, regardless of key order and of how strings and numbers are written; a part
    /// that is too deep for the index must be identical.
    pub(crate) fn equals(&self, other: JsonValue<'_>) -> bool {
        if self.kind() != other.kind() {
            return false;
        }
        match self.kind() {
            JsonKind::Text => self.text() == other.text(),
            JsonKind::Word => {
                let number = |word: &[u8]| std::str::from_utf8(word).ok()?.parse::<f64>().ok();
                self.raw() == other.raw() || number(self.raw()).is_some_and(|value| Some(value) == number(other.raw()))
            }
            JsonKind::Array | JsonKind::Object => {
                let (mut own, mut others): (Vec<_>, Vec<_>) = (self.items().collect(), other.items().collect());
                // Elements have no keys, so a stable sort keeps their order.
                own.sort_by_key(JsonValue::key);
                others.sort_by_key(JsonValue::key);
                let is_same =
                    |(one, other): (&JsonValue<'_>, &JsonValue<'_>)| one.key() == other.key() && one.equals(*other);
                let is_known = !own.is_empty() || self.raw() == other.raw() || (self.is_void() && other.is_void());
                is_known && own.len() == others.len() && own.iter().zip(&others).all(is_same)
            }
        }
    }

    /// True for `null`, an empty string or an empty container.
    pub(crate) fn is_void(&self) -> bool {
        match self.kind() {
            JsonKind::Word => self.raw() == b"null",
            JsonKind::Text => self.raw().len() == 2,
            // A container that is too deep for the index still has its bytes.
            JsonKind::Object | JsonKind::Array => {
                // One that is cut off after its bracket has none.
                self.raw().get(1..self.raw().len() - 1).is_none_or(|inner| inner.iter().all(u8::is_ascii_whitespace))
            }
        }
    }
}

/// Decodes the content of a string.
fn text(content: &[u8]) -> Cow<'_, str> {
    if memchr::memchr(b'\\', content).is_some() {
        Cow::Owned(String::from_utf8_lossy(&decode(content).bytes).into_owned())
    } else {
        String::from_utf8_lossy(content)
    }
}

#[cfg(test)]
mod tests;
