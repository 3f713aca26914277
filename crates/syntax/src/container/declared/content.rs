//! Writes the parts of a message: text, reasoning, calls and results.

use std::collections::VecDeque;

use super::facts::words;
use super::path::{Path, Scope};
use super::rule::{CallRule, PartRules, ResultRule};
use crate::container::call::{self, CallText, number_word};
use crate::container::fragment::Fragment;
use crate::container::gemini::parts::{GeminiPart, code_result, parts, response};
use crate::container::items::made_call;
use crate::container::json::{JsonKind, JsonValue};
use crate::container::messages::{self, result, result_text, standing};
use crate::container::writer::TextWriter;
use crate::container::{CallOutcome, ContainerEvent, Interpretation, MessagePart, MessageRole, ToolResult};
use crate::diagnostic::Code;
use crate::text::Span;
use crate::text::hash_index::{HashedWords, WordHasher};

/// Most calls with ids among which a result without one finds its call.
const MAX_OPEN: usize = 256;

/// Calls and results of the open conversation.
#[derive(Debug, Default)]
pub(super) struct CallOrder {
    /// True if all calls are records, so that a result for which none is open answers no call.
    are_records: bool,
    numbered: usize,
    /// Ids given to calls that had none and have no result yet.
    open: VecDeque<Box<str>>,
    /// Ids of the last calls that have one and no result yet.
    named: VecDeque<Box<str>>,
    hasher: WordHasher,
    /// Hashes of the ids of calls.
    known: HashedWords,
}

impl CallOrder {
    pub(super) fn new(are_records: bool) -> Self {
        Self { are_records, ..Self::default() }
    }

    /// Forgets the calls of the conversation that ends here.
    pub(super) fn begin(&mut self) {
        self.open.clear();
        self.named.clear();
        self.known = HashedWords::default();
    }

    /// Takes the id that a call has.
    fn open(&mut self, id: Option<Box<str>>) {
        let Some(id) = id else { return };
        self.known.insert(self.hasher.hash_word(&id));
        if self.named.len() == MAX_OPEN {
            self.named.pop_front();
        }
        self.named.push_back(id);
    }

    /// The call that a result with this id answers: in files whose calls or results have no ids, the first open one.
    fn answered(&mut self, id: Option<Box<str>>) -> Option<Box<str>> {
        let is_known = |id: &str| self.open.is_empty() || self.known.contains(&self.hasher.hash_word(id));
        let is_stated = id.is_some();
        match id.filter(|id| is_known(id)) {
            Some(id) => {
                if let Some(at) = self.named.iter().position(|open| *open == id) {
                    self.named.remove(at);
                }
                Some(id)
            }
            None if is_stated || !self.open.is_empty() => self.open.pop_front(),
            None => self.named.pop_front(),
        }
    }
}

/// Writes the parts of a message that need no rules for their elements; text is read as `role`'s.
pub(super) fn write(
    rules: &PartRules,
    scope: &Scope<'_, '_>,
    role: Option<MessageRole>,
    calls: &mut CallOrder,
    out: &mut TextWriter,
) {
    if let Some(path) = &rules.parts {
        path.with_value(scope, &mut |value| write_gemini(value, role, out));
    }
    if let Some(path) = &rules.message {
        path.with_value(scope, &mut |value| messages::write_contents(value, role, out));
    }
    for known in &rules.known_calls {
        let outcome = known.outcome.pick(scope).copied();
        known.at.each(scope, &mut |value| {
            out.stand(call::part(value, outcome), value);
            false
        });
    }
    if let Some(rule) = &rules.call {
        each(rule.each.as_ref(), scope, &mut |scope| {
            if rule.when.hold(scope) {
                write_call(rule, scope, calls, out);
            }
        });
    }
    if let Some(rule) = &rules.result {
        each(rule.each.as_ref(), scope, &mut |scope| {
            if rule.when.hold(scope) {
                write_result(rule, scope, calls, out);
            }
        });
    }
}

/// Reports what the declaration does not know and errors, and shows the parts that are not of the conversation.
pub(super) fn write_others(rules: &PartRules, scope: &Scope<'_, '_>, out: &mut TextWriter) {
    if let Some(value) = rules.unknown.as_ref().and_then(|path| path.value(scope)) {
        let message = format!("unknown {} {:?}; shown raw", value.key(), value.text().unwrap_or_default());
        out.problem(Code::UnknownRecord, value.source(), message);
    }
    for (label, path) in &rules.show {
        path.with_value(scope, &mut |value| {
            if !value.is_void() {
                let label = label.as_deref().map(|label| filled(label, scope));
                show(&label.unwrap_or_else(|| own_name(value)), value, out);
            }
        });
    }
    let error = rules.error.as_ref().and_then(|rule| Some((rule, rule.at.value(scope)?)));
    if let Some((rule, error)) = error.filter(|(_, error)| !error.is_void()) {
        let text = error.text().or_else(|| error.text_of("message")).unwrap_or_default();
        // The kind of an answer's end may be all that is known.
        let first = text.lines().next().filter(|first| !matches!(*first, "" | "error"));
        let (colon, first) = first.map_or(("", ""), |first| (": ", first));
        out.problem(Code::AnswerStopped, error.source(), format!("{}{colon}{first}", rule.report));
        let key = error.key();
        show(if key.is_empty() { "error" } else { key.as_ref() }, error, out);
    }
}

fn show(label: &str, value: JsonValue<'_>, out: &mut TextWriter) {
    match value.kind() {
        JsonKind::Text => out.write_part(MessagePart::Envelope(label.into()), value),
        _ => out.envelope(label, value),
    }
}

/// A name in which `{key}` is replaced by the text or number of that member.
fn filled(label: &str, scope: &Scope<'_, '_>) -> String {
    let Some((before, (key, after))) =
        label.split_once('{').and_then(|(before, rest)| Some((before, rest.split_once('}')?)))
    else {
        return label.to_owned();
    };
    let value = scope.value.get(key).map(|value| value.scalar_text().unwrap_or_default()).unwrap_or_default();
    format!("{before}{value}{after}")
}

/// The name under which a value is shown if the declaration gives none: its `type`, or its key.
fn own_name(value: JsonValue<'_>) -> String {
    let name = value.text_of("type").filter(|kind| !kind.is_empty()).unwrap_or_else(|| value.key());
    if name.is_empty() { "record".to_owned() } else { name.into_owned() }
}

/// Calls `take` for each element of the value at a path, for any other value itself, or for the scope without a path.
pub(super) fn each(path: Option<&Path>, scope: &Scope<'_, '_>, take: &mut dyn FnMut(&Scope<'_, '_>)) {
    let Some(path) = path else { return take(scope) };
    path.with_value(scope, &mut |value| match value.kind() {
        JsonKind::Array | JsonKind::Object => value.items().for_each(|item| take(&scope.inner(item))),
        JsonKind::Text | JsonKind::Word if value.is_void() => {}
        JsonKind::Text | JsonKind::Word => take(&scope.inner(value)),
    });
}

/// Writes the text in the element `name` as text, and anything around it as an envelope.
pub(super) fn write_element(name: &str, value: JsonValue<'_>, role: Option<MessageRole>, out: &mut TextWriter) {
    let text = Fragment::from_value(value);
    let (open, close) = (format!("<{name}>"), format!("</{name}>"));
    let find = |word: &str, from: usize| memchr::memmem::find(&text.bytes[from..], word.as_bytes()).map(|at| from + at);
    let begin = find(&open, 0).map(|at| at + open.len());
    let end = begin.and_then(|begin| find(&close, begin));
    let (Some(begin), Some(end)) = (begin, end) else {
        return out.piece(MessagePart::Text(Interpretation::from_role(role)), &text);
    };
    let around = |span: Span, out: &mut TextWriter| {
        if !text.bytes[span.start..span.end].trim_ascii().is_empty() {
            out.piece(MessagePart::Envelope("context".into()), &text.slice(span));
        }
    };
    around(Span::new(0, begin - open.len()), out);
    let inner = text.bytes[begin..end].trim_ascii();
    let lead = text.bytes[begin..end].len() - text.bytes[begin..end].trim_ascii_start().len();
    let inner = Span::new(begin + lead, begin + lead + inner.len());
    out.piece(MessagePart::Text(Interpretation::from_role(role)), &text.slice(inner));
    around(Span::new(end + close.len(), text.bytes.len()), out);
}

fn write_gemini(content: JsonValue<'_>, role: Option<MessageRole>, out: &mut TextWriter) {
    for part in parts(content) {
        match GeminiPart::new(part) {
            GeminiPart::Response(value) => {
                let (outcome, text) = response(value);
                out.piece(MessagePart::Result(ToolResult { call: value.words_of("id"), outcome }), &text);
            }
            GeminiPart::CodeResult(value) => {
                let (outcome, text) = code_result(value);
                out.piece(MessagePart::Result(ToolResult { call: None, outcome }), &text);
            }
            GeminiPart::Blank => {}
            GeminiPart::Unknown => {
                out.problem(Code::UnknownRecord, part.source(), "unknown part; shown raw");
                out.envelope("part", part);
            }
            known => {
                if let Some((piece, text)) = known.piece(Interpretation::from_role(role)) {
                    out.piece(piece, &text);
                }
            }
        }
    }
}

fn write_call(rule: &CallRule, scope: &Scope<'_, '_>, calls: &mut CallOrder, out: &mut TextWriter) {
    let value = |path: &Option<Path>| path.as_ref().and_then(|path| path.value(scope));
    let here = scope.value;
    let id = value(&rule.id).filter(|id| !id.is_void());
    let name = value(&rule.name).filter(|name| name.kind() == JsonKind::Text);
    let outcome = rule.outcome.pick(scope).copied();
    let input = value(&rule.arguments).filter(|input| input.raw() != b"null");
    let decoded = input.filter(|input| rule.encoded && input.kind() == JsonKind::Object).map(decoded_members);
    if let (Some(id), None) = (id, &decoded) {
        let call = made_call(here, Some(id), name, &rule.otherwise, input);
        calls.open(id.scalar_text());
        return out.piece(call.part(outcome), &call.text);
    }
    if id.is_none() {
        calls.numbered += 1;
        calls.open.push_back(number_word(calls.numbered).into());
    }
    let end = here.source().end;
    let name_text = name.map_or_else(
        || {
            let mut text = Fragment::default();
            text.push_synthetic(&rule.otherwise, here.source().start);
            text
        },
        Fragment::from_value,
    );
    let mut call = match id {
        Some(id) => {
            calls.open(id.scalar_text());
            CallText::tool_use(here.source().start, Some(id), name, &rule.otherwise)
        }
        None => CallText::numbered(calls.numbered, &name_text),
    };
    match (decoded, input) {
        (Some(members), _) => call.text.append(&members),
        (None, Some(input)) => call.input(input),
        (None, None) => call.text.push_synthetic("{}", end),
    }
    call.text.push_synthetic("}", end);
    out.piece(call.part(outcome), &call.text);
}

/// An object whose strings are JSON text, as an object with the values that they hold.
fn decoded_members(object: JsonValue<'_>) -> Fragment {
    let mut text = Fragment::default();
    let place = object.source();
    text.push_synthetic("{", place.start);
    for (number, member) in object.items().enumerate() {
        let at = member.source().start;
        text.push_synthetic(if number == 0 { "\"" } else { ",\"" }, at);
        text.push_synthetic(
            &member.key().replace('\\', "\\\\").replace('"', "\\\"").replace(char::is_control, " "),
            at,
        );
        text.push_synthetic("\":", at);
        let inner = Fragment::from_value(member);
        if member.kind() == JsonKind::Text && inner.index().is_some() {
            text.append(&inner);
        } else {
            text.push_verbatim(member);
        }
    }
    text.push_synthetic("}", place.end);
    text
}

fn write_result(rule: &ResultRule, scope: &Scope<'_, '_>, calls: &mut CallOrder, out: &mut TextWriter) {
    let call = calls.answered(words(rule.call.as_ref(), scope));
    if call.is_none() && rule.call.is_none() && calls.are_records {
        out.event(ContainerEvent::AnswersNothing);
    }
    let outcome = outcome(rule, scope);
    let found = rule.content.iter().find_map(|path| path.value(scope).filter(|value| !value.is_void()));
    match found {
        Some(value) => result(ToolResult { call, outcome }, Some(value), out),
        None if rule.content.iter().any(Path::decodes) => {
            let mut text = Fragment::default();
            rule.content.iter().for_each(|path| path.with_value(scope, &mut |value| text.append(&result_text(value))));
            out.piece(MessagePart::Result(ToolResult { call, outcome }), &text);
        }
        None => result(ToolResult { call, outcome }, None, out),
    }
}

/// The stated outcome of a result: a flag, an exit code, or the text of an error.
fn outcome(rule: &ResultRule, scope: &Scope<'_, '_>) -> CallOutcome {
    let failed = |path: &Path| {
        let value = path.value(scope)?;
        match (value.kind(), value.truth()) {
            (_, Some(flag)) => Some(flag),
            (JsonKind::Word, None) if value.is_void() => None,
            (JsonKind::Word, None) => Some(value.fraction() != Some(0.0)),
            _ => Some(!value.is_void()),
        }
    };
    let stated = rule.failed.as_ref().and_then(failed);
    let succeeded = rule.succeeded.as_ref().and_then(|path| path.value(scope)?.truth());
    let flag = stated.or_else(|| succeeded.map(|fine| !fine));
    CallOutcome::from_error_flag(flag).or(rule.outcome.pick(scope).copied().unwrap_or_default())
}

/// A value of reasoning: text, or a list of texts and of objects with a text.
pub(super) fn write_reasoning(value: JsonValue<'_>, out: &mut TextWriter) {
    match value.kind() {
        _ if value.is_void() => {}
        JsonKind::Text => out.write_part(MessagePart::Reasoning, value),
        JsonKind::Array => value.items().for_each(|item| write_reasoning(item, out)),
        JsonKind::Object => match value.first_of(&["text", "thinking", "summary", "think", "content"]) {
            Some(text) => write_reasoning(text, out),
            None => out.piece(MessagePart::Reasoning, &standing(value)),
        },
        JsonKind::Word => {}
    }
}
