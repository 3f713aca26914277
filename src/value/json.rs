//! JSON text as a parameter tree: every node with its place, and whatever is not quite JSON with a word about it.
//!
//! Models write almost-JSON: raw line feeds in strings, trailing commas, comments, single quotes, quotes that are not
//! escaped, ends that are missing. The tree holds everything up to the first fault after which nothing is certain, and
//! what comes after the others. JSON inside of a JSON string is read the same way, with places in the outer text. No
//! depth of nesting and no length overflows anything. The problems of a text do not depend on whether a tree is made
//! of it.

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
use machine::Machine;
use string::decode;

use super::place::SpanMap;
use super::{NodeId, Scalar, Sink};
use crate::diagnostic::Diagnostic;
use crate::text::{Span, trim};

/// Whether the end of the text is the end of the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// More is still to come: an end that is missing is no problem.
    Open,
    /// Nothing more arrives.
    Whole,
}

/// What a member of an object holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Held<'a> {
    /// An object, whose members are nodes of their own.
    Object,
    /// An array, whose elements are nodes of their own.
    Array,
    /// A string, by the token that it is.
    Text(Token, &'a [u8]),
    /// Another plain value, and its bytes.
    Plain(Scalar, &'a [u8]),
}

impl<'a> Held<'a> {
    /// The text of a plain value; nothing of a container.
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

/// A member of the outermost object, or of an object that is a member of that.
#[derive(Clone, Debug)]
pub struct JsonMember<'a> {
    /// Number of its node in the tree.
    pub id: NodeId,
    /// Number of the object that it is in.
    pub parent: NodeId,
    /// Its key as it is written, decoded.
    pub key: Cow<'a, str>,
    /// The place of its key, without quotes.
    pub key_place: Span,
    /// What its value is, for whoever makes no tree.
    pub held: Held<'a>,
    /// The place of its value; of a string, that of its content.
    pub value: Span,
    /// All its bytes, from its key to the end of its value.
    pub place: Span,
}

/// What a JSON text says.
#[derive(Debug)]
pub struct Parsed<'a, S> {
    /// What was made of it; the root is the value itself.
    pub sink: S,
    /// What the root is; `None` where there is no value.
    pub root: Option<Held<'a>>,
    /// The members of the root and of those that are objects, without those that are replaced.
    pub members: Vec<JsonMember<'a>>,
    /// Faults of the text, in its order.
    pub problems: Vec<Diagnostic>,
    /// The keys that hold characters which cannot be seen.
    pub hidden: Vec<Diagnostic>,
    /// What a strict reader says first; `None` when it accepts the text.
    pub error: Option<String>,
    /// Offset behind the value, in the JSON text.
    pub end: usize,
}

/// Reads a text that should be one JSON value and nothing else.
pub fn parse_all<'a, S: Sink + Default>(bytes: &'a [u8], places: SpanMap<'_>, arrival: Arrival) -> Parsed<'a, S> {
    let mut builder = Builder::new(bytes, places);
    let mut machine = Machine::at(0);
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

/// What a string or a bare word says.
fn words(token: Token, bytes: &[u8]) -> Cow<'_, str> {
    let content = token.content(bytes);
    if token.kind == TokenKind::Word || memchr::memchr(b'\\', content).is_none() {
        return std::str::from_utf8(content).map_or_else(|_| String::from_utf8_lossy(content), Cow::Borrowed);
    }
    Cow::Owned(String::from_utf8_lossy(&decode(content).bytes).into_owned())
}
