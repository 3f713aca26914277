//! Calls that wait for one another in a circle.
//!
//! Only the stretch of calls that a dependency pointing forward leads over is looked at. An id that several calls have
//! is a node of its own between whoever waits for it and its holders, so that a shared id costs no more than its calls
//! and dependencies together. This module does not know texts.

use std::collections::{HashMap, HashSet};

use petgraph::algo::tarjan_scc;
use petgraph::graph::{DiGraph, NodeIndex};

use crate::document::ids::Ids;

/// The holders of each id that several calls have, by the first of them.
pub(super) type Groups = HashMap<u32, Vec<u32>>;

/// The holders of each id that several calls have.
pub(super) fn groups(ids: &Ids) -> Groups {
    let mut groups = Groups::new();
    for shared in ids.shared() {
        groups.entry(shared.first).or_insert_with(|| vec![shared.first]).push(shared.call);
    }
    groups
}

/// The circles, each from its first call in the text on along the dependencies as far as they lead.
pub(in crate::document) fn find(ids: &Ids) -> Vec<Vec<u32>> {
    let Some((low, high)) = ids.forward() else { return Vec::new() };
    let groups = groups(ids);
    let count = (high - low + 1) as usize;
    let mut graph: DiGraph<(), ()> = DiGraph::with_capacity(count + groups.len(), ids.waits().len().min(count));
    for _ in 0..count {
        graph.add_node(());
    }
    let node = |call: u32| (low..=high).contains(&call).then(|| NodeIndex::new((call - low) as usize));
    let mut shared: HashMap<u32, NodeIndex> = HashMap::new();
    for (&first, holders) in &groups {
        let group = graph.add_node(());
        shared.insert(first, group);
        for holder in holders.iter().filter_map(|&holder| node(holder)) {
            graph.add_edge(group, holder, ());
        }
    }
    let waits = ids.waits();
    let first = waits.partition_point(|wait| wait.from < low);
    for wait in waits[first..].iter().take_while(|wait| wait.from <= high) {
        let Some(to) = wait.to() else { continue };
        let to = shared.get(&to).copied().or_else(|| node(to));
        if let (Some(from), Some(to)) = (node(wait.from), to) {
            graph.add_edge(from, to, ());
        }
    }
    let mut cycles: Vec<Vec<u32>> = tarjan_scc(&graph)
        .into_iter()
        .map(|component| component.into_iter().map(NodeIndex::index).filter(|&index| index < count))
        .map(|calls| calls.map(|index| low + index as u32).collect::<Vec<u32>>())
        .filter(|calls| calls.len() > 1)
        .map(|calls| around(calls, ids, &groups))
        .collect();
    cycles.sort();
    cycles
}

/// The members of a cycle, from the first in the text on along the dependencies as far as they lead.
fn around(mut members: Vec<u32>, ids: &Ids, groups: &Groups) -> Vec<u32> {
    members.sort_unstable();
    let mut left: HashSet<u32> = members.iter().copied().collect();
    // Of each shared id, how many holders need not be looked at again.
    let mut passed: HashMap<u32, usize> = HashMap::new();
    let mut path = Vec::new();
    let mut next = members.first().copied();
    while let Some(call) = next {
        left.remove(&call);
        path.push(call);
        next = ids.waits_of(call).filter_map(|wait| ids.waits()[wait].to()).find_map(|to| match groups.get(&to) {
            None => Some(to).filter(|to| left.contains(to)),
            Some(holders) => {
                let at = passed.entry(to).or_default();
                while holders.get(*at).is_some_and(|holder| !left.contains(holder)) {
                    *at += 1;
                }
                holders.get(*at).copied()
            }
        });
    }
    path.extend(members.into_iter().filter(|member| left.contains(member)));
    path
}
