//! Spans of `OpenTelemetry` in which programs record what they say to a model: OTLP in JSON, and spans as exporters print
//! them, in JSON lines, arrays or one after another.
//!
//! | record | members |
//! |---|---|
//! | OTLP | `resourceSpans: [{scopeSpans: [{spans: […]}]}]` |
//! | a span | `name`, `traceId` or `trace_id` or `context`, `attributes`, `events`, `status`, times |
//!
//! | attributes | what the span is |
//! |---|---|
//! | messages, in one of several conventions | a conversation of its own |
//! | `input.value` and `output.value` of a model or an agent alone | the same, as they stand |
//! | `gen_ai.tool.name`, `gen_ai.tool.call.{id,arguments,result}` | a call and what came of it |
//! | `tool.name`, `input.value`, `output.value` | the same of `OpenInference` |
//!
//! The session is `gen_ai.conversation.id` or `session.id`, else the trace. What an earlier span of the session has said is
//! not said again. Any other span is passed over: requests,
//! databases, and steps of a program, whose input and output the spans in them have. The conventions are those of the
//! `OpenTelemetry` project for generative models, of `OpenInference` and of `OpenLLMetry`. This module does not know the
//! messages.

mod history;
mod messages;
mod status;
mod tool;
mod tree;

use super::json::{JsonKind, JsonValue};
use super::messages::unknown;
use super::writer::TextWriter;
use super::{
    CallSource, Claim, ContainerInfo, FileHead, FormatReader, JsonRecord, Message, MessagePart, MessageRole,
    RecordReader,
};
use crate::diagnostic::Code;
use history::History;
use messages::{SpanAbout, SpanEvent, SpanMessages};
use status::{SpanFailure, moment};
use tool::ToolSpan;
use tree::{Attribute, AttributeTree, attributes};

pub(super) static ABOUT: ContainerInfo = ContainerInfo {
    name: "otel",
    title: "spans of OpenTelemetry",
    claims,
    calls: CallSource::Either,
    open: FormatReader::records::<Otel>,
};

/// Members that hold spans, one in the other.
const HOLDERS: [&str; 6] =
    ["resourceSpans", "resource_spans", "scopeSpans", "scope_spans", "instrumentationLibrarySpans", "spans"];

/// What attributes begin with that are about a model or its tools.
const OWN: [&str; 3] = ["gen_ai", "llm", "tool"];

/// Attributes that are read, or that say nothing of what was said: settings, counts, names.
const KNOWN: [&str; 63] = [
    "gen_ai.agent",
    "gen_ai.aws",
    "gen_ai.azure",
    "gen_ai.completion",
    "gen_ai.conversation",
    "gen_ai.data_source",
    "gen_ai.embeddings",
    "gen_ai.evaluation",
    "gen_ai.event",
    "gen_ai.framework",
    "gen_ai.input.messages",
    "gen_ai.openai",
    "gen_ai.operation",
    "gen_ai.orchestrator",
    "gen_ai.output.messages",
    "gen_ai.output.type",
    "gen_ai.prompt",
    "gen_ai.provider",
    "gen_ai.request",
    "gen_ai.response",
    "gen_ai.system",
    "gen_ai.system_instructions",
    "gen_ai.token",
    "gen_ai.tool.call",
    "gen_ai.tool.definitions",
    "gen_ai.tool.description",
    "gen_ai.tool.name",
    "gen_ai.tool.status",
    "gen_ai.tool.type",
    "gen_ai.usage",
    "gen_ai.workflow",
    "llm.cost",
    "llm.finish_reason",
    "llm.frequency_penalty",
    "llm.headers",
    "llm.input_messages",
    "llm.invocation_parameters",
    "llm.is_streaming",
    "llm.model_name",
    "llm.output_messages",
    "llm.presence_penalty",
    "llm.prompt_template",
    "llm.provider",
    "llm.request",
    "llm.response",
    "llm.stream",
    "llm.system",
    "llm.temperature",
    "llm.token_count",
    "llm.tools",
    "llm.top_k",
    "llm.top_p",
    "llm.usage",
    "llm.user",
    "llm.vendor",
    "tool.call_id",
    "tool.description",
    "tool.id",
    "tool.json_schema",
    "tool.name",
    "tool.parameters",
    "tool.status",
    "tool.type",
];

fn claims(head: &FileHead<'_>) -> Option<Claim> {
    let value = head.value()?;
    let record = if value.kind() == JsonKind::Array { value.items().next()? } else { value };
    if record.first_of(&HOLDERS[..2]).is_some_and(|spans| spans.kind() == JsonKind::Array) {
        return Some(Claim::Sure("it is an object with resourceSpans"));
    }
    if !is_span(record) {
        return None;
    }
    let is_own = |key: &str| matches!(key.split('.').next(), Some("gen_ai" | "llm" | "openinference"));
    let has_own = record.get("attributes").is_some_and(|attributes| attributes.items().any(|one| is_own(&one.key())));
    let mut events = record.get("events").into_iter().flat_map(|events| events.items());
    let mut is_told = || events.any(|event| event.text_of("name").is_some_and(|name| is_own(&name)));
    Some(if has_own || is_told() {
        Claim::Sure("it is a span with attributes of a model")
    } else {
        Claim::Likely("its records are spans with a name, a trace and attributes")
    })
}

/// Whether a record is a span as exporters print them.
fn is_span(record: JsonValue<'_>) -> bool {
    let trace = ["traceId", "trace_id", "context", "spanContext", "span_id", "spanId"];
    record.string_of("name").is_some() && record.get("attributes").is_some() && record.first_of(&trace).is_some()
}

#[derive(Default)]
struct Otel {
    history: History,
}

impl RecordReader for Otel {
    fn drill(&self) -> &'static [&'static str] {
        &HOLDERS[..2]
    }

    fn whole(&self) -> &'static [&'static str] {
        &["name", "attributes"]
    }

    fn record(&mut self, record: &JsonRecord<'_>, out: &mut TextWriter) {
        match record.member {
            Some(member) if HOLDERS.contains(&member) => spans(record.value, &mut self.history, out),
            // What a program adds around the spans of a request.
            Some(_) => {}
            None => spans(record.value, &mut self.history, out),
        }
    }
}

/// The spans that a value holds, or the one that it is.
fn spans(value: JsonValue<'_>, history: &mut History, out: &mut TextWriter) {
    match value.first_of(&HOLDERS).filter(|held| held.kind() == JsonKind::Array) {
        Some(held) => held.items().for_each(|inner| spans(inner, history, out)),
        None if value.string_of("name").is_some() => span(value, history, out),
        // A resource or a scope that has no spans, and what was measured.
        None if value.first_of(&["resource", "scope", "resourceMetrics"]).is_some() => {}
        None => unknown(value, out),
    }
}

fn span(value: JsonValue<'_>, history: &mut History, out: &mut TextWriter) {
    let own = value.get("attributes").map(attributes).unwrap_or_default();
    let tree = AttributeTree::new(&own);
    let told: Vec<JsonValue<'_>> = value.get("events").into_iter().flat_map(|events| events.items()).collect();
    let events: Vec<SpanEvent> = told.iter().map(|event| read_event(*event)).collect();
    if !tree.is_whole() || !events.iter().all(|event| event.attributes.is_whole()) {
        out.conversation(value.words_of("name"));
        out.message(Message::default());
        out.problem(Code::BrokenRecord, value.source(), "the span is too large to be read; it is shown raw");
        return out.envelope("span", value);
    }
    let of_model = ["gen_ai.response.model", "gen_ai.request.model", "llm.model_name"];
    let about = SpanAbout {
        ended: moment(value, &["endTimeUnixNano", "end_time_unix_nano", "end_time", "endTime"]),
        model: of_model.iter().find_map(|key| tree.get(key)?.words()),
    };
    let tool = ToolSpan::new(value, &tree, &events);
    // The events of a tool are its input and its output.
    let mut messages = SpanMessages::new(&tree, if tool.is_some() { &[] } else { &events }, &about);
    let tool = tool.filter(|_| messages.is_empty());
    let words = Words::new(&tree).filter(|_| messages.is_empty() && tool.is_none());
    let failure = SpanFailure::new(value, SpanEvent::value(&events, "exception", "exception.message"));
    let is_failed = failure.is_some() && own.iter().any(|attribute| OWN.contains(&attribute.group()));
    let unknown: Vec<&Attribute<'_>> = own.iter().filter(|attribute| !is_known(attribute)).collect();
    let unknown_events: Vec<&JsonValue<'_>> = told.iter().filter(|event| !is_known_event(**event)).collect();
    let session = session_id(value, &tree);
    let session = session.as_deref();
    let is_repeated = messages.leave_out(session, history);
    // The call is one of a message, and what came of it may be, too.
    let call = tool.as_ref().and_then(|tool| tool.shown(session, history));
    let has_result = failure.is_some() || tool.as_ref().is_some_and(ToolSpan::has_output);
    let tool = tool.filter(|_| call.is_none_or(|call| has_result && (!call.is_answered || failure.is_some())));
    let has_said = !messages.is_empty() || tool.is_some() || words.is_some();
    if !has_said && !is_failed && unknown.is_empty() && unknown_events.is_empty() {
        return;
    }
    out.session_id(|| session.map(Box::from));
    let first = out.events().len();
    history.begin(session, is_repeated || call.is_some(), value.words_of("name"), out);
    messages.say(out);
    if let Some(words) = words {
        words.say(out);
    }
    match (tool, failure) {
        (Some(tool), failure) => match call.filter(|call| !call.is_answered) {
            Some(call) => {
                history.answer(&call);
                tool.answer(call.start, failure.as_ref(), about.ended, out);
            }
            None => tool.say(value, failure.as_ref(), about.ended, out),
        },
        (None, Some(failure)) => failure.say(value, out),
        (None, None) => {}
    }
    history.learn(session, first, out);
    for attribute in unknown {
        show_unknown("attribute", &attribute.key(), attribute.value, out);
    }
    for event in unknown_events {
        show_unknown("event", &event.text_of("name").unwrap_or_default(), *event, out);
    }
}

/// The session that a span is of, by its attributes; else the trace, which is all of one request.
fn session_id(span: JsonValue<'_>, tree: &AttributeTree) -> Option<Box<str>> {
    let told = ["gen_ai.conversation.id", "session.id"].iter().find_map(|key| tree.get(key)?.words());
    let holder = span.first_of(&["context", "spanContext"]).unwrap_or(span);
    told.or_else(|| holder.first_filled(&["traceId", "trace_id"])?.words())
}

fn read_event(event: JsonValue<'_>) -> SpanEvent {
    let own = event.get("attributes").map(attributes).unwrap_or_default();
    SpanEvent {
        name: event.words_of("name").unwrap_or_default(),
        time: moment(event, &["timeUnixNano", "time_unix_nano", "timestamp", "time"]),
        attributes: AttributeTree::new(&own),
    }
}

/// Whether an attribute says nothing of a model, or something that is read or needs no reading.
fn is_known(attribute: &Attribute<'_>) -> bool {
    let key = attribute.key();
    let is_under = |known: &&str| key.strip_prefix(*known).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    !OWN.contains(&attribute.group()) || !attribute.is_worded() || KNOWN.iter().any(is_under)
}

/// The same of an event.
fn is_known_event(event: JsonValue<'_>) -> bool {
    let name = event.text_of("name").unwrap_or_default();
    !name.starts_with("gen_ai.") || name.starts_with("gen_ai.evaluation") || SpanEvent::is_known(&name)
}

fn show_unknown(what: &str, name: &str, value: JsonValue<'_>, out: &mut TextWriter) {
    out.message(Message::default());
    let message = format!("the {what} {name:?} is not known here; it is shown raw");
    out.problem(Code::UnknownRecord, value.source(), message);
    out.envelope(name, value);
}

/// What went into a call of a model or an agent and came out of it, where it has no messages.
struct Words<'a> {
    input: Option<JsonValue<'a>>,
    output: Option<JsonValue<'a>>,
}

impl<'a> Words<'a> {
    fn new(tree: &'a AttributeTree) -> Option<Self> {
        let kind = tree.get("openinference.span.kind")?.words()?;
        let (input, output) = (tree.get("input.value"), tree.get("output.value"));
        let is_told = input.is_some() || output.is_some();
        (is_told && matches!(&*kind, "LLM" | "AGENT")).then_some(Self { input, output })
    }

    fn say(&self, out: &mut TextWriter) {
        let members =
            [(MessageRole::User, "input.value", self.input), (MessageRole::Assistant, "output.value", self.output)];
        for (role, name, value) in members {
            if let Some(value) = value {
                out.message(Message::from_role(role));
                out.say(MessagePart::Envelope(name.into()), value);
            }
        }
    }
}
