//! Draws the visible window of the dependency graph.
//!
//! This module does not know how the drawing was laid out.

use ratatui::buffer::Buffer;

use crate::document::graph::{Fate, Graph};

use crate::tui::geometry::Area;
use crate::tui::graph_layout::PieceKind;
use crate::tui::layout::Pane;
use crate::tui::state::State;
use crate::tui::style::Role;
use crate::tui::theme::Theme;
use crate::tui::view::selection_style;

/// Draws the window of the graph that the pane is scrolled to.
pub(super) fn draw(buffer: &mut Buffer, area: Area, state: &State, theme: &Theme) {
    let graph = state.graph();
    let drawing = state.drawing();
    if graph.nodes.is_empty() {
        buffer.set_stringn(area.x + 1, area.y, "no calls", usize::from(area.width), theme.style(Role::Dim));
        return;
    }
    let selected = graph.node_of(state.selection.item);
    let over = selection_style(true, state.focus == Pane::Bottom, theme);
    let size = (usize::from(area.width), usize::from(area.height));
    let rows = drawing.rows(state.tops.graph, size, (&*graph, &state.session.labels()));
    for (index, pieces) in rows.into_iter().enumerate() {
        let mut x = area.x;
        for piece in pieces {
            let (node, role) = match piece.kind {
                PieceKind::Edge => (None, Role::Border),
                PieceKind::Ghost => (None, Role::Error),
                PieceKind::Heading => (None, Role::Dim),
                PieceKind::Label(node) => (Some(node), Role::Name),
                PieceKind::Box(node) | PieceKind::Mark(node) => (Some(node), box_role(&graph, node)),
            };
            let mut style = theme.style(role);
            if node.is_some() && node == selected {
                style = over.patch(style);
            }
            let room = usize::from((area.x + area.width).saturating_sub(x));
            x = buffer.set_stringn(x, area.y + index as u16, &piece.text, room, style).0;
        }
    }
}

/// The style of a box: what becomes of its call.
fn box_role(graph: &Graph, node: usize) -> Role {
    match graph.nodes[node].fate {
        Fate::Withdrawn => Role::Dim,
        _ if graph.nodes[node].failed => Role::Error,
        Fate::Runs(_) => Role::Id,
        Fate::Fails => Role::Error,
        Fate::Skipped(_) => Role::Warning,
    }
}
