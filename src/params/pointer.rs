//! Assembles a tree from pointers, step by step as the reference runtime does it, and says where that goes wrong.
//!
//! The first child below a path decides whether it is an array (a number of ASCII digits) or an object; indices are
//! read as JavaScript's `parseInt` reads them and must name an element or the next one. Where the runtime stops at
//! the first error, the tree is built on without the argument at fault, so that nothing that arrived is hidden.
//! `__proto__` and its like are plain keys here. This module does not know markers.

mod javascript;
pub mod plain;

use std::borrow::Cow;
use std::collections::HashMap;

use super::{Argument, Assembly, Node, NodeId, ROOT, Scalar, Value, coerce};
use crate::diagnostic::{Code, Diagnostic, Related, Severity};
use crate::text::{Span, trim_end, trim_start};

/// Segments a pointer may have. JSON readers commonly stop at a depth of 128, `serde_json` among them, and parameters
/// stand a few levels deep in what is written of a transcript.
pub const MAX_DEPTH: usize = 120;

/// Builds the tree of `arguments`, whose bytes lie in `body`, which lies at `base`.
pub fn assemble(body: &[u8], base: usize, arguments: Vec<Argument>) -> Assembly {
    let mut builder = Builder {
        body,
        base,
        out: Assembly::default(),
        children: HashMap::new(),
        seen: HashMap::new(),
        gaps: HashMap::new(),
    };
    for (index, argument) in arguments.iter().enumerate() {
        builder.add(index, argument, &arguments);
    }
    builder.out.arguments = arguments;
    builder.out
}

struct Builder<'a> {
    body: &'a [u8],
    base: usize,
    out: Assembly,
    /// Child by container and key.
    children: HashMap<(NodeId, &'a [u8]), NodeId>,
    /// First argument with each pointer.
    seen: HashMap<&'a [u8], usize>,
    /// The problem that reported the gap of an array.
    gaps: HashMap<NodeId, usize>,
}

impl<'a> Builder<'a> {
    fn bytes(&self, span: Span) -> &'a [u8] {
        &self.body[span.start - self.base..span.end - self.base]
    }

    fn add(&mut self, index: usize, argument: &Argument, arguments: &[Argument]) {
        let scalar = coerce::coerce(self.bytes(argument.value));
        self.out.scalars.push(scalar);
        self.judge_value(argument, scalar, index + 1 == arguments.len());
        let pointer = self.bytes(argument.pointer);
        if pointer.is_empty() {
            let problem =
                Diagnostic::new(Code::EmptyPointer, argument.marker, "the argument has no pointer and is skipped");
            self.out.problems.push(problem.related(argument.value, "this value is lost"));
            return;
        }
        self.judge_pointer(argument, pointer);
        if let Some(&first) = self.seen.get(pointer) {
            let message = format!("Duplicate pointer: {}", text(pointer));
            let problem = Diagnostic::new(Code::DuplicatePointer, argument.pointer, &message);
            self.fail(message, problem.related(arguments[first].pointer, "first given here"));
            return;
        }
        self.seen.insert(pointer, index);
        let segments: Vec<Span> = segments(pointer, argument.pointer.start).collect();
        if segments.len() > MAX_DEPTH {
            let message = format!("pointer with {} segments; at most {MAX_DEPTH} are read", segments.len());
            let problem = Diagnostic::new(Code::PointerTooDeep, argument.pointer, &message);
            self.fail(message, problem);
            return;
        }
        self.store(index, argument, &segments, scalar, arguments);
    }

    /// Walks down the segments, making containers, and puts the value at the end.
    fn store(&mut self, index: usize, argument: &Argument, segments: &[Span], scalar: Scalar, arguments: &[Argument]) {
        let mut at = ROOT;
        for (depth, &segment) in segments.iter().enumerate() {
            let leaf = depth + 1 == segments.len();
            let Some(slot) = self.slot(at, &segments[depth..], argument, arguments) else { return };
            let value = || Value::Scalar(scalar, argument.value);
            match (slot, leaf) {
                (Slot::New(key), true) => {
                    let node = Node::new(key, value(), argument.place());
                    self.insert(at, segment, Node { argument: Some(index), ..node });
                }
                (Slot::Held(id), true) => self.replace(id, value(), index, argument, arguments),
                (Slot::New(key), false) => {
                    let next = segments[depth + 1];
                    let array = is_digits(self.bytes(next));
                    if !array {
                        self.judge_first_key(next);
                    }
                    let container = if array { Value::Array(Vec::new()) } else { Value::Object(Vec::new()) };
                    at = self.insert(at, segment, Node::new(key, container, argument.place()));
                }
                (Slot::Held(id), false) => at = id,
            }
        }
    }

    /// Where the first of the segments leads in a container; `None` when the runtime refuses it or loses the value,
    /// which has been reported.
    fn slot(&mut self, at: NodeId, segments: &[Span], argument: &Argument, arguments: &[Argument]) -> Option<Slot> {
        let &segment = segments.first()?;
        let bytes = self.bytes(segment);
        let length = match &self.out.tree.nodes[at].value {
            Value::Object(_) => {
                let held = self.children.get(&(at, bytes)).copied();
                self.judge_reserved(segment, held, segments.len() == 1);
                return Some(held.map_or_else(|| Slot::New(text(bytes).into_owned()), Slot::Held));
            }
            Value::Array(elements) => elements.len(),
            Value::Scalar(scalar, span) => {
                let (scalar, span) = (*scalar, *span);
                self.not_a_container(at, segments, scalar, span, argument, arguments);
                return None;
            }
        };
        let Some(number) = parse_int(bytes).filter(|&number| number >= 0.0) else {
            let message = format!("Invalid array index: {}", text(bytes));
            let problem = Diagnostic::new(Code::InvalidIndex, segment, &message)
                .contrast(format!("{length} (the next index)"), quote(bytes));
            // A word may be a key that belongs elsewhere.
            let is_word = bytes.iter().any(u8::is_ascii_alphabetic);
            let problem = if is_word { problem } else { problem.replace_with(length.to_string()) };
            self.fail(message, problem);
            return None;
        };
        if number > length as f64 {
            let message = format!("Array index gap: expected {length}, got {}", coerce::number_text(number));
            // One gap makes every later element of its array a gap; they are one problem.
            if let Some(&first) = self.gaps.get(&at) {
                let related = Related { span: segment, message: "behind the same gap".into() };
                self.out.problems[first].related.push(related);
                return None;
            }
            self.gaps.insert(at, self.out.problems.len());
            let problem = Diagnostic::new(Code::ArrayGap, segment, &message)
                .contrast(length.to_string(), text(bytes).into_owned())
                .replace_with(length.to_string());
            self.fail(message, problem);
            return None;
        }
        #[expect(clippy::cast_sign_loss, reason = "it is not negative, and at most the length of the array")]
        let number = number as usize;
        let plain = number.to_string();
        if bytes != plain.as_bytes() {
            let message = format!("the index {} is read as {plain}", quote(bytes));
            let problem = Diagnostic::new(Code::IndexAlias, segment, message).contrast(&*plain, quote(bytes));
            self.out.problems.push(problem.replace_with(&*plain));
        }
        Some(self.out.tree.nodes[at].value.children().get(number).map_or(Slot::New(plain), |&id| Slot::Held(id)))
    }

    fn insert(&mut self, parent: NodeId, segment: Span, node: Node) -> NodeId {
        let id = self.out.tree.add(parent, node);
        if matches!(self.out.tree.nodes[parent].value, Value::Object(_)) {
            self.children.insert((parent, self.bytes(segment)), id);
        }
        id
    }

    /// Puts a value in the place of an earlier one.
    fn replace(&mut self, id: NodeId, value: Value, index: usize, argument: &Argument, arguments: &[Argument]) {
        let lost = self.out.tree.first_argument(id).map(|first| arguments[first].pointer);
        let what = match &self.out.tree.nodes[id].value {
            Value::Scalar(..) => "the value",
            Value::Array(_) => "the array",
            Value::Object(_) => "the object",
        };
        let path = self.out.tree.path(id);
        let mut problem =
            Diagnostic::new(Code::ValueReplaced, argument.pointer, format!("{what} at {path} is replaced"));
        if let Some(lost) = lost {
            problem = problem.related(lost, "what this argument gave is lost");
        }
        self.out.problems.push(problem);
        let node = &mut self.out.tree.nodes[id];
        node.value = value;
        node.place = argument.place();
        node.argument = Some(index);
    }

    /// A key that every object of JavaScript has already, so that the runtime stores nothing under it in this one.
    fn judge_reserved(&mut self, segment: Span, held: Option<NodeId>, leaf: bool) {
        let key = self.bytes(segment);
        let is_value = held.is_some_and(|id| matches!(self.out.tree.nodes[id].value, Value::Scalar(..)));
        let lost = if leaf { key == b"__proto__" } else { javascript::is_inherited(key) && !is_value };
        if lost {
            let what = if leaf { "this value" } else { "what is put below it" };
            let key = text(key);
            let message =
                format!("every object in JavaScript has {key}: the runtime loses {what}; here it is a plain key");
            self.out.problems.push(Diagnostic::new(Code::ReservedKey, segment, message));
        }
    }

    /// A path that goes on below the plain value of the node `at`.
    fn not_a_container(
        &mut self,
        at: NodeId,
        segments: &[Span],
        scalar: Scalar,
        value: Span,
        argument: &Argument,
        arguments: &[Argument],
    ) {
        let path = self.out.tree.path(at);
        let type_name = scalar.type_name();
        // Behind the first error the runtime has stopped: there only the first key matters.
        let walked = if self.out.error.is_none() { segments } else { &segments[..1] };
        let keys: Vec<Cow<'_, str>> = walked.iter().map(|&segment| text(self.bytes(segment))).collect();
        let Some(refusal) = javascript::store_below(scalar, self.bytes(value), &keys) else {
            let message = format!("the runtime loses this value without a word: {path} holds a {type_name}");
            let mut problem = Diagnostic::new(Code::ReservedKey, argument.pointer, message);
            problem.severity = Severity::Error;
            self.out.problems.push(problem);
            return;
        };
        let mut problem = Diagnostic::new(Code::NotAContainer, argument.pointer, refusal.shortened())
            .contrast("an object or an array", format!("{path} holds a {type_name}"));
        if let Some(first) = self.out.tree.nodes[at].argument {
            problem = problem.related(arguments[first].pointer, format!("{path} is given a plain value here"));
        }
        self.out.error.get_or_insert_with(|| refusal.words());
        self.out.problems.push(problem);
    }

    /// The runtime refuses the call; its first words are the call's.
    fn fail(&mut self, message: String, problem: Diagnostic) {
        self.out.error.get_or_insert(message);
        self.out.problems.push(problem);
    }

    /// What is odd about a pointer by itself.
    fn judge_pointer(&mut self, argument: &Argument, pointer: &[u8]) {
        let text = String::from_utf8_lossy(pointer);
        if let Some((name, value)) = inline_value(&text, argument.value.is_empty()) {
            let message = format!("the whole line is the parameter's name: {}", quote(pointer));
            let help = format!("put the value on its own line: {name}, then {} below it", quote(value.as_bytes()));
            let problem = Diagnostic::new(Code::ValueOnPointerLine, argument.pointer, message);
            self.out.problems.push(problem.contrast(name, text.clone().into_owned()).help(help));
            return;
        }
        let odd = |segment: &Span| self.bytes(*segment).trim_ascii().len() != segment.len() || segment.is_empty();
        if let Some(segment) = segments(pointer, argument.pointer.start).find(odd) {
            let message = format!("the key {} is taken as it is written", quote(self.bytes(segment)));
            let span = if segment.is_empty() { argument.pointer } else { segment };
            self.out.problems.push(Diagnostic::new(Code::OddKey, span, message));
        }
    }

    /// A key that looks like an index and makes an object all the same.
    fn judge_first_key(&mut self, segment: Span) {
        let bytes = self.bytes(segment);
        let numeric = String::from_utf8_lossy(bytes).trim_start_matches(['-', '+']).starts_with(char::is_numeric);
        if numeric && bytes.len() <= 20 && parse_int(bytes).is_none_or(|number| number < 0.0 || bytes.starts_with(b"+"))
        {
            let message = format!("{} makes an object with that key, no array", quote(bytes));
            let problem = Diagnostic::new(Code::IndexAlias, segment, message).contrast("0", quote(bytes));
            self.out.problems.push(problem.replace_with("0"));
        }
    }

    /// What is odd about a value by itself.
    fn judge_value(&mut self, argument: &Argument, scalar: Scalar, last: bool) {
        let value = self.bytes(argument.value);
        match scalar {
            Scalar::Number(number) => {
                let trimmed = value.trim_ascii();
                let becomes = coerce::number_text(number);
                if trimmed != becomes.as_bytes() {
                    let message = format!("{} becomes {becomes}", shorten(trimmed));
                    let problem = Diagnostic::new(Code::LossyNumber, argument.value, message);
                    self.out.problems.push(problem.contrast(shorten(trimmed), becomes));
                }
            }
            Scalar::String if !last => self.judge_end(argument, value),
            Scalar::String | Scalar::Boolean(_) | Scalar::Null => {}
        }
    }

    /// What a text that is followed by another argument keeps at its end.
    fn judge_end(&mut self, argument: &Argument, value: &[u8]) {
        let kept = Span::new(argument.value.start + trim_end(value), argument.value.end);
        let tail = &value[trim_end(value)..];
        let coerced = coerce::coerce(value.trim_ascii());
        if tail.ends_with(b"\r") {
            if !self.out.problems.iter().any(|problem| problem.code == Code::CarriageReturnKept) {
                let at = Span::new(argument.value.end - 1, argument.value.end);
                self.out.problems.push(Diagnostic::new(
                    Code::CarriageReturnKept,
                    at,
                    "the value ends in a carriage return",
                ));
            }
        } else if tail.contains(&b'\n') && matches!(tail.last(), Some(b' ' | b'\t')) {
            let indent = tail.iter().rev().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
            let span = Span::new(kept.end - indent, kept.end);
            let message = "the white space in front of the next marker belongs to the value";
            self.out.problems.push(Diagnostic::new(Code::IndentationKept, span, message));
        } else if value.contains(&b'\n') && !matches!(coerced, Scalar::String) {
            let shown = text(value.trim_ascii()).into_owned();
            let message = format!("{shown} stays text, because a blank line belongs to the value");
            let problem = Diagnostic::new(Code::NotCoerced, argument.value, message);
            self.out.problems.push(problem.contrast(format!("{} {shown}", coerced.type_name()), "text of two lines"));
        }
    }
}

/// Where a segment leads.
enum Slot {
    /// To nothing yet; a child with this key can be made.
    New(String),
    /// To this child.
    Held(NodeId),
}

/// The segments of a pointer that lies at `start`; there is no escaping.
fn segments(pointer: &[u8], start: usize) -> impl Iterator<Item = Span> + '_ {
    let mut at = start;
    pointer.split(|&byte| byte == b'/').map(move |segment| {
        let span = Span::new(at, at + segment.len());
        at = span.end + 1;
        span
    })
}

fn is_digits(bytes: &[u8]) -> bool {
    !bytes.is_empty() && bytes.iter().all(u8::is_ascii_digit)
}

/// JavaScript's `parseInt` with the radix 10, which stops at the first character that is no digit; `None` where that
/// gives NaN.
fn parse_int(bytes: &[u8]) -> Option<f64> {
    let text = &bytes[trim_start(bytes)..];
    let (negative, text) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    };
    let digits = text.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
    let number: f64 = std::str::from_utf8(&text[..digits]).ok()?.parse().ok()?;
    Some(if negative { -number } else { number })
}

/// The name and the value of a pointer line that seems to hold both.
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

/// A number's text, at most 40 characters of it.
fn shorten(bytes: &[u8]) -> String {
    let text = text(bytes);
    if text.chars().count() <= 40 { text.into_owned() } else { text.chars().take(37).collect::<String>() + "…" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_are_read_as_parse_int_reads_them() {
        let cases = [
            ("0", Some(0.0)),
            ("007", Some(7.0)),
            ("1abc", Some(1.0)),
            ("1.9", Some(1.0)),
            ("+1", Some(1.0)),
            (" 1", Some(1.0)),
            ("\u{a0}1", Some(1.0)),
            ("\u{85}1", None),
            ("0x1f", Some(0.0)),
            ("0x", Some(0.0)),
            ("1\u{85}", Some(1.0)),
            ("-0", Some(0.0)),
            ("-1", Some(-1.0)),
            ("99999999999999999999", Some(1e20)),
            ("", None),
            ("-", None),
            ("name", None),
            ("٠", None),
        ];
        for (input, expected) in cases {
            assert_eq!(parse_int(input.as_bytes()), expected, "{input:?}");
        }
    }

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
