//! Dependency cycles.
//!
//! Only the range of calls spanned by forward dependencies is examined. An id that several calls share is a separate
//! node between the calls that depend on it and the calls that have it, so that the cost is linear in calls and
//! dependencies.

use std::collections::{HashMap, HashSet};

use crate::document::ids::Ids;

/// The calls that share an id, by the first of them.
pub(super) type Groups = HashMap<u32, Vec<u32>>;

/// Collects the ids that several calls share.
pub(super) fn groups(ids: &Ids) -> Groups {
    let mut groups = Groups::new();
    for shared in ids.shared() {
        groups.entry(shared.first).or_insert_with(|| vec![shared.first]).push(shared.call);
    }
    groups
}

/// Finds the cycles, each listed from its first call in the text along its dependencies.
pub(in crate::document) fn find(ids: &Ids) -> Vec<Vec<u32>> {
    let Some((low, high)) = ids.forward() else { return Vec::new() };
    let groups = groups(ids);
    let count = (high - low + 1) as usize;
    let node = |call: u32| (low..=high).contains(&call).then(|| (call - low) as usize);
    let mut graph: Vec<Vec<usize>> = vec![Vec::new(); count];
    let mut shared: HashMap<u32, usize> = HashMap::new();
    for (&first, holders) in &groups {
        shared.insert(first, graph.len());
        graph.push(holders.iter().filter_map(|&holder| node(holder)).collect());
    }
    let waits = ids.waits();
    let first = waits.partition_point(|wait| wait.from < low);
    for wait in waits[first..].iter().take_while(|wait| wait.from <= high) {
        let Some(to) = wait.to() else { continue };
        let to = shared.get(&to).copied().or_else(|| node(to));
        if let (Some(from), Some(to)) = (node(wait.from), to) {
            graph[from].push(to);
        }
    }
    let mut cycles: Vec<Vec<u32>> = components(&graph)
        .into_iter()
        .map(|component| component.into_iter().filter(|&node| node < count))
        .map(|calls| calls.map(|index| low + index as u32).collect::<Vec<u32>>())
        .filter(|calls| calls.len() > 1)
        .map(|calls| around(calls, ids, &groups))
        .collect();
    cycles.sort();
    cycles
}

/// The strongly connected components of a graph, given as the successors of each node (Tarjan 1972, without recursion).
fn components(graph: &[Vec<usize>]) -> Vec<Vec<usize>> {
    const DONE: usize = usize::MAX;
    let (mut numbers, mut lowest) = (vec![0; graph.len()], vec![0; graph.len()]);
    let (mut count, mut open, mut components) = (0, Vec::new(), Vec::new());
    for root in 0..graph.len() {
        let mut path = Vec::from_iter((lowest[root] == 0).then_some((root, 0)));
        while let Some(&mut (node, ref mut next)) = path.last_mut() {
            if lowest[node] == 0 {
                count += 1;
                (numbers[node], lowest[node]) = (count, count);
                open.push(node);
            }
            if let Some(&successor) = graph[node].get(*next) {
                // An unvisited successor is read again after its visit.
                let is_new = lowest[successor] == 0;
                if is_new {
                    path.push((successor, 0));
                } else {
                    *next += 1;
                    lowest[node] = lowest[node].min(lowest[successor]);
                }
                continue;
            }
            path.pop();
            if lowest[node] == numbers[node] {
                let start = open.iter().rposition(|&member| member == node).unwrap_or(0);
                let component = open.split_off(start);
                for &member in &component {
                    lowest[member] = DONE;
                }
                components.push(component);
            }
        }
    }
    components
}

/// The members of a cycle, from the first in the text along its dependencies; then any members not reached.
fn around(mut members: Vec<u32>, ids: &Ids, groups: &Groups) -> Vec<u32> {
    members.sort_unstable();
    let mut left: HashSet<u32> = members.iter().copied().collect();
    // For each shared id, the number of leading holders that are already on the path.
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

#[cfg(test)]
mod tests {
    use petgraph::graph::{DiGraph, NodeIndex};

    use super::components;

    fn sorted(mut components: Vec<Vec<usize>>) -> Vec<Vec<usize>> {
        for component in &mut components {
            component.sort_unstable();
        }
        components.sort();
        components
    }

    #[test]
    fn components_are_what_another_implementation_finds() {
        let mut state = 7_u64;
        let mut below = |limit: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % limit
        };
        for _ in 0..2000 {
            let nodes = 1 + below(12);
            let edges: Vec<(usize, usize)> = (0..below(24)).map(|_| (below(nodes), below(nodes))).collect();
            let mut graph = vec![Vec::new(); nodes];
            for &(from, to) in &edges {
                graph[from].push(to);
            }
            let mut other: DiGraph<(), ()> = DiGraph::new();
            (0..nodes).for_each(|_| _ = other.add_node(()));
            other.extend_with_edges(edges.iter().map(|&(from, to)| (from as u32, to as u32)));
            let expected = petgraph::algo::tarjan_scc(&other).into_iter();
            let expected = expected.map(|component| component.into_iter().map(NodeIndex::index).collect());
            assert_eq!(sorted(components(&graph)), sorted(expected.collect()), "{edges:?}");
        }
    }
}
