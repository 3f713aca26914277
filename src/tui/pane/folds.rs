//! Which calls, and which nodes of their parameters, are folded in a pane.

use std::collections::HashSet;

use crate::value::NodeId;

/// What is folded in a pane. Nodes are unfolded at first.
#[derive(Clone)]
pub(super) struct Folds {
    /// Whether calls are unfolded unless they are listed.
    calls_open: bool,
    /// Calls, by their items, and nodes of them that are not as all others.
    changed: HashSet<(usize, Option<NodeId>)>,
}

impl Folds {
    /// Calls are unfolded, or none is.
    pub(super) fn new(calls_open: bool) -> Self {
        Self { calls_open, changed: HashSet::new() }
    }

    /// Forgets which calls and nodes are not as all others.
    pub(super) fn forget(&mut self) {
        self.changed.clear();
    }

    /// Whether a call, or a node of it, is unfolded.
    pub(super) fn is_open(&self, item: usize, node: Option<NodeId>) -> bool {
        self.changed.contains(&(item, node)) != (node.is_some() || self.calls_open)
    }

    /// Folds a call or node that is unfolded, and the other way round.
    pub(super) fn flip(&mut self, item: usize, node: Option<NodeId>) {
        if !self.changed.remove(&(item, node)) {
            self.changed.insert((item, node));
        }
    }

    /// Adds what was folded and unfolded elsewhere.
    pub(super) fn merge(&mut self, before: Self) {
        if self.calls_open == before.calls_open {
            self.changed.extend(before.changed);
        }
    }

    /// The items have other numbers now.
    pub(super) fn renumber(&mut self, number: &dyn Fn(usize) -> Option<usize>) {
        self.changed = self.changed.iter().filter_map(|&(item, node)| Some((number(item)?, node))).collect();
    }
}
