//! What was read of a region: its value as a tree, why the reference raises, and the problems.

use super::refusal::Refusal;
use super::shape::{Part, Scope, Shape};
use crate::diagnostic::Diagnostic;
use crate::text::{Span, Text};
use crate::value::{Node, ParamTree, ROOT, Scalar, Value};

/// What a region's text is.
#[derive(Debug, Default)]
pub(super) struct Reading {
    /// The value, its root; as far as it could be made.
    pub(super) tree: ParamTree,
    pub(super) refusal: Option<Refusal>,
    pub(super) problems: Vec<Diagnostic>,
}

impl Reading {
    /// A plain value at these offsets of a text that begins at `start`.
    pub(super) fn plain(scalar: Scalar, start: usize, (from, to): (usize, usize)) -> Self {
        let mut reading = Self::default();
        let span = Span::new(start + from, start + to);
        *reading.tree.node_mut(ROOT) = Node::new("", Value::Scalar(scalar, span), span);
        reading
    }

    /// The value, which begins at `start`, in the shape of a transform, of these parts of it.
    pub(super) fn shaped(self, shape: &Shape, parts: Vec<(&str, Part)>, start: usize, text: &Text) -> Self {
        let (tree, refusal) = shape.apply(&Scope { tree: &self.tree, parts, start }, text);
        Self { tree, refusal: self.refusal.or(refusal), problems: self.problems }
    }

    pub(super) fn refuse(mut self, words: String) -> Self {
        self.refusal = Some(Refusal::new(words));
        self
    }
}
