//! The drawing of a dependency graph: boxes and lines on a canvas of its own, of which a window is shown.
//!
//! Dependencies stand above what waits for them, one row of boxes for each wave, so time runs downwards. Where lines
//! meet (`┬ ├ ┼`) they belong to one call; where a line passes over another (`─│─`) they do not, so that a drawing can
//! be read without colour and says exactly the edges of the graph. Graphs that nobody could read are lists of waves.
//!
//! The drawing is made once and windows of it are cheap. It does not know the screen, styles, or what is selected.

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

/// With more calls than this a graph is a list.
pub const MAX_CALLS: usize = 200;
/// With more lines than this, or with longer ones than there is room for, a graph is a list.
const MAX_LINKS: usize = 500;
/// Boxes, and rows of boxes that lines pass on their way, taken together.
const MAX_ITEMS: usize = 1500;
/// Columns between two groups of boxes that have nothing to do with each other.
const GROUP_GAP: usize = 3;

/// A graph as it is drawn.
#[derive(Clone, Debug)]
pub struct Drawing {
    /// Columns of the whole drawing.
    pub width: usize,
    /// Rows of the whole drawing.
    pub height: usize,
    body: Body,
}

/// Text of one kind within a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DrawnPiece {
    /// The text, safe to show.
    pub text: String,
    /// What it is part of, which decides its style.
    pub kind: PieceKind,
}

/// What a piece of a drawing is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PieceKind {
    /// A line from box to box, or the space between things.
    Edge,
    /// The frame of the box of this node.
    Box(usize),
    /// The name or the id of this node.
    Label(usize),
    /// What becomes of this node, if it does not just run.
    Mark(usize),
    /// The box of an id that nobody has.
    Ghost,
    /// A heading in a list, or a note beside an entry.
    Heading,
}

/// Where to look for a neighbour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Towards what a call waits for.
    Up,
    /// Towards what waits for a call.
    Down,
    /// To the left.
    Left,
    /// To the right.
    Right,
}

#[derive(Clone, Debug)]
enum Body {
    Boxes { canvas: Canvas, places: Vec<Place> },
    List(List),
}

/// Where the box of a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    x: usize,
    y: usize,
    width: usize,
    height: usize,
}

impl Drawing {
    /// Draws a graph for a view of `width` columns.
    ///
    /// Groups of calls that have nothing to do with each other are set side by side as long as they fit into the
    /// width, and below one another then. A single group may be wider.
    pub fn new(graph: &Graph, labels: &dyn Labels, width: usize) -> Self {
        Self::boxes(graph, labels, width).unwrap_or_else(|| {
            let list = List::new(graph, labels);
            Self { width: list.width, height: list.height(), body: Body::List(list) }
        })
    }

    /// Whether there is too much for boxes and lines, or nothing to draw a line for.
    pub fn is_list(&self) -> bool {
        matches!(self.body, Body::List(_))
    }

    /// The window at a column and row, of so many columns and rows.
    ///
    /// Rows beyond the drawing are left out, and so is space at the end of a row. `of` is what the drawing was made of.
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

    /// The nearest node in a direction. What lies straight ahead is nearer than what lies aside.
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

    /// The graph with boxes and lines, unless it is too large for them or there is nothing to draw a line for.
    fn boxes(graph: &Graph, labels: &dyn Labels, width: usize) -> Option<Self> {
        if graph.nodes.len() > MAX_CALLS || graph.edges.len() > 10 * MAX_LINKS || graph.missing.len() > MAX_LINKS {
            return None;
        }
        // Between calls of several messages there may be nothing but their order, which boxes do not show.
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
        let mut places = vec![Place { x: 0, y: 0, width: 0, height: 0 }; nodes];
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
                    places[node] = Place { x, y, width: item.width, height: Card::HEIGHT };
                }
            }
            runs.extend(lines.runs().map(|(row, run)| (top + row, Run { x: left + run.x, ..run })));
        }
        let canvas = Canvas::new(runs);
        Self { width: canvas.width, height: canvas.height(), body: Body::Boxes { canvas, places } }
    }
}

impl Place {
    fn contains(&self, x: usize, y: usize) -> bool {
        (self.x..self.x + self.width).contains(&x) && (self.y..self.y + self.height).contains(&y)
    }

    /// How far another box is in a direction, if it lies there: the way ahead, twice for rows since they are twice as
    /// high as columns are wide, and the way aside, which counts more.
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

/// Cells between two stretches; 0 where they overlap.
fn gap(start: usize, len: usize, other_start: usize, other_len: usize) -> usize {
    other_start.saturating_sub(start + len).max(start.saturating_sub(other_start + other_len))
}

/// Left upper corners of groups set side by side and, where a row of them is full, below it.
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
