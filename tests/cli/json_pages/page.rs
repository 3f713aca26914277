//! The pages of JSON outputs as data: outputs and shapes with their keys, types and meanings.
//!
//! A heading whose text is code is an output, any other heading above a table is a shape. A row is a key, its type and its
//! meaning. The first page defines the notation.

use std::collections::BTreeMap;

/// Name of a shape or of an output: its page and the anchor of its heading.
pub type ShapeName = (String, String);

/// A type in the second column of a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Type {
    /// The JSON value `null`, written `null` in a table.
    Null,
    Boolean,
    Number,
    Text,
    /// One of the words in the meaning.
    Word,
    /// Date and time by RFC 3339.
    Time,
    /// Two numbers, the second not below the first.
    Span,
    /// Any JSON value, such as an argument of a call.
    Value,
    /// An object whose keys are in the same table.
    Object,
    /// An object of a shape.
    Shape(ShapeName),
    List(Vec<Type>),
    /// An object whose keys are data.
    Map(Vec<Type>),
}

/// A row of a table.
#[derive(Clone, Debug)]
pub struct Key {
    pub may_be_absent: bool,
    /// The types that the table allows; each must occur.
    pub types: Vec<Type>,
    pub meaning: String,
    /// Keys of its objects, if they are in the same table.
    pub keys: Keys,
}

/// The keys of a table by name, with `[]` and `*` for elements.
pub type Keys = BTreeMap<String, Key>;

/// A section of a page.
#[derive(Debug, Default)]
pub struct Shape {
    /// Command line of an output.
    pub output: Option<String>,
    pub keys: Keys,
    /// Shapes whose keys it has, too.
    pub includes: Vec<ShapeName>,
    /// Alternatives of each line or element.
    pub lines: Vec<Type>,
    /// Rows of the section that cannot be read as a table.
    pub faults: Vec<String>,
}

/// Reads the shapes of pages, given with their names.
pub fn shapes(pages: &[(String, String)]) -> BTreeMap<ShapeName, Shape> {
    let mut shapes = BTreeMap::new();
    for (page, text) in pages {
        for section in text.split("\n#").skip(1) {
            let heading = section.lines().next().unwrap_or_default().trim_start_matches('#').trim();
            let shape = shape(page, section, heading);
            if shape.output.is_some() || !shape.keys.is_empty() || !shape.lines.is_empty() {
                shapes.insert((page.clone(), anchor(heading)), shape);
            }
        }
    }
    shapes
}

/// The anchor of a heading, as GitHub makes it.
fn anchor(heading: &str) -> String {
    let lower = heading.to_lowercase().replace(' ', "-");
    lower.chars().filter(|letter| letter.is_alphanumeric() || matches!(letter, '-' | '_')).collect()
}

fn shape(page: &str, section: &str, heading: &str) -> Shape {
    let output = heading.strip_prefix('`').and_then(|rest| rest.strip_suffix('`')).map(str::to_owned);
    let mut shape = Shape { output, ..Shape::default() };
    for line in section.lines() {
        if let Some(types) = line.strip_prefix("Each line is ").or_else(|| line.strip_prefix("A list of ")) {
            match alternatives(page, types.trim_end_matches(['.', ':'])) {
                Ok(types) => shape.lines = types,
                Err(fault) => shape.faults.push(fault),
            }
        }
        let Some(row) = line.strip_prefix("| ").and_then(|line| line.strip_suffix(" |")) else { continue };
        let cells: Vec<&str> = row.splitn(3, " | ").collect();
        let [key, types, meaning] = cells[..] else { continue };
        if key == "key" {
            continue;
        }
        let types = match alternatives(page, types) {
            Ok(types) => types,
            Err(fault) => {
                shape.faults.push(format!("{key}: {fault}"));
                continue;
            }
        };
        if key == "…" {
            shape.includes.extend(types.into_iter().filter_map(|kind| match kind {
                Type::Shape(name) => Some(name),
                _ => None,
            }));
            continue;
        }
        if meaning.trim().len() < 3 {
            shape.faults.push(format!("{key}: has no meaning"));
        }
        for key in key.split(", ") {
            let Some(path) = key.strip_prefix('`').and_then(|key| key.strip_suffix('`')) else {
                shape.faults.push(format!("{key}: is not code"));
                continue;
            };
            let may_be_absent = path.ends_with('?');
            let key = Key { may_be_absent, types: types.clone(), meaning: meaning.to_owned(), keys: Keys::new() };
            if let Err(fault) = insert(&mut shape.keys, path.trim_end_matches('?'), key) {
                shape.faults.push(fault);
            }
        }
    }
    shape
}

/// Inserts a key by its path: `a`, `a.b`, `a[].b`.
fn insert(keys: &mut Keys, path: &str, key: Key) -> Result<(), String> {
    match path.split_once('.') {
        None if keys.contains_key(path) => Err(format!("{path}: is there twice")),
        None => {
            keys.insert(path.to_owned(), key);
            Ok(())
        }
        Some((first, rest)) => {
            let outer = keys.get_mut(first.trim_end_matches("[]")).ok_or_else(|| format!("{path}: follows no row"))?;
            insert(&mut outer.keys, rest.trim_start_matches("*."), key)
        }
    }
}

fn alternatives(page: &str, types: &str) -> Result<Vec<Type>, String> {
    if let Some(inner) = types.strip_prefix("list of ") {
        let (inner, or_null) = inner.strip_suffix(" or null").map_or((inner, false), |inner| (inner, true));
        let mut all = vec![Type::List(alternatives(page, inner)?)];
        all.extend(or_null.then_some(Type::Null));
        return Ok(all);
    }
    types.split(" or ").map(|one| one_type(page, one)).collect()
}

fn one_type(page: &str, name: &str) -> Result<Type, String> {
    Ok(match name {
        "null" => Type::Null,
        "boolean" => Type::Boolean,
        "number" => Type::Number,
        "text" => Type::Text,
        "word" => Type::Word,
        "time" => Type::Time,
        "span" => Type::Span,
        "value" => Type::Value,
        "object" => Type::Object,
        _ => {
            if let Some(inner) = name.strip_prefix("map of ") {
                return Ok(Type::Map(vec![one_type(page, inner)?]));
            }
            if let Some(inner) = name.strip_prefix("list of ") {
                return Ok(Type::List(vec![one_type(page, inner)?]));
            }
            let link = name.split_once("](").and_then(|(_, link)| link.strip_suffix(')'));
            let link = link.ok_or_else(|| format!("unknown type {name:?}"))?;
            let (file, anchor) = link.split_once('#').ok_or_else(|| format!("{link:?} links to no section"))?;
            let page = if file.is_empty() { page.to_owned() } else { format!("docs/{file}") };
            Type::Shape((page, anchor.to_owned()))
        }
    })
}
