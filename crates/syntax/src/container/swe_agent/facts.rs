//! Facts about a run: tokens, cost, and durations of its commands.
//!
//! | member | fact |
//! |---|---|
//! | `info.model_stats` | cost and tokens of the whole run, if its messages do not state theirs |
//! | `messages[].extra`: `cost`, `response`, `timestamp` | a request of mini-swe-agent, and its end |
//! | `trajectory[].execution_time` | duration of a step's command in seconds |

use std::collections::VecDeque;
use std::time::Duration;

use super::super::answer;
use super::super::facts::{CallTimes, Fact, RequestFacts, RequestScope, SessionFact, Usage};
use super::super::json::{JsonKind, JsonValue};
use super::super::writer::TextWriter;

/// Durations of SWE-agent's commands in the order of the steps.
#[derive(Debug, Default)]
pub(super) struct StepTimes(VecDeque<(Box<str>, Duration)>);

impl StepTimes {
    pub(super) fn new(run: JsonValue<'_>) -> Self {
        let steps = run.get("trajectory").filter(|steps| steps.kind() == JsonKind::Array);
        Self(steps.into_iter().flat_map(|steps| steps.items()).filter_map(step_time).collect())
    }

    /// States the duration of the command of the call `id`.
    pub(super) fn write_duration(&mut self, action: Option<JsonValue<'_>>, id: Option<Box<str>>, out: &mut TextWriter) {
        let Some(action) = action.and_then(|action| Some(action.text()?.trim().to_owned())) else { return };
        let Some(place) = self.0.iter().position(|(known, _)| **known == *action) else { return };
        self.0.drain(..place);
        if let Some(((_, took), id)) = self.0.pop_front().zip(id) {
            out.fact(Fact::Call(id, CallTimes::of_duration(took)));
        }
    }
}

fn step_time(step: JsonValue<'_>) -> Option<(Box<str>, Duration)> {
    let took = Duration::try_from_secs_f64(step.get("execution_time")?.fraction()?).ok()?;
    Some((step.text_of("action")?.trim().into(), took))
}

/// States the request that a message of mini-swe-agent answers, or one whose answer was rejected for its form. Returns
/// true if the message has token counts or a cost.
pub(super) fn request(message: JsonValue<'_>, model: Option<Box<str>>, out: &mut TextWriter) -> bool {
    let Some(extra) = message.get("extra") else { return false };
    let response = extra.get("response").filter(|response| response.kind() == JsonKind::Object);
    let cost = extra.get("cost").and_then(|cost| cost.fraction());
    if response.and_then(answer::usage_of).is_none() && cost.is_none() {
        return false;
    }
    let told = response.map(answer::openai).unwrap_or_default();
    out.fact(Fact::Request(RequestFacts {
        model: told.model.or(model),
        cost: cost.or(told.cost),
        end: answer::time_of(extra, &["timestamp"]).or(told.end),
        ..told
    }));
    true
}

/// States facts of the run as a whole, and its cost unless its messages stated theirs.
pub(super) fn run(run: JsonValue<'_>, model: Option<Box<str>>, has_requests: bool, out: &mut TextWriter) {
    let Some(info) = run.get("info") else { return };
    for (key, name) in [("mini_version", "mini-swe-agent"), ("swe_agent_version", "SWE-agent")] {
        if let Some(version) = info.words_of(key) {
            out.fact(Fact::Session(SessionFact::Client(name.into(), Some(version))));
        }
    }
    let Some(stats) = info.get("model_stats").filter(|_| !has_requests) else { return };
    let count = |key: &str| stats.number_of(key).filter(|count| *count > 0);
    let counted = Usage { input: count("tokens_sent"), output: count("tokens_received"), ..Usage::default() };
    // A replay makes no requests.
    let cost = stats.get("instance_cost").and_then(|cost| cost.fraction()).filter(|cost| *cost > 0.0);
    let usage = counted.total().map(|_| counted);
    if usage.is_some() || cost.is_some() {
        let scope = RequestScope::Session;
        out.fact(Fact::Request(RequestFacts { scope, model, usage, cost, ..RequestFacts::default() }));
    }
}
