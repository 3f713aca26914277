//! The fold state of calls and of the nodes of their parameters, per pane.

use std::collections::HashSet;

use crate::value::NodeId;

/// Fold state of a pane. Nodes are unfolded by default.
#[derive(Clone)]
pub(super) struct Folds {
    /// True if calls are unfolded by default.
    calls_open: bool,
    /// Calls (by item) and their nodes that differ from the default.
    changed: HashSet<(usize, Option<NodeId>)>,
}

impl Folds {
    /// All calls unfolded, or all folded.
    pub(super) fn new(calls_open: bool) -> Self {
        Self { calls_open, changed: HashSet::new() }
    }

    /// Resets all calls and nodes to the default.
    pub(super) fn forget(&mut self) {
        self.changed.clear();
    }

    /// True if a call, or a node of it, is unfolded.
    pub(super) fn is_open(&self, item: usize, node: Option<NodeId>) -> bool {
        self.changed.contains(&(item, node)) != (node.is_some() || self.calls_open)
    }

    /// Toggles the fold of a call or node.
    pub(super) fn flip(&mut self, item: usize, node: Option<NodeId>) {
        if !self.changed.remove(&(item, node)) {
            self.changed.insert((item, node));
        }
    }

    /// Adds the changes of another instance, if it has the same default.
    pub(super) fn merge(&mut self, before: Self) {
        if self.calls_open == before.calls_open {
            self.changed.extend(before.changed);
        }
    }

    /// Maps the item numbers after items were renumbered.
    pub(super) fn renumber(&mut self, number: &dyn Fn(usize) -> Option<usize>) {
        self.changed = self.changed.iter().filter_map(|&(item, node)| Some((number(item)?, node))).collect();
    }
}
