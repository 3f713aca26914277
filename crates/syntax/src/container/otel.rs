//! Spans and logs of `OpenTelemetry` in which programs record their conversations with a model: OTLP in JSON, and the
//! output of exporters, in JSON lines, arrays, objects of arrays, or concatenated.
//!
//! | record | members |
//! |---|---|
//! | OTLP | `resourceSpans: [{scopeSpans: [{spans: […]}]}]` |
//! | the same for logs | `resourceLogs: [{scopeLogs: [{logRecords: […]}]}]` |
//! | a log | `body`, `attributes`, `eventName` or the attribute `event.name`: an event of the span with its `spanId` |
//! | a span | `name`, `traceId` or `trace_id` or `context`, `attributes`, `events`, `status`, times |
//!
//! | attributes | the span is |
//! |---|---|
//! | messages, in one of several conventions | a separate conversation |
//! | only `input.value` and `output.value`, of a model or an agent | the same, with raw text |
//! | `gen_ai.tool.name`, `gen_ai.tool.call.{id,arguments,result}` | a call and its result |
//! | `tool.name`, `input.value`, `output.value` | the same in `OpenInference` |
//! | `ai.toolCall.{id,name,args,result}` | the same in the AI SDK |
//!
//! The session is `gen_ai.conversation.id` or `session.id`, else the trace. Messages that an earlier span of the
//! session had are not repeated. All other spans are skipped: requests, databases, and steps of a program, whose
//! input and output are in their child spans. The conventions are from the `OpenTelemetry` project for generative
//! models, `OpenInference`, `OpenLLMetry` and the AI SDK.

mod facts;
pub(super) mod history;
pub(super) mod messages;
pub(super) mod status;
pub(super) mod tool;
mod tree;

use super::json::{JsonKind, JsonValue};
use super::messages::unknown;
use super::writer::TextWriter;
use super::{
    CallSource, Claim, ContainerInfo, Definition, FileHead, FormatReader, JsonRecord, Message, MessagePart,
    MessageRole, RecordReader,
};
use crate::diagnostic::Code;
use crate::text::word_set::WordSet;
use history::{Copies, History, ShownBy};
use messages::{SpanAbout, SpanEvent, SpanMessages};
use status::{SpanFailure, moment};
use tool::ToolSpan;
use tree::{Attribute, AttributeTree, attributes};

pub(super) static ABOUT: ContainerInfo = ContainerInfo {
    name: "otel",
    title: "spans and logs of OpenTelemetry",
    calls: CallSource::Either,
    definition: Definition::Code { claims, open: FormatReader::records::<Otel> },
};

/// Members that hold spans and logs, from the outermost to the innermost.
const HOLDERS: [&str; 11] = [
    "resourceSpans",
    "resource_spans",
    "resourceLogs",
    "resource_logs",
    "spans",
    "scopeSpans",
    "scope_spans",
    "instrumentationLibrarySpans",
    "scopeLogs",
    "scope_logs",
    "logRecords",
];

/// Nesting depth at which the first span of a file is searched for.
const DEPTH: usize = 3;

/// First segments of the attributes about a model or its tools.
const OWN: [&str; 4] = ["ai", "gen_ai", "llm", "tool"];

/// Attributes that are read, or that hold no messages: settings, counts, names.
static KNOWN: WordSet = WordSet::new(include_str!("otel/attributes.txt"));

fn claims(head: &FileHead<'_>) -> Option<Claim> {
    let value = head.value()?;
    let record = if value.kind() == JsonKind::Array { value.items().next()? } else { value };
    if record.first_of(&HOLDERS[..4]).is_some_and(|held| held.kind() == JsonKind::Array) {
        return Some(Claim::Sure("it is an object with resourceSpans or resourceLogs"));
    }
    let record = first_record(record, DEPTH)?;
    let is_own = |key: &str| matches!(key.split('.').next(), Some("ai" | "gen_ai" | "llm" | "openinference"));
    let has_own = record.get("attributes").is_some_and(|attributes| attributes.items().any(|one| is_own(&one.key())));
    let mut events = record.get("events").into_iter().flat_map(|events| events.items()).chain([record]);
    let mut is_told = || events.any(|event| event_name(event).is_some_and(|name| is_own(&name)));
    Some(if has_own || is_told() {
        Claim::Sure("it is a span or a log with attributes of a model")
    } else {
        Claim::Likely("its records are spans with a name, a trace and attributes")
    })
}

/// A span or a log, or the first one in the lists of an object.
fn first_record(record: JsonValue<'_>, depth: usize) -> Option<JsonValue<'_>> {
    if is_span(record) || is_log(record) {
        return Some(record);
    }
    let depth = depth.checked_sub(1)?;
    let is_list = |member: &JsonValue<'_>| record.kind() == JsonKind::Array || member.kind() == JsonKind::Array;
    first_record(record.items().find(is_list)?, depth)
}

/// True if a record is a span as exporters print them.
fn is_span(record: JsonValue<'_>) -> bool {
    let trace = ["traceId", "trace_id", "context", "spanContext", "span_id", "spanId"];
    record.string_of("name").is_some() && record.get("attributes").is_some() && record.first_of(&trace).is_some()
}

/// True if a record is a log with a body or an event name.
fn is_log(record: JsonValue<'_>) -> bool {
    let own = ["timeUnixNano", "observedTimeUnixNano", "severityNumber", "severity_number", "observed_timestamp"];
    let is_named = || record.first_of(&["body", "eventName", "event_name"]).is_some();
    record.get("name").is_none() && record.first_of(&own).is_some() && is_named()
}

/// The name of an event; for a log it may be in an attribute.
fn event_name(record: JsonValue<'_>) -> Option<Box<str>> {
    let attributes = || record.get("attributes").map(attributes).unwrap_or_default();
    let named = || attributes().into_iter().find(|one| one.key() == "event.name")?.words();
    ["name", "eventName", "event_name"].iter().find_map(|key| record.words_of(key)).or_else(named)
}

#[derive(Default)]
struct Otel {
    history: History,
    /// The span of the last log, and the copies of messages in its logs.
    logs: (Option<Box<str>>, Copies),
}

impl RecordReader for Otel {
    fn streamed_keys(&self) -> &'static [&'static str] {
        &HOLDERS[..5]
    }

    fn single_record_keys(&self) -> &'static [&'static str] {
        &["name", "attributes", "body"]
    }

    fn record(&mut self, record: &JsonRecord<'_>, out: &mut TextWriter) {
        match record.member {
            Some(member) if HOLDERS.contains(&member) => self.records(record.value, out),
            // Members around the spans of a request.
            Some(_) => {}
            None => self.records(record.value, out),
        }
    }
}

impl Otel {
    /// Reads the spans and logs in a value, or the single one that it is.
    fn records(&mut self, value: JsonValue<'_>, out: &mut TextWriter) {
        match value.first_of(&HOLDERS).filter(|held| held.kind() == JsonKind::Array) {
            Some(held) => held.items().for_each(|inner| self.records(inner, out)),
            None if is_log(value) => {
                let span = value.first_of(&["spanId", "span_id"]).and_then(JsonValue::scalar_text);
                if self.logs.0 != span {
                    self.logs = (span, Copies::new());
                }
                span_or_log(value, Some(&mut self.logs.1), &mut self.history, out);
            }
            None if value.string_of("name").is_some() => span_or_log(value, None, &mut self.history, out),
            // A resource or scope without spans, or metrics.
            None if value.first_of(&["resource", "scope", "resourceMetrics"]).is_some() => {}
            None if first_record(value, DEPTH).is_some() => {
                let lists = value.items().filter(|list| list.kind() == JsonKind::Array);
                lists.flat_map(|list| list.items()).for_each(|inner| self.records(inner, out));
            }
            None => unknown(value, out),
        }
    }
}

/// Writes the new content of a span or a log; for a log, `copies` are the messages that its span had so far.
fn span_or_log(value: JsonValue<'_>, copies: Option<&mut Copies>, history: &mut History, out: &mut TextWriter) {
    let is_log = copies.is_some();
    let own = value.get("attributes").map(attributes).unwrap_or_default();
    let tree = AttributeTree::new(&own);
    let told: Vec<JsonValue<'_>> =
        if is_log { vec![value] } else { value.get("events").into_iter().flat_map(|events| events.items()).collect() };
    let events: Vec<SpanEvent> = told.iter().map(|event| read_event(*event)).collect();
    if !tree.is_whole() || !events.iter().all(|event| event.attributes.is_whole()) {
        out.conversation(value.words_of("name"));
        out.message(Message::default());
        out.problem(Code::BrokenRecord, value.source(), "span too large to parse; shown raw");
        return out.envelope("span", value);
    }
    let of_model =
        ["gen_ai.response.model", "gen_ai.request.model", "llm.model_name", "ai.response.model", "ai.model.id"];
    let about = SpanAbout {
        ended: if is_log { events.first().and_then(|event| event.time.clone()) } else { moment(value, &facts::ENDS) },
        model: of_model.iter().find_map(|key| tree.get(key)?.scalar_text()),
    };
    let tool = ToolSpan::new(value, &tree, &events).filter(|_| !is_log);
    // The events of a tool are its input and output.
    let mut messages = SpanMessages::new(&tree, if tool.is_some() { &[] } else { &events }, &about);
    let tool = tool.filter(|_| messages.is_empty());
    let words = Words::new(&tree).filter(|_| messages.is_empty() && tool.is_none());
    let failure = SpanFailure::new(value, SpanEvent::value(&events, "exception", "exception.message"));
    let told_fact = match &tool {
        _ if is_log => None,
        Some(tool) => facts::call(value, tool.id()),
        None => facts::request(value, &tree, &about, failure.as_ref()),
    };
    let is_failed = failure.is_some() && own.iter().any(|attribute| OWN.contains(&attribute.group()));
    let unknown: Vec<&Attribute<'_>> = own.iter().filter(|attribute| !is_known(attribute)).collect();
    let unknown_events: Vec<&JsonValue<'_>> = told.iter().filter(|event| !is_known_event(**event)).collect();
    // Logs without a session form one conversation.
    let session = session_id(value, &tree).or_else(|| is_log.then(Box::default));
    let operation = tree.get("ai.operationId").and_then(JsonValue::scalar_text);
    let session = history.session_of(operation, session);
    let session = session.as_deref();
    let is_repeated = messages.leave_out(session, copies, history) || is_log;
    // The call may be in a message, as may its result.
    let call = tool.as_ref().and_then(|tool| tool.shown(session, history));
    let has_result = failure.is_some() || tool.as_ref().is_some_and(ToolSpan::has_output);
    let tool = tool.filter(|_| call.is_none_or(|call| has_result && (!call.is_answered || failure.is_some())));
    let has_said = !messages.is_empty() || tool.is_some() || words.is_some();
    if !has_said && !is_failed && unknown.is_empty() && unknown_events.is_empty() {
        if let Some(fact) = told_fact {
            out.fact(fact);
        }
        return;
    }
    out.session_id(|| session.filter(|id| !id.is_empty()).map(Box::from));
    let first = out.events().len();
    history.begin(session, is_repeated || call.is_some(), value.words_of("name"), out);
    let answers = messages.write(out);
    if let Some(words) = words {
        words.write(out);
    }
    let (before, answers) = if tool.is_some() { (ShownBy::Tool, usize::MAX) } else { (ShownBy::Given, answers) };
    match (tool, failure) {
        (Some(tool), failure) => match call.filter(|call| !call.is_answered) {
            Some(call) => {
                history.answer(&call);
                tool.answer(call.start, failure.as_ref(), about.ended, out);
            }
            None => tool.write(value, failure.as_ref(), about.ended, out),
        },
        (None, Some(failure)) => failure.write(value, out),
        (None, None) => {}
    }
    history.learn(session, first, before, answers, out);
    if let Some(fact) = told_fact {
        out.fact(fact);
    }
    for attribute in unknown {
        show_unknown("attribute", &attribute.key(), attribute.value, out);
    }
    for event in unknown_events {
        show_unknown("event", &event_name(*event).unwrap_or_default(), *event, out);
    }
}

/// The session of a span by its attributes, else its trace, which covers one request.
fn session_id(span: JsonValue<'_>, tree: &AttributeTree) -> Option<Box<str>> {
    let told = ["gen_ai.conversation.id", "session.id"].iter().find_map(|key| tree.get(key)?.scalar_text());
    let holder = span.first_of(&["context", "spanContext"]).unwrap_or(span);
    told.or_else(|| holder.first_filled(&["traceId", "trace_id"])?.scalar_text())
}

fn read_event(event: JsonValue<'_>) -> SpanEvent {
    let mut own = event.get("attributes").map(attributes).unwrap_or_default();
    own.extend(event.get("body").map(Attribute::body));
    SpanEvent {
        name: event_name(event).unwrap_or_default(),
        time: moment(event, &["timeUnixNano", "time_unix_nano", "timestamp", "time", "observedTimeUnixNano"]),
        attributes: AttributeTree::new(&own),
    }
}

/// True if an attribute is read, needs no reading, or is not about a model.
fn is_known(attribute: &Attribute<'_>) -> bool {
    let key = attribute.key();
    let mut groups = key.match_indices('.').map(|(dot, _)| &key[..dot]).chain([&*key]);
    !OWN.contains(&attribute.group()) || !attribute.is_worded() || groups.any(|group| KNOWN.contains(group))
}

/// True if an event is read, needs no reading, or is not about a model.
fn is_known_event(event: JsonValue<'_>) -> bool {
    let name = event_name(event).unwrap_or_default();
    !name.starts_with("gen_ai.") || name.starts_with("gen_ai.evaluation") || SpanEvent::is_known(&name)
}

fn show_unknown(what: &str, name: &str, value: JsonValue<'_>, out: &mut TextWriter) {
    out.message(Message::default());
    let message = format!("unknown {what} {name:?}; shown raw");
    out.problem(Code::UnknownRecord, value.source(), message);
    out.envelope(name, value);
}

/// Raw input and output of a call of a model or an agent that has no messages.
struct Words<'a> {
    input: Option<JsonValue<'a>>,
    output: Option<JsonValue<'a>>,
}

impl<'a> Words<'a> {
    fn new(tree: &'a AttributeTree) -> Option<Self> {
        let kind = tree.get("openinference.span.kind")?.scalar_text()?;
        let (input, output) = (tree.get("input.value"), tree.get("output.value"));
        let is_told = input.is_some() || output.is_some();
        (is_told && matches!(&*kind, "LLM" | "AGENT")).then_some(Self { input, output })
    }

    fn write(&self, out: &mut TextWriter) {
        let members =
            [(MessageRole::User, "input.value", self.input), (MessageRole::Assistant, "output.value", self.output)];
        for (role, name, value) in members {
            if let Some(value) = value {
                out.message(Message::from_role(role));
                out.write_part(MessagePart::Envelope(name.into()), value);
            }
        }
    }
}
