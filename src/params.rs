//! The parameters of a call: a tree with the place of each key and value, assembled as the runtime does it.
//!
//! The tree is made from a call's bytes when somebody looks at it, and is never kept for long. It is an arena, so
//! that no depth of nesting overflows a stack. This module does not know any dialect's markers.

pub mod coerce;
pub mod json;
pub mod pointer;

use crate::diagnostic::Diagnostic;
use crate::text::Span;

pub use coerce::Scalar;
pub use pointer::assemble;

/// An argument as it stands in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Argument {
    /// Its marker.
    pub marker: Span,
    /// Its pointer, without white space around it.
    pub pointer: Span,
    /// Its value.
    pub value: Span,
}

/// Number of a node in its tree.
pub type NodeId = usize;

/// The root of every tree: an object without a key.
pub const ROOT: NodeId = 0;

/// The parameters of one call.
#[derive(Clone, Debug)]
pub struct ParamTree {
    nodes: Vec<Node>,
}

/// A parameter, an element or a container of them.
#[derive(Clone, Debug)]
pub struct Node {
    /// Its key in its parent; the index, for an element of an array.
    pub key: String,
    /// The container that it is in; the root is in itself.
    pub parent: NodeId,
    /// What it holds.
    pub value: Value,
    /// The argument that gave it its value, as an index into the call's arguments; `None` for a container.
    pub argument: Option<usize>,
}

/// What a node holds.
#[derive(Clone, Debug)]
pub enum Value {
    /// Members in the order of their first mention.
    Object(Vec<NodeId>),
    /// Elements.
    Array(Vec<NodeId>),
    /// A plain value, with its place in the text.
    Scalar(Scalar, Span),
}

impl Value {
    /// Its children; none for a plain value.
    pub fn children(&self) -> &[NodeId] {
        match self {
            Value::Object(children) | Value::Array(children) => children,
            Value::Scalar(..) => &[],
        }
    }

    /// The name of its JSON type.
    pub fn type_name(&self) -> &'static str {
        match self {
            Value::Object(_) => "object",
            Value::Array(_) => "array",
            Value::Scalar(scalar, _) => scalar.type_name(),
        }
    }
}

impl Default for ParamTree {
    fn default() -> Self {
        let root = Node { key: String::new(), parent: ROOT, value: Value::Object(Vec::new()), argument: None };
        Self { nodes: vec![root] }
    }
}

impl ParamTree {
    /// The node with this number.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id]
    }

    /// Number of nodes, the root included. Replaced nodes stay counted but are in no container.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is no parameter.
    pub fn is_empty(&self) -> bool {
        self.nodes[ROOT].value.children().is_empty()
    }

    /// The path of a node from the root: `users/0/name`.
    pub fn path(&self, id: NodeId) -> String {
        let mut keys = Vec::new();
        let mut at = id;
        while at != ROOT {
            keys.push(self.nodes[at].key.as_str());
            at = self.nodes[at].parent;
        }
        keys.reverse();
        keys.join("/")
    }

    /// All nodes below the root in the order in which they are shown, each with its depth (1 for a parameter).
    pub fn walk(&self) -> impl Iterator<Item = (NodeId, usize)> + '_ {
        let mut stack: Vec<(NodeId, usize)> =
            self.nodes[ROOT].value.children().iter().rev().map(|&id| (id, 1)).collect();
        std::iter::from_fn(move || {
            let (id, depth) = stack.pop()?;
            stack.extend(self.nodes[id].value.children().iter().rev().map(|&child| (child, depth + 1)));
            Some((id, depth))
        })
    }

    /// The node that an argument gave its value to, if it still stands.
    pub fn node_of_argument(&self, argument: usize) -> Option<NodeId> {
        self.walk().map(|(id, _)| id).find(|&id| self.nodes[id].argument == Some(argument))
    }

    /// Whether a node is `ancestor` or lies below it.
    pub fn is_within(&self, id: NodeId, ancestor: NodeId) -> bool {
        let mut at = id;
        while at != ancestor {
            if at == ROOT {
                return false;
            }
            at = self.nodes[at].parent;
        }
        true
    }

    /// The number of the first argument at or below a node.
    pub fn first_argument(&self, id: NodeId) -> Option<usize> {
        let mut at = id;
        loop {
            if let Some(argument) = self.nodes[at].argument {
                return Some(argument);
            }
            at = *self.nodes[at].value.children().first()?;
        }
    }
}

/// A call's arguments and what the runtime makes of them.
#[derive(Clone, Debug, Default)]
pub struct Assembly {
    /// The arguments in the order of the text.
    pub arguments: Vec<Argument>,
    /// What each argument's value becomes.
    pub scalars: Vec<Scalar>,
    /// The tree; where the runtime refuses the call, as far as it could be built.
    pub tree: ParamTree,
    /// The runtime's words when it refuses the call.
    pub error: Option<String>,
    /// The problems in pointers and values.
    pub problems: Vec<Diagnostic>,
}
