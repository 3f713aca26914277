//! The dependency graph as SVG: the drawing of the screen, with boxes and lines instead of characters.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::ops::Range;

use crate::document::graph::Fate;
use crate::export::page::DrawnGraph;
use crate::graph_layout::{DrawnPiece, PieceKind};
use crate::text::wrap::display_width;

/// Width of a column in SVG units.
const COLUMN: usize = 8;

/// Half the height of a row in SVG units.
const HALF_ROW: usize = 9;

/// Lines and boxes, positioned in SVG units.
pub(super) struct GraphPicture {
    pub(super) width: usize,
    pub(super) height: usize,
    /// All lines, as data of one `path` element.
    pub(super) lines: String,
    /// All arrowheads, as data of one `path` element.
    pub(super) arrows: String,
    pub(super) boxes: Vec<GraphBox>,
}

/// The box of a call, or of an id that no call has.
pub(super) struct GraphBox {
    pub(super) x: usize,
    pub(super) y: usize,
    pub(super) width: usize,
    pub(super) height: usize,
    /// Item number of the call.
    pub(super) item: Option<usize>,
    /// `failed`, `skipped`, `missing` or empty.
    pub(super) class: &'static str,
    /// The fate of the call, if it does not simply run.
    pub(super) mark: String,
    pub(super) labels: Vec<String>,
}

impl GraphBox {
    /// Right edge of the mark.
    pub(super) fn right(&self) -> usize {
        self.x + self.width - COLUMN
    }

    /// Accessible name for screen readers.
    pub(super) fn name(&self) -> String {
        let mark = self.mark.trim_start_matches(|c: char| !c.is_alphanumeric());
        [self.labels.join(" "), mark.to_owned()]
            .into_iter()
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>()
            .join(", ")
    }
}

/// Half cells that contain a line.
#[derive(Default)]
struct Strokes {
    /// Vertical: column, and row counted in halves.
    down: BTreeSet<(usize, usize)>,
    /// Horizontal: row, and column counted in halves.
    across: BTreeSet<(usize, usize)>,
    arrows: String,
}

impl GraphPicture {
    /// Converts the drawing of a graph; `None` if the graph is too large.
    pub(super) fn new(drawn: &DrawnGraph) -> Option<Self> {
        let drawing = drawn.drawing.as_ref()?;
        let rows = drawing.rows((0, 0), (drawing.width, drawing.height), (&drawn.graph, &drawn.labels));
        let mut boxes: Vec<GraphBox> = Vec::new();
        // Index into `boxes` for each node.
        let mut places = vec![None; drawn.graph.nodes.len()];
        for (node, place) in places.iter_mut().enumerate() {
            let Some((x, y, width, height)) = drawing.bounds_of(node) else { continue };
            let found = &drawn.graph.nodes[node];
            let class = match found.fate {
                _ if found.failed => "failed",
                Fate::Fails => "failed",
                Fate::Skipped(_) | Fate::Withdrawn => "skipped",
                Fate::Runs(_) => "",
            };
            *place = Some(boxes.len());
            boxes.push(GraphBox { item: Some(found.item()), class, ..GraphBox::new(x, y, width, height) });
        }
        let mut strokes = Strokes::default();
        for (row, pieces) in rows.iter().enumerate() {
            let mut column = 0;
            for piece in pieces {
                match piece.kind {
                    PieceKind::Edge => strokes.add(row, column, &piece.text),
                    PieceKind::Box(_) => strokes.add_ports(row, column, &piece.text),
                    PieceKind::Label(node) | PieceKind::Mark(node) => {
                        let words = piece.text.trim().to_owned();
                        if let Some(found) = places.get(node).copied().flatten() {
                            match piece.kind {
                                PieceKind::Mark(_) => boxes[found].mark = words,
                                _ => boxes[found].labels.push(words),
                            }
                        }
                    }
                    PieceKind::UnknownId => {
                        strokes.add_ports(row, column, &piece.text);
                        boxes.extend(ghost(&rows, row, column, piece));
                    }
                    PieceKind::Heading => {}
                }
                column += display_width(piece.text.as_bytes());
            }
        }
        for GraphBox { x, y, width, .. } in &boxes {
            strokes.reach((y / HALF_ROW - 1) / 2, x / COLUMN..(x + width) / COLUMN + 1);
        }
        let width = (drawing.width + 1) * COLUMN;
        let height = drawing.height * 2 * HALF_ROW;
        Some(Self { width, height, lines: strokes.path(), arrows: strokes.arrows, boxes })
    }
}

impl GraphBox {
    /// Creates the box at the given cells; its frame runs through the middle of the outer ones.
    fn new(x: usize, y: usize, width: usize, height: usize) -> Self {
        Self {
            x: x * COLUMN + COLUMN / 2,
            y: (2 * y + 1) * HALF_ROW,
            width: (width - 1) * COLUMN,
            height: 2 * (height - 1) * HALF_ROW,
            item: None,
            class: "",
            mark: String::new(),
            labels: Vec::new(),
        }
    }
}

/// The box of an id that no call has, if `piece` is the first row of one.
fn ghost(rows: &[Vec<DrawnPiece>], row: usize, column: usize, piece: &DrawnPiece) -> Option<GraphBox> {
    if !piece.text.starts_with('╭') {
        return None;
    }
    let mut at = 0;
    let label = rows.get(row + 1)?.iter().find(|below| {
        let start = at;
        at += display_width(below.text.as_bytes());
        start == column && below.kind == PieceKind::UnknownId
    })?;
    let label = label.text.trim_matches(['┆', ' ']).to_owned();
    let width = display_width(piece.text.as_bytes());
    Some(GraphBox { class: "missing", labels: vec![label], ..GraphBox::new(column, row, width, 3) })
}

impl Strokes {
    /// Adds a piece of a line, character by character.
    fn add(&mut self, row: usize, column: usize, text: &str) {
        for (at, sign) in text.chars().enumerate() {
            let column = column + at;
            let [up, down, left, right] = match sign {
                '│' => [true, true, false, false],
                '─' => [false, false, true, true],
                '╭' => [false, true, false, true],
                '╮' => [false, true, true, false],
                '╰' => [true, false, false, true],
                '╯' => [true, false, true, false],
                '├' => [true, true, false, true],
                '┤' => [true, true, true, false],
                '┬' => [false, true, true, true],
                '┴' => [true, false, true, true],
                '┼' => [true; 4],
                '▼' => {
                    self.arrow(row + 1, row, column);
                    [true, true, false, false]
                }
                '▲' => {
                    self.arrow(row - 1, row, column);
                    [true, true, false, false]
                }
                _ => continue,
            };
            self.down
                .extend([(up, 2 * row), (down, 2 * row + 1)].iter().filter(|half| half.0).map(|half| (column, half.1)));
            self.across.extend(
                [(left, 2 * column), (right, 2 * column + 1)].iter().filter(|half| half.0).map(|half| (row, half.1)),
            );
        }
    }

    /// Adds the ports in a box's frame, where lines leave its lower edge.
    fn add_ports(&mut self, row: usize, column: usize, text: &str) {
        for (at, sign) in text.chars().enumerate() {
            if sign == '┬' {
                self.down.insert((column + at, 2 * row + 1));
            }
        }
    }

    /// Extends lines that end just above a box to its frame.
    fn reach(&mut self, row: usize, columns: Range<usize>) {
        for column in columns {
            if row > 0 && self.down.contains(&(column, 2 * row - 1)) {
                self.down.insert((column, 2 * row));
            }
        }
    }

    /// Adds an arrowhead whose tip is at the frame in row `tip`.
    fn arrow(&mut self, tip: usize, from: usize, column: usize) {
        let (x, y) = (column * COLUMN + COLUMN / 2, (2 * tip + 1) * HALF_ROW);
        let back = if tip > from { y - HALF_ROW } else { y + HALF_ROW };
        // Writing to a string cannot fail.
        _ = write!(self.arrows, "M{x} {y}L{} {back}H{}Z", x - 4, x + 4);
    }

    /// All strokes as path data, merged into straight lines.
    fn path(&self) -> String {
        let mut path = String::new();
        for (column, start, end) in runs(&self.down) {
            _ = write!(path, "M{} {}V{}", column * COLUMN + COLUMN / 2, start * HALF_ROW, end * HALF_ROW);
        }
        for (row, start, end) in runs(&self.across) {
            let half = COLUMN / 2;
            _ = write!(path, "M{} {}H{}", start * half, (2 * row + 1) * HALF_ROW, end * half);
        }
        path
    }
}

/// Runs of adjacent halves on the same line, as (line, start, end).
fn runs(halves: &BTreeSet<(usize, usize)>) -> Vec<(usize, usize, usize)> {
    let mut runs: Vec<(usize, usize, usize)> = Vec::new();
    for &(line, half) in halves {
        match runs.last_mut() {
            Some((of, _, end)) if *of == line && *end == half => *end += 1,
            _ => runs.push((line, half, half + 1)),
        }
    }
    runs
}
