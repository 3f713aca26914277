//! Converts the values of a call as the runtime does if it has the tool's schema.
//!
//! Block format: the schema at a pointer decides; strings keep their text, numbers are parsed like JavaScript's
//! `Number`. Caret blocks and tool tags: each property decides, with singular and plural names for arrays. Nothing is
//! validated here.

use std::collections::{HashMap, HashSet};

use serde_json::Value as Json;

use super::{Coercion, hint, json_values, value_span};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::text::{Span, Text};
use crate::value::tools::resolve;
use crate::value::{Assembly, Node, NodeId, ROOT, Scalar, Value};

/// Converts each value as the runtime does.
pub(super) fn coerce(assembly: &mut Assembly, schema: &Json, coercion: Coercion, text: &Text) {
    match coercion {
        Coercion::Typed => {}
        Coercion::Pointers => by_pointer(assembly, schema, text),
        Coercion::Strings => by_property(assembly, schema, text),
        Coercion::JsonBySchema => json_values::coerce(assembly, schema, text),
    }
}

fn by_pointer(assembly: &mut Assembly, schema: &Json, text: &Text) {
    let given: Vec<(NodeId, usize, Span)> = assembly
        .tree
        .walk()
        .filter_map(|(id, _)| match assembly.tree.node(id) {
            Node { value: Value::Scalar(_, span), argument: Some(argument), .. } => Some((id, *argument, *span)),
            _ => None,
        })
        .collect();
    for (id, argument, span) in given {
        let pointer = assembly.arguments.get(argument).map_or_else(Span::default, |argument| argument.pointer);
        if let Some(hint) = hint::at_pointer(schema, &text.read_str(pointer)) {
            set(assembly, id, hint.scalar(&text.read(span)), span);
        }
    }
}

/// Gives a node its value, and withdraws problems of the previous one.
fn set(assembly: &mut Assembly, id: NodeId, scalar: Scalar, span: Span) {
    let node = assembly.tree.node_mut(id);
    let before = node.value.type_name();
    node.value = Value::Scalar(scalar, span);
    if let Some(slot) = node.argument.and_then(|argument| assembly.scalars.get_mut(argument)) {
        *slot = scalar;
    }
    let settled = |code: Code| match scalar {
        Scalar::String => code == Code::LossyNumber || code == Code::NotCoerced,
        _ => code == Code::NotCoerced,
    };
    if scalar.type_name() != before || matches!(scalar, Scalar::String) {
        assembly.problems.retain(|problem| problem.span != span || !settled(problem.code));
    }
}

fn by_property(assembly: &mut Assembly, schema: &Json, text: &Text) {
    let Some(Json::Object(properties)) = resolve(schema, schema).get("properties") else { return };
    let keys = assembly.tree.node(ROOT).value.children().iter().map(|&id| (assembly.tree.node(id).key.clone(), id));
    let mut keys: HashMap<String, NodeId> = keys.collect();
    let mut dropped = HashSet::new();
    for (name, property) in properties {
        let property = resolve(schema, property);
        let kind = property.get("type").and_then(Json::as_str).unwrap_or("string");
        let singular = name.strip_suffix('s').unwrap_or(name).to_owned();
        let aliases =
            if kind == "array" { vec![name.clone(), singular, format!("{name}s")] } else { vec![name.clone()] };
        let Some(id) = aliases.iter().find_map(|alias| keys.remove(alias)) else { continue };
        if kind == "array" {
            match assembly.tree.node(id).value {
                Value::Scalar(_, span) => wrap(assembly, id, name, span),
                _ => assembly.tree.node_mut(id).key.clone_from(name),
            }
            continue;
        }
        let Some(span) = take_first(assembly, id) else {
            dropped.insert(id);
            continue;
        };
        let words = assembly.tree.scalar_text(id, text).into_owned();
        let failed = |kind: &str| Some(format!("Failed to parse '{words}' as {kind} for parameter '{name}'"));
        let error = match kind {
            "boolean" => {
                set(assembly, id, Scalar::Boolean(words.eq_ignore_ascii_case("true")), span);
                None
            }
            "integer" => match words.parse::<i64>() {
                Ok(number) => {
                    set(assembly, id, Scalar::Number(number as f64), span);
                    None
                }
                Err(_) => failed("integer"),
            },
            "number" => match words.parse::<f64>() {
                Ok(number) if number.is_finite() => {
                    set(assembly, id, Scalar::Number(number), span);
                    None
                }
                Ok(_) => {
                    set(assembly, id, Scalar::Null, span);
                    None
                }
                Err(_) => failed("number"),
            },
            _ => None,
        };
        // The runtime stops at the first one.
        assembly.error = assembly.error.take().or(error);
    }
    // A parameter that the schema does not name is an array only if it has several values.
    let mut unknown: Vec<NodeId> = keys.into_values().collect();
    unknown.sort_unstable();
    for id in unknown {
        if assembly.tree.node(id).value.children().len() < 2 && take_first(assembly, id).is_none() {
            dropped.insert(id);
        }
    }
    if let Value::Object(keys) = &mut assembly.tree.node_mut(ROOT).value {
        keys.retain(|key| !dropped.contains(key));
    }
}

/// Drops all values of a parameter except the first, which is the only one that the runtime examines; returns its span,
/// if there is one.
fn take_first(assembly: &mut Assembly, id: NodeId) -> Option<Span> {
    let node = assembly.tree.node(id);
    let values = match &node.value {
        Value::Scalar(_, span) => return Some(*span),
        Value::Object(values) | Value::Array(values) => values.clone(),
    };
    let (key, place) = (node.key.clone(), node.place);
    let Some((&first, others)) = values.split_first() else {
        let message = format!("{key} has no value: the runtime drops an empty list here");
        let mut problem = Diagnostic::new(Code::ValueReplaced, place, message).help(format!("leave {key} out"));
        problem.severity = Severity::Warning;
        assembly.problems.push(problem);
        return None;
    };
    if others.is_empty() {
        let message = format!("{key} takes one value: the runtime passes the only item of this list");
        let problem = Diagnostic::new(Code::ValueReplaced, place, message).help(format!("write {key} without a list"));
        assembly.problems.push(problem.with_severity(Severity::Hint));
    }
    for &other in others {
        let message = format!("{key} takes one value: the runtime drops this one");
        let problem = Diagnostic::new(Code::ValueReplaced, value_span(&assembly.tree, other), message)
            .related(value_span(&assembly.tree, first), "the first one counts")
            .help(format!("give {key} once"));
        assembly.problems.push(problem);
    }
    let Node { value, argument, decoded, .. } = assembly.tree.node(first).clone();
    let node = assembly.tree.node_mut(id);
    (node.value, node.argument, node.decoded) = (value, argument, decoded);
    take_first(assembly, id)
}

/// Wraps a plain value in an array.
fn wrap(assembly: &mut Assembly, id: NodeId, name: &str, span: Span) {
    let node = assembly.tree.node(id).clone();
    let array = assembly.tree.node_mut(id);
    name.clone_into(&mut array.key);
    array.value = Value::Array(Vec::new());
    array.argument = None;
    array.decoded = None;
    let element = Node { key: "0".into(), value: Value::Scalar(Scalar::String, span), ..node };
    assembly.tree.add(id, element);
}
