//! Aliases: each repeats its anchor's node with all descendants, within the limits.

use granit_parser::ScalarStyle;

use super::build::{Anchor, Builder, Flow, OpenKind};
use super::key;
use super::{MAX_ALIAS_BYTES, MAX_ALIAS_NODES, MAX_DEPTH, fault};
use crate::diagnostic::{Code, Diagnostic};
use crate::text::Span;
use crate::value::{Node, NodeId, Scalar, Value};

impl Builder<'_> {
    /// Repeats the node of an anchor.
    pub(super) fn alias(&mut self, anchor: usize, place: (usize, usize)) -> Flow {
        let (start, end) = place;
        let span = self.source.span(start, end);
        let name = &self.source.text()[start..end];
        let target = match self.anchors.get(&anchor) {
            Some(Anchor::Node(target)) => *target,
            Some(Anchor::Key(words, style)) => {
                let (words, style) = (words.clone(), *style);
                self.bytes += words.len();
                let Flow::On = self.within_budget(span) else { return Flow::Stop };
                return self.scalar(&words, style, 0, None, place, None);
            }
            Some(Anchor::Open) | None => {
                let message = format!("{name} is inside the value that it names");
                let problem = Diagnostic::new(Code::YamlAlias, span, message);
                self.refuse(problem.contrast("an alias of a value that is complete", name));
                return self.scalar(name, ScalarStyle::SingleQuoted, 0, None, place, None);
            }
        };
        let Flow::On = self.count(start) else { return Flow::Stop };
        match self.open.last().map(|open| &open.kind) {
            Some(OpenKind::Key) => {
                let words = self.words(target).unwrap_or_default();
                self.bytes += words.len();
                self.complex.scalar(name, &words, self.plain(target), self.library);
                return self.within_budget(span);
            }
            Some(OpenKind::Mapping { key: None, .. }) => {
                let words = self.words(target).map(|words| key::text(&words, self.plain(target), self.library));
                let words = words.unwrap_or_else(|| name.to_owned());
                self.bytes += words.len();
                self.key(words, start, end);
                return self.within_budget(span);
            }
            _ => {}
        }
        let (id, _) = self.attach(self.empty_copy(target), start, end);
        self.out.is_empty = false;
        self.repeat(target, id, span)
    }

    /// Copies the content of `target` to the node `id`, within the limits.
    fn repeat(&mut self, target: NodeId, id: NodeId, span: Span) -> Flow {
        let mut stack = vec![(target, id, self.open.len())];
        self.copied += 1;
        while let Some((from, to, depth)) = stack.pop() {
            let node = self.out.tree.node(from);
            let is_container = !matches!(node.value, Value::Scalar(..));
            let children = node.value.children().to_vec();
            self.copied += children.len();
            self.bytes += node.key.len()
                + match node.value {
                    Value::Scalar(_, value) => node.decoded.as_ref().map_or(value.len(), |words| words.len()),
                    _ => 0,
                };
            let Flow::On = self.within_budget(span) else { return Flow::Stop };
            if depth >= MAX_DEPTH && is_container {
                return self.refuse(fault::too_deep(span));
            }
            let decoded = self.out.tree.node(from).decoded.clone();
            self.out.tree.node_mut(to).decoded = decoded;
            self.out.repeated.resize(self.out.tree.len(), false);
            self.out.repeated[to] = true;
            for child in children {
                let copy = Node::new(self.out.tree.node(child).key.clone(), self.empty_copy(child), span);
                let copy = self.out.tree.add(to, copy);
                stack.push((child, copy, depth + 1));
            }
        }
        Flow::On
    }

    fn within_budget(&mut self, span: Span) -> Flow {
        let what = if self.copied > MAX_ALIAS_NODES {
            format!("{MAX_ALIAS_NODES} keys and values")
        } else if self.bytes > MAX_ALIAS_BYTES {
            format!("{MAX_ALIAS_BYTES} bytes")
        } else {
            return Flow::On;
        };
        let message = format!("the aliases repeat more than {what}; the rest is not read");
        self.refuse(Diagnostic::new(Code::YamlTooLarge, span, message))
    }

    /// A copy of a node's value without its children.
    fn empty_copy(&self, id: NodeId) -> Value {
        match self.out.tree.node(id).value {
            Value::Object(_) => Value::Object(Vec::new()),
            Value::Array(_) => Value::Array(Vec::new()),
            Value::Scalar(scalar, span) => Value::Scalar(scalar, span),
        }
    }

    /// The scalar of a plain value.
    fn plain(&self, id: NodeId) -> Scalar {
        match self.out.tree.node(id).value {
            Value::Scalar(scalar, _) => scalar,
            _ => Scalar::String,
        }
    }

    /// The text of a plain value.
    fn words(&self, id: NodeId) -> Option<String> {
        let node = self.out.tree.node(id);
        match (&node.decoded, &node.value) {
            (Some(words), _) => Some(words.clone().into()),
            (None, Value::Scalar(_, span)) => Some(self.source.text_of(*span).to_owned()),
            (None, _) => None,
        }
    }
}
