//! The conversation as a tree: a row for each message and field, and whether the prompt shows it.

use serde_json::Value;

use crate::text::wrap::fit;
use crate::tui::row::{Piece, Row, fold_sign, size, width};
use crate::tui::screen::template::TemplateScreen;
use crate::tui::screen::template::layout::TemplatePane;
use crate::tui::style::Role;
use crate::tui::template::fields::{FieldNode, FieldTree};
use crate::tui::template::prompt::SpanOwner;
use crate::tui::viewport::Anchor;
use crate::tui::widget::prompt::message_role;

/// The note at a field that the prompt does not have.
const NOT_SHOWN: &str = " not shown ";

/// Maximum columns of a value.
const MOST_SHOWN: usize = 200;

impl TemplateScreen {
    /// Lists the nodes that are not below a folded one.
    pub(super) fn list_nodes(&mut self) {
        let mut visible = Vec::new();
        if let Some(tree) = self.fields() {
            let mut node = 0;
            while node < tree.nodes.len() {
                visible.push(node);
                node = if self.is_folded(tree, node) { tree.nodes[node].end.max(node + 1) } else { node + 1 };
            }
        }
        self.visible = visible;
    }

    /// True if what is below a node is hidden. Schemas of tools are folded at first.
    fn is_folded(&self, tree: &FieldTree, node: usize) -> bool {
        let FieldNode { owner, depth, path, .. } = &tree.nodes[node];
        has_more(tree, node) && (*owner == SpanOwner::Tools && *depth == 0) != self.flipped.contains(path)
    }

    /// Folds or unfolds the selected node; at a folded one or a field, goes to the node above or below.
    pub(super) fn fold(&mut self, close: bool) {
        let Some((&node, tree)) = self.visible.get(self.tree.at.row).zip(self.fields()) else { return };
        let is_folded = self.is_folded(tree, node);
        let (path, depth) = (tree.nodes[node].path.clone(), tree.nodes[node].depth);
        let above = (0..node).rev().find(|&above| tree.nodes[above].depth < depth);
        let to = match (close, is_folded, has_more(tree, node)) {
            (true, false, true) | (false, true, _) => {
                self.flip(path);
                Some(node)
            }
            (true, ..) => above,
            (false, false, true) => Some(node + 1),
            (false, ..) => None,
        };
        if let Some(to) = to {
            self.unfold_to(to);
            self.select_node(Some(to));
        }
    }

    fn flip(&mut self, path: String) {
        if !self.flipped.remove(&path) {
            self.flipped.insert(path);
        }
        self.list_nodes();
    }

    /// Shows a node: unfolds what it is below of, and scrolls to it.
    pub(super) fn unfold_to(&mut self, node: usize) {
        while let Err(before) = self.visible.binary_search(&node) {
            let folded = before.checked_sub(1).and_then(|row| self.visible.get(row)).copied();
            let path = folded.zip(self.fields()).map(|(folded, tree)| tree.nodes[folded].path.clone());
            let Some(path) = path.filter(|_| self.fields().is_some_and(|tree| node < tree.nodes.len())) else { return };
            self.flip(path);
        }
        if let Ok(row) = self.visible.binary_search(&node) {
            self.reveal_at(TemplatePane::Conversation, Some(Anchor { row, ..Anchor::default() }));
        }
    }

    /// The parts of the prompt that are from no message, with their sizes if there is room, for the lower border of the pane.
    pub(super) fn other_sizes(&self, room: usize) -> String {
        let Some(prompt) = self.indexed().filter(|_| !self.is_tracing) else { return String::new() };
        let sizes = &prompt.sizes;
        let parts = [
            ("tools", sizes.tools),
            ("tokens", sizes.others),
            ("template", sizes.template),
            ("unknown", sizes.unknown),
        ];
        let text = |has_bytes: bool| {
            let parts = parts.iter().filter(|(_, bytes)| *bytes > 0).map(|(name, bytes)| {
                let bytes_text = if has_bytes { format!(" {}", size(*bytes)) } else { String::new() };
                format!(" {name}{bytes_text} {} ", share(*bytes, prompt.text.len()))
            });
            parts.collect::<String>()
        };
        let long = text(true);
        if long.len() <= room { long } else { text(false) }
    }

    /// The label and the value of a node, for searches.
    pub(super) fn node_text(&self, node: usize) -> String {
        let Some((tree, found)) = self.fields().and_then(|tree| Some((tree, tree.nodes.get(node)?))) else {
            return String::new();
        };
        let role = match (found.owner, found.depth) {
            (SpanOwner::Message(number), 0) => tree.roles.get(number).map_or("", String::as_str),
            _ => "",
        };
        let value = found.value.and_then(|value| tree.fields.get(value)).map(|field| match &field.value {
            Value::String(text) => text.replace('\n', " "),
            value => value.to_string(),
        });
        format!("{} {role} {}", found.label, value.unwrap_or_default())
    }

    /// The row of a node.
    pub(super) fn node_row(&self, node: usize) -> Row {
        let Some(tree) = self.fields() else { return Row::default() };
        let FieldNode { depth, label, fields, value, owner, shown, .. } = &tree.nodes[node];
        let indent = " ".repeat(2 * depth.min(&12));
        let sign =
            if has_more(tree, node) { fold_sign(!self.is_folded(tree, node)) } else { Piece::new("  ", Role::Text) };
        let mut lead = vec![Piece::new(indent, Role::Gutter), sign];
        match (owner, depth) {
            (SpanOwner::Message(number), 0) => {
                let role = tree.roles.get(*number).map_or("", String::as_str);
                lead.push(Piece::new(format!("{number} {role}"), message_role(role)));
            }
            (SpanOwner::Tools, 0) => {
                let name = tree.fields.get(fields.clone()).and_then(|fields| {
                    fields
                        .iter()
                        .find(|field| field.path.rsplit('.').next() == Some("name"))
                        .and_then(|field| field.value.as_str())
                });
                lead.push(Piece::new(label, Role::Tool));
                lead.push(Piece::new(format!("  {}", fit(name.unwrap_or_default(), MOST_SHOWN)), Role::Name));
            }
            _ => lead.push(Piece::new(fit(label, MOST_SHOWN), Role::Pointer)),
        }
        let field = value.and_then(|value| tree.fields.get(value));
        let is_empty = field.is_some_and(|field| field.value.is_null() || field.value == "");
        let is_absent = *shown == Some(0) && !is_empty;
        let bytes = match (owner, depth, self.indexed().filter(|_| !self.is_tracing)) {
            (SpanOwner::Message(number), 0, Some(prompt)) => {
                prompt.sizes.messages.get(*number).map(|bytes| (*bytes, prompt.text.len()))
            }
            _ => None,
        };
        let note = match bytes {
            _ if is_absent => Some(Piece::new(NOT_SHOWN, Role::Hint)),
            Some((bytes, all)) => Some(Piece::new(format!(" {} {:>4} ", size(bytes), share(bytes, all)), Role::Dim)),
            None => None,
        };
        if let Some(field) = field {
            lead.push(Piece::new("  ", Role::Text));
            let taken = width(&lead) + note.as_ref().map_or(0, Piece::width) + 1;
            let room = usize::from(self.areas.inner(TemplatePane::Conversation).width).saturating_sub(taken);
            lead.push(value_piece(&field.value, room));
        }
        Row::noted(lead, note)
    }
}

/// A share of the prompt in per cent.
fn share(bytes: usize, all: usize) -> String {
    match (bytes * 100).checked_div(all) {
        Some(0) if bytes > 0 => "<1%".to_owned(),
        percent => format!("{}%", percent.unwrap_or_default()),
    }
}

fn has_more(tree: &FieldTree, node: usize) -> bool {
    tree.nodes[node].end > node + 1
}

fn value_piece(value: &Value, room: usize) -> Piece {
    match value {
        Value::String(text) => {
            let text = &text[..text.floor_char_boundary(4 * MOST_SHOWN)];
            Piece::new(fit(text, room.min(MOST_SHOWN)), Role::String)
        }
        Value::Number(number) => Piece::new(number.to_string(), Role::Number),
        Value::Bool(flag) => Piece::new(flag.to_string(), Role::Boolean),
        _ => Piece::new("null", Role::Null),
    }
}
