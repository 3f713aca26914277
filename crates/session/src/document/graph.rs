//! The dependency graph: waves, edges, cycles, unknown ids, and skipped calls with the reasons.
//!
//! Follows the execution rules of the block format's reference runtime, except that a call that merely depends on one
//! that cannot run is distinguished from a call in a cycle. As in the runtime, a dependency on an id that several calls
//! share waits for all of them; there is not an edge for each pair, so that the cost is linear in calls and
//! dependencies. A graph holds numbers; text is read on demand ([`Labels`]). Drawing is done elsewhere.

pub(super) mod cycles;
mod part;
mod skipped;
mod turns;

use std::collections::HashMap;

use super::Document;
use super::call::CallRecord;
use super::ids::{Ids, Wait};
use crate::text::Text;
use cycles::Groups;
use skipped::Dependents;
pub use skipped::SkippedCalls;

/// The dependency graph of all calls of a document. A node's number is the number of its call.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// The calls, in text order.
    pub nodes: Vec<GraphNode>,
    /// Edges from a call to its dependencies; for a shared id, only to the first `MOST_HOLDERS` calls that have it.
    pub edges: Vec<Edge>,
    /// Nodes that can run at the same time, grouped by wave. Calls that do not run are not included.
    pub waves: Waves,
    /// Nodes that form dependency cycles.
    pub cycles: Vec<Vec<u32>>,
    /// Dependencies on unknown ids.
    pub missing: Vec<Missing>,
    /// Number of nodes that are skipped.
    pub skipped: usize,
}

/// Maximum number of edges for one dependency. Only affects the display, not which calls run.
pub(crate) const MOST_HOLDERS: usize = 16;

/// A call in the graph.
#[derive(Clone, Copy, Debug)]
pub struct GraphNode {
    item: u32,
    /// The runtime's decision on the call.
    pub fate: Fate,
    /// True if the call ran and its result reports a failure.
    pub failed: bool,
    /// True if the call is outside the part that the graph was cut to; it still decides about calls that depend on it.
    pub left_out: bool,
}

impl GraphNode {
    /// Number of its item in the document.
    pub fn item(&self) -> usize {
        self.item as usize
    }
}

/// A dependency between two nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    from: u32,
    to: u32,
}

impl Edge {
    /// Number of the dependent node.
    pub fn from(self) -> usize {
        self.from as usize
    }

    /// Number of the node that it depends on.
    pub fn to(self) -> usize {
        self.to as usize
    }
}

/// The nodes that run, grouped by wave.
#[derive(Clone, Debug, Default)]
pub struct Waves {
    nodes: Vec<u32>,
    /// End of each wave in `nodes`.
    ends: Vec<u32>,
    /// The message that contains each wave's calls; empty if there is only one message.
    messages: Vec<u32>,
}

impl Waves {
    /// Number of waves.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// True if no call can run.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Number of the message that contains a wave's calls, if there are several messages.
    pub fn message(&self, wave: usize) -> Option<usize> {
        self.messages.get(wave).map(|&message| message as usize)
    }

    /// The nodes of each wave, in text order.
    pub fn iter(&self) -> impl Iterator<Item = &[u32]> {
        let starts = std::iter::once(&0).chain(&self.ends);
        starts.zip(&self.ends).map(|(&start, &end)| &self.nodes[start as usize..end as usize])
    }
}

/// A dependency on an id that no call has.
#[derive(Clone, Debug)]
pub struct Missing {
    from: u32,
    /// The id as written.
    pub id: String,
}

impl Missing {
    /// Number of the dependent node.
    pub fn from(&self) -> usize {
        self.from as usize
    }
}

/// The runtime's decision on a call: run, reject or skip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It runs, in this wave (from 0).
    Runs(u32),
    /// The runtime rejects it, as its parameters cannot be built.
    Fails,
    /// It is skipped for this reason.
    Skipped(SkipReason),
    /// The file withdraws it: it is not part of the graph.
    Withdrawn,
}

/// The reason why a call is skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SkipReason {
    /// It depends only on itself.
    Itself,
    /// It is in the cycle with this number.
    Circle(u32),
    /// It depends on the unknown id with this number.
    Missing(u32),
    /// It depends on this node, which does not run.
    BlockedBy(u32),
}

impl SkipReason {
    /// The reason as text; the parameters resolve the numbers of cycles, missing ids and nodes.
    fn words(
        self,
        labels: &dyn Labels,
        cycles: &[Vec<u32>],
        missing: &dyn Fn(u32) -> String,
        node: &dyn Fn(u32) -> GraphNode,
    ) -> String {
        match self {
            SkipReason::Itself => "it waits for itself".into(),
            SkipReason::Circle(cycle) => {
                let circle = cycle_text(&cycles[cycle as usize], &|node| labels.id(node as usize));
                format!("cycle: {circle}")
            }
            SkipReason::Missing(number) => format!("unknown dependency \"{}\"", missing(number)),
            SkipReason::BlockedBy(number) => {
                let what = match node(number) {
                    GraphNode { failed: true, .. } => "failed",
                    GraphNode { fate: Fate::Fails, .. } => "is rejected",
                    GraphNode { fate: Fate::Withdrawn, .. } => "was withdrawn",
                    _ => "is skipped",
                };
                format!("its dependency {} {what}", labels.id(number as usize))
            }
        }
    }
}

/// Access to the text of a graph's nodes.
pub trait Labels {
    /// The id of a node.
    fn id(&self, node: usize) -> String;

    /// The name of a node.
    fn name(&self, node: usize) -> String;
}

/// [`Labels`] of a document's calls.
#[derive(Clone, Copy)]
pub struct CallLabels<'a> {
    /// The document whose calls are the nodes.
    pub(crate) document: &'a Document,
    /// The text of that document.
    pub(crate) text: &'a Text,
}

impl Labels for CallLabels<'_> {
    fn id(&self, node: usize) -> String {
        self.document.nth(node as u32).id(self.text)
    }

    fn name(&self, node: usize) -> String {
        self.document.nth(node as u32).name(self.text)
    }
}

impl Graph {
    /// Builds the graph of the calls parsed so far.
    pub(crate) fn new(document: &Document, text: &Text) -> Self {
        let ids = &document.ids;
        let missing = ids.missing().into_iter().map(|wait| {
            let (_, id, _) = document.dependency(wait, text);
            Missing { from: ids.waits()[wait as usize].from, id }
        });
        let groups = cycles::groups(ids);
        let mut graph = Graph {
            nodes: nodes(document).collect(),
            edges: edges(ids.waits(), &groups),
            waves: Waves::default(),
            cycles: document.cycles().to_vec(),
            missing: missing.collect(),
            skipped: 0,
        };
        graph.decide(document, &groups);
        graph.part_by_turns(document);
        graph
    }

    /// The reason why a node is skipped, as text; `None` if it is not.
    pub fn skip_reason(&self, node: usize, labels: &dyn Labels) -> Option<String> {
        let Fate::Skipped(reason) = self.nodes[node].fate else { return None };
        let missing = |missing: u32| self.missing[missing as usize].id.clone();
        Some(reason.words(labels, &self.cycles, &missing, &|node| self.nodes[node as usize]))
    }

    /// The edges from a node to its dependencies.
    pub fn edges_of(&self, node: usize) -> &[Edge] {
        let start = self.edges.partition_point(|edge| edge.from() < node);
        &self.edges[start..start + self.edges[start..].partition_point(|edge| edge.from() == node)]
    }

    /// The node of an item, if the item is a call.
    pub fn node_of(&self, item: usize) -> Option<usize> {
        self.nodes.binary_search_by_key(&item, GraphNode::item).ok()
    }

    /// Determines the fate of each call: first the skipped ones, then the waves.
    fn decide(&mut self, document: &Document, groups: &Groups) {
        let dependents = Dependents::new(document.calls.len(), &document.ids, groups);
        let Self { nodes, skipped, .. } = self;
        skipped::find(document, &dependents, &mut |node, reason| {
            *skipped += 1;
            nodes[node as usize].fate = Fate::Skipped(reason);
        });
        self.run(&mut Plan::new(dependents, &document.ids));
    }

    /// Computes the waves of the calls that run.
    fn run(&mut self, plan: &mut Plan<'_>) {
        let all = 0..self.nodes.len() as u32;
        let mut wave: Vec<u32> = all.filter(|&node| plan.open[node as usize] == 0 && self.runs(node)).collect();
        while !wave.is_empty() {
            let number = self.waves.ends.len() as u32;
            let mut next = Vec::new();
            for &node in &wave {
                self.nodes[node as usize].fate = Fate::Runs(number);
                plan.done(node, |ready| {
                    if self.runs(ready) {
                        next.push(ready);
                    }
                });
            }
            next.sort_unstable();
            self.waves.nodes.append(&mut wave);
            self.waves.ends.push(self.waves.nodes.len() as u32);
            wave = next;
        }
    }

    fn runs(&self, node: u32) -> bool {
        matches!(self.nodes[node as usize].fate, Fate::Runs(_))
    }
}

/// The nodes before skipped calls and waves are computed.
fn nodes(document: &Document) -> impl Iterator<Item = GraphNode> {
    document.calls.iter().map(|call| graph_node(document, call))
}

fn graph_node(document: &Document, call: &CallRecord) -> GraphNode {
    let fate = match call.failed {
        _ if document.is_withdrawn(call.item as usize) => Fate::Withdrawn,
        true => Fate::Fails,
        false => Fate::Runs(0),
    };
    GraphNode { item: call.item, fate, failed: call.has_failed() && !call.failed, left_out: false }
}

/// Dependency counts, decremented as calls run.
struct Plan<'a> {
    dependents: Dependents<'a>,
    /// Number of groups that each call still waits for. A group that contains only the call itself does not count.
    open: Vec<u32>,
    /// Number of calls in each group of several that have not run yet.
    left: HashMap<u32, usize>,
}

impl<'a> Plan<'a> {
    fn new(dependents: Dependents<'a>, ids: &Ids) -> Self {
        let mut open = vec![0; dependents.calls()];
        ids.waits().iter().filter(|wait| dependents.counts(**wait)).for_each(|wait| open[wait.from as usize] += 1);
        let left = dependents.groups.iter().map(|(&first, holders)| (first, holders.len())).collect();
        Self { dependents, open, left }
    }

    /// Marks a call as run, and passes the calls that become ready to `ready`.
    fn done(&mut self, node: u32, mut ready: impl FnMut(u32)) {
        let Self { dependents, open, left } = self;
        let group = dependents.group(node);
        let left = match left.get_mut(&group) {
            Some(left) => {
                *left -= 1;
                *left
            }
            None => 0,
        };
        if left > 1 {
            return;
        }
        for &dependent in dependents.of(group) {
            // A call of the group that depends on the group's other calls runs last.
            let is_holder = dependents.groups.contains_key(&group) && dependents.group(dependent) == group;
            if is_holder == (left == 1) {
                open[dependent as usize] -= 1;
                if open[dependent as usize] == 0 {
                    ready(dependent);
                }
            }
        }
    }
}

/// The edges of dependencies on known ids.
fn edges(waits: &[Wait], groups: &Groups) -> Vec<Edge> {
    let mut edges = Vec::with_capacity(waits.len());
    for wait in waits {
        let (from, Some(to)) = (wait.from, wait.to()) else { continue };
        match groups.get(&to) {
            None => edges.push(Edge { from, to }),
            Some(holders) => {
                let shown = &holders[..holders.len().min(MOST_HOLDERS)];
                edges.extend(shown.iter().map(|&to| Edge { from, to }));
                if !shown.contains(&from) && holders.binary_search(&from).is_ok() {
                    edges.push(Edge { from, to: from });
                }
            }
        }
    }
    edges
}

/// The ids of a cycle joined by arrows, back to the first. The rest of a long cycle is elided.
pub(super) fn cycle_text(cycle: &[u32], id: &dyn Fn(u32) -> String) -> String {
    const SHOWN: usize = 12;
    let mut ids: Vec<String> = cycle.iter().take(SHOWN).map(|&node| id(node)).collect();
    if cycle.len() > SHOWN {
        ids.push("…".into());
    }
    ids.extend(ids.first().cloned());
    ids.join(" → ")
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use super::*;
    use crate::session::Session;

    /// Each call is written as `id dependency dependency`; an id that ends in `!` has rejected parameters.
    fn read(calls: &[&str]) -> Session {
        let mut text = String::new();
        for call in calls {
            let (id, dependencies) = call.split_once(' ').unwrap_or((call, ""));
            let arguments = if id.ends_with('!') { "!!!ARG:x\n1\n!!!ARG:x\n2\n" } else { "" };
            let (id, dependencies) = (id.trim_end_matches('!'), dependencies.replace(' ', ","));
            write!(text, "!!!GADGET_START:Do:{id}:{dependencies}\n{arguments}!!!GADGET_END\n").expect("memory");
        }
        Session::from_bytes(text.as_bytes())
    }

    #[track_caller]
    fn check(calls: &[&str], expected: &[&str]) {
        let session = read(calls);
        let graph = session.graph();
        let fate = |node: usize| match graph.nodes[node].fate {
            Fate::Runs(wave) => wave.to_string(),
            Fate::Fails => "fails".into(),
            Fate::Withdrawn => "withdrawn".into(),
            Fate::Skipped(_) => graph.skip_reason(node, &session.labels()).expect("it is skipped"),
        };
        assert_eq!((0..graph.nodes.len()).map(fate).collect::<Vec<_>>(), expected, "{calls:?}");
    }

    #[test]
    fn whoever_waits_for_a_shared_id_waits_for_all_who_have_it() {
        let circle = "cycle: b → a → b";
        check(&["a", "b a", "a b", "c a"], &["0", circle, circle, "its dependency a is skipped"]);
        check(&["a", "x", "a x", "c a"], &["0", "0", "1", "2"]);
        check(
            &["a", "a!", "c a", "d c"],
            &["0", "fails", "its dependency a is rejected", "its dependency c is skipped"],
        );
        check(&["a", "c a", "a nobody"], &["0", "its dependency a is skipped", "unknown dependency \"nobody\""]);
    }

    #[test]
    fn a_call_that_waits_for_its_own_shared_id_waits_for_the_others() {
        check(&["a", "a a", "c a"], &["0", "1", "2"]);
        check(&["a a", "x", "a x", "c a"], &["2", "0", "1", "3"]);
        check(&["a", "a a", "a a"], &["0", "cycle: a → a → a", "cycle: a → a → a"]);
        check(&["a a"], &["it waits for itself"]);
        check(&["a!", "a a"], &["fails", "its dependency a is rejected"]);
    }

    #[test]
    fn a_shared_id_makes_no_edge_for_each_pair() {
        let calls: Vec<String> = (0..2000).map(|number| format!("same same n{number}")).collect();
        let session = read(&calls.iter().map(String::as_str).collect::<Vec<_>>());
        let graph = session.graph();
        assert!(graph.edges.len() <= 2000 * (MOST_HOLDERS + 1), "{}", graph.edges.len());
        assert_eq!(graph.cycles.iter().map(Vec::len).collect::<Vec<_>>(), [2000]);
        for node in [0, 3, 1999] {
            let own = graph.edges_of(node).iter().filter(|edge| edge.to() == node).count();
            assert_eq!((own, graph.node_of(graph.nodes[node].item())), (1, Some(node)));
        }
    }
}
