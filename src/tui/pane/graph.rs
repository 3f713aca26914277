//! The graph pane: shows a window of the dependency graph's drawing.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use crate::document::graph::{Fate, GraphNode};
use crate::graph_layout::{Direction, PieceKind};
use crate::text::wrap::{display_width, fit};
use crate::tui::action::{Action, Motion, PaneId};
use crate::tui::geometry::Area;
use crate::tui::pane::{Pane, Request, Response, ScrollAnchor};
use crate::tui::row::{Piece, Target};
use crate::tui::style::Role;
use crate::tui::theme::{Theme, in_row};
use crate::tui::view::View;
use crate::tui::viewport::{self, Anchor, Page, PageStep};
use crate::tui::widget::{put, rows, selection_style, sign_of_cut};
use crate::value::main_argument::{main_argument, shortened};

/// Columns between the label of a call and its main argument.
const GAP: u16 = 2;

/// The graph pane: the scroll position in the drawing.
#[derive(Clone, Default)]
pub struct Graph {
    /// Columns and rows of the drawing that are scrolled off on the left and above.
    offset: (usize, usize),
    /// Position after the last page step.
    paged: Option<PageStep>,
}

impl Pane for Graph {
    fn draw(&self, buffer: &mut Buffer, area: Area, view: &View, focused: bool, theme: &Theme) {
        let (graph, drawing) = (view.graph(), view.drawing());
        if graph.nodes.is_empty() {
            return rows::placeholder(buffer, area, "no calls: the graph shows which call waits for which", theme);
        }
        let selected = view.graph_node(view.selection.item);
        let over = selection_style(true, focused, theme);
        let size = (usize::from(area.width), usize::from(area.height));
        // One more column than visible shows which rows continue.
        let drawn = (size.0 + 1, size.1);
        let rows = drawing.rows(self.offset, drawn, (&*graph, &view.graph_labels(&graph)));
        for (index, pieces) in rows.into_iter().enumerate() {
            let mut x = area.x;
            let columns: usize = pieces.iter().map(|piece| display_width(piece.text.as_bytes())).sum();
            for piece in pieces {
                let (node, role) = match piece.kind {
                    PieceKind::Edge => (None, Role::Border),
                    PieceKind::UnknownId => (None, Role::Error),
                    PieceKind::Heading => (None, Role::Dim),
                    PieceKind::Label(node) => (Some(node), Role::Name),
                    PieceKind::Box(node) | PieceKind::Mark(node) => (Some(node), box_role(&graph.nodes[node])),
                };
                let is_selected = node.is_some() && node == selected;
                let style = if is_selected { in_row(over, theme.style(role)) } else { theme.style(role) };
                let room = usize::from((area.x + area.width).saturating_sub(x));
                x = put(buffer, x, area.y + index as u16, &piece.text, room, style);
            }
            if columns > size.0 && size.0 > 0 {
                let last = (area.x + area.width - 1, area.y + index as u16);
                sign_of_cut(buffer, last, Style::new(), theme);
            }
            if drawing.is_list()
                && let Some(node) = drawing.node_at(0, self.offset.1 + index)
            {
                let style = if Some(node) == selected { over } else { Style::new() };
                let cell = (x.saturating_add(GAP), area.y + index as u16);
                draw_main_argument(
                    buffer,
                    cell,
                    area.x + area.width,
                    (view, graph.nodes[node].item()),
                    style.patch(theme.style(Role::Text)),
                );
            }
        }
    }

    fn act(&mut self, view: &View, action: Action) -> Response {
        match action {
            Action::Move(motion @ (Motion::Half(_) | Motion::Page(_))) => self.turn_page(view, motion),
            Action::Move(Motion::Line(direction)) => self.step_over(view, direction),
            Action::Move(motion) => moved(view, motion),
            Action::Open => step(view, Direction::Right),
            Action::Close => step(view, Direction::Left),
            Action::Toggle => Response::ask(Request::Focus(PaneId::Reading)),
            _ => Response::Ignored,
        }
    }

    fn click(&mut self, view: &View, column: usize, row: usize) -> Response {
        let (left, top) = self.offset;
        Response::select(view.drawing().node_at(left + column, top + row).and_then(|node| target_of(view, node)))
    }

    fn wheel(&mut self, view: &View, direction: i8, rows: usize) {
        let rows_of = viewport::Rows(view.drawing().height);
        let top = viewport::scrolled(&rows_of, self.top(), direction, rows, view.height(PaneId::Graph));
        self.offset.1 = top.row;
    }

    fn reveal(&mut self, view: &View) {
        // Laying out a graph is expensive, so it is skipped while the pane is hidden.
        if view.layout.bottom == PaneId::Graph {
            self.offset = revealed(self.offset, view).unwrap_or(self.offset);
        }
    }

    fn anchor(&self, view: &View) -> Option<ScrollAnchor> {
        corner(view).map(|(column, row)| ScrollAnchor::Corner(column, row))
    }

    fn restore(&mut self, view: &View, anchor: ScrollAnchor, _: usize) {
        if let (ScrollAnchor::Corner(column, row), Some(now)) = (anchor, corner(view)) {
            let (left, top) = self.offset;
            self.offset = ((left + now.0).saturating_sub(column), (top + now.1).saturating_sub(row));
        }
    }
}

/// Draws a call's main argument in a row of the list, up to the column `end`.
fn draw_main_argument(buffer: &mut Buffer, (x, y): (u16, u16), end: u16, (view, item): (&View, usize), style: Style) {
    let room = usize::from(end.saturating_sub(x));
    let argument = view
        .seen(item)
        .filter(|_| room > 0)
        .and_then(|seen| main_argument(&seen.assembly.tree, view.session.text(), &view.main_arguments));
    if let Some(words) = argument {
        let words = Piece::new(fit(&shortened(&words, room), room), Role::Text);
        put(buffer, x, y, &words.text, room, style);
    }
}

impl Graph {
    /// The row of the drawing at the top.
    fn top(&self) -> Anchor {
        Anchor { row: self.offset.1, ..Anchor::default() }
    }

    /// Scrolls by a page or half of one, and selects the fully visible box nearest to the previous selection's
    /// position.
    fn turn_page(&mut self, view: &View, motion: Motion) -> Response {
        let (graph, drawing, height) = (view.graph(), view.drawing(), view.height(PaneId::Graph));
        let Some((direction, rows)) = motion.pages(height) else { return Response::done() };
        let page = Page { direction, rows, height, margin: 0 };
        let before = self.offset.1;
        self.paged = page.turn(&viewport::Rows(drawing.height), (self.top(), None), self.paged, |_| false);
        let Some(step) = self.paged else { return Response::done() };
        self.offset.1 = step.top.row;
        let bounds = |node: usize| drawing.bounds_of(node).map(|(x, y, _, height)| (x, y, y + height));
        let here = view.graph_node(view.selection.item).and_then(bounds);
        let (column, row) = here.map_or((0, 0), |(x, y, _)| (x, y.saturating_sub(before)));
        let row = if self.offset.1 != before {
            self.offset.1 + row.min(height)
        } else if direction > 0 {
            drawing.height
        } else {
            0
        };
        let shown = (self.offset.1, (self.offset.1 + height).min(drawing.height));
        let boxes = (0..graph.nodes.len()).filter_map(|node| Some((node, bounds(node)?)));
        let whole = boxes.filter(|(_, (_, y, end))| shown.0 <= *y && *end <= shown.1);
        let nearest = whole.min_by_key(|(_, (x, y, _))| (y.abs_diff(row), x.abs_diff(column)));
        Response::select(nearest.and_then(|(node, _)| target_of(view, node)))
    }

    /// Selects the next box below (1) or above (-1); if that is more than a screen away, scrolls towards it.
    fn step_over(&mut self, view: &View, direction: i8) -> Response {
        let (drawing, height) = (view.drawing(), view.height(PaneId::Graph));
        let here = view.graph_node(view.selection.item);
        let neighbour = |way: i8| {
            here.map_or(Some(0), |node| drawing.step(node, if way > 0 { Direction::Down } else { Direction::Up }))
        };
        let row_of = |node: Option<usize>| {
            let (_, y, _, rows) = drawing.bounds_of(node?)?;
            Some(Anchor { row: if direction > 0 { y + rows - 1 } else { y }, ..Anchor::default() })
        };
        let next = neighbour(direction);
        let rows = viewport::Rows(drawing.height);
        let toward =
            |from| viewport::scroll_toward(&rows, self.top(), from, direction, height, |way| row_of(neighbour(way)));
        let on_the_way = row_of(here).and_then(toward);
        match on_the_way {
            Some(top) => {
                self.offset.1 = top.row;
                Response::done()
            }
            None => jump(view, next),
        }
    }
}

/// Position of the selected call's box, if the graph is shown.
fn corner(view: &View) -> Option<(usize, usize)> {
    if view.layout.bottom != PaneId::Graph {
        return None;
    }
    let node = view.graph_node(view.selection.item)?;
    view.drawing().bounds_of(node).map(|(x, y, ..)| (x, y))
}

/// The scroll position that makes the selected box visible.
fn revealed(offset: (usize, usize), view: &View) -> Option<(usize, usize)> {
    let node = view.graph_node(view.selection.item)?;
    let (x, y, width, height) = view.drawing().bounds_of(node)?;
    let (columns, rows) = (view.width(PaneId::Graph), view.height(PaneId::Graph));
    let shift = |top: usize, start: usize, length: usize, room: usize| {
        if start < top {
            start.saturating_sub(1)
        } else if start + length + 1 > top + room {
            (start + length + 1).saturating_sub(room)
        } else {
            top
        }
    };
    let last = view.drawing().height.saturating_sub(rows);
    Some((shift(offset.0, x, width, columns), shift(offset.1, y, height, rows).min(last)))
}

/// Selects the box that a motion leads to.
fn moved(view: &View, motion: Motion) -> Response {
    let graph = view.graph();
    let Some(last) = graph.nodes.len().checked_sub(1) else { return Response::done() };
    let next = match (motion, view.graph_node(view.selection.item)) {
        (Motion::Top, _) | (_, None) => Some(0),
        (Motion::To(_) | Motion::Bottom, _) => Some(motion.moved(0, 1, last)),
        (Motion::Line(_) | Motion::Half(_) | Motion::Page(_), node) => node,
    };
    jump(view, next)
}

/// Selects the nearest box in a direction.
fn step(view: &View, direction: Direction) -> Response {
    let here = view.graph_node(view.selection.item);
    jump(view, here.and_then(|node| view.drawing().step(node, direction)))
}

fn jump(view: &View, node: Option<usize>) -> Response {
    Response::jump(node.and_then(|node| target_of(view, node)))
}

/// The selection target for a box.
fn target_of(view: &View, node: usize) -> Option<Target> {
    view.target_of_item(view.graph().nodes.get(node).map(GraphNode::item)?)
}

/// The style of a box, by the predicted outcome of its call.
fn box_role(node: &GraphNode) -> Role {
    match node.fate {
        Fate::Withdrawn => Role::Dim,
        _ if node.failed => Role::Error,
        Fate::Runs(_) => Role::Id,
        Fate::Fails => Role::Error,
        Fate::Skipped(_) => Role::Warning,
    }
}
