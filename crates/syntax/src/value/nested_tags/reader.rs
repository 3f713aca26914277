//! Builds a tree from elements: objects, arrays and plain values.

use std::borrow::Cow;
use std::collections::HashMap;

use super::element::{Element, Elements, TagFault};
use super::{ELEMENT_TAG, TagSyntax, faults};
use crate::text::{Span, trim};
use crate::value::ContainerKind;
use crate::value::Sink;
use crate::value::json::Arrival;
use crate::value::tree_builder::{ParsedArguments, Plain, TreeBuilder};

/// Pending work, the last step first.
enum PendingStep {
    /// An element with its name as its key, or without a key in an array.
    Element(usize, Keyed),
    /// An array of elements that have the same name.
    Array(Vec<usize>),
    /// A container ends before this offset.
    End(usize),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Keyed {
    ByName,
    ByIndex,
}

/// Reads all of the text; see [`super::parse`].
pub(super) fn read<S: Sink + Default>(
    bytes: &[u8],
    at: usize,
    arrival: Arrival,
    syntax: TagSyntax<'_>,
) -> ParsedArguments<S> {
    let elements = Elements::read(bytes, syntax.prefix, arrival == Arrival::Open);
    let builder = TreeBuilder::with_root(Span::new(at, at + bytes.len()));
    let mut reader = TagReader { bytes, at, syntax, elements, builder, steps: Vec::new(), faulty: Vec::new() };
    reader.faults(arrival);
    reader.members(0, ContainerKind::Object);
    while let Some(step) = reader.steps.pop() {
        reader.take(step);
    }
    reader.builder.finish(at + bytes.len())
}

struct TagReader<'a, 's, S> {
    bytes: &'a [u8],
    /// Offset of the text in the transcript.
    at: usize,
    syntax: TagSyntax<'s>,
    elements: Elements,
    builder: TreeBuilder<'a, 'static, S>,
    steps: Vec<PendingStep>,
    /// Offsets of tags with a reported fault.
    faulty: Vec<usize>,
}

impl<'a, S: Sink + Default> TagReader<'a, '_, S> {
    fn faults(&mut self, arrival: Arrival) {
        let end = self.elements.list[0].content.1;
        for (fault, start, tag_end) in std::mem::take(&mut self.elements.faults) {
            let name = match fault {
                // The end of an element may still arrive.
                TagFault::Unclosed(index) if arrival == Arrival::Open && self.elements.list[index].end >= end => {
                    continue;
                }
                TagFault::Unclosed(index) | TagFault::Mismatched(index) => self.name(index),
                TagFault::Stray | TagFault::Malformed | TagFault::TooMany => Cow::default(),
            };
            self.faulty.push(start);
            let found = String::from_utf8_lossy(&self.bytes[start + self.syntax.prefix.len()..tag_end]);
            let problem = faults::describe(fault, self.span(start, tag_end), &name, &found);
            if fault == TagFault::TooMany { self.builder.problem(problem) } else { self.builder.refuse(problem) }
        }
    }

    fn take(&mut self, step: PendingStep) {
        match step {
            PendingStep::End(end) => self.builder.end(self.at + end),
            PendingStep::Array(indices) => {
                let (Some(&first), Some(&last)) = (indices.first(), indices.last()) else { return };
                self.key(first);
                let Element { start, content, .. } = self.elements.list[first];
                self.builder.begin(ContainerKind::Array, self.span(start, content.0));
                self.steps.push(PendingStep::End(self.elements.list[last].end));
                self.steps.extend(indices.into_iter().rev().map(|index| PendingStep::Element(index, Keyed::ByIndex)));
            }
            PendingStep::Element(index, keyed) => {
                if keyed == Keyed::ByName {
                    self.key(index);
                }
                self.element(index);
            }
        }
    }

    fn key(&mut self, index: usize) {
        let Element { start, name, .. } = self.elements.list[index];
        let words = self.name(index);
        self.builder.key(words, self.span(name.0, name.1), self.at + start);
    }

    fn element(&mut self, index: usize) {
        let Element { start, content, end, ref children, .. } = self.elements.list[index];
        if children.is_empty() {
            let text = &self.bytes[content.0..content.1];
            let (from, to) = self.syntax.strip.strip(text);
            let scalar = (self.syntax.coerce)(&text[from..to]);
            let value = self.span(content.0 + from, content.0 + to);
            self.builder.plain(Plain { scalar, value, place: self.span(start, end) }, || None);
            return;
        }
        let is_array = children.iter().all(|&child| *self.name(child) == *ELEMENT_TAG);
        let holder = if is_array { ContainerKind::Array } else { ContainerKind::Object };
        self.builder.begin(holder, self.span(start, content.0));
        self.steps.push(PendingStep::End(end));
        self.members(index, holder);
    }

    /// Schedules the members of an element, the first one on top.
    fn members(&mut self, index: usize, holder: ContainerKind) {
        self.ignored_text(index);
        let children = self.elements.list[index].children.clone();
        if holder == ContainerKind::Array {
            self.steps.extend(children.into_iter().rev().map(|child| PendingStep::Element(child, Keyed::ByIndex)));
            return;
        }
        let mut groups: Vec<Vec<usize>> = Vec::new();
        let mut known: HashMap<&[u8], usize> = HashMap::new();
        let bytes = self.bytes;
        for child in children {
            let (start, end) = self.elements.list[child].name;
            let group = *known.entry(&bytes[start..end]).or_insert(groups.len());
            match groups.get_mut(group) {
                Some(group) => group.push(child),
                None => groups.push(vec![child]),
            }
        }
        for group in groups.into_iter().rev() {
            match group[..] {
                [only] => self.steps.push(PendingStep::Element(only, Keyed::ByName)),
                [first, second, ..] => {
                    let [first, again] = [first, second].map(|index| self.name_place(index));
                    self.builder.problem(faults::repeated(again, first, &self.name(second)));
                    self.steps.push(PendingStep::Array(group));
                }
                [] => {}
            }
        }
    }

    /// Reports the first text between the tags of an element.
    fn ignored_text(&mut self, index: usize) {
        let Element { content, ref children, .. } = self.elements.list[index];
        let starts = children.iter().map(|&child| self.elements.list[child].start).chain([content.1]);
        let ends = [content.0].into_iter().chain(children.iter().map(|&child| self.elements.list[child].end));
        let gap = ends.zip(starts).find_map(|(from, to)| {
            let text = trim(&self.bytes[from..to.max(from)], from);
            let is_faulty = self.faulty.iter().any(|&tag| text.contains(tag));
            (!text.is_empty() && !is_faulty).then_some(text)
        });
        if let Some(text) = gap {
            let name = (index > 0).then(|| self.name(index));
            let problem = faults::ignored_text(self.span(text.start, text.end), name.as_deref());
            self.builder.problem(problem);
        }
    }

    fn name(&self, index: usize) -> Cow<'a, str> {
        let (start, end) = self.elements.list[index].name;
        String::from_utf8_lossy(&self.bytes[start..end])
    }

    fn name_place(&self, index: usize) -> Span {
        let (start, end) = self.elements.list[index].name;
        self.span(start, end)
    }

    fn span(&self, start: usize, end: usize) -> Span {
        Span::new(self.at + start, self.at + end)
    }
}
