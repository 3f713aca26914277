//! Parses the text of a region like the reference's content parsers: text, numbers, JSON, tags and lines.
//!
//! A value is a tree whose nodes have spans in the text. If the reference raises an exception, its message is kept,
//! and the tree is built from the readable part.

use std::collections::HashMap;

use super::field::{Content, Strip};
use super::load::python_repr;
use super::matcher::find_all;
use super::pattern::Pattern;
use super::reading::Reading;
use super::refusal::Refusal;
use super::relaxed_json;
use super::shape::{copy, last, place};
use crate::text::Span;
use crate::value::json::Arrival;
use crate::value::{Node, NodeId, ParamTree, ROOT, Scalar, Value};

/// Parses a region's text, which begins at `start`.
pub(super) fn read(content: &Content, bytes: &[u8], start: usize, arrival: Arrival) -> Reading {
    match content {
        Content::Text { strip } => Reading::plain(Scalar::String, start, stripped(bytes, *strip)),
        Content::Int { strip } | Content::Float { strip } | Content::Bool { strip } => {
            let (from, to) = stripped(bytes, *strip);
            let words = String::from_utf8_lossy(&bytes[from..to]);
            let plain = |scalar| Reading::plain(scalar, start, (from, to));
            match content {
                Content::Bool { .. } => plain(Scalar::Boolean(matches!(&*words.to_lowercase(), "true" | "1"))),
                Content::Int { .. } => match integer(&words) {
                    Some(number) => plain(Scalar::Number(number)),
                    None => plain(Scalar::String)
                        .refuse(format!("invalid literal for int() with base 10: {}", python_repr(&words))),
                },
                _ => match float(&words) {
                    Some(number) => plain(Scalar::Number(number)),
                    None => plain(Scalar::String)
                        .refuse(format!("could not convert string to float: {}", python_repr(&words))),
                },
            }
        }
        Content::Json(form) => {
            let reading = relaxed_json::read(form, bytes, start, arrival);
            match form.or_text {
                Some(strip) if reading.refusal.as_ref().is_some_and(|refusal| refusal.is_json) => {
                    Reading::plain(Scalar::String, start, stripped(bytes, strip))
                }
                _ => reading,
            }
        }
        Content::XmlInline { tag, value, merge } => xml_inline(tag, value.as_deref(), *merge, bytes, start, arrival),
        Content::KvLines { line, pair, strip, value } => {
            let mut members = Members::default();
            let mut at = 0;
            for piece in PythonSplit::new(bytes, line) {
                let (from, to) = stripped(piece, *strip);
                let words = &piece[from..to];
                if let Some(found) = memchr::memmem::find(words, pair.as_bytes()) {
                    let base = start + at + from;
                    let (key_from, key_to) = stripped(&words[..found], *strip);
                    let behind = found + pair.len();
                    let (value_from, value_to) = stripped(&words[behind..], *strip);
                    let key = Span::new(base + key_from, base + key_to);
                    let span = Span::new(base + behind + value_from, base + behind + value_to);
                    let name = String::from_utf8_lossy(&words[key_from..key_to]);
                    let raw = &words[behind + value_from..behind + value_to];
                    members.add(
                        &name,
                        key,
                        key.cover(span),
                        inner(value.as_deref(), raw, span.start, arrival),
                        Duplicates::Last,
                    );
                }
                at += piece.len() + line.len();
            }
            members.reading
        }
    }
}

/// The value in a tag or a line.
fn inner(content: Option<&Content>, bytes: &[u8], start: usize, arrival: Arrival) -> Reading {
    match content {
        Some(content) => read(content, bytes, start, arrival),
        None => Reading::plain(Scalar::String, start, (0, bytes.len())),
    }
}

fn xml_inline(
    tag: &Pattern,
    content: Option<&Content>,
    merge: bool,
    bytes: &[u8],
    start: usize,
    arrival: Arrival,
) -> Reading {
    let mut members = Members::default();
    let number = |wanted: &str| tag.groups.iter().find(|(name, _)| name == wanted).map(|(_, number)| *number);
    let (key_group, value_group) = (number("key"), number("value"));
    for found in find_all(tag, bytes) {
        let place = Span::new(start + found.span.start, start + found.span.end);
        let Some(key) = key_group.and_then(|group| found.group(group)) else {
            members.refuse(Refusal::new("xml-inline: tag_pattern must have a named group 'key'."));
            continue;
        };
        let value = value_group.and_then(|group| found.group(group)).unwrap_or(Span::at(found.span.end));
        let name = String::from_utf8_lossy(&bytes[key.start..key.end]);
        let reading = inner(content, &bytes[value.start..value.end], start + value.start, arrival);
        let key = Span::new(start + key.start, start + key.end);
        members.add(&name, key, place, reading, if merge { Duplicates::Merge } else { Duplicates::Last });
    }
    members.reading
}

/// Treatment of repeated keys.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Duplicates {
    /// The last value replaces the first one in its position.
    Last,
    /// The values form a list.
    Merge,
}

/// An object that is being built.
#[derive(Default)]
struct Members {
    reading: Reading,
    /// For each key, the index among the children of the root.
    known: HashMap<String, usize>,
}

impl Members {
    fn refuse(&mut self, refusal: Refusal) {
        self.reading.refusal.get_or_insert(refusal);
    }

    fn add(&mut self, key: &str, key_place: Span, whole: Span, value: Reading, duplicates: Duplicates) {
        if let Some(refusal) = value.refusal {
            self.refuse(refusal);
        }
        self.reading.problems.extend(value.problems);
        let tree = &mut self.reading.tree;
        match self.known.get(key).copied() {
            Some(index) if duplicates == Duplicates::Merge => {
                let first = tree.node(ROOT).value.children()[index];
                let list = if matches!(tree.node(first).value, Value::Array(_)) {
                    first
                } else {
                    let old = tree.node(first).clone();
                    let list = Node { key_place: old.key_place, ..Node::new(key, Value::Array(Vec::new()), old.place) };
                    let list = replace(tree, index, list);
                    tree.add(list, Node { key: "0".into(), ..old });
                    list
                };
                let count = tree.node(list).value.children().len();
                copy(&value.tree, ROOT, tree, Some(list), &count.to_string());
                let added = last(tree, Some(list));
                mark(tree, added, key_place, whole);
            }
            Some(index) => {
                copy(&value.tree, ROOT, tree, Some(ROOT), key);
                let added = last(tree, Some(ROOT));
                mark(tree, added, key_place, whole);
                if let Value::Object(children) = &mut tree.node_mut(ROOT).value {
                    children.pop();
                    children[index] = added;
                }
            }
            None => {
                self.known.insert(key.to_owned(), tree.node(ROOT).value.children().len());
                copy(&value.tree, ROOT, tree, Some(ROOT), key);
                let added = last(tree, Some(ROOT));
                mark(tree, added, key_place, whole);
            }
        }
    }
}

/// Replaces a child of the root by a node.
fn replace(tree: &mut ParamTree, index: usize, node: Node) -> NodeId {
    let key = node.key.clone();
    place(tree, Some(ROOT), &key, node);
    let added = last(tree, Some(ROOT));
    if let Value::Object(children) = &mut tree.node_mut(ROOT).value {
        children.pop();
        children[index] = added;
    }
    added
}

/// Sets the spans of a member.
fn mark(tree: &mut ParamTree, id: NodeId, key_place: Span, whole: Span) {
    let node = tree.node_mut(id);
    (node.key_place, node.place) = (key_place, whole);
}

/// Splits a text at a separator, like Python.
struct PythonSplit<'a> {
    bytes: &'a [u8],
    separator: &'a [u8],
    at: Option<usize>,
}

impl<'a> PythonSplit<'a> {
    fn new(bytes: &'a [u8], separator: &'a str) -> Self {
        Self { bytes, separator: separator.as_bytes(), at: Some(0) }
    }
}

impl<'a> Iterator for PythonSplit<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let start = self.at?;
        let rest = &self.bytes[start..];
        let found = memchr::memmem::find(rest, self.separator).filter(|_| !self.separator.is_empty());
        self.at = found.map(|found| start + found + self.separator.len());
        Some(&rest[..found.unwrap_or(rest.len())])
    }
}

/// The offsets of a text without surrounding whitespace, as stripped by Python.
pub(super) fn stripped(bytes: &[u8], strip: Strip) -> (usize, usize) {
    if strip == Strip::Keep {
        return (0, bytes.len());
    }
    let is_space = |c: char| c.is_whitespace() || ('\x1c'..='\x1f').contains(&c);
    let Ok(text) = std::str::from_utf8(bytes) else {
        let start = bytes.len() - bytes.trim_ascii_start().len();
        return (start, start + bytes[start..].trim_ascii_end().len());
    };
    let start = text.len() - text.trim_start_matches(is_space).len();
    (start, start + text[start..].trim_end_matches(is_space).len())
}

/// Removes underscores between digits, as Python allows them.
fn without_underscores(words: &str) -> Option<String> {
    let bytes = words.as_bytes();
    let is_digit = |index: Option<usize>| index.and_then(|index| bytes.get(index)).is_some_and(u8::is_ascii_digit);
    let mut underscores = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'_');
    let all = underscores.all(|(index, _)| is_digit(index.checked_sub(1)) && is_digit(Some(index + 1)));
    all.then(|| words.replace('_', ""))
}

/// Parses an integer like Python's `int`.
fn integer(words: &str) -> Option<f64> {
    let words = words.trim();
    let digits = words.strip_prefix(['+', '-']).unwrap_or(words);
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_');
    without_underscores(words).filter(|_| is_number)?.parse().ok()
}

/// Parses a number like Python's `float`.
fn float(words: &str) -> Option<f64> {
    without_underscores(words.trim())?.parse().ok()
}
