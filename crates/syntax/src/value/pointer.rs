//! Assembles a tree from pointers step by step, as the reference runtime does, and reports what goes wrong.
//!
//! The first child below a path decides whether it is an array (a number of ASCII digits) or an object; indices are
//! parsed like JavaScript's `parseInt` and must name an existing element or the next one. Where the runtime stops at
//! the first error, the tree is continued without the faulty argument, so that everything that arrived is shown.
//! `__proto__` and the like are ordinary keys here. Decisions do not depend on whether a tree is built.

mod javascript;
mod path_index;
mod value;

use std::borrow::Cow;
use std::collections::HashMap;

use memchr::memchr_iter;

use super::{Argument, Findings, Node, NodeId, ROOT, Scalar, Sink, Value, coerce};
use crate::diagnostic::{Code, Diagnostic, Severity, hidden_characters};
use crate::text::window::Window;
use crate::text::{Span, Text};
use path_index::{PathIndex, Shape, Vacant};
use value::ValueJudge;

/// Most segments of a pointer. JSON readers, `serde_json` among them, commonly stop at a depth of 128, and in exports
/// of a transcript parameters are nested a few levels deep.
pub const MAX_DEPTH: usize = 120;

/// Memory for assembling the arguments of a call, which is reused for each call.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    index: PathIndex,
    /// Index of the problem that reported a gap in each array.
    gaps: HashMap<NodeId, usize>,
    /// First argument with each pointer, of the arguments before `entered`.
    seen: HashMap<Box<[u8]>, usize>,
    entered: usize,
    /// The previous pointer, and the containers on its path: the ends of their segments, and their nodes.
    last: Vec<u8>,
    way: Vec<(usize, NodeId)>,
}

/// Stores the arguments of a call in `sink`; problems are added to `out`.
pub(crate) fn assemble<'a, S: Sink>(
    text: &'a Text,
    window: &mut Window<'a>,
    arguments: &[Argument],
    scratch: &mut Scratch,
    sink: &mut S,
    out: Findings,
) -> Findings {
    scratch.index.begin();
    scratch.gaps.clear();
    scratch.seen.clear();
    scratch.entered = 0;
    scratch.last.clear();
    scratch.way.clear();
    let mut builder = Builder { text, arguments, scratch, sink, out, values: ValueJudge::new(text), is_regular: true };
    for number in 0..arguments.len() {
        builder.add(number, window);
    }
    builder.out
}

struct Builder<'a, S> {
    text: &'a Text,
    arguments: &'a [Argument],
    scratch: &'a mut Scratch,
    sink: &'a mut S,
    out: Findings,
    values: ValueJudge<'a>,
    /// True if every argument so far is where its pointer leads.
    is_regular: bool,
}

impl<S: Sink> Builder<'_, S> {
    fn add(&mut self, number: usize, window: &mut Window<'_>) {
        let argument = self.arguments[number];
        let is_last = number + 1 == self.arguments.len();
        let scalar = self.values.judge(&argument, is_last, window, &mut self.out.problems);
        self.sink.scalar(scalar);
        let pointer = window.read(argument.pointer);
        if pointer.is_empty() {
            let problem =
                Diagnostic::new(Code::EmptyPointer, argument.marker, "the argument has no pointer and is skipped");
            self.out.problems.push(problem.related(argument.value, "this value is lost"));
            return;
        }
        let new = if self.is_regular { self.new_below(pointer) } else { None };
        if new.is_none() {
            self.judge_pointer(&argument, pointer);
            if let Some(first) = self.first_with(pointer, number) {
                let message = format!("Duplicate pointer: {}", text(pointer));
                let problem = Diagnostic::new(Code::DuplicatePointer, argument.pointer, &message);
                self.fail(message, problem.related(self.arguments[first].pointer, "first given here"));
                return;
            }
        }
        if pointer.len() > MAX_DEPTH {
            let segments = memchr_iter(b'/', pointer).count() + 1;
            if segments > MAX_DEPTH {
                let message = format!("pointer with {segments} segments; at most {MAX_DEPTH} are read");
                let problem = Diagnostic::new(Code::PointerTooDeep, argument.pointer, &message);
                self.fail(message, problem);
                self.is_regular = false;
                return;
            }
        }
        self.is_regular &= self.store(number, pointer, new, scalar);
    }

    /// The first segment of a pointer that adds something, if it follows segments of the previous pointer and there is
    /// nothing to report about the pointer. `None` if it must be examined in full.
    fn new_below(&mut self, pointer: &[u8]) -> Option<NewSegment> {
        let Scratch { index, last, way, .. } = &mut *self.scratch;
        let same = last.iter().zip(pointer).take_while(|(before, now)| before == now).count();
        while way.last().is_some_and(|&(end, _)| end >= same) {
            way.pop();
        }
        last.truncate(same);
        last.extend_from_slice(&pointer[same..]);
        // A container's segment ends before a slash, which is common to both pointers.
        let (mut start, mut at) = way.last().map_or((0, ROOT), |&(end, node)| (end + 1, node));
        let mut new = None;
        loop {
            let rest = &pointer[start..];
            let length = rest.iter().position(|&byte| !PLAIN[usize::from(byte)]).unwrap_or(rest.len());
            let (segment, next) = (&rest[..length], rest.get(length));
            if segment.is_empty() || next.is_some_and(|&byte| byte != b'/') {
                return None;
            }
            let end = start + length;
            if new.is_none() {
                match index.find(at, segment) {
                    Err(vacant) => new = Some(NewSegment { at, start, end, vacant }),
                    Ok(child) => {
                        let is_leaf = matches!(index.shape(child), Shape::Leaf(_));
                        if next.is_none() || is_leaf || javascript::is_inherited(segment) {
                            return None;
                        }
                        at = child;
                        way.push((end, at));
                    }
                }
            }
            if next.is_none() {
                return new;
            }
            start = end + 1;
        }
    }

    /// The first argument before `number` with this pointer.
    fn first_with(&mut self, pointer: &[u8], number: usize) -> Option<usize> {
        let Scratch { seen, entered, .. } = &mut *self.scratch;
        for (earlier, argument) in self.arguments.iter().enumerate().take(number).skip(*entered) {
            let pointer = self.text.read(argument.pointer);
            if !pointer.is_empty() {
                seen.entry(pointer.into()).or_insert(earlier);
            }
        }
        *entered = number;
        seen.get(pointer).copied()
    }

    /// Walks down the segments, creating containers, and stores the value at the end; `new` is the first segment that
    /// adds something, if known. Returns true if the value is where its pointer leads and replaces nothing.
    fn store(&mut self, number: usize, pointer: &[u8], new: Option<NewSegment>, scalar: Scalar) -> bool {
        let argument = self.arguments[number];
        let (mut at, mut start) = new.map_or((ROOT, 0), |new| (new.at, new.start));
        let mut end = new.map_or_else(|| segment_end(pointer, 0), |new| new.end);
        let mut vacant = new.map(|new| new.vacant).filter(|_| matches!(self.scratch.index.shape(at), Shape::Object));
        let mut is_regular = true;
        loop {
            let segment = &pointer[start..end];
            let is_last = end == pointer.len();
            let place = Span::new(argument.pointer.start + start, argument.pointer.start + end);
            let slot = if let Some(vacant) = vacant.take() {
                self.judge_reserved(segment, place, None, is_last);
                Slot::New(vacant, segment.into())
            } else {
                let Some(slot) = self.slot(at, segment, &pointer[start..], place, number) else { return false };
                slot
            };
            let value = || Value::Scalar(scalar, argument.value);
            match slot {
                Slot::New(vacant, key) if is_last => {
                    self.scratch.index.insert(vacant, at, &key, Shape::Leaf(number as u32));
                    self.sink.add(at, || Node {
                        argument: Some(number),
                        ..Node::new(text(&key), value(), argument.place())
                    });
                    return is_regular && &*key == segment;
                }
                Slot::Held(id) if is_last => {
                    self.replace(id, value(), number);
                    return false;
                }
                Slot::New(vacant, key) => {
                    is_regular &= &*key == segment;
                    let next = &pointer[end + 1..segment_end(pointer, end + 1)];
                    let is_array = is_digits(next);
                    if !is_array {
                        self.judge_first_key(next, place.end + 1);
                    }
                    let shape = if is_array { Shape::Array(0) } else { Shape::Object };
                    let id = self.scratch.index.insert(vacant, at, &key, shape);
                    self.sink.add(at, || {
                        let container = if is_array { Value::Array(Vec::new()) } else { Value::Object(Vec::new()) };
                        Node::new(text(&key), container, argument.place())
                    });
                    if new.is_some() {
                        self.scratch.way.push((end, id));
                    }
                    at = id;
                }
                Slot::Held(id) => {
                    // An index in another form is not where the pointer leads as written.
                    is_regular &= !matches!(self.scratch.index.shape(at), Shape::Array(_)) || is_index(segment);
                    at = id;
                }
            }
            start = end + 1;
            end = segment_end(pointer, start);
        }
    }

    /// The slot for a segment in a container; the segment is at `place` and begins `rest`. `None` if the runtime
    /// rejects it or loses the value, which has been reported.
    fn slot<'p>(&mut self, at: NodeId, bytes: &'p [u8], rest: &[u8], place: Span, number: usize) -> Option<Slot<'p>> {
        let is_last = bytes.len() == rest.len();
        let length = match self.scratch.index.shape(at) {
            Shape::Object => {
                let found = self.scratch.index.find(at, bytes);
                self.judge_reserved(bytes, place, found.ok(), is_last);
                return Some(found.map_or_else(|vacant| Slot::New(vacant, bytes.into()), Slot::Held));
            }
            Shape::Array(length) => length,
            Shape::Leaf(holder) => {
                self.not_a_container(at, rest, holder as usize, number);
                return None;
            }
        };
        let Some(index) = javascript::parse_int(bytes).filter(|&index| index >= 0.0) else {
            let message = format!("Invalid array index: {}", text(bytes));
            let problem = Diagnostic::new(Code::InvalidIndex, place, &message)
                .contrast(format!("{length} (the next index)"), quote(bytes));
            // A word may be a key that belongs in another container.
            let is_word = bytes.iter().any(u8::is_ascii_alphabetic);
            let problem = if is_word { problem } else { problem.replace_with(length.to_string()) };
            self.fail(message, problem);
            return None;
        };
        if index > f64::from(length) {
            let message = format!("Array index gap: expected {length}, got {}", coerce::number_text(index));
            // One gap makes every later element of its array a gap; they are reported as one problem.
            if let Some(&first) = self.scratch.gaps.get(&at) {
                if let Some(problem) = self.out.problems.get_mut(first) {
                    problem.add_related(place, "after the same gap");
                }
                return None;
            }
            let next = self.out.problems.len();
            let problem = Diagnostic::new(Code::ArrayGap, place, &message)
                .contrast(length.to_string(), text(bytes).into_owned())
                .replace_with(length.to_string());
            self.fail(message, problem);
            // If it is counted and not listed, nothing more is reported about the others.
            let number = if self.out.problems.len() > next { next } else { usize::MAX };
            self.scratch.gaps.insert(at, number);
            return None;
        }
        let mut key = Cow::Borrowed(bytes);
        if !is_index(bytes) {
            #[expect(clippy::cast_sign_loss, reason = "it is not negative, and at most the length of the array")]
            let plain = (index as u32).to_string();
            let message = format!("the index {} is read as {plain}", quote(bytes));
            let problem = Diagnostic::new(Code::IndexAlias, place, message).contrast(&*plain, quote(bytes));
            self.out.problems.push(problem.replace_with(&*plain));
            key = Cow::Owned(plain.into_bytes());
        }
        Some(match self.scratch.index.find(at, &key) {
            Ok(id) => Slot::Held(id),
            Err(vacant) => Slot::New(vacant, key),
        })
    }

    /// Replaces an earlier value.
    fn replace(&mut self, id: NodeId, value: Value, number: usize) {
        let argument = self.arguments[number];
        let index = &mut self.scratch.index;
        let lost = index.first_argument(id).map(|first| self.arguments[first].pointer);
        let what = match index.shape(id) {
            Shape::Leaf(_) => "the value",
            Shape::Array(_) => "the array",
            Shape::Object => "the object",
        };
        let message = format!("{what} at {} is replaced", index.path(id));
        let mut problem = Diagnostic::new(Code::ValueReplaced, argument.pointer, message);
        if let Some(lost) = lost {
            problem = problem.related(lost, "the value of this argument is lost");
        }
        self.out.problems.push(problem);
        index.replace(id, number);
        self.sink.change(id, |node| {
            node.value = value;
            node.place = argument.place();
            node.argument = Some(number);
        });
    }

    /// Reports a key that every JavaScript object inherits, so that the runtime stores nothing under it.
    fn judge_reserved(&mut self, key: &[u8], place: Span, held: Option<NodeId>, leaf: bool) {
        let is_value = held.is_some_and(|id| matches!(self.scratch.index.shape(id), Shape::Leaf(_)));
        let lost = if leaf { key == b"__proto__" } else { javascript::is_inherited(key) && !is_value };
        if lost {
            let what = if leaf { "this value" } else { "what is put below it" };
            let key = text(key);
            let message =
                format!("every JavaScript object inherits {key}: the runtime loses {what}; shown here as a plain key");
            self.out.problems.push(Diagnostic::new(Code::ReservedKey, place, message));
        }
    }

    /// Reports a path that continues with `rest` below the plain value of the node `at`, set by the argument `holder`.
    fn not_a_container(&mut self, at: NodeId, rest: &[u8], holder: usize, number: usize) {
        let path = self.scratch.index.path(at);
        let (holder, pointer) = (self.arguments[holder], self.arguments[number].pointer);
        let value = self.text.read(holder.value);
        let scalar = coerce::coerce(&value);
        let type_name = scalar.type_name();
        // After its first error the runtime has stopped: only the first key matters.
        let walked = if self.out.error.is_none() { usize::MAX } else { 1 };
        let keys: Vec<Cow<'_, str>> = rest.split(|&byte| byte == b'/').take(walked).map(text).collect();
        let Some(refusal) = javascript::store_below(scalar, &value, &keys) else {
            let message = format!("the runtime loses this value without a word: {path} holds a {type_name}");
            let mut problem = Diagnostic::new(Code::ReservedKey, pointer, message);
            problem.severity = Severity::Error;
            self.out.problems.push(problem);
            return;
        };
        let problem = Diagnostic::new(Code::NotAContainer, pointer, refusal.shortened())
            .contrast("an object or an array", format!("{path} holds a {type_name}"))
            .related(holder.pointer, format!("{path} is given a plain value here"));
        self.out.error.get_or_insert_with(|| refusal.words());
        self.out.problems.push(problem);
    }

    /// Rejects the call; the first message is the call's error.
    fn fail(&mut self, message: String, problem: Diagnostic) {
        self.out.error.get_or_insert(message);
        self.out.problems.push(problem);
    }

    /// Reports problems of a pointer by itself.
    fn judge_pointer(&mut self, argument: &Argument, pointer: &[u8]) {
        let words = text(pointer);
        self.out.problems.extend(hidden_characters(&words, argument.pointer, "the pointer"));
        if let Some((name, value)) = inline_value(&words, argument.value.is_empty()) {
            let message = format!("the whole line is the parameter's name: {}", quote(pointer));
            let help = format!("put the value on its own line: {name}, then {} below it", quote(value.as_bytes()));
            let problem = Diagnostic::new(Code::ValueOnPointerLine, argument.pointer, message);
            self.out.problems.push(problem.contrast(name, &*words).help(help));
            return;
        }
        let mut start = argument.pointer.start;
        for segment in pointer.split(|&byte| byte == b'/') {
            if segment.is_empty() || segment.trim_ascii().len() != segment.len() {
                let message = format!("the key {} is taken verbatim", quote(segment));
                let span = if segment.is_empty() { argument.pointer } else { Span::new(start, start + segment.len()) };
                self.out.problems.push(Diagnostic::new(Code::OddKey, span, message));
                return;
            }
            start += segment.len() + 1;
        }
    }

    /// Reports a key at `start` that looks like an index but makes an object.
    fn judge_first_key(&mut self, bytes: &[u8], start: usize) {
        if bytes.first().is_some_and(u8::is_ascii_alphabetic) {
            return;
        }
        let numeric = text(bytes).trim_start_matches(['-', '+']).starts_with(char::is_numeric);
        if numeric
            && bytes.len() <= 20
            && javascript::parse_int(bytes).is_none_or(|number| number < 0.0 || bytes.starts_with(b"+"))
        {
            let message = format!("{} makes an object with that key, no array", quote(bytes));
            let problem = Diagnostic::new(Code::IndexAlias, Span::new(start, start + bytes.len()), message);
            self.out.problems.push(problem.contrast("0", quote(bytes)).replace_with("0"));
        }
    }
}

/// The target of a segment.
enum Slot<'a> {
    /// Nothing yet; a child with this key can be created.
    New(Vacant, Cow<'a, [u8]>),
    /// This child.
    Held(NodeId),
}

/// The first segment of a pointer that adds something to a container, with its position.
#[derive(Clone, Copy)]
struct NewSegment {
    at: NodeId,
    /// Its offsets in the pointer.
    start: usize,
    end: usize,
    vacant: Vacant,
}

/// End of the segment that begins at `start`; a slash cannot be escaped.
fn segment_end(pointer: &[u8], start: usize) -> usize {
    pointer[start..].iter().position(|&byte| byte == b'/').map_or(pointer.len(), |length| start + length)
}

/// Characters of keys that need no report: they are visible, and are not separators.
const PLAIN: [bool; 256] = {
    let mut plain = [false; 256];
    let mut byte = 0;
    while byte < plain.len() {
        plain[byte] = (byte as u8).is_ascii_alphanumeric() || matches!(byte as u8, b'_' | b'-' | b'.');
        byte += 1;
    }
    plain
};

/// True if a segment or a value is an unsigned integer in JavaScript's canonical form, regardless of its size.
fn is_index(bytes: &[u8]) -> bool {
    is_digits(bytes) && (bytes.len() == 1 || bytes[0] != b'0')
}

fn is_digits(bytes: &[u8]) -> bool {
    !bytes.is_empty() && bytes.iter().all(u8::is_ascii_digit)
}

/// The name and the value in a pointer line that seems to hold both.
fn inline_value(pointer: &str, without_value: bool) -> Option<(&str, &str)> {
    let word = pointer.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '/' | '.' | '[' | ']')))?;
    let (name, rest) = pointer.split_at(word);
    let value = rest.trim_start_matches([' ', '\t', ':', '=']).trim();
    let separator = &rest[..rest.len() - rest.trim_start_matches([' ', '\t', ':', '=']).len()];
    let spaced = separator.contains([' ', '\t']);
    let plausible = !name.is_empty() && !separator.is_empty() && (spaced || without_value) && !value.is_empty();
    (plausible && !value.starts_with('/') && !name.ends_with('/')).then_some((name, value))
}

fn text(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

fn quote(bytes: &[u8]) -> String {
    format!("\"{}\"", text(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_on_the_pointer_line_is_told_from_a_name() {
        let cases = [
            ("path src/main.rs", true, Some(("path", "src/main.rs"))),
            ("a: 42", false, Some(("a", "42"))),
            ("a=42", true, Some(("a", "42"))),
            ("a:b", false, None),
            ("a / b", true, None),
            ("config/retries", true, None),
            ("tags/ 1", true, None),
        ];
        for (pointer, without_value, expected) in cases {
            assert_eq!(inline_value(pointer, without_value), expected, "{pointer:?}");
        }
    }
}
