//! Bodies other than parameters between markers: finding their end, building their tree, and writing them.
//!
//! A JSON body ends where its brackets balance, so that a closing marker in a string does not end the call; a text
//! ends at the closing marker.

use std::sync::Arc;

use super::{Body, Part, Shape, Strip};
use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::callout::yaml_writer::YamlWriter;
use crate::dialect::declared::marker::Marker;
use crate::dialect::{CallContent, CallParts, Status};
use crate::text::{Span, Text, trim};
use crate::value::delimited_object::{self, DelimitedBoundary, DelimitedEvent};
use crate::value::json::lexer::TokenKind;
use crate::value::json::machine::{JsonEvent, JsonParser};
use crate::value::json::{Arrival, Held, Parsed, parse_all};
use crate::value::nested_tags::{self, TagSyntax};
use crate::value::place::SpanMap;
use crate::value::yaml::{self, Library};
use crate::value::{Argument, Assembly, Node, ParamTree, ROOT, Scalar, Value};

/// Finds the end of a body whose end does not depend on markers.
#[derive(Clone)]
pub(super) enum Boundary {
    Json {
        start: usize,
        /// Beginning of the value, or of the text not yet known to be whitespace before it.
        base: usize,
        machine: JsonParser,
        /// Markers that end the body if its brackets are not closed.
        closers: Arc<[Box<[u8]>]>,
    },
    /// An object with delimited strings, and its offset.
    Object(usize, DelimitedBoundary),
}

pub(super) struct BodyEnd {
    /// Offset of the first byte that is not part of the body.
    pub(super) at: usize,
    pub(super) is_whole: bool,
}

impl Boundary {
    /// A boundary for a body that begins at `at`; `None` if only a marker ends it.
    pub(super) fn new(shape: &Shape, at: usize) -> Option<Self> {
        match &shape.body {
            Body::Json => {
                let pairs = shape.pairs.iter().filter(|pair| pair.part != Part::Parameter);
                let leads = pairs.flat_map(|pair| &pair.close).map(|close| close.lead().into());
                Some(Boundary::Json { start: at, base: at, machine: JsonParser::at(0), closers: leads.collect() })
            }
            Body::Object { quote } => {
                let closer = shape.pair(Part::Call).and_then(|pair| pair.close.first());
                let closer = closer.map(Marker::lead).unwrap_or_default();
                Some(Boundary::Object(at, DelimitedBoundary::new(at, quote).with_closer(closer)))
            }
            _ => None,
        }
    }

    /// The lowest offset that is still needed.
    pub(super) fn base(&self) -> usize {
        match self {
            Boundary::Json { start, machine, .. } if machine.offset() == 0 => *start,
            Boundary::Json { base, .. } | Boundary::Object(base, _) => *base,
        }
    }

    /// Offset up to which everything belongs to the body.
    pub(super) fn decided(&self) -> usize {
        match self {
            Boundary::Json { start, machine, .. } if machine.offset() == 0 => *start,
            Boundary::Json { base, machine, .. } => base + machine.offset(),
            Boundary::Object(_, boundary) => boundary.offset(),
        }
    }

    /// Reads up to the end; `None` if more text is needed.
    pub(super) fn advance(&mut self, text: &Text, finished: bool) -> Option<BodyEnd> {
        match self {
            Boundary::Json { start, base, machine, closers } => {
                if machine.offset() == 0 && !find_value(base, text, finished)? {
                    // The supposed whitespace before the value may be a closing marker.
                    return Some(BodyEnd { at: *start, is_whole: false });
                }
                json_end(*base, machine, closers, text, finished)
            }
            Boundary::Object(base, boundary) => loop {
                match boundary.next(text.since(*base), finished)? {
                    DelimitedEvent::Member(_) => {}
                    DelimitedEvent::End(at) => return Some(BodyEnd { at, is_whole: true }),
                    DelimitedEvent::Broken(at) => return Some(BodyEnd { at, is_whole: false }),
                    DelimitedEvent::Truncated => return Some(BodyEnd { at: text.len(), is_whole: false }),
                }
            },
        }
    }
}

/// Moves `base` past whitespace, and tells whether a JSON value begins there; `None` if more text is needed.
fn find_value(base: &mut usize, text: &Text, finished: bool) -> Option<bool> {
    let ahead = text.since(*base);
    let blank = ahead.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    *base += blank;
    match ahead.get(blank) {
        Some(first) => Some(matches!(first, b'{' | b'[' | b'"')),
        None => finished.then_some(false),
    }
}

/// The end of a JSON value that begins at `base`.
fn json_end(
    base: usize,
    machine: &mut JsonParser,
    closers: &[Box<[u8]>],
    text: &Text,
    finished: bool,
) -> Option<BodyEnd> {
    let bytes = text.since(base);
    loop {
        if machine.is_complete() && machine.depth() == 0 && machine.offset() > 0 {
            return Some(BodyEnd { at: base + machine.offset(), is_whole: true });
        }
        match machine.next(bytes, finished)? {
            JsonEvent::Fault(fault) if fault.is_fatal() => {
                return Some(BodyEnd { at: base + fault.start.min(bytes.len()), is_whole: false });
            }
            // A closing marker directly after a number or a literal is lexed as part of that word.
            JsonEvent::Scalar(token) if token.kind == TokenKind::Word => {
                let word = token.content(bytes);
                let ends = closers.iter().filter_map(|closer| memchr::memmem::find(word, closer));
                if let Some(end) = ends.min() {
                    return Some(BodyEnd { at: base + token.start + end, is_whole: false });
                }
            }
            _ => {}
        }
    }
}

/// Builds the arguments of a call from its body.
pub(super) fn assemble(shape: &Shape, text: &Text, parts: CallParts<'_>) -> Assembly {
    let bytes = text.read(parts.body);
    match &shape.body {
        Body::Json => json(&bytes, parts),
        Body::Yaml => yaml::parse(&bytes, parts.body.start, Library::Yaml).into_assembly(),
        Body::Lines { separator } => lines(&bytes, parts.body.start, separator),
        Body::Parts { separator, keys } => in_parts(&bytes, parts, separator, keys),
        Body::Text { key } => plain(&bytes, parts.body, key, shape.strip),
        Body::Object { quote } => delimited_object::assemble(&bytes, parts.body.start, arrival(parts), quote),
        Body::NestedTags { prefix } => {
            nested_tags::assemble(&bytes, parts.body.start, arrival(parts), syntax(prefix, shape.strip))
        }
        Body::Notation(notation) => notation.assemble(&bytes, parts.body.start, arrival(parts)),
        Body::Parameters => Assembly::default(),
    }
}

/// Whether more of a call can arrive.
fn arrival(parts: CallParts<'_>) -> Arrival {
    if parts.status == Status::Open { Arrival::Open } else { Arrival::Whole }
}

/// The syntax of nested tags whose values are strings.
fn syntax(prefix: &str, strip: Strip) -> TagSyntax<'_> {
    TagSyntax { prefix, strip, coerce: |_| Scalar::String }
}

/// A JSON object; any other value is kept and reported.
fn json(bytes: &[u8], parts: CallParts<'_>) -> Assembly {
    let inner = trim(bytes, parts.body.start);
    if inner.is_empty() {
        return Assembly::default();
    }
    let parsed: Parsed<'_, ParamTree> = parse_all(bytes, SpanMap::At(parts.body.start), arrival(parts));
    let Parsed { sink: tree, mut problems, mut hidden, error, root, .. } = parsed;
    problems.append(&mut hidden);
    let mut error = error;
    if error.is_none()
        && let Some(root) = root.filter(|root| *root != Held::Object)
    {
        let message = format!("the arguments must be a JSON object, found {}", root.type_name());
        problems.push(Diagnostic::new(Code::ArgumentsForm, inner, message).contrast("an object", root.type_name()));
        error = matches!(root, Held::Plain(..)).then(|| "the arguments are not an object".to_owned());
    }
    let assembly = match &tree.node(ROOT).value {
        Value::Scalar(..) => {
            let mut assembly = Assembly::default();
            *assembly.tree.node_mut(ROOT) = tree.node(ROOT).clone();
            if problems.iter().any(|problem| problem.code == Code::BrokenJson) {
                // Text that is not JSON becomes a string, unmodified.
                assembly.tree.node_mut(ROOT).value = Value::Scalar(Scalar::String, inner);
            }
            assembly
        }
        _ => tree.branch(ROOT, &[]),
    };
    Assembly { error, problems: problems.into(), ..assembly }
}

/// A single argument with the whole body.
fn plain(bytes: &[u8], body: Span, key: &str, strip: Strip) -> Assembly {
    let value = match strip {
        Strip::Nothing => body,
        Strip::Trim => trim(bytes, body.start),
        Strip::OneNewline => {
            let start = usize::from(bytes.starts_with(b"\n"));
            let end = bytes.len() - usize::from(bytes.len() > start && bytes.ends_with(b"\n"));
            Span::new(body.start + start, body.start + end)
        }
    };
    let mut out = Assembly::default();
    if !trim(bytes, body.start).is_empty() {
        add(&mut out, key, Span::at(value.start), value);
    }
    out
}

/// One argument per line; a line without the separator continues the value of the previous line.
fn lines(bytes: &[u8], base: usize, separator: &str) -> Assembly {
    let mut out = Assembly::default();
    let mut at = 0;
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        let start = base + at;
        at += line.len();
        let Some(parted) = memchr::memmem::find(line, separator.as_bytes()) else {
            let text = trim(line, start);
            if !text.is_empty() {
                out.problems.push(Diagnostic::new(Code::IgnoredText, text, "a line without a key is ignored"));
            }
            continue;
        };
        let key = trim(&line[..parted], start);
        let value_at = parted + separator.len();
        let value = trim(&line[value_at..], start + value_at);
        let name = String::from_utf8_lossy(&line[key.start - start..key.end - start]).into_owned();
        add(&mut out, &name, key, value);
    }
    out
}

/// Texts separated by lines; text after the last separator belongs to the last argument.
fn in_parts(bytes: &[u8], parts: CallParts<'_>, separator: &str, keys: &[String]) -> Assembly {
    let base = parts.body.start;
    let mut out = Assembly::default();
    let (mut start, mut at, mut key) = (0, 0, 0);
    let mut give = |key: usize, start: usize, end: usize| {
        let text = &bytes[start..end];
        let text = text.strip_suffix(b"\n").map_or(text, |line| line.strip_suffix(b"\r").unwrap_or(line));
        let span = Span::new(base + start, base + start + text.len());
        add(&mut out, keys.get(key).map_or("input", String::as_str), Span::at(span.start), span);
    };
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        if line.trim_ascii_end() == separator.as_bytes() && key + 1 < keys.len() {
            give(key, start, at);
            (start, key) = (at + line.len(), key + 1);
        }
        at += line.len();
    }
    give(key, start, at);
    if key + 1 < keys.len() && parts.status != Status::Open {
        let message = format!("no line {separator} after the {}", keys[key]);
        let problem = Diagnostic::new(Code::BrokenArguments, Span::at(base + bytes.len()), message);
        out.problems.push(problem.contrast(separator, "the end of the call"));
    }
    out
}

/// Adds an argument with a string.
fn add(out: &mut Assembly, key: &str, key_place: Span, value: Span) {
    let number = out.arguments.len();
    let node = Node {
        key_place,
        argument: Some(number),
        ..Node::new(key, Value::Scalar(Scalar::String, value), key_place.cover(value))
    };
    out.tree.add(ROOT, node);
    out.arguments.push(Argument { marker: Span::at(key_place.start), pointer: key_place, value });
    out.scalars.push(Scalar::String);
}

/// Writes the body of a call, without the markers around it.
pub(super) fn write(body: &Body, strip: Strip, call: &CallContent<'_>) -> String {
    let texts = || call.members().map(|(key, value)| (key, crate::dialect::writer::words(value)));
    match body {
        Body::Json => call.parameters.to_string(),
        Body::Yaml => {
            let mut out = YamlWriter::default();
            call.members().for_each(|(key, value)| out.member(key, value));
            out.text()
        }
        Body::Lines { separator } => {
            let lines: Vec<String> = texts().map(|(key, value)| format!("{key}{separator} {value}")).collect();
            lines.join("\n") + "\n"
        }
        Body::Parts { separator, .. } => {
            texts().map(|(_, value)| value).collect::<Vec<_>>().join(&format!("\n{separator}\n"))
        }
        Body::Object { quote } => delimited_object::write(call.parameters, quote),
        Body::NestedTags { prefix } => nested_tags::write(call.parameters, syntax(prefix, strip)),
        Body::Notation(notation) => notation.write(call.parameters),
        Body::Text { .. } | Body::Parameters => texts().map(|(_, value)| value).collect::<Vec<_>>().join("\n"),
    }
}
