//! Rows of text at columns, and windows of them. Independent of graphs.

use crate::graph_layout::{DrawnPiece, PieceKind};
use crate::text::wrap::{cells, display_width};

/// Text of one kind at a column of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) x: usize,
    pub(super) text: String,
    pub(super) kind: PieceKind,
}

impl Run {
    pub(super) fn new(x: usize, text: impl Into<String>, kind: PieceKind) -> Self {
        Self { x, text: text.into(), kind }
    }

    /// The column after the last.
    pub(super) fn end(&self) -> usize {
        self.x + display_width(self.text.as_bytes())
    }
}

/// Rows of runs, which do not overlap, in column order.
#[derive(Clone, Debug, Default)]
pub(super) struct Canvas {
    rows: Vec<Vec<Run>>,
    pub(super) width: usize,
}

impl Canvas {
    /// A canvas of runs, which are given with their rows, in any order.
    pub(super) fn new(runs: Vec<(usize, Run)>) -> Self {
        let mut canvas = Self::default();
        canvas.rows.resize(runs.iter().map(|(row, _)| row + 1).max().unwrap_or(0), Vec::new());
        for (row, run) in runs {
            canvas.width = canvas.width.max(run.end());
            canvas.rows[row].push(run);
        }
        for row in &mut canvas.rows {
            row.sort_by_key(|run| run.x);
        }
        canvas
    }

    pub(super) fn height(&self) -> usize {
        self.rows.len()
    }

    pub(super) fn row(&self, row: usize) -> &[Run] {
        self.rows.get(row).map_or(&[], Vec::as_slice)
    }
}

/// The part of a row in a window of `width` columns at column `x`, with the space between its runs.
pub(super) fn window(row: &[Run], x: usize, width: usize) -> Vec<DrawnPiece> {
    let end = x.saturating_add(width);
    let first = row.partition_point(|run| run.end() <= x);
    let mut pieces: Vec<DrawnPiece> = Vec::new();
    let mut column = x;
    for run in row[first..].iter().take_while(|run| run.x < end) {
        if run.x > column {
            push(&mut pieces, &" ".repeat(run.x - column), PieceKind::Edge);
        }
        let (text, text_end) = clip(run, x, end);
        push(&mut pieces, &text, run.kind);
        column = text_end;
    }
    pieces
}

/// The text of a run from column `x` to column `end`, and the column at which it ends. Half of a wide character becomes
/// a space.
fn clip(run: &Run, x: usize, end: usize) -> (String, usize) {
    let mut text = String::new();
    let mut column = run.x;
    for glyph in cells(run.text.as_bytes(), 0) {
        let next = column + glyph.width;
        if column >= x && next <= end {
            text.push_str(&glyph.text);
        } else {
            text.extend(std::iter::repeat_n(' ', next.min(end).saturating_sub(column.max(x))));
        }
        column = next;
    }
    (text, column.min(end))
}

fn push(pieces: &mut Vec<DrawnPiece>, text: &str, kind: PieceKind) {
    match pieces.last_mut() {
        Some(last) if last.kind == kind => last.text.push_str(text),
        _ => pieces.push(DrawnPiece { text: text.to_owned(), kind }),
    }
}
