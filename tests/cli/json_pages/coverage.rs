//! Holds JSON against the pages, and records what occurs of them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::page::{Key, Keys, Shape, ShapeName, Type};

/// What occurred of a key.
#[derive(Debug, Default)]
struct Seen {
    present: bool,
    absent: bool,
    /// Numbers of the alternatives of its type that occurred.
    types: BTreeSet<usize>,
}

/// Comparison of outputs with pages.
pub struct Coverage<'a> {
    shapes: &'a BTreeMap<ShapeName, Shape>,
    /// By shape and path of the key.
    seen: BTreeMap<(ShapeName, String), Seen>,
    used: BTreeSet<ShapeName>,
    /// Differences from the pages, each with the first run that shows it.
    pub faults: BTreeMap<String, String>,
    /// The run whose output is compared.
    pub run: String,
}

impl<'a> Coverage<'a> {
    pub fn new(shapes: &'a BTreeMap<ShapeName, Shape>) -> Self {
        let faults = shapes.iter().flat_map(|((page, anchor), shape)| {
            shape.faults.iter().map(move |fault| (format!("{page}#{anchor}: {fault}"), String::new()))
        });
        let faults = faults.collect();
        Self { shapes, seen: BTreeMap::new(), used: BTreeSet::new(), faults, run: String::new() }
    }

    /// Compares the value that an output printed: an object, a list, or one line of it.
    pub fn check(&mut self, output: &ShapeName, value: &Value) {
        self.used.insert(output.clone());
        let shape = &self.shapes[output];
        if shape.lines.is_empty() {
            return self.object(output, value);
        }
        let lines = match value {
            Value::Array(values) => values.iter().collect(),
            value => vec![value],
        };
        for line in lines {
            self.value(&shape.lines, None, &mut BTreeSet::new(), output, "line", line);
        }
    }

    /// Compares names of columns, whose cells have no types.
    pub fn check_columns(&mut self, output: &ShapeName, columns: &[String]) {
        self.mark_includes(output);
        let keys = self.all_keys(output);
        for column in columns.iter().filter(|column| !keys.iter().any(|(_, key, _)| key == *column)) {
            self.fault(format!("{}#{}: column {column} is not described", output.0, output.1));
        }
        for (shape, name, key) in keys {
            let is_present = columns.contains(&name);
            if !is_present && !key.may_be_absent {
                self.fault(format!("{}#{}: column {name} is absent", output.0, output.1));
            }
            let seen = self.seen.entry((shape.clone(), name)).or_default();
            // Cells have no types; the JSON of a shape that is shared has them.
            seen.types.extend((0..key.types.len()).filter(|_| shape == *output));
            if is_present { seen.present = true } else { seen.absent = true }
        }
    }

    fn fault(&mut self, fault: String) {
        let run = self.run.clone();
        self.faults.entry(fault).or_insert(run);
    }

    /// All keys of a shape, with the shape whose table has each.
    fn all_keys(&self, name: &ShapeName) -> Vec<(ShapeName, String, &'a Key)> {
        let Some(shape) = self.shapes.get(name) else { return Vec::new() };
        let own = shape.keys.iter().map(|(key, row)| (name.clone(), key.clone(), row));
        own.chain(shape.includes.iter().flat_map(|included| self.all_keys(included))).collect()
    }

    fn object(&mut self, name: &ShapeName, value: &Value) {
        if !self.shapes.contains_key(name) {
            return self.fault(format!("{name:?} is not a section with a table"));
        }
        let Value::Object(members) = value else {
            return self.fault(format!("{name:?}: is not an object: {}", brief(value)));
        };
        self.mark_includes(name);
        let keys = self.all_keys(name);
        self.members(members, keys, &format!("{}#{}", name.0, name.1), "");
    }

    fn mark_includes(&mut self, name: &ShapeName) {
        self.used.insert(name.clone());
        for included in self.shapes.get(name).map(|shape| shape.includes.clone()).unwrap_or_default() {
            self.mark_includes(&included);
        }
    }

    fn members(
        &mut self,
        members: &Map<String, Value>,
        keys: Vec<(ShapeName, String, &'a Key)>,
        place: &str,
        prefix: &str,
    ) {
        for (member, value) in members {
            if !keys.iter().any(|(_, key, _)| key == member) {
                self.fault(format!("{place}: {prefix}{member} is not described ({})", brief(value)));
            }
        }
        for (shape, name, key) in keys {
            let path = format!("{prefix}{name}");
            let mut types = BTreeSet::new();
            match members.get(&name) {
                Some(value) => self.value(&key.types, Some(key), &mut types, &shape, &path, value),
                None if key.may_be_absent => {}
                None => self.fault(format!("{place}: {path} is absent")),
            }
            let seen = self.seen.entry((shape, path)).or_default();
            seen.types.extend(types);
            if members.contains_key(&name) { seen.present = true } else { seen.absent = true }
        }
    }

    /// Compares a value with alternatives, and records the number of the one that it is.
    fn value(
        &mut self,
        types: &[Type],
        key: Option<&'a Key>,
        seen: &mut BTreeSet<usize>,
        shape: &ShapeName,
        path: &str,
        value: &Value,
    ) {
        let fits = |kind: &Type| match kind {
            Type::Shape(name) => value.as_object().is_some_and(|members| self.is_candidate(name, members)),
            kind => fits(kind, key, value),
        };
        let shapes = || types.iter().rposition(|kind| matches!(kind, Type::Shape(_)) && value.is_object());
        // Where no shape is right, the last one tells what is missing.
        let Some(number) = types.iter().position(fits).or_else(shapes) else {
            let what = brief(value);
            return self.fault(format!("{}#{}: {path} is none of its types: {what}", shape.0, shape.1));
        };
        seen.insert(number);
        match (&types[number], value) {
            (Type::Shape(name), _) => self.object(name, value),
            (Type::Object, Value::Object(members)) => self.inner(members, key, shape, path),
            (Type::List(inner), Value::Array(values)) => {
                for value in values {
                    self.value(inner, key, &mut BTreeSet::new(), shape, &format!("{path}[]"), value);
                }
            }
            (Type::Map(inner), Value::Object(members)) => {
                for value in members.values() {
                    self.value(inner, key, &mut BTreeSet::new(), shape, &format!("{path}.*"), value);
                }
            }
            _ => {}
        }
    }

    fn inner(&mut self, members: &Map<String, Value>, key: Option<&'a Key>, shape: &ShapeName, path: &str) {
        let keys: Option<&Keys> = key.map(|key| &key.keys);
        let keys = keys.into_iter().flatten().map(|(name, key)| (shape.clone(), name.clone(), key)).collect();
        self.members(members, keys, &format!("{}#{}", shape.0, shape.1), &format!("{path}."));
    }

    /// True if an object has all keys that the shape requires, and the shape's word in `type`.
    fn is_candidate(&self, name: &ShapeName, members: &Map<String, Value>) -> bool {
        self.all_keys(name).into_iter().all(|(_, key, row)| match members.get(&key) {
            None => row.may_be_absent,
            Some(value) => key != "type" || row.types.iter().any(|kind| fits(kind, Some(row), value)),
        })
    }

    /// Keys, types and absences that the pages describe and no run has shown.
    pub fn unseen(&self) -> Vec<String> {
        let mut unseen = Vec::new();
        for (name, shape) in self.shapes {
            let place = format!("{}#{}", name.0, name.1);
            if !self.used.contains(name) {
                unseen.push(format!("{place} occurs in no run"));
                continue;
            }
            self.unseen_keys(name, &shape.keys, &place, "", &mut unseen);
        }
        unseen
    }

    fn unseen_keys(&self, name: &ShapeName, keys: &Keys, place: &str, prefix: &str, unseen: &mut Vec<String>) {
        for (key, row) in keys {
            let path = format!("{prefix}{key}");
            // Keys of the elements of a list have its path, with brackets.
            let seen = self.seen.get(&(name.clone(), path.clone()));
            match seen {
                Some(seen) if seen.present => {
                    if row.may_be_absent && !seen.absent {
                        unseen.push(format!("{place}: {path} is never absent"));
                    }
                    for (number, kind) in
                        row.types.iter().enumerate().filter(|(number, _)| !seen.types.contains(number))
                    {
                        unseen.push(format!("{place}: {path} is never its type {} ({kind:?})", number + 1));
                    }
                }
                _ => unseen.push(format!("{place}: {path} occurs in no run")),
            }
            let is_list = row.types.iter().any(|kind| matches!(kind, Type::List(_)));
            let is_map = row.types.iter().any(|kind| matches!(kind, Type::Map(_)));
            let inner = format!(
                "{path}{}",
                if is_list {
                    "[]."
                } else if is_map {
                    ".*."
                } else {
                    "."
                }
            );
            self.unseen_keys(name, &row.keys, place, &inner, unseen);
        }
    }
}

/// True if a value is of a type, except shapes.
fn fits(kind: &Type, key: Option<&Key>, value: &Value) -> bool {
    match (kind, value) {
        (Type::Null, Value::Null)
        | (Type::Boolean, Value::Bool(_))
        | (Type::Number, Value::Number(_))
        | (Type::Text, Value::String(_))
        | (Type::Value, _)
        | (Type::Object | Type::Map(_), Value::Object(_))
        | (Type::List(_), Value::Array(_)) => true,
        (Type::Word, Value::String(word)) => key.is_some_and(|key| key.meaning.contains(&format!("`{word}`"))),
        (Type::Time, Value::String(text)) => text.parse::<jiff::Timestamp>().is_ok(),
        (Type::Span, Value::Array(ends)) => {
            matches!(&ends[..], [start, end] if start.is_u64() && start.as_u64() <= end.as_u64())
        }
        _ => false,
    }
}

fn brief(value: &Value) -> String {
    value.to_string().chars().take(120).collect()
}
