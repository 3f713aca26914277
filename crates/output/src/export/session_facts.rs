//! The records of session facts in the JSON output: the session, turns, requests, compactions, sub-agents.
//!
//! Fields that a file does not state are left out. A figure that is not recorded has an accompanying `…_source` member.

use std::collections::BTreeSet;
use std::time::Duration;

use serde::Serialize;

use crate::container::facts::{
    CompactionKind, CompactionTrigger, Figure, FigureSource, Relation, ReportedTokens, RequestFacts, RequestScope,
    SessionKind, Timestamp, TitleKind, Usage,
};
use crate::document::facts::compactions::CompactionEntry;
use crate::document::facts::requests::{ModelRequest, Spending};
use crate::document::{Message, Turn};
use crate::session::Session;
use crate::session::prompt::prompt_line;

/// Origin of a figure; `None` if it is recorded.
fn source_of(ground: FigureSource) -> Option<FigureSource> {
    (ground != FigureSource::Recorded).then_some(ground)
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// Start, end and duration.
#[derive(Serialize)]
pub(super) struct TimesRecord {
    #[serde(skip_serializing_if = "Option::is_none")]
    start: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    duration_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    duration_ms_source: Option<FigureSource>,
}

impl TimesRecord {
    fn new(start: Option<Timestamp>, end: Option<Timestamp>, took: Option<Duration>) -> Self {
        let time = |time: Option<Timestamp>| time.map(|time| time.to_string());
        let duration_ms = took.map(milliseconds);
        Self { start: time(start), end: time(end), duration_ms, duration_ms_source: None }
    }
}

/// Disjoint token counts.
#[derive(Serialize)]
pub(super) struct UsageRecord {
    #[serde(skip_serializing_if = "Option::is_none")]
    input: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_read: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_write: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_write_1h: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_source: Option<FigureSource>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    total_source: Option<FigureSource>,
}

impl From<Usage> for UsageRecord {
    fn from(usage: Usage) -> Self {
        let output_source = if usage.is_output_partial { Some(FigureSource::Bound) } else { source_of(usage.ground) };
        Self {
            input: usage.input,
            cache_read: usage.cache_read,
            cache_write: usage.cache_write,
            cache_write_1h: usage.cache_write_1h,
            output: usage.output,
            output_source,
            reasoning: usage.reasoning,
            total: usage.total(),
            total_source: Some(output_source.unwrap_or(FigureSource::Derived)).filter(|_| usage.total().is_some()),
        }
    }
}

/// Cost in US dollars.
#[derive(Serialize)]
struct CostRecord {
    #[serde(skip_serializing_if = "Option::is_none")]
    cost: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cost_source: Option<FigureSource>,
}

impl From<Option<Figure<f64>>> for CostRecord {
    fn from(cost: Option<Figure<f64>>) -> Self {
        Self { cost: cost.map(|cost| cost.value), cost_source: cost.and_then(|cost| source_of(cost.ground)) }
    }
}

/// Tokens and costs of several requests.
#[derive(Serialize)]
struct SpendingRecord {
    requests: usize,
    #[serde(skip_serializing_if = "is_zero")]
    requests_without_usage: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    usage: Option<UsageRecord>,
    #[serde(flatten)]
    cost: CostRecord,
    #[serde(skip_serializing_if = "is_zero")]
    requests_without_cost: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl SpendingRecord {
    /// `None` if the file mentions no request.
    fn new(spending: &Spending, session: &Session) -> Option<Self> {
        let has_costs = spending.cost.is_some() || session.document().requests().prices().is_some();
        (spending.requests > 0).then(|| Self {
            requests: spending.requests,
            requests_without_usage: spending.without_usage,
            usage: spending.known_usage().map(UsageRecord::from),
            cost: spending.cost.into(),
            requests_without_cost: if has_costs { spending.without_cost } else { 0 },
        })
    }
}

/// The session as a whole.
#[derive(Serialize)]
pub(super) struct SessionRecord<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    title_source: Option<TitleKind>,
    #[serde(skip_serializing_if = "Option::is_none")]
    first_prompt: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_prompt: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    project: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cwd: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    branch: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    client: Option<ClientRecord<'a>>,
    models: Vec<ModelRecord<'a>>,
    #[serde(flatten)]
    times: TimesRecord,
    kind: SessionKind,
    links: Vec<LinkRecord<'a>>,
    turns: usize,
    calls: usize,
    failed: usize,
    #[serde(skip_serializing_if = "is_zero")]
    subagents: usize,
    /// Number of sub-agents whose requests are in other files and missing from the sums.
    #[serde(skip_serializing_if = "is_zero")]
    subagents_without_requests: usize,
    #[serde(flatten)]
    spending: Option<SpendingRecord>,
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    models_without_price: BTreeSet<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prices: Option<PricesRecord<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    context: Option<ContextRecord>,
}

/// The price table used for estimates.
#[derive(Serialize)]
struct PricesRecord<'a> {
    file: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    date: Option<&'a str>,
}

#[derive(Serialize)]
struct ClientRecord<'a> {
    name: &'a str,
    versions: &'a [Box<str>],
}

#[derive(Serialize)]
struct ModelRecord<'a> {
    id: &'a str,
    requests: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    usage: Option<UsageRecord>,
}

#[derive(Serialize)]
struct LinkRecord<'a> {
    relation: Relation,
    id: &'a str,
}

/// Context usage, in prompt tokens.
#[derive(Serialize)]
struct ContextRecord {
    /// At the last request of the main conversation.
    last: u64,
    peak: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    window: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    window_source: Option<FigureSource>,
}

pub(super) fn session(session: &Session) -> SessionRecord<'_> {
    let document = session.document();
    let info = document.session_info();
    let prompt = |turn: Option<Turn>| Some(prompt_line(session, turn?)).filter(|line| !line.is_empty());
    let times = document.time_range();
    let took = times.and_then(|(start, end)| Duration::try_from(end.duration_since(start)).ok());
    let requests = document.requests();
    let spending = document.session_spending();
    let context = document.context();
    SessionRecord {
        id: document.session_id(),
        title: info.title.as_ref().map(|(title, _)| title.as_ref()),
        title_source: info.title.as_ref().map(|(_, kind)| *kind),
        first_prompt: prompt(document.turn(1)),
        last_prompt: prompt(document.last_turn()),
        project: info.project(),
        cwd: info.directory.as_deref(),
        branch: info.branch.as_deref(),
        client: info.client.as_deref().map(|name| ClientRecord { name, versions: &info.versions }),
        models: document
            .models()
            .map(|(id, on)| ModelRecord { id, requests: on.requests, usage: on.known_usage().map(UsageRecord::from) })
            .collect(),
        times: TimesRecord::new(times.map(|(start, _)| start), times.map(|(_, end)| end), took),
        kind: info.kind,
        links: info.links.iter().map(|(relation, id)| LinkRecord { relation: *relation, id }).collect(),
        turns: document.turn_count(),
        calls: document.calls_that_count(),
        failed: document.failures(),
        subagents: document.agents().len(),
        subagents_without_requests: document.agents_without_requests(),
        spending: SpendingRecord::new(&spending, session),
        models_without_price: requests.models_without_price(),
        prices: requests
            .prices()
            .filter(|_| !requests.is_empty())
            .map(|table| PricesRecord { file: &table.file, date: table.date.as_deref() }),
        context: context.map(|context| ContextRecord {
            last: context.last,
            peak: context.peak,
            window: context.window.map(|window| window.value),
            window_source: context.window.and_then(|window| source_of(window.ground)),
        }),
    }
}

/// A turn: a prompt and everything up to the next one.
#[derive(Serialize)]
pub(super) struct TurnRecord {
    /// Number of prompts on the path to it, inclusive; an abandoned turn has the same number as its replacement.
    number: usize,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    abandoned: bool,
    /// Number of its first message.
    message: usize,
    /// Number of the message after its last one.
    end_message: usize,
    prompt: String,
    #[serde(flatten)]
    times: TimesRecord,
    calls: usize,
    failed: usize,
    #[serde(flatten)]
    spending: Option<SpendingRecord>,
    /// Tokens of the prompt of its last request in the main conversation.
    #[serde(skip_serializing_if = "Option::is_none")]
    context: Option<u64>,
}

pub(super) fn turns(session: &Session) -> impl Iterator<Item = TurnRecord> + '_ {
    session.document().turns().map(|found| turn(session, found))
}

pub(super) fn turn(session: &Session, turn: Turn) -> TurnRecord {
    let summary = session.document().turn_summary(turn, session.text());
    TurnRecord {
        number: turn.number,
        abandoned: session.document().is_abandoned(turn.first),
        message: turn.first,
        end_message: summary.messages.end,
        prompt: prompt_line(session, turn),
        times: TimesRecord::new(summary.start, summary.end, summary.duration()),
        calls: summary.calls,
        failed: summary.failures,
        spending: SpendingRecord::new(&summary.spending, session),
        context: summary.context,
    }
}

/// A request to the model.
#[derive(Serialize)]
pub(super) struct RequestRecord<'a> {
    index: usize,
    message: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    turn: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<&'a str>,
    #[serde(skip_serializing_if = "is_one_request")]
    scope: RequestScope,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    aside: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    usage: Option<UsageRecord>,
    #[serde(flatten)]
    cost: CostRecord,
    #[serde(flatten)]
    times: TimesRecord,
    #[serde(skip_serializing_if = "Option::is_none")]
    first_token: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stop: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    effort: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_one_request(scope: &RequestScope) -> bool {
    *scope == RequestScope::Request
}

pub(super) fn requests(session: &Session) -> impl Iterator<Item = RequestRecord<'_>> {
    let document = session.document();
    document.requests().iter().enumerate().map(|(index, request)| {
        let ModelRequest { message, .. } = request;
        let RequestFacts { key: id, scope, model, usage, start, first_token, end, stop, effort, error, .. } = *request;
        RequestRecord {
            index,
            message,
            turn: document.turn_of(message).map(|turn| turn.number),
            id,
            model,
            scope,
            aside: request.is_aside,
            usage: usage.map(UsageRecord::from),
            cost: session.cost_of(&request).into(),
            times: TimesRecord::new(start, end, None),
            first_token: first_token.map(|time| time.to_string()),
            stop,
            effort,
            error,
        }
    })
}

/// A compaction of the context.
#[derive(Serialize)]
pub(super) struct CompactionRecord {
    message: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    turn: Option<usize>,
    kind: CompactionKind,
    #[serde(skip_serializing_if = "Option::is_none")]
    trigger: Option<CompactionTrigger>,
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    before_source: Option<FigureSource>,
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    after_source: Option<FigureSource>,
    #[serde(skip_serializing_if = "Option::is_none")]
    duration_ms: Option<u64>,
}

pub(super) fn compactions(session: &Session) -> impl Iterator<Item = CompactionRecord> + '_ {
    let document = session.document();
    document.compactions().map(|CompactionEntry { message, facts, before, after, .. }| {
        let ground = |figure: Option<Figure<u64>>| figure.and_then(|figure| source_of(figure.ground));
        CompactionRecord {
            message,
            turn: document.turn_of(message).map(|turn| turn.number),
            kind: facts.kind,
            trigger: facts.trigger,
            before: before.map(|figure| figure.value),
            before_source: ground(before),
            after: after.map(|figure| figure.value),
            after_source: ground(after),
            duration_ms: facts.duration.map(milliseconds),
        }
    })
}

/// A sub-agent.
#[derive(Serialize)]
pub(super) struct AgentRecord<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    /// Id of the call that started it.
    #[serde(skip_serializing_if = "Option::is_none")]
    call: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<&'a str>,
    /// Id of its session.
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<&'a str>,
    /// Tokens reported in its parent's file; `reported_tokens_of` states what they count.
    #[serde(skip_serializing_if = "Option::is_none")]
    reported_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reported_tokens_of: Option<ReportedTokens>,
    #[serde(skip_serializing_if = "Option::is_none")]
    calls: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    duration_ms: Option<u64>,
}

pub(super) fn agents(session: &Session) -> impl Iterator<Item = AgentRecord<'_>> {
    session.document().agents().map(|agent| {
        let facts = agent.facts;
        AgentRecord {
            id: facts.id.as_deref(),
            call: facts.call.as_deref(),
            kind: facts.kind.as_deref(),
            description: facts.description.as_deref(),
            status: facts.status.as_deref(),
            session: facts.session.as_deref(),
            reported_tokens: facts.reported.map(|(tokens, _)| tokens),
            reported_tokens_of: facts.reported.map(|(_, meaning)| meaning),
            calls: facts.calls,
            duration_ms: facts.took.map(milliseconds),
        }
    })
}

/// Times of the call at item number `item`; `None` if the file states none.
pub(super) fn times(session: &Session, item: usize) -> Option<TimesRecord> {
    let document = session.document();
    let recorded = document.recorded_times(item, session.text()).unwrap_or_default();
    let took = document.call_duration(item, session.text());
    let record = TimesRecord {
        duration_ms_source: took.and_then(|took| source_of(took.ground)),
        ..TimesRecord::new(recorded.start, recorded.end, took.map(|took| took.value))
    };
    (record.start.is_some() || record.end.is_some() || took.is_some()).then_some(record)
}

/// Turn, request and origin of a message.
#[derive(Serialize)]
pub(super) struct MessageFacts {
    #[serde(skip_serializing_if = "Option::is_none")]
    turn: Option<usize>,
    /// The first request whose answer it contains.
    #[serde(skip_serializing_if = "Option::is_none")]
    request: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    origin: Option<&'static str>,
}

pub(super) fn of_message(session: &Session, number: usize, message: &Message) -> MessageFacts {
    use crate::container::facts::Origin;
    let document = session.document();
    MessageFacts {
        turn: document.turn_of(number).map(|turn| turn.number),
        request: document.requests().of_message(number),
        origin: (message.origin != Origin::Unsaid).then(|| message.origin.into()),
    }
}
