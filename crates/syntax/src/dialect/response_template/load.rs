//! Access to the nodes of a template's JSON with their spans, and error messages for them.
//!
//! Values are named as in Python, since the messages are the reference's.

use std::fmt::Write as _;

use serde_json::Value as Json;

use super::pattern::Pattern;
use super::python::PatternFault;
use crate::text::{Span, Text};
use crate::value::json::string::decode;
use crate::value::json::{Arrival, Parsed, parse_all};
use crate::value::place::SpanMap;
use crate::value::tree_json::node_to_json;
use crate::value::{NodeId, ParamTree, ROOT, Scalar, Value};

/// The reason for which a template was rejected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadError {
    /// The problem; the reference's message if it raises the same error.
    pub(crate) message: String,
    /// Byte span in the file.
    pub(crate) span: Span,
    /// Suggested remedy, in the imperative.
    pub(crate) help: String,
}

impl LoadError {
    pub(super) fn new(span: Span, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { message: message.into(), span, help: help.into() }
    }
}

impl std::fmt::Display for LoadError {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{}: {}", self.message, self.help)
    }
}

/// A file parsed as JSON.
pub(super) struct Source {
    tree: ParamTree,
    text: Text,
    problems: Vec<LoadError>,
}

impl Source {
    pub(super) fn parse(json: &str) -> Result<Self, Vec<LoadError>> {
        let parsed: Parsed<'_, ParamTree> = parse_all(json.as_bytes(), SpanMap::At(0), Arrival::Whole);
        let errors = || {
            parsed.problems.iter().map(|problem| {
                LoadError::new(problem.span, format!("the file is not JSON: {}", problem.message), problem.help_text())
            })
        };
        if parsed.error.is_some() {
            return Err(errors().collect());
        }
        if parsed.root.is_none() {
            return Err(vec![LoadError::new(Span::at(0), "the file is empty", "write an object")]);
        }
        let problems = parsed.problems.iter().filter(|problem| problem.code == crate::diagnostic::Code::JsonTooLarge);
        let problems = problems.map(|problem| {
            let message = format!("the file is too large: {}", problem.message);
            LoadError::new(problem.span, message, "put the template alone into a file")
        });
        let problems = problems.collect();
        let mut text = Text::default();
        text.push(json.as_bytes());
        Ok(Self { tree: parsed.sink, text, problems })
    }

    pub(super) fn root(&self) -> Node<'_> {
        Node { source: self, id: ROOT }
    }

    /// Parts of the file that could not be read.
    pub(super) fn problems(&self) -> &[LoadError] {
        &self.problems
    }
}

/// A value in the file.
#[derive(Clone, Copy)]
pub(super) struct Node<'a> {
    source: &'a Source,
    id: NodeId,
}

impl<'a> Node<'a> {
    fn value(&self) -> &'a Value {
        &self.source.tree.node(self.id).value
    }

    /// Its key in the containing object.
    pub(super) fn key(&self) -> &'a str {
        &self.source.tree.node(self.id).key
    }

    /// The span to highlight: key and value, or only the first bytes of a large value.
    pub(super) fn mark(&self) -> Span {
        let node = self.source.tree.node(self.id);
        match node.value {
            Value::Scalar(..) => node.place,
            _ if node.key_place.is_empty() => Span::new(node.place.start, node.place.end.min(node.place.start + 1)),
            _ => node.key_place,
        }
    }

    pub(super) fn children(self) -> impl Iterator<Item = Node<'a>> {
        self.value().children().iter().map(move |&id| Node { source: self.source, id })
    }

    pub(super) fn member(&self, key: &str) -> Option<Node<'a>> {
        self.children().find(|node| self.is_object() && node.key() == key)
    }

    pub(super) fn is_object(&self) -> bool {
        matches!(self.value(), Value::Object(_))
    }

    pub(super) fn is_array(&self) -> bool {
        matches!(self.value(), Value::Array(_))
    }

    pub(super) fn is_null(&self) -> bool {
        matches!(self.value(), Value::Scalar(Scalar::Null, _))
    }

    /// True if it equals 1 in Python.
    #[expect(clippy::float_cmp, reason = "it is 1 or it is not")]
    pub(super) fn is_one(&self) -> bool {
        match self.value() {
            Value::Scalar(Scalar::Number(number), _) => *number == 1.0,
            Value::Scalar(Scalar::Boolean(value), _) => *value,
            _ => false,
        }
    }

    pub(super) fn boolean(&self) -> Option<bool> {
        if let Value::Scalar(Scalar::Boolean(value), _) = self.value() { Some(*value) } else { None }
    }

    /// True if it is truthy in Python.
    pub(super) fn is_truthy(&self) -> bool {
        match self.value() {
            Value::Scalar(Scalar::Number(number), _) => *number != 0.0,
            Value::Scalar(Scalar::Boolean(value), _) => *value,
            Value::Scalar(Scalar::Null, _) => false,
            Value::Scalar(Scalar::String, _) => self.string().is_some_and(|text| !text.is_empty()),
            value => !value.children().is_empty(),
        }
    }

    pub(super) fn string(&self) -> Option<String> {
        let is_text = matches!(self.value(), Value::Scalar(Scalar::String, _));
        is_text.then(|| self.source.tree.scalar_text(self.id, &self.source.text).into_owned())
    }

    pub(super) fn to_json(self) -> Json {
        node_to_json(&self.source.tree, self.id, &self.source.text)
    }

    /// The name of its type in Python.
    pub(super) fn python_type(&self) -> &'static str {
        python_type(&self.source.tree, self.id, &self.source.text)
    }

    /// The value as printed by Python, or as JSON if it is a container.
    pub(super) fn python_str(&self) -> String {
        match self.value() {
            Value::Scalar(Scalar::Boolean(true), _) => "True".into(),
            Value::Scalar(Scalar::Boolean(false), _) => "False".into(),
            Value::Scalar(Scalar::Null, _) => "None".into(),
            Value::Scalar(Scalar::Number(_), span) => self.source.text.read_str(*span).into_owned(),
            _ => self.string().unwrap_or_else(|| self.to_json().to_string()),
        }
    }

    /// Reports all keys that are not in `known` as one error.
    pub(super) fn unknown_keys(&self, known: &[&str], say: impl Fn(String) -> String) -> Option<LoadError> {
        let mut unknown: Vec<Node<'_>> = self.children().filter(|node| !known.contains(&node.key())).collect();
        let place = unknown.first()?.mark();
        unknown.sort_by_key(Node::key);
        let names: Vec<String> = unknown.iter().map(|node| python_repr(node.key())).collect();
        let near = crate::text::typo::nearest(unknown[0].key(), known.iter().copied());
        let help = near.map_or_else(|| format!("use {}", known.join(", ")), |near| format!("did you mean {near}?"));
        Some(LoadError::new(place, say(format!("[{}]", names.join(", "))), help))
    }

    /// The pattern given by one of two keys, as literal texts or as an expression.
    pub(super) fn pattern(
        &self,
        scope: &str,
        literal: &str,
        expression: &str,
        errors: &mut Vec<LoadError>,
    ) -> Option<Pattern> {
        let (texts, pattern) = (self.member(literal), self.member(expression));
        if let (Some(_), Some(second)) = (texts, pattern) {
            let message = format!("{scope}: cannot specify both '{literal}' and '{expression}'");
            errors.push(LoadError::new(second.mark(), message, format!("take out {literal} or {expression}")));
            return None;
        }
        if let Some(node) = texts {
            let texts = node.literals(scope, literal).map_err(|error| errors.push(error)).ok()?;
            let built = Pattern::literals(texts);
            return built.map_err(|fault| errors.push(node.fault(format!("{scope}: {}", fault.message), &fault))).ok();
        }
        let node = pattern?;
        node.expression(&format!("{scope}: invalid {expression} regex"), errors)
    }

    /// The value as an expression; `what` prefixes error messages.
    pub(super) fn expression(&self, what: &str, errors: &mut Vec<LoadError>) -> Option<Pattern> {
        let Some(words) = self.string() else {
            let message = format!("{what}: first argument must be a string or compiled pattern");
            errors.push(LoadError::new(self.mark(), message, "write the pattern as a string"));
            return None;
        };
        let parsed = Pattern::parse(&words);
        parsed.map_err(|fault| errors.push(self.fault(format!("{what}: {}", fault.message), &fault))).ok()
    }

    /// An error in this expression, with its span in the file.
    fn fault(&self, message: String, fault: &PatternFault) -> LoadError {
        let Value::Scalar(_, span) = self.value() else { return LoadError::new(self.mark(), message, &fault.help) };
        let content = self.source.text.read(*span);
        let at = decode(&content).source_of(fault.at).min(span.len());
        let start = span.start + at;
        LoadError::new(Span::new(start, (start + 1).min(span.end.max(start))), message, &fault.help)
    }

    /// The distinct texts in its list.
    fn literals(&self, scope: &str, key: &str) -> Result<Vec<String>, LoadError> {
        let fault = |node: Node<'_>, message: String, help: &str| Err(LoadError::new(node.mark(), message, help));
        let mut texts: Vec<String> = Vec::new();
        if let Some(text) = self.string() {
            texts.push(text);
        } else if self.is_array() {
            if self.value().children().is_empty() {
                let message = format!("{scope}: '{key}' list must contain at least one literal");
                return fault(*self, message, "write a text into the list");
            }
            for node in self.children() {
                let Some(text) = node.string() else {
                    return fault(node, format!("{scope}: '{key}' list must contain only strings"), "write a string");
                };
                if !texts.contains(&text) {
                    texts.push(text);
                }
            }
        } else {
            let kind = self.python_type();
            let message = format!("{scope}: '{key}' must be a string or list of strings, got {kind}");
            return fault(*self, message, "write a string, or a list of strings");
        }
        if texts.iter().any(String::is_empty) {
            let message = format!("{scope}: '{key}' literals cannot be empty strings");
            return fault(*self, message, "leave the key out where there is no such text");
        }
        Ok(texts)
    }
}

/// The name of a value's type in Python.
pub(super) fn python_type(tree: &ParamTree, id: NodeId, text: &Text) -> &'static str {
    match &tree.node(id).value {
        Value::Object(_) => "dict",
        Value::Array(_) => "list",
        Value::Scalar(Scalar::String, _) => "str",
        Value::Scalar(Scalar::Boolean(_), _) => "bool",
        Value::Scalar(Scalar::Null, _) => "NoneType",
        Value::Scalar(Scalar::Number(_), _) => {
            if tree.scalar_text(id, text).contains(['.', 'e', 'E']) {
                "float"
            } else {
                "int"
            }
        }
    }
}

/// A text as written by Python's `repr`.
pub(super) fn python_repr(text: &str) -> String {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    let mut out = String::from(quote);
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\\' => out.push_str("\\\\"),
            c if c == quote => out.extend(['\\', c]),
            c if c.is_ascii_control() => _ = write!(out, "\\x{:02x}", u32::from(c)),
            c => out.push(c),
        }
    }
    out.push(quote);
    out
}
