//! What the values of a call become when the runtime has the tool's schema.
//!
//! Block format: the schema at a pointer decides; text keeps its text, numbers are read as JavaScript's `Number` reads
//! them. Caret blocks and tool tags: each property decides, with singular and plural names for arrays. This module
//! does not validate.

use serde_json::Value as Json;

use super::super::{Assembly, Node, NodeId, ROOT, Scalar, Value};
use super::{Typing, hint};
use crate::diagnostic::Code;
use crate::text::{Span, Text};

/// References that are followed one after another; a schema may refer to itself.
const MAX_REFERENCES: usize = 16;

/// A schema, or what it refers to within the same file.
pub(super) fn resolve<'a>(root: &'a Json, mut schema: &'a Json) -> &'a Json {
    for _ in 0..MAX_REFERENCES {
        let target = schema.get("$ref").and_then(Json::as_str).and_then(|path| path.strip_prefix('#'));
        match target.and_then(|path| root.pointer(path)) {
            Some(found) => schema = found,
            None => break,
        }
    }
    schema
}

/// Makes of each value what the runtime makes of it.
pub(super) fn coerce(assembly: &mut Assembly, schema: &Json, typing: Typing, text: &Text) {
    match typing {
        Typing::Typed => {}
        Typing::Pointers => by_pointer(assembly, schema, text),
        Typing::Strings => by_property(assembly, schema, text),
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

/// Gives a node its value, and takes back what was said of the one that it had.
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
    for (name, property) in properties {
        let property = resolve(schema, property);
        let kind = property.get("type").and_then(Json::as_str).unwrap_or("string");
        let singular = name.strip_suffix('s').unwrap_or(name).to_owned();
        let aliases =
            if kind == "array" { vec![name.clone(), singular, format!("{name}s")] } else { vec![name.clone()] };
        let children = assembly.tree.node(ROOT).value.children();
        let find = |alias: &String| children.iter().copied().find(|&id| assembly.tree.node(id).key == *alias);
        let Some(id) = aliases.iter().find_map(find) else { continue };
        let Value::Scalar(_, span) = assembly.tree.node(id).value else {
            assembly.tree.node_mut(id).key.clone_from(name);
            continue;
        };
        let words = assembly.tree.words(id, text).into_owned();
        let failed = |kind: &str| format!("Failed to parse '{words}' as {kind} for parameter '{name}'");
        match kind {
            "array" => wrap(assembly, id, name, span),
            "boolean" => set(assembly, id, Scalar::Boolean(words.eq_ignore_ascii_case("true")), span),
            "integer" => match words.parse::<i64>() {
                Ok(number) => set(assembly, id, Scalar::Number(number as f64), span),
                Err(_) => assembly.error = Some(failed("integer")),
            },
            "number" => match words.parse::<f64>() {
                Ok(number) if number.is_finite() => set(assembly, id, Scalar::Number(number), span),
                Ok(_) => set(assembly, id, Scalar::Null, span),
                Err(_) => assembly.error = Some(failed("number")),
            },
            _ => {}
        }
    }
}

/// Makes an array of one element out of a plain value.
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
