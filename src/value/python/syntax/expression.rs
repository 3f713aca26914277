//! What an expression of Python is made of, as far as a model's calls may hold it.
//!
//! It does not know the syntax. Spans count from the beginning of the text.

use crate::text::Span;
use crate::value::place::SourcePlace;
use crate::value::plain::PlainValue;

/// An expression and its bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct PythonNode {
    /// Which expression it is.
    pub kind: NodeKind,
    /// Its bytes, without white space at its ends; of strings side by side, the bytes of each.
    pub place: SourcePlace,
}

impl PythonNode {
    /// An expression that is written as the bytes of `span`.
    pub fn new(kind: NodeKind, span: Span) -> Self {
        Self { kind, place: SourcePlace::At(span) }
    }
}

/// An expression as far as calls need it.
#[derive(Clone, Debug, PartialEq)]
pub enum NodeKind {
    /// A constant that JSON can hold.
    Constant(PlainValue),
    /// A constant that JSON has nothing for: bytes, `...`, an imaginary number.
    Opaque,
    /// A formatted text without anything to put in.
    PlainFormat(String),
    /// A name that stands for a variable.
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
    /// `{…: …}`; without a key where it is `**…`.
    Dict(Vec<(Option<PythonNode>, PythonNode)>),
    /// A number with a sign; whether that is a minus.
    Signed(Sign, Box<PythonNode>),
    /// Anything else, which no runtime takes as an argument.
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
    /// What is called: a name, or something else.
    pub function: PythonNode,
    /// How many of its arguments have no name.
    pub positional: usize,
    /// The others; without a name where it is `**…`.
    pub keywords: Vec<(Option<Span>, PythonNode)>,
    /// All bytes of the call.
    pub span: Span,
}
