//! Pairs of keys and values: `path="src/a.rs" limit=20 all=true tags='x y' note=bare`.
//!
//! Whitespace and commas separate them. Keys have letters, digits, `_`, `-` and `.`. As in logfmt, a value is empty, a
//! bare word, or quoted text with escapes; an unknown escape is a fault (`go-logfmt/logfmt` rejects it). In addition to
//! logfmt there are single quotes and commas; quoted text may have several lines; bare `true`, `false`, `null` and JSON
//! numbers are typed; and a key without `=` is a fault. A number too large for a 64-bit float is text.

use std::borrow::Cow;

use memchr::{memchr, memchr2};
use serde_json::Value as Json;

use crate::diagnostic::{Code, Diagnostic};
use crate::text::Span;
use crate::value::coerce::number_text;
use crate::value::json::string::{is_number, keeps_its_text};
use crate::value::json::{Arrival, shorten};
use crate::value::place::SourceText;
use crate::value::plain::{Placed, PlainBuilder, PlainValue, ValueSink};
use crate::value::tree_builder::{MAX_PROBLEMS, ParsedArguments, Plain, TreeBuilder};
use crate::value::{ContainerKind, Scalar, Sink};

/// Parses the pairs into a tree, with all faults; `bytes` are at `at` in the transcript.
pub fn parse<S: Sink + Default>(bytes: &[u8], at: usize, arrival: Arrival) -> ParsedArguments<S> {
    let span = |span: Span| Span::new(at + span.start, at + span.end);
    let mut builder = TreeBuilder::with_root(span(Span::new(0, bytes.len())));
    let mut reader = PairReader::new(bytes, arrival);
    loop {
        let pair = reader.pair();
        for (fault, place) in reader.faults.drain(..) {
            let found = String::from_utf8_lossy(&bytes[place.start..place.end]);
            builder.refuse(fault.describe(span(place), &found));
        }
        let Some(Pair { key, value }) = pair else { break };
        builder.key(String::from_utf8_lossy(&bytes[key.start..key.end]), span(key), at + key.start);
        let text = value.text(bytes);
        let scalar = match value.plain(&text) {
            PlainValue::Bool(value) => Scalar::Boolean(value),
            PlainValue::Null => Scalar::Null,
            PlainValue::Int(_) | PlainValue::Float(_) => text.parse().map_or(Scalar::String, Scalar::Number),
            _ => Scalar::String,
        };
        if let Scalar::Number(number) = scalar
            && !keeps_its_text(&text, number)
            && (arrival == Arrival::Whole || reader.at < bytes.len())
        {
            builder.problem(lossy_number(span(value.content), &text, number));
        }
        let plain = Plain { scalar, value: span(value.content), place: span(value.place) };
        builder.plain(plain, || if let Cow::Owned(text) = text { Some(text.into()) } else { None });
    }
    builder.finish(at + bytes.len())
}

/// Reads the pairs as an object of plain values; `None` if there is a fault. If a key is repeated, the last value
/// counts.
pub(crate) fn read(text: SourceText<'_>) -> Option<Placed> {
    let bytes = text.text().as_bytes();
    let (mut builder, mut reader) = (PlainBuilder::default(), PairReader::new(bytes, Arrival::Whole));
    builder.open(ContainerKind::Object, text.span().start);
    while let Some(Pair { key, value }) = reader.pair() {
        builder.key(text[key.start..key.end].to_owned(), text.span_of(key.start, key.end));
        builder.scalar(value.plain(&value.text(bytes)), text.span_of(value.place.start, value.place.end));
    }
    builder.close(text.span().end);
    if reader.faults.is_empty() { builder.finish() } else { None }
}

/// Writes the members of an object as pairs, with lists and objects as quoted JSON; any other value gives an empty
/// text.
pub fn write(parameters: &Json) -> String {
    let members = parameters.as_object().into_iter().flatten();
    let pairs: Vec<String> = members.map(|(key, value)| format!("{key}={}", written(value))).collect();
    pairs.join(" ")
}

fn written(value: &Json) -> String {
    let text = match value {
        Json::Null | Json::Bool(_) | Json::Number(_) => return value.to_string(),
        Json::String(text) => Cow::Borrowed(text),
        Json::Array(_) | Json::Object(_) => Cow::Owned(value.to_string()),
    };
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n").replace('\t', "\\t");
    format!("\"{escaped}\"")
}

/// A key and its value, by offsets in the text.
struct Pair {
    key: Span,
    value: Token,
}

/// A value by offsets in the text.
struct Token {
    /// Its bytes without quotes.
    content: Span,
    /// Its bytes with them.
    place: Span,
}

impl Token {
    fn is_quoted(&self) -> bool {
        self.place.start < self.content.start
    }

    /// Its decoded text.
    fn text<'a>(&self, bytes: &'a [u8]) -> Cow<'a, str> {
        let content = &bytes[self.content.start..self.content.end];
        if !self.is_quoted() || memchr(b'\\', content).is_none() {
            return String::from_utf8_lossy(content);
        }
        let mut out = Vec::with_capacity(content.len());
        let mut at = 0;
        while let Some(&byte) = content.get(at) {
            let escaped = if byte == b'\\' { content.get(at + 1).and_then(|&byte| unescaped(byte)) } else { None };
            out.push(escaped.unwrap_or(byte));
            at += 1 + usize::from(escaped.is_some());
        }
        Cow::Owned(String::from_utf8_lossy(&out).into_owned())
    }

    fn plain(&self, text: &str) -> PlainValue {
        let is_finite = || text.parse().is_ok_and(|number: f64| number.is_finite());
        match text {
            _ if self.is_quoted() => PlainValue::Text(text.to_owned()),
            "true" => PlainValue::Bool(true),
            "false" => PlainValue::Bool(false),
            "null" => PlainValue::Null,
            _ if !is_number(text.as_bytes()) || !is_finite() => PlainValue::Text(text.to_owned()),
            _ if text.contains(['.', 'e', 'E']) => PlainValue::Float(text.parse().unwrap_or(f64::NAN)),
            _ => PlainValue::Int(text.to_owned()),
        }
    }
}

/// The character that an escape stands for.
fn unescaped(byte: u8) -> Option<u8> {
    match byte {
        b'\\' | b'"' | b'\'' => Some(byte),
        b'n' => Some(b'\n'),
        b't' => Some(b'\t'),
        _ => None,
    }
}

#[derive(Clone, Copy)]
enum Fault {
    /// A word without `=`, after a bare word that it may belong to.
    MissingEquals {
        after_word: bool,
    },
    SpacedEquals,
    MissingKey,
    InvalidKey,
    UnclosedQuote,
    UnknownEscape,
    /// No separator follows a closing quote.
    MissingSeparator,
}

impl Fault {
    /// The problem at this place, whose text is `found`.
    fn describe(self, place: Span, found: &str) -> Diagnostic {
        let word = shorten(found);
        let broken = |message: String| Diagnostic::new(Code::BrokenArguments, place, message);
        match self {
            Fault::MissingEquals { after_word: true } => broken(format!("no = after the key {word}"))
                .contrast("key=value", word)
                .help("put a value with spaces in quotes; write key=true for a flag"),
            Fault::MissingEquals { after_word: false } => broken(format!("no = after the key {word}"))
                .contrast(format!("{word}=true"), word)
                .replace_with(format!("{found}=true"))
                .help("write = and a value after each key, =true for a flag"),
            Fault::SpacedEquals => broken("white space around =".into())
                .replace_with(format!("{}=", found.trim_end_matches([' ', '\t', '='])))
                .help("write key=value without white space around ="),
            Fault::MissingKey => {
                broken("no key before =".into()).contrast("a key", "=").help("write a key before this =")
            }
            Fault::InvalidKey => broken(format!("{word} is not a key"))
                .contrast("letters, digits, _, - and .", word)
                .help("name the key with letters, digits, _, - and . only; put a value in quotes"),
            Fault::UnclosedQuote => broken(format!("no closing {word}"))
                .contrast(word, "the end")
                .help("close the quotes; everything after them is read as one value"),
            Fault::UnknownEscape => broken(format!("{word} is not an escape"))
                .contrast("\\\\, \\\", \\', \\n or \\t", word)
                .remedy(Span::at(place.start), "\\")
                .help("write \\\\ for a backslash"),
            Fault::MissingSeparator => broken("no space after the closing quote".into())
                .contrast("white space or a comma", word)
                .remedy(Span::at(place.start), " ")
                .help("write a space between two pairs, and \\ before a quote within a value"),
        }
    }
}

fn lossy_number(place: Span, written: &str, number: f64) -> Diagnostic {
    let becomes = number_text(number);
    Diagnostic::new(Code::LossyNumber, place, format!("{} becomes {becomes}", shorten(written)))
        .contrast(shorten(written), becomes)
        .help("if every digit matters, put it in quotes")
}

/// Reads pairs, continuing after faults.
struct PairReader<'a> {
    bytes: &'a [u8],
    at: usize,
    arrival: Arrival,
    /// Faults in text order, at most [`MAX_PROBLEMS`].
    faults: Vec<(Fault, Span)>,
    /// True if a bare text was read last.
    is_after_word: bool,
}

impl<'a> PairReader<'a> {
    fn new(bytes: &'a [u8], arrival: Arrival) -> Self {
        Self { bytes, at: 0, arrival, faults: Vec::new(), is_after_word: false }
    }

    fn pair(&mut self) -> Option<Pair> {
        loop {
            self.skip(|byte| !is_separator(byte));
            let (start, after_word) = (self.at, std::mem::take(&mut self.is_after_word));
            self.bytes.get(start)?;
            self.skip(|byte| byte == b'=' || is_separator(byte));
            let key = Span::new(start, self.at);
            self.skip(|byte| !matches!(byte, b' ' | b'\t'));
            let is_open = self.arrival == Arrival::Open && self.at == self.bytes.len();
            if self.bytes.get(self.at) != Some(&b'=') {
                if !is_open {
                    self.is_after_word = after_word;
                    self.fault(Fault::MissingEquals { after_word }, key);
                }
                continue;
            }
            self.at += 1;
            if key.is_empty() {
                self.fault(Fault::MissingKey, Span::new(start, self.at));
            } else if self.at > key.end + 1 {
                self.skip(|byte| !matches!(byte, b' ' | b'\t'));
                self.fault(Fault::SpacedEquals, Span::new(start, self.at));
            }
            let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || !byte.is_ascii() || b"_-.".contains(byte);
            if !self.bytes[key.start..key.end].iter().all(is_name) {
                self.fault(Fault::InvalidKey, key);
            }
            if self.arrival == Arrival::Open && self.at == self.bytes.len() {
                return None;
            }
            let value = self.value();
            if !key.is_empty() {
                return Some(Pair { key, value });
            }
        }
    }

    fn value(&mut self) -> Token {
        let start = self.at;
        let Some(&quote @ (b'"' | b'\'')) = self.bytes.get(start) else {
            self.skip(is_separator);
            let word = Span::new(start, self.at);
            let token = Token { content: word, place: word };
            self.is_after_word = matches!(token.plain(&token.text(self.bytes)), PlainValue::Text(_));
            return token;
        };
        self.at += 1;
        while let Some(found) = memchr2(quote, b'\\', &self.bytes[self.at..]) {
            let at = self.at + found;
            self.at = at + 1;
            if self.bytes[at] == quote {
                if self.bytes.get(self.at).is_some_and(|&byte| !is_separator(byte)) {
                    self.fault(Fault::MissingSeparator, Span::new(self.at, self.char_end(self.at)));
                }
                return Token { content: Span::new(start + 1, at), place: Span::new(start, self.at) };
            }
            match self.bytes.get(self.at) {
                Some(&escaped) if unescaped(escaped).is_some() => self.at += 1,
                Some(_) => self.fault(Fault::UnknownEscape, Span::new(at, self.char_end(self.at))),
                None => {}
            }
        }
        self.at = self.bytes.len();
        if self.arrival == Arrival::Whole {
            self.fault(Fault::UnclosedQuote, Span::new(start, start + 1));
        }
        Token { content: Span::new(start + 1, self.at), place: Span::new(start, self.at) }
    }

    /// Moves to the next byte that satisfies `ends`.
    fn skip(&mut self, ends: impl Fn(u8) -> bool) {
        let rest = &self.bytes[self.at..];
        self.at += rest.iter().position(|&byte| ends(byte)).unwrap_or(rest.len());
    }

    /// Offset after the character at `at`.
    fn char_end(&self, at: usize) -> usize {
        let rest = self.bytes[at + 1..].iter().take(3);
        at + 1 + rest.take_while(|&&byte| byte & 0xC0 == 0x80).count()
    }

    fn fault(&mut self, fault: Fault, place: Span) {
        if self.faults.len() < MAX_PROBLEMS {
            self.faults.push((fault, place));
        }
    }
}

fn is_separator(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b',')
}
