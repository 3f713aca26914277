//! Which calls are skipped, and why: who cannot start, and who waits for those.
//!
//! Who asks for no more than that needs no graph, of which a gigabyte of calls has 40 MB: it takes a bit for each item, and
//! a fifth of a graph while it is found out. This module does not know waves.

use std::collections::HashMap;

use super::cycles::{Groups, groups};
use super::{Document, Fate, SkipReason, nodes};
use crate::document::ids::{Ids, Wait};

/// The calls of a document that are skipped.
#[derive(Clone, Debug, Default)]
pub struct SkippedCalls {
    /// A bit for each item up to the last one that is.
    items: Vec<u64>,
    count: usize,
}

impl SkippedCalls {
    /// Those of the calls so far.
    pub fn new(document: &Document) -> Self {
        let mut skipped = Self::default();
        // Nothing is skipped where nothing waits.
        if document.has_dependencies() {
            let groups = groups(&document.ids);
            let dependents = Dependents::new(document.calls.len(), &document.ids, &groups);
            find(document, &dependents, &mut |node, _| skipped.add(document.item_of(node)));
        }
        skipped
    }

    /// How many calls are skipped.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Whether the call that an item is will be skipped.
    pub fn contains(&self, item: usize) -> bool {
        self.items.get(item / 64).is_some_and(|bits| bits >> (item % 64) & 1 == 1)
    }

    fn add(&mut self, item: usize) {
        if self.items.len() <= item / 64 {
            self.items.resize(item / 64 + 1, 0);
        }
        self.items[item / 64] |= 1 << (item % 64);
        self.count += 1;
    }
}

/// Who waits for whom. The calls that have one id are a group, known by its first.
pub(super) struct Dependents<'a> {
    pub(super) groups: &'a Groups,
    /// The group of each call that is not the first of its own.
    group_of: HashMap<u32, u32>,
    /// The calls that wait for each group, one group behind the other, and where each group begins among them.
    waiting: Vec<u32>,
    starts: Vec<u32>,
}

impl<'a> Dependents<'a> {
    /// Those of `count` calls.
    pub(super) fn new(count: usize, ids: &Ids, groups: &'a Groups) -> Self {
        let group_of = ids.shared().iter().map(|shared| (shared.call, shared.first)).collect();
        let mut dependents = Self { groups, group_of, waiting: Vec::new(), starts: vec![0; count + 1] };
        let counted = |wait: &&Wait| counts(wait, groups);
        for wait in ids.waits().iter().filter(counted) {
            dependents.starts[wait.to().unwrap_or_default() as usize] += 1;
        }
        let mut end = 0;
        for start in &mut dependents.starts {
            end += *start;
            *start = end;
        }
        dependents.waiting = vec![0; end as usize];
        // From the end of each group to its beginning, so that they stand in the order of the text.
        for wait in ids.waits().iter().rev().filter(counted) {
            let at = &mut dependents.starts[wait.to().unwrap_or_default() as usize];
            *at -= 1;
            dependents.waiting[*at as usize] = wait.from;
        }
        dependents
    }

    /// Number of calls.
    pub(super) fn calls(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether somebody has the id, and not the waiting call alone.
    pub(super) fn counts(&self, wait: &Wait) -> bool {
        counts(wait, self.groups)
    }

    /// The group that a call is in.
    pub(super) fn group(&self, node: u32) -> u32 {
        self.group_of.get(&node).copied().unwrap_or(node)
    }

    /// The calls that wait for a group, in the order of the text.
    pub(super) fn of(&self, group: u32) -> &[u32] {
        &self.waiting[self.starts[group as usize] as usize..self.starts[group as usize + 1] as usize]
    }
}

fn counts(wait: &Wait, groups: &Groups) -> bool {
    wait.to().is_some_and(|to| to != wait.from || groups.contains_key(&to))
}

/// How a call stands while it is found out who is skipped.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Standing {
    Runs,
    /// It runs, and fails.
    RunsInVain,
    Stopped,
}

/// Tells each call that is skipped, and why: first who cannot start, then who waits for those.
pub(super) fn find(document: &Document, dependents: &Dependents<'_>, tell: &mut dyn FnMut(u32, SkipReason)) {
    let ids = &document.ids;
    let standing = nodes(document).map(|node| match node.fate {
        Fate::Runs(_) if node.failed => Standing::RunsInVain,
        Fate::Runs(_) => Standing::Runs,
        _ => Standing::Stopped,
    });
    let mut standing: Vec<Standing> = standing.collect();
    let mut skip = |standing: &mut [Standing], node: u32, reason| {
        let runs = standing[node as usize] != Standing::Stopped;
        if runs {
            standing[node as usize] = Standing::Stopped;
            tell(node, reason);
        }
        runs
    };
    let lacking: Vec<u32> = ids.missing().iter().map(|&wait| ids.waits()[wait as usize].from).collect();
    for &wait in ids.own() {
        let from = ids.waits()[wait as usize].from;
        let waits_for_others = ids.waits_of(from).any(|wait| dependents.counts(&ids.waits()[wait]));
        if !waits_for_others && lacking.binary_search(&from).is_err() {
            skip(&mut standing, from, SkipReason::Itself);
        }
    }
    for (number, cycle) in document.cycles().iter().enumerate() {
        cycle.iter().for_each(|&member| _ = skip(&mut standing, member, SkipReason::Circle(number as u32)));
    }
    for (number, &from) in lacking.iter().enumerate() {
        skip(&mut standing, from, SkipReason::Missing(number as u32));
    }
    let stopped = (0..).zip(&standing).filter(|(_, standing)| **standing != Standing::Runs);
    let mut queue: Vec<u32> = stopped.map(|(node, _)| node).collect();
    let mut told = vec![false; standing.len()];
    while let Some(node) = queue.pop() {
        let group = dependents.group(node);
        // Whoever waits for one holder of an id waits for all.
        if std::mem::replace(&mut told[group as usize], true) {
            continue;
        }
        for &dependent in dependents.of(group) {
            if dependent != node && skip(&mut standing, dependent, SkipReason::Behind(node)) {
                queue.push(dependent);
            }
        }
    }
}
