//! Result of reading a region: its value as a tree, the reference's exception, and problems.

use super::refusal::Refusal;
use super::shape::{Part, Scope, Shape};
use crate::diagnostic::Diagnostic;
use crate::text::{Span, Text};
use crate::value::{Node, ParamTree, ROOT, Scalar, Value};

/// Result of reading a region's text.
#[derive(Debug, Default)]
pub(super) struct Reading {
    /// The value, at the root; incomplete if it could not be built.
    pub(super) tree: ParamTree,
    pub(super) refusal: Option<Refusal>,
    pub(super) problems: Vec<Diagnostic>,
}

impl Reading {
    /// A scalar at these offsets of a text that begins at `start`.
    pub(super) fn plain(scalar: Scalar, start: usize, (from, to): (usize, usize)) -> Self {
        let mut reading = Self::default();
        let span = Span::new(start + from, start + to);
        *reading.tree.node_mut(ROOT) = Node::new("", Value::Scalar(scalar, span), span);
        reading
    }

    /// The value, which begins at `start`, in the shape of a transform with these named parts.
    pub(super) fn shaped(self, shape: &Shape, parts: Vec<(&str, Part)>, start: usize, text: &Text) -> Self {
        let (tree, refusal) = shape.apply(&Scope { tree: &self.tree, parts, start }, text);
        Self { tree, refusal: self.refusal.or(refusal), problems: self.problems }
    }

    pub(super) fn refuse(mut self, words: String) -> Self {
        self.refusal = Some(Refusal::new(words));
        self
    }
}
