//! Draws a dependency graph as boxes and lines on its own canvas; the screen shows a window of it.
//!
//! Dependencies are above the calls that wait for them, with one row of boxes for each wave, so time runs downwards.
//! Lines that meet (`┬ ├ ┼`) belong to one call; lines that cross (`─│─`) do not, so that a drawing can be read without
//! colour and shows exactly the edges of the graph. Graphs that are too large to read are drawn as lists of waves.
//!
//! A drawing is computed once, and windows of it are cheap. Independent of the screen, of styles, and of what is
//! selected.

mod canvas;
mod cards;
mod columns;
mod layers;
mod lines;
mod list;
mod order;

use crate::document::graph::{Graph, Labels};
use canvas::{Canvas, Run};
use cards::{Card, Cards};
use layers::{Content, Layers};
use lines::Lines;
use list::List;

/// With more calls than this a graph is drawn as a list.
pub(crate) const MAX_CALLS: usize = 200;
/// With more lines than this, or with longer ones than there is room for, a graph is drawn as a list.
const MAX_LINKS: usize = 500;
/// Most boxes plus passages of lines through ranks.
const MAX_ITEMS: usize = 1500;
/// Columns between two unconnected groups of boxes.
const GROUP_GAP: usize = 3;

/// A drawn graph.
#[derive(Clone, Debug)]
pub struct Drawing {
    /// Width of the whole drawing, in columns.
    pub(crate) width: usize,
    /// Height of the whole drawing, in rows.
    pub height: usize,
    body: Body,
}

/// Text of one kind within a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DrawnPiece {
    /// The text, safe to show.
    pub text: String,
    /// The part of the drawing that it belongs to, which decides its style.
    pub kind: PieceKind,
}

/// Kinds of pieces of a drawing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PieceKind {
    /// A line between boxes, or space.
    Edge,
    /// The frame of the box of this node.
    Box(usize),
    /// The name or the id of this node.
    Label(usize),
    /// The outcome of this node, unless it just runs.
    Mark(usize),
    /// The box of an unknown id.
    UnknownId,
    /// A heading in a list, or a note next to an entry.
    Heading,
}

/// The direction in which to search for a neighbour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Towards the dependencies of a call.
    Up,
    /// Towards the calls that wait for it.
    Down,
    /// To the left.
    Left,
    /// To the right.
    Right,
}

#[derive(Clone, Debug)]
enum Body {
    Boxes { canvas: Canvas, places: Vec<BoxBounds> },
    List(List),
}

/// Where the box of a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct BoxBounds {
    x: usize,
    y: usize,
    width: usize,
    height: usize,
}

impl Drawing {
    /// Draws a graph for a view of `width` columns.
    ///
    /// Unconnected groups of calls are placed side by side as long as they fit into the width, then in further rows. A
    /// single group may be wider.
    pub fn new(graph: &Graph, labels: &dyn Labels, width: usize) -> Self {
        Self::boxes(graph, labels, width).unwrap_or_else(|| {
            let list = List::new(graph, labels);
            Self { width: list.width, height: list.height(), body: Body::List(list) }
        })
    }

    /// True if it is a list: there is too much for boxes and lines, or nothing to connect.
    pub fn is_list(&self) -> bool {
        matches!(self.body, Body::List(_))
    }

    /// The window at a column and row, in columns and rows.
    ///
    /// Rows beyond the drawing are left out, and so is trailing space. `of` is the graph that was drawn, with its
    /// labels.
    pub fn rows(
        &self,
        (x, y): (usize, usize),
        (width, height): (usize, usize),
        of: (&Graph, &dyn Labels),
    ) -> Vec<Vec<DrawnPiece>> {
        let rows = y.min(self.height)..y.saturating_add(height).min(self.height);
        match &self.body {
            Body::Boxes { canvas, .. } => rows.map(|row| canvas::window(canvas.row(row), x, width)).collect(),
            Body::List(list) => rows.map(|row| canvas::window(&list.row(row, of.0, of.1), x, width)).collect(),
        }
    }

    /// Column, row, width and height of the box of a node, or of its entry in a list.
    pub fn bounds_of(&self, node: usize) -> Option<(usize, usize, usize, usize)> {
        match &self.body {
            Body::Boxes { places, .. } => places.get(node).map(|place| (place.x, place.y, place.width, place.height)),
            Body::List(list) => list.row_of(node).map(|row| (0, row, self.width, 1)),
        }
    }

    /// The node whose box, or entry in a list, is at a column and row.
    pub fn node_at(&self, x: usize, y: usize) -> Option<usize> {
        match &self.body {
            Body::Boxes { places, .. } => places.iter().position(|place| place.contains(x, y)),
            Body::List(list) => list.node_of(y),
        }
    }

    /// The nearest node in a direction. Nodes straight ahead are nearer than nodes to the side.
    pub fn step(&self, node: usize, direction: Direction) -> Option<usize> {
        match &self.body {
            Body::Boxes { places, .. } => {
                let from = places.get(node)?;
                let distances = places.iter().enumerate();
                distances
                    .filter_map(|(other, place)| Some((from.distance(place, direction)?, other)))
                    .min()
                    .map(|(_, other)| other)
            }
            Body::List(list) => match direction {
                Direction::Up => (0..list.row_of(node)?).rev().find_map(|row| list.node_of(row)),
                Direction::Down => (list.row_of(node)? + 1..self.height).find_map(|row| list.node_of(row)),
                Direction::Left | Direction::Right => None,
            },
        }
    }

    /// The graph as boxes and lines, or `None` if it is too large for them or has nothing to connect.
    fn boxes(graph: &Graph, labels: &dyn Labels, width: usize) -> Option<Self> {
        if graph.nodes.len() > MAX_CALLS || graph.edges.len() > 10 * MAX_LINKS || graph.missing.len() > MAX_LINKS {
            return None;
        }
        // Between calls of several messages there may be no relation but their order, which boxes do not show.
        if graph.edges.is_empty() && graph.waves.message(0).is_some() {
            return None;
        }
        let cards = Cards::new(graph, labels);
        if cards.links.len() > MAX_LINKS || cards.cards.len() > 2 * MAX_CALLS {
            return None;
        }
        let groups: Vec<Layers> = layers::groups(&cards);
        if groups.iter().map(|group| group.items.len()).sum::<usize>() > MAX_ITEMS {
            return None;
        }
        let drawn: Vec<(Layers, Lines)> = groups
            .into_iter()
            .map(|mut group| {
                order::arrange(&mut group);
                columns::place(&mut group);
                let lines = lines::draw(&mut group);
                (group, lines)
            })
            .collect();
        Some(Self::assembled(&cards, &drawn, width, graph.nodes.len()))
    }

    fn assembled(cards: &Cards, groups: &[(Layers, Lines)], width: usize, nodes: usize) -> Self {
        let widest = groups.iter().map(|(_, lines)| lines.width).max().unwrap_or(0);
        let sizes = groups.iter().map(|(_, lines)| (lines.width, lines.height));
        let corners = shelve(sizes, width.max(widest));
        let mut runs: Vec<(usize, Run)> = Vec::new();
        let mut places = vec![BoxBounds { x: 0, y: 0, width: 0, height: 0 }; nodes];
        for ((group, lines), (left, top)) in groups.iter().zip(corners) {
            for item in &group.items {
                let Content::Card(number) = item.content else { continue };
                let card = &cards.cards[number];
                let (x, y) = (left + item.x, top + lines.row_of_rank[item.rank]);
                runs.extend(
                    card.runs(x, &item.ports)
                        .into_iter()
                        .enumerate()
                        .map(|(row, run)| (y + row, run))
                        .flat_map(|(row, runs)| runs.into_iter().map(move |run| (row, run))),
                );
                if let Some(node) = card.node {
                    places[node] = BoxBounds { x, y, width: item.width, height: Card::HEIGHT };
                }
            }
            runs.extend(lines.runs().map(|(row, run)| (top + row, Run { x: left + run.x, ..run })));
        }
        let canvas = Canvas::new(runs);
        Self { width: canvas.width, height: canvas.height(), body: Body::Boxes { canvas, places } }
    }
}

impl BoxBounds {
    fn contains(&self, x: usize, y: usize) -> bool {
        (self.x..self.x + self.width).contains(&x) && (self.y..self.y + self.height).contains(&y)
    }

    /// A score of the distance to another box in a direction, or `None` if it is not there. Rows count twice, since a
    /// cell is about twice as high as wide; distance to the side counts more than distance ahead.
    fn distance(&self, other: &Self, direction: Direction) -> Option<(usize, usize)> {
        let columns = gap(self.x, self.width, other.x, other.width);
        let rows = gap(self.y, self.height, other.y, other.height);
        let centre = |place: &Self| place.x + place.width / 2;
        let aside = centre(self).abs_diff(centre(other));
        let (ahead, score) = match direction {
            Direction::Up => (other.y + other.height <= self.y, 2 * rows + 3 * columns),
            Direction::Down => (self.y + self.height <= other.y, 2 * rows + 3 * columns),
            Direction::Left => (other.x + other.width <= self.x, columns + 12 * rows),
            Direction::Right => (self.x + self.width <= other.x, columns + 12 * rows),
        };
        ahead.then_some((score, aside))
    }
}

/// Number of cells between two ranges; 0 if they overlap.
fn gap(start: usize, len: usize, other_start: usize, other_len: usize) -> usize {
    other_start.saturating_sub(start + len).max(start.saturating_sub(other_start + other_len))
}

/// Top left corners of groups placed side by side, with a new row where one is full.
fn shelve(sizes: impl Iterator<Item = (usize, usize)>, width: usize) -> Vec<(usize, usize)> {
    let (mut x, mut y, mut height) = (0, 0, 0);
    sizes
        .map(|(group_width, group_height)| {
            if x > 0 && x + group_width > width {
                (x, y, height) = (0, y + height + 1, 0);
            }
            let corner = (x, y);
            x += group_width + GROUP_GAP;
            height = height.max(group_height);
            corner
        })
        .collect()
}

#[cfg(test)]
mod tests;
