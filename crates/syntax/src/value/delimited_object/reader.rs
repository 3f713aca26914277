//! Builds a tree from an object with delimited strings.
//!
//! A state machine with an explicit stack.

use std::borrow::Cow;

use memchr::{memchr, memmem};

use super::faults::{self, Fault};
use super::quoted_length;
use crate::text::{Span, trim};
use crate::value::bracket::BracketKind;
use crate::value::coerce::number_text;
use crate::value::json::Arrival;
use crate::value::json::string::{self, decode};
use crate::value::tree_builder::{ParsedArguments, Plain, TreeBuilder};
use crate::value::{ContainerKind, Scalar, Sink};

/// Reads all of the text; see [`super::parse`].
pub(super) fn read<S: Sink + Default>(
    bytes: &[u8],
    base: usize,
    arrival: Arrival,
    delimiter: &[u8],
) -> ParsedArguments<S> {
    let builder = TreeBuilder::with_root(Span::new(base, base + bytes.len()));
    let stack = vec![BracketKind::Curly];
    let mut reader =
        ObjectReader { bytes, base, at: 0, arrival, delimiter, builder, stack, arrays: 0, in_string: false };
    reader.run();
    reader.finish()
}

struct ObjectReader<'a, 'd, S> {
    bytes: &'a [u8],
    /// Offset of the object in the transcript.
    base: usize,
    /// Offset of the next byte in the object.
    at: usize,
    arrival: Arrival,
    delimiter: &'d [u8],
    builder: TreeBuilder<'a, 'static, S>,
    /// The brackets that are open, the object's own first.
    stack: Vec<BracketKind>,
    /// Number of square brackets among them.
    arrays: usize,
    /// True if the text ends in a string.
    in_string: bool,
}

/// A string or a bare word.
struct Word<'a> {
    /// Offsets of its text without delimiters.
    content: (usize, usize),
    /// Its text, if that differs from its bytes.
    decoded: Option<Cow<'a, str>>,
    is_bare: bool,
}

impl<'a, S: Sink + Default> ObjectReader<'a, '_, S> {
    fn run(&mut self) {
        match self.next() {
            Some(b'{') => self.at += 1,
            Some(_) => self.fault(Fault::MissingBrace, self.at, self.at + 1),
            None => {}
        }
        while let Some(&holder) = self.stack.last() {
            match self.next() {
                None => return,
                Some(b',') => {
                    self.fault(Fault::ExtraComma, self.at, self.at + 1);
                    self.at += 1;
                }
                Some(b'}') => self.close(BracketKind::Curly),
                Some(b']') => self.close(BracketKind::Square),
                Some(_) if holder == BracketKind::Curly => self.member(),
                Some(_) => self.value(),
            }
        }
        let rest = trim(&self.bytes[self.at..], self.at);
        if !rest.is_empty() {
            self.fault(Fault::Behind, rest.start, rest.end);
        }
    }

    /// The next byte that is not whitespace.
    fn next(&mut self) -> Option<u8> {
        while matches!(self.bytes.get(self.at), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
        self.bytes.get(self.at).copied()
    }

    fn member(&mut self) {
        let start = self.at;
        let is_keyless = matches!(self.next(), Some(b':' | b'{' | b'['));
        let word = if is_keyless {
            self.fault(Fault::MissingKey, start, start + 1);
            Word { content: (start, start), decoded: None, is_bare: true }
        } else {
            self.text(|byte| matches!(byte, b':' | b',' | b'{' | b'}' | b'[' | b']'))
        };
        let (from, to) = word.content;
        let key = word.decoded.unwrap_or_else(|| String::from_utf8_lossy(&self.bytes[from..to]));
        match self.next() {
            Some(b':') => self.at += 1,
            None if self.arrival == Arrival::Open => return,
            // This text is taken as the value, unless there is none.
            Some(byte) if !matches!(byte, b',' | b'}' | b']') => {
                if !is_keyless {
                    self.fault(Fault::MissingColon, from, to);
                }
            }
            _ => {
                self.fault(Fault::MissingColon, from, to);
                self.behind_value();
                return;
            }
        }
        match self.next() {
            None if self.arrival == Arrival::Open => {}
            None | Some(b',' | b'}' | b']') => {
                self.fault(Fault::MissingValue, from, to);
                self.behind_value();
            }
            Some(_) => {
                self.builder.key(key, self.span(from, to), self.base + start);
                self.value();
            }
        }
    }

    /// Reads a value and the comma after it.
    fn value(&mut self) {
        let start = self.at;
        let kind = match self.bytes.get(start) {
            Some(b'{') => BracketKind::Curly,
            Some(b'[') => BracketKind::Square,
            _ => {
                let word = self.text(|byte| matches!(byte, b',' | b'{' | b'}' | b'[' | b']'));
                self.plain(word, start);
                self.behind_value();
                return;
            }
        };
        let holder = if kind == BracketKind::Curly { ContainerKind::Object } else { ContainerKind::Array };
        self.builder.begin(holder, self.span(start, start + 1));
        self.stack.push(kind);
        self.arrays += usize::from(kind == BracketKind::Square);
        self.at += 1;
    }

    fn plain(&mut self, word: Word<'a>, start: usize) {
        let (from, to) = word.content;
        let place = self.span(start, self.at);
        let value = self.span(from, to);
        let scalar = if word.is_bare { self.scalar(from, to) } else { Scalar::String };
        let place = if word.is_bare { value } else { place };
        self.builder.plain(Plain { scalar, value, place }, || word.decoded.map(Into::into));
    }

    /// The converted value of a bare word.
    fn scalar(&mut self, from: usize, to: usize) -> Scalar {
        let word = &self.bytes[from..to];
        let is_arriving = self.arrival == Arrival::Open && self.at == self.bytes.len();
        match word {
            b"true" => return Scalar::Boolean(true),
            b"false" => return Scalar::Boolean(false),
            b"null" => return Scalar::Null,
            _ if !string::is_number(word) => {
                if !is_arriving {
                    self.fault(Fault::BareWord, from, to);
                }
                return Scalar::String;
            }
            _ => {}
        }
        let text = String::from_utf8_lossy(word);
        let number = text.parse().ok().filter(|number: &f64| number.is_finite());
        let becomes = match number {
            Some(number) if string::keeps_its_text(&text, number) => return Scalar::Number(number),
            Some(number) => number_text(number),
            None => "infinity".into(),
        };
        if !is_arriving {
            self.builder.problem(faults::lossy_number(self.span(from, to), &text, becomes));
        }
        number.map_or(Scalar::String, Scalar::Number)
    }

    /// Reads a string, or a bare word that ends before such a byte, a delimiter or the end of the text.
    fn text(&mut self, ends: impl Fn(u8) -> bool) -> Word<'a> {
        let (bytes, start) = (self.bytes, self.at);
        let rest = &bytes[start..];
        if rest.starts_with(self.delimiter) {
            let from = start + self.delimiter.len();
            let end = memmem::find(&bytes[from..], self.delimiter).map(|found| from + found);
            self.in_string = end.is_none();
            let to = end.unwrap_or(bytes.len());
            self.at = end.map_or(to, |end| end + self.delimiter.len());
            return Word { content: (from, to), decoded: None, is_bare: false };
        }
        if let Some(length) = rest.starts_with(b"\"").then(|| quoted_length(rest)).flatten() {
            self.at += length;
            self.fault(Fault::Quoted, start, self.at);
            let (from, to) = (start + 1, self.at - 1);
            let content = &bytes[from..to];
            let has_escapes = memchr(b'\\', content).is_some();
            let decoded = has_escapes.then(|| String::from_utf8_lossy(&decode(content).bytes).into_owned().into());
            return Word { content: (from, to), decoded, is_bare: false };
        }
        let is_end = |at: usize| ends(bytes[at]) || bytes[at..].starts_with(self.delimiter);
        // The first byte is always consumed.
        self.at = (start + 1..bytes.len()).find(|&at| is_end(at)).unwrap_or(bytes.len());
        let content = trim(&bytes[start..self.at], start);
        Word { content: (content.start, content.end), decoded: None, is_bare: true }
    }

    fn behind_value(&mut self) {
        match self.next() {
            Some(b',') => self.at += 1,
            None | Some(b'}' | b']') => {}
            Some(_) => self.fault(Fault::MissingComma, self.at, self.at + 1),
        }
    }

    fn close(&mut self, kind: BracketKind) {
        let (start, end) = (self.at, self.at + 1);
        self.at = end;
        // The object itself is open until the end.
        if kind == BracketKind::Square && self.arrays == 0 {
            self.fault(Fault::ExtraCloser, start, end);
            return;
        }
        while let Some(top) = self.stack.pop() {
            self.arrays -= usize::from(top == BracketKind::Square);
            let is_its_own = top == kind;
            self.builder.end(self.base + if is_its_own { end } else { start });
            if is_its_own {
                break;
            }
            self.fault(Fault::WrongCloser(top.closer()), start, end);
        }
        if !self.stack.is_empty() {
            self.behind_value();
        }
    }

    fn span(&self, start: usize, end: usize) -> Span {
        Span::new(self.base + start, self.base + end)
    }

    fn fault(&mut self, fault: Fault, start: usize, end: usize) {
        let (found, delimiter) = (String::from_utf8_lossy(&self.bytes[start..end]), self.delimiter_text());
        let problem = faults::describe(fault, self.span(start, end), &found, &delimiter);
        if fault.is_accepted() { self.builder.problem(problem) } else { self.builder.refuse(problem) }
    }

    fn delimiter_text(&self) -> String {
        String::from_utf8_lossy(self.delimiter).into_owned()
    }

    fn finish(mut self) -> ParsedArguments<S> {
        if self.arrival == Arrival::Whole && !self.stack.is_empty() {
            let missing: String = self.stack.iter().rev().map(|kind| kind.closer()).collect();
            let end = self.bytes.trim_ascii_end().len();
            let place = self.span(end, end);
            self.builder.refuse(faults::truncated(place, self.in_string, &missing, &self.delimiter_text()));
        }
        self.builder.finish(self.base + self.bytes.len())
    }
}
