//! Assembles the parameters of a call between tags: a flat object of strings, with arrays where the dialect has them.

use std::collections::HashMap;

use super::tag::{self, Read, Side, Tag};
use super::{Body, Naming, Part, Repeats, Shape, Strip, Unescape, Values, body, runtime, unescape};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::dialect::{CallParts, Status, hidden_characters};
use crate::text::{Span, Text, trim};
use crate::value::{Argument, Assembly, Node, NodeId, ROOT, Scalar, Value, tree_json};

struct Parameter {
    opening: Tag,
    /// Its closing tag, if present.
    closing: Option<Span>,
    argument: Argument,
}

impl Parameter {
    /// All its bytes, tags included.
    fn place(&self) -> Span {
        let end = self.closing.map_or(self.argument.value, |closing| closing);
        self.opening.span.cover(end)
    }
}

/// True if a closing tag closes a parameter.
pub(super) fn closes(shape: &Shape, text: &Text, parameter: Tag, tag: Tag) -> bool {
    // The runtime takes the whole tag for the name; it reports tags that differ after the first word itself.
    let same = |a: Span, b: Span| first_word(&text.read(a)) == first_word(&text.read(b));
    tag.part == Part::Parameter
        && tag.side == Side::Closing
        && (shape.naming != Naming::InTag || same(tag.name, parameter.name))
}

fn first_word(name: &[u8]) -> &[u8] {
    name.split(u8::is_ascii_whitespace).find(|word| !word.is_empty()).unwrap_or_default()
}

pub(super) fn assemble(shape: &Shape, text: &Text, parts: CallParts<'_>) -> Assembly {
    if shape.body != Body::Parameters {
        return body::assemble(shape, text, parts);
    }
    let parameters = parameters(shape, text, parts);
    let mut out = Assembly::default();
    if shape.strict {
        out.problems.extend(runtime::judge(shape, text, parts));
        out.error = out.problems.first().map(|fault| fault.message.clone());
    } else if matches!(parts.status, Status::Complete | Status::Implicit) {
        out.problems
            .extend(parameters.last().filter(|last| last.closing.is_none()).map(|last| unclosed(shape, last, text)));
    }
    let mut groups: Vec<(String, Vec<usize>)> = Vec::new();
    let mut known: HashMap<String, usize> = HashMap::new();
    for (number, parameter) in parameters.iter().enumerate() {
        let key = text.read_str(parameter.opening.name).into_owned();
        out.problems.extend(hidden_characters(&key, parameter.opening.name, "the parameter's name"));
        if key.is_empty() {
            let problem = Diagnostic::new(Code::OddKey, parameter.opening.span, "the parameter has no name");
            out.problems.push(problem.help("write the parameter's name into its tag"));
        } else if shape.naming == Naming::InTag && out.error.is_none() {
            out.problems.extend(overfull(shape, &key, parameter.opening, text));
        }
        out.scalars.push(Scalar::String);
        out.arguments.push(parameter.argument);
        if let Some(problem) = dropped(shape, text, parameter) {
            out.problems.push(problem);
            continue;
        }
        let group = *known.entry(key.clone()).or_insert_with(|| {
            groups.push((key, Vec::new()));
            groups.len() - 1
        });
        groups[group].1.push(number);
        if shape.strip == Strip::OneNewline && !out.problems.iter().any(|known| known.code == Code::CarriageReturnKept)
        {
            out.problems.extend(carriage_return(text, parameter.argument.value));
        }
    }
    for (key, numbers) in groups {
        let (&last, earlier) = numbers.split_last().expect("a group holds what it was made for");
        if earlier.is_empty() || shape.repeats == Repeats::Last {
            for &number in earlier {
                let message = format!("the value of {key} is replaced by a later one");
                let problem = Diagnostic::new(Code::ValueReplaced, parameters[number].opening.span, message);
                let problem = problem.help("give each parameter once, a list as JSON in one value");
                out.problems.push(problem.related(parameters[last].opening.span, "given again here"));
            }
            add(shape, &mut out, text, ROOT, key, last, &parameters[last]);
        } else {
            let place = parameters[numbers[0]].place().cover(parameters[last].place());
            let array = out.tree.add(ROOT, Node::new(key, Value::Array(Vec::new()), place));
            for (index, &number) in numbers.iter().enumerate() {
                add(shape, &mut out, text, array, index.to_string(), number, &parameters[number]);
            }
        }
    }
    out
}

/// The parameters of a call, from the offsets of their tags.
fn parameters(shape: &Shape, text: &Text, parts: CallParts<'_>) -> Vec<Parameter> {
    let starts: Vec<usize> = parts.arguments.iter().map(|&offset| parts.start + offset as usize).collect();
    let mut found = Vec::with_capacity(starts.len());
    for (index, &start) in starts.iter().enumerate() {
        let limit = starts.get(index + 1).copied().unwrap_or(parts.body.end).min(parts.body.end);
        let ahead = text.read(Span::new(start, start + tag::LONGEST));
        let Read::Tag(opening) = tag::read(shape, &ahead, start, true) else { continue };
        let whole = Span::new(opening.span.end, limit.max(opening.span.end));
        let closing = match opening.side {
            Side::Both => Some(Span::at(opening.span.end)),
            _ => closing_tag(shape, text, opening, whole),
        };
        let value = Span::new(whole.start, closing.map_or(whole.end, |closing| closing.start));
        let argument = Argument {
            marker: Span::new(start, opening.name.start.max(start)),
            pointer: opening.name,
            value: without_edges(shape, text, value),
        };
        found.push(Parameter { opening, closing, argument });
    }
    found
}

/// The first tag in `whole` that closes a parameter.
fn closing_tag(shape: &Shape, text: &Text, opening: Tag, whole: Span) -> Option<Span> {
    let bytes = text.read(whole);
    let mut at = 0;
    while let Some(next) = shape.next_place(&bytes[at..]) {
        at += next;
        match tag::read(shape, &bytes[at..], whole.start + at, true) {
            Read::Tag(tag) if closes(shape, text, opening, tag) => return Some(tag.span),
            _ => at += 1,
        }
    }
    None
}

/// A value without the line feeds or whitespace that the dialect strips.
fn without_edges(shape: &Shape, text: &Text, value: Span) -> Span {
    let bytes = match shape.strip {
        Strip::Nothing => return value,
        Strip::Trim => return trim(&text.read(value), value.start),
        Strip::OneNewline => text.read(value),
    };
    let start = usize::from(bytes.starts_with(b"\n"));
    let end = bytes.len() - usize::from(bytes.len() > start && bytes.ends_with(b"\n"));
    Span::new(value.start + start, value.start + end)
}

/// Reports a carriage return at the end of a value when only a line feed is stripped.
fn carriage_return(text: &Text, value: Span) -> Option<Diagnostic> {
    let at = Span::new(value.end.saturating_sub(1).max(value.start), value.end);
    let is_kept = text.read(at).as_ref() == b"\r";
    is_kept.then(|| Diagnostic::new(Code::CarriageReturnKept, at, "the value ends in a carriage return"))
}

/// Reports a value that makes the runtime drop its parameter.
fn dropped(shape: &Shape, text: &Text, parameter: &Parameter) -> Option<Diagnostic> {
    let value = text.read(parameter.argument.value);
    let base = parameter.argument.value.start;
    let hidden = shape.drops_values_with.iter().find_map(|with| {
        let at = memchr::memmem::find(&value, with.as_bytes())?;
        Some(Span::new(base + at, base + at + with.len()))
    })?;
    let key = text.read_str(parameter.opening.name);
    let message = format!("the runtime drops {key}: its value holds {}", text.read_str(hidden));
    Some(Diagnostic::new(Code::ValueDropped, hidden, message).related(parameter.opening.span, "this parameter"))
}

/// Reports a parameter's tag that contains more than a name; all of it is the key.
fn overfull(shape: &Shape, key: &str, opening: Tag, text: &Text) -> Option<Diagnostic> {
    let word = first_word(key.as_bytes());
    if word.len() == key.len() {
        return None;
    }
    let expected = shape.pairs[opening.pair].open.write(|_| Some(String::from_utf8_lossy(word).into_owned()));
    let message = format!("everything in the tag is the parameter's name: {key:?}");
    let problem = Diagnostic::new(Code::MalformedTag, opening.span, message).with_severity(Severity::Warning);
    Some(problem.contrast(expected, text.read_str(opening.span)))
}

/// Reports a value that is not closed in its call.
fn unclosed(shape: &Shape, parameter: &Parameter, text: &Text) -> Diagnostic {
    let closer = shape.closer(parameter.opening, text);
    let key = text.read_str(parameter.opening.name);
    let message = format!("the value of {key} is not closed: no {closer} before the end of the call");
    Diagnostic::new(Code::UnclosedParameter, parameter.opening.span, message).contrast(closer, "the end of the call")
}

fn add(
    shape: &Shape,
    out: &mut Assembly,
    text: &Text,
    parent: NodeId,
    key: String,
    number: usize,
    parameter: &Parameter,
) {
    let span = parameter.argument.value;
    let node =
        Node { argument: Some(number), ..Node::new(key, Value::Scalar(Scalar::String, span), parameter.place()) };
    let node = match shape.unescape {
        Unescape::Nothing => node,
        Unescape::Xml => Node { decoded: unescape::xml(&text.read_str(span)).map(Into::into), ..node },
    };
    let may_be_json = matches!(shape.values, Values::JsonOrText);
    if !parameter.opening.json && !may_be_json {
        out.tree.add(parent, node);
        return;
    }
    match tree_json::read_into(&mut out.tree, parent, node.clone(), &text.read_str(span)) {
        Ok(scalar) => out.scalars[number] = scalar,
        Err(_) if may_be_json => _ = out.tree.add(parent, node),
        Err(error) => {
            out.problems.push(Diagnostic::new(Code::NotJson, span, format!("the value is not JSON: {error}")));
            out.tree.add(parent, node);
        }
    }
}
