//! The value of a region: its text parsed by the field's parser, in the shape of the field's transform.

use super::field::Field;
use super::load::python_type;
use super::matcher::Match;
use super::reading::Reading;
use super::refusal::Refusal;
use super::shape::{Part, Scope, copy};
use super::value::read;
use crate::text::{Span, Text};
use crate::value::json::Arrival;
use crate::value::{NodeId, ParamTree, ROOT, Value};

/// The value of a region; a list whose transform applies to each element becomes a list of values.
pub(super) fn value(field: &Field, text: &Text, body: Span, opener: Option<&Match>, arrival: Arrival) -> Reading {
    let reading = read(&field.content, &text.read(body), body.start, arrival);
    let Some(shape) = &field.transform else { return reading };
    let captures = captures(field, opener);
    if !field.each {
        let parts = captures.into_iter().chain([("content", Part::Node(ROOT))]).collect();
        return reading.shaped(shape, parts, body.start, text);
    }
    let Reading { tree, mut refusal, problems } = reading;
    let Value::Array(elements) = &tree.node(ROOT).value else {
        let kind = python_type(&tree, ROOT, text);
        refusal.get_or_insert_with(|| not_each(field, "the parsed content to be a list", kind));
        return Reading { tree, refusal, problems };
    };
    let mut out = ParamTree::default();
    out.node_mut(ROOT).value = Value::Array(Vec::new());
    for (index, &element) in elements.iter().enumerate() {
        let Some(members) = members(&tree, element) else {
            let kind = python_type(&tree, element, text);
            refusal.get_or_insert_with(|| not_each(field, "each list element to be a dict", kind));
            continue;
        };
        let parts = captures.iter().copied().chain(members).collect();
        let start = tree.node(element).place.start;
        let (made, error) = shape.apply(&Scope { tree: &tree, parts, start }, text);
        if let Some(error) = error {
            refusal.get_or_insert(error);
        }
        copy(&made, ROOT, &mut out, Some(ROOT), &index.to_string());
    }
    Reading { tree: out, refusal, problems }
}

/// The value of one element of a region whose transform applies to each element.
pub(super) fn element(field: &Field, text: &Text, body: Span, opener: Option<&Match>, arrival: Arrival) -> Reading {
    let reading = read(&field.content, &text.read(body), body.start, arrival);
    let Some(shape) = &field.transform else { return reading };
    let Some(members) = members(&reading.tree, ROOT) else {
        let kind = python_type(&reading.tree, ROOT, text);
        let refusal = reading.refusal.or_else(|| Some(not_each(field, "each list element to be a dict", kind)));
        return Reading { refusal, ..reading };
    };
    let parts: Vec<(String, Part)> =
        captures(field, opener).into_iter().chain(members).map(|(name, part)| (name.to_owned(), part)).collect();
    let parts = parts.iter().map(|(name, part)| (name.as_str(), *part)).collect();
    reading.shaped(shape, parts, body.start, text)
}

/// The named groups of an opener.
fn captures<'f>(field: &'f Field, opener: Option<&Match>) -> Vec<(&'f str, Part)> {
    let groups = opener.zip(field.open.as_ref()).map(|(opener, pattern)| opener.named(pattern)).unwrap_or_default();
    groups.into_iter().map(|(name, span)| (name, Part::Words(span))).collect()
}

/// The members of an object.
fn members(tree: &ParamTree, id: NodeId) -> Option<impl Iterator<Item = (&str, Part)>> {
    let Value::Object(members) = &tree.node(id).value else { return None };
    Some(members.iter().map(|&id| (tree.node(id).key.as_str(), Part::Node(id))))
}

/// The exception for a region that is not a list, or an element that is not an object.
fn not_each(field: &Field, wanted: &str, kind: &str) -> Refusal {
    Refusal::new(format!("Field '{}': transform_each requires {wanted}, got {kind}.", field.name))
}
