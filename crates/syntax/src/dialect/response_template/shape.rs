//! The shape that a transform gives to a value: JSON in which `{name}` and `{name.key}` are placeholders for parts of
//! it.

use serde_json::Value as Json;

use super::load::{LoadError, Node, python_repr, python_type};
use super::refusal::Refusal;
use crate::text::{Span, Text};
use crate::value::{Node as TreeNode, NodeId, ParamTree, ROOT, Scalar, Value};

/// Maximum nesting depth of a transform.
const MAX_DEPTH: usize = 32;

/// A valid transform.
#[derive(Debug)]
pub(super) enum Shape {
    /// A constant from the template.
    Literal(Json),
    /// A placeholder: a name, followed by keys into its value.
    Place(Vec<String>),
    List(Vec<Shape>),
    Object(Vec<(String, Shape)>),
}

/// The value of a name in a transform.
#[derive(Clone, Copy, Debug)]
pub(super) enum Part {
    /// A node of the value.
    Node(NodeId),
    /// A span of the text.
    Words(Span),
}

/// The names that a transform may use, and the tree that contains their nodes.
pub(super) struct Scope<'a> {
    pub(super) tree: &'a ParamTree,
    pub(super) parts: Vec<(&'a str, Part)>,
    /// Offset of the value, used as the position of constants.
    pub(super) start: usize,
}

impl Shape {
    pub(super) fn read(node: Node<'_>, scope: &str, errors: &mut Vec<LoadError>) -> Option<Self> {
        Self::read_at(node, scope, 0, errors)
    }

    fn read_at(node: Node<'_>, scope: &str, depth: usize, errors: &mut Vec<LoadError>) -> Option<Self> {
        if depth > MAX_DEPTH {
            let message = format!("{scope}: the transform nests more than {MAX_DEPTH} levels deep");
            errors.push(LoadError::new(node.mark(), message, "write a flatter transform"));
            return None;
        }
        if node.is_object() {
            let members = node
                .children()
                .map(|child| Some((child.key().to_owned(), Self::read_at(child, scope, depth + 1, errors)?)));
            return members.collect::<Option<_>>().map(Shape::Object);
        }
        if node.is_array() {
            let members = node.children().map(|child| Self::read_at(child, scope, depth + 1, errors));
            return members.collect::<Option<_>>().map(Shape::List);
        }
        let Some(words) = node.string() else { return Some(Shape::Literal(node.to_json())) };
        match placeholder(&words) {
            Some((0, end)) if end == words.len() => {
                Some(Shape::Place(words[1..end - 1].split('.').map(str::to_owned).collect()))
            }
            Some(_) => {
                let message = format!(
                    "{scope}: transform string {} mixes a {{placeholder}} with literal text. Use either a whole-string \
                     placeholder (e.g. \"{{content}}\") or a plain literal; string interpolation is not supported.",
                    python_repr(&words)
                );
                errors.push(LoadError::new(node.mark(), message, "write the placeholder alone"));
                None
            }
            None => Some(Shape::Literal(Json::String(words))),
        }
    }

    /// Builds a tree of this shape from the parts.
    ///
    /// Also returns the reference's exception for an undefined name or key; the tree is built without it.
    pub(super) fn apply(&self, scope: &Scope<'_>, text: &Text) -> (ParamTree, Option<Refusal>) {
        let mut build = Build { scope, text, out: ParamTree::default(), error: None };
        build.add(self, None, "");
        (build.out, build.error)
    }

    /// The path of the placeholder at these keys of the shape.
    pub(super) fn path_at(&self, keys: &[&str]) -> Option<&[String]> {
        let mut at = self;
        for key in keys {
            let Shape::Object(members) = at else { return None };
            at = &members.iter().find(|(name, _)| name == key)?.1;
        }
        if let Shape::Place(path) = at { Some(path) } else { None }
    }
}

struct Build<'a> {
    scope: &'a Scope<'a>,
    text: &'a Text,
    out: ParamTree,
    error: Option<Refusal>,
}

impl Build<'_> {
    /// Adds the value of a shape; the recursion is limited by [`MAX_DEPTH`].
    fn add(&mut self, shape: &Shape, parent: Option<NodeId>, key: &str) {
        match shape {
            Shape::Literal(json) => {
                let nowhere = Span::at(self.scope.start);
                place(&mut self.out, parent, key, TreeNode::new("", Value::Scalar(Scalar::Null, nowhere), nowhere));
                let id = last(&self.out, parent);
                write_literal(&mut self.out, id, json);
            }
            Shape::List(shapes) => {
                let id = self.container(Value::Array(Vec::new()), parent, key);
                for (index, shape) in shapes.iter().enumerate() {
                    self.add(shape, Some(id), &index.to_string());
                }
            }
            Shape::Object(members) => {
                let id = self.container(Value::Object(Vec::new()), parent, key);
                for (key, shape) in members {
                    self.add(shape, Some(id), key);
                }
            }
            Shape::Place(path) => match self.part(path) {
                Ok(Part::Node(from)) => copy(self.scope.tree, from, &mut self.out, parent, key),
                Ok(Part::Words(span)) => {
                    let node = TreeNode::new("", Value::Scalar(Scalar::String, span), span);
                    place(&mut self.out, parent, key, node);
                }
                Err(error) => {
                    self.error.get_or_insert(error);
                }
            },
        }
    }

    fn container(&mut self, value: Value, parent: Option<NodeId>, key: &str) -> NodeId {
        place(&mut self.out, parent, key, TreeNode::new("", value, Span::at(self.scope.start)));
        last(&self.out, parent)
    }

    /// The part that a path leads to.
    fn part(&self, path: &[String]) -> Result<Part, Refusal> {
        let whole = path.join(".");
        let Some((first, keys)) = path.split_first() else { return Err(Refusal::new("")) };
        let known = self.scope.parts.iter().rev().find(|(name, _)| name == first);
        let Some((_, mut part)) = known.copied() else {
            let names = sorted(self.scope.parts.iter().map(|(name, _)| *name));
            let words = format!("transform placeholder '{{{whole}}}' is not defined. Available: {names}");
            return Err(Refusal::new(words));
        };
        for key in keys {
            let kind = match part {
                Part::Words(_) => "str",
                Part::Node(id) => python_type(self.scope.tree, id, self.text),
            };
            let (Part::Node(id), "dict") = (part, kind) else {
                let words = format!("transform placeholder '{{{whole}}}' cannot index into {kind} at '{key}'");
                return Err(Refusal::new(words));
            };
            let children = self.scope.tree.node(id).value.children();
            let Some(&child) = children.iter().find(|&&child| self.scope.tree.node(child).key == *key) else {
                let names = sorted(children.iter().map(|&child| self.scope.tree.node(child).key.as_str()));
                let words = format!("transform placeholder '{{{whole}}}' is missing key '{key}'. Available: {names}");
                return Err(Refusal::new(words));
            };
            part = Part::Node(child);
        }
        Ok(part)
    }
}

/// Adds a node below a parent, or makes it the root.
pub(super) fn place(tree: &mut ParamTree, parent: Option<NodeId>, key: &str, node: TreeNode) {
    let node = TreeNode { key: key.to_owned(), ..node };
    match parent {
        Some(parent) => {
            tree.add(parent, node);
        }
        None => *tree.node_mut(ROOT) = node,
    }
}

/// The last child of a parent, or else the root.
pub(super) fn last(tree: &ParamTree, parent: Option<NodeId>) -> NodeId {
    parent.and_then(|parent| tree.node(parent).value.children().last().copied()).unwrap_or(ROOT)
}

/// Copies a subtree of another tree.
pub(super) fn copy(from: &ParamTree, id: NodeId, to: &mut ParamTree, parent: Option<NodeId>, key: &str) {
    let mut stack = vec![(id, parent, key.to_owned())];
    while let Some((id, parent, key)) = stack.pop() {
        let node = from.node(id);
        let value = match &node.value {
            Value::Object(_) => Value::Object(Vec::new()),
            Value::Array(_) => Value::Array(Vec::new()),
            Value::Scalar(scalar, span) => Value::Scalar(*scalar, *span),
        };
        let decoded = node.decoded.clone();
        let copied = TreeNode { key_place: node.key_place, decoded, ..TreeNode::new("", value, node.place) };
        place(to, parent, &key, copied);
        let at = last(to, parent);
        let children = node.value.children().iter().rev();
        stack.extend(children.map(|&child| (child, Some(at), from.node(child).key.clone())));
    }
}

/// Writes a constant of the template to a node.
fn write_literal(tree: &mut ParamTree, id: NodeId, json: &Json) {
    let scalar = match json {
        Json::Null => Scalar::Null,
        Json::Bool(value) => Scalar::Boolean(*value),
        Json::Number(number) => Scalar::Number(number.as_f64().unwrap_or_default()),
        Json::String(text) => {
            tree.node_mut(id).decoded = Some(text.as_str().into());
            Scalar::String
        }
        // Containers are shapes themselves.
        Json::Array(_) | Json::Object(_) => return,
    };
    let place = tree.node(id).place;
    tree.node_mut(id).value = Value::Scalar(scalar, place);
}

/// Names as Python prints a sorted list of them.
fn sorted<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable();
    names.dedup();
    let names: Vec<String> = names.into_iter().map(python_repr).collect();
    format!("[{}]", names.join(", "))
}

/// The start and end of the first `{name}` or `{name.key}` in a text.
fn placeholder(text: &str) -> Option<(usize, usize)> {
    let is_word = |c: char| c == '_' || c.is_alphanumeric();
    for (start, _) in text.match_indices('{') {
        let end = start + text[start..].find('}')?;
        let inside = &text[start + 1..end];
        if inside.split('.').all(|part| !part.is_empty() && part.chars().all(is_word)) {
            return Some((start, end + 1));
        }
    }
    None
}
