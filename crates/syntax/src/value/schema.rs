//! Applies a tool's schema to a call: coerces values, and reports missing, unknown and mistyped parameters.
//!
//! A schema file maps names of tools to JSON Schemas of their parameters. Values are coerced as the dialect's runtime
//! does it if it has the schema, then the tree is validated. Nothing outside the file is ever fetched.

mod coercion;
mod hint;
mod json_values;

use std::collections::HashMap;

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::paths::LocationSegment;
use jsonschema::{PatternOptions, ValidationError, Validator};
use serde_json::{Map, Value as Json};

use super::tools::{Tool, ToolSet};
use super::{Assembly, NodeId, ParamTree, ROOT, Value, tree_json::to_json};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::text::typo::nearest;
use crate::text::{Span, Text};

/// Most problems of a call that are reported; a value of the wrong shape can have thousands.
pub(crate) const MAX_REPORTED: usize = 50;

/// Most restarts of a pattern with a look-ahead or a reference on one value: each may scan all of it, and ordinary
/// patterns need only a few. A value that needs more is not checked, which is reported.
const MAX_BACKTRACKS: usize = 10_000;

/// How a dialect's runtime converts text to values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Coercion {
    /// The dialect writes types: nothing is converted.
    #[default]
    Typed,
    /// By the schema at each pointer, and by the text's form if there is none (block format, with a schema).
    Pointers,
    /// Everything is text, and a property's schema determines its type (caret blocks and tool tags).
    Strings,
    /// Everything is text, and a property's types determine which JSON it is parsed as (tags of model families).
    JsonBySchema,
}

/// The schemas of some tools.
#[derive(Debug)]
pub struct Schemas {
    tools: ToolSet,
    /// The index of each tool by its name in lower case, and the validator of its parameters.
    known: HashMap<String, (usize, Validator)>,
    name: String,
    file: Box<[u8]>,
}

/// Equal if name and content of the file are the same.
impl PartialEq for Schemas {
    fn eq(&self, other: &Self) -> bool {
        (&self.name, &self.file) == (&other.name, &other.file)
    }
}

impl Eq for Schemas {}

impl Schemas {
    /// Parses a schema file with this name; see [`ToolSet::parse`].
    ///
    /// # Errors
    /// Says in one line what is wrong with the file, or with the schema of a tool.
    pub fn parse(name: &str, bytes: &[u8]) -> Result<Self, String> {
        let tools = ToolSet::parse(bytes)?;
        let mut known = HashMap::new();
        for (index, Tool { name, parameters }) in tools.tools.iter().enumerate() {
            let schema = if parameters.is_null() { Json::Object(Map::new()) } else { with_null(parameters.clone()) };
            let validator = jsonschema::options()
                .with_pattern_options(PatternOptions::fancy_regex().backtrack_limit(MAX_BACKTRACKS))
                .build(&schema)
                .map_err(|error| format!("the schema of {name} is invalid: {error}"))?;
            known.insert(name.to_lowercase(), (index, validator));
        }
        Ok(Self { tools, known, name: name.to_owned(), file: bytes.into() })
    }

    /// The tools of the file.
    pub fn tools(&self) -> &ToolSet {
        &self.tools
    }

    /// The name of the file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The file's bytes.
    pub fn file(&self) -> &[u8] {
        &self.file
    }

    /// Coerces the values of a call of the tool `name`, and adds the problems of its parameters; `header` is the span
    /// of the call's name. Names of tools are case-insensitive, as in the runtime. Returns true if a parameter is
    /// wrong.
    pub fn apply(&self, name: &str, coercion: Coercion, header: Span, assembly: &mut Assembly, text: &Text) -> bool {
        let Some((index, validator)) = self.known.get(&name.to_lowercase()) else { return false };
        let schema = &self.tools.tools[*index].parameters;
        coercion::coerce(assembly, schema, coercion, text);
        if assembly.error.is_some() {
            return true;
        }
        let mut problems = unknown_keys(&assembly.tree, schema, text, header);
        problems.truncate(MAX_REPORTED);
        let room = MAX_REPORTED - problems.len();
        let instance = to_json(&assembly.tree, text);
        let errors = validator.iter_errors(&instance);
        problems.extend(errors.filter_map(|error| problem_of(&error, &assembly.tree, header)).take(room));
        let wrong = problems.iter().any(|problem| problem.severity == Severity::Error);
        assembly.problems.extend(problems);
        wrong
    }
}

/// Rewrites `nullable: true` as a type that allows null, as JSON Schema does.
fn with_null(mut schema: Json) -> Json {
    match &mut schema {
        Json::Object(members) => {
            let nullable = members.get("nullable") == Some(&Json::Bool(true));
            for (_, below) in members.iter_mut() {
                *below = with_null(below.take());
            }
            if let Some(kind @ Json::String(_)) = members.get_mut("type").filter(|_| nullable) {
                *kind = Json::from([kind.take(), "null".into()]);
            }
        }
        Json::Array(elements) => {
            for element in elements {
                *element = with_null(element.take());
            }
        }
        _ => {}
    }
    schema
}

/// The problem for a violation, at the smallest span.
fn problem_of(error: &ValidationError<'_>, tree: &ParamTree, header: Span) -> Option<Diagnostic> {
    let node = node_at(tree, error);
    let place = if node == ROOT { header } else { value_span(tree, node) };
    let path = if node == ROOT { "the parameters".to_owned() } else { tree.path(node) };
    let problem = match error.kind() {
        ValidationErrorKind::Required { property } => {
            let key = property.as_str().unwrap_or_default();
            let full = if node == ROOT { key.to_owned() } else { format!("{path}/{key}") };
            Diagnostic::new(Code::MissingParameter, place, format!("{full} is missing")).contrast(full, "nothing")
        }
        // Reported by name at the key.
        ValidationErrorKind::AdditionalProperties { .. } => return None,
        ValidationErrorKind::Type { kind } => {
            let expected = match kind {
                TypeKind::Single(kind) => kind.to_string(),
                TypeKind::Multiple(kinds) => kinds.iter().map(|kind| kind.to_string()).collect::<Vec<_>>().join(" or "),
            };
            let found = tree.node(node).value.type_name();
            let message = format!("{path} is a {found}, not a {expected}")
                .replace("a array", "an array")
                .replace("a object", "an object")
                .replace("a integer", "an integer");
            Diagnostic::new(Code::MistypedParameter, place, message).contrast(expected, found)
        }
        ValidationErrorKind::BacktrackLimitExceeded { .. } => {
            let message = format!("{path} is not validated: its pattern backtracks more than {MAX_BACKTRACKS} times");
            let problem = Diagnostic::new(Code::InvalidParameter, place, message);
            Diagnostic { severity: Severity::Warning, ..problem }
                .help("shorten the value, or write a pattern without look-around and references")
        }
        _ => Diagnostic::new(Code::InvalidParameter, place, format!("{path}: {}", error.masked())),
    };
    Some(problem)
}

/// Reports keys that the schema does not name; the runtime drops them, or rejects the call if the schema is strict.
fn unknown_keys(tree: &ParamTree, schema: &Json, text: &Text, header: Span) -> Vec<Diagnostic> {
    let mut problems = Vec::new();
    let mut stack = vec![(ROOT, hint::unwrap(schema, schema))];
    while let Some((id, at)) = stack.pop() {
        let node = tree.node(id);
        match &node.value {
            Value::Object(children) => {
                let Some(Json::Object(properties)) = at.get("properties") else { continue };
                let open = matches!(at.get("additionalProperties"), Some(Json::Bool(true) | Json::Object(_)));
                for &child in children {
                    let key = &tree.node(child).key;
                    match properties.get(key) {
                        Some(below) => stack.push((child, hint::unwrap(schema, below))),
                        None if open => {}
                        None => problems.push(unknown_key(tree, child, properties.keys(), text, header)),
                    }
                }
            }
            Value::Array(children) => {
                if let Some(items @ Json::Object(_)) = at.get("items") {
                    stack.extend(children.iter().map(|&child| (child, hint::unwrap(schema, items))));
                }
            }
            Value::Scalar(..) => {}
        }
    }
    problems.sort_by_key(|problem| problem.span);
    problems
}

fn unknown_key<'a>(
    tree: &ParamTree,
    id: NodeId,
    known: impl Iterator<Item = &'a String>,
    text: &Text,
    header: Span,
) -> Diagnostic {
    let key = &tree.node(id).key;
    let place = tree.node(id).place;
    let line = text.read(place);
    let first = line.iter().position(|&byte| byte == b'\n').unwrap_or(line.len());
    let span = if place.is_empty() { header } else { Span::new(place.start, place.start + first) };
    let problem = Diagnostic::new(Code::UnknownParameter, span, format!("the tool has no parameter {}", tree.path(id)));
    let known: Vec<&str> = known.map(String::as_str).collect();
    let alike = known.iter().map(|name| (strsim::jaro_winkler(name, key), *name)).filter(|(score, _)| *score > 0.8);
    let near = nearest(key, known.iter().copied());
    match near.or_else(|| alike.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, name)| name)) {
        Some(near) => problem.did_you_mean(near, key, written(&text.read_str(span), key, span)),
        None => problem,
    }
}

/// The span of a key in the line of its parameter: its first occurrence as a word.
fn written(line: &str, key: &str, span: Span) -> Span {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let whole = line
        .match_indices(key)
        .map(|(at, _)| at)
        .find(|&at| !line[..at].ends_with(is_word) && !line[at + key.len()..].starts_with(is_word));
    whole.map_or(span, |at| Span::new(span.start + at, span.start + at + key.len()))
}

/// The node of a violation, or the nearest existing one.
fn node_at(tree: &ParamTree, error: &ValidationError<'_>) -> NodeId {
    let mut at = ROOT;
    for segment in error.instance_path() {
        let key = match segment {
            LocationSegment::Property(key) => key.into_owned(),
            LocationSegment::Index(index) => index.to_string(),
        };
        match tree.node(at).value.children().iter().find(|&&child| tree.node(child).key == key) {
            Some(&child) => at = child,
            None => return at,
        }
    }
    at
}

/// The value's own bytes; for a container, its beginning.
fn value_span(tree: &ParamTree, id: NodeId) -> Span {
    let node = tree.node(id);
    match node.value {
        Value::Scalar(_, span) if !span.is_empty() => span,
        _ => node.place,
    }
}
