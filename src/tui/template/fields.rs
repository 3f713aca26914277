//! The fields of a conversation as a tree: messages, tools and special tokens, with the places of each in the prompt.

use std::ops::Range;

use crate::template::fields::InputField;

use super::prompt::{IndexedPrompt, SpanOwner};

/// The fields of a conversation in the order of their paths.
#[derive(Default)]
pub struct FieldTree {
    /// Its nodes; a node precedes what is below it.
    pub nodes: Vec<FieldNode>,
    /// The fields.
    pub fields: Vec<InputField>,
    /// The roles of the messages.
    pub roles: Vec<String>,
    node_of: Vec<usize>,
}

/// A field, or a message, call or object that has some.
pub struct FieldNode {
    /// Nesting depth, 0 for a message.
    pub depth: usize,
    /// The last part of its path: `tool_calls[0]`.
    pub label: String,
    /// Its path: `messages[1].tool_calls[0]`.
    pub path: String,
    /// Indexes of its fields and of the fields below it.
    pub fields: Range<usize>,
    /// Index of the field with its value; nothing if it has nodes below.
    pub value: Option<usize>,
    /// Index of the first node after what is below it.
    pub end: usize,
    /// The message or tools that it is part of.
    pub owner: SpanOwner,
    /// Number of spans of the prompt that it may be in; nothing if there is no prompt.
    pub shown: Option<usize>,
}

impl FieldTree {
    /// The tree of fields; `prompt` says which of them are shown.
    pub fn new(fields: Vec<InputField>, roles: Vec<String>, prompt: Option<&IndexedPrompt>) -> Self {
        let mut tree = Self { nodes: Vec::new(), node_of: Vec::with_capacity(fields.len()), fields, roles };
        let mut open: Vec<usize> = Vec::new();
        for number in 0..tree.fields.len() {
            tree.add(number, &mut open);
        }
        let end = tree.nodes.len();
        for node in open {
            tree.nodes[node].end = end;
        }
        for node in &mut tree.nodes {
            let shown = |prompt: &IndexedPrompt| {
                prompt.places.get(node.fields.clone()).map_or(0, |places| places.iter().map(Vec::len).sum())
            };
            node.shown = prompt.map(shown);
        }
        tree
    }

    fn add(&mut self, number: usize, open: &mut Vec<usize>) {
        let field = &self.fields[number];
        let owner = SpanOwner::of(field);
        let parts = parts(&field.path);
        let path = |end: usize| field.path[..end].to_owned();
        let is_open = |depth: usize, end: usize, nodes: &[FieldNode]| {
            open.get(depth).is_some_and(|&node: &usize| nodes[node].path == field.path[..end])
        };
        let kept = (0..parts.len()).take_while(|&depth| is_open(depth, parts[depth].end, &self.nodes)).count();
        let made: Vec<(usize, String, String)> = (kept..parts.len())
            .map(|depth| (depth, field.path[parts[depth].clone()].to_owned(), path(parts[depth].end)))
            .collect();
        let is_value = !field.is_key;
        for node in open.drain(kept..) {
            self.nodes[node].end = self.nodes.len();
        }
        for (depth, label, path) in made {
            open.push(self.nodes.len());
            let end = self.nodes.len() + 1;
            self.nodes.push(FieldNode {
                depth,
                label,
                path,
                fields: number..number,
                value: None,
                end,
                owner,
                shown: None,
            });
        }
        for &node in open.iter() {
            self.nodes[node].fields.end = number + 1;
        }
        let last = open.last().copied().unwrap_or_default();
        if let Some(node) = self.nodes.get_mut(last).filter(|_| is_value) {
            node.value = Some(number);
        }
        self.node_of.push(last);
    }

    /// The node of a field.
    pub fn node_of(&self, field: usize) -> Option<usize> {
        self.node_of.get(field).copied()
    }
}

/// The parts of a path, divided at points; `function` belongs to what follows it.
fn parts(path: &str) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut start = 0;
    let mut from = 0;
    for part in path.split('.') {
        let end = from + part.len();
        from = end + 1;
        if part != "function" || end == path.len() {
            parts.push(start..end);
            start = end + 1;
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn nodes_are_nested_like_their_paths() {
        let field = |path: &str, is_key: bool, value: Value| InputField { path: path.to_owned(), is_key, value };
        let fields = vec![
            field("messages[0].content", false, json!("Hi.")),
            field("messages[1].tool_calls[0].function.name", false, json!("f")),
            field("messages[1].tool_calls[0].function.arguments.city", true, json!("city")),
            field("messages[1].tool_calls[0].function.arguments.city", false, json!("Oslo")),
            field("bos_token", false, json!("<s>")),
        ];
        let tree = FieldTree::new(fields, Vec::new(), None);
        let shown: Vec<String> = tree
            .nodes
            .iter()
            .map(|node| format!("{}{} {:?} {}", " ".repeat(node.depth), node.label, node.fields, node.end))
            .collect();
        let expected = [
            "messages[0] 0..1 2",
            " content 0..1 2",
            "messages[1] 1..4 7",
            " tool_calls[0] 1..4 7",
            "  function.name 1..2 5",
            "  function.arguments 2..4 7",
            "   city 2..4 7",
            "bos_token 4..5 8",
        ];
        assert_eq!(shown, expected);
        assert_eq!((0..5).map(|field| tree.node_of(field)).collect::<Vec<_>>(), [1, 4, 6, 6, 7].map(Some));
    }
}
