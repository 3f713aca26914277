//! What an expression of Python is made of, as far as a model's calls may hold it.
//!
//! It does not know the syntax. Spans count from the beginning of the text.

use super::super::value::Value;
use crate::text::Span;

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    /// A constant that JSON can hold.
    Constant(Value),
    /// A constant that JSON has nothing for: bytes, `...`, an imaginary number.
    Opaque,
    /// A formatted text without anything to put in.
    PlainFormat(String),
    /// A name.
    Name(Span),
    /// A name behind a dot.
    Attribute(Box<Node>, Span),
    /// A call.
    Call(Box<CallNode>),
    /// `[…]`
    List(Vec<Node>),
    /// `(…, …)`
    Tuple(Vec<Node>),
    /// `{…, …}`
    Set(Vec<Node>),
    /// `{…: …}`; without a key where it is `**…`.
    Dict(Vec<(Option<Node>, Node)>),
    /// A number with a sign; whether that is a minus.
    Signed(Sign, Box<Node>),
    /// Anything else.
    Other,
}

/// The sign in front of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// `+`
    Plus,
    /// `-`
    Minus,
}

/// A call.
#[derive(Clone, Debug, PartialEq)]
pub struct CallNode {
    /// What is called.
    pub function: Node,
    /// How many of its arguments have no name.
    pub positional: usize,
    /// The others; without a name where it is `**…`.
    pub keywords: Vec<(Option<Span>, Node)>,
    /// All of it.
    pub span: Span,
}
