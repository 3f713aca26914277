//! The contents of boxes, and the links between them: calls, unknown ids, and which end of a link is above.
//!
//! Independent of the positions of boxes.

use std::collections::{BTreeMap, BTreeSet};

use crate::document::graph::{Fate, Graph, Labels};
use crate::graph_layout::PieceKind;
use crate::graph_layout::canvas::Run;
use crate::text::wrap::{display_width, fit};

/// Most columns of a name or an id.
const LABEL_WIDTH: usize = 24;

/// The boxes of a graph, calls first and in their order, and the links between them.
pub(super) struct Cards {
    pub(super) cards: Vec<Card>,
    pub(super) links: Vec<Link>,
}

pub(super) struct Card {
    /// The call; `None` for the box of an unknown id.
    pub(super) node: Option<usize>,
    title: String,
    label: String,
    mark: Option<&'static str>,
    pub(super) width: usize,
}

/// A line from one box down to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Link {
    pub(super) upper: usize,
    pub(super) lower: usize,
    pub(super) arrow: Arrow,
}

/// The end of a link that waits, to which its arrow points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Arrow {
    /// The lower one, as is usual.
    Down,
    /// The upper one: the link closes a cycle.
    Up,
}

impl Cards {
    pub(super) fn new(graph: &Graph, labels: &dyn Labels) -> Self {
        let mut circle_of = vec![None; graph.nodes.len()];
        for (circle, &node) in
            graph.cycles.iter().enumerate().flat_map(|(circle, nodes)| nodes.iter().map(move |node| (circle, node)))
        {
            circle_of[node as usize] = Some(circle);
        }
        let mut waits_for_itself = vec![false; graph.nodes.len()];
        let mut waits_for_others = vec![false; graph.nodes.len()];
        for edge in &graph.edges {
            let waits = if edge.from() == edge.to() { &mut waits_for_itself } else { &mut waits_for_others };
            waits[edge.from()] = true;
        }
        let mut cards: Vec<Card> = (0..graph.nodes.len())
            .map(|node| {
                let mark = match graph.nodes[node].fate {
                    Fate::Withdrawn => Some("⊘ withdrawn"),
                    _ if graph.nodes[node].failed => Some("✗ failed"),
                    Fate::Fails => Some("✗ rejected"),
                    Fate::Skipped(_) if circle_of[node].is_some() => Some("↻ cycle"),
                    Fate::Skipped(_) if waits_for_others[node] || !waits_for_itself[node] => Some("⊘ skipped"),
                    Fate::Skipped(_) | Fate::Runs(_) => waits_for_itself[node].then_some("↻ itself"),
                };
                Card::of_call(node, &labels.name(node), &labels.id(node), mark)
            })
            .collect();
        let mut links: BTreeSet<Link> = BTreeSet::new();
        for (from, to) in graph.edges.iter().map(|edge| (edge.from(), edge.to())).filter(|(from, to)| from != to) {
            // In a cycle, the call that is first in the text is above.
            let turned = from < to && circle_of[from].is_some() && circle_of[from] == circle_of[to];
            links.insert(if turned {
                Link { upper: from, lower: to, arrow: Arrow::Up }
            } else {
                Link { upper: to, lower: from, arrow: Arrow::Down }
            });
        }
        let mut ghosts: BTreeMap<&str, usize> = BTreeMap::new();
        for missing in &graph.missing {
            let upper = *ghosts.entry(&missing.id).or_insert_with(|| {
                cards.push(Card::of_ghost(&missing.id));
                cards.len() - 1
            });
            links.insert(Link { upper, lower: missing.from(), arrow: Arrow::Down });
        }
        let links: Vec<Link> = links.into_iter().collect();
        for (number, card) in cards.iter_mut().enumerate() {
            let above = links.iter().filter(|link| link.lower == number).count();
            let below = 1 + links.iter().filter(|link| link.upper == number && link.arrow == Arrow::Up).count();
            // Lines end two columns apart, and half of the columns may be taken by lines that end elsewhere.
            card.width = card.width.max(2 * above.max(below) + 5);
        }
        Self { cards, links }
    }
}

impl Card {
    /// Rows of every box.
    pub(super) const HEIGHT: usize = 3;

    fn of_call(node: usize, name: &str, id: &str, mark: Option<&'static str>) -> Self {
        let title = fit(name, LABEL_WIDTH).into_owned();
        let label = fit(id, LABEL_WIDTH).into_owned();
        let mark_width = mark.map_or(0, |mark| columns(mark) + 3);
        let width = (columns(&title) + mark_width).max(columns(&label)) + 4;
        Self { node: Some(node), title, label, mark, width }
    }

    fn of_ghost(id: &str) -> Self {
        let label = format!("{}?", fit(id, LABEL_WIDTH - 1));
        Self { node: None, title: String::new(), width: columns(&label) + 4, label, mark: None }
    }

    /// The three rows of the box at column `x`. `ports` are the columns within it at which lines leave downwards.
    pub(super) fn runs(&self, x: usize, ports: &[usize]) -> [Vec<Run>; Self::HEIGHT] {
        let Some(node) = self.node else { return self.ghost_runs(x, ports) };
        let (frame, label) = (PieceKind::Box(node), PieceKind::Label(node));
        let inner = self.width - 2;
        let mut top = vec![Run::new(x, "╭", frame)];
        let mut column = x + 1;
        if !self.title.is_empty() {
            let title = format!(" {} ", self.title);
            column += columns(&title);
            top.push(Run::new(x + 1, title, label));
        }
        let mark = self.mark.map(|mark| format!(" {mark} ")).unwrap_or_default();
        let line = (x + 1 + inner).saturating_sub(column + columns(&mark));
        top.push(Run::new(column, "─".repeat(line), frame));
        top.push(Run::new(column + line, mark, PieceKind::Mark(node)));
        top.push(Run::new(x + 1 + inner, "╮", frame));
        let space = " ".repeat(inner - 1 - columns(&self.label));
        let middle = vec![
            Run::new(x, "│", frame),
            Run::new(x + 1, format!(" {}{space}", self.label), label),
            Run::new(x + 1 + inner, "│", frame),
        ];
        [top, middle, vec![Run::new(x, bottom(inner, "─", ports), frame)]]
    }

    fn ghost_runs(&self, x: usize, ports: &[usize]) -> [Vec<Run>; Self::HEIGHT] {
        let inner = self.width - 2;
        let space = " ".repeat(inner - 1 - columns(&self.label));
        [format!("╭{}╮", "┄".repeat(inner)), format!("┆ {}{space}┆", self.label), bottom(inner, "┄", ports)]
            .map(|row| vec![Run::new(x, row, PieceKind::UnknownId)])
    }
}

fn bottom(inner: usize, line: &str, ports: &[usize]) -> String {
    let cells: String = (1..=inner).map(|column| if ports.contains(&column) { "┬" } else { line }).collect();
    format!("╰{cells}╯")
}

fn columns(text: &str) -> usize {
    display_width(text.as_bytes())
}
