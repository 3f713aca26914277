//! A call that is a JSON object, taken apart: its arguments as a tree, and what it carries beside them.
//!
//! Arguments may be an object, or a string that holds JSON; then their places lead into the string. This module does
//! not know where calls begin and end.

use super::shape::MemberKey;
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::dialect::{CallParts, Status, hidden_characters};
use crate::params::json_text::{Arrival, Parsed, Places, parse_all, string::decode};
use crate::params::{Argument, Assembly, Node, NodeId, Outcome, ParamTree, ROOT, Scalar, Value};
use crate::text::{Span, Text};

/// What a shape of call wants of its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::dialect) enum Wanted {
    /// The form that the shape has by its members.
    ByShape,
    /// An object under `arguments`.
    Arguments,
}

/// Keys under which the call itself is described.
pub(super) const LINKS: [&str; 3] = ["function", "functionCall", "function_call"];

/// Keys of the tool's name.
pub(super) const NAMES: [&str; 2] = ["name", "toolName"];

/// The usual key of the arguments.
pub(super) const ARGUMENTS: &str = "arguments";

impl Wanted {
    /// Keys of the arguments, the likeliest first.
    pub(super) fn names(self) -> &'static [&'static str] {
        match self {
            Wanted::ByShape => &[ARGUMENTS, "input", "args", "parameters"],
            Wanted::Arguments => &[ARGUMENTS, "parameters", "input", "args"],
        }
    }
}

/// Whether a shape carries its arguments as text, and how much it matters if it does not: by the key that links to the
/// call, if there is one, whether the object around that has an id, and the type.
pub(super) fn text_form(wanted: Wanted, link: Option<&[u8]>, recorded: bool, kind: &[u8]) -> Option<Severity> {
    if wanted == Wanted::Arguments {
        return None;
    }
    match link.map(MemberKey::from_bytes) {
        None => matches!(kind, b"function_call" | b"custom_tool_call").then_some(Severity::Hint),
        Some(MemberKey::Function) if recorded => Some(Severity::Hint),
        Some(MemberKey::CandidatePart) => None,
        Some(_) => Some(Severity::Warning),
    }
}

/// Takes the call apart whose object is the body.
pub(in crate::dialect) fn dissect(text: &Text, parts: CallParts<'_>, wanted: Wanted) -> Assembly {
    let bytes = text.read(parts.body);
    let arrival = if parts.status == Status::Open { Arrival::Open } else { Arrival::Whole };
    let parsed = parse_all(&bytes, Places::At(parts.body.start), arrival);
    let mut reader = Reader { text, parsed, out: Assembly::default(), arrival, body: parts.body };
    reader.header();
    reader.arguments(wanted);
    reader.out
}

struct Reader<'a> {
    text: &'a Text,
    parsed: Parsed,
    out: Assembly,
    arrival: Arrival,
    body: Span,
}

impl Reader<'_> {
    /// The member of an object with this key.
    fn member(&self, object: NodeId, keys: &[&str]) -> Option<NodeId> {
        let tree = &self.parsed.tree;
        let Value::Object(children) = &tree.node(object).value else { return None };
        keys.iter().find_map(|key| children.iter().copied().find(|&child| tree.node(child).key == *key))
    }

    fn words(&self, id: NodeId) -> String {
        self.parsed.tree.words(id, self.text).into_owned()
    }

    /// Problems of the JSON itself, and of the name.
    fn header(&mut self) {
        self.out.error.clone_from(&self.parsed.error);
        self.out.problems.append(&mut self.parsed.problems);
        let tree = &self.parsed.tree;
        for (id, _) in tree.walk() {
            let key = &tree.node(id).key;
            self.out.problems.extend(hidden_characters(key, self.parsed.keys[id], "the key"));
            if matches!(key.as_str(), "name" | "id" | "toolName" | "toolCallId" | "call_id")
                && tree.node(id).parent == ROOT
                && let Value::Scalar(Scalar::String, span) = tree.node(id).value
            {
                self.out.problems.extend(hidden_characters(&tree.words(id, self.text), span, "the header"));
            }
        }
    }

    fn arguments(&mut self, wanted: Wanted) {
        let link = self.member(ROOT, &LINKS);
        let holder = link.filter(|&link| matches!(self.parsed.tree.node(link).value, Value::Object(_))).unwrap_or(ROOT);
        self.name(holder);
        let found = self.member(holder, wanted.names());
        self.outcome(holder, found);
        let Some(arguments) = found else {
            let place = Span::at(self.body.end);
            self.root(Value::Object(Vec::new()), place);
            return;
        };
        let key = self.parsed.tree.node(arguments).key.clone();
        if wanted == Wanted::Arguments && key != ARGUMENTS {
            let message = format!("the arguments stand under {key}");
            let problem = Diagnostic::new(Code::MisnamedArguments, self.parsed.keys[arguments], message);
            self.out.problems.push(problem.contrast(ARGUMENTS, key));
        }
        let as_text = self.takes_text(holder, wanted);
        let place = self.parsed.tree.node(arguments).place;
        match self.parsed.tree.node(arguments).value.clone() {
            Value::Scalar(Scalar::String, span) => self.text_arguments(arguments, span, as_text),
            Value::Scalar(Scalar::Null, _) => self.root(Value::Object(Vec::new()), place),
            Value::Scalar(scalar, span) => {
                let message = format!("the arguments are a {}", scalar.type_name());
                self.form(Severity::Error, span, message, "an object", scalar.type_name());
                self.refuse("the arguments are no object");
                self.root(Value::Scalar(scalar, span), place);
            }
            Value::Array(_) => {
                let span = Span::new(self.value_start(arguments), place.end);
                let first = Span::new(span.start, span.start + 1);
                self.form(Severity::Warning, first, "the arguments are an array".into(), "an object", "an array");
                let parsed = self.parsed.clone();
                self.graft(&parsed, arguments);
            }
            Value::Object(_) => {
                if as_text == Some(Severity::Hint) {
                    let first = self.value_start(arguments);
                    let message = "the arguments are an object, where this shape has a string of JSON";
                    self.form(Severity::Hint, Span::new(first, first + 1), message.into(), "a string", "an object");
                }
                let parsed = self.parsed.clone();
                self.graft(&parsed, arguments);
            }
        }
    }

    /// Whether the shape carries its arguments as text, and how much it matters if it does not.
    fn takes_text(&self, holder: NodeId, wanted: Wanted) -> Option<Severity> {
        let link = (holder != ROOT).then(|| self.parsed.tree.node(holder).key.as_bytes());
        let kind = self.member(ROOT, &["type"]).map(|id| self.words(id)).unwrap_or_default();
        text_form(wanted, link, self.member(ROOT, &["id"]).is_some(), kind.as_bytes())
    }

    /// Where the value of a node begins, behind its key.
    fn value_start(&self, id: NodeId) -> usize {
        let key = self.parsed.keys[id];
        let between = self.text.read(Span::new(key.end, self.body.end));
        let skipped =
            between.iter().skip(1).take_while(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b':')).count();
        key.end + 1 + skipped
    }

    /// Arguments that are a string of JSON.
    fn text_arguments(&mut self, id: NodeId, span: Span, as_text: Option<Severity>) {
        let place = self.parsed.tree.node(id).place;
        let content = self.text.read(span);
        let decoded = decode(&content);
        let custom = self.member(ROOT, &["type"]).is_some_and(|kind| self.words(kind) == "custom_tool_call");
        if custom {
            self.root(Value::Object(Vec::new()), place);
            let node = Node {
                decoded: self.parsed.tree.node(id).decoded.clone(),
                ..Node::new("input", Value::Scalar(Scalar::String, span), place)
            };
            let key = self.parsed.keys[id];
            let child = self.out.tree.add(ROOT, node);
            self.number(vec![(child, key)]);
            return;
        }
        if as_text.is_none() {
            let quote = Span::new(span.start.saturating_sub(1), span.start);
            self.form(
                Severity::Warning,
                quote,
                "the arguments are a string, where this shape has an object".into(),
                "an object",
                "a string",
            );
        }
        if decoded.bytes.trim_ascii().is_empty() {
            if self.arrival == Arrival::Whole {
                self.form(
                    Severity::Warning,
                    span,
                    "the arguments are an empty string, which is no JSON".into(),
                    "{}",
                    "\"\"",
                );
            }
            self.root(Value::Object(Vec::new()), place);
            return;
        }
        // A text that is cut off inside of this string has been reported already.
        let arrival = if span.end >= self.body.end { Arrival::Open } else { self.arrival };
        let mut parsed = parse_all(&decoded.bytes, Places::Inside(span.start, &decoded), arrival);
        if let Some(error) = parsed.error.take() {
            self.refuse(&error);
        }
        self.out.problems.append(&mut parsed.problems);
        for (node, _) in parsed.tree.walk() {
            let problem = hidden_characters(&parsed.tree.node(node).key, parsed.keys[node], "the key");
            self.out.problems.extend(problem);
        }
        if self.out.error.is_none() && !matches!(parsed.tree.node(ROOT).value, Value::Object(_)) {
            let kind = parsed.tree.node(ROOT).value.type_name();
            let message = format!("the arguments are JSON, but no object: a {kind}");
            self.form(Severity::Warning, span, message, "an object", kind);
        }
        self.graft(&parsed, ROOT);
    }

    fn name(&mut self, holder: NodeId) {
        let name = self.member(holder, &NAMES);
        let empty = name.is_some_and(|id| self.words(id).trim().is_empty());
        let typed = self.member(ROOT, &["type"]).is_some_and(|id| self.words(id).starts_with("tool-"));
        if (name.is_none() && !typed && self.arrival == Arrival::Whole) || empty {
            let place = name.map_or(Span::new(self.body.start, (self.body.start + 1).min(self.body.end)), |id| {
                self.parsed.tree.node(id).place
            });
            let problem = Diagnostic::new(Code::EmptyName, place, "the call has no name");
            self.out.problems.push(problem.help("write the tool's name under the key name"));
            self.refuse("the call has no name");
        }
    }

    /// What stands beside the arguments.
    fn outcome(&mut self, holder: NodeId, arguments: Option<NodeId>) {
        let mut outcome = Outcome::default();
        let part = self.member(ROOT, &["toolCallId"]).is_some();
        let mut extra = ParamTree::default();
        let children: Vec<NodeId> = self.parsed.tree.node(ROOT).value.children().to_vec();
        for child in children {
            let key = self.parsed.tree.node(child).key.clone();
            match key.as_str() {
                "state" if part => outcome.state = Some(self.words(child)),
                "errorText" if part => outcome.error_text = Some(self.words(child)),
                "output" if part => {
                    let mut output = ParamTree::default();
                    copy(&self.parsed, child, &mut output, ROOT, None);
                    outcome.output = Some(output);
                }
                "type" | "id" | "name" | "toolCallId" | "toolName" | "call_id" | "tool_call_id" => {}
                _ if Some(child) == arguments || child == holder => {}
                _ => {
                    copy(&self.parsed, child, &mut extra, ROOT, Some(key));
                }
            }
        }
        if !extra.is_empty() {
            outcome.extra = Some(extra);
        }
        let carries = outcome.state.is_some() || outcome.error_text.is_some();
        if carries || outcome.output.is_some() || outcome.extra.is_some() {
            self.out.outcome = Some(Box::new(outcome));
        }
    }

    fn root(&mut self, value: Value, place: Span) {
        let root = self.out.tree.node_mut(ROOT);
        (root.value, root.place) = (value, place);
    }

    /// Makes a node of another tree the root of the call's, and its leaves the call's arguments.
    fn graft(&mut self, from: &Parsed, id: NodeId) {
        let mut leaves = copy(from, id, &mut self.out.tree, ROOT, None);
        leaves.retain(|(node, _)| *node != ROOT);
        self.number(leaves);
    }

    /// Makes arguments of leaves, in the order of the text.
    fn number(&mut self, mut leaves: Vec<(NodeId, Span)>) {
        let value = |tree: &ParamTree, id: NodeId| match tree.node(id).value {
            Value::Scalar(scalar, span) => Some((scalar, span)),
            _ => None,
        };
        leaves.sort_by_key(|&(id, _)| value(&self.out.tree, id).map(|(_, span)| span));
        for (id, key) in leaves {
            let Some((scalar, span)) = value(&self.out.tree, id) else { continue };
            self.out.tree.node_mut(id).argument = Some(self.out.arguments.len());
            self.out.arguments.push(Argument { marker: Span::at(key.start), pointer: key, value: span });
            self.out.scalars.push(scalar);
        }
    }

    fn form(&mut self, severity: Severity, span: Span, message: String, expected: &str, found: &str) {
        let mut problem = Diagnostic::new(Code::ArgumentsForm, span, message).contrast(expected, found);
        problem.severity = severity;
        self.out.problems.push(problem);
    }

    fn refuse(&mut self, error: &str) {
        self.out.error.get_or_insert_with(|| error.to_owned());
    }
}

/// Copies a node with everything below it: into the root of another tree, or as a member with this key. Returns the
/// plain values with the places of their keys.
fn copy(from: &Parsed, id: NodeId, to: &mut ParamTree, parent: NodeId, key: Option<String>) -> Vec<(NodeId, Span)> {
    let empty = |value: &Value| match value {
        Value::Object(_) => Value::Object(Vec::new()),
        Value::Array(_) => Value::Array(Vec::new()),
        Value::Scalar(scalar, span) => Value::Scalar(*scalar, *span),
    };
    let source = from.tree.node(id);
    let copied = Node { decoded: source.decoded.clone(), ..Node::new("", empty(&source.value), source.place) };
    let top = if let Some(key) = key {
        to.add(parent, Node { key, ..copied })
    } else {
        *to.node_mut(ROOT) = copied;
        ROOT
    };
    let mut leaves = Vec::new();
    let mut stack = vec![(id, top)];
    while let Some((source, target)) = stack.pop() {
        let children = from.tree.node(source).value.children();
        if matches!(from.tree.node(source).value, Value::Scalar(..)) {
            leaves.push((target, from.keys[source]));
        }
        for &child in children {
            let node = from.tree.node(child);
            let copied =
                Node { decoded: node.decoded.clone(), ..Node::new(node.key.clone(), empty(&node.value), node.place) };
            stack.push((child, to.add(target, copied)));
        }
    }
    leaves
}
