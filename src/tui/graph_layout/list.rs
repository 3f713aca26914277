//! A graph as a list: wave by wave, then what does not run and why.
//!
//! Holds a few short strings for each call and makes a row when it is looked at.

use super::PieceKind;
use super::canvas::Run;
use crate::document::graph::{Fate, Graph, Labels};
use crate::text::wrap::{display_width, fit};

/// Columns that a name or an id gets at the most.
const LABEL_WIDTH: usize = 24;
/// Columns that a note gets at the most.
const NOTE_WIDTH: usize = 72;
const INDENT: usize = 2;
/// Columns of the longest mark with the space behind it; as many are left free where there is none.
const MARK_WIDTH: usize = 11;

#[derive(Clone, Debug)]
pub(super) struct List {
    lines: Vec<Line>,
    /// The line of each node.
    line_of: Vec<usize>,
    name_width: usize,
    id_width: usize,
    pub(super) width: usize,
}

#[derive(Clone, Debug)]
enum Line {
    Heading(String),
    Call { node: usize, mark: &'static str, name: Box<str>, id: Box<str>, note: Box<str> },
}

impl List {
    pub(super) fn new(graph: &Graph, labels: &dyn Labels) -> Self {
        let mut list =
            Self { lines: Vec::new(), line_of: vec![0; graph.nodes.len()], name_width: 0, id_width: 0, width: 0 };
        for (number, wave) in graph.waves.iter().enumerate() {
            let message = graph.waves.message(number).map_or_else(String::new, |at| format!(" · message {}", at + 1));
            list.lines.push(Line::Heading(format!("wave {} · {}{message}", number + 1, calls(wave.len()))));
            for node in wave.iter().map(|&node| node as usize) {
                let mark = if graph.nodes[node].failed { "✗ failed" } else { "" };
                list.call(labels, node, mark, &awaited(graph, labels, node));
            }
        }
        let still: Vec<usize> =
            (0..graph.nodes.len()).filter(|&node| !matches!(graph.nodes[node].fate, Fate::Runs(_))).collect();
        if !still.is_empty() {
            let verb = if still.len() == 1 { "does" } else { "do" };
            list.lines.push(Line::Heading(format!("{} {verb} not run", calls(still.len()))));
        }
        for node in still {
            match graph.skip_reason(node, labels) {
                Some(reason) => list.call(labels, node, "⊘ skipped", &reason),
                None => list.call(labels, node, "✗ failed", &awaited(graph, labels, node)),
            }
        }
        list.width = (0..list.lines.len()).filter_map(|row| list.row(row).last().map(Run::end)).max().unwrap_or(0);
        list
    }

    pub(super) fn height(&self) -> usize {
        self.lines.len()
    }

    pub(super) fn row_of(&self, node: usize) -> Option<usize> {
        self.line_of.get(node).copied()
    }

    pub(super) fn node_of(&self, row: usize) -> Option<usize> {
        match self.lines.get(row)? {
            Line::Heading(_) => None,
            Line::Call { node, .. } => Some(*node),
        }
    }

    /// The node above another, in whatever wave.
    pub(super) fn before(&self, node: usize) -> Option<usize> {
        (0..self.row_of(node)?).rev().find_map(|row| self.node_of(row))
    }

    /// The node below another, in whatever wave.
    pub(super) fn after(&self, node: usize) -> Option<usize> {
        (self.row_of(node)? + 1..self.lines.len()).find_map(|row| self.node_of(row))
    }

    pub(super) fn row(&self, row: usize) -> Vec<Run> {
        let Some(line) = self.lines.get(row) else { return Vec::new() };
        match line {
            Line::Heading(text) => vec![Run::new(0, text.as_str(), PieceKind::Heading)],
            Line::Call { node, mark, name, id, note } => {
                let name_x = INDENT + MARK_WIDTH;
                let id_x = name_x + self.name_width + 2;
                let mut runs = vec![
                    Run::new(INDENT, *mark, PieceKind::Mark(*node)),
                    Run::new(name_x, name.as_ref(), PieceKind::Label(*node)),
                    Run::new(id_x, id.as_ref(), PieceKind::Label(*node)),
                    Run::new(id_x + self.id_width + 2, note.as_ref(), PieceKind::Heading),
                ];
                runs.retain(|run| !run.text.is_empty());
                runs
            }
        }
    }

    fn call(&mut self, labels: &dyn Labels, node: usize, mark: &'static str, beside: &str) {
        let name: Box<str> = fit(&labels.name(node), LABEL_WIDTH).into();
        let id: Box<str> = fit(&labels.id(node), LABEL_WIDTH).into();
        self.name_width = self.name_width.max(display_width(name.as_bytes()));
        self.id_width = self.id_width.max(display_width(id.as_bytes()));
        self.line_of[node] = self.lines.len();
        self.lines.push(Line::Call { node, mark, name, id, note: fit(beside, NOTE_WIDTH).into() });
    }
}

/// What a call waits for; no more of it than fits anyway.
fn awaited(graph: &Graph, labels: &dyn Labels, node: usize) -> String {
    let edges = graph.edges_of(node);
    if edges.is_empty() {
        return String::new();
    }
    let ids: Vec<String> = edges.iter().take(NOTE_WIDTH).map(|edge| labels.id(edge.to())).collect();
    format!("← {}", ids.join(", "))
}

fn calls(count: usize) -> String {
    if count == 1 { "1 call".into() } else { format!("{count} calls") }
}
