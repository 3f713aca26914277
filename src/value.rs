//! The parameters of a call: a tree with the place of each key and value, made as the runtime makes it.
//!
//! The tree is made from a call's bytes on demand, and is never kept for long. It is an arena, so that
//! no depth of nesting overflows a stack.

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
pub mod marked_tags;
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
    /// Its pointer, without white space around it.
    pub pointer: Span,
    /// Bytes of the value, without the line feed after it.
    pub value: Span,
}

impl Argument {
    /// An argument with nothing but its marker.
    pub fn marked(marker: Span) -> Self {
        Self { marker, pointer: Span::at(marker.end), value: Span::at(marker.end) }
    }

    /// All its bytes, from its marker to the end of its value.
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
    /// Its key in its parent; the index, for an element of an array.
    pub key: String,
    /// The place of its key as it is written, without quotes; empty where none is written or noted.
    pub key_place: Span,
    /// The container that it is in; the root is in itself.
    pub parent: NodeId,
    /// What it holds: a scalar, or numbers of other nodes.
    pub value: Value,
    /// The argument that gave it its value, as an index into the call's arguments; `None` for a container.
    pub argument: Option<usize>,
    /// All its bytes, key and markup included; of a container in pointers, those of what it was begun with.
    pub place: Span,
    /// The text of a string that is not written as it is: with escapes, folded, without its indentation.
    pub decoded: Option<Box<str>>,
}

impl Node {
    /// A node that is written as it is.
    pub fn new(key: impl Into<String>, value: Value, place: Span) -> Self {
        let key_place = Span::at(place.start);
        Self { key: key.into(), key_place, parent: ROOT, value, argument: None, place, decoded: None }
    }
}

/// A value that holds others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holder {
    /// Members with keys.
    Object,
    /// Elements.
    Array,
}

impl Holder {
    /// The closing bracket in JSON.
    pub fn closer(self) -> &'static str {
        match self {
            Holder::Object => "}",
            Holder::Array => "]",
        }
    }
}

/// What a node of a parameter tree holds.
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

    /// The node with this number, to be changed.
    pub fn node_mut(&mut self, id: NodeId) -> &mut Node {
        steps::add(1);
        &mut self.nodes[id]
    }

    /// Adds a child to a container; to a plain value it adds nothing that can be seen.
    pub fn add(&mut self, parent: NodeId, node: Node) -> NodeId {
        steps::add(1);
        let id = self.nodes.len();
        self.nodes.push(Node { parent, ..node });
        if let Value::Object(children) | Value::Array(children) = &mut self.nodes[parent].value {
            children.push(id);
        }
        id
    }

    /// The text of a plain value, as the runtime has it; its bytes if it is not a string.
    pub fn words<'a>(&'a self, id: NodeId, text: &'a Text) -> Cow<'a, str> {
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

    /// Whether there is no parameter.
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

    /// All nodes below the root in the order they are shown, each with its depth (1 for a parameter).
    pub fn walk(&self) -> impl Iterator<Item = (NodeId, usize)> + '_ {
        let mut stack: Vec<(NodeId, usize)> =
            self.nodes[ROOT].value.children().iter().rev().map(|&id| (id, 1)).collect();
        std::iter::from_fn(move || {
            let (id, depth) = stack.pop()?;
            stack.extend(self.nodes[id].value.children().iter().rev().map(|&child| (child, depth + 1)));
            Some((id, depth))
        })
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

    /// What is at and below a node, as the parameters of a call: plain values are its arguments, in the order of the
    /// text. Those that are `repeated` are none.
    pub fn branch(&self, id: NodeId, repeated: &[bool]) -> Assembly {
        let mut tree = Self::default();
        *tree.node_mut(ROOT) = Node { key: String::new(), ..self.bare(id) };
        self.graft(tree, vec![(id, ROOT)], repeated)
    }

    /// Nodes and what is below them, as the parameters of a call.
    pub fn object(&self, members: &[NodeId]) -> Assembly {
        let mut tree = Self::default();
        let copied = members.iter().map(|&id| (id, tree.add(ROOT, self.bare(id)))).collect();
        self.graft(tree, copied, &[])
    }

    /// Copies what is below the nodes that have been copied to another tree, and makes arguments of plain values.
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
        // Of a key that is given twice, the last value is in the place of the first one.
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
    pub problems: BoundedProblems,
    /// What the call carries beside its parameters, where its dialect has such a thing.
    pub outcome: Option<Box<CallExtras>>,
}

/// What is wrong with a call.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// The problems in pointers and values.
    pub problems: BoundedProblems,
    /// The runtime's words when it refuses the call.
    pub error: Option<String>,
}

/// What an assembly feeds: a tree, or nothing where only the problems are asked for. What is decided on the way does not
/// depend on it.
pub trait Sink {
    /// Adds a child to a container.
    fn add(&mut self, parent: NodeId, node: impl FnOnce() -> Node);

    /// Changes the root, or a node that has been added.
    fn change(&mut self, id: NodeId, change: impl FnOnce(&mut Node));

    /// What the value of the next argument becomes.
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

/// The state and result of a call, which are not parameters.
#[derive(Clone, Debug, Default)]
pub struct CallExtras {
    /// How far the call has come, in the words of its dialect.
    pub state: Option<String>,
    /// What the tool gave back, as a tree.
    pub output: Option<ParamTree>,
    /// Why it failed, in the words of the tool.
    pub error_text: Option<String>,
    /// Members that are neither arguments nor result.
    pub extra: Option<ParamTree>,
}

impl Assembly {
    /// What leads to an argument's value: its pointer as it is written, or the path to it where it has no marker.
    pub fn pointer(&self, argument: usize, node: Option<NodeId>, text: &Text) -> String {
        let written = self.arguments[argument];
        match node {
            Some(node) if written.marker.is_empty() => self.tree.path(node),
            _ => text.read_str(written.pointer).into_owned(),
        }
    }

    /// The text of an argument's value: as the runtime has it, or as it is written where it is not in the tree.
    pub fn value_text(&self, argument: usize, node: Option<NodeId>, text: &Text) -> String {
        match node {
            Some(node) => self.tree.words(node, text).into_owned(),
            None => text.read_str(self.arguments[argument].value).into_owned(),
        }
    }

    /// The node of each argument that is in the tree.
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
