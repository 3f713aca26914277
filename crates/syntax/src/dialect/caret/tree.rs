//! Builds the tree of a block's parameters: keys with a string, or with an array of strings.

use std::collections::HashMap;

use crate::diagnostic::{Code, Diagnostic};
use crate::text::Span;
use crate::value::{Argument, Assembly, Node, NodeId, ROOT, Scalar, Value};

#[derive(Clone, Debug)]
pub(super) struct Written {
    /// The key, if it is next to the value.
    pub(super) key: Span,
    pub(super) value: Span,
    /// The text, if it differs from the bytes.
    pub(super) decoded: Option<Box<str>>,
    /// Span of the whole parameter: key, value and the syntax between and around them.
    pub(super) place: Span,
}

/// Collects parameters in text order.
#[derive(Debug, Default)]
pub(super) struct Tree {
    pub(super) assembly: Assembly,
    keys: HashMap<Box<str>, NodeId>,
}

impl Tree {
    /// The node of a key that has occurred before.
    pub(super) fn node(&self, key: &str) -> Option<NodeId> {
        self.keys.get(key).copied()
    }

    /// Adds a value; repeating a key makes an array of its values.
    pub(super) fn add(&mut self, key: &str, written: Written) {
        match self.node(key) {
            None => {
                let node = self.leaf(key, written);
                let id = self.assembly.tree.add(ROOT, node);
                self.keys.insert(key.into(), id);
            }
            Some(id) => {
                self.make_array(id);
                self.push(id, written);
            }
        }
    }

    /// The array of a key, which begins at `place`; it includes earlier values of the key.
    pub(super) fn array(&mut self, key: &str, place: Span) -> NodeId {
        let Some(id) = self.node(key) else {
            let id = self.assembly.tree.add(ROOT, Node::new(key, Value::Array(Vec::new()), place));
            self.keys.insert(key.into(), id);
            return id;
        };
        self.make_array(id);
        self.cover(id, place);
        id
    }

    /// The array of a key, which begins at `place`; it replaces earlier values of the key.
    pub(super) fn new_array(&mut self, key: &str, place: Span) -> NodeId {
        let Some(id) = self.node(key) else { return self.array(key, place) };
        let node = self.assembly.tree.node_mut(id);
        let lost = std::mem::replace(&mut node.place, place);
        node.value = Value::Array(Vec::new());
        node.argument = None;
        node.decoded = None;
        let message = format!("the array replaces earlier values of {key}");
        let problem = Diagnostic::new(Code::ValueReplaced, place, message)
            .help("give the whole array in one place, or each item as a separate line with the same key");
        self.assembly.problems.push(problem.related(lost, "this is lost"));
        id
    }

    pub(super) fn push(&mut self, array: NodeId, written: Written) {
        self.cover(array, written.place);
        let key = self.assembly.tree.node(array).value.children().len().to_string();
        let node = self.leaf(&key, written);
        self.assembly.tree.add(array, node);
    }

    /// Extends a node's span to include `place`.
    pub(super) fn cover(&mut self, id: NodeId, place: Span) {
        let node = self.assembly.tree.node_mut(id);
        node.place = node.place.cover(place);
    }

    /// Records a value that is not part of the tree.
    pub(super) fn leave_out(&mut self, key: Span, value: Span) {
        self.argument(key, value);
    }

    fn argument(&mut self, key: Span, value: Span) -> usize {
        let marker = Span::at(key.start);
        self.assembly.arguments.push(Argument { marker, pointer: key, value });
        self.assembly.scalars.push(Scalar::String);
        self.assembly.arguments.len() - 1
    }

    fn leaf(&mut self, key: &str, written: Written) -> Node {
        let argument = Some(self.argument(written.key, written.value));
        let value = Value::Scalar(Scalar::String, written.value);
        Node { argument, decoded: written.decoded, ..Node::new(key, value, written.place) }
    }

    /// Replaces a scalar by an array with the scalar as its first element.
    fn make_array(&mut self, id: NodeId) {
        let node = self.assembly.tree.node_mut(id);
        if matches!(node.value, Value::Array(_)) {
            return;
        }
        let value = std::mem::replace(&mut node.value, Value::Array(Vec::new()));
        let (argument, decoded, place) = (node.argument.take(), node.decoded.take(), node.place);
        self.assembly.tree.add(id, Node { argument, decoded, ..Node::new("0", value, place) });
    }
}
