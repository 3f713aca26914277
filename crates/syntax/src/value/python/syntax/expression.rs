//! The syntax tree of a Python expression, reduced to the nodes that calls need.
//!
//! Spans are relative to the beginning of the text.

use crate::text::Span;
use crate::value::place::SourcePlace;
use crate::value::plain::PlainValue;

/// An expression with its span.
#[derive(Clone, Debug, PartialEq)]
pub struct PythonNode {
    /// The kind of expression.
    pub(crate) kind: NodeKind,
    /// Its bytes without surrounding whitespace; for adjacent strings, the bytes of each.
    pub(crate) place: SourcePlace,
}

impl PythonNode {
    /// An expression at `span`.
    pub(crate) fn new(kind: NodeKind, span: Span) -> Self {
        Self { kind, place: SourcePlace::At(span) }
    }
}

/// The kinds of expressions.
#[derive(Clone, Debug, PartialEq)]
pub enum NodeKind {
    /// A constant that JSON can represent.
    Constant(PlainValue),
    /// A constant that JSON cannot represent: bytes, `...`, an imaginary number.
    Opaque,
    /// An f-string without placeholders.
    PlainFormat(String),
    /// The name of a variable.
    Name(Span),
    /// A name after a dot.
    Attribute(Box<PythonNode>, Span),
    /// A call with its arguments.
    Call(Box<CallNode>),
    /// `[…]`
    List(Vec<PythonNode>),
    /// `(…, …)`
    Tuple(Vec<PythonNode>),
    /// `{…, …}`
    Set(Vec<PythonNode>),
    /// `{…: …}`; the key is missing for `**…`.
    Dict(Vec<(Option<PythonNode>, PythonNode)>),
    /// A signed number.
    Signed(Sign, Box<PythonNode>),
    /// Any other expression; no runtime accepts it as an argument.
    Other,
}

/// The sign before an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// `+`
    Plus,
    /// `-`
    Minus,
}

/// A call with its arguments.
#[derive(Clone, Debug, PartialEq)]
pub struct CallNode {
    /// The expression that is called: usually a name.
    pub(crate) function: PythonNode,
    /// Number of arguments without a name.
    pub(crate) positional: usize,
    /// The other arguments; the name is missing for `**…`.
    pub(crate) keywords: Vec<(Option<Span>, PythonNode)>,
    /// All bytes of the call.
    pub(crate) span: Span,
}
