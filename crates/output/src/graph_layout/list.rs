//! A graph as a list: wave by wave, then the calls that do not run, with the reason.
//!
//! Stores numbers only and builds a row on demand: there may be a million calls, whose labels are in a file.

use crate::document::graph::{Fate, Graph, Labels};
use crate::graph_layout::PieceKind;
use crate::graph_layout::canvas::Run;
use crate::text::wrap::{display_width, fit};

/// Most columns of a name or an id.
const LABEL_WIDTH: usize = 24;
/// Most columns of a note.
const NOTE_WIDTH: usize = 72;
const INDENT: usize = 2;
/// Columns of the longest mark with the space after it; entries without a mark are indented by as much.
const MARK_WIDTH: usize = 11;

/// With more calls than this the labels are not measured: each column has its maximum width.
const MEASURED: usize = 2_000;

#[derive(Clone, Debug)]
pub(super) struct List {
    /// The headings, with their rows.
    headings: Vec<(usize, String)>,
    /// The node of each row; `None` for a heading.
    rows: Vec<Option<u32>>,
    row_of: Vec<u32>,
    name_width: usize,
    id_width: usize,
    pub(super) width: usize,
}

impl List {
    pub(super) fn new(graph: &Graph, labels: &dyn Labels) -> Self {
        let count = graph.nodes.len();
        let mut list = Self {
            headings: Vec::new(),
            rows: Vec::with_capacity(count),
            row_of: vec![0; count],
            name_width: LABEL_WIDTH,
            id_width: LABEL_WIDTH,
            width: 0,
        };
        let message =
            |wave: usize| graph.waves.message(wave).map_or_else(String::new, |at| format!(" · message {}", at + 1));
        let mut waves = graph.waves.iter().enumerate().peekable();
        while let Some((number, wave)) = waves.next() {
            // Without dependencies, consecutive calls that run one after another are one section.
            let mut nodes = wave.to_vec();
            while let Some((_, next)) =
                waves.next_if(|(_, next)| graph.edges.is_empty() && wave.len() == 1 && next.len() == 1)
            {
                nodes.extend(next);
            }
            let heading = match (wave.len(), nodes.len()) {
                (1, 1) => format!("wave {}: 1 call{}", number + 1, message(number)),
                (1, together) => format!("waves {} to {}: one call each", number + 1, number + together),
                (parallel, _) => format!("wave {}: {parallel} in parallel{}", number + 1, message(number)),
            };
            list.section(heading, &nodes);
        }
        let runs = |node: &u32| matches!(graph.nodes[*node as usize].fate, Fate::Runs(_));
        let still: Vec<u32> = (0..count as u32).filter(|node| !runs(node)).collect();
        if !still.is_empty() {
            let verb = if still.len() == 1 { "does" } else { "do" };
            list.section(format!("{} {verb} not run", calls(still.len())), &still);
        }
        if count <= MEASURED {
            let widest = |label: &dyn Fn(usize) -> String| {
                let width = |node| display_width(fit(&label(node), LABEL_WIDTH).as_bytes());
                (0..count).map(width).max().unwrap_or(0)
            };
            list.name_width = widest(&|node| labels.name(node));
            list.id_width = widest(&|node| labels.id(node));
            let ends = (0..list.height()).filter_map(|row| list.row(row, graph, labels).last().map(Run::end));
            list.width = ends.max().unwrap_or(0);
        } else {
            list.width = list.note_x() + NOTE_WIDTH;
        }
        list
    }

    pub(super) fn height(&self) -> usize {
        self.rows.len()
    }

    pub(super) fn row_of(&self, node: usize) -> Option<usize> {
        self.row_of.get(node).map(|&row| row as usize)
    }

    pub(super) fn node_of(&self, row: usize) -> Option<usize> {
        self.rows.get(row).copied().flatten().map(|node| node as usize)
    }

    /// A row; `graph` and `labels` must be the ones that the list was made from.
    pub(super) fn row(&self, row: usize, graph: &Graph, labels: &dyn Labels) -> Vec<Run> {
        let Some(node) = self.node_of(row) else {
            let heading = self.headings.binary_search_by_key(&row, |(row, _)| *row).ok();
            let heading = heading.map(|at| Run::new(0, self.headings[at].1.as_str(), PieceKind::Heading));
            return heading.into_iter().collect();
        };
        let reason = graph.skip_reason(node, labels);
        let mark = match (graph.nodes[node].fate, &reason) {
            (Fate::Runs(_), _) if !graph.nodes[node].failed => "",
            (Fate::Withdrawn, _) => "⊘ withdrawn",
            (_, Some(_)) => "⊘ skipped",
            (Fate::Fails, _) => "✗ rejected",
            (_, None) => "✗ failed",
        };
        let note = reason.unwrap_or_else(|| awaited(graph, labels, node));
        let name_x = INDENT + MARK_WIDTH;
        let mut runs = vec![
            Run::new(INDENT, mark, PieceKind::Mark(node)),
            Run::new(name_x, fit(&labels.name(node), LABEL_WIDTH), PieceKind::Label(node)),
            Run::new(name_x + self.name_width + 2, fit(&labels.id(node), LABEL_WIDTH), PieceKind::Label(node)),
            Run::new(self.note_x(), fit(&note, NOTE_WIDTH), PieceKind::Heading),
        ];
        runs.retain(|run| !run.text.is_empty());
        runs
    }

    fn note_x(&self) -> usize {
        INDENT + MARK_WIDTH + self.name_width + 2 + self.id_width + 2
    }

    fn section(&mut self, heading: String, nodes: &[u32]) {
        self.headings.push((self.rows.len(), heading));
        self.rows.push(None);
        for &node in nodes {
            self.row_of[node as usize] = self.rows.len() as u32;
            self.rows.push(Some(node));
        }
    }
}

/// The dependencies of a call, not more than fit into a note.
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
