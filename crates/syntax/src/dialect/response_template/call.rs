//! Dissects a region of calls: the value that the transform builds, and the name, id and arguments in it.

use std::sync::Arc;

use super::CALLS;
use super::field::Field;
use super::haystack::Haystack;
use super::matcher::{Match, Scan, SearchResult};
use super::reading::Reading;
use super::refusal::Refusal;
use super::region_value::{element, value};
use super::template::Template;
use crate::diagnostic::{Code, Diagnostic, Severity, hidden_characters};
use crate::dialect::{CallParts, Status, Word};
use crate::text::{Span, Text};
use crate::value::json::Arrival;
use crate::value::{Assembly, NodeId, ParamTree, ROOT, Scalar, Value};

/// Paths to the name of a call in a value, most likely first.
pub(super) const NAME: &[&[&str]] = &[&["function", "name"], &["name"], &["tool_name"]];

pub(super) const ID: &[&[&str]] = &[&["id"], &["tool_call_id"], &["call_id"], &["function", "id"]];

pub(super) const ARGUMENTS: &[&[&str]] =
    &[&["function", "arguments"], &["arguments"], &["parameters"], &["function", "parameters"]];

/// The named group of an opener that fills one of these paths of the value.
pub(super) fn captured(field: &Field, opener: &Match, places: &[&[&str]]) -> Option<Span> {
    let shape = field.transform.as_ref()?;
    let path = places.iter().find_map(|keys| shape.path_at(keys))?;
    let [name] = path else { return None };
    let named = opener.named(field.open.as_ref()?);
    named.into_iter().find(|(group, _)| group == name).map(|(_, span)| span)
}

/// The member of an object with this key.
fn member(tree: &ParamTree, id: NodeId, key: &str) -> Option<NodeId> {
    let Value::Object(children) = &tree.node(id).value else { return None };
    children.iter().copied().find(|&child| tree.node(child).key == key)
}

/// The node at the first of these paths to exist.
pub(super) fn node_at(tree: &ParamTree, places: &[&[&str]]) -> Option<NodeId> {
    places.iter().find_map(|keys| keys.iter().try_fold(ROOT, |at, key| member(tree, at, key)))
}

/// The name or id at one of these paths.
pub(super) fn word(tree: &ParamTree, places: &[&[&str]], text: &Text) -> Option<Word> {
    let id = node_at(tree, places)?;
    let Value::Scalar(scalar, span) = tree.node(id).value else { return None };
    if scalar == Scalar::Null {
        return None;
    }
    let words = tree.scalar_text(id, text);
    Some(if text.read_str(span) == words { Word::plain(span) } else { Word::decoded(span, words.into_owned()) })
}

/// The reading of a call's text; for a call in a list, the reading of the element that is its body.
pub(super) fn reading(template: &Template, text: &Text, parts: CallParts<'_>) -> Reading {
    let Some(field) = template.fields.iter().find(|field| field.name == CALLS) else { return Reading::default() };
    let arrival = if parts.status == Status::Open { Arrival::Open } else { Arrival::Whole };
    let opener = opener(field, text, parts);
    // If the body directly follows the opener it is the whole list, otherwise one of its elements.
    let is_whole = opener.as_ref().is_some_and(|opener| opener.span.end == parts.body.start);
    if field.each && !is_whole {
        return element(field, text, parts.body, opener.as_ref(), arrival);
    }
    value(field, text, parts.body, opener.as_ref(), arrival)
}

/// The opener of a call, with its groups.
fn opener(field: &Field, text: &Text, parts: CallParts<'_>) -> Option<Match> {
    /// Maximum number of bytes after an opener that its pattern may examine.
    const AHEAD: usize = 256;
    let pattern = field.open.as_ref().filter(|pattern| field.each || !pattern.groups.is_empty())?;
    let bytes = text.read(Span::new(parts.start, parts.body.start + AHEAD));
    match Scan::default().find_here(pattern, &Haystack::whole(&bytes)) {
        SearchResult::Match(found) => Some(found.moved(parts.start)),
        SearchResult::Pending(_) | SearchResult::Nothing => None,
    }
}

pub(super) fn dissect(template: &Arc<Template>, text: &Text, parts: CallParts<'_>) -> Assembly {
    let Reading { tree, refusal, mut problems } = reading(template, text, parts);
    let refusal = refusal.filter(|_| parts.status != Status::Open);
    let mark = Span::new(parts.start, parts.body.start.max(parts.start + 1).min(text.len()));
    if let Some(refusal) = &refusal {
        report(refusal, mark, &mut problems);
    }
    if let Some(name) = node_at(&tree, NAME) {
        let place = tree.node(name).place;
        problems.extend(hidden_characters(&tree.scalar_text(name, text), place, "the name"));
    }
    let name = word(&tree, NAME, text);
    if parts.status != Status::Open && refusal.is_none() && name.is_none_or(|name| name.text(text).trim().is_empty()) {
        let problem = Diagnostic::new(Code::EmptyName, mark, "the template gives the call no name");
        problems.push(problem.help("write the name where the template's transform looks for it"));
    }
    let mut assembly = match node_at(&tree, ARGUMENTS) {
        Some(id) if matches!(tree.node(id).value, Value::Scalar(..)) => {
            let mut assembly = Assembly::default();
            let node = tree.node(id).clone();
            if !matches!(node.value, Value::Scalar(Scalar::Null, _)) {
                let problem = Diagnostic::new(Code::ArgumentsForm, node.place, "the arguments are not an object");
                problems.push(problem.contrast("an object", node.value.type_name()));
                *assembly.tree.node_mut(ROOT) = node;
            }
            assembly
        }
        Some(id) => tree.branch(id, &[]),
        None => Assembly::default(),
    };
    assembly.error = refusal.map(|refusal| refusal.words);
    assembly.problems = problems.into();
    assembly
}

/// Reports the reference's exception, unless the JSON errors already explain it.
fn report(refusal: &Refusal, mark: Span, problems: &mut Vec<Diagnostic>) {
    let is_said = problems.iter().any(|problem| problem.severity == Severity::Error);
    if is_said {
        return;
    }
    let code = if refusal.is_json { Code::NotJson } else { Code::ArgumentsForm };
    let problem = Diagnostic::new(code, mark, refusal.words.replace('\n', " ")).with_severity(Severity::Error);
    problems.push(problem.help("one unreadable region loses the whole message: write what the template expects"));
}
