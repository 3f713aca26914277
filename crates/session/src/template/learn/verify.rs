//! Tries declarations on turns whose calls are known.

use std::sync::Arc;

use serde_json::Value;

use super::super::assistant::{AssistantTurn, TurnRenderer};
use super::super::conversation::Conversation;
use super::super::probes::TemplateProbe;
use crate::compare::{CallFacts, facts};
use crate::container::Container;
use crate::dialect::declared::Declaration;
use crate::dialect::{DialectInfo, Options};
use crate::document::Item;
use crate::session::Session;
use crate::text::Span;
use crate::value::schema::Schemas;

/// Longest turn that is read, in bytes.
const LONGEST_TURN: usize = 64 * 1024;

/// A part that a template may leave out.
const QUOTES: &str = "the escapes of quotation marks in a value";

/// A turn of the model as the template writes it, with what was put in.
#[derive(Debug, Clone)]
pub(super) struct ExpectedTurn {
    /// Name of the probe.
    pub(super) probe: String,
    /// The conversation up to the turn.
    conversation: Conversation,
    /// The turn as the template writes it.
    pub(super) text: String,
    /// The prompt that ends with the turn.
    prompt: String,
    /// The calls that the text shows, with the ids that it shows.
    pub(super) calls: Vec<ExpectedCall>,
    /// Text next to the calls, if the template shows it.
    content: Option<String>,
    schemas: Option<Arc<Schemas>>,
    /// Parts of the turn that the template leaves out, as words for a remark.
    pub(super) losses: Vec<&'static str>,
}

/// A call that was put in.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ExpectedCall {
    name: String,
    arguments: Value,
    id: Option<String>,
}

/// A declaration's reading of all turns.
#[derive(Debug, Clone, Default)]
pub(super) struct Verdict {
    /// For each turn, what differs; nothing if all of it is read.
    pub(super) differences: Vec<Option<String>>,
    /// Number of turns whose calls are read, perhaps without their ids.
    pub(super) with_calls: usize,
    /// Bytes of prose that a better declaration would take for markers.
    pub(super) leftover: usize,
}

impl Verdict {
    /// Number of turns that are read.
    pub(super) fn reads(&self) -> usize {
        self.differences.iter().filter(|difference| difference.is_none()).count()
    }
}

/// The turns of all probes that end with one, or that have one before the results of tools.
pub(super) fn turns(renderer: &TurnRenderer<'_>) -> Vec<ExpectedTurn> {
    TemplateProbe::all().iter().filter_map(|probe| turn(renderer, probe)).collect()
}

/// The last turn of a probe; nothing if it has none, or if the template refuses it or shows none of its calls.
fn turn(renderer: &TurnRenderer<'_>, probe: &TemplateProbe) -> Option<ExpectedTurn> {
    let mut conversation = probe.conversation();
    let is_turn = |message: &Value| message["role"] == "assistant";
    let has_calls = |message: &Value| message.get("tool_calls").is_some();
    let last = conversation.messages.iter().rposition(|message| is_turn(message) && has_calls(message));
    let last = last.or_else(|| conversation.messages.iter().rposition(is_turn))?;
    conversation.messages.truncate(last + 1);
    let AssistantTurn { prompt, range, .. } = renderer.turn(&conversation).ok()?;
    let text = prompt.get(range).filter(|text| text.len() <= LONGEST_TURN)?.to_owned();
    let message = &conversation.messages[last];
    let put_in: Vec<ExpectedCall> = message["tool_calls"].as_array().into_iter().flatten().map(expected).collect();
    let mut losses = Vec::new();
    let mut calls = shown(&put_in, &text);
    if calls.len() < put_in.len() {
        losses.push("a call");
    }
    if calls.is_empty() && !put_in.is_empty() {
        return None;
    }
    for call in &mut calls {
        call.id = call.id.take().filter(|id| text.contains(id.as_str()));
    }
    let content = message["content"].as_str().filter(|content| !content.trim().is_empty()).map(str::to_owned);
    let shown_content = content.clone().filter(|content| text.contains(content.trim()));
    if content.is_some() && shown_content.is_none() {
        losses.push("the text next to it");
    }
    let tools = Value::Array(conversation.tools.clone().unwrap_or_default()).to_string();
    let schemas = Schemas::parse("tools", tools.as_bytes()).ok().map(Arc::new);
    if calls.iter().any(|call| has_bare_quotes(&call.arguments, &text)) {
        losses.push(QUOTES);
    }
    Some(ExpectedTurn {
        probe: probe.name.clone(),
        conversation,
        text,
        prompt,
        calls,
        content: shown_content,
        schemas,
        losses,
    })
}

/// True if a value is written between quotation marks that it has itself, without any escape.
fn has_bare_quotes(value: &Value, text: &str) -> bool {
    match value {
        Value::String(value) => {
            ['"', '\''].iter().any(|quote| value.contains(*quote) && text.contains(&format!("{quote}{value}{quote}")))
        }
        Value::Array(items) => items.iter().any(|item| has_bare_quotes(item, text)),
        Value::Object(members) => members.values().any(|member| has_bare_quotes(member, text)),
        _ => false,
    }
}

fn expected(call: &Value) -> ExpectedCall {
    let function = &call["function"];
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    // Runtimes make objects of arguments that are texts.
    let arguments = match &function["arguments"] {
        Value::String(text) => serde_json::from_str(text).unwrap_or_default(),
        other => other.clone(),
    };
    ExpectedCall { name: text(&function["name"]), arguments, id: call["id"].as_str().map(str::to_owned) }
}

/// The calls that a text shows: each has its name, and its first argument's value if there are several calls.
fn shown(calls: &[ExpectedCall], text: &str) -> Vec<ExpectedCall> {
    let is_shown = |call: &&ExpectedCall| {
        let values = call.arguments.as_object().into_iter().flat_map(|members| members.values());
        let mut texts = values.filter_map(Value::as_str);
        text.contains(&call.name) && (calls.len() < 2 || texts.next().is_none_or(|value| text.contains(value)))
    };
    calls.iter().filter(is_shown).cloned().collect()
}

/// Tries a declaration on all turns, or on as many as fit until `enough` of them are not read.
pub(super) fn verify(declaration: &Arc<Declaration>, turns: &[ExpectedTurn], renderer: &TurnRenderer<'_>) -> Verdict {
    let options =
        Options { only: vec![declaration.info], declared: vec![Arc::clone(declaration)], ..Options::default() };
    verify_with(&options, turns, renderer)
}

/// Tries a built-in dialect on all turns.
pub(super) fn verify_built_in(
    info: &'static DialectInfo,
    turns: &[ExpectedTurn],
    renderer: &TurnRenderer<'_>,
) -> Verdict {
    verify_with(&Options { only: vec![info], ..Options::default() }, turns, renderer)
}

fn verify_with(options: &Options, turns: &[ExpectedTurn], renderer: &TurnRenderer<'_>) -> Verdict {
    let mut verdict = Verdict::default();
    for turn in turns {
        let options = Options { schemas: turn.schemas.clone(), ..options.clone() };
        let read = read(&turn.text, &options);
        let calls = calls_difference(turn, &read, renderer);
        verdict.with_calls += usize::from(calls.is_none());
        verdict.differences.push(calls.or_else(|| rest_difference(turn, &read)));
        verdict.leftover += leftover(turn, &read);
    }
    verdict
}

/// Bytes of prose that a better declaration would take for markers: between the model's text, or the first call, and the last
/// call.
fn leftover(turn: &ExpectedTurn, read: &ReadTurn) -> usize {
    let (Some((_, first)), Some((_, last))) = (read.calls.first(), read.calls.last()) else { return 0 };
    let content = turn.content.as_ref().and_then(|content| {
        let start = turn.text.find(content.trim())?;
        Some(start + content.trim().len())
    });
    let start = content.filter(|end| *end <= first.start).unwrap_or(first.start);
    let parts = read.prose_spans.iter().filter(|span| span.start < last.end);
    parts.map(|span| turn.text.get(span.start.max(start)..span.end).map_or(0, |text| text.trim().len())).sum()
}

/// The findings of a session on one turn.
pub(super) struct ReadTurn {
    pub(super) calls: Vec<(CallFacts, Span)>,
    prose: String,
    prose_spans: Vec<Span>,
    pub(super) has_problems: bool,
}

/// Reads the calls and the text of a turn with these options.
pub(super) fn read(text: &str, options: &Options) -> ReadTurn {
    let mut session = Session::new(Container::plain(), options);
    session.push(text.as_bytes());
    session.finish();
    let document = session.document();
    let call = |item| Some((facts(&session, item)?, document.call(item)?.span));
    let (mut prose, mut prose_spans) = (String::new(), Vec::new());
    for item in document.items().iter() {
        if let Item::Text(span) = item {
            prose += &session.text().read_str(span);
            prose_spans.push(span);
        }
    }
    let has_problems = document.diagnostics().iter().next().is_some();
    ReadTurn { calls: document.calls().filter_map(call).collect(), prose, prose_spans, has_problems }
}

/// The difference between the calls that were put in and the calls that were read, without their ids.
fn calls_difference(turn: &ExpectedTurn, read: &ReadTurn, renderer: &TurnRenderer<'_>) -> Option<String> {
    let (wanted, found) = (turn.calls.len(), read.calls.len());
    if wanted != found {
        let calls = |count: usize| if count == 1 { "1 call".to_owned() } else { format!("{count} calls") };
        return Some(format!("{} instead of {}", calls(found), calls(wanted)));
    }
    for (wanted, (found, _)) in turn.calls.iter().zip(&read.calls) {
        if wanted.name != found.name {
            return Some(format!("the name {:?} instead of {:?}", found.name, wanted.name));
        }
    }
    let is_same = |(wanted, (found, _)): (&ExpectedCall, &(CallFacts, Span))| {
        found.refusal.is_none() && same(&wanted.arguments, &found.parameters)
    };
    // Where quotation marks in values are not escaped, no reader can tell where a value ends.
    let is_readable = !turn.losses.contains(&QUOTES);
    let mut pairs = turn.calls.iter().zip(&read.calls).filter(|_| is_readable);
    let (wanted, (found, _)) = pairs.find(|pair| !is_same(*pair))?;
    if is_written_alike(turn, read, renderer) {
        return None;
    }
    let refusal = found.refusal.as_ref().map(|refusal| format!(" ({refusal})")).unwrap_or_default();
    Some(format!("the arguments {} instead of {}{refusal}", found.parameters, wanted.arguments))
}

/// The difference in ids and in the model's text.
fn rest_difference(turn: &ExpectedTurn, read: &ReadTurn) -> Option<String> {
    for (wanted, (found, _)) in turn.calls.iter().zip(&read.calls) {
        if let Some(id) = wanted.id.as_ref().filter(|id| found.id.as_ref() != Some(id)) {
            let found = found.id.as_deref().map_or("no id".to_owned(), |id| format!("the id {id:?}"));
            return Some(format!("{found} instead of {id:?}"));
        }
    }
    let content = turn.content.as_ref().filter(|content| !read.prose.contains(content.trim()))?;
    Some(format!("not the text {content:?}"))
}

/// True if the template writes the same prompt for what was read: then the text does not tell them apart.
fn is_written_alike(turn: &ExpectedTurn, read: &ReadTurn, renderer: &TurnRenderer<'_>) -> bool {
    let mut conversation = turn.conversation.clone();
    let calls = conversation.messages.last_mut().and_then(|message| message["tool_calls"].as_array_mut());
    let Some(calls) = calls.filter(|calls| calls.len() == read.calls.len()) else { return false };
    for ((call, (found, _)), wanted) in calls.iter_mut().zip(&read.calls).zip(&turn.calls) {
        // Another division into arguments may be written alike, too.
        let (Some(found), Some(wanted)) = (found.parameters.as_object(), wanted.arguments.as_object()) else {
            return false;
        };
        if found.len() != wanted.len() || found.keys().any(|key| !wanted.contains_key(key)) {
            return false;
        }
        call["function"]["arguments"] = Value::Object(found.clone());
    }
    renderer.prompt(&conversation, false).is_ok_and(|prompt| prompt == turn.prompt)
}

/// True if two values are the same; numbers by their value, members in any order.
fn same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => left.as_f64() == right.as_f64(),
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| same(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left.iter().all(|(key, left)| right.get(key).is_some_and(|right| same(left, right)))
        }
        _ => left == right,
    }
}
