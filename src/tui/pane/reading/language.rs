//! In which language a value or a result is written, and what its lines look like in it.
//!
//! The colours come from the worker of `tui/highlight`; until then, and where no language is known, lines are plain.
//! This module does not know how rows are laid out.

use std::sync::Arc;

use crate::params::{NodeId, ParamTree, ROOT, Value};
use crate::text::{Span, Text};

use crate::tui::highlight::{Highlighted, Language, MAX_TEXT_BYTES, language_of};
use crate::tui::pane::reading::line_numbers::number_widths;
use crate::tui::style::Role;
use crate::tui::view::View;
use crate::tui::view::cache::Wanted;

/// Keys of a container that are looked at for what holds for all of them.
pub(super) const SIBLINGS: usize = 256;

/// Bytes of a result that are painted; beyond them it is plain.
pub(super) const PAINTED: usize = MAX_TEXT_BYTES;

/// The language of a value: by the name of the file it goes to, by its code fence, by its content.
pub(super) fn language_of_value(tree: &ParamTree, node: Option<NodeId>, bytes: &[u8], text: &Text) -> Option<Language> {
    let siblings = node.map(|id| tree.node(tree.node(id).parent).value.children()).unwrap_or_default();
    language_of(file_among(tree, siblings, text).as_deref(), fence_of(bytes).as_deref(), bytes)
}

/// The tag of the fence that a text begins with.
fn fence_of(bytes: &[u8]) -> Option<String> {
    let first = bytes.split(|&byte| byte == b'\n').next().unwrap_or_default();
    first.strip_prefix(b"```").map(|tag| String::from_utf8_lossy(tag).into_owned())
}

/// The name of a file that one of some arguments gives.
fn file_among(tree: &ParamTree, arguments: &[NodeId], text: &Text) -> Option<String> {
    arguments.iter().take(SIBLINGS).find_map(|&id| {
        let key = tree.node(id).key.to_ascii_lowercase();
        match tree.node(id).value {
            Value::Scalar(..) if key.contains("path") || key.contains("file") => {
                Some(tree.words(id, text).into_owned())
            }
            _ => None,
        }
    })
}

/// What the lines of a result look like, from its first byte on.
#[derive(Default)]
pub(super) struct Painted {
    /// Bytes of the number in front of each line.
    numbers: Vec<usize>,
    colours: Option<Arc<Highlighted>>,
}

impl Painted {
    /// The looks of `shown`, with which the result `item` begins that lies at `origin` and answers `call`.
    pub(super) fn from_result(view: &View, item: usize, call: Option<usize>, origin: usize, shown: &[u8]) -> Self {
        let numbers = number_widths(shown);
        let is_numbered = numbers.iter().any(|&width| width > 0);
        let code: Vec<u8> = if is_numbered { code_of(shown, &numbers) } else { shown.to_vec() };
        // The file is what was read only where the tool has numbered its lines; else it may be what it talks about.
        let read = call.filter(|_| is_numbered).and_then(|call| view.assembly(call));
        let file = read.and_then(|assembly| {
            let tree = &assembly.tree;
            file_among(tree, tree.node(ROOT).value.children(), view.session.text())
        });
        let language = language_of(file.as_deref(), fence_of(&code).as_deref(), &code);
        let colours = language.and_then(|language| {
            let key = ((view.base() + origin) as u64) << 24 ^ shown.len() as u64;
            view.cache.borrow_mut().colours(Wanted { key, language, text: code.into(), item })
        });
        Self { numbers, colours }
    }

    /// The styles of a line, by its number from the first of the result.
    pub(super) fn styles(&self, number: usize, line: Span) -> Vec<(Span, Role)> {
        let width = self.numbers.get(number).copied().unwrap_or(0);
        let mut at = line.start + width;
        let mut styles = Vec::new();
        if width > 0 {
            styles.push((Span::new(line.start, at), Role::LineNumber));
        }
        let runs = self.colours.as_ref().and_then(|colours| colours.lines.get(number));
        for &(length, role) in runs.into_iter().flatten() {
            styles.push((Span::new(at, at + length), role));
            at += length;
        }
        styles
    }
}

/// The lines without their numbers, and nothing of those that have none: they are no code.
fn code_of(shown: &[u8], numbers: &[usize]) -> Vec<u8> {
    let lines = shown.split(|&byte| byte == b'\n').zip(numbers);
    let code: Vec<&[u8]> = lines.map(|(line, &width)| if width > 0 { &line[width..] } else { &[] }).collect();
    code.join(&b'\n')
}
