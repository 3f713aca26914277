//! What is folded and what is open.
//!
//! This module does not know what a pane makes of it.

use std::collections::HashSet;

use crate::params::NodeId;

/// What is folded and what is open, against the default of each pane.
#[derive(Clone, Debug, Default)]
pub struct Folds {
    /// Calls and subtrees that are folded in the reading pane; calls that are not, if all are folded.
    pub reading_changed: HashSet<(usize, Option<NodeId>)>,
    /// Long values that are shown whole.
    pub values_open: HashSet<(usize, NodeId)>,
    /// Calls that are unfolded in the outline, and subtrees that are folded there.
    pub outline_changed: HashSet<(usize, Option<NodeId>)>,
    /// Messages that are folded in the outline.
    pub messages_closed: HashSet<usize>,
    /// Whether calls are folded in the reading pane unless they are listed.
    pub all_closed: bool,
}

impl Folds {
    /// The same folds of items that have other numbers now; those of items that are no longer there are dropped.
    pub fn moved(&self, number: impl Fn(usize) -> Option<usize>) -> Self {
        let keys = |keys: &HashSet<(usize, Option<NodeId>)>| {
            keys.iter().filter_map(|&(item, node)| Some((number(item)?, node))).collect()
        };
        Self {
            reading_changed: keys(&self.reading_changed),
            values_open: self.values_open.iter().filter_map(|&(item, node)| Some((number(item)?, node))).collect(),
            outline_changed: keys(&self.outline_changed),
            messages_closed: HashSet::new(),
            all_closed: self.all_closed,
        }
    }
}
