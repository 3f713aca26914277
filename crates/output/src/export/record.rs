//! The records of the JSON output: messages, items, problems and the graph.
//!
//! The order of fields is the order of keys.

use super::session_facts;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use crate::container::CallOutcome;
use crate::diagnostic::{Code, Diagnostic, Related, Severity};
use crate::dialect::Status;
use crate::document::graph::{CallLabels, Fate, Graph, Labels};
use crate::document::{Call, Item, MatchedBy, MessageRole, SideRecord};
use crate::filter::Selection;
use crate::session::Session;
use crate::text::{Span, TextRange, Walk};
use crate::value::tree_json::to_json;

/// Version of the schema; incremented when the meaning of a key changes.
pub const SCHEMA_VERSION: u32 = 1;

/// One line of `ndjson`, or one member of `items`.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub(super) enum OutputRecord<'a> {
    Text(TextRecord<'a>),
    Call(Box<CallRecord<'a>>),
    Result {
        message: usize,
        span: Span,
        #[serde(skip_serializing_if = "Option::is_none")]
        source_span: Option<Span>,
        /// Id of the call that it names, or else of the call that it answers.
        id: Option<String>,
        content: TextRange<'a>,
        is_error: bool,
        verdict: CallOutcome,
        /// Item number of the call that it answers.
        call: Option<usize>,
        /// How the call was matched.
        ground: Option<MatchedBy>,
        #[serde(skip_serializing_if = "is_not")]
        withdrawn: bool,
    },
    Reasoning(TextRecord<'a>),
    /// A record outside the conversation.
    Envelope {
        message: usize,
        span: Span,
        #[serde(skip_serializing_if = "Option::is_none")]
        source_span: Option<Span>,
        name: &'a str,
        text: TextRange<'a>,
        #[serde(skip_serializing_if = "is_not")]
        withdrawn: bool,
    },
    Diagnostic(Box<DiagnosticRecord>),
    /// An item written earlier that the file withdraws.
    Withdrawn {
        item: usize,
        span: Span,
    },
    /// Times of a call, which may be known only after it was written.
    Times {
        item: usize,
        #[serde(flatten)]
        times: session_facts::TimesRecord,
    },
    /// Facts about the session, written after its items.
    Session(Box<session_facts::SessionRecord<'a>>),
    Turn(Box<session_facts::TurnRecord>),
    Request(Box<session_facts::RequestRecord<'a>>),
    Compaction(Box<session_facts::CompactionRecord>),
    Agent(Box<session_facts::AgentRecord<'a>>),
    /// The last line of `ndjson`: the totals.
    End {
        calls: usize,
        errors: usize,
        warnings: usize,
        #[serde(skip_serializing_if = "Option::is_none")]
        filter: Option<String>,
        /// Number of items that the filter selected.
        #[serde(skip_serializing_if = "Option::is_none")]
        selected: Option<usize>,
    },
}

/// A message; fields that the file does not state are left out.
#[derive(Serialize)]
pub(super) struct MessageRecord {
    index: usize,
    role: Option<MessageRole>,
    span: Span,
    #[serde(skip_serializing_if = "Option::is_none")]
    source_span: Option<Span>,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<Box<str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent: Option<Box<str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<Box<str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<Box<str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<Box<str>>,
    /// True if it is outside the main conversation.
    #[serde(skip_serializing_if = "is_not")]
    aside: bool,
    /// True if it continues the model's last message after results.
    #[serde(skip_serializing_if = "is_not")]
    goes_on: bool,
    /// True if the conversation was resumed from an earlier message.
    #[serde(skip_serializing_if = "is_not")]
    abandoned: bool,
    #[serde(flatten)]
    facts: session_facts::MessageFacts,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
fn is_not(flag: &bool) -> bool {
    !flag
}

#[derive(Serialize)]
pub(super) struct TextRecord<'a> {
    message: usize,
    span: Span,
    #[serde(skip_serializing_if = "Option::is_none")]
    source_span: Option<Span>,
    text: TextRange<'a>,
    #[serde(skip_serializing_if = "is_not")]
    withdrawn: bool,
}

#[derive(Serialize)]
pub(super) struct CallRecord<'a> {
    message: usize,
    span: Span,
    #[serde(skip_serializing_if = "Option::is_none")]
    source_span: Option<Span>,
    line: usize,
    end_line: usize,
    dialect: &'static str,
    name: String,
    id: String,
    generated_id: bool,
    dependencies: Vec<String>,
    status: Status,
    /// `None` exactly if `parse_error` is not.
    parameters: Option<Value>,
    parameters_raw: TextRange<'a>,
    parse_error: Option<String>,
    partial: Option<Value>,
    arguments: Vec<ArgumentRecord>,
    state: Option<String>,
    output: Option<Value>,
    error_text: Option<String>,
    extra: Map<String, Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    times: Option<session_facts::TimesRecord>,
    /// True if the file withdraws it or replaces it with another one.
    #[serde(skip_serializing_if = "is_not")]
    withdrawn: bool,
}

/// An argument as written in the text.
#[derive(Serialize)]
pub(super) struct ArgumentRecord {
    pointer: String,
    pointer_span: Span,
    value_span: Span,
    #[serde(skip_serializing_if = "Option::is_none")]
    pointer_source_span: Option<Span>,
    #[serde(skip_serializing_if = "Option::is_none")]
    value_source_span: Option<Span>,
    /// Its text before coercion.
    value: String,
    coerced: &'static str,
}

/// A problem, with its position in the text and in the file.
#[derive(Debug, Serialize)]
pub struct DiagnosticRecord {
    code: Code,
    severity: Severity,
    message: String,
    span: Span,
    #[serde(skip_serializing_if = "Option::is_none")]
    source_span: Option<Span>,
    line: usize,
    column: usize,
    item: Option<usize>,
    /// Number of its turn, if the file has turns.
    #[serde(skip_serializing_if = "Option::is_none")]
    turn: Option<usize>,
    help: String,
    expected: Option<String>,
    found: Option<String>,
    related: Vec<RelatedRecord>,
}

/// A secondary location of a problem.
#[derive(Debug, Serialize)]
pub(crate) struct RelatedRecord {
    span: Span,
    #[serde(skip_serializing_if = "Option::is_none")]
    source_span: Option<Span>,
    message: String,
}

/// The dependency graph; calls are identified by their ids.
#[derive(Serialize)]
pub(super) struct GraphRecord<'a> {
    waves: Vec<Vec<Id<'a>>>,
    edges: Vec<EdgeRecord<'a>>,
    cycles: Vec<Vec<Id<'a>>>,
    missing: Vec<MissingRecord<'a>>,
    skipped: Vec<Id<'a>>,
    failed: Vec<Id<'a>>,
    /// Reasons why calls are skipped or fail, by call id.
    reasons: Map<String, Value>,
}

/// A dependency, from the dependent call to the one it depends on.
#[derive(Serialize)]
pub(super) struct EdgeRecord<'a> {
    from: Id<'a>,
    to: Id<'a>,
}

/// A dependency on an unknown id.
#[derive(Serialize)]
pub(super) struct MissingRecord<'a> {
    from: Id<'a>,
    id: &'a str,
}

/// The id of a node, read from the text during serialization.
struct Id<'a> {
    labels: &'a CallLabels<'a>,
    node: u32,
}

impl Serialize for Id<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.labels.id(self.node as usize))
    }
}

/// The messages; with a selection, only messages with selected items.
pub(super) fn messages<'a>(
    session: &'a Session,
    selection: Option<&'a Selection>,
) -> impl Iterator<Item = MessageRecord> + 'a {
    let document = session.document();
    document.messages().iter().enumerate().filter_map(move |(index, message)| {
        let span = document.message_span(index, session.text().len());
        let items = document.items_before(span.start)..document.items_before(span.end);
        if selection.is_some_and(|selection| selection.within(items).is_empty()) {
            return None;
        }
        Some(MessageRecord {
            facts: session_facts::of_message(session, index, &message),
            index,
            role: message.role,
            span,
            source_span: source_of(session, span),
            id: message.id,
            parent: message.parent,
            time: message.time,
            model: message.model,
            label: message.label,
            aside: message.is_outside,
            goes_on: message.is_continuation,
            abandoned: document.is_abandoned(index),
        })
    })
}

impl OutputRecord<'_> {
    /// Renumbers the call of a result and the item of a problem; removes the reference if `number` returns `None`.
    pub(super) fn renumbered(mut self, number: impl Fn(usize) -> Option<usize>) -> Self {
        match self {
            OutputRecord::Result { ref mut call, ref mut ground, .. } => {
                *call = call.and_then(number);
                *ground = ground.filter(|_| call.is_some());
                self
            }
            OutputRecord::Diagnostic(record) => OutputRecord::Diagnostic(Box::new(record.renumbered(number))),
            _ => self,
        }
    }
}

impl DiagnosticRecord {
    /// Renumbers the item.
    pub(super) fn renumbered(self, number: impl Fn(usize) -> Option<usize>) -> Self {
        Self { item: self.item.and_then(number), ..self }
    }
}

/// The span in the file, if the text was decoded from it.
fn source_of(session: &Session, span: Span) -> Option<Span> {
    session.is_decoded().then(|| session.source_of(span))
}

/// Tells whether withdrawn items are known while items are written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Withdrawals {
    Known,
    /// Not until the end, where they are listed.
    AtEnd,
}

pub(super) fn withdrawn(session: &Session) -> impl Iterator<Item = OutputRecord<'_>> {
    let document = session.document();
    let gone = (0..document.items().len()).filter(|&item| document.is_withdrawn(item));
    gone.filter_map(|item| Some(OutputRecord::Withdrawn { item, span: document.items().span(item)? }))
}

/// The record of item number `number`. `walk` is at the previous item.
pub(super) fn item<'a>(session: &'a Session, number: usize, marks: Withdrawals, walk: &mut Walk) -> OutputRecord<'a> {
    let document = session.document();
    let item = document.items().get(number).unwrap_or(Item::Text(Span::default()));
    let span = item.span();
    let message = document.message_at(span.start);
    let text = TextRange::new(session.text(), span);
    let source_span = source_of(session, span);
    let withdrawn = marks == Withdrawals::Known && document.is_withdrawn(number);
    match item {
        Item::Call(call) => {
            let times = session_facts::times(session, number).filter(|_| marks == Withdrawals::Known);
            OutputRecord::Call(Box::new(CallRecord { times, withdrawn, ..call_record(session, number, &call, walk) }))
        }
        Item::Text(_) => OutputRecord::Text(TextRecord { message, span, source_span, text, withdrawn }),
        Item::Aside(SideRecord { name: None, .. }) => {
            OutputRecord::Reasoning(TextRecord { message, span, source_span, text, withdrawn })
        }
        Item::Aside(SideRecord { name: Some(name), .. }) => {
            OutputRecord::Envelope { message, span, source_span, name, text, withdrawn }
        }
        Item::Result(answer) => {
            let called = || answer.call.and_then(|(item, _)| Some(document.call(item)?.id(session.text())));
            OutputRecord::Result {
                message,
                span,
                source_span,
                id: answer.id.map(|id| id.text(session.text())).or_else(called),
                content: text,
                is_error: answer.verdict.is_failure(),
                verdict: answer.verdict,
                call: answer.call.map(|(item, _)| item),
                ground: answer.call.map(|(_, ground)| ground),
                withdrawn,
            }
        }
    }
}

fn call_record<'a>(session: &'a Session, number: usize, call: &Call<'_>, walk: &mut Walk) -> CallRecord<'a> {
    let text = session.text();
    let assembly = session.dissect(number).unwrap_or_default();
    let tree = to_json(&assembly.tree, text);
    let (parameters, partial) = if assembly.error.is_some() { (None, Some(tree)) } else { (Some(tree), None) };
    let nodes = assembly.nodes_of_arguments();
    let arguments: Vec<ArgumentRecord> = (0..assembly.arguments.len())
        .map(|number| ArgumentRecord {
            pointer: assembly.pointer(number, nodes[number], text),
            pointer_span: assembly.arguments[number].pointer,
            value_span: assembly.arguments[number].value,
            pointer_source_span: source_of(session, assembly.arguments[number].pointer),
            value_source_span: source_of(session, assembly.arguments[number].value),
            value: assembly.value_text(number, nodes[number], text),
            coerced: assembly.scalars[number].type_name(),
        })
        .collect();
    let outcome = assembly.outcome.map(|outcome| *outcome).unwrap_or_default();
    let extra = outcome.extra.map(|tree| to_json(&tree, text));
    CallRecord {
        message: session.document().message_at(call.span.start),
        span: call.span,
        source_span: source_of(session, call.span),
        line: session.position_by(walk, call.span.start).line,
        end_line: session.position_by(walk, call.span.end.saturating_sub(1).max(call.span.start)).line,
        dialect: call.dialect,
        name: call.name(text),
        id: call.id(text),
        generated_id: call.id.is_none(),
        dependencies: call.dependencies(text),
        status: call.status,
        parameters,
        parameters_raw: TextRange::new(text, call.body).trimmed(),
        parse_error: assembly.error,
        partial,
        arguments,
        state: outcome.state,
        output: outcome.output.map(|tree| to_json(&tree, text)),
        error_text: outcome.error_text,
        extra: match extra {
            Some(Value::Object(members)) => members,
            _ => Map::new(),
        },
        times: None,
        withdrawn: false,
    }
}

/// The record of a problem. `walk` is at the previous problem.
pub fn diagnostic(session: &Session, diagnostic: Diagnostic, walk: &mut Walk) -> DiagnosticRecord {
    let position = session.place_of_problem(walk, &diagnostic);
    let source_span = session.is_decoded().then(|| session.source_of_problem(&diagnostic));
    let help = diagnostic.help_text().into_owned();
    let document = session.document();
    let turn = document.turn_of(document.message_at(diagnostic.span.start));
    let related = diagnostic.related.into_iter().map(|Related { span, message }| RelatedRecord {
        span,
        source_span: source_of(session, span),
        message,
    });
    DiagnosticRecord {
        related: related.collect(),
        code: diagnostic.code,
        severity: diagnostic.severity,
        message: diagnostic.message,
        span: diagnostic.span,
        source_span,
        line: position.line,
        column: position.column,
        item: diagnostic.item,
        turn: turn.map(|turn| turn.number),
        help,
        expected: diagnostic.expected,
        found: diagnostic.found,
    }
}

/// The totals: calls that count, errors and warnings; with a filter, also its text and the number of selected items.
pub(super) fn end(session: &Session, filtered: Option<(String, usize)>) -> OutputRecord<'static> {
    let document = session.document();
    let (errors, warnings) = (document.errors(), document.warnings());
    let (filter, selected) = filtered.unzip();
    OutputRecord::End { calls: document.calls_that_count(), errors, warnings, filter, selected }
}

pub(super) fn graph<'a>(session: &Session, graph: &'a Graph, labels: &'a CallLabels<'a>) -> GraphRecord<'a> {
    let id = |node: usize| Id { labels, node: node as u32 };
    let ids = |nodes: &[u32]| nodes.iter().map(|&node| id(node as usize)).collect::<Vec<_>>();
    let mut record = GraphRecord {
        waves: graph.waves.iter().map(ids).collect(),
        edges: graph.edges.iter().map(|edge| EdgeRecord { from: id(edge.from()), to: id(edge.to()) }).collect(),
        cycles: graph.shown_cycles().map(ids).collect(),
        missing: graph.shown_missing().map(|(_, lack)| MissingRecord { from: id(lack.from()), id: &lack.id }).collect(),
        skipped: Vec::new(),
        failed: Vec::new(),
        reasons: Map::new(),
    };
    for (number, node) in graph.nodes.iter().enumerate() {
        if node.left_out {
            continue;
        }
        let reason = match node.fate {
            Fate::Withdrawn => continue,
            Fate::Runs(_) if !node.failed => continue,
            Fate::Runs(_) | Fate::Fails => {
                record.failed.push(id(number));
                failure(session, node.item())
            }
            Fate::Skipped(_) => {
                record.skipped.push(id(number));
                graph.skip_reason(number, labels).unwrap_or_default()
            }
        };
        record.reasons.entry(labels.id(number)).or_insert(Value::String(reason));
    }
    record
}

/// The graph of a session, or of a part of it.
pub(super) fn part_graph(session: &Session, part: Option<&Selection>) -> Graph {
    let graph = session.graph();
    match part {
        Some(part) => graph.part(|item| part.contains(item)),
        None => graph,
    }
}

/// The runtime's error for a rejected call, otherwise a description of its failed result.
pub(super) fn failure(session: &Session, item: usize) -> String {
    let call = session.document().call(item);
    match call.filter(|call| !call.failed).and_then(|call| call.answer) {
        Some(CallOutcome::Denied) => "its execution was denied".into(),
        Some(_) => "its result is an error".into(),
        None => {
            session.dissect(item).and_then(|assembly| assembly.error).unwrap_or_else(|| "the runtime rejects it".into())
        }
    }
}
