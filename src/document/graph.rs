//! What waits for what: waves, edges, cycles, ids that nobody has, and what would be skipped and why.
//!
//! Follows the execution rules of the block format's reference runtime, except that a call which merely waits for one
//! that cannot run is told from a call in a circle. This module does not draw.

use std::collections::{HashMap, HashSet};

use petgraph::algo::tarjan_scc;
use petgraph::graph::{DiGraph, NodeIndex};

use super::Document;
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::text::{Span, Text};

/// The dependency graph of all calls of a document.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// The calls in the order of the text.
    pub nodes: Vec<GraphNode>,
    /// From a call to one that it waits for; both are numbers of nodes.
    pub edges: Vec<Edge>,
    /// Nodes that can run at the same time, wave after wave. Calls that do not run are in none.
    pub waves: Vec<Vec<usize>>,
    /// Nodes that wait for one another in a circle.
    pub cycles: Vec<Vec<usize>>,
    /// Ids that nobody has, with the node that waits for them.
    pub missing: Vec<Missing>,
}

/// A call in the graph.
#[derive(Clone, Debug)]
pub struct GraphNode {
    /// Number of its item in the document.
    pub item: usize,
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// What becomes of it.
    pub fate: Fate,
}

/// A dependency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The node that waits.
    pub from: usize,
    /// The node that it waits for.
    pub to: usize,
}

/// A dependency on an id that nobody has.
#[derive(Clone, Debug)]
pub struct Missing {
    /// The node that waits.
    pub from: usize,
    /// The id.
    pub id: String,
    /// Where it is written.
    pub span: Span,
}

/// What becomes of a call when the runtime gets to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It runs, in this wave (from 0).
    Runs(usize),
    /// The runtime rejects it, because its parameters cannot be built.
    Fails,
    /// It is skipped, for this reason.
    Skipped(String),
}

impl Graph {
    /// The graph of the calls so far.
    pub fn new(document: &Document, text: &Text) -> Self {
        let mut graph = Graph::default();
        let mut holders: HashMap<String, Vec<usize>> = HashMap::new();
        for item in document.calls() {
            let Some(call) = document.call(item) else { continue };
            let id = call.id(text);
            holders.entry(id.clone()).or_default().push(graph.nodes.len());
            let fate = if call.failed { Fate::Fails } else { Fate::Runs(0) };
            graph.nodes.push(GraphNode { item, id, name: call.name(text), fate });
        }
        graph.connect(document, text, &holders);
        graph.find_cycles();
        graph.decide();
        graph
    }

    /// What is wrong with the ids and dependencies.
    pub fn problems(&self, document: &Document, text: &Text) -> Vec<Diagnostic> {
        let mut problems = self.duplicate_ids(document);
        let mut by_letters: HashMap<String, &str> = HashMap::new();
        if !self.missing.is_empty() {
            for node in &self.nodes {
                by_letters.entry(node.id.to_ascii_lowercase()).or_insert(&node.id);
            }
        }
        for missing in &self.missing {
            let message = format!("no call has the id {}", missing.id);
            let mut problem = Diagnostic::new(Code::UnknownDependency, missing.span, message);
            if let Some(&near) = by_letters.get(&missing.id.to_ascii_lowercase()) {
                problem = problem.contrast(near, missing.id.clone()).help(format!("did you mean {near}?"));
            }
            problems.push(problem.item(Some(self.nodes[missing.from].item)));
        }
        for edge in self.edges.iter().filter(|edge| edge.from == edge.to) {
            let node = &self.nodes[edge.from];
            let span = dependency_span(document, text, node.item, &node.id);
            let alone = document.call(node.item).is_some_and(|call| call.waits_for().len() == 1);
            let message = if alone {
                format!("{} waits for itself and is skipped", node.id)
            } else {
                format!("{} waits for itself; the runtime ignores that", node.id)
            };
            let mut problem = Diagnostic::new(Code::SelfDependency, span, message).item(Some(node.item));
            if !alone {
                problem.severity = Severity::Warning;
            }
            problems.push(problem);
        }
        problems.extend(self.cycles.iter().map(|cycle| self.cycle_problem(cycle, document, text)));
        problems
    }

    /// The reason for which a node is skipped.
    pub fn skip_reason(&self, node: usize) -> Option<&str> {
        match &self.nodes[node].fate {
            Fate::Skipped(reason) => Some(reason),
            _ => None,
        }
    }

    /// The node of an item.
    pub fn node_of(&self, item: usize) -> Option<usize> {
        self.nodes.binary_search_by_key(&item, |node| node.item).ok()
    }

    fn connect(&mut self, document: &Document, text: &Text, holders: &HashMap<String, Vec<usize>>) {
        for from in 0..self.nodes.len() {
            let Some(call) = document.call(self.nodes[from].item) else { continue };
            for word in call.waits_for() {
                let (span, id) = (word.span, word.text(text));
                match holders.get(id.as_ref()) {
                    Some(targets) => self.edges.extend(targets.iter().map(|&to| Edge { from, to })),
                    None => self.missing.push(Missing { from, id: id.into_owned(), span }),
                }
            }
        }
    }

    fn find_cycles(&mut self) {
        let mut graph: DiGraph<(), ()> = DiGraph::with_capacity(self.nodes.len(), self.edges.len());
        let mut leads_to: Vec<Vec<usize>> = vec![Vec::new(); self.nodes.len()];
        let indices: Vec<NodeIndex> = self.nodes.iter().map(|_| graph.add_node(())).collect();
        for edge in &self.edges {
            graph.add_edge(indices[edge.from], indices[edge.to], ());
            leads_to[edge.from].push(edge.to);
        }
        let mut cycles: Vec<Vec<usize>> = tarjan_scc(&graph)
            .into_iter()
            .filter(|component| component.len() > 1)
            .map(|component| around(component.into_iter().map(NodeIndex::index).collect(), &leads_to))
            .collect();
        cycles.sort();
        self.cycles = cycles;
    }

    /// The ids of a cycle's members with arrows, back to the first; those in the midst of a long one are left out.
    fn circle(&self, cycle: &[usize]) -> String {
        const SHOWN: usize = 12;
        let mut ids: Vec<&str> = cycle.iter().take(SHOWN).map(|&node| self.nodes[node].id.as_str()).collect();
        if cycle.len() > SHOWN {
            ids.push("…");
        }
        ids.push(ids[0]);
        ids.join(" → ")
    }

    /// What becomes of each call: first who cannot start, then who waits for those, then the waves.
    fn decide(&mut self) {
        let mut waits_for: Vec<Vec<usize>> = vec![Vec::new(); self.nodes.len()];
        for edge in &self.edges {
            waits_for[edge.from].push(edge.to);
        }
        let mut reasons: Vec<Option<String>> = vec![None; self.nodes.len()];
        let lacking: HashSet<usize> = self.missing.iter().map(|missing| missing.from).collect();
        for (node, targets) in waits_for.iter_mut().enumerate() {
            let itself = targets.contains(&node);
            targets.retain(|&to| to != node);
            if itself && targets.is_empty() && !lacking.contains(&node) {
                reasons[node] = Some("it waits for itself".into());
            }
        }
        for cycle in &self.cycles {
            let reason = format!("circle: {}", self.circle(cycle));
            for &node in cycle {
                reasons[node] = Some(reason.clone());
            }
        }
        for missing in &self.missing {
            reasons[missing.from].get_or_insert_with(|| format!("no call has the id {}", missing.id));
        }
        let mut dependents: Vec<Vec<usize>> = vec![Vec::new(); self.nodes.len()];
        let mut open: Vec<usize> = waits_for.iter().map(Vec::len).collect();
        for (node, targets) in waits_for.iter().enumerate() {
            for &to in targets {
                dependents[to].push(node);
            }
        }
        self.spread(&mut reasons, &dependents);
        let runs = |graph: &Graph, node: usize, reasons: &[Option<String>]| {
            reasons[node].is_none() && graph.nodes[node].fate != Fate::Fails
        };
        let mut wave: Vec<usize> =
            (0..self.nodes.len()).filter(|&node| open[node] == 0 && runs(self, node, &reasons)).collect();
        while !wave.is_empty() {
            let number = self.waves.len();
            let mut next = Vec::new();
            for &node in &wave {
                self.nodes[node].fate = Fate::Runs(number);
                for &dependent in &dependents[node] {
                    open[dependent] -= 1;
                    if open[dependent] == 0 && runs(self, dependent, &reasons) {
                        next.push(dependent);
                    }
                }
            }
            next.sort_unstable();
            self.waves.push(std::mem::replace(&mut wave, next));
        }
        for (node, reason) in reasons.into_iter().enumerate() {
            if let (Some(reason), false) = (reason, self.nodes[node].fate == Fate::Fails) {
                self.nodes[node].fate = Fate::Skipped(reason);
            }
        }
    }

    /// Whoever waits for a call that fails or is skipped is skipped as well.
    fn spread(&self, reasons: &mut [Option<String>], dependents: &[Vec<usize>]) {
        let stopped =
            |node: usize, reasons: &[Option<String>]| reasons[node].is_some() || self.nodes[node].fate == Fate::Fails;
        let mut queue: Vec<usize> = (0..self.nodes.len()).filter(|&node| stopped(node, reasons)).collect();
        while let Some(node) = queue.pop() {
            let what = if self.nodes[node].fate == Fate::Fails { "fails" } else { "is skipped" };
            for &dependent in &dependents[node] {
                if reasons[dependent].is_none() {
                    reasons[dependent] = Some(format!("its dependency {} {what}", self.nodes[node].id));
                    if self.nodes[dependent].fate != Fate::Fails {
                        queue.push(dependent);
                    }
                }
            }
        }
    }

    fn duplicate_ids(&self, document: &Document) -> Vec<Diagnostic> {
        let mut first: HashMap<&str, usize> = HashMap::new();
        let mut problems = Vec::new();
        for (number, node) in self.nodes.iter().enumerate() {
            let Some(&earlier) = first.get(node.id.as_str()) else {
                first.insert(&node.id, number);
                continue;
            };
            // Ids that two runtimes made by themselves are no concern of whoever wrote the calls.
            let made = |item: usize| document.call(item).is_some_and(|call| call.id.is_none());
            if made(node.item) && made(self.nodes[earlier].item) {
                continue;
            }
            let place = |item: usize| {
                document.call(item).map_or(Span::default(), |call| {
                    call.id.map(|id| id.span).filter(|id| !id.is_empty()).unwrap_or(call.name.span)
                })
            };
            let message = match node.id.as_str() {
                "" => "another call has the empty id as well".to_owned(),
                id => format!("the id {id} is taken by an earlier call"),
            };
            let problem = Diagnostic::new(Code::DuplicateId, place(node.item), message)
                .related(place(self.nodes[earlier].item), "first used here")
                .item(Some(node.item));
            problems.push(problem);
        }
        problems
    }

    fn cycle_problem(&self, cycle: &[usize], document: &Document, text: &Text) -> Diagnostic {
        let message = format!("{} wait for one another and are skipped", self.circle(cycle));
        let span_to_next = |position: usize| {
            let node = &self.nodes[cycle[position]];
            let next = &self.nodes[cycle[(position + 1) % cycle.len()]];
            dependency_span(document, text, node.item, &next.id)
        };
        let first =
            Diagnostic::new(Code::DependencyCycle, span_to_next(0), message).item(Some(self.nodes[cycle[0]].item));
        (1..cycle.len()).fold(first, |problem, position| {
            let node = &self.nodes[cycle[position]];
            problem.related(span_to_next(position), format!("{} waits here", node.id))
        })
    }
}

/// The members of a cycle, from the first in the text on along the edges as far as they lead.
fn around(mut members: Vec<usize>, leads_to: &[Vec<usize>]) -> Vec<usize> {
    members.sort_unstable();
    let inside: HashSet<usize> = members.iter().copied().collect();
    let mut visited = HashSet::new();
    let mut path = Vec::new();
    let mut next = members.first().copied();
    while let Some(node) = next {
        visited.insert(node);
        path.push(node);
        next = leads_to[node].iter().copied().find(|to| inside.contains(to) && !visited.contains(to));
    }
    path.extend(members.into_iter().filter(|member| !visited.contains(member)));
    path
}

/// Where a call names a dependency; its name, if it does not.
fn dependency_span(document: &Document, text: &Text, item: usize, id: &str) -> Span {
    document.call(item).map_or(Span::default(), |call| {
        let mut labels = call.waits_for().into_iter();
        labels.find(|label| label.text(text) == id).map_or(call.name.span, |label| label.span)
    })
}
