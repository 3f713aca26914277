//! An index of a large tree, built in one traversal, for queries that would otherwise traverse all of it.
//!
//! It is valid only for the tree that it was built from.

use std::iter;

use super::{Assembly, NodeId, ParamTree, ROOT};
use crate::text::{Span, steps};

/// Order and positions of the nodes of a tree.
#[derive(Clone, Debug, Default)]
pub struct TreeIndex {
    /// The nodes in display order, without the root.
    order: Vec<IndexedChild>,
    /// Index of each node in `order`; `None` for the root and for replaced nodes.
    ranks: Vec<Option<u32>>,
    /// Indices into `order`, sorted by first byte; of nodes with the same first byte, the deepest is last.
    by_start: Vec<u32>,
    /// The node of each argument; `None` if the argument is not in the tree.
    nodes: Vec<Option<NodeId>>,
    /// The arguments that are not in the tree.
    outside: Vec<usize>,
}

#[derive(Clone, Copy, Debug)]
struct IndexedChild {
    id: NodeId,
    /// 1 for a parameter.
    depth: u32,
    /// Rank after the node and its descendants.
    subtree_end: u32,
    /// Bytes of the arguments of the node and its descendants.
    cover: Option<Span>,
}

impl TreeIndex {
    /// Builds the index of a call's tree.
    pub fn new(assembly: &Assembly) -> Self {
        let tree = &assembly.tree;
        let mut index = Self { nodes: vec![None; assembly.arguments.len()], ..Self::default() };
        index.ranks = vec![None; tree.len()];
        for (rank, (id, depth)) in tree.walk().enumerate() {
            let rank = narrow(rank);
            let number = tree.node(id).argument;
            if let Some(slot) = number.and_then(|number| index.nodes.get_mut(number)) {
                *slot = Some(id);
            }
            let argument = number.and_then(|number| assembly.arguments.get(number));
            let cover = argument.map(|argument| argument.marker.cover(argument.value));
            index.ranks[id] = Some(rank);
            index.order.push(IndexedChild { id, depth: narrow(depth), subtree_end: rank + 1, cover });
        }
        for rank in (0..index.order.len()).rev() {
            let IndexedChild { id, subtree_end, cover, .. } = index.order[rank];
            let Some(above) = index.rank(tree.node(id).parent) else { continue };
            let above = &mut index.order[above];
            above.subtree_end = above.subtree_end.max(subtree_end);
            above.cover = above.cover.into_iter().chain(cover).reduce(Span::cover);
        }
        let mut by_start: Vec<u32> = (0..narrow(index.order.len())).collect();
        by_start.sort_by_key(|&rank| {
            let IndexedChild { id, depth, .. } = index.order[rank as usize];
            (tree.node(id).place.start, depth, rank)
        });
        index.by_start = by_start;
        index.outside = (0..index.nodes.len()).filter(|&number| index.nodes[number].is_none()).collect();
        index
    }

    fn rank(&self, id: NodeId) -> Option<usize> {
        self.ranks.get(id).copied().flatten().map(|rank| rank as usize)
    }

    /// The visible nodes in display order: descendants of closed nodes are hidden.
    pub fn unfolded(&self, is_open: impl Fn(NodeId) -> bool) -> Vec<NodeId> {
        let mut rank = 0;
        let next = iter::from_fn(|| {
            let IndexedChild { id, subtree_end, .. } = *self.order.get(rank)?;
            rank = if is_open(id) { rank + 1 } else { subtree_end as usize };
            Some(id)
        });
        next.inspect(|_| steps::add(1)).collect()
    }

    /// Index in `shown`, which is in display order, of a node or of the one that hides it.
    pub fn position(&self, shown: &[NodeId], id: NodeId) -> Option<usize> {
        let rank = self.rank(id)?;
        shown.partition_point(|&other| self.rank(other).is_some_and(|other| other <= rank)).checked_sub(1)
    }

    /// Depth of a node; 1 for a parameter.
    pub fn depth(&self, id: NodeId) -> usize {
        self.rank(id).map_or(0, |rank| self.order[rank].depth as usize)
    }

    /// The deepest node that contains the byte at `offset`.
    pub fn node_at(&self, tree: &ParamTree, offset: usize) -> Option<NodeId> {
        let start = |rank: u32| tree.node(self.order[rank as usize].id).place.start;
        let following = self.by_start.partition_point(|&rank| start(rank) <= offset);
        let nearest = self.order[self.by_start[following.checked_sub(1)?] as usize].id;
        let mut around = iter::successors(Some(nearest), |&id| Some(tree.node(id).parent).filter(|&id| id != ROOT));
        around.find(|&id| tree.node(id).place.contains(offset))
    }

    /// Bytes of the arguments of a node and its descendants.
    pub fn cover(&self, id: NodeId) -> Option<Span> {
        self.order[self.rank(id)?].cover
    }

    /// The node of an argument, if it is in the tree.
    pub fn node_of(&self, argument: usize) -> Option<NodeId> {
        self.nodes.get(argument).copied().flatten()
    }

    /// The arguments that are not in the tree.
    pub fn outside(&self) -> &[usize] {
        &self.outside
    }
}

/// A tree has fewer nodes than its call has examined bytes, so the number fits.
fn narrow(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
