//! Where each byte of a rendered prompt comes from: a part of the template, and a field of the input, or neither, or not known.
//!
//! The plain render says which tag wrote a byte. A second one, in which marks surround the strings of the input, says
//! which string it is from, **if it is the same text once the marks are removed**: that equality is the proof. Where it fails,
//! strings of equal text get the same mark, then fewer of them are marked at a time; and a field that cannot be marked is
//! replaced by another text of its length, so that what differs is its own. What then remains of expressions is not known.

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::engine::{Engine, RenderedText, SourceSpan};
use super::fields::{InputField, TemplateInput};
use super::marks::{self, MarkCharacter};
use super::{PromptSpan, RenderOptions, SpanOrigin, variables};

/// Renders that one provenance may take.
const MAX_RENDERS: usize = 400;

/// Time after which the rest is not known.
const MAX_TIME: Duration = Duration::from_secs(5);

/// The same for a prompt of more than [`LARGE_BYTES`], each render of which takes a part of it.
const MAX_TIME_OF_LARGE: Duration = Duration::from_secs(1);

/// Bytes of a prompt from which it is large.
const LARGE_BYTES: usize = 1 << 20;

/// Bytes of a prompt whose provenance is found.
const MAX_BYTES: usize = 16 << 20;

/// Path under which the text of `strftime_now` is a field.
pub const CLOCK_PATH: &str = "strftime_now()";

/// The origins of a prompt's bytes while they are found.
struct Attribution<'a> {
    engine: &'a Engine,
    input: &'a TemplateInput,
    options: &'a RenderOptions,
    base: &'a RenderedText,
    fields: &'a [InputField],
    /// For each byte, 0 or one more than the index in `sets`.
    owners: Vec<u32>,
    /// Sets of fields; several if their text is the same and any of them may be the one.
    sets: Vec<Vec<usize>>,
    /// For each byte, true if a tag printed it.
    printed: Vec<bool>,
    /// For each byte, true if it may come from a field that could not be followed.
    unknown: Vec<bool>,
    renders: usize,
    deadline: Instant,
}

/// Bytes of a prompt that are searched for numbers.
#[derive(Default)]
struct FreeBytes {
    /// The ranges, each with what follows it for the length of a number, and a separator.
    text: Vec<u8>,
    /// For each range, its offset in `text`.
    ranges: Vec<(usize, Range<usize>)>,
}

/// The spans of a prompt: they cover it without a gap. The last of the fields is the clock.
pub(super) fn spans(
    engine: &Engine,
    input: &TemplateInput,
    options: &RenderOptions,
    base: &RenderedText,
    fields: &[InputField],
) -> Vec<PromptSpan> {
    let time = if base.text.len() > LARGE_BYTES { MAX_TIME_OF_LARGE } else { MAX_TIME };
    let mut attribution = Attribution {
        engine,
        input,
        options,
        base,
        fields,
        owners: Vec::new(),
        sets: Vec::new(),
        printed: Vec::new(),
        unknown: Vec::new(),
        renders: 0,
        deadline: Instant::now() + time,
    };
    attribution.find();
    attribution.into_spans()
}

/// The spans of a prompt before its origins are found: what tags printed is of unknown origin.
pub(super) fn unfollowed_spans(engine: &Engine, base: &RenderedText) -> Vec<PromptSpan> {
    let newlines: Vec<usize> = engine.source().match_indices('\n').map(|(at, _)| at).collect();
    let span = |span: &SourceSpan| PromptSpan {
        range: span.output.clone(),
        source: span.source.clone(),
        line: 1 + newlines.partition_point(|&at| at < span.source.start),
        is_literal: span.is_literal,
        origin: if span.is_literal { SpanOrigin::Template } else { SpanOrigin::Unknown },
    };
    base.spans.iter().map(span).collect()
}

impl Attribution<'_> {
    fn find(&mut self) {
        let length = self.base.text.len();
        let is_followed = length <= MAX_BYTES && !self.has_marks();
        self.printed = vec![false; length];
        for span in self.base.spans.iter().filter(|span| !span.is_literal) {
            self.printed[span.output.clone()].fill(true);
        }
        self.owners = vec![0; length];
        self.unknown = vec![false; length];
        if !is_followed {
            self.unknown.clone_from(&self.printed);
            return;
        }
        let is_text = |index: &usize| self.fields[*index].value.as_str().is_some_and(|text| !text.trim().is_empty());
        // Templates compare the id of a result with the ids of calls, and other marks would make equal ids differ.
        let (mut texts, mut ids) = (Vec::new(), BTreeMap::<&str, Vec<usize>>::new());
        for index in (0..self.fields.len() - 1).filter(is_text) {
            let field = &self.fields[index];
            match field.value.as_str() {
                Some(id) if field.is_id() => ids.entry(id).or_default().push(index),
                _ => texts.push(vec![index]),
            }
        }
        texts.extend(ids.into_values());
        if !self.try_marks(&texts) {
            let mut by_text: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
            let fields = self.fields;
            for &index in texts.iter().flatten() {
                by_text.entry(fields[index].value.as_str().unwrap_or_default()).or_default().push(index);
            }
            let mut groups: Vec<Vec<usize>> = by_text.into_values().collect();
            groups.sort();
            let mut failed = Vec::new();
            self.narrow(&groups, &mut failed);
            for group in groups.iter().filter(|group| group.len() > 1 && !failed.contains(group)) {
                let single: Vec<Vec<usize>> = group.iter().map(|&index| vec![index]).collect();
                self.try_marks(&single);
            }
            let mut is_forgotten = false;
            for group in failed {
                if !self.try_replacement(&group) && !is_forgotten {
                    self.forget_printed();
                    is_forgotten = true;
                }
            }
        }
        self.find_scalars();
    }

    /// True if the input or the template has characters that marks would be confused with.
    fn has_marks(&self) -> bool {
        let texts = self.fields.iter().filter_map(|field| field.value.as_str());
        marks::contains_marks(&self.base.text)
            || texts.into_iter().any(marks::contains_marks)
            || self.fields.len() > marks::MAX_MARKS
    }

    fn may_render(&mut self) -> bool {
        self.renders += 1;
        self.renders <= MAX_RENDERS && Instant::now() < self.deadline
    }

    /// Marks each group with a separate mark. True if the prompt is the same; then its bytes are attributed.
    fn try_marks(&mut self, groups: &[Vec<usize>]) -> bool {
        if !self.may_render() {
            return false;
        }
        let mut numbers = vec![None; self.fields.len()];
        for (number, group) in groups.iter().enumerate() {
            for &index in group {
                numbers[index] = Some(number);
            }
        }
        let marked = self.input.with_fields(|index, value| {
            numbers[index].map(|number| Value::String(marks::surround(value.as_str().unwrap_or_default(), number)))
        });
        let Ok(rendered) = self.engine.render(&variables(&marked, self.options, true)) else { return false };
        let clock = vec![self.fields.len() - 1];
        let group_of = |number: usize| if number == marks::CLOCK { Some(&clock) } else { groups.get(number) };
        let text_of = |number: usize| {
            let index = *group_of(number)?.first()?;
            self.fields[index].value.as_str().map(str::trim)
        };
        let (text, found) = read_marks(&rendered.text, text_of);
        if text != self.base.text {
            return false;
        }
        let first = self.sets.len();
        self.sets.extend(groups.iter().cloned());
        self.sets.push(clock.clone());
        for (range, number) in found {
            let set = if number == marks::CLOCK { groups.len() } else { number };
            self.attribute(range, first + set);
        }
        true
    }

    /// Gives bytes that a tag printed to a set of fields, with the whitespace around them that is the field's.
    fn attribute(&mut self, range: Range<usize>, set: usize) {
        let owner = u32::try_from(set + 1).unwrap_or(0);
        let field = self.sets[set].first().and_then(|&index| self.fields[index].value.as_str()).unwrap_or_default();
        let leading = &field[..field.len() - field.trim_start().len()];
        let trailing = &field[field.trim_end().len()..];
        let mut whole = range;
        if self.base.text[..whole.start].ends_with(leading) {
            whole.start -= leading.len();
        }
        if self.base.text[whole.end..].starts_with(trailing) {
            whole.end += trailing.len();
        }
        for at in whole.clone() {
            if self.printed[at] {
                self.owners[at] = owner;
            }
        }
    }

    /// Marks groups; if they change the prompt, each half of them.
    fn narrow(&mut self, groups: &[Vec<usize>], failed: &mut Vec<Vec<usize>>) {
        match groups {
            [] => {}
            groups if self.try_marks(groups) => {}
            [group] => failed.push(group.clone()),
            groups => {
                let (left, right) = groups.split_at(groups.len() / 2);
                self.narrow(left, failed);
                self.narrow(right, failed);
            }
        }
    }

    /// Replaces a text that cannot be marked by another one of its length. True if the rest of the prompt is the same.
    fn try_replacement(&mut self, group: &[usize]) -> bool {
        let Some(text) = group.first().and_then(|&index| self.fields[index].value.as_str()).map(str::to_owned) else {
            return false;
        };
        let replacement = Value::String(other_text(&text));
        let Some(other) = self.render_with(group, &replacement) else { return false };
        if other.len() != self.base.text.len() {
            return false;
        }
        self.sets.push(group.to_vec());
        let (base, set) = (self.base, self.sets.len() - 1);
        let mut at = 0;
        while let Some(ahead) = (at..other.len()).find(|&at| other.as_bytes()[at] != base.text.as_bytes()[at]) {
            // Characters that are the same in both belong to it where the whole text is there.
            let nearest = base.text.floor_char_boundary(ahead.saturating_sub(text.len()));
            let whole = base.text[nearest..].find(&text).map(|start| nearest + start..nearest + start + text.len());
            let range = whole.filter(|whole| whole.contains(&ahead)).unwrap_or(ahead..ahead + 1);
            at = range.end.max(ahead + 1);
            for at in range {
                if self.printed[at] {
                    self.owners[at] = u32::try_from(set + 1).unwrap_or(0);
                }
            }
        }
        true
    }

    fn render_with(&mut self, group: &[usize], replacement: &Value) -> Option<String> {
        if !self.may_render() {
            return None;
        }
        let input = self.input.with_fields(|index, _| group.contains(&index).then(|| replacement.clone()));
        self.engine.render(&variables(&input, self.options, false)).ok().map(|rendered| rendered.text)
    }

    /// Numbers, booleans and null: each is replaced by another one, and what differs is its own.
    fn find_scalars(&mut self) {
        let fields = self.fields;
        let scalars: Vec<_> = fields.iter().map(|field| scalar_forms(&field.value)).collect();
        let longest = scalars.iter().flatten().map(|(form, _)| form.len()).max();
        let Some(longest) = longest else { return };
        let free = self.free_bytes(longest);
        for (index, (field, forms)) in fields.iter().zip(scalars).enumerate() {
            if !forms.iter().any(|(form, _)| self.free_places(form, &free).next().is_some()) {
                continue;
            }
            let replacement = match &field.value {
                Value::Bool(flag) => Value::Bool(!flag),
                Value::Null => Value::Bool(false),
                number => other_number(number),
            };
            let other = self.render_with(&[index], &replacement);
            let ranges = other.and_then(|other| differences(&self.base.text, &other, &forms));
            if let Some(ranges) = ranges {
                self.sets.push(vec![index]);
                let owner = u32::try_from(self.sets.len()).unwrap_or(0);
                ranges.into_iter().flatten().filter(|&at| self.printed[at]).for_each(|at| self.owners[at] = owner);
                continue;
            }
            for at in forms.iter().flat_map(|(form, _)| self.free_places(form, &free)).collect::<Vec<_>>() {
                at.filter(|&at| self.printed[at]).for_each(|at| self.unknown[at] = true);
            }
        }
    }

    /// Bytes that tags printed and no field has, in one text: it is short in a large prompt, and searched for each number.
    fn free_bytes(&self, longest: usize) -> FreeBytes {
        let mut free = FreeBytes::default();
        let bytes = self.base.text.as_bytes();
        let mut start = 0;
        while let Some(first) = (start..bytes.len()).find(|&at| self.printed[at] && self.owners[at] == 0) {
            let end = (first..bytes.len()).find(|&at| !self.printed[at] || self.owners[at] != 0);
            start = end.unwrap_or(bytes.len());
            free.ranges.push((free.text.len(), first..start));
            free.text.extend_from_slice(&bytes[first..(start + longest).min(bytes.len())]);
            // No text of a prompt contains it.
            free.text.push(0xff);
        }
        free
    }

    /// The places of a text that begin at a free byte that still has no field.
    fn free_places<'f>(&'f self, text: &'f str, free: &'f FreeBytes) -> impl Iterator<Item = Range<usize>> + 'f {
        let place = |at: usize| {
            let (start, range) = &free.ranges[free.ranges.partition_point(|(start, _)| *start <= at) - 1];
            let at = range.start + at - start;
            (at < range.end).then(|| at..at + text.len())
        };
        let found = memchr::memmem::find_iter(&free.text, text.as_bytes());
        found.filter_map(place).filter(|at| self.owners[at.start] == 0)
    }

    /// Marks all bytes that tags printed, and that no field has, as of unknown origin.
    fn forget_printed(&mut self) {
        self.unknown.clone_from(&self.printed);
    }

    /// Cuts the template's spans where the origin changes.
    fn into_spans(self) -> Vec<PromptSpan> {
        let newlines: Vec<usize> = self.engine.source().match_indices('\n').map(|(at, _)| at).collect();
        let mut spans = Vec::new();
        for span in &self.base.spans {
            let mut start = span.output.start;
            while start < span.output.end {
                let kind = |at: usize| (self.owners[at], self.owners[at] == 0 && self.unknown[at]);
                let mut end = (start..span.output.end).find(|&at| kind(at) != kind(start)).unwrap_or(span.output.end);
                while !self.base.text.is_char_boundary(end) {
                    end += 1;
                }
                let origin = match kind(start) {
                    (0, true) => SpanOrigin::Unknown,
                    (0, false) => SpanOrigin::Template,
                    (owner, _) => SpanOrigin::Fields(self.sets[owner as usize - 1].clone()),
                };
                let ahead = if span.is_literal { start - span.output.start } else { 0 };
                let source = span.source.start + ahead..if span.is_literal {
                    span.source.start + end - span.output.start
                } else {
                    span.source.end
                };
                let line = 1 + newlines.partition_point(|&at| at < source.start);
                spans.push(PromptSpan { range: start..end, source, line, is_literal: span.is_literal, origin });
                start = end;
            }
        }
        spans
    }
}

/// A text without its marks, and the ranges that they surrounded. Of a mark without its twin, the bytes next to it
/// that are the text's count.
fn read_marks<'t>(marked: &str, text_of: impl Fn(usize) -> Option<&'t str>) -> (String, Vec<(Range<usize>, usize)>) {
    let (mut text, mut found, mut open) =
        (String::with_capacity(marked.len()), Vec::new(), Vec::<(usize, usize)>::new());
    let mut cut = Vec::new();
    for character in marked.chars() {
        match marks::mark(character) {
            None => text.push(character),
            Some(MarkCharacter::Begin(number)) => open.push((number, text.len())),
            Some(MarkCharacter::End(number)) => {
                let range = match open.iter().rposition(|&(other, _)| other == number) {
                    Some(position) => {
                        cut.extend(open.drain(position + 1..));
                        open.pop().map_or(0, |(_, start)| start)..text.len()
                    }
                    None => text.len() - shared_end(&text, text_of(number).unwrap_or_default())..text.len(),
                };
                found.push((range, number));
            }
        }
    }
    for (number, start) in cut.into_iter().chain(open) {
        let length = shared_start(&text[start..], text_of(number).unwrap_or_default());
        found.push((start..start + length, number));
    }
    (text, found)
}

/// Bytes that two texts have in common at their ends.
fn shared_end(left: &str, right: &str) -> usize {
    let pairs = left.chars().rev().zip(right.chars().rev());
    pairs.take_while(|(left, right)| left == right).map(|(left, _)| left.len_utf8()).sum()
}

/// Bytes that two texts have in common at their beginnings.
fn shared_start(left: &str, right: &str) -> usize {
    let pairs = left.chars().zip(right.chars());
    pairs.take_while(|(left, right)| left == right).map(|(left, _)| left.len_utf8()).sum()
}

/// Another text of the same length: each ASCII letter and digit is another one of its kind.
#[must_use]
pub fn other_text(text: &str) -> String {
    let next = |character: char, first: char, count: u8| {
        let offset = (u32::from(character) - u32::from(first) + u32::from(count) / 2) % u32::from(count);
        char::from_u32(u32::from(first) + offset).unwrap_or(character)
    };
    text.chars()
        .map(|character| match character {
            'a'..='z' => next(character, 'a', 26),
            'A'..='Z' => next(character, 'A', 26),
            '0'..='9' => next(character, '0', 10),
            other => other,
        })
        .collect()
}

/// A number with as many digits.
fn other_number(number: &Value) -> Value {
    let text: String = number
        .to_string()
        .chars()
        .map(|digit| if digit.is_ascii_digit() { if digit == '9' { '8' } else { '9' } } else { digit })
        .collect();
    serde_json::from_str(&text).unwrap_or(Value::from(9))
}

/// How templates print a number, boolean or null, each with how they print its replacement.
fn scalar_forms(value: &Value) -> Vec<(String, String)> {
    let pairs: &[(&str, &str)] = match value {
        Value::Bool(true) => &[("true", "false"), ("True", "False")],
        Value::Bool(false) => &[("false", "true"), ("False", "True")],
        Value::Null => &[("null", "false"), ("None", "False")],
        Value::Number(number) => {
            return vec![(number.to_string(), other_number(&Value::Number(number.clone())).to_string())];
        }
        _ => &[],
    };
    pairs.iter().map(|(left, right)| ((*left).to_owned(), (*right).to_owned())).collect()
}

/// The places in `left` where one of the forms was replaced in `right`, if nothing else differs.
fn differences(left: &str, right: &str, forms: &[(String, String)]) -> Option<Vec<Range<usize>>> {
    let (mut ranges, mut at, mut other) = (Vec::new(), 0, 0);
    loop {
        let same = left.as_bytes()[at..]
            .iter()
            .zip(&right.as_bytes()[other..])
            .take_while(|(left, right)| left == right)
            .count();
        (at, other) = (at + same, other + same);
        if at == left.len() && other == right.len() {
            return Some(ranges);
        }
        // Forms of numbers may begin with the same characters.
        let replaced = forms.iter().find_map(|(form, replacement)| {
            let shared = form.bytes().zip(replacement.bytes()).take_while(|(left, right)| left == right).count();
            let (from, to) = (at.checked_sub(shared)?, other.checked_sub(shared)?);
            let fits = left.as_bytes()[from..].starts_with(form.as_bytes())
                && right.as_bytes()[to..].starts_with(replacement.as_bytes());
            fits.then_some((from, form.len(), to, replacement.len()))
        })?;
        let (from, length, to, other_length) = replaced;
        ranges.push(from..from + length);
        (at, other) = (from + length, to + other_length);
    }
}
