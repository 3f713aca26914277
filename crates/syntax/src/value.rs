//! The parameters of a call: a tree with the source position of each key and value, built as the runtime builds it.
//!
//! The tree is built on demand from the bytes of a call, and is never kept for long. It is an arena, so that no depth
//! of nesting overflows the stack.

mod bracket;
pub mod cast;
pub mod coerce;
pub mod delimited_object;
pub mod elements;
pub mod flatten;
pub mod gemma4;
pub mod index;
pub mod json;
pub mod main_argument;
pub(crate) mod marked_tags;
pub mod nested_tags;
pub mod notation;
pub mod place;
pub mod plain;
pub mod pointer;
pub mod python;
pub mod schema;
#[cfg(test)]
mod tests;
pub mod tools;
pub mod tree_builder;
pub mod tree_json;
pub mod yaml;

use std::borrow::Cow;

use crate::diagnostic::BoundedProblems;
use crate::text::{Span, Text, steps};

pub use coerce::Scalar;

/// An argument in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Argument {
    /// Bytes of the marker that begins it.
    pub marker: Span,
    /// Its pointer, without surrounding whitespace.
    pub pointer: Span,
    /// Bytes of the value, without the line feed after it.
    pub value: Span,
}

impl Argument {
    /// An argument that has only its marker.
    pub fn marked(marker: Span) -> Self {
        Self { marker, pointer: Span::at(marker.end), value: Span::at(marker.end) }
    }

    /// All its bytes, from the marker to the end of the value.
    pub fn place(&self) -> Span {
        self.marker.cover(self.pointer).cover(self.value)
    }
}

/// Initial capacity of a tree in nodes: most calls have fewer parameters.
const MOST_PARAMETERS: usize = 16;

/// Number of a node in its tree.
pub type NodeId = usize;

/// The root of every tree: a value without a key, as a rule an object.
pub const ROOT: NodeId = 0;

/// The parameters of one call.
#[derive(Clone, Debug)]
pub struct ParamTree {
    nodes: Vec<Node>,
}

/// A parameter, an element or a container of them.
#[derive(Clone, Debug)]
pub struct Node {
    /// Its key in its parent; for an element of an array, the index.
    pub key: String,
    /// Bytes of its key as written, without quotes; empty if there are none or they are unknown.
    pub key_place: Span,
    /// Its container; the root's is the root.
    pub parent: NodeId,
    /// Its content: a scalar, or the numbers of other nodes.
    pub value: Value,
    /// Index of the argument that it has its value from; `None` for a container.
    pub argument: Option<usize>,
    /// All its bytes, key and markup included; for a container created by a pointer, the bytes of the first argument
    /// in it.
    pub place: Span,
    /// The text of a string that differs from its bytes: it has escapes, is folded or is indented.
    pub decoded: Option<Box<str>>,
}

impl Node {
    /// A node whose text does not differ from its bytes.
    pub fn new(key: impl Into<String>, value: Value, place: Span) -> Self {
        let key_place = Span::at(place.start);
        Self { key: key.into(), key_place, parent: ROOT, value, argument: None, place, decoded: None }
    }
}

/// The kinds of containers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContainerKind {
    /// Members with keys.
    Object,
    /// Elements.
    Array,
}

impl ContainerKind {
    /// The closing bracket in JSON.
    pub fn closer(self) -> &'static str {
        match self {
            ContainerKind::Object => "}",
            ContainerKind::Array => "]",
        }
    }
}

/// The content of a node.
#[derive(Clone, Debug)]
pub enum Value {
    /// Members in order of first mention.
    Object(Vec<NodeId>),
    /// Elements.
    Array(Vec<NodeId>),
    /// A plain value with its bytes in the text.
    Scalar(Scalar, Span),
}

impl Value {
    /// Its children; empty for a plain value.
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
        let mut nodes = Vec::with_capacity(MOST_PARAMETERS);
        nodes.push(Node::new("", Value::Object(Vec::new()), Span::default()));
        Self { nodes }
    }
}

impl ParamTree {
    /// The node with this number.
    pub fn node(&self, id: NodeId) -> &Node {
        steps::add(1);
        &self.nodes[id]
    }

    /// The node with this number, mutable.
    pub fn node_mut(&mut self, id: NodeId) -> &mut Node {
        steps::add(1);
        &mut self.nodes[id]
    }

    /// Adds a child to a container; one added to a plain value is unreachable.
    pub fn add(&mut self, parent: NodeId, node: Node) -> NodeId {
        steps::add(1);
        let id = self.nodes.len();
        self.nodes.push(Node { parent, ..node });
        if let Value::Object(children) | Value::Array(children) = &mut self.nodes[parent].value {
            children.push(id);
        }
        id
    }

    /// The text of a plain value as the runtime has it; its bytes if it is not a string.
    pub fn scalar_text<'a>(&'a self, id: NodeId, text: &'a Text) -> Cow<'a, str> {
        let node = &self.nodes[id];
        match (&node.decoded, &node.value) {
            (Some(decoded), _) => Cow::Borrowed(decoded),
            (None, Value::Scalar(_, span)) => text.read_str(*span),
            (None, _) => Cow::Borrowed(""),
        }
    }

    /// Number of nodes, the root included. Replaced nodes stay counted but are in no container.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// True if there are no parameters.
    pub fn is_empty(&self) -> bool {
        !matches!(self.nodes[ROOT].value, Value::Scalar(..)) && self.nodes[ROOT].value.children().is_empty()
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

    /// All nodes below the root in display order, each with its depth (1 for a parameter).
    pub fn walk(&self) -> impl Iterator<Item = (NodeId, usize)> + '_ {
        let mut stack: Vec<(NodeId, usize)> =
            self.nodes[ROOT].value.children().iter().rev().map(|&id| (id, 1)).collect();
        std::iter::from_fn(move || {
            let (id, depth) = stack.pop()?;
            stack.extend(self.nodes[id].value.children().iter().rev().map(|&child| (child, depth + 1)));
            Some((id, depth))
        })
    }

    /// True if a node is `ancestor` or below it.
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

    /// A node and its descendants as the parameters of a call: plain values are its arguments, in text order.
    /// Arguments that are `repeated` are left out.
    pub fn branch(&self, id: NodeId, repeated: &[bool]) -> Assembly {
        let mut tree = Self::default();
        *tree.node_mut(ROOT) = Node { key: String::new(), ..self.bare(id) };
        self.graft(tree, vec![(id, ROOT)], repeated)
    }

    /// Nodes and their descendants as the parameters of a call.
    pub fn object(&self, members: &[NodeId]) -> Assembly {
        let mut tree = Self::default();
        let copied = members.iter().map(|&id| (id, tree.add(ROOT, self.bare(id)))).collect();
        self.graft(tree, copied, &[])
    }

    /// Copies the descendants of nodes that were copied to another tree, and makes arguments of plain values.
    fn graft(&self, mut tree: Self, mut copied: Vec<(NodeId, NodeId)>, repeated: &[bool]) -> Assembly {
        let mut leaves = Vec::new();
        let mut next = 0;
        while let Some(&(from, to)) = copied.get(next) {
            next += 1;
            match &self.node(from).value {
                Value::Scalar(scalar, value) => {
                    let is_argument = !repeated.get(from).is_some_and(|&repeated| repeated);
                    leaves.extend(is_argument.then_some((*value, to, *scalar)));
                }
                value => copied.extend(value.children().iter().map(|&child| (child, tree.add(to, self.bare(child))))),
            }
        }
        // If a key is repeated, the last value is in the position of the first one.
        leaves.sort_unstable_by_key(|(value, id, _)| (*value, *id));
        let mut assembly = Assembly { tree, ..Assembly::default() };
        for (number, (value, id, scalar)) in leaves.into_iter().enumerate() {
            let node = assembly.tree.node_mut(id);
            node.argument = Some(number);
            let pointer = node.key_place;
            assembly.arguments.push(Argument { marker: Span::at(pointer.start), pointer, value });
            assembly.scalars.push(scalar);
        }
        assembly
    }

    /// A copy of a node without its children.
    fn bare(&self, id: NodeId) -> Node {
        let Node { key, key_place, value, place, decoded, .. } = self.node(id);
        let value = match value {
            Value::Object(_) => Value::Object(Vec::new()),
            Value::Array(_) => Value::Array(Vec::new()),
            Value::Scalar(scalar, span) => Value::Scalar(*scalar, *span),
        };
        Node { key_place: *key_place, decoded: decoded.clone(), ..Node::new(key.clone(), value, *place) }
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

/// The arguments of a call and their result in the runtime.
#[derive(Clone, Debug, Default)]
pub struct Assembly {
    /// The arguments in text order.
    pub arguments: Vec<Argument>,
    /// The converted value of each argument.
    pub scalars: Vec<Scalar>,
    /// The tree; if the runtime rejects the call, the part that could be built.
    pub tree: ParamTree,
    /// The runtime's error message if it rejects the call.
    pub error: Option<String>,
    /// The problems in pointers and values.
    pub problems: BoundedProblems,
    /// Contents of the call other than parameters, if its dialect has any.
    pub outcome: Option<Box<CallExtras>>,
}

/// The problems of a call.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// The problems in pointers and values.
    pub problems: BoundedProblems,
    /// The runtime's error message if it rejects the call.
    pub error: Option<String>,
}

/// Receives the nodes of an assembly: a tree keeps them; `()` does not, if only the problems are needed. Decisions made
/// while assembling do not depend on it.
pub trait Sink {
    /// Adds a child to a container.
    fn add(&mut self, parent: NodeId, node: impl FnOnce() -> Node);

    /// Changes the root, or a node that was added.
    fn change(&mut self, id: NodeId, change: impl FnOnce(&mut Node));

    /// Takes the converted value of the next argument.
    fn scalar(&mut self, _scalar: Scalar) {}
}

impl Sink for () {
    fn add(&mut self, _parent: NodeId, _node: impl FnOnce() -> Node) {}

    fn change(&mut self, _id: NodeId, _change: impl FnOnce(&mut Node)) {}
}

impl Sink for ParamTree {
    fn add(&mut self, parent: NodeId, node: impl FnOnce() -> Node) {
        ParamTree::add(self, parent, node());
    }

    fn change(&mut self, id: NodeId, change: impl FnOnce(&mut Node)) {
        change(self.node_mut(id));
    }
}

impl Sink for Assembly {
    fn add(&mut self, parent: NodeId, node: impl FnOnce() -> Node) {
        self.tree.add(parent, node());
    }

    fn change(&mut self, id: NodeId, change: impl FnOnce(&mut Node)) {
        change(self.tree.node_mut(id));
    }

    fn scalar(&mut self, scalar: Scalar) {
        self.scalars.push(scalar);
    }
}

/// State and result of a call, which are not parameters.
#[derive(Clone, Debug, Default)]
pub struct CallExtras {
    /// State of the call, as its dialect names it.
    pub state: Option<String>,
    /// Output of the tool, as a tree.
    pub output: Option<ParamTree>,
    /// Error message of the tool.
    pub error_text: Option<String>,
    /// Members that are neither arguments nor result.
    pub extra: Option<ParamTree>,
}

impl Assembly {
    /// The pointer of an argument as written, or the path of its node if it has no marker.
    pub fn pointer(&self, argument: usize, node: Option<NodeId>, text: &Text) -> String {
        let written = self.arguments[argument];
        match node {
            Some(node) if written.marker.is_empty() => self.tree.path(node),
            _ => text.read_str(written.pointer).into_owned(),
        }
    }

    /// The text of an argument's value as the runtime has it, or as written if it is not in the tree.
    pub fn value_text(&self, argument: usize, node: Option<NodeId>, text: &Text) -> String {
        match node {
            Some(node) => self.tree.scalar_text(node, text).into_owned(),
            None => text.read_str(self.arguments[argument].value).into_owned(),
        }
    }

    /// The node of each argument; `None` if the argument is not in the tree.
    pub fn nodes_of_arguments(&self) -> Vec<Option<NodeId>> {
        let mut nodes = vec![None; self.arguments.len()];
        for (id, _) in self.tree.walk() {
            if let Some(slot) = self.tree.node(id).argument.and_then(|number| nodes.get_mut(number)) {
                *slot = Some(id);
            }
        }
        nodes
    }
}
