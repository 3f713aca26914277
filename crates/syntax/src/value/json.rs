//! JSON text as a parameter tree: every node has its source position, and deviations from JSON are reported.
//!
//! Models write almost-JSON: raw line feeds in strings, trailing commas, comments, single quotes, unescaped quotes,
//! and missing ends. The tree holds everything up to the first fault that makes the rest ambiguous. JSON in a JSON
//! string is parsed the same way, with positions in the outer text. No depth of nesting and no length overflows
//! anything. The problems of a text do not depend on whether a tree is built.

pub mod compact;
pub mod decoder;
pub mod flavour;
pub mod lexer;
pub mod machine;
pub mod string;

mod builder;
mod faults;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use builder::Builder;
pub use faults::describe;
pub(super) use faults::shorten;
use lexer::{Token, TokenKind};
use machine::JsonParser;
use string::decode;

use super::place::SpanMap;
use super::{NodeId, Scalar, Sink};
use crate::diagnostic::Diagnostic;
use crate::text::{Span, trim};

/// Completeness of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// More may arrive: a missing end is not a problem.
    Open,
    /// Nothing more arrives.
    Whole,
}

/// The value of a member of an object.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Held<'a> {
    /// An object, whose members are separate nodes.
    Object,
    /// An array, whose elements are separate nodes.
    Array,
    /// A string, as a token and the bytes of the text.
    Text(Token, &'a [u8]),
    /// Another plain value, and its bytes.
    Plain(Scalar, &'a [u8]),
}

impl<'a> Held<'a> {
    /// The text of a plain value; empty for a container.
    pub fn words(&self) -> Cow<'a, str> {
        match self {
            Held::Object | Held::Array => Cow::Borrowed(""),
            Held::Text(token, bytes) => words(*token, bytes),
            Held::Plain(_, bytes) => String::from_utf8_lossy(bytes),
        }
    }

    /// The name of its JSON type.
    pub fn type_name(&self) -> &'static str {
        match self {
            Held::Object => "object",
            Held::Array => "array",
            Held::Text(..) => Scalar::String.type_name(),
            Held::Plain(scalar, _) => scalar.type_name(),
        }
    }
}

/// A member of the outermost object, or of an object directly in it.
#[derive(Clone, Debug)]
pub struct JsonMember<'a> {
    /// Number of its node in the tree.
    pub id: NodeId,
    /// Number of the object that contains it.
    pub parent: NodeId,
    /// Its key, decoded.
    pub key: Cow<'a, str>,
    /// Bytes of its key, without quotes.
    pub key_place: Span,
    /// Its value, for callers that build no tree.
    pub held: Held<'a>,
    /// Bytes of its value; for a string, without quotes.
    pub value: Span,
    /// All its bytes, from the key to the end of the value.
    pub place: Span,
}

/// The result of parsing a JSON text.
#[derive(Debug)]
pub struct Parsed<'a, S> {
    /// The receiver with all nodes; its root is the value itself.
    pub sink: S,
    /// The root; `None` if there is no value.
    pub root: Option<Held<'a>>,
    /// The members of the root and of objects in it, except replaced ones.
    pub members: Vec<JsonMember<'a>>,
    /// Faults of the text, in text order.
    pub problems: Vec<Diagnostic>,
    /// Problems with keys that hold invisible characters.
    pub hidden: Vec<Diagnostic>,
    /// First message of a strict parser; `None` if it accepts the text.
    pub error: Option<String>,
    /// Offset after the value, in the JSON text.
    pub end: usize,
}

/// Parses a text that should be a single JSON value.
pub fn parse_all<'a, S: Sink + Default>(bytes: &'a [u8], places: SpanMap<'_>, arrival: Arrival) -> Parsed<'a, S> {
    let mut builder = Builder::new(bytes, places);
    let mut machine = JsonParser::at(0);
    while let Some(event) = machine.next(bytes, true) {
        builder.take(event, arrival);
    }
    let mut parsed = builder.finish(machine.offset());
    let rest = trim(&bytes[parsed.end..], parsed.end);
    if parsed.error.is_none() && !rest.is_empty() {
        let problem = faults::behind_the_value(bytes, rest, places);
        parsed.error = Some(problem.message.clone());
        parsed.problems.push(problem);
    }
    parsed
}

/// The decoded text of a string or a bare word.
fn words(token: Token, bytes: &[u8]) -> Cow<'_, str> {
    let content = token.content(bytes);
    if token.kind == TokenKind::Word || memchr::memchr(b'\\', content).is_none() {
        return std::str::from_utf8(content).map_or_else(|_| String::from_utf8_lossy(content), Cow::Borrowed);
    }
    Cow::Owned(String::from_utf8_lossy(&decode(content).bytes).into_owned())
}
