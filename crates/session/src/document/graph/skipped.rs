//! Determines which calls are skipped, and why: calls that cannot start, and calls that depend on those.
//!
//! Callers that need only this can do without a [`Graph`](super::Graph), which takes 40 MB for a gigabyte of calls.

use std::collections::HashMap;

use super::cycles::{Groups, groups};
use super::{CallLabels, Document, Fate, SkipReason, graph_node, nodes};
use crate::document::ids::{Ids, Wait};

/// The skipped calls of a document, each with the reason.
#[derive(Clone, Debug, Default)]
pub struct SkippedCalls {
    /// Numbers and reasons of the calls, in text order.
    calls: Vec<(u32, SkipReason)>,
    /// The dependencies on unknown ids.
    missing: Vec<u32>,
}

impl SkippedCalls {
    /// Computes the skipped calls among the calls parsed so far.
    pub fn new(document: &Document) -> Self {
        let mut calls = Vec::new();
        // Without dependencies, no call is skipped.
        if document.has_dependencies() {
            let groups = groups(&document.ids);
            let dependents = Dependents::new(document.calls.len(), &document.ids, &groups);
            find(document, &dependents, &mut |call, reason| calls.push((call, reason)));
        }
        calls.sort_unstable_by_key(|(call, _)| *call);
        Self { calls, missing: document.ids.missing() }
    }

    /// Number of skipped calls.
    pub fn count(&self) -> usize {
        self.calls.len()
    }

    /// True if the call at item number `item` will be skipped.
    pub fn contains(&self, document: &Document, item: usize) -> bool {
        self.reason(document, item).is_some()
    }

    /// The reason why the call at item number `item` will be skipped, as text; `None` if it will not.
    pub fn reason_words(&self, labels: &CallLabels<'_>, item: usize) -> Option<String> {
        let CallLabels { document, text } = *labels;
        let missing = |missing: u32| document.dependency(self.missing[missing as usize], text).1;
        let node = |node: u32| graph_node(document, &document.calls[node as usize]);
        Some(self.reason(document, item)?.words(labels, document.cycles(), &missing, &node))
    }

    fn reason(&self, document: &Document, item: usize) -> Option<SkipReason> {
        let call = document.call_number(item)? as u32;
        let at = self.calls.binary_search_by_key(&call, |(call, _)| *call).ok()?;
        Some(self.calls[at].1)
    }
}

/// Reverse dependencies. Calls that share an id form a group, identified by its first call.
pub(super) struct Dependents<'a> {
    pub(super) groups: &'a Groups,
    /// The group of each call that is not the first of its group.
    group_of: HashMap<u32, u32>,
    /// The dependents of all groups, group by group.
    waiting: Vec<u32>,
    starts: Vec<u32>,
}

impl<'a> Dependents<'a> {
    /// Builds the reverse dependencies of `count` calls.
    pub(super) fn new(count: usize, ids: &Ids, groups: &'a Groups) -> Self {
        let group_of = ids.shared().iter().map(|shared| (shared.call, shared.first)).collect();
        let mut dependents = Self { groups, group_of, waiting: Vec::new(), starts: vec![0; count + 1] };
        let counted = |wait: &&Wait| counts(**wait, groups);
        for wait in ids.waits().iter().filter(counted) {
            dependents.starts[wait.to().unwrap_or_default() as usize] += 1;
        }
        let mut end = 0;
        for start in &mut dependents.starts {
            end += *start;
            *start = end;
        }
        dependents.waiting = vec![0; end as usize];
        // Fills each group from its end, so that the calls end up in text order.
        for wait in ids.waits().iter().rev().filter(counted) {
            let at = &mut dependents.starts[wait.to().unwrap_or_default() as usize];
            *at -= 1;
            dependents.waiting[*at as usize] = wait.from;
        }
        dependents
    }

    pub(super) fn calls(&self) -> usize {
        self.starts.len() - 1
    }

    /// True if the dependency is on a known id that is not held by the depending call alone.
    pub(super) fn counts(&self, wait: Wait) -> bool {
        counts(wait, self.groups)
    }

    /// The group that contains a call.
    pub(super) fn group(&self, node: u32) -> u32 {
        self.group_of.get(&node).copied().unwrap_or(node)
    }

    /// The calls that depend on a group, in text order.
    pub(super) fn of(&self, group: u32) -> &[u32] {
        &self.waiting[self.starts[group as usize] as usize..self.starts[group as usize + 1] as usize]
    }
}

fn counts(wait: Wait, groups: &Groups) -> bool {
    wait.to().is_some_and(|to| to != wait.from || groups.contains_key(&to))
}

/// State of a call during the search for skipped ones.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CallState {
    Runs,
    /// It runs, and fails.
    RunsInVain,
    Stopped,
}

/// Passes each skipped call with its reason to `tell`: first calls that cannot start, then calls that depend on those.
pub(super) fn find(document: &Document, dependents: &Dependents<'_>, tell: &mut dyn FnMut(u32, SkipReason)) {
    let ids = &document.ids;
    let standing = nodes(document).map(|node| match node.fate {
        Fate::Runs(_) if node.failed => CallState::RunsInVain,
        Fate::Runs(_) => CallState::Runs,
        _ => CallState::Stopped,
    });
    let mut standing: Vec<CallState> = standing.collect();
    let mut skip = |standing: &mut [CallState], node: u32, reason| {
        let runs = standing[node as usize] != CallState::Stopped;
        if runs {
            standing[node as usize] = CallState::Stopped;
            tell(node, reason);
        }
        runs
    };
    let lacking: Vec<u32> = ids.missing().iter().map(|&wait| ids.waits()[wait as usize].from).collect();
    for &wait in ids.own() {
        let from = ids.waits()[wait as usize].from;
        let waits_for_others = ids.waits_of(from).any(|wait| dependents.counts(ids.waits()[wait]));
        if !waits_for_others && lacking.binary_search(&from).is_err() {
            skip(&mut standing, from, SkipReason::Itself);
        }
    }
    for (number, cycle) in document.cycles().iter().enumerate() {
        for &member in cycle {
            skip(&mut standing, member, SkipReason::Circle(number as u32));
        }
    }
    for (number, &from) in lacking.iter().enumerate() {
        skip(&mut standing, from, SkipReason::Missing(number as u32));
    }
    let stopped = (0..).zip(&standing).filter(|(_, standing)| **standing != CallState::Runs);
    let mut queue: Vec<u32> = stopped.map(|(node, _)| node).collect();
    let mut told = vec![false; standing.len()];
    while let Some(node) = queue.pop() {
        let group = dependents.group(node);
        // A dependency on one holder of an id is a dependency on all.
        if std::mem::replace(&mut told[group as usize], true) {
            continue;
        }
        for &dependent in dependents.of(group) {
            if dependent != node && skip(&mut standing, dependent, SkipReason::BlockedBy(node)) {
                queue.push(dependent);
            }
        }
    }
}
