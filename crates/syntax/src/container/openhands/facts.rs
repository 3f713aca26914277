//! Facts about a session in events of OpenHands, apart from messages.
//!
//! | event | fact |
//! |---|---|
//! | `ConversationStateUpdateEvent` with the key `stats` | `usage_to_metrics`: cost and tokens so far for each use of a model |
//! | the same with the key `full_state`, or the file with the state | the same in `stats`; the working directory |
//! | `token_usages` and `costs` of a use, in the file with the state | each request; its `response_id` is the `llm_response_id` of the events of its answer |
//! | `llm_metrics` of an action | `accumulated_cost`, `accumulated_token_usage`: the same in older releases |
//! | `Condensation` | the context was compacted; `summary` replaces the events |
//! | `PauseEvent`, `InterruptEvent` | the user interrupted the agent |
//!
//! Counts accumulate: a request is the difference of two consecutive counts. Cached tokens are part of the prompt. The
//! lists are from the SDK's `llm/utils/metrics.py`.

use std::collections::HashMap;

use super::super::facts::{
    Compaction, CompactionKind, Fact, FigureSource, RequestFacts, SessionFact, SessionState, Timestamp, Usage,
};
use super::super::json::{JsonKind, JsonValue};
use super::super::moment_of;
use super::super::usage::{Counting, Counts};
use super::super::writer::TextWriter;

/// Names under which a file accounts for requests of the conversation itself; a condenser and other tools have theirs.
const MAIN: [&str; 2] = ["default", "agent"];

/// Accumulated cost and tokens.
#[derive(Clone, Copy, Default)]
struct Sums {
    counts: Counts,
    cost: Option<f64>,
}

/// The last sums of each use of a model, and requests that are known before their answers.
#[derive(Default)]
pub(super) struct Metrics {
    sums: HashMap<Box<str>, Sums>,
    /// Requests by the ids of their answers, which have not come yet.
    requests: HashMap<Box<str>, RequestFacts>,
    /// True if the requests are listed, so that sums repeat them.
    are_listed: bool,
}

impl Metrics {
    /// Takes the sums of all uses.
    pub(super) fn stats(&mut self, stats: JsonValue<'_>, event: JsonValue<'_>, out: &mut TextWriter) {
        let Some(uses) = stats.get("usage_to_metrics") else { return };
        let has_main = MAIN.iter().any(|name| uses.get(name).is_some());
        for metrics in uses.items() {
            let name = metrics.key();
            let is_aside = has_main && !MAIN.contains(&name.as_ref());
            if metrics.get("token_usages").is_some_and(|usages| !usages.is_void()) {
                self.list(metrics, is_aside, out);
            } else if !self.are_listed {
                self.metrics((&name, is_aside), metrics, event, out);
            }
        }
    }

    /// Takes the requests of one use from its lists.
    fn list(&mut self, metrics: JsonValue<'_>, is_aside: bool, out: &mut TextWriter) {
        self.are_listed = true;
        let all = |key: &str| metrics.get(key).into_iter().flat_map(|list| list.items());
        // Costs have no ids. There is one for each answer, unless the price is unknown.
        let costs: Vec<Option<f64>> =
            all("costs").map(|cost| cost.get("cost").and_then(|cost| cost.fraction())).collect();
        let has_costs = costs.len() == all("token_usages").count();
        for (number, tokens) in all("token_usages").enumerate() {
            let Some(id) = tokens.words_of("response_id") else { continue };
            let window = tokens.number_of("context_window").filter(|&window| window > 0 && !is_aside);
            if let Some(window) = window {
                out.fact(Fact::Session(SessionFact::Window(window)));
            }
            let request = RequestFacts {
                key: Some(id.clone()),
                model: tokens.words_of("model").or_else(|| metrics.words_of("model_name")),
                usage: Some(counts(tokens).disjoint(Counting::Inside, Counting::Inside)),
                cost: costs.get(number).copied().flatten().filter(|cost| has_costs && *cost > 0.0),
                is_aside,
                ..RequestFacts::default()
            };
            self.requests.insert(id, request);
        }
        let total = metrics.get("accumulated_cost").and_then(|cost| cost.fraction());
        if let Some(cost) = total.filter(|cost| !has_costs && *cost > 0.0) {
            out.fact(Fact::Session(SessionFact::Cost(cost)));
        }
    }

    /// States the request whose answer has this event, once.
    pub(super) fn answer(&mut self, event: JsonValue<'_>, out: &mut TextWriter) {
        let request = event.words_of("llm_response_id").and_then(|id| self.requests.remove(&id));
        if let Some(request) = request {
            out.fact(Fact::Request(RequestFacts { end: time_of(event), ..request }));
        }
    }

    /// States the requests whose answers have no event.
    pub(super) fn finish(&mut self, out: &mut TextWriter) {
        let mut requests: Vec<_> = self.requests.drain().map(|(_, request)| request).collect();
        requests.sort_by(|one, other| one.key.cmp(&other.key));
        for request in requests {
            out.fact(Fact::Request(RequestFacts { is_aside: true, ..request }));
        }
    }

    /// Takes the sums at an action, in older releases.
    pub(super) fn action(&mut self, event: JsonValue<'_>, out: &mut TextWriter) {
        if let Some(metrics) = event.get("llm_metrics") {
            self.metrics((MAIN[0], false), metrics, event, out);
        }
    }

    /// Takes the sums of one use, which has a name and may be outside the conversation: the increase is a request.
    fn metrics(
        &mut self,
        (name, is_aside): (&str, bool),
        metrics: JsonValue<'_>,
        event: JsonValue<'_>,
        out: &mut TextWriter,
    ) {
        let Some(tokens) = metrics.get("accumulated_token_usage").filter(|tokens| tokens.kind() == JsonKind::Object)
        else {
            return;
        };
        let counts = counts(tokens);
        // A cost of 0 means that it is unknown.
        let cost = metrics.get("accumulated_cost").and_then(|cost| cost.fraction()).filter(|cost| *cost > 0.0);
        let sums = Sums { counts, cost };
        let before = self.sums.insert(name.into(), sums).unwrap_or_default();
        let usage = usage_since(before.counts, counts);
        if let Some(window) = tokens.number_of("context_window").filter(|&window| window > 0 && !is_aside) {
            out.fact(Fact::Session(SessionFact::Window(window)));
        }
        if usage.is_empty() {
            return;
        }
        out.fact(Fact::Request(RequestFacts {
            model: metrics.words_of("model_name").or_else(|| tokens.words_of("model")),
            usage: Some(usage),
            cost: cost.map(|cost| cost - before.cost.unwrap_or_default()).filter(|cost| *cost > 0.0),
            end: time_of(event),
            is_aside,
            ..RequestFacts::default()
        }));
    }
}

fn counts(tokens: JsonValue<'_>) -> Counts {
    let count = |key: &str| tokens.number_of(key);
    Counts {
        input: count("prompt_tokens"),
        cache_read: count("cache_read_tokens"),
        cache_write: count("cache_write_tokens"),
        output: count("completion_tokens"),
        reasoning: count("reasoning_tokens"),
        total: None,
    }
}

/// The increase of the counts; all of them if counting restarted.
fn usage_since(before: Counts, now: Counts) -> Usage {
    let begins_again = now.input < before.input || now.output < before.output;
    let before = if begins_again { Counts::default() } else { before };
    let added = |of: fn(&Counts) -> Option<u64>| Some(of(&now)?.saturating_sub(of(&before).unwrap_or_default()));
    let counts = Counts {
        input: added(|counts| counts.input),
        cache_read: added(|counts| counts.cache_read),
        cache_write: added(|counts| counts.cache_write),
        output: added(|counts| counts.output),
        reasoning: added(|counts| counts.reasoning),
        total: None,
    };
    Usage { ground: FigureSource::Derived, ..counts.disjoint(Counting::Inside, Counting::Inside) }
}

/// Takes a state of the whole conversation.
pub(super) fn session(state: JsonValue<'_>, out: &mut TextWriter) {
    if let Some(directory) = state.path(&["workspace", "working_dir"]).and_then(JsonValue::scalar_text) {
        out.fact(Fact::Session(SessionFact::Directory(directory)));
    }
}

/// Takes an event about the conversation.
pub(super) fn event(kind: &str, out: &mut TextWriter) {
    match kind {
        "Condensation" | "condensation" => {
            let compaction = Compaction { kind: CompactionKind::Summary, ..Compaction::default() };
            out.fact(Fact::Compaction(compaction));
        }
        "PauseEvent" | "InterruptEvent" => out.fact(Fact::State(SessionState::Interrupted)),
        _ => {}
    }
}

fn time_of(event: JsonValue<'_>) -> Option<Timestamp> {
    event.text_of("timestamp").and_then(|time| moment_of(&time))
}
